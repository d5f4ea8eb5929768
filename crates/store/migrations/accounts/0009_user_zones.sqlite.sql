-- The zone in which somebody reads times; without one it is that of their vendor.

ALTER TABLE users ADD COLUMN time_zone TEXT;
