-- An attempt that was taken and surely not sent is given back: its number is used again by the next one. A number whose
-- result was recorded cannot be used again, because callback_attempts has it as its key.

DROP TRIGGER callbacks_onward ON callbacks;
CREATE TRIGGER callbacks_onward BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    NEW.fence < OLD.fence
    OR (NEW.attempts < OLD.attempts
        AND NOT (NEW.attempts = OLD.attempts - 1 AND OLD.state = 'sending' AND NEW.state = 'queued'))
    OR (OLD.delivered_at IS NOT NULL AND NEW.delivered_at IS DISTINCT FROM OLD.delivered_at)
    OR (OLD.position IS NOT NULL AND NEW.position IS DISTINCT FROM OLD.position)
)
EXECUTE FUNCTION refuse('a delivery does not go back');
