-- The recipient of a mail that was sent or given up is cleared after a while: an empty text. Nothing else of such a mail
-- changes with it, and no mail that is still to be sent loses its recipient.

DROP TRIGGER dispatches_facts;
DROP TRIGGER dispatches_onward;

CREATE TRIGGER dispatches_facts BEFORE UPDATE ON dispatches
WHEN OLD.about IS NOT NEW.about OR OLD.kind IS NOT NEW.kind OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.session_id IS NOT NEW.session_id OR OLD.created_at IS NOT NEW.created_at
    OR OLD.recipient IS NOT NEW.recipient AND (OLD.state = 'queued' OR NEW.recipient <> '')
BEGIN
    SELECT RAISE(ABORT, 'what a mail is about cannot be changed');
END;

CREATE TRIGGER dispatches_onward BEFORE UPDATE ON dispatches
WHEN OLD.state <> 'queued' AND NOT (OLD.recipient <> '' AND NEW.recipient = '' AND NEW.state = OLD.state
        AND NEW.attempts = OLD.attempts AND NEW.fence = OLD.fence AND NEW.due_at IS OLD.due_at
        AND NEW.ended_at IS OLD.ended_at AND NEW.last_error IS OLD.last_error)
    OR NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts
BEGIN
    SELECT RAISE(ABORT, 'a mail that is sent or given up stays so, and none goes back');
END;

CREATE INDEX dispatches_ended ON dispatches (ended_at) WHERE ended_at IS NOT NULL AND recipient <> '';
