-- Up to when each chain was compared with what was read of it, so that a night that was missed is made up for.

CREATE TABLE chain_comparisons (
    chain BIGINT NOT NULL PRIMARY KEY CHECK (chain > 0),
    compared_until BIGINT NOT NULL
);
