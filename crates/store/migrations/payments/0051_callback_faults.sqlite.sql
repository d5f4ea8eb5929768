-- Sandbox only: how a tester wants callbacks to be delivered. Live has no such tables, so a fault cannot be stored there.

-- The choice for one event, which may not exist yet: `about` is as in callbacks. Once the fault is played, it says with which
-- event, and how the receiver answered the request that had the fault.
CREATE TABLE callback_faults (
    session_id BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    about BLOB NOT NULL CHECK (length(about) = 16),
    fault TEXT NOT NULL CHECK (fault IN ('none', 'drop', 'delay', 'duplicate', 'reorder', 'bad_signature', 'wrong_secret', 'old_timestamp', 'changed_body',
        'truncated', 'wrong_environment', 'slow', 'unknown_event', 'unknown_field')),
    delay_ms INTEGER NOT NULL CHECK (delay_ms BETWEEN 0 AND 60000),
    callback_id BLOB CHECK (length(callback_id) = 16),
    played_at INTEGER,
    result TEXT,
    status INTEGER,
    PRIMARY KEY (session_id, about),
    CHECK ((callback_id IS NULL) = (played_at IS NULL)),
    CHECK (played_at IS NULL OR fault <> 'none'),
    CHECK (result IS NULL OR played_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- The default of a vendor.
CREATE TABLE vendor_faults (
    vendor_id BLOB NOT NULL PRIMARY KEY CHECK (length(vendor_id) = 16),
    fault TEXT NOT NULL CHECK (fault IN ('drop', 'delay', 'duplicate', 'reorder', 'bad_signature', 'wrong_secret', 'old_timestamp', 'changed_body',
        'truncated', 'wrong_environment', 'slow', 'unknown_event', 'unknown_field')),
    delay_ms INTEGER NOT NULL CHECK (delay_ms BETWEEN 0 AND 60000)
) STRICT, WITHOUT ROWID;
