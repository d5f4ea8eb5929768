-- The recipient of a mail that was sent or given up is cleared after a while: an empty text. Nothing else of such a mail
-- changes with it, and no mail that is still to be sent loses its recipient.

DROP TRIGGER dispatches_facts ON dispatches;
DROP TRIGGER dispatches_onward ON dispatches;

CREATE TRIGGER dispatches_facts BEFORE UPDATE ON dispatches
FOR EACH ROW WHEN (
    OLD.about <> NEW.about OR OLD.kind <> NEW.kind OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.created_at <> NEW.created_at
    OR OLD.recipient <> NEW.recipient AND (OLD.state = 'queued' OR NEW.recipient <> '')
)
EXECUTE FUNCTION refuse('what a mail is about cannot be changed');

CREATE TRIGGER dispatches_onward BEFORE UPDATE ON dispatches
FOR EACH ROW WHEN (
    OLD.state <> 'queued' AND NOT (OLD.recipient <> '' AND NEW.recipient = '' AND NEW.state = OLD.state
        AND NEW.attempts = OLD.attempts AND NEW.fence = OLD.fence AND NEW.due_at IS NOT DISTINCT FROM OLD.due_at
        AND NEW.ended_at IS NOT DISTINCT FROM OLD.ended_at
        AND NEW.last_error IS NOT DISTINCT FROM OLD.last_error)
    OR NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts
)
EXECUTE FUNCTION refuse('a mail that is sent or given up stays so, and none goes back');

CREATE INDEX dispatches_ended ON dispatches (ended_at) WHERE ended_at IS NOT NULL AND recipient <> '';
