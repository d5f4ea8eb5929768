-- A callback event is about its session's own status, or about something else of the session, such as a refund: then
-- `about` is the id of that, else it is zeros.

ALTER TABLE callbacks ADD COLUMN about BLOB NOT NULL DEFAULT x'00000000000000000000000000000000' CHECK (length(about) = 16);

-- One event for each final status of a session or of what belongs to it.
DROP INDEX callbacks_session;
CREATE UNIQUE INDEX callbacks_session ON callbacks (session_id, about);

DROP TRIGGER callbacks_frozen;
CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.event IS NOT NEW.event OR OLD.body IS NOT NEW.body OR OLD.target IS NOT NEW.target
    OR OLD.host IS NOT NEW.host OR OLD.created_at IS NOT NEW.created_at OR OLD.method IS NOT NEW.method
    OR OLD.about IS NOT NEW.about
BEGIN
    SELECT RAISE(ABORT, 'a callback event is frozen when it is made');
END;

DROP TRIGGER callbacks_once;
CREATE TRIGGER callbacks_once BEFORE INSERT ON callbacks
WHEN EXISTS (SELECT 1 FROM callbacks WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM callbacks WHERE session_id = NEW.session_id AND about = NEW.about)
BEGIN
    SELECT RAISE(ABORT, 'callback events are never replaced');
END;

-- What the simulated bank has sent back, as its own books have it.
CREATE TABLE simulated_refunds (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    payment_id BLOB NOT NULL CHECK (length(payment_id) = 16),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    behaviour TEXT NOT NULL,
    acted_at INTEGER,
    opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX simulated_refunds_payment ON simulated_refunds (payment_id);
