-- Live only: an attempt is never recorded that was left out on purpose. That is for testers of the sandbox.

CREATE TRIGGER attempts_sent BEFORE INSERT ON callback_attempts
FOR EACH ROW WHEN (NEW.result = 'dropped')
EXECUTE FUNCTION refuse('live attempts are never left out on purpose');
