-- What a vendor may say when it creates a session: its own data, the customer's e-mail address and language, and the
-- latest end.

ALTER TABLE sessions ADD COLUMN metadata TEXT;
ALTER TABLE sessions ADD COLUMN customer_email TEXT;
ALTER TABLE sessions ADD COLUMN locale TEXT;
ALTER TABLE sessions ADD COLUMN closes_at INTEGER;

DROP TRIGGER sessions_facts;
CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.order_id IS NOT NEW.order_id
    OR OLD.product_name IS NOT NEW.product_name OR OLD.price IS NOT NEW.price
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.currency IS NOT NEW.currency
    OR OLD.request_id IS NOT NEW.request_id
    OR OLD.created_at IS NOT NEW.created_at OR OLD.callback_url IS NOT NEW.callback_url
    OR OLD.return_url IS NOT NEW.return_url OR OLD.product_id IS NOT NEW.product_id
    OR OLD.category_id IS NOT NEW.category_id OR OLD.methods IS NOT NEW.methods
    OR OLD.asked_methods IS NOT NEW.asked_methods OR OLD.metadata IS NOT NEW.metadata
    OR OLD.customer_email IS NOT NEW.customer_email OR OLD.locale IS NOT NEW.locale
    OR OLD.closes_at IS NOT NEW.closes_at
    OR (OLD.updated_at IS NOT NEW.updated_at AND NEW.status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'what a session is for cannot be changed');
END;

-- Sessions by the customer's address, whatever its letters' case. Most have none.
CREATE INDEX sessions_customer ON sessions (lower(customer_email), vendor_id, id) WHERE customer_email IS NOT NULL;

-- The sessions with one value of a vendor's own data: each member of `sessions.metadata` once more, to be searched for.
CREATE TABLE session_metadata (
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    session_id BLOB NOT NULL CHECK (length(session_id) = 16),
    PRIMARY KEY (vendor_id, key, value, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_metadata_session ON session_metadata (session_id);
