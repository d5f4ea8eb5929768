-- The vendors' money in double entry. Live only: a sandbox has none of these tables.
--
-- An entry is one movement as a whole, a posting one leg of it. Postings are written before their entry, in one
-- transaction with it. What is checked at once: an entry finds at least two postings, of its vendor and currency, that
-- sum to zero, and a posting finds no entry yet, but the posting before it. What is checked at the commit: every posting
-- has its entry. So a group that does not balance, or is added to later, is never committed.

CREATE TABLE entries (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'settlement', 'suspense', 'accepted', 'refund', 'refund_sent',
        'refund_failed', 'payout', 'payout_sent', 'payout_failed')),
    cause BLOB NOT NULL CHECK (length(cause) = 16),
    session_id BLOB REFERENCES sessions (id),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    at INTEGER NOT NULL,
    seq INTEGER CHECK (seq > 0),
    hash BLOB CHECK (length(hash) = 32),
    CHECK ((seq IS NULL) = (hash IS NULL))
) STRICT, WITHOUT ROWID;

-- A cause is booked once.
CREATE UNIQUE INDEX entries_cause ON entries (kind, cause);
CREATE INDEX entries_session ON entries (session_id) WHERE session_id IS NOT NULL;
-- Which entries have no place in history yet, and the place of the others.
CREATE INDEX entries_unsealed ON entries (id) WHERE seq IS NULL;
CREATE UNIQUE INDEX entries_seq ON entries (seq) WHERE seq IS NOT NULL;

CREATE TABLE postings (
    entry_id BLOB NOT NULL REFERENCES entries (id) DEFERRABLE INITIALLY DEFERRED,
    line INTEGER NOT NULL CHECK (line > 0),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    account TEXT NOT NULL CHECK (account IN ('pending', 'available', 'fees', 'refunds', 'payouts', 'suspense')
        OR account LIKE 'clearing:_%'),
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (entry_id, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX postings_account ON postings (vendor_id, currency, account, entry_id, amount);

-- What is pending, and when it becomes available. A row goes with the commit that makes it so.
CREATE TABLE settlements (
    entry_id BLOB NOT NULL PRIMARY KEY REFERENCES entries (id),
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    session_id BLOB,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX settlements_due ON settlements (due_at);

-- How often money was taken from a vendor: whoever takes some names the number that they read before they counted.
CREATE TABLE wallets (
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (vendor_id, currency)
) STRICT, WITHOUT ROWID;

-- What the entries that have a place in history sum up to, so that a balance is this and the few others. It is made
-- from the postings, and never the truth.
CREATE TABLE balances (
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL,
    account TEXT NOT NULL,
    balance INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (vendor_id, currency, account)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entries_balanced BEFORE INSERT ON entries
WHEN NEW.seq IS NOT NULL OR (
    SELECT COUNT(*) < 2 OR SUM(amount) <> 0 OR SUM(currency <> NEW.currency OR vendor_id <> NEW.vendor_id) <> 0
    FROM postings WHERE entry_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'an entry has two or more postings of its own that sum to zero');
END;

CREATE TRIGGER entries_sealed BEFORE UPDATE ON entries
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.kind IS NOT NEW.kind
    OR OLD.cause IS NOT NEW.cause OR OLD.session_id IS NOT NEW.session_id OR OLD.currency IS NOT NEW.currency
    OR OLD.at IS NOT NEW.at OR OLD.seq IS NOT NULL OR NEW.seq IS NULL
    OR NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM entries WHERE seq IS NOT NULL), 0)
BEGIN
    SELECT RAISE(ABORT, 'an entry is never changed, but for its place in history, which is the next and given once');
END;

CREATE TRIGGER entries_kept BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ABORT, 'entries are never deleted');
END;

-- A connection may have foreign keys off, and then nothing is checked at the commit: it cannot begin a group.
CREATE TRIGGER postings_closed BEFORE INSERT ON postings
WHEN EXISTS (SELECT 1 FROM entries WHERE id = NEW.entry_id)
    OR CASE NEW.line WHEN 1 THEN (SELECT foreign_keys = 0 FROM pragma_foreign_keys)
        ELSE NOT EXISTS (SELECT 1 FROM postings WHERE entry_id = NEW.entry_id AND line = NEW.line - 1) END
BEGIN
    SELECT RAISE(ABORT, 'nothing is added to an entry; postings come in order, and with foreign keys on');
END;

CREATE TRIGGER postings_unchanged BEFORE UPDATE ON postings
BEGIN
    SELECT RAISE(ABORT, 'postings are never changed');
END;

CREATE TRIGGER postings_kept BEFORE DELETE ON postings
BEGIN
    SELECT RAISE(ABORT, 'postings are never deleted');
END;

CREATE TRIGGER settlements_unchanged BEFORE UPDATE ON settlements
BEGIN
    SELECT RAISE(ABORT, 'what is pending is never changed');
END;

CREATE TRIGGER wallets_onward BEFORE UPDATE ON wallets
WHEN OLD.vendor_id IS NOT NEW.vendor_id OR OLD.currency IS NOT NEW.currency OR NEW.version <= OLD.version
BEGIN
    SELECT RAISE(ABORT, 'the version of a wallet only rises');
END;

CREATE TRIGGER wallets_kept BEFORE DELETE ON wallets
BEGIN
    SELECT RAISE(ABORT, 'wallets are never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts.

CREATE TRIGGER entries_once BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM entries WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM entries WHERE kind = NEW.kind AND cause = NEW.cause)
BEGIN
    SELECT RAISE(ABORT, 'a cause is booked once, and entries are never replaced');
END;

CREATE TRIGGER postings_once BEFORE INSERT ON postings
WHEN EXISTS (SELECT 1 FROM postings WHERE entry_id = NEW.entry_id AND line = NEW.line)
BEGIN
    SELECT RAISE(ABORT, 'postings are never replaced');
END;

CREATE TRIGGER settlements_once BEFORE INSERT ON settlements
WHEN EXISTS (SELECT 1 FROM settlements WHERE entry_id = NEW.entry_id)
BEGIN
    SELECT RAISE(ABORT, 'what is pending is never replaced');
END;
