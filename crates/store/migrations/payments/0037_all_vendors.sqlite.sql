-- What the operator sees of all vendors together.

-- The figures of all vendors, counted by the same worker as those of each.
CREATE TABLE total_figures (
    quarter INTEGER NOT NULL,
    event TEXT NOT NULL,
    method TEXT NOT NULL,
    reason TEXT NOT NULL,
    currency TEXT NOT NULL,
    count INTEGER NOT NULL,
    minor INTEGER NOT NULL,
    PRIMARY KEY (quarter, event, method, reason, currency)
) STRICT, WITHOUT ROWID;

INSERT INTO total_figures (quarter, event, method, reason, currency, count, minor)
SELECT quarter, event, method, reason, currency, SUM(count), SUM(minor)
FROM figures GROUP BY quarter, event, method, reason, currency;

-- Ended sessions and transactions of all vendors by their filters. The ids rise with time, so that a row is added at the
-- end of its range. Pending sessions are few, and read from their own index.

CREATE INDEX sessions_status ON sessions (status, method, id) WHERE due_at IS NULL;
CREATE INDEX transactions_method ON transactions (method, id);
CREATE INDEX transactions_unusual ON transactions (id) WHERE late OR partial OR over OR reversed;
