-- The first derivation index that may be given out on any chain. A hold raises it, so that an address that was given out after
-- the backup is never given out again.

CREATE TABLE chain_floor (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    place BIGINT NOT NULL CHECK (place >= 0)
);

CREATE TRIGGER chain_floor_rises BEFORE UPDATE ON chain_floor
FOR EACH ROW WHEN (NEW.place < OLD.place)
EXECUTE FUNCTION refuse('the floor of address indexes only rises');

CREATE TRIGGER chain_floor_kept BEFORE DELETE ON chain_floor
FOR EACH ROW EXECUTE FUNCTION refuse('the floor of address indexes is never deleted');
