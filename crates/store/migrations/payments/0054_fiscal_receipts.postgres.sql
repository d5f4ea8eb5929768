-- Fiscal receipts (54-FZ): one for the payment of a session, with the session's id; one for each of its refunds, with the refund's id;
-- and one for the hand-over of what was paid before. What a receipt says never changes, except that the address is added that the
-- customer typed, and that the customer is cleared.

CREATE TABLE fiscal_receipts (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'closing')),
    email TEXT,
    phone TEXT,
    full_name TEXT,
    inn TEXT,
    tax_system TEXT,
    total BIGINT NOT NULL CHECK (total > 0),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    made BOOLEAN NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('none', 'pending', 'registered', 'failed')),
    plan TEXT NOT NULL CHECK (plan IN ('pending', 'registered', 'failed')),
    provider TEXT,
    reference TEXT,
    failure TEXT,
    sent_at BIGINT,
    check_at BIGINT,
    checks BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    items TEXT NOT NULL,
    CHECK ((kind = 'payment') = (id = session_id)),
    CHECK ((status = 'none') = (sent_at IS NULL)),
    CHECK (check_at IS NULL OR status IN ('none', 'pending'))
);

CREATE INDEX fiscal_receipts_session ON fiscal_receipts (session_id);
CREATE UNIQUE INDEX fiscal_receipts_closing ON fiscal_receipts (session_id, kind) WHERE kind = 'closing';
CREATE INDEX fiscal_receipts_check ON fiscal_receipts (check_at, id) WHERE check_at IS NOT NULL;
CREATE INDEX fiscal_receipts_email ON fiscal_receipts (lower(email COLLATE "C"), session_id) WHERE email IS NOT NULL;

CREATE TRIGGER fiscal_receipts_facts BEFORE UPDATE ON fiscal_receipts
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.tax_system IS DISTINCT FROM NEW.tax_system OR OLD.total IS DISTINCT FROM NEW.total
    OR OLD.currency IS DISTINCT FROM NEW.currency OR OLD.made IS DISTINCT FROM NEW.made OR OLD.created_at IS DISTINCT FROM NEW.created_at
    OR OLD.items IS DISTINCT FROM NEW.items
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
        OR OLD.updated_at IS DISTINCT FROM NEW.updated_at))
)
EXECUTE FUNCTION refuse('what a fiscal receipt says is never changed');
