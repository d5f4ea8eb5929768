-- How providers are set up: for each one document, which may hold secrets and so is sealed. One that was ever set up may
-- have payments under way, so it is switched off, never deleted.

CREATE TABLE providers (
    name TEXT NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 40),
    position INTEGER NOT NULL CHECK (position >= 0),
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    document_sealed BLOB NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    updated_at INTEGER NOT NULL,
    updated_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER providers_onward BEFORE UPDATE ON providers
WHEN NEW.name <> OLD.name OR NEW.version <> OLD.version + 1
BEGIN
    SELECT RAISE(ABORT, 'a change of a provider has the next version');
END;

CREATE TRIGGER providers_first BEFORE INSERT ON providers
WHEN NEW.version <> 1
BEGIN
    SELECT RAISE(ABORT, 'a provider begins with its first version');
END;

CREATE TRIGGER providers_kept BEFORE DELETE ON providers
BEGIN
    SELECT RAISE(ABORT, 'providers are switched off, never deleted');
END;
