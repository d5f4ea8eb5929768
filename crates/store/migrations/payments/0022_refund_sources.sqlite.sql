-- Where a refund's money came from, so that it goes back there if the refund fails: what was not available yet, and until
-- when. And what can be refunded of a payment: what it was, and what else came with it that a person said is the vendor's,
-- less what was taken back.

ALTER TABLE refunds ADD COLUMN pending INTEGER CHECK (pending > 0 AND pending <= amount);
ALTER TABLE refunds ADD COLUMN pending_until INTEGER CHECK ((pending IS NULL) = (pending_until IS NULL));

CREATE TRIGGER refunds_source BEFORE UPDATE ON refunds
WHEN OLD.pending IS NOT NEW.pending OR OLD.pending_until IS NOT NEW.pending_until
BEGIN
    SELECT RAISE(ABORT, 'where a refund took its money cannot be changed');
END;

DROP TRIGGER refunds_fit;

CREATE TRIGGER refunds_fit BEFORE INSERT ON refunds
WHEN NOT EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number) AND (
    NEW.state <> 'requested'
    OR NEW.number <> 1 + COALESCE((SELECT MAX(number) FROM refunds WHERE transaction_id = NEW.transaction_id), 0)
    OR NOT EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id AND session_id = NEW.session_id
        AND vendor_id = NEW.vendor_id AND currency = NEW.currency AND provider = NEW.provider)
    OR (NEW.action_id IS NULL AND NEW.amount > (SELECT amount_minor FROM transactions WHERE id = NEW.transaction_id)
        + COALESCE((SELECT SUM(p.amount) FROM transactions AS m
            JOIN actions AS a ON a.session_id = m.session_id AND a.transaction_id = m.id
            JOIN entries AS e ON e.kind = 'accepted' AND e.cause = a.id
            JOIN postings AS p ON p.entry_id = e.id AND p.account = 'available'
            WHERE m.session_id = NEW.session_id AND m.provider = NEW.provider AND m.reference = NEW.payment), 0)
        - COALESCE((SELECT SUM(amount) FROM refunds
            WHERE transaction_id = NEW.transaction_id AND action_id IS NULL AND state <> 'failed'), 0)
        - COALESCE((SELECT SUM(r.amount_minor) FROM transactions AS m JOIN transactions AS r
            ON r.session_id = m.session_id AND r.attempt_id = m.attempt_id AND r.reversed
            WHERE m.id = NEW.transaction_id), 0)))
BEGIN
    SELECT RAISE(ABORT, 'a refund is the next of its payment, and within what was paid');
END;
