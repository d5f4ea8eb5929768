-- The start of a receiver's response to a failed attempt of a callback, kept for a limited time beside the attempt, which
-- never changes.

CREATE TABLE callback_responses (
    callback_id BYTEA NOT NULL REFERENCES callbacks (id),
    number BIGINT NOT NULL,
    kept_at BIGINT NOT NULL,
    content_type TEXT,
    body BYTEA NOT NULL CHECK (length(body) <= 2048),
    PRIMARY KEY (callback_id, number)
);

CREATE INDEX callback_responses_age ON callback_responses (kept_at);

CREATE TRIGGER callback_responses_unchanged BEFORE UPDATE ON callback_responses
FOR EACH ROW EXECUTE FUNCTION refuse('responses to callbacks are never changed');
