-- Vendors, their credentials and their catalog: what both environments share.

CREATE TABLE vendors (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    sandbox INTEGER NOT NULL CHECK (sandbox IN (0, 1)),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    callback_url TEXT,
    return_url TEXT,
    contact_email TEXT,
    methods TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
    vendor_id BLOB NOT NULL REFERENCES vendors (id),
    environment TEXT NOT NULL CHECK (environment IN ('live', 'sandbox')),
    number INTEGER NOT NULL,
    client_id TEXT NOT NULL,
    secret_check BLOB NOT NULL CHECK (length(secret_check) = 32),
    secret_sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    ends_at INTEGER,
    first_used_at INTEGER,
    PRIMARY KEY (vendor_id, environment, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX credentials_client ON credentials (client_id);

CREATE TABLE categories (
    vendor_id BLOB NOT NULL REFERENCES vendors (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (vendor_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE products (
    vendor_id BLOB NOT NULL REFERENCES vendors (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    price TEXT NOT NULL,
    currency TEXT NOT NULL,
    category_id TEXT,
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (vendor_id, id),
    FOREIGN KEY (vendor_id, category_id) REFERENCES categories (vendor_id, id)
) STRICT, WITHOUT ROWID;

-- A known text sealed with the master key, so that a wrong key is noticed at start-up.
CREATE TABLE key_check (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vendors_kept BEFORE DELETE ON vendors
BEGIN
    SELECT RAISE(ABORT, 'vendors are never deleted');
END;

CREATE TRIGGER credentials_kept BEFORE DELETE ON credentials
BEGIN
    SELECT RAISE(ABORT, 'credentials are never deleted');
END;

-- REPLACE removes the old row without firing the triggers above, so it is stopped before it starts.

CREATE TRIGGER vendors_once BEFORE INSERT ON vendors
WHEN EXISTS (SELECT 1 FROM vendors WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'vendors are never replaced');
END;

CREATE TRIGGER credentials_once BEFORE INSERT ON credentials
WHEN EXISTS (SELECT 1 FROM credentials WHERE client_id = NEW.client_id)
    OR EXISTS (
        SELECT 1 FROM credentials
        WHERE vendor_id = NEW.vendor_id AND environment = NEW.environment AND number = NEW.number
    )
BEGIN
    SELECT RAISE(ABORT, 'credentials are never replaced');
END;
