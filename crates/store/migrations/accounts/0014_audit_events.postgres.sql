-- The audit log by event, newest first.

CREATE INDEX audit_deed ON audit (deed, id);
