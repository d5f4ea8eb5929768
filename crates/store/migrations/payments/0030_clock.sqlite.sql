-- When the deadlines of an open session were last moved with the clock, which was set forward: the time it was set to.

ALTER TABLE sessions ADD COLUMN moved_at INTEGER;
