-- What was taken back in the books: where it came to has it no longer, and either the vendor bears it, whose money it
-- was, or the operator, by an account of its own. What was taken back of a payment cannot be refunded too.

ALTER TABLE entries DROP CONSTRAINT entries_kind_check;
ALTER TABLE entries ADD CONSTRAINT entries_kind_check
    CHECK (kind IN ('payment', 'settlement', 'suspense', 'accepted', 'refund', 'refund_sent', 'refund_failed', 'payout',
        'payout_sent', 'payout_failed', 'reversal', 'charged', 'absorbed'));
ALTER TABLE postings DROP CONSTRAINT postings_account_check;
ALTER TABLE postings ADD CONSTRAINT postings_account_check
    CHECK (account IN ('pending', 'available', 'fees', 'refunds', 'payouts', 'suspense', 'losses')
        OR account LIKE 'clearing:_%');

CREATE OR REPLACE FUNCTION check_refund() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM refunds WHERE transaction_id = NEW.transaction_id AND number = NEW.number) AND (
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
    THEN
        RAISE EXCEPTION 'a refund is the next of its payment, and within what was paid';
    END IF;
    RETURN NEW;
END
$$;
