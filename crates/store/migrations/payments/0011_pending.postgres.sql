-- Pending sessions by vendor, as the panel lists them: a page of them reads no more than the page is long. The order is
-- in it so that the search for one stays in the index. What is due is found by its time alone.

DROP INDEX sessions_due;
CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_pending ON sessions (vendor_id, method, id, order_id) WHERE due_at IS NOT NULL;
