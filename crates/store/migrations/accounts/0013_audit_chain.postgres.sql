-- Lines of the audit log get a number and a hash over themselves and the hash before them, in a pass of their own.

ALTER TABLE audit ADD COLUMN seq BIGINT CHECK (seq > 0);
ALTER TABLE audit ADD COLUMN hash BYTEA CHECK (length(hash) = 32);

CREATE INDEX audit_unsealed ON audit (id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_seq ON audit (seq) WHERE seq IS NOT NULL;

-- The last number and hash. Without it, deleting the newest lines would leave no trace.
CREATE TABLE audit_head (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32)
);

INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, decode(repeat('00', 32), 'hex'));

CREATE FUNCTION check_audit_head() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.seq <= OLD.seq THEN
        RAISE EXCEPTION 'the audit log only grows';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head
FOR EACH ROW EXECUTE FUNCTION check_audit_head();

CREATE TRIGGER audit_head_kept BEFORE DELETE ON audit_head
FOR EACH ROW EXECUTE FUNCTION refuse('the audit log only grows');

CREATE TRIGGER audit_head_not_emptied BEFORE TRUNCATE ON audit_head
FOR EACH STATEMENT EXECUTE FUNCTION refuse('the audit log only grows');

CREATE FUNCTION check_audit_seal() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.id <> NEW.id OR OLD.at <> NEW.at OR OLD.actor_id IS DISTINCT FROM NEW.actor_id OR OLD.actor <> NEW.actor
        OR OLD.address IS DISTINCT FROM NEW.address OR OLD.deed <> NEW.deed
        OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id OR OLD.user_id IS DISTINCT FROM NEW.user_id
        OR OLD.detail IS DISTINCT FROM NEW.detail OR OLD.seq IS NOT NULL OR NEW.seq IS NULL OR NEW.hash IS NULL
        OR NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM audit WHERE seq IS NOT NULL), 0)
    THEN
        RAISE EXCEPTION 'the audit log is never changed; a line gets its place in history once';
    END IF;
    RETURN NEW;
END
$$;

DROP TRIGGER audit_unchanged ON audit;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
FOR EACH ROW EXECUTE FUNCTION check_audit_seal();

CREATE TRIGGER audit_sealed_later BEFORE INSERT ON audit
FOR EACH ROW WHEN (NEW.seq IS NOT NULL OR NEW.hash IS NOT NULL)
EXECUTE FUNCTION refuse('a line of the audit log gets its place in history later');
