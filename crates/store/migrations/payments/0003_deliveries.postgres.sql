-- Delivery of callback events: when the next attempt is due, who has it now, what came of each, and the order in
-- which a vendor that fetches its events gets them.

DROP TRIGGER callbacks_frozen ON callbacks;

ALTER TABLE callbacks
    DROP CONSTRAINT callbacks_state_check,
    ADD COLUMN host TEXT,
    ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN due_at BIGINT,
    ADD COLUMN fence BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN started_at BIGINT,
    ADD COLUMN delivered_at BIGINT,
    ADD COLUMN position BIGINT;

UPDATE callbacks SET host = target, due_at = CASE state WHEN 'queued' THEN created_at END;

ALTER TABLE callbacks
    ALTER COLUMN attempts DROP DEFAULT,
    ALTER COLUMN fence DROP DEFAULT,
    ADD CHECK (state IN ('queued', 'sending', 'delivered', 'undelivered', 'no_target')),
    ADD CHECK ((host IS NULL) = (target IS NULL)),
    ADD CHECK ((state IN ('queued', 'sending')) = (due_at IS NOT NULL)),
    ADD CHECK (state <> 'delivered' OR delivered_at IS NOT NULL);

CREATE INDEX callbacks_due ON callbacks (due_at) WHERE due_at IS NOT NULL;

-- Events get their position when their vendor first fetches them, so that none appears behind one that was already seen.
CREATE UNIQUE INDEX callbacks_position ON callbacks (vendor_id, position) WHERE position IS NOT NULL;
CREATE INDEX callbacks_unfetched ON callbacks (vendor_id, id) WHERE position IS NULL;

CREATE TABLE feeds (
    vendor_id BYTEA NOT NULL PRIMARY KEY CHECK (length(vendor_id) = 16),
    last BIGINT NOT NULL
);

CREATE TABLE callback_attempts (
    callback_id BYTEA NOT NULL REFERENCES callbacks (id),
    number BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    took_ms BIGINT,
    result TEXT NOT NULL,
    status BIGINT,
    PRIMARY KEY (callback_id, number)
);

CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.session_id <> NEW.session_id OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.event <> NEW.event OR OLD.body <> NEW.body OR OLD.target IS DISTINCT FROM NEW.target
    OR OLD.host IS DISTINCT FROM NEW.host OR OLD.created_at <> NEW.created_at
)
EXECUTE FUNCTION refuse('a callback event is frozen when it is made');

CREATE TRIGGER callbacks_onward BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts
    OR (OLD.delivered_at IS NOT NULL AND NEW.delivered_at IS DISTINCT FROM OLD.delivered_at)
    OR (OLD.position IS NOT NULL AND NEW.position IS DISTINCT FROM OLD.position)
)
EXECUTE FUNCTION refuse('a delivery does not go back');

CREATE TRIGGER attempts_unchanged BEFORE UPDATE ON callback_attempts
FOR EACH ROW EXECUTE FUNCTION refuse('attempts are never changed');

CREATE TRIGGER attempts_kept BEFORE DELETE ON callback_attempts
FOR EACH ROW EXECUTE FUNCTION refuse('attempts are never deleted');

CREATE TRIGGER attempts_not_emptied BEFORE TRUNCATE ON callback_attempts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('attempts are never deleted');
