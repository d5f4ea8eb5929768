-- Sandbox only: refunds, in the same shape as in live. There is no ledger behind them, so the total that a refund's callback
-- states is guarded by a count of the session's refunds that have ended. They are deleted with their session.

CREATE TABLE refunds (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    transaction_id BYTEA NOT NULL REFERENCES transactions (id),
    action_id BYTEA REFERENCES actions (id),
    number BIGINT NOT NULL CHECK (number > 0),
    method TEXT NOT NULL,
    provider TEXT NOT NULL,
    payment TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    fee BIGINT NOT NULL CHECK (fee = 0),
    pending BIGINT CHECK (pending IS NULL),
    pending_until BIGINT CHECK (pending_until IS NULL),
    reason TEXT,
    requested_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('requested', 'sent', 'by_hand', 'succeeded', 'failed')),
    failure TEXT,
    reference TEXT,
    attempts BIGINT NOT NULL,
    check_at BIGINT,
    version BIGINT NOT NULL,
    hand_what TEXT CHECK (state <> 'by_hand' OR hand_what IS NOT NULL),
    hand_note TEXT CHECK (hand_note IS NULL OR hand_what IS NOT NULL),
    hand_sent_at BIGINT CHECK (hand_sent_at IS NULL OR hand_what IS NOT NULL),
    silent_since BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CHECK ((state IN ('requested', 'sent')) = (check_at IS NOT NULL)),
    CHECK (state <> 'succeeded' OR reference IS NOT NULL)
);

CREATE UNIQUE INDEX refunds_number ON refunds (transaction_id, number);
CREATE INDEX refunds_session ON refunds (session_id);
CREATE INDEX refunds_vendor ON refunds (vendor_id, id);
CREATE INDEX refunds_action ON refunds (action_id) WHERE action_id IS NOT NULL;
CREATE INDEX refunds_check ON refunds (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX refunds_due ON refunds (provider, check_at) WHERE check_at IS NOT NULL;
CREATE INDEX refunds_by_hand ON refunds (id) WHERE state = 'by_hand';
CREATE UNIQUE INDEX refunds_reference ON refunds (provider, reference) WHERE reference IS NOT NULL;

CREATE TRIGGER refunds_facts BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.vendor_id <> NEW.vendor_id OR OLD.session_id <> NEW.session_id
    OR OLD.transaction_id <> NEW.transaction_id OR OLD.action_id IS DISTINCT FROM NEW.action_id
    OR OLD.number <> NEW.number OR OLD.method <> NEW.method OR OLD.provider <> NEW.provider
    OR OLD.payment <> NEW.payment OR OLD.amount <> NEW.amount OR OLD.currency <> NEW.currency
    OR OLD.fee <> NEW.fee OR OLD.reason IS DISTINCT FROM NEW.reason
    OR OLD.requested_by <> NEW.requested_by OR OLD.created_at <> NEW.created_at
)
EXECUTE FUNCTION refuse('what a refund is for cannot be changed');

CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (
    OLD.state IN ('succeeded', 'failed') OR NEW.version <= OLD.version OR NEW.attempts < OLD.attempts
    OR (OLD.state = 'sent' AND NEW.state = 'requested')
)
EXECUTE FUNCTION refuse('a refund does not go back, and its end is final');

CREATE TRIGGER refunds_kept BEFORE DELETE ON refunds
FOR EACH ROW WHEN (OLD.check_at IS NOT NULL)
EXECUTE FUNCTION refuse('a refund in progress is never deleted');

-- A refund locks its session before it counts what is left. A reversal, as every transaction, holds its session by its
-- foreign key, so one of the two waits for the other's commit.
CREATE FUNCTION check_refund() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM 1 FROM sessions WHERE id = NEW.session_id FOR UPDATE;
    IF NOT EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number) AND (
        NEW.state <> 'requested'
        OR NEW.number <> 1 + COALESCE((SELECT MAX(number) FROM refunds WHERE transaction_id = NEW.transaction_id), 0)
        OR NOT EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id AND session_id = NEW.session_id
            AND vendor_id = NEW.vendor_id AND currency = NEW.currency AND provider = NEW.provider)
        OR (NEW.action_id IS NULL AND NEW.amount > (SELECT amount_minor FROM transactions WHERE id = NEW.transaction_id)
            - COALESCE((SELECT SUM(amount) FROM refunds
                WHERE transaction_id = NEW.transaction_id AND action_id IS NULL AND state <> 'failed'), 0)
            - COALESCE((SELECT SUM(r.amount_minor) FROM transactions AS m JOIN transactions AS r
                ON r.session_id = m.session_id AND r.attempt_id IS NOT DISTINCT FROM m.attempt_id AND r.reversed
                WHERE m.id = NEW.transaction_id), 0)))
    THEN
        RAISE EXCEPTION 'a refund is the next of its payment, and within what was paid';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER refunds_fit BEFORE INSERT ON refunds
FOR EACH ROW EXECUTE FUNCTION check_refund();

-- TRUNCATE deletes rows without firing the triggers above.
CREATE TRIGGER refunds_not_emptied BEFORE TRUNCATE ON refunds
FOR EACH STATEMENT EXECUTE FUNCTION refuse('refunds are never deleted');

-- How many refunds of a session have ended.
CREATE TABLE refund_counts (
    session_id BYTEA NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    ended BIGINT NOT NULL CHECK (ended > 0)
);

CREATE TRIGGER refund_counts_onward BEFORE UPDATE ON refund_counts
FOR EACH ROW WHEN (OLD.session_id <> NEW.session_id OR NEW.ended <> OLD.ended + 1)
EXECUTE FUNCTION refuse('refunds that have ended are counted one by one');
