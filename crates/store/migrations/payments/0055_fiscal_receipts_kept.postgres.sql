-- Live only: fiscal receipts are never deleted, and the end of a fiscal receipt is final. In the sandbox a tester plays it.

CREATE TRIGGER fiscal_receipts_onward BEFORE UPDATE ON fiscal_receipts
FOR EACH ROW WHEN (OLD.status IN ('registered', 'failed') AND NEW.status IS DISTINCT FROM OLD.status)
EXECUTE FUNCTION refuse('the end of a fiscal receipt is final');

CREATE TRIGGER fiscal_receipts_kept BEFORE DELETE ON fiscal_receipts
FOR EACH ROW EXECUTE FUNCTION refuse('fiscal receipts are never deleted');

-- TRUNCATE deletes rows without firing the triggers above.
CREATE TRIGGER fiscal_receipts_not_emptied BEFORE TRUNCATE ON fiscal_receipts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('fiscal receipts are never deleted');
