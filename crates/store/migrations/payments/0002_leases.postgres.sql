-- Work that one node at a time does. Whoever takes a lease over raises the fence, and what is committed
-- under a lower one is refused.

CREATE TABLE leases (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder BYTEA NOT NULL CHECK (length(holder) = 16),
    fence BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE TRIGGER leases_fence BEFORE UPDATE ON leases
FOR EACH ROW WHEN (NEW.fence < OLD.fence OR (NEW.fence = OLD.fence AND NEW.holder <> OLD.holder))
EXECUTE FUNCTION refuse('another holder has another fence, and a fence only rises');

CREATE TRIGGER leases_kept BEFORE DELETE ON leases
FOR EACH ROW EXECUTE FUNCTION refuse('leases are never deleted: the next holder would get an old fence');

CREATE TRIGGER leases_not_emptied BEFORE TRUNCATE ON leases
FOR EACH STATEMENT EXECUTE FUNCTION refuse('leases are never deleted: the next holder would get an old fence');
