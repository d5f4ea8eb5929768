-- Who asked for a callback to be sent again: the attempt with this number is theirs.

CREATE TABLE callback_resends (
    callback_id BYTEA NOT NULL REFERENCES callbacks (id),
    number BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    requested_by TEXT NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 255),
    by_operator BIGINT NOT NULL CHECK (by_operator IN (0, 1)),
    PRIMARY KEY (callback_id, number)
);

CREATE TRIGGER callback_resends_unchanged BEFORE UPDATE ON callback_resends
FOR EACH ROW EXECUTE FUNCTION refuse('requests to resend a callback are never changed');
