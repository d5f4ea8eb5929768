-- Money that came beyond the price and was accepted as the vendor's is refunded with its payment, as in live.

DROP TRIGGER refunds_fit;

CREATE TRIGGER refunds_fit BEFORE INSERT ON refunds
WHEN NOT EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number) AND (
    NEW.state <> 'requested'
    OR NEW.number <> 1 + COALESCE((SELECT MAX(number) FROM refunds WHERE transaction_id = NEW.transaction_id), 0)
    OR NOT EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id AND session_id = NEW.session_id
        AND vendor_id = NEW.vendor_id AND currency = NEW.currency AND provider = NEW.provider)
    OR (NEW.action_id IS NULL AND NEW.amount > (SELECT amount_minor FROM transactions WHERE id = NEW.transaction_id)
        + COALESCE((SELECT SUM(m.amount_minor) FROM transactions AS m
            JOIN actions AS a ON a.session_id = m.session_id AND a.transaction_id = m.id AND a.resolution = 'accept'
            WHERE m.session_id = NEW.session_id AND m.provider = NEW.provider AND m.reference = NEW.payment), 0)
        - COALESCE((SELECT SUM(amount) FROM refunds
            WHERE transaction_id = NEW.transaction_id AND action_id IS NULL AND state <> 'failed'), 0)
        - COALESCE((SELECT SUM(r.amount_minor) FROM transactions AS m JOIN transactions AS r
            ON r.session_id = m.session_id AND r.attempt_id IS m.attempt_id AND r.reversed
            WHERE m.id = NEW.transaction_id), 0)))
BEGIN
    SELECT RAISE(ABORT, 'a refund is the next of its payment, and within what was paid');
END;
