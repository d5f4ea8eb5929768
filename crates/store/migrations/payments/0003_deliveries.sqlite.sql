-- Delivery of callback events: when the next attempt is due, who has it now, what came of each, and the order in
-- which a vendor that fetches its events gets them.

DROP TRIGGER callbacks_frozen;
DROP TRIGGER callbacks_kept;
DROP TRIGGER callbacks_once;
DROP INDEX callbacks_session;
ALTER TABLE callbacks RENAME TO callbacks_before;

CREATE TABLE callbacks (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    event TEXT NOT NULL,
    target TEXT,
    host TEXT,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'delivered', 'undelivered', 'no_target')),
    attempts INTEGER NOT NULL,
    due_at INTEGER,
    fence INTEGER NOT NULL,
    started_at INTEGER,
    delivered_at INTEGER,
    position INTEGER,
    CHECK ((state = 'no_target') = (target IS NULL)),
    CHECK ((host IS NULL) = (target IS NULL)),
    CHECK ((state IN ('queued', 'sending')) = (due_at IS NOT NULL)),
    CHECK (state <> 'delivered' OR delivered_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO callbacks (id, session_id, vendor_id, event, target, host, body, created_at, state, attempts, due_at, fence)
SELECT id, session_id, vendor_id, event, target, target, body, created_at, state, 0,
    CASE state WHEN 'queued' THEN created_at END, 0
FROM callbacks_before;
DROP TABLE callbacks_before;

-- One event per final status, and a session has one final status.
CREATE UNIQUE INDEX callbacks_session ON callbacks (session_id);

CREATE INDEX callbacks_due ON callbacks (due_at) WHERE due_at IS NOT NULL;

-- Events get their position when their vendor first fetches them, so that none appears behind one that was already seen.
CREATE UNIQUE INDEX callbacks_position ON callbacks (vendor_id, position) WHERE position IS NOT NULL;
CREATE INDEX callbacks_unfetched ON callbacks (vendor_id, id) WHERE position IS NULL;

CREATE TABLE feeds (
    vendor_id BLOB NOT NULL PRIMARY KEY CHECK (length(vendor_id) = 16),
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE callback_attempts (
    callback_id BLOB NOT NULL REFERENCES callbacks (id),
    number INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    took_ms INTEGER,
    result TEXT NOT NULL,
    status INTEGER,
    PRIMARY KEY (callback_id, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.event IS NOT NEW.event OR OLD.body IS NOT NEW.body OR OLD.target IS NOT NEW.target
    OR OLD.host IS NOT NEW.host OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'a callback event is frozen when it is made');
END;

CREATE TRIGGER callbacks_onward BEFORE UPDATE ON callbacks
WHEN NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts
    OR (OLD.delivered_at IS NOT NULL AND NEW.delivered_at IS NOT OLD.delivered_at)
    OR (OLD.position IS NOT NULL AND NEW.position IS NOT OLD.position)
BEGIN
    SELECT RAISE(ABORT, 'a delivery does not go back');
END;

CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks
BEGIN
    SELECT RAISE(ABORT, 'callback events are never deleted');
END;

CREATE TRIGGER attempts_unchanged BEFORE UPDATE ON callback_attempts
BEGIN
    SELECT RAISE(ABORT, 'attempts are never changed');
END;

CREATE TRIGGER attempts_kept BEFORE DELETE ON callback_attempts
BEGIN
    SELECT RAISE(ABORT, 'attempts are never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.

CREATE TRIGGER callbacks_once BEFORE INSERT ON callbacks
WHEN EXISTS (SELECT 1 FROM callbacks WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM callbacks WHERE session_id = NEW.session_id)
BEGIN
    SELECT RAISE(ABORT, 'callback events are never replaced');
END;

CREATE TRIGGER attempts_once BEFORE INSERT ON callback_attempts
WHEN EXISTS (SELECT 1 FROM callback_attempts WHERE callback_id = NEW.callback_id AND number = NEW.number)
BEGIN
    SELECT RAISE(ABORT, 'attempts are never replaced');
END;
