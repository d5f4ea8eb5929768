-- What vendors and the operator agreed on: how long payments are pending, and what is taken of them.

ALTER TABLE vendors ADD COLUMN settlement_delay BIGINT CHECK (settlement_delay >= 0);

-- The currency is * for every one that has no fee of its own; an amount is of a currency.
CREATE TABLE fees (
    vendor_id BYTEA NOT NULL REFERENCES vendors (id),
    method TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3 OR currency = '*'),
    millionths BIGINT NOT NULL CHECK (millionths BETWEEN 0 AND 1000000),
    fixed BIGINT NOT NULL CHECK (fixed >= 0),
    returned BOOLEAN NOT NULL,
    PRIMARY KEY (vendor_id, method, currency),
    CHECK (currency <> '*' OR fixed = 0)
);
