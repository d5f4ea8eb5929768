-- Processes that serve: each says from time to time that it is there.

CREATE TABLE nodes (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    version TEXT NOT NULL,
    listens TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    stopped_at BIGINT
);
