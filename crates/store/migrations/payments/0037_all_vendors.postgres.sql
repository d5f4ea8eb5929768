-- What the operator sees of all vendors together.

-- The figures of all vendors, counted by the same worker as those of each.
CREATE TABLE total_figures (
    quarter BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    minor BIGINT NOT NULL,
    PRIMARY KEY (quarter, event, method, reason, currency)
);

INSERT INTO total_figures (quarter, event, method, reason, currency, count, minor)
SELECT quarter, event, method, reason, currency, CAST(SUM(count) AS BIGINT), CAST(SUM(minor) AS BIGINT)
FROM figures GROUP BY quarter, event, method, reason, currency;

-- Ended sessions and transactions of all vendors by their filters. The ids rise with time, so that a row is added at the
-- end of its range. Pending sessions are few, and read from their own index.

CREATE INDEX sessions_status ON sessions (status, method, id) WHERE due_at IS NULL;
CREATE INDEX transactions_method ON transactions (method, id);
CREATE INDEX transactions_unusual ON transactions (id) WHERE late OR partial OR over OR reversed;
