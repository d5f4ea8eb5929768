-- Processes that serve: each says from time to time that it is there.

CREATE TABLE nodes (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    version TEXT NOT NULL,
    listens TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    stopped_at INTEGER
) STRICT, WITHOUT ROWID;
