-- The transaction of a refund that succeeded: its place in the list of a vendor's transactions, which is the moment when the
-- money left. Refunds that succeeded before this step, and those that a program of the version before ends during
-- an upgrade, have the place of their request.

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

-- Money that was taken back: there is little of it among the transactions that are unusual.
CREATE INDEX transactions_reversed ON transactions (vendor_id, id) WHERE reversed;

CREATE FUNCTION place_refund() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.moved_id := NEW.id;
    RETURN NEW;
END
$$;

CREATE TRIGGER refunds_placed BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (NEW.state = 'succeeded' AND NEW.moved_id IS NULL)
EXECUTE FUNCTION place_refund();
