-- The start of a receiver's response to a failed attempt of a callback, kept for a limited time beside the attempt, which
-- never changes.

CREATE TABLE callback_responses (
    callback_id BLOB NOT NULL REFERENCES callbacks (id),
    number INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    content_type TEXT,
    body BLOB NOT NULL CHECK (length(body) <= 2048),
    PRIMARY KEY (callback_id, number)
) STRICT;

CREATE INDEX callback_responses_age ON callback_responses (kept_at);

CREATE TRIGGER callback_responses_unchanged BEFORE UPDATE ON callback_responses
BEGIN
    SELECT RAISE(ABORT, 'responses to callbacks are never changed');
END;
