-- One environment's payment data. Live and sandbox each have a file of their own with this schema.

CREATE TABLE sessions (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    order_id TEXT NOT NULL,
    product_name TEXT NOT NULL,
    price TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    currency TEXT NOT NULL,
    product_id TEXT,
    category_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
    failure_reason TEXT,
    request_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    callback_url TEXT,
    return_url TEXT,
    methods TEXT NOT NULL,
    method TEXT NOT NULL,
    card_ends_at INTEGER,
    sbp_ends_at INTEGER,
    crypto_ends_at INTEGER,
    asked_methods TEXT,
    plan_status TEXT,
    plan_reason TEXT,
    plan_at INTEGER,
    due_at INTEGER,
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CHECK ((plan_status IS NULL) = (plan_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Timers are found by a nullable column, which is empty once a session is final.
CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE history (
    session_id BLOB NOT NULL REFERENCES sessions (id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE callbacks (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    event TEXT NOT NULL,
    target TEXT,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'no_target')),
    CHECK ((state = 'no_target') = (target IS NULL))
) STRICT, WITHOUT ROWID;

-- One event per final status, and a session has one final status.
CREATE UNIQUE INDEX callbacks_session ON callbacks (session_id);

CREATE TABLE idempotency_keys (
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    key TEXT NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    session_id BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (vendor_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- The triggers below hold against whoever tries: this service, a later version of it, or a person with
-- a database shell.

CREATE TRIGGER sessions_final BEFORE UPDATE ON sessions WHEN OLD.status <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a session with a final status cannot be changed');
END;

CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.order_id IS NOT NEW.order_id
    OR OLD.product_name IS NOT NEW.product_name OR OLD.price IS NOT NEW.price
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.currency IS NOT NEW.currency
    OR OLD.request_id IS NOT NEW.request_id
    OR OLD.created_at IS NOT NEW.created_at OR OLD.callback_url IS NOT NEW.callback_url
    OR OLD.return_url IS NOT NEW.return_url OR OLD.product_id IS NOT NEW.product_id
    OR OLD.category_id IS NOT NEW.category_id OR OLD.methods IS NOT NEW.methods
    OR OLD.asked_methods IS NOT NEW.asked_methods
    OR (OLD.updated_at IS NOT NEW.updated_at AND NEW.status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'what a session is for cannot be changed');
END;

CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions
BEGIN
    SELECT RAISE(ABORT, 'sessions are never deleted');
END;

CREATE TRIGGER history_unchanged BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is never changed');
END;

CREATE TRIGGER history_kept BEFORE DELETE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is never deleted');
END;

CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.event IS NOT NEW.event OR OLD.body IS NOT NEW.body OR OLD.target IS NOT NEW.target
    OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'a callback event is frozen when it is made');
END;

CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks
BEGIN
    SELECT RAISE(ABORT, 'callback events are never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.

CREATE TRIGGER sessions_new BEFORE INSERT ON sessions
WHEN NEW.status <> 'pending' OR EXISTS (SELECT 1 FROM sessions WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a session starts as pending and is never replaced');
END;

CREATE TRIGGER history_once BEFORE INSERT ON history
WHEN EXISTS (SELECT 1 FROM history WHERE session_id = NEW.session_id AND seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'history is never replaced');
END;

CREATE TRIGGER callbacks_once BEFORE INSERT ON callbacks
WHEN EXISTS (SELECT 1 FROM callbacks WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM callbacks WHERE session_id = NEW.session_id)
BEGIN
    SELECT RAISE(ABORT, 'callback events are never replaced');
END;
