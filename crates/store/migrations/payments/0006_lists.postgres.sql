-- What the panel's lists read, newest first, whatever they are filtered by: every filter is a few ranges of an index.
-- Only what has ended is in them, so that creating a session touches none; what has not ended yet is in the indexes of
-- what is due.

ALTER TABLE callbacks ADD COLUMN method TEXT NOT NULL DEFAULT 'card';
UPDATE callbacks SET method = sessions.method FROM sessions WHERE sessions.id = callbacks.session_id;

DROP TRIGGER callbacks_frozen ON callbacks;
CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.session_id <> NEW.session_id OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.event <> NEW.event OR OLD.body <> NEW.body OR OLD.target IS DISTINCT FROM NEW.target
    OR OLD.host IS DISTINCT FROM NEW.host OR OLD.created_at <> NEW.created_at OR OLD.method <> NEW.method
)
EXECUTE FUNCTION refuse('a callback event is frozen when it is made');

DROP INDEX sessions_due;
CREATE INDEX sessions_due ON sessions (due_at, vendor_id, method, id) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_ended ON sessions (vendor_id, status, method, id) WHERE due_at IS NULL;

-- Whether an order was paid already, and what became of it.
DROP INDEX sessions_paid;
CREATE INDEX sessions_order ON sessions (vendor_id, order_id, status, id) WHERE due_at IS NULL;

CREATE INDEX callbacks_ended ON callbacks (vendor_id, state, method, id) WHERE due_at IS NULL;
CREATE INDEX callbacks_undelivered ON callbacks (id) WHERE state = 'undelivered';

DROP INDEX transactions_vendor;
CREATE INDEX transactions_vendor ON transactions (vendor_id, method, id);
CREATE INDEX transactions_marked ON transactions (vendor_id, method, id) WHERE late OR partial OR over;
