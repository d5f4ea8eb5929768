-- Forms that were sent and must not count twice, such as those whose answer is a page with a new secret.

CREATE TABLE used_forms (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_forms_at ON used_forms (used_at);
