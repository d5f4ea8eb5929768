-- Who asked for a callback to be sent again: the attempt with this number is theirs.

CREATE TABLE callback_resends (
    callback_id BLOB NOT NULL REFERENCES callbacks (id),
    number INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    requested_by TEXT NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 255),
    by_operator INTEGER NOT NULL CHECK (by_operator IN (0, 1)),
    PRIMARY KEY (callback_id, number)
) STRICT;

CREATE TRIGGER callback_resends_unchanged BEFORE UPDATE ON callback_resends
BEGIN
    SELECT RAISE(ABORT, 'requests to resend a callback are never changed');
END;
