-- Live only: the new table has the guards of the one before it.

CREATE TRIGGER fiscal_receipts_onward BEFORE UPDATE ON fiscal_receipts
WHEN OLD.status IN ('registered', 'failed') AND NEW.status IS NOT OLD.status
BEGIN
    SELECT RAISE(ABORT, 'the end of a fiscal receipt is final');
END;

CREATE TRIGGER fiscal_receipts_kept BEFORE DELETE ON fiscal_receipts
BEGIN
    SELECT RAISE(ABORT, 'fiscal receipts are never deleted');
END;

CREATE TRIGGER fiscal_receipts_once BEFORE INSERT ON fiscal_receipts
WHEN EXISTS (SELECT 1 FROM fiscal_receipts WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'fiscal receipts are never replaced');
END;
