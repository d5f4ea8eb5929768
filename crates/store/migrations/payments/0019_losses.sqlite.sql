-- What was taken back in the books: where it came to has it no longer, and either the vendor bears it, whose money it
-- was, or the operator, by an account of its own. What was taken back of a payment cannot be refunded too.

-- Only what a row may say is changed, and no row.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''payout_sent'', ''payout_failed'')',
    '''payout_sent'', ''payout_failed'', ''reversal'', ''charged'', ''absorbed'')')
WHERE type = 'table' AND name = 'entries';
UPDATE sqlite_schema SET sql = replace(sql, '''payouts'', ''suspense'')', '''payouts'', ''suspense'', ''losses'')')
WHERE type = 'table' AND name = 'postings';
PRAGMA writable_schema = RESET;

DROP TRIGGER refunds_fit;
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
            ON r.session_id = m.session_id AND r.attempt_id = m.attempt_id AND r.reversed
            WHERE m.id = NEW.transaction_id), 0)))
BEGIN
    SELECT RAISE(ABORT, 'a refund is the next of its payment, and within what was paid');
END;
