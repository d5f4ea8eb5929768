-- What is kept of chains: which address was given to which payment, what has come to it, and how far each chain was
-- read. Live only: nobody plays with real coins.
--
-- An address is given out once. Amounts are text: a coin of 18 places does not fit a number of the store's own.

CREATE TABLE chain_deposits (
    attempt_id BLOB NOT NULL PRIMARY KEY CHECK (length(attempt_id) = 16),
    session_id BLOB NOT NULL CHECK (length(session_id) = 16),
    key TEXT NOT NULL,
    place INTEGER NOT NULL CHECK (place >= 0),
    address TEXT NOT NULL CHECK (address = lower(address)),
    chain INTEGER NOT NULL CHECK (chain > 0),
    coin TEXT NOT NULL,
    contract TEXT CHECK (contract = lower(contract)),
    decimals INTEGER NOT NULL,
    charge TEXT NOT NULL,
    rate TEXT NOT NULL,
    rate_source TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    since_block INTEGER NOT NULL CHECK (since_block >= 0),
    before TEXT,
    swept TEXT NOT NULL,
    touched INTEGER NOT NULL CHECK (touched >= 0),
    looked INTEGER NOT NULL CHECK (looked BETWEEN 0 AND touched)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX chain_deposits_place ON chain_deposits (key, place);
CREATE UNIQUE INDEX chain_deposits_address ON chain_deposits (address);
CREATE INDEX chain_deposits_opened ON chain_deposits (chain, opened_at);
-- Those that somebody has to look at.
CREATE INDEX chain_deposits_touched ON chain_deposits (chain, attempt_id) WHERE touched > looked;

CREATE TABLE chain_transfers (
    chain INTEGER NOT NULL CHECK (chain > 0),
    reference TEXT NOT NULL,
    address TEXT NOT NULL REFERENCES chain_deposits (address),
    hash TEXT,
    contract TEXT CHECK (contract = lower(contract)),
    atoms TEXT NOT NULL,
    block INTEGER NOT NULL CHECK (block >= 0),
    block_hash TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    gone_at INTEGER,
    stray INTEGER NOT NULL CHECK (stray IN (0, 1)),
    told INTEGER NOT NULL CHECK (told IN (0, 1)),
    PRIMARY KEY (chain, reference, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX chain_transfers_address ON chain_transfers (address);
CREATE INDEX chain_transfers_block ON chain_transfers (chain, block);
-- Coins that nobody waited for, and that nobody was told of.
CREATE INDEX chain_transfers_stray ON chain_transfers (chain, block) WHERE stray AND NOT told;

CREATE TABLE chain_cursors (
    chain INTEGER NOT NULL PRIMARY KEY CHECK (chain > 0),
    block INTEGER NOT NULL CHECK (block >= 0),
    head INTEGER NOT NULL CHECK (head >= 0),
    at INTEGER NOT NULL,
    recent TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER chain_deposits_facts BEFORE UPDATE ON chain_deposits
WHEN OLD.attempt_id IS NOT NEW.attempt_id OR OLD.session_id IS NOT NEW.session_id OR OLD.key IS NOT NEW.key
    OR OLD.place IS NOT NEW.place OR OLD.address IS NOT NEW.address OR OLD.chain IS NOT NEW.chain
    OR OLD.coin IS NOT NEW.coin OR OLD.contract IS NOT NEW.contract OR OLD.decimals IS NOT NEW.decimals
    OR OLD.charge IS NOT NEW.charge OR OLD.rate IS NOT NEW.rate OR OLD.rate_source IS NOT NEW.rate_source
    OR OLD.opened_at IS NOT NEW.opened_at OR OLD.since_block IS NOT NEW.since_block
    OR (OLD.before IS NOT NULL AND OLD.before IS NOT NEW.before) OR NEW.touched < OLD.touched OR NEW.looked < OLD.looked
BEGIN
    SELECT RAISE(ABORT, 'an address stays with the payment that it was given to');
END;

CREATE TRIGGER chain_deposits_kept BEFORE DELETE ON chain_deposits
BEGIN
    SELECT RAISE(ABORT, 'addresses are never deleted');
END;

CREATE TRIGGER chain_transfers_facts BEFORE UPDATE ON chain_transfers
WHEN OLD.chain IS NOT NEW.chain OR OLD.reference IS NOT NEW.reference OR OLD.address IS NOT NEW.address
    OR OLD.seen_at IS NOT NEW.seen_at OR NEW.told < OLD.told
BEGIN
    SELECT RAISE(ABORT, 'what names a transfer cannot be changed');
END;

CREATE TRIGGER chain_transfers_kept BEFORE DELETE ON chain_transfers
BEGIN
    SELECT RAISE(ABORT, 'transfers are never deleted');
END;

CREATE TRIGGER chain_cursors_onward BEFORE UPDATE ON chain_cursors
WHEN OLD.chain IS NOT NEW.chain OR NEW.version <= OLD.version
BEGIN
    SELECT RAISE(ABORT, 'the version of what was read only rises');
END;

CREATE TRIGGER chain_cursors_kept BEFORE DELETE ON chain_cursors
BEGIN
    SELECT RAISE(ABORT, 'how far a chain was read is never deleted');
END;

-- REPLACE removes the old row without firing the triggers for deletion, so it is stopped before it starts. An attempt, a
-- place or an address that is taken is not an error: whoever adds it finds that nothing was added.
CREATE TRIGGER chain_deposits_once BEFORE INSERT ON chain_deposits
WHEN EXISTS (SELECT 1 FROM chain_deposits WHERE attempt_id = NEW.attempt_id)
    OR EXISTS (SELECT 1 FROM chain_deposits WHERE key = NEW.key AND place = NEW.place)
    OR EXISTS (SELECT 1 FROM chain_deposits WHERE address = NEW.address)
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER chain_transfers_once BEFORE INSERT ON chain_transfers
WHEN EXISTS (SELECT 1 FROM chain_transfers
    WHERE chain = NEW.chain AND reference = NEW.reference AND address = NEW.address)
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER chain_cursors_once BEFORE INSERT ON chain_cursors
WHEN EXISTS (SELECT 1 FROM chain_cursors WHERE chain = NEW.chain)
BEGIN
    SELECT RAISE(IGNORE);
END;
