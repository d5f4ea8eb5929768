-- The first derivation index that may be given out on any chain. A hold raises it, so that an address that was given out after
-- the backup is never given out again.

CREATE TABLE chain_floor (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    place INTEGER NOT NULL CHECK (place >= 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER chain_floor_rises BEFORE UPDATE ON chain_floor
WHEN NEW.place < OLD.place
BEGIN
    SELECT RAISE(ABORT, 'the floor of address indexes only rises');
END;

CREATE TRIGGER chain_floor_kept BEFORE DELETE ON chain_floor
BEGIN
    SELECT RAISE(ABORT, 'the floor of address indexes is never deleted');
END;
