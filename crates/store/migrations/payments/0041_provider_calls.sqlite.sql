-- The calls to providers by quarter of an hour. Each process writes the totals of its own calls, again and again; the
-- service's are their sum.

CREATE TABLE provider_calls (
    quarter INTEGER NOT NULL,
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    node BLOB NOT NULL CHECK (length(node) = 16),
    calls INTEGER NOT NULL CHECK (calls > 0),
    failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND calls),
    -- How many answers took at most so many milliseconds: 20=95 1000=5.
    latency TEXT NOT NULL CHECK (length(latency) <= 1000),
    PRIMARY KEY (quarter, provider, node)
) STRICT, WITHOUT ROWID;

-- The last error of a call to a provider, and the last of its notices that was accepted and that was refused.
CREATE TABLE provider_events (
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
    at INTEGER NOT NULL,
    note TEXT NOT NULL CHECK (length(note) <= 1000),
    PRIMARY KEY (provider, kind)
) STRICT, WITHOUT ROWID;
