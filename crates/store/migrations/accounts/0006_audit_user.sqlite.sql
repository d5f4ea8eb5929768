-- What was done to somebody, newest first: a vendor's log has the lines about its people.

CREATE INDEX audit_user ON audit (user_id, id) WHERE user_id IS NOT NULL;
