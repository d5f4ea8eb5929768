-- Receipts, and the mails about payments. Live alone has these tables: the sandbox could not write a receipt or
-- queue a mail if it tried.

-- The id is that of the transaction or the refund: each has one receipt. Whoever has the link reads it.
CREATE TABLE receipts (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    session_id BYTEA NOT NULL REFERENCES sessions (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('paid', 'refunded')),
    link BYTEA NOT NULL CHECK (length(link) = 16),
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    currency TEXT COLLATE "C" NOT NULL,
    email TEXT,
    language TEXT,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX receipts_link ON receipts (link);
CREATE INDEX receipts_session ON receipts (session_id);

-- A mail to one recipient: about a receipt, or about the callback that is the first of those that do not arrive.
-- Whoever takes one raises its fence.
CREATE TABLE dispatches (
    about BYTEA NOT NULL CHECK (length(about) = 16),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('receipt', 'receipt_copy', 'undelivered')),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    session_id BYTEA REFERENCES sessions (id),
    recipient TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    attempts BIGINT NOT NULL,
    due_at BIGINT,
    fence BIGINT NOT NULL,
    ended_at BIGINT,
    last_error TEXT COLLATE "C",
    PRIMARY KEY (about, kind),
    CHECK ((state = 'queued') = (due_at IS NOT NULL)),
    CHECK ((state = 'queued') = (ended_at IS NULL)),
    CHECK ((kind = 'undelivered') = (session_id IS NULL))
);

CREATE INDEX dispatches_due ON dispatches (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX dispatches_session ON dispatches (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX dispatches_vendor ON dispatches (vendor_id) WHERE kind = 'undelivered';
CREATE INDEX dispatches_failed ON dispatches (ended_at) WHERE state = 'failed';

CREATE TRIGGER receipts_unchanged BEFORE UPDATE ON receipts
FOR EACH ROW EXECUTE FUNCTION refuse('receipts are never changed');

CREATE TRIGGER receipts_kept BEFORE DELETE ON receipts
FOR EACH ROW EXECUTE FUNCTION refuse('receipts are never deleted');

CREATE TRIGGER dispatches_facts BEFORE UPDATE ON dispatches
FOR EACH ROW WHEN (
    OLD.about <> NEW.about OR OLD.kind <> NEW.kind OR OLD.vendor_id <> NEW.vendor_id
    OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.recipient <> NEW.recipient
    OR OLD.created_at <> NEW.created_at
)
EXECUTE FUNCTION refuse('what a mail is about cannot be changed');

CREATE TRIGGER dispatches_onward BEFORE UPDATE ON dispatches
FOR EACH ROW WHEN (OLD.state <> 'queued' OR NEW.fence < OLD.fence OR NEW.attempts < OLD.attempts)
EXECUTE FUNCTION refuse('a mail that is sent or given up stays so, and none goes back');

CREATE TRIGGER dispatches_kept BEFORE DELETE ON dispatches
FOR EACH ROW EXECUTE FUNCTION refuse('mails about payments are never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER receipts_not_emptied BEFORE TRUNCATE ON receipts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('receipts are never deleted');

CREATE TRIGGER dispatches_not_emptied BEFORE TRUNCATE ON dispatches
FOR EACH STATEMENT EXECUTE FUNCTION refuse('mails about payments are never deleted');
