-- People who log in, what they may be asked for at the door, and what they did.

ALTER TABLE vendors ADD COLUMN display_name TEXT;
ALTER TABLE vendors ADD COLUMN time_zone TEXT;
ALTER TABLE vendors ADD COLUMN language TEXT;
ALTER TABLE vendors ADD COLUMN parent_id BLOB REFERENCES users (id);

CREATE INDEX vendors_parent ON vendors (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE users (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('operator', 'super_vendor', 'vendor_admin', 'vendor_viewer')),
    vendor_id BLOB REFERENCES vendors (id),
    password TEXT,
    factor_sealed BLOB,
    factor_pending BLOB,
    factor_step INTEGER,
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    seen_at INTEGER,
    CHECK ((vendor_id IS NOT NULL) = (role IN ('vendor_admin', 'vendor_viewer')))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_vendor ON users (vendor_id) WHERE vendor_id IS NOT NULL;

CREATE TABLE recovery_codes (
    user_id BLOB NOT NULL REFERENCES users (id),
    code_check BLOB NOT NULL CHECK (length(code_check) = 32),
    PRIMARY KEY (user_id, code_check)
) STRICT, WITHOUT ROWID;

-- A link that sets a password, once. Only a hash of it is kept.
CREATE TABLE links (
    link_check BLOB NOT NULL PRIMARY KEY CHECK (length(link_check) = 32),
    user_id BLOB NOT NULL REFERENCES users (id),
    purpose TEXT NOT NULL CHECK (purpose IN ('invitation', 'reset')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX links_user ON links (user_id) WHERE used_at IS NULL;

-- A browser that somebody logged in with. Only a hash of its cookie is kept.
CREATE TABLE logins (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    cookie_check BLOB NOT NULL CHECK (length(cookie_check) = 32),
    user_id BLOB NOT NULL REFERENCES users (id),
    address TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX logins_cookie ON logins (cookie_check);
CREATE INDEX logins_user ON logins (user_id) WHERE ended_at IS NULL;

CREATE TABLE sandbox_requests (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BLOB NOT NULL REFERENCES vendors (id),
    user_id BLOB NOT NULL REFERENCES users (id),
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    answer TEXT CHECK (answer IN ('granted', 'dismissed')),
    note TEXT,
    answered_at INTEGER,
    CHECK ((answer IS NULL) = (answered_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX sandbox_requests_open ON sandbox_requests (vendor_id) WHERE answer IS NULL;

CREATE TABLE audit (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    actor_id BLOB REFERENCES users (id),
    actor TEXT NOT NULL,
    address TEXT,
    deed TEXT NOT NULL,
    vendor_id BLOB REFERENCES vendors (id),
    user_id BLOB REFERENCES users (id),
    detail TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_vendor ON audit (vendor_id, id) WHERE vendor_id IS NOT NULL;
CREATE INDEX audit_actor ON audit (actor, id);

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never deleted');
END;

CREATE TRIGGER audit_once BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never replaced');
END;

CREATE TRIGGER users_kept BEFORE DELETE ON users
BEGIN
    SELECT RAISE(ABORT, 'users are never deleted');
END;

-- As any second insert with a known address or id, REPLACE does nothing.
CREATE TRIGGER users_once BEFORE INSERT ON users
WHEN EXISTS (SELECT 1 FROM users WHERE id = NEW.id OR email = NEW.email)
BEGIN
    SELECT RAISE(IGNORE);
END;
