-- What is due is looked for vendor by vendor, so that nobody's backlog stands before somebody else's event.

DROP INDEX callbacks_due;
CREATE INDEX callbacks_due ON callbacks (vendor_id, due_at) WHERE due_at IS NOT NULL;
