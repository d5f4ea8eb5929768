-- Rotations of the master key. Until one is completed, some rows may be sealed with the previous key. Each running process
-- states the names of the keys that it knows, the one in use first; a name does not reveal its key.

ALTER TABLE nodes ADD COLUMN keys TEXT;

CREATE TABLE key_rotations (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    key_from TEXT NOT NULL,
    key_to TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    started_by TEXT NOT NULL,
    completed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER key_rotations_onward BEFORE UPDATE ON key_rotations
WHEN OLD.number <> NEW.number OR OLD.key_from <> NEW.key_from OR OLD.key_to <> NEW.key_to
    OR OLD.started_at <> NEW.started_at OR OLD.started_by <> NEW.started_by OR OLD.completed_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a rotation of the master key is completed once, and nothing else of it changes');
END;

CREATE TRIGGER key_rotations_kept BEFORE DELETE ON key_rotations
BEGIN
    SELECT RAISE(ABORT, 'rotations of the master key are never deleted');
END;
