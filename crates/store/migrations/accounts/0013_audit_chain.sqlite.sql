-- Lines of the audit log get a number and a hash over themselves and the hash before them, in a pass of their own.

ALTER TABLE audit ADD COLUMN seq INTEGER CHECK (seq > 0);
ALTER TABLE audit ADD COLUMN hash BLOB CHECK (length(hash) = 32);

CREATE INDEX audit_unsealed ON audit (id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_seq ON audit (seq) WHERE seq IS NOT NULL;

-- The last number and hash. Without it, deleting the newest lines would leave no trace.
CREATE TABLE audit_head (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, zeroblob(32));

CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head
WHEN NEW.one IS NOT OLD.one OR NEW.seq <= OLD.seq
BEGIN
    SELECT RAISE(ABORT, 'the audit log only grows');
END;

CREATE TRIGGER audit_head_kept BEFORE DELETE ON audit_head
BEGIN
    SELECT RAISE(ABORT, 'the audit log only grows');
END;

CREATE TRIGGER audit_head_once BEFORE INSERT ON audit_head
BEGIN
    SELECT RAISE(ABORT, 'the audit log only grows');
END;

DROP TRIGGER audit_unchanged;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
WHEN OLD.id IS NOT NEW.id OR OLD.at IS NOT NEW.at OR OLD.actor_id IS NOT NEW.actor_id
    OR OLD.actor IS NOT NEW.actor OR OLD.address IS NOT NEW.address OR OLD.deed IS NOT NEW.deed
    OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.user_id IS NOT NEW.user_id OR OLD.detail IS NOT NEW.detail
    OR OLD.seq IS NOT NULL OR NEW.seq IS NULL OR NEW.hash IS NULL
    OR NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM audit WHERE seq IS NOT NULL), 0)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed; a line gets its place in history once');
END;

CREATE TRIGGER audit_sealed_later BEFORE INSERT ON audit
WHEN NEW.seq IS NOT NULL OR NEW.hash IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a line of the audit log gets its place in history later');
END;
