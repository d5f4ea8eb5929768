-- The transaction of a refund that succeeded: its place in the list of a vendor's transactions, which is the moment when the
-- money left. Refunds that succeeded before this step have the place of their request;
-- one that a program of the version before ends during an upgrade has none, and is missing in that list.

ALTER TABLE refunds ADD COLUMN moved_id BYTEA CHECK (length(moved_id) = 16);

DROP TRIGGER refunds_onward ON refunds;
UPDATE refunds SET moved_id = id WHERE state = 'succeeded';

CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (
    OLD.state IN ('succeeded', 'failed') OR NEW.version <= OLD.version OR NEW.attempts < OLD.attempts
    OR (OLD.state = 'sent' AND NEW.state = 'requested')
)
EXECUTE FUNCTION refuse('a refund does not go back, and its end is final');

CREATE UNIQUE INDEX refunds_moved ON refunds (vendor_id, moved_id) WHERE moved_id IS NOT NULL;
