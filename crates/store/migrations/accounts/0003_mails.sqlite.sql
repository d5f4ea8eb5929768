-- Mails on their way: queued in the commit of what they are about, sent by one node at a time. Whoever takes one
-- raises its fence. The text may hold a one-time link, so it is sealed, and gone once the mail is.

CREATE TABLE mails (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    body_sealed BLOB,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    attempts INTEGER NOT NULL,
    due_at INTEGER,
    fence INTEGER NOT NULL,
    ended_at INTEGER,
    last_error TEXT,
    CHECK ((state = 'queued') = (due_at IS NOT NULL)),
    CHECK ((state = 'queued') = (ended_at IS NULL)),
    CHECK ((state = 'queued') = (body_sealed IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX mails_ended ON mails (ended_at) WHERE ended_at IS NOT NULL;
