-- Sandbox only: checks of vendors' endpoints. A check that is running has a lease, which ends if its node stops.

CREATE TABLE endpoint_checks (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    target TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    code_language TEXT,
    started_at INTEGER NOT NULL,
    lease_until INTEGER,
    ended_at INTEGER,
    verdict TEXT CHECK (verdict IN ('ready', 'not_ready')),
    CHECK ((lease_until IS NULL) = (ended_at IS NOT NULL)),
    CHECK ((verdict IS NULL) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

-- One at a time.
CREATE UNIQUE INDEX endpoint_checks_running ON endpoint_checks (vendor_id) WHERE lease_until IS NOT NULL;
CREATE INDEX endpoint_checks_vendor ON endpoint_checks (vendor_id, id);

CREATE TABLE endpoint_check_steps (
    check_id BLOB NOT NULL REFERENCES endpoint_checks (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL CHECK (name IN ('right_callback', 'valid_tls', 'wrong_signature', 'wrong_secret', 'changed_body', 'old_timestamp',
        'same_event_twice', 'unknown_event', 'unknown_field', 'out_of_order', 'failed_session', 'expired_session',
        'long_name', 'non_ascii_text')),
    passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
    result TEXT NOT NULL,
    status INTEGER,
    took_ms INTEGER NOT NULL,
    PRIMARY KEY (check_id, number)
) STRICT, WITHOUT ROWID;
