-- What a vendor's overview counts: how many sessions ended how, in every quarter of an hour. Counted after the event by
-- a worker, up to a mark; what comes after the mark is counted when somebody looks.

CREATE TABLE figures (
    vendor_id BYTEA NOT NULL CHECK (length(vendor_id) = 16),
    quarter BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    minor BIGINT NOT NULL,
    PRIMARY KEY (vendor_id, quarter, event, method, reason, currency)
);

CREATE TABLE figures_mark (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    last BYTEA NOT NULL CHECK (length(last) = 16)
);

INSERT INTO figures_mark (name, last) VALUES ('events', decode(repeat('00', 16), 'hex'));
