-- How often this file was written to, in one row. Every commit is counted, so that the next start finds out whether one
-- is missing. A PostgreSQL server needs no such count: it does not start with a damaged log.

CREATE TABLE commit_count (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    commits INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;

INSERT INTO commit_count (id, commits, at) VALUES (1, 0, 0);
