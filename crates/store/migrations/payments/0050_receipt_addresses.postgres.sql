-- The address on a receipt can be erased. Nothing else of a receipt changes.

DROP TRIGGER receipts_unchanged ON receipts;
CREATE TRIGGER receipts_unchanged BEFORE UPDATE ON receipts
FOR EACH ROW WHEN (
    NOT (OLD.email IS NOT NULL AND NEW.email IS NULL
        AND NEW.id IS NOT DISTINCT FROM OLD.id AND NEW.session_id IS NOT DISTINCT FROM OLD.session_id
        AND NEW.vendor_id IS NOT DISTINCT FROM OLD.vendor_id AND NEW.kind IS NOT DISTINCT FROM OLD.kind
        AND NEW.link IS NOT DISTINCT FROM OLD.link AND NEW.amount_minor IS NOT DISTINCT FROM OLD.amount_minor
        AND NEW.currency IS NOT DISTINCT FROM OLD.currency AND NEW.language IS NOT DISTINCT FROM OLD.language
        AND NEW.created_at IS NOT DISTINCT FROM OLD.created_at)
)
EXECUTE FUNCTION refuse('receipts are never changed');
