-- Payouts: a vendor asks for some of its money, the operator approves or refuses, and then says whether it was sent or
-- failed. Live only. What moves the money is in the ledger, in the same commit.

CREATE TABLE payouts (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount BIGINT NOT NULL CHECK (amount > 0),
    destination TEXT NOT NULL CHECK (length(destination) BETWEEN 1 AND 500),
    state TEXT NOT NULL CHECK (state IN ('asked', 'approved', 'refused', 'sent', 'failed')),
    asked_at BIGINT NOT NULL,
    asked_by TEXT NOT NULL,
    decided_at BIGINT,
    decided_by TEXT,
    ended_at BIGINT,
    ended_by TEXT,
    note TEXT CHECK (length(note) <= 200),
    CHECK ((state = 'asked') = (decided_at IS NULL)),
    CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
    CHECK (state NOT IN ('refused', 'sent', 'failed') OR note IS NOT NULL)
);

CREATE INDEX payouts_vendor ON payouts (vendor_id, id);
CREATE INDEX payouts_open ON payouts (id) WHERE state IN ('asked', 'approved');
-- What becomes available next, for the vendor to see.
CREATE INDEX settlements_vendor ON settlements (vendor_id, currency, due_at);

CREATE TRIGGER payouts_onward BEFORE UPDATE ON payouts
FOR EACH ROW WHEN (NEW.id <> OLD.id OR NEW.vendor_id <> OLD.vendor_id OR NEW.currency <> OLD.currency OR NEW.amount <> OLD.amount
    OR NEW.destination <> OLD.destination OR NEW.asked_at <> OLD.asked_at OR NEW.asked_by <> OLD.asked_by
    OR OLD.state = 'approved' AND (NEW.decided_at <> OLD.decided_at OR NEW.decided_by <> OLD.decided_by)
    OR NOT (OLD.state = 'asked' AND NEW.state IN ('approved', 'refused')
        OR OLD.state = 'approved' AND NEW.state IN ('sent', 'failed')))
EXECUTE FUNCTION refuse('a payout only takes its next step');

CREATE TRIGGER payouts_asked BEFORE INSERT ON payouts
FOR EACH ROW WHEN (NEW.state <> 'asked')
EXECUTE FUNCTION refuse('a payout is asked for first, and never replaced');

CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts
FOR EACH ROW EXECUTE FUNCTION refuse('payouts are never deleted');

CREATE TRIGGER payouts_not_emptied BEFORE TRUNCATE ON payouts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('payouts are never deleted');
