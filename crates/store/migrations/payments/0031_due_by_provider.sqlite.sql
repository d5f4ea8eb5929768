-- What is due is read provider by provider, so that a silent one holds up nobody else.
CREATE INDEX payment_attempts_due ON payment_attempts (provider, check_at) WHERE check_at IS NOT NULL;

-- The note of an open dispute follows what the provider says of it; what was decided stays as it was then.
DROP TRIGGER actions_finding;
CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
WHEN OLD.subject IS NOT NEW.subject OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.currency IS NOT NEW.currency
    OR (OLD.note IS NOT NEW.note AND OLD.kind <> 'disputed')
BEGIN
    SELECT RAISE(ABORT, 'what was found cannot be changed');
END;
