-- When a customer looked at the page of a session, and when they left for the shop. At most one look a minute is noted.

CREATE TABLE visits (
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    at BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('opened', 'returned')),
    PRIMARY KEY (session_id, at, kind)
);
