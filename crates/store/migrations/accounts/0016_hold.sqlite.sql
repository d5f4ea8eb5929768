-- While there is a row, the store is on hold: it was restored from a backup, or an operator says that its history was
-- reset. Nothing leaves and nothing expires until an operator releases it.

CREATE TABLE holds (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    since INTEGER NOT NULL,
    reason TEXT NOT NULL CHECK (reason IN ('restored', 'operator')),
    placed_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
