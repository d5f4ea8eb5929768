-- When each chain was last compared with what was read of it, and up to which moment of the chain: a night that was
-- missed is made up for.

CREATE TABLE chain_comparisons (
    chain INTEGER NOT NULL PRIMARY KEY CHECK (chain > 0),
    compared_at INTEGER NOT NULL,
    compared_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
