-- By how many milliseconds the time of a process was ahead of the clock that it follows, when it was last seen.

ALTER TABLE nodes ADD COLUMN clock_ahead_ms BIGINT NOT NULL DEFAULT 0;
