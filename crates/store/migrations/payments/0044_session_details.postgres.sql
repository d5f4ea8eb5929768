-- What a vendor may say when it creates a session: its own data, the customer's e-mail address and language, and the
-- latest end.

ALTER TABLE sessions ADD COLUMN metadata TEXT;
ALTER TABLE sessions ADD COLUMN customer_email TEXT;
ALTER TABLE sessions ADD COLUMN locale TEXT;
ALTER TABLE sessions ADD COLUMN closes_at BIGINT;

DROP TRIGGER sessions_facts ON sessions;
CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.vendor_id <> NEW.vendor_id OR OLD.order_id <> NEW.order_id
    OR OLD.product_name <> NEW.product_name OR OLD.price <> NEW.price
    OR OLD.amount_minor <> NEW.amount_minor OR OLD.currency <> NEW.currency
    OR OLD.request_id <> NEW.request_id
    OR OLD.created_at <> NEW.created_at OR OLD.callback_url IS DISTINCT FROM NEW.callback_url
    OR OLD.return_url IS DISTINCT FROM NEW.return_url OR OLD.product_id IS DISTINCT FROM NEW.product_id
    OR OLD.category_id IS DISTINCT FROM NEW.category_id OR OLD.methods <> NEW.methods
    OR OLD.asked_methods IS DISTINCT FROM NEW.asked_methods OR OLD.metadata IS DISTINCT FROM NEW.metadata
    OR OLD.customer_email IS DISTINCT FROM NEW.customer_email OR OLD.locale IS DISTINCT FROM NEW.locale
    OR OLD.closes_at IS DISTINCT FROM NEW.closes_at
    OR (OLD.updated_at <> NEW.updated_at AND NEW.status = 'pending')
)
EXECUTE FUNCTION refuse('what a session is for cannot be changed');

-- Sessions by the customer's address, whatever its letters' case. Most have none.
CREATE INDEX sessions_customer ON sessions (lower(customer_email COLLATE "C"), vendor_id, id)
WHERE customer_email IS NOT NULL;

-- The sessions with one value of a vendor's own data: each member of `sessions.metadata` once more, to be searched for.
CREATE TABLE session_metadata (
    vendor_id BYTEA NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    session_id BYTEA NOT NULL,
    PRIMARY KEY (vendor_id, key, value, session_id)
);

CREATE INDEX session_metadata_session ON session_metadata (session_id);
