-- What is due is read provider by provider, so that a silent one holds up nobody else.
CREATE INDEX payment_attempts_due ON payment_attempts (provider, check_at) WHERE check_at IS NOT NULL;

-- The note of an open dispute follows what the provider says of it; what was decided stays as it was then.
DROP TRIGGER actions_finding ON actions;
CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
FOR EACH ROW WHEN (
    OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.subject IS DISTINCT FROM NEW.subject OR OLD.amount_minor IS DISTINCT FROM NEW.amount_minor
    OR OLD.currency IS DISTINCT FROM NEW.currency
    OR (OLD.note IS DISTINCT FROM NEW.note AND OLD.kind <> 'disputed')
)
EXECUTE FUNCTION refuse('what was found cannot be changed');
