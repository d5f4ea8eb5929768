-- How providers are set up: for each one document, which may hold secrets and so is sealed. One that was ever set up may
-- have payments under way, so it is switched off, never deleted.

CREATE TABLE providers (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 40),
    position BIGINT NOT NULL CHECK (position >= 0),
    enabled BOOLEAN NOT NULL,
    document_sealed BYTEA NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0),
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL
);

CREATE TRIGGER providers_onward BEFORE UPDATE ON providers
FOR EACH ROW WHEN (NEW.name <> OLD.name OR NEW.version <> OLD.version + 1)
EXECUTE FUNCTION refuse('a change of a provider has the next version');

CREATE TRIGGER providers_first BEFORE INSERT ON providers
FOR EACH ROW WHEN (NEW.version <> 1)
EXECUTE FUNCTION refuse('a provider begins with its first version');

CREATE TRIGGER providers_kept BEFORE DELETE ON providers
FOR EACH ROW EXECUTE FUNCTION refuse('providers are switched off, never deleted');

CREATE TRIGGER providers_not_emptied BEFORE TRUNCATE ON providers
FOR EACH STATEMENT EXECUTE FUNCTION refuse('providers are switched off, never deleted');
