-- People who log in, what they may be asked for at the door, and what they did.

ALTER TABLE vendors ADD COLUMN display_name TEXT;
ALTER TABLE vendors ADD COLUMN time_zone TEXT;
ALTER TABLE vendors ADD COLUMN language TEXT;

CREATE TABLE users (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    email TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('operator', 'super_vendor', 'vendor_admin', 'vendor_viewer')),
    vendor_id BYTEA REFERENCES vendors (id),
    password TEXT,
    factor_sealed BYTEA,
    factor_pending BYTEA,
    factor_step BIGINT,
    disabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT,
    CHECK ((vendor_id IS NOT NULL) = (role IN ('vendor_admin', 'vendor_viewer')))
);

CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_vendor ON users (vendor_id) WHERE vendor_id IS NOT NULL;

ALTER TABLE vendors ADD COLUMN parent_id BYTEA REFERENCES users (id);

CREATE INDEX vendors_parent ON vendors (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE recovery_codes (
    user_id BYTEA NOT NULL REFERENCES users (id),
    code_check BYTEA NOT NULL CHECK (length(code_check) = 32),
    PRIMARY KEY (user_id, code_check)
);

-- A link that sets a password, once. Only a hash of it is kept.
CREATE TABLE links (
    link_check BYTEA NOT NULL PRIMARY KEY CHECK (length(link_check) = 32),
    user_id BYTEA NOT NULL REFERENCES users (id),
    purpose TEXT COLLATE "C" NOT NULL CHECK (purpose IN ('invitation', 'reset')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX links_user ON links (user_id) WHERE used_at IS NULL;

-- A browser that somebody logged in with. Only a hash of its cookie is kept.
CREATE TABLE logins (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    cookie_check BYTEA NOT NULL CHECK (length(cookie_check) = 32),
    user_id BYTEA NOT NULL REFERENCES users (id),
    address TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE UNIQUE INDEX logins_cookie ON logins (cookie_check);
CREATE INDEX logins_user ON logins (user_id) WHERE ended_at IS NULL;

CREATE TABLE sandbox_requests (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    vendor_id BYTEA NOT NULL REFERENCES vendors (id),
    user_id BYTEA NOT NULL REFERENCES users (id),
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    answer TEXT COLLATE "C" CHECK (answer IN ('granted', 'dismissed')),
    note TEXT,
    answered_at BIGINT,
    CHECK ((answer IS NULL) = (answered_at IS NULL))
);

CREATE UNIQUE INDEX sandbox_requests_open ON sandbox_requests (vendor_id) WHERE answer IS NULL;

CREATE TABLE audit (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at BIGINT NOT NULL,
    actor_id BYTEA REFERENCES users (id),
    actor TEXT COLLATE "C" NOT NULL,
    address TEXT,
    deed TEXT COLLATE "C" NOT NULL,
    vendor_id BYTEA REFERENCES vendors (id),
    user_id BYTEA REFERENCES users (id),
    detail TEXT
);

CREATE INDEX audit_vendor ON audit (vendor_id, id) WHERE vendor_id IS NOT NULL;
CREATE INDEX audit_actor ON audit (actor, id);

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
FOR EACH ROW EXECUTE FUNCTION refuse('the audit log is never changed');

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
FOR EACH ROW EXECUTE FUNCTION refuse('the audit log is never deleted');

CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit
FOR EACH STATEMENT EXECUTE FUNCTION refuse('the audit log is never deleted');

CREATE TRIGGER users_kept BEFORE DELETE ON users
FOR EACH ROW EXECUTE FUNCTION refuse('users are never deleted');

CREATE TRIGGER users_not_emptied BEFORE TRUNCATE ON users
FOR EACH STATEMENT EXECUTE FUNCTION refuse('users are never deleted');
