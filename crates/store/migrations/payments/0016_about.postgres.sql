-- A callback event is about its session's own status, or about something else of the session, such as a refund: then
-- `about` is the id of that, else it is zeros.

ALTER TABLE callbacks ADD COLUMN about BYTEA NOT NULL DEFAULT '\x00000000000000000000000000000000' CHECK (length(about) = 16);

-- One event for each final status of a session or of what belongs to it.
DROP INDEX callbacks_session;
CREATE UNIQUE INDEX callbacks_session ON callbacks (session_id, about);

DROP TRIGGER callbacks_frozen ON callbacks;
CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.session_id <> NEW.session_id OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.event <> NEW.event OR OLD.body <> NEW.body OR OLD.target IS DISTINCT FROM NEW.target
    OR OLD.host IS DISTINCT FROM NEW.host OR OLD.created_at <> NEW.created_at OR OLD.method <> NEW.method
    OR OLD.about <> NEW.about
)
EXECUTE FUNCTION refuse('a callback event is frozen when it is made');

-- What the simulated bank has sent back, as its own books have it.
CREATE TABLE simulated_refunds (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    payment_id BYTEA NOT NULL CHECK (length(payment_id) = 16),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    behaviour TEXT NOT NULL,
    acted_at BIGINT,
    opened_at BIGINT NOT NULL
);

CREATE INDEX simulated_refunds_payment ON simulated_refunds (payment_id);
