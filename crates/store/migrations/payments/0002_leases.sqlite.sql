-- Work that one node at a time does. Whoever takes a lease over raises the fence, and what is committed
-- under a lower one is refused.

CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder BLOB NOT NULL CHECK (length(holder) = 16),
    fence INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER leases_fence BEFORE UPDATE ON leases
WHEN NEW.fence < OLD.fence OR (NEW.fence = OLD.fence AND NEW.holder IS NOT OLD.holder)
BEGIN
    SELECT RAISE(ABORT, 'another holder has another fence, and a fence only rises');
END;

CREATE TRIGGER leases_kept BEFORE DELETE ON leases
BEGIN
    SELECT RAISE(ABORT, 'leases are never deleted: the next holder would get an old fence');
END;

-- REPLACE would remove the old row without firing the trigger above; as any second insert, it does nothing.

CREATE TRIGGER leases_once BEFORE INSERT ON leases
WHEN EXISTS (SELECT 1 FROM leases WHERE name = NEW.name)
BEGIN
    SELECT RAISE(IGNORE);
END;
