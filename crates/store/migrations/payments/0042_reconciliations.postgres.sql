-- Comparisons of providers' books with ours: those that wait, the one of each provider that runs, and what came of the
-- others.

CREATE TABLE reconciliations (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    -- The name of the chain whose nightly comparison it is, else empty.
    chain TEXT NOT NULL CHECK (length(chain) <= 64),
    from_at BIGINT NOT NULL,
    to_at BIGINT NOT NULL CHECK (to_at >= from_at),
    origin TEXT NOT NULL CHECK (origin IN ('nightly', 'weekly', 'panel', 'command')),
    requested_by TEXT CHECK (requested_by IS NULL OR length(requested_by) BETWEEN 1 AND 255),
    -- The night of an automatic run.
    night_at BIGINT CHECK ((night_at IS NULL) = (origin IN ('panel', 'command'))),
    requested_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT CHECK ((finished_at IS NULL) = (state IN ('waiting', 'running'))),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'matched', 'differed', 'failed')),
    -- Rises with every start: the end of an older start is refused.
    tries BIGINT NOT NULL,
    compared BIGINT NOT NULL DEFAULT 0,
    under_way BIGINT NOT NULL DEFAULT 0,
    without_till BIGINT NOT NULL DEFAULT 0,
    differences BIGINT NOT NULL DEFAULT 0,
    entered BIGINT NOT NULL DEFAULT 0,
    -- The sums of both sides by currency, as JSON.
    sums TEXT NOT NULL DEFAULT '[]',
    error TEXT CHECK (error IS NULL OR length(error) BETWEEN 1 AND 2000)
);

CREATE INDEX reconciliations_provider ON reconciliations (provider, id);
CREATE INDEX reconciliations_open ON reconciliations (provider, id) WHERE state IN ('waiting', 'running');
-- A night has one run, and an operator has one request at a time.
CREATE UNIQUE INDEX reconciliations_night ON reconciliations (provider, chain, night_at) WHERE night_at IS NOT NULL;
CREATE UNIQUE INDEX reconciliations_requested ON reconciliations (provider)
    WHERE origin = 'panel' AND state IN ('waiting', 'running');
