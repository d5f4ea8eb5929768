-- The vendors' money in double entry. Live only: a sandbox has none of these tables.
--
-- An entry is one movement as a whole, a posting one leg of it. Postings are written before their entry, in one
-- transaction with it. What is checked at once: an entry finds at least two postings, of its vendor and currency, that
-- sum to zero, and a posting finds no entry yet, but the posting before it. What is checked at the commit: every posting
-- has its entry. So a group that does not balance, or is added to later, is never committed.

CREATE TABLE entries (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'settlement', 'suspense', 'accepted', 'refund', 'refund_sent',
        'refund_failed', 'payout', 'payout_sent', 'payout_failed')),
    cause BYTEA NOT NULL CHECK (length(cause) = 16),
    session_id BYTEA REFERENCES sessions (id),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    at BIGINT NOT NULL,
    seq BIGINT CHECK (seq > 0),
    hash BYTEA CHECK (length(hash) = 32),
    CHECK ((seq IS NULL) = (hash IS NULL))
);

-- A cause is booked once.
CREATE UNIQUE INDEX entries_cause ON entries (kind, cause);
CREATE INDEX entries_session ON entries (session_id) WHERE session_id IS NOT NULL;
-- Which entries have no place in history yet, and the place of the others.
CREATE INDEX entries_unsealed ON entries (id) WHERE seq IS NULL;
CREATE UNIQUE INDEX entries_seq ON entries (seq) WHERE seq IS NOT NULL;

CREATE TABLE postings (
    entry_id BYTEA NOT NULL REFERENCES entries (id) DEFERRABLE INITIALLY DEFERRED,
    line BIGINT NOT NULL CHECK (line > 0),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    account TEXT NOT NULL CHECK (account IN ('pending', 'available', 'fees', 'refunds', 'payouts', 'suspense')
        OR account LIKE 'clearing:_%'),
    currency TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (entry_id, line)
);

CREATE INDEX postings_account ON postings (vendor_id, currency, account, entry_id, amount);

-- What is pending, and when it becomes available. A row goes with the commit that makes it so.
CREATE TABLE settlements (
    entry_id BYTEA NOT NULL PRIMARY KEY REFERENCES entries (id),
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    session_id BYTEA,
    currency TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    due_at BIGINT NOT NULL
);

CREATE INDEX settlements_due ON settlements (due_at);

-- How often money was taken from a vendor: whoever takes some names the number that they read before they counted.
CREATE TABLE wallets (
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0),
    PRIMARY KEY (vendor_id, currency)
);

-- What the entries that have a place in history sum up to, so that a balance is this and the few others. It is made
-- from the postings, and never the truth.
CREATE TABLE balances (
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    currency TEXT NOT NULL,
    account TEXT NOT NULL,
    balance BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (vendor_id, currency, account)
);

CREATE FUNCTION check_entry() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    fits BOOLEAN;
BEGIN
    SELECT COUNT(*) >= 2 AND SUM(amount) = 0 AND BOOL_AND(currency = NEW.currency AND vendor_id = NEW.vendor_id)
    INTO fits FROM postings WHERE entry_id = NEW.id;
    IF NEW.seq IS NOT NULL OR NOT COALESCE(fits, FALSE) THEN
        RAISE EXCEPTION 'an entry has two or more postings of its own that sum to zero';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER entries_balanced BEFORE INSERT ON entries
FOR EACH ROW EXECUTE FUNCTION check_entry();

CREATE FUNCTION check_seal() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.id <> NEW.id OR OLD.vendor_id <> NEW.vendor_id OR OLD.kind <> NEW.kind OR OLD.cause <> NEW.cause
        OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.currency <> NEW.currency OR OLD.at <> NEW.at
        OR OLD.seq IS NOT NULL OR NEW.seq IS NULL
        OR NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM entries WHERE seq IS NOT NULL), 0)
    THEN
        RAISE EXCEPTION 'an entry is never changed, but for its place in history, which is the next and given once';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER entries_sealed BEFORE UPDATE ON entries
FOR EACH ROW EXECUTE FUNCTION check_seal();

CREATE TRIGGER entries_kept BEFORE DELETE ON entries
FOR EACH ROW EXECUTE FUNCTION refuse('entries are never deleted');

-- Who writes at the same time sees neither the entry nor the posting before theirs, or both: one look, one answer.
CREATE FUNCTION check_posting() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM entries WHERE id = NEW.entry_id)
        OR NEW.line > 1
            AND NOT EXISTS (SELECT 1 FROM postings WHERE entry_id = NEW.entry_id AND line = NEW.line - 1)
    THEN
        RAISE EXCEPTION 'nothing is added to an entry; postings come in order';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER postings_closed BEFORE INSERT ON postings
FOR EACH ROW EXECUTE FUNCTION check_posting();

CREATE TRIGGER postings_unchanged BEFORE UPDATE ON postings
FOR EACH ROW EXECUTE FUNCTION refuse('postings are never changed');

CREATE TRIGGER postings_kept BEFORE DELETE ON postings
FOR EACH ROW EXECUTE FUNCTION refuse('postings are never deleted');

CREATE TRIGGER settlements_unchanged BEFORE UPDATE ON settlements
FOR EACH ROW EXECUTE FUNCTION refuse('what is pending is never changed');

CREATE TRIGGER wallets_onward BEFORE UPDATE ON wallets
FOR EACH ROW WHEN (OLD.vendor_id <> NEW.vendor_id OR OLD.currency <> NEW.currency OR NEW.version <= OLD.version)
EXECUTE FUNCTION refuse('the version of a wallet only rises');

CREATE TRIGGER wallets_kept BEFORE DELETE ON wallets
FOR EACH ROW EXECUTE FUNCTION refuse('wallets are never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER entries_not_emptied BEFORE TRUNCATE ON entries
FOR EACH STATEMENT EXECUTE FUNCTION refuse('entries are never deleted');

CREATE TRIGGER postings_not_emptied BEFORE TRUNCATE ON postings
FOR EACH STATEMENT EXECUTE FUNCTION refuse('postings are never deleted');

CREATE TRIGGER wallets_not_emptied BEFORE TRUNCATE ON wallets
FOR EACH STATEMENT EXECUTE FUNCTION refuse('wallets are never deleted');
