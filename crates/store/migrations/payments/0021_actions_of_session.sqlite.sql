-- What a person has to decide, or has decided, about the money of one session.

CREATE INDEX actions_session ON actions (session_id);
