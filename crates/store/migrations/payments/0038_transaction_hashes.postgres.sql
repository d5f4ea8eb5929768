-- A payment is found by the hash of the transaction that a customer shows.

CREATE INDEX chain_transfers_hash ON chain_transfers (hash) WHERE hash IS NOT NULL;
