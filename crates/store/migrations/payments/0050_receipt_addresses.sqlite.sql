-- The address on a receipt can be erased. Nothing else of a receipt changes.

DROP TRIGGER receipts_unchanged;
CREATE TRIGGER receipts_unchanged BEFORE UPDATE ON receipts
WHEN NOT (OLD.email IS NOT NULL AND NEW.email IS NULL
        AND NEW.id IS OLD.id AND NEW.session_id IS OLD.session_id AND NEW.vendor_id IS OLD.vendor_id
        AND NEW.kind IS OLD.kind AND NEW.link IS OLD.link AND NEW.amount_minor IS OLD.amount_minor
        AND NEW.currency IS OLD.currency AND NEW.language IS OLD.language AND NEW.created_at IS OLD.created_at)
BEGIN
    SELECT RAISE(ABORT, 'receipts are never changed');
END;
