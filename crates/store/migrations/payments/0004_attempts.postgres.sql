-- Attempts to take a session's money at a provider, what happened to money, what a person has to decide about it,
-- and the books of the simulated bank.

ALTER TABLE sessions ADD COLUMN held_until BIGINT;

-- Whether an order was paid already. Only paid sessions are in it, so a create does not touch it.
CREATE INDEX sessions_paid ON sessions (vendor_id, order_id) WHERE status = 'paid';

CREATE TABLE payment_attempts (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    method TEXT NOT NULL,
    provider TEXT NOT NULL,
    choice TEXT,
    email TEXT,
    state TEXT NOT NULL
        CHECK (state IN ('intended', 'open', 'in_flight', 'paid', 'declined', 'closed', 'watched')),
    reason TEXT,
    reference TEXT,
    shown TEXT,
    charge_atoms TEXT NOT NULL,
    charge_decimals BIGINT NOT NULL,
    charge_unit TEXT NOT NULL,
    received TEXT NOT NULL,
    recorded TEXT NOT NULL,
    seen BIGINT,
    needed BIGINT,
    confirming TEXT,
    in_flight_since BIGINT,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    check_at BIGINT,
    checks BIGINT NOT NULL,
    version BIGINT NOT NULL,
    CHECK ((state = 'declined') = (reason IS NOT NULL)),
    CHECK (state NOT IN ('intended', 'open', 'in_flight') OR check_at IS NOT NULL)
);

-- One attempt at a time.
CREATE UNIQUE INDEX payment_attempts_active ON payment_attempts (session_id) WHERE state IN ('intended', 'open', 'in_flight');
CREATE INDEX payment_attempts_session ON payment_attempts (session_id);
CREATE INDEX payment_attempts_check ON payment_attempts (check_at) WHERE check_at IS NOT NULL;
CREATE UNIQUE INDEX payment_attempts_reference ON payment_attempts (provider, reference) WHERE reference IS NOT NULL;

CREATE TABLE transactions (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    attempt_id BYTEA REFERENCES payment_attempts (id),
    method TEXT NOT NULL,
    provider TEXT NOT NULL,
    reference TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    currency TEXT NOT NULL,
    received_atoms TEXT NOT NULL,
    received_decimals BIGINT NOT NULL,
    received_unit TEXT NOT NULL,
    late BOOLEAN NOT NULL,
    partial BOOLEAN NOT NULL,
    over BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX transactions_session ON transactions (session_id);
CREATE INDEX transactions_vendor ON transactions (vendor_id, id);

CREATE TABLE actions (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch')),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    transaction_id BYTEA REFERENCES transactions (id),
    created_at BIGINT NOT NULL,
    resolution TEXT CHECK (resolution IN ('refund', 'accept', 'dismiss')),
    resolved_at BIGINT,
    resolved_by TEXT,
    CHECK ((resolution IS NULL) = (resolved_at IS NULL)),
    CHECK ((resolution IS NULL) = (resolved_by IS NULL))
);

CREATE INDEX actions_open ON actions (id) WHERE resolution IS NULL;

CREATE TABLE simulated_payments (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
    method TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    decision TEXT,
    decided_at BIGINT,
    closed_at BIGINT,
    revision BIGINT NOT NULL,
    CHECK ((decision IS NULL) = (decided_at IS NULL))
);

CREATE TRIGGER payment_attempts_facts BEFORE UPDATE ON payment_attempts
FOR EACH ROW WHEN (
    OLD.id <> NEW.id OR OLD.session_id <> NEW.session_id OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.method <> NEW.method OR OLD.provider <> NEW.provider OR OLD.choice IS DISTINCT FROM NEW.choice
    OR OLD.email IS DISTINCT FROM NEW.email OR OLD.started_at <> NEW.started_at
    OR NEW.version <= OLD.version
)
EXECUTE FUNCTION refuse('what an attempt is for cannot be changed, and its version only rises');

CREATE TRIGGER payment_attempts_kept BEFORE DELETE ON payment_attempts
FOR EACH ROW EXECUTE FUNCTION refuse('attempts are never deleted');

CREATE TRIGGER transactions_unchanged BEFORE UPDATE ON transactions
FOR EACH ROW EXECUTE FUNCTION refuse('transactions are never changed');

CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
FOR EACH ROW EXECUTE FUNCTION refuse('transactions are never deleted');

CREATE TRIGGER actions_decided BEFORE UPDATE ON actions
FOR EACH ROW WHEN (
    OLD.resolution IS NOT NULL OR
    OLD.id <> NEW.id OR OLD.kind <> NEW.kind OR OLD.session_id <> NEW.session_id
    OR OLD.vendor_id <> NEW.vendor_id OR OLD.transaction_id IS DISTINCT FROM NEW.transaction_id
    OR OLD.created_at <> NEW.created_at
)
EXECUTE FUNCTION refuse('what was decided stays decided');

CREATE TRIGGER actions_kept BEFORE DELETE ON actions
FOR EACH ROW EXECUTE FUNCTION refuse('what was left to decide is never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER payment_attempts_not_emptied BEFORE TRUNCATE ON payment_attempts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('attempts are never deleted');

CREATE TRIGGER transactions_not_emptied BEFORE TRUNCATE ON transactions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('transactions are never deleted');

CREATE TRIGGER actions_not_emptied BEFORE TRUNCATE ON actions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('what was left to decide is never deleted');
