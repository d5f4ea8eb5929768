-- The receipt of a second payment of a session, which has an id of its own; and the fiscal document that a till made of a receipt,
-- which never changes once it is known.

ALTER TABLE fiscal_receipts ADD COLUMN document TEXT;
ALTER TABLE fiscal_receipts DROP CONSTRAINT fiscal_receipts_check;
ALTER TABLE fiscal_receipts ADD CONSTRAINT fiscal_receipts_check CHECK (kind = 'payment' OR id <> session_id);

DROP TRIGGER fiscal_receipts_facts ON fiscal_receipts;
CREATE TRIGGER fiscal_receipts_facts BEFORE UPDATE ON fiscal_receipts
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.tax_system IS DISTINCT FROM NEW.tax_system OR OLD.total IS DISTINCT FROM NEW.total
    OR OLD.currency IS DISTINCT FROM NEW.currency OR OLD.made IS DISTINCT FROM NEW.made OR OLD.created_at IS DISTINCT FROM NEW.created_at
    OR OLD.items IS DISTINCT FROM NEW.items
    OR (OLD.document IS NOT NULL AND OLD.document IS DISTINCT FROM NEW.document)
    OR (OLD.email IS DISTINCT FROM NEW.email AND NEW.email IS NOT NULL
        AND NOT (OLD.email IS NULL AND OLD.status = 'none' AND NEW.status <> 'none'))
    OR (OLD.phone IS DISTINCT FROM NEW.phone AND NEW.phone IS NOT NULL)
    OR (OLD.full_name IS DISTINCT FROM NEW.full_name AND NEW.full_name IS NOT NULL)
    OR (OLD.inn IS DISTINCT FROM NEW.inn AND NEW.inn IS NOT NULL)
    OR NEW.version < OLD.version OR (OLD.status <> 'none' AND NEW.status = 'none')
    OR (((OLD.email IS NOT NULL AND NEW.email IS NULL) OR (OLD.phone IS NOT NULL AND NEW.phone IS NULL)
        OR (OLD.full_name IS NOT NULL AND NEW.full_name IS NULL) OR (OLD.inn IS NOT NULL AND NEW.inn IS NULL))
        AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.plan IS DISTINCT FROM NEW.plan OR OLD.provider IS DISTINCT FROM NEW.provider
        OR OLD.reference IS DISTINCT FROM NEW.reference OR OLD.failure IS DISTINCT FROM NEW.failure OR OLD.sent_at IS DISTINCT FROM NEW.sent_at
        OR OLD.check_at IS DISTINCT FROM NEW.check_at OR OLD.checks IS DISTINCT FROM NEW.checks OR OLD.version IS DISTINCT FROM NEW.version
        OR OLD.updated_at IS DISTINCT FROM NEW.updated_at OR OLD.document IS DISTINCT FROM NEW.document))
)
EXECUTE FUNCTION refuse('what a fiscal receipt says is never changed');
