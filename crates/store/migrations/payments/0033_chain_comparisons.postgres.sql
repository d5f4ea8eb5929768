-- When each chain was last compared with what was read of it, and up to which moment of the chain: a night that was
-- missed is made up for.

CREATE TABLE chain_comparisons (
    chain BIGINT NOT NULL PRIMARY KEY CHECK (chain > 0),
    compared_at BIGINT NOT NULL,
    compared_until BIGINT NOT NULL
);
