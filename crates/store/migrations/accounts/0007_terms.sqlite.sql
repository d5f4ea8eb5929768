-- What vendors and the operator agreed on: how long payments are pending, and what is taken of them.

ALTER TABLE vendors ADD COLUMN settlement_delay INTEGER CHECK (settlement_delay >= 0);

-- The currency is * for every one that has no fee of its own; an amount is of a currency.
CREATE TABLE fees (
    vendor_id BLOB NOT NULL REFERENCES vendors (id),
    method TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3 OR currency = '*'),
    millionths INTEGER NOT NULL CHECK (millionths BETWEEN 0 AND 1000000),
    fixed INTEGER NOT NULL CHECK (fixed >= 0),
    returned INTEGER NOT NULL CHECK (returned IN (0, 1)),
    PRIMARY KEY (vendor_id, method, currency),
    CHECK (currency <> '*' OR fixed = 0)
) STRICT, WITHOUT ROWID;
