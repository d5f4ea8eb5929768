-- What a provider knows of money beyond its payments, for a person to decide: a bank demands money back, a refund came
-- back, or books do not say the same. Each finding is entered once, by its subject. Where nobody here knows the payment,
-- there is no session.

ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch', 'surplus', 'reversed', 'disputed', 'refund_lost',
        'difference'));
ALTER TABLE actions ALTER COLUMN session_id DROP NOT NULL;
ALTER TABLE actions ALTER COLUMN vendor_id DROP NOT NULL;
-- A guard comes first in its commit, before the money that it is about.
ALTER TABLE actions ALTER CONSTRAINT actions_transaction_id_fkey DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE actions ADD COLUMN subject TEXT
    CHECK ((subject IS NOT NULL) = (kind IN ('disputed', 'refund_lost', 'difference')));
ALTER TABLE actions ADD COLUMN note TEXT CHECK ((note IS NULL) = (subject IS NULL));
ALTER TABLE actions ADD COLUMN amount_minor BIGINT CHECK (amount_minor IS NULL OR amount_minor > 0 AND subject IS NOT NULL);
ALTER TABLE actions ADD COLUMN currency TEXT CHECK ((currency IS NULL) = (amount_minor IS NULL));
ALTER TABLE actions ADD CHECK ((session_id IS NULL) = (vendor_id IS NULL));
ALTER TABLE actions ADD CHECK (session_id IS NOT NULL OR kind = 'difference' AND transaction_id IS NULL);

CREATE UNIQUE INDEX actions_subject ON actions (subject) WHERE subject IS NOT NULL;

CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
FOR EACH ROW WHEN (
    OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.subject IS DISTINCT FROM NEW.subject OR OLD.note IS DISTINCT FROM NEW.note
    OR OLD.amount_minor IS DISTINCT FROM NEW.amount_minor OR OLD.currency IS DISTINCT FROM NEW.currency
)
EXECUTE FUNCTION refuse('what was found cannot be changed');
