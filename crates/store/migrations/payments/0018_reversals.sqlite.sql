-- Money that had come may be taken back: a chain drops the block that it was in. Such a movement is written down as one of
-- its own, and a person decides who bears it.

ALTER TABLE transactions ADD COLUMN reversed INTEGER NOT NULL DEFAULT 0 CHECK (reversed IN (0, 1));

DROP INDEX transactions_marked;
CREATE INDEX transactions_marked ON transactions (vendor_id, method, id) WHERE late OR partial OR over OR reversed;

-- Only what a row may say is changed, and no row: refunds point to these, so the table cannot be made anew.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(replace(sql, '''mismatch'', ''surplus'')', '''mismatch'', ''surplus'', ''reversed'')'),
    '''accept'', ''dismiss'')', '''accept'', ''dismiss'', ''charge'', ''absorb'')')
WHERE type = 'table' AND name = 'actions';
PRAGMA writable_schema = RESET;
