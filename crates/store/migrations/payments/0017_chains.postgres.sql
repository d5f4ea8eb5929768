-- What is kept of chains: which address was given to which payment, what has come to it, and how far each chain was
-- read. Live only: nobody plays with real coins.
--
-- An address is given out once. Amounts are text: a coin of 18 places does not fit a number of the store's own.

CREATE TABLE chain_deposits (
    attempt_id BYTEA NOT NULL PRIMARY KEY CHECK (length(attempt_id) = 16),
    session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
    key TEXT NOT NULL,
    place BIGINT NOT NULL CHECK (place >= 0),
    address TEXT NOT NULL CHECK (address = lower(address)),
    chain BIGINT NOT NULL CHECK (chain > 0),
    coin TEXT NOT NULL,
    contract TEXT CHECK (contract = lower(contract)),
    decimals BIGINT NOT NULL,
    charge TEXT NOT NULL,
    rate TEXT NOT NULL,
    rate_source TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    since_block BIGINT NOT NULL CHECK (since_block >= 0),
    before TEXT,
    swept TEXT NOT NULL,
    touched BIGINT NOT NULL CHECK (touched >= 0),
    looked BIGINT NOT NULL CHECK (looked BETWEEN 0 AND touched)
);

CREATE UNIQUE INDEX chain_deposits_place ON chain_deposits (key, place);
CREATE UNIQUE INDEX chain_deposits_address ON chain_deposits (address);
CREATE INDEX chain_deposits_opened ON chain_deposits (chain, opened_at);
-- Those that somebody has to look at.
CREATE INDEX chain_deposits_touched ON chain_deposits (chain, attempt_id) WHERE touched > looked;

CREATE TABLE chain_transfers (
    chain BIGINT NOT NULL CHECK (chain > 0),
    reference TEXT NOT NULL,
    address TEXT NOT NULL REFERENCES chain_deposits (address),
    hash TEXT,
    contract TEXT CHECK (contract = lower(contract)),
    atoms TEXT NOT NULL,
    block BIGINT NOT NULL CHECK (block >= 0),
    block_hash TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    gone_at BIGINT,
    stray BOOLEAN NOT NULL,
    told BOOLEAN NOT NULL,
    PRIMARY KEY (chain, reference, address)
);

CREATE INDEX chain_transfers_address ON chain_transfers (address);
CREATE INDEX chain_transfers_block ON chain_transfers (chain, block);
-- Coins that nobody waited for, and that nobody was told of.
CREATE INDEX chain_transfers_stray ON chain_transfers (chain, block) WHERE stray AND NOT told;

CREATE TABLE chain_cursors (
    chain BIGINT NOT NULL PRIMARY KEY CHECK (chain > 0),
    block BIGINT NOT NULL CHECK (block >= 0),
    head BIGINT NOT NULL CHECK (head >= 0),
    at BIGINT NOT NULL,
    recent TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0)
);

CREATE TRIGGER chain_deposits_facts BEFORE UPDATE ON chain_deposits
FOR EACH ROW WHEN (
    OLD.attempt_id <> NEW.attempt_id OR OLD.session_id <> NEW.session_id OR OLD.key <> NEW.key
    OR OLD.place <> NEW.place OR OLD.address <> NEW.address OR OLD.chain <> NEW.chain
    OR OLD.coin <> NEW.coin OR OLD.contract IS DISTINCT FROM NEW.contract OR OLD.decimals <> NEW.decimals
    OR OLD.charge <> NEW.charge OR OLD.rate <> NEW.rate OR OLD.rate_source <> NEW.rate_source
    OR OLD.opened_at <> NEW.opened_at OR OLD.since_block <> NEW.since_block
    OR (OLD.before IS NOT NULL AND OLD.before IS DISTINCT FROM NEW.before) OR NEW.touched < OLD.touched OR NEW.looked < OLD.looked
)
EXECUTE FUNCTION refuse('an address stays with the payment that it was given to');

CREATE TRIGGER chain_deposits_kept BEFORE DELETE ON chain_deposits
FOR EACH ROW EXECUTE FUNCTION refuse('addresses are never deleted');

CREATE TRIGGER chain_transfers_facts BEFORE UPDATE ON chain_transfers
FOR EACH ROW WHEN (
    OLD.chain <> NEW.chain OR OLD.reference <> NEW.reference OR OLD.address <> NEW.address
    OR OLD.seen_at <> NEW.seen_at OR (OLD.told AND NOT NEW.told)
)
EXECUTE FUNCTION refuse('what names a transfer cannot be changed');

CREATE TRIGGER chain_transfers_kept BEFORE DELETE ON chain_transfers
FOR EACH ROW EXECUTE FUNCTION refuse('transfers are never deleted');

CREATE TRIGGER chain_cursors_onward BEFORE UPDATE ON chain_cursors
FOR EACH ROW WHEN (
    OLD.chain <> NEW.chain OR NEW.version <= OLD.version
)
EXECUTE FUNCTION refuse('the version of what was read only rises');

CREATE TRIGGER chain_cursors_kept BEFORE DELETE ON chain_cursors
FOR EACH ROW EXECUTE FUNCTION refuse('how far a chain was read is never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER chain_deposits_not_emptied BEFORE TRUNCATE ON chain_deposits
FOR EACH STATEMENT EXECUTE FUNCTION refuse('addresses are never deleted');

CREATE TRIGGER chain_transfers_not_emptied BEFORE TRUNCATE ON chain_transfers
FOR EACH STATEMENT EXECUTE FUNCTION refuse('transfers are never deleted');

CREATE TRIGGER chain_cursors_not_emptied BEFORE TRUNCATE ON chain_cursors
FOR EACH STATEMENT EXECUTE FUNCTION refuse('how far a chain was read is never deleted');
