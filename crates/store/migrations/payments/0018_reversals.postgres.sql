-- Money that had come may be taken back: a chain drops the block that it was in. Such a movement is written down as one of
-- its own, and a person decides who bears it.

ALTER TABLE transactions ADD COLUMN reversed BOOLEAN NOT NULL DEFAULT FALSE;

DROP INDEX transactions_marked;
CREATE INDEX transactions_marked ON transactions (vendor_id, method, id) WHERE late OR partial OR over OR reversed;

ALTER TABLE actions DROP CONSTRAINT actions_kind_check;
ALTER TABLE actions ADD CONSTRAINT actions_kind_check
    CHECK (kind IN ('late', 'partial', 'unreachable', 'mismatch', 'surplus', 'reversed'));
ALTER TABLE actions DROP CONSTRAINT actions_resolution_check;
ALTER TABLE actions ADD CONSTRAINT actions_resolution_check
    CHECK (resolution IN ('refund', 'accept', 'dismiss', 'charge', 'absorb'));
