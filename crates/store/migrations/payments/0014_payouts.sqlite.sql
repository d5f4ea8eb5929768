-- Payouts: a vendor asks for some of its money, the operator approves or refuses, and then says whether it was sent or
-- failed. Live only. What moves the money is in the ledger, in the same commit.

CREATE TABLE payouts (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount INTEGER NOT NULL CHECK (amount > 0),
    destination TEXT NOT NULL CHECK (length(destination) BETWEEN 1 AND 500),
    state TEXT NOT NULL CHECK (state IN ('asked', 'approved', 'refused', 'sent', 'failed')),
    asked_at INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    decided_at INTEGER,
    decided_by TEXT,
    ended_at INTEGER,
    ended_by TEXT,
    note TEXT CHECK (length(note) <= 200),
    CHECK ((state = 'asked') = (decided_at IS NULL)),
    CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
    CHECK (state NOT IN ('refused', 'sent', 'failed') OR note IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX payouts_vendor ON payouts (vendor_id, id);
CREATE INDEX payouts_open ON payouts (id) WHERE state IN ('asked', 'approved');
-- What becomes available next, for the vendor to see.
CREATE INDEX settlements_vendor ON settlements (vendor_id, currency, due_at);

CREATE TRIGGER payouts_onward BEFORE UPDATE ON payouts
WHEN NEW.id <> OLD.id OR NEW.vendor_id <> OLD.vendor_id OR NEW.currency <> OLD.currency OR NEW.amount <> OLD.amount
    OR NEW.destination <> OLD.destination OR NEW.asked_at <> OLD.asked_at OR NEW.asked_by <> OLD.asked_by
    OR OLD.state = 'approved' AND (NEW.decided_at <> OLD.decided_at OR NEW.decided_by <> OLD.decided_by)
    OR NOT (OLD.state = 'asked' AND NEW.state IN ('approved', 'refused')
        OR OLD.state = 'approved' AND NEW.state IN ('sent', 'failed'))
BEGIN
    SELECT RAISE(ABORT, 'a payout only takes its next step');
END;

CREATE TRIGGER payouts_asked BEFORE INSERT ON payouts
WHEN NEW.state <> 'asked' OR EXISTS (SELECT 1 FROM payouts WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a payout is asked for first, and never replaced');
END;

CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts
BEGIN
    SELECT RAISE(ABORT, 'payouts are never deleted');
END;
