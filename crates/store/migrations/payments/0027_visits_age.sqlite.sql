-- Visits are deleted after a while: which are the oldest.

CREATE INDEX visits_at ON visits (at);
