-- The receipt of a second payment of a session, which has an id of its own; and the fiscal document that a till made of a receipt,
-- which never changes once it is known.

DROP TRIGGER fiscal_receipts_facts;
DROP TRIGGER IF EXISTS fiscal_receipts_onward;
DROP TRIGGER IF EXISTS fiscal_receipts_kept;
DROP TRIGGER IF EXISTS fiscal_receipts_once;
DROP INDEX fiscal_receipts_session;
DROP INDEX fiscal_receipts_closing;
DROP INDEX fiscal_receipts_check;
DROP INDEX fiscal_receipts_email;
ALTER TABLE fiscal_receipts RENAME TO fiscal_receipts_before;

CREATE TABLE fiscal_receipts (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'closing')),
    email TEXT,
    phone TEXT,
    full_name TEXT,
    inn TEXT,
    tax_system TEXT,
    total INTEGER NOT NULL CHECK (total > 0),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    made INTEGER NOT NULL CHECK (made IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('none', 'pending', 'registered', 'failed')),
    plan TEXT NOT NULL CHECK (plan IN ('pending', 'registered', 'failed')),
    provider TEXT,
    reference TEXT,
    failure TEXT,
    sent_at INTEGER,
    check_at INTEGER,
    checks INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    items TEXT NOT NULL,
    document TEXT,
    CHECK (kind = 'payment' OR id <> session_id),
    CHECK ((status = 'none') = (sent_at IS NULL)),
    CHECK (check_at IS NULL OR status IN ('none', 'pending'))
) STRICT;

INSERT INTO fiscal_receipts (
    id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency, made, status, plan,
    provider, reference, failure, sent_at, check_at, checks, version, created_at, updated_at, items
)
SELECT
    id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency, made, status, plan,
    provider, reference, failure, sent_at, check_at, checks, version, created_at, updated_at, items
FROM fiscal_receipts_before;
DROP TABLE fiscal_receipts_before;

CREATE INDEX fiscal_receipts_session ON fiscal_receipts (session_id);
CREATE UNIQUE INDEX fiscal_receipts_closing ON fiscal_receipts (session_id, kind) WHERE kind = 'closing';
CREATE INDEX fiscal_receipts_check ON fiscal_receipts (check_at, id) WHERE check_at IS NOT NULL;
CREATE INDEX fiscal_receipts_email ON fiscal_receipts (lower(email), session_id) WHERE email IS NOT NULL;

CREATE TRIGGER fiscal_receipts_facts BEFORE UPDATE ON fiscal_receipts
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.kind IS NOT NEW.kind OR OLD.tax_system IS NOT NEW.tax_system OR OLD.total IS NOT NEW.total
    OR OLD.currency IS NOT NEW.currency OR OLD.made IS NOT NEW.made OR OLD.created_at IS NOT NEW.created_at
    OR OLD.items IS NOT NEW.items
    OR (OLD.document IS NOT NULL AND OLD.document IS NOT NEW.document)
    OR (OLD.email IS NOT NEW.email AND NEW.email IS NOT NULL
        AND NOT (OLD.email IS NULL AND OLD.status = 'none' AND NEW.status <> 'none'))
    OR (OLD.phone IS NOT NEW.phone AND NEW.phone IS NOT NULL)
    OR (OLD.full_name IS NOT NEW.full_name AND NEW.full_name IS NOT NULL)
    OR (OLD.inn IS NOT NEW.inn AND NEW.inn IS NOT NULL)
    OR NEW.version < OLD.version OR (OLD.status <> 'none' AND NEW.status = 'none')
    OR (((OLD.email IS NOT NULL AND NEW.email IS NULL) OR (OLD.phone IS NOT NULL AND NEW.phone IS NULL)
        OR (OLD.full_name IS NOT NULL AND NEW.full_name IS NULL) OR (OLD.inn IS NOT NULL AND NEW.inn IS NULL))
        AND (OLD.status IS NOT NEW.status OR OLD.plan IS NOT NEW.plan OR OLD.provider IS NOT NEW.provider
        OR OLD.reference IS NOT NEW.reference OR OLD.failure IS NOT NEW.failure OR OLD.sent_at IS NOT NEW.sent_at
        OR OLD.check_at IS NOT NEW.check_at OR OLD.checks IS NOT NEW.checks OR OLD.version IS NOT NEW.version
        OR OLD.updated_at IS NOT NEW.updated_at OR OLD.document IS NOT NEW.document))
BEGIN
    SELECT RAISE(ABORT, 'what a fiscal receipt says is never changed');
END;
