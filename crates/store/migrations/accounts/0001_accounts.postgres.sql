-- Vendors, their credentials and their catalog: what both environments share.
-- Ids and words are compared byte by byte, as SQLite does, whatever the database's language is.

CREATE TABLE vendors (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    sandbox BOOLEAN NOT NULL,
    disabled BOOLEAN NOT NULL,
    callback_url TEXT,
    return_url TEXT,
    contact_email TEXT,
    methods TEXT,
    created_at BIGINT NOT NULL
);

CREATE TABLE credentials (
    vendor_id BYTEA NOT NULL REFERENCES vendors (id),
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('live', 'sandbox')),
    number BIGINT NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL,
    secret_check BYTEA NOT NULL CHECK (length(secret_check) = 32),
    secret_sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at BIGINT,
    first_used_at BIGINT,
    PRIMARY KEY (vendor_id, environment, number)
);

CREATE UNIQUE INDEX credentials_client ON credentials (client_id);

CREATE TABLE categories (
    vendor_id BYTEA NOT NULL REFERENCES vendors (id),
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    archived BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (vendor_id, id)
);

CREATE TABLE products (
    vendor_id BYTEA NOT NULL REFERENCES vendors (id),
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    price TEXT NOT NULL,
    currency TEXT NOT NULL,
    category_id TEXT COLLATE "C",
    archived BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (vendor_id, id),
    FOREIGN KEY (vendor_id, category_id) REFERENCES categories (vendor_id, id)
);

-- A known text sealed with the master key, so that a wrong key is noticed at start-up.
CREATE TABLE key_check (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    sealed BYTEA NOT NULL
);

CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END
$$;

CREATE TRIGGER vendors_kept BEFORE DELETE ON vendors
FOR EACH ROW EXECUTE FUNCTION refuse('vendors are never deleted');

CREATE TRIGGER credentials_kept BEFORE DELETE ON credentials
FOR EACH ROW EXECUTE FUNCTION refuse('credentials are never deleted');

-- TRUNCATE deletes rows without firing the triggers above.

CREATE TRIGGER vendors_not_emptied BEFORE TRUNCATE ON vendors
FOR EACH STATEMENT EXECUTE FUNCTION refuse('vendors are never deleted');

CREATE TRIGGER credentials_not_emptied BEFORE TRUNCATE ON credentials
FOR EACH STATEMENT EXECUTE FUNCTION refuse('credentials are never deleted');
