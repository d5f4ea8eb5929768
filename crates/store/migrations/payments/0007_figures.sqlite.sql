-- What a vendor's overview counts: how many sessions ended how, in every quarter of an hour. Counted after the event by
-- a worker, up to a mark; what comes after the mark is counted when somebody looks.

CREATE TABLE figures (
    vendor_id BLOB NOT NULL CHECK (length(vendor_id) = 16),
    quarter INTEGER NOT NULL,
    event TEXT NOT NULL,
    method TEXT NOT NULL,
    reason TEXT NOT NULL,
    currency TEXT NOT NULL,
    count INTEGER NOT NULL,
    minor INTEGER NOT NULL,
    PRIMARY KEY (vendor_id, quarter, event, method, reason, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE figures_mark (
    name TEXT NOT NULL PRIMARY KEY,
    last BLOB NOT NULL CHECK (length(last) = 16)
) STRICT, WITHOUT ROWID;

INSERT INTO figures_mark (name, last) VALUES ('events', zeroblob(16));
