-- What a provider knows of money beyond its payments, for a person to decide: a bank demands money back, a refund came
-- back, or books do not say the same. Each finding is entered once, by its subject. Where nobody here knows the payment,
-- there is no session.

-- Only what a row may say is changed, and no row: refunds point to these, so the table cannot be made anew. A guard comes
-- first in its commit, before the money that it is about.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql,
    '''surplus'', ''reversed'')', '''surplus'', ''reversed'', ''disputed'', ''refund_lost'', ''difference'')'),
    'session_id BLOB NOT NULL REFERENCES', 'session_id BLOB REFERENCES'),
    'vendor_id BLOB NOT NULL CHECK', 'vendor_id BLOB CHECK'),
    'REFERENCES transactions (id)', 'REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED')
WHERE type = 'table' AND name = 'actions';
PRAGMA writable_schema = RESET;

ALTER TABLE actions ADD COLUMN subject TEXT
    CHECK ((subject IS NOT NULL) = (kind IN ('disputed', 'refund_lost', 'difference')));
ALTER TABLE actions ADD COLUMN note TEXT CHECK ((note IS NULL) = (subject IS NULL));
ALTER TABLE actions ADD COLUMN amount_minor INTEGER CHECK (amount_minor IS NULL OR amount_minor > 0 AND subject IS NOT NULL);
ALTER TABLE actions ADD COLUMN currency TEXT CHECK ((currency IS NULL) = (amount_minor IS NULL)
    AND (session_id IS NULL) = (vendor_id IS NULL)
    AND (session_id IS NOT NULL OR kind = 'difference' AND transaction_id IS NULL));

CREATE UNIQUE INDEX actions_subject ON actions (subject) WHERE subject IS NOT NULL;

CREATE TRIGGER actions_finding BEFORE UPDATE ON actions
WHEN OLD.subject IS NOT NEW.subject OR OLD.note IS NOT NEW.note OR OLD.amount_minor IS NOT NEW.amount_minor
    OR OLD.currency IS NOT NEW.currency
BEGIN
    SELECT RAISE(ABORT, 'what was found cannot be changed');
END;

-- A second entry of the same is not an error: whoever adds it finds that nothing was added.
CREATE TRIGGER actions_found_once BEFORE INSERT ON actions
WHEN NEW.subject IS NOT NULL AND EXISTS (SELECT 1 FROM actions WHERE subject = NEW.subject)
BEGIN
    SELECT RAISE(IGNORE);
END;
