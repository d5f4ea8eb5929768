-- Receipts, and the mails about payments. Live alone has these tables: the sandbox could not write a receipt or
-- queue a mail if it tried.

-- The id is that of the transaction or the refund: each has one receipt. Whoever has the link reads it.
CREATE TABLE receipts (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BLOB NOT NULL REFERENCES sessions (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('paid', 'refunded')),
    link BLOB NOT NULL CHECK (length(link) = 16),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    currency TEXT NOT NULL,
    email TEXT,
    language TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX receipts_link ON receipts (link);
CREATE INDEX receipts_session ON receipts (session_id);

-- A mail to one recipient: about a receipt, or about the callback that is the first of those that do not arrive.
-- Whoever takes one raises its fence.
CREATE TABLE dispatches (
    about BLOB NOT NULL CHECK (length(about) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('receipt', 'receipt_copy', 'undelivered')),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    session_id BLOB REFERENCES sessions (id),
    recipient TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    attempts INTEGER NOT NULL,
    due_at INTEGER,
    fence INTEGER NOT NULL,
    ended_at INTEGER,
    last_error TEXT,
    PRIMARY KEY (about, kind),
    CHECK ((state = 'queued') = (due_at IS NOT NULL)),
    CHECK ((state = 'queued') = (ended_at IS NULL)),
    CHECK ((kind = 'undelivered') = (session_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX dispatches_due ON dispatches (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX dispatches_session ON dispatches (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX dispatches_vendor ON dispatches (vendor_id) WHERE kind = 'undelivered';
CREATE INDEX dispatches_failed ON dispatches (ended_at) WHERE state = 'failed';

CREATE TRIGGER receipts_unchanged BEFORE UPDATE ON receipts
BEGIN
    SELECT RAISE(ABORT, 'receipts are never changed');
END;

CREATE TRIGGER receipts_kept BEFORE DELETE ON receipts
BEGIN
    SELECT RAISE(ABORT, 'receipts are never deleted');
END;

CREATE TRIGGER dispatches_facts BEFORE UPDATE ON dispatches
WHEN OLD.about IS NOT NEW.about OR OLD.kind IS NOT NEW.kind OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.session_id IS NOT NEW.session_id OR OLD.recipient IS NOT NEW.recipient
    OR OLD.created_at IS NOT NEW.created_at
BEGIN
    SELECT RAISE(ABORT, 'what a mail is about cannot be changed');
END;

CREATE TRIGGER dispatches_onward BEFORE UPDATE ON dispatches
WHEN OLD.state <> 'queued' OR NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts
BEGIN
    SELECT RAISE(ABORT, 'a mail that is sent or given up stays so, and none goes back');
END;

CREATE TRIGGER dispatches_kept BEFORE DELETE ON dispatches
BEGIN
    SELECT RAISE(ABORT, 'mails about payments are never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.

CREATE TRIGGER receipts_once BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM receipts WHERE link = NEW.link)
BEGIN
    SELECT RAISE(ABORT, 'receipts are never replaced');
END;

CREATE TRIGGER dispatches_once BEFORE INSERT ON dispatches
WHEN EXISTS (SELECT 1 FROM dispatches WHERE about = NEW.about AND kind = NEW.kind)
BEGIN
    SELECT RAISE(ABORT, 'mails about payments are never replaced');
END;
