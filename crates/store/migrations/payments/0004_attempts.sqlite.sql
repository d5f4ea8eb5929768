-- Attempts to take a session's money at a provider, what happened to money, what a person has to decide about it,
-- and the books of the simulated bank.

ALTER TABLE sessions ADD COLUMN held_until INTEGER;

-- Whether an order was paid already. Only paid sessions are in it, so a create does not touch it.
CREATE INDEX sessions_paid ON sessions (vendor_id, order_id) WHERE status = 'paid';

CREATE TABLE payment_attempts (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
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
    charge_decimals INTEGER NOT NULL,
    charge_unit TEXT NOT NULL,
    received TEXT NOT NULL,
    recorded TEXT NOT NULL,
    seen INTEGER,
    needed INTEGER,
    confirming TEXT,
    in_flight_since INTEGER,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    check_at INTEGER,
    checks INTEGER NOT NULL,
    version INTEGER NOT NULL,
    CHECK ((state = 'declined') = (reason IS NOT NULL)),
    CHECK (state NOT IN ('intended', 'open', 'in_flight') OR check_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- One attempt at a time.
CREATE UNIQUE INDEX payment_attempts_active ON payment_attempts (session_id) WHERE state IN ('intended', 'open', 'in_flight');
CREATE INDEX payment_attempts_session ON payment_attempts (session_id);
CREATE INDEX payment_attempts_check ON payment_attempts (check_at) WHERE check_at IS NOT NULL;
CREATE UNIQUE INDEX payment_attempts_reference ON payment_attempts (provider, reference) WHERE reference IS NOT NULL;

CREATE TABLE transactions (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    attempt_id BLOB REFERENCES payment_attempts (id),
    method TEXT NOT NULL,
    provider TEXT NOT NULL,
    reference TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    currency TEXT NOT NULL,
    received_atoms TEXT NOT NULL,
    received_decimals INTEGER NOT NULL,
    received_unit TEXT NOT NULL,
    late INTEGER NOT NULL CHECK (late IN (0, 1)),
    partial INTEGER NOT NULL CHECK (partial IN (0, 1)),
    over INTEGER NOT NULL CHECK (over IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX transactions_session ON transactions (session_id);
CREATE INDEX transactions_vendor ON transactions (vendor_id, id);

CREATE TABLE actions (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch')),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    transaction_id BLOB REFERENCES transactions (id),
    created_at INTEGER NOT NULL,
    resolution TEXT CHECK (resolution IN ('refund', 'accept', 'dismiss')),
    resolved_at INTEGER,
    resolved_by TEXT,
    CHECK ((resolution IS NULL) = (resolved_at IS NULL)),
    CHECK ((resolution IS NULL) = (resolved_by IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX actions_open ON actions (id) WHERE resolution IS NULL;

CREATE TABLE simulated_payments (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL CHECK (length(session_id) = 16),
    method TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    decision TEXT,
    decided_at INTEGER,
    closed_at INTEGER,
    revision INTEGER NOT NULL,
    CHECK ((decision IS NULL) = (decided_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER payment_attempts_facts BEFORE UPDATE ON payment_attempts
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.method IS NOT NEW.method OR OLD.provider IS NOT NEW.provider OR OLD.choice IS NOT NEW.choice
    OR OLD.email IS NOT NEW.email OR OLD.started_at IS NOT NEW.started_at
    OR NEW.version <= OLD.version
BEGIN
    SELECT RAISE(ABORT, 'what an attempt is for cannot be changed, and its version only rises');
END;

CREATE TRIGGER payment_attempts_kept BEFORE DELETE ON payment_attempts
BEGIN
    SELECT RAISE(ABORT, 'attempts are never deleted');
END;

CREATE TRIGGER transactions_unchanged BEFORE UPDATE ON transactions
BEGIN
    SELECT RAISE(ABORT, 'transactions are never changed');
END;

CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
BEGIN
    SELECT RAISE(ABORT, 'transactions are never deleted');
END;

CREATE TRIGGER actions_decided BEFORE UPDATE ON actions
WHEN OLD.resolution IS NOT NULL OR
    OLD.id IS NOT NEW.id OR OLD.kind IS NOT NEW.kind OR OLD.session_id IS NOT NEW.session_id
    OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.transaction_id IS NOT NEW.transaction_id
    OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'what was decided stays decided');
END;

CREATE TRIGGER actions_kept BEFORE DELETE ON actions
BEGIN
    SELECT RAISE(ABORT, 'what was left to decide is never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.

CREATE TRIGGER payment_attempts_once BEFORE INSERT ON payment_attempts
WHEN EXISTS (SELECT 1 FROM payment_attempts WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM payment_attempts WHERE provider = NEW.provider AND reference = NEW.reference)
BEGIN
    SELECT RAISE(ABORT, 'attempts are never replaced');
END;

-- A second active attempt is not an error: whoever adds it finds that nothing was added.
CREATE TRIGGER payment_attempts_active_once BEFORE INSERT ON payment_attempts
WHEN NEW.state IN ('intended', 'open', 'in_flight') AND EXISTS (SELECT 1 FROM payment_attempts
    WHERE session_id = NEW.session_id AND state IN ('intended', 'open', 'in_flight'))
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER payment_attempts_kept_once BEFORE UPDATE ON payment_attempts
WHEN EXISTS (SELECT 1 FROM payment_attempts WHERE id <> OLD.id AND provider = NEW.provider AND reference = NEW.reference)
    OR (NEW.state IN ('intended', 'open', 'in_flight') AND EXISTS (SELECT 1 FROM payment_attempts
        WHERE id <> OLD.id AND session_id = NEW.session_id AND state IN ('intended', 'open', 'in_flight')))
BEGIN
    SELECT RAISE(ABORT, 'attempts are never replaced');
END;

CREATE TRIGGER transactions_once BEFORE INSERT ON transactions
WHEN EXISTS (SELECT 1 FROM transactions WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'transactions are never replaced');
END;

CREATE TRIGGER actions_once BEFORE INSERT ON actions
WHEN EXISTS (SELECT 1 FROM actions WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'what was left to decide is never replaced');
END;
