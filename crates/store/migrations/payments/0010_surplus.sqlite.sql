-- A person also decides about money that is more than was asked for.

DROP TRIGGER actions_decided;
DROP TRIGGER actions_kept;
DROP TRIGGER actions_once;
DROP INDEX actions_open;
ALTER TABLE actions RENAME TO actions_before;

CREATE TABLE actions (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch', 'surplus')),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    transaction_id BLOB REFERENCES transactions (id),
    created_at INTEGER NOT NULL,
    resolution TEXT CHECK (resolution IN ('refund', 'accept', 'dismiss')),
    resolved_at INTEGER,
    resolved_by TEXT,
    CHECK ((resolution IS NULL) = (resolved_at IS NULL)),
    CHECK ((resolution IS NULL) = (resolved_by IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by)
SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by
FROM actions_before;
DROP TABLE actions_before;

CREATE INDEX actions_open ON actions (id) WHERE resolution IS NULL;

CREATE TRIGGER actions_decided BEFORE UPDATE ON actions
WHEN OLD.resolution IS NOT NULL OR
    OLD.id IS NOT NEW.id OR OLD.kind IS NOT NEW.kind OR OLD.session_id IS NOT NEW.session_id
    OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.transaction_id IS NOT NEW.transaction_id
    OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'what was decided stays decided');
END;

CREATE TRIGGER actions_kept BEFORE DELETE ON actions
BEGIN
    SELECT RAISE(ABORT, 'what was left to decide is never deleted');
END;

CREATE TRIGGER actions_once BEFORE INSERT ON actions
WHEN EXISTS (SELECT 1 FROM actions WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'what was left to decide is never replaced');
END;
