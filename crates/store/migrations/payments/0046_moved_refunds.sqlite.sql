-- The transaction of a refund that succeeded: its place in the list of a vendor's transactions, which is the moment when the
-- money left. Refunds that succeeded before this step have the place of their request.

ALTER TABLE refunds ADD COLUMN moved_id BLOB CHECK (length(moved_id) = 16);

DROP TRIGGER refunds_onward;
UPDATE refunds SET moved_id = id WHERE state = 'succeeded';

CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
WHEN OLD.state IN ('succeeded', 'failed') OR NEW.version <= OLD.version OR NEW.attempts < OLD.attempts
    OR (OLD.state = 'sent' AND NEW.state = 'requested')
BEGIN
    SELECT RAISE(ABORT, 'a refund does not go back, and its end is final');
END;

CREATE UNIQUE INDEX refunds_moved ON refunds (vendor_id, moved_id) WHERE moved_id IS NOT NULL;

-- Money that was taken back: there is little of it among the transactions that are unusual.
CREATE INDEX transactions_reversed ON transactions (vendor_id, id) WHERE reversed;
