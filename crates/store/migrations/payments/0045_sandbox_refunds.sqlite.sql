-- Sandbox only: refunds, in the same shape as in live. There is no ledger behind them, so the total that a refund's callback
-- states is guarded by a count of the session's refunds that have ended. They are deleted with their session.

CREATE TABLE refunds (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    transaction_id BLOB NOT NULL REFERENCES transactions (id),
    action_id BLOB REFERENCES actions (id),
    number INTEGER NOT NULL CHECK (number > 0),
    method TEXT NOT NULL,
    provider TEXT NOT NULL,
    payment TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    fee INTEGER NOT NULL CHECK (fee = 0),
    pending INTEGER CHECK (pending IS NULL),
    pending_until INTEGER CHECK (pending_until IS NULL),
    reason TEXT,
    requested_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('requested', 'sent', 'by_hand', 'succeeded', 'failed')),
    failure TEXT,
    reference TEXT,
    attempts INTEGER NOT NULL,
    check_at INTEGER,
    version INTEGER NOT NULL,
    hand_what TEXT CHECK (state <> 'by_hand' OR hand_what IS NOT NULL),
    hand_note TEXT CHECK (hand_note IS NULL OR hand_what IS NOT NULL),
    hand_sent_at INTEGER CHECK (hand_sent_at IS NULL OR hand_what IS NOT NULL),
    silent_since INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CHECK ((state IN ('requested', 'sent')) = (check_at IS NOT NULL)),
    CHECK (state <> 'succeeded' OR reference IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX refunds_number ON refunds (transaction_id, number);
CREATE INDEX refunds_session ON refunds (session_id);
CREATE INDEX refunds_vendor ON refunds (vendor_id, id);
CREATE INDEX refunds_action ON refunds (action_id) WHERE action_id IS NOT NULL;
CREATE INDEX refunds_check ON refunds (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX refunds_due ON refunds (provider, check_at) WHERE check_at IS NOT NULL;
CREATE INDEX refunds_by_hand ON refunds (id) WHERE state = 'by_hand';
CREATE UNIQUE INDEX refunds_reference ON refunds (provider, reference) WHERE reference IS NOT NULL;

CREATE TRIGGER refunds_facts BEFORE UPDATE ON refunds
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.session_id IS NOT NEW.session_id
    OR OLD.transaction_id IS NOT NEW.transaction_id OR OLD.action_id IS NOT NEW.action_id
    OR OLD.number IS NOT NEW.number OR OLD.method IS NOT NEW.method OR OLD.provider IS NOT NEW.provider
    OR OLD.payment IS NOT NEW.payment OR OLD.amount IS NOT NEW.amount
    OR OLD.currency IS NOT NEW.currency OR OLD.fee IS NOT NEW.fee OR OLD.reason IS NOT NEW.reason
    OR OLD.requested_by IS NOT NEW.requested_by OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'what a refund is for cannot be changed');
END;

CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
WHEN OLD.state IN ('succeeded', 'failed') OR NEW.version <= OLD.version OR NEW.attempts < OLD.attempts
    OR (OLD.state = 'sent' AND NEW.state = 'requested')
BEGIN
    SELECT RAISE(ABORT, 'a refund does not go back, and its end is final');
END;

CREATE TRIGGER refunds_kept BEFORE DELETE ON refunds WHEN OLD.check_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a refund in progress is never deleted');
END;

CREATE TRIGGER refunds_fit BEFORE INSERT ON refunds
WHEN NOT EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number) AND (
    NEW.state <> 'requested'
    OR NEW.number <> 1 + COALESCE((SELECT MAX(number) FROM refunds WHERE transaction_id = NEW.transaction_id), 0)
    OR NOT EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id AND session_id = NEW.session_id
        AND vendor_id = NEW.vendor_id AND currency = NEW.currency AND provider = NEW.provider)
    OR (NEW.action_id IS NULL AND NEW.amount > (SELECT amount_minor FROM transactions WHERE id = NEW.transaction_id)
        - COALESCE((SELECT SUM(amount) FROM refunds
            WHERE transaction_id = NEW.transaction_id AND action_id IS NULL AND state <> 'failed'), 0)
        - COALESCE((SELECT SUM(r.amount_minor) FROM transactions AS m JOIN transactions AS r
            ON r.session_id = m.session_id AND r.attempt_id IS m.attempt_id AND r.reversed
            WHERE m.id = NEW.transaction_id), 0)))
BEGIN
    SELECT RAISE(ABORT, 'a refund is the next of its payment, and within what was paid');
END;

-- A number that is taken is not an error: nothing is added, and the writer computes again.
CREATE TRIGGER refunds_number_once BEFORE INSERT ON refunds
WHEN EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number)
BEGIN
    SELECT RAISE(IGNORE);
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.
CREATE TRIGGER refunds_once BEFORE INSERT ON refunds
WHEN EXISTS (SELECT 1 FROM refunds WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'refunds are never replaced');
END;

-- How many refunds of a session have ended.
CREATE TABLE refund_counts (
    session_id BLOB NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    ended INTEGER NOT NULL CHECK (ended > 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER refund_counts_onward BEFORE UPDATE ON refund_counts
WHEN OLD.session_id IS NOT NEW.session_id OR NEW.ended <> OLD.ended + 1
BEGIN
    SELECT RAISE(ABORT, 'refunds that have ended are counted one by one');
END;
