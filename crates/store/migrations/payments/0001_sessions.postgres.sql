-- One environment's payment data. Live and sandbox each have a schema of their own with these tables.
-- Ids and words are compared byte by byte, as SQLite does, whatever the database's language is.

CREATE TABLE sessions (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    order_id TEXT NOT NULL,
    product_name TEXT NOT NULL,
    price TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    currency TEXT NOT NULL,
    product_id TEXT,
    category_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
    failure_reason TEXT,
    request_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    callback_url TEXT,
    return_url TEXT,
    methods TEXT NOT NULL,
    method TEXT NOT NULL,
    card_ends_at BIGINT,
    sbp_ends_at BIGINT,
    crypto_ends_at BIGINT,
    asked_methods TEXT,
    plan_status TEXT,
    plan_reason TEXT,
    plan_at BIGINT,
    due_at BIGINT,
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CHECK ((plan_status IS NULL) = (plan_at IS NULL))
);

-- Timers are found by a nullable column, which is empty once a session is final.
CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE history (
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (session_id, seq)
);

CREATE TABLE callbacks (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    event TEXT NOT NULL,
    target TEXT,
    body BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'no_target')),
    CHECK ((state = 'no_target') = (target IS NULL))
);

-- One event per final status, and a session has one final status.
CREATE UNIQUE INDEX callbacks_session ON callbacks (session_id);

CREATE TABLE idempotency_keys (
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    key TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
    session_id BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (vendor_id, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- The triggers below hold against whoever tries: this service, a later version of it, or a person with
-- a database shell.

CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END
$$;

CREATE TRIGGER sessions_final BEFORE UPDATE ON sessions
FOR EACH ROW WHEN (OLD.status <> 'pending')
EXECUTE FUNCTION refuse('a session with a final status cannot be changed');

CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.vendor_id <> NEW.vendor_id OR OLD.order_id <> NEW.order_id
    OR OLD.product_name <> NEW.product_name OR OLD.price <> NEW.price
    OR OLD.amount_minor <> NEW.amount_minor OR OLD.currency <> NEW.currency
    OR OLD.request_id <> NEW.request_id
    OR OLD.created_at <> NEW.created_at OR OLD.callback_url IS DISTINCT FROM NEW.callback_url
    OR OLD.return_url IS DISTINCT FROM NEW.return_url OR OLD.product_id IS DISTINCT FROM NEW.product_id
    OR OLD.category_id IS DISTINCT FROM NEW.category_id OR OLD.methods <> NEW.methods
    OR OLD.asked_methods IS DISTINCT FROM NEW.asked_methods
    OR (OLD.updated_at <> NEW.updated_at AND NEW.status = 'pending')
)
EXECUTE FUNCTION refuse('what a session is for cannot be changed');

CREATE TRIGGER sessions_new BEFORE INSERT ON sessions
FOR EACH ROW WHEN (NEW.status <> 'pending')
EXECUTE FUNCTION refuse('a session starts as pending and is never replaced');

CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions
FOR EACH ROW EXECUTE FUNCTION refuse('sessions are never deleted');

CREATE TRIGGER history_unchanged BEFORE UPDATE ON history
FOR EACH ROW EXECUTE FUNCTION refuse('history is never changed');

CREATE TRIGGER history_kept BEFORE DELETE ON history
FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.session_id <> NEW.session_id OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.event <> NEW.event OR OLD.body <> NEW.body OR OLD.target IS DISTINCT FROM NEW.target
    OR OLD.created_at <> NEW.created_at
)
EXECUTE FUNCTION refuse('a callback event is frozen when it is made');

CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks
FOR EACH ROW EXECUTE FUNCTION refuse('callback events are never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER sessions_not_emptied BEFORE TRUNCATE ON sessions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('sessions are never deleted');

CREATE TRIGGER history_not_emptied BEFORE TRUNCATE ON history
FOR EACH STATEMENT EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER callbacks_not_emptied BEFORE TRUNCATE ON callbacks
FOR EACH STATEMENT EXECUTE FUNCTION refuse('callback events are never deleted');
