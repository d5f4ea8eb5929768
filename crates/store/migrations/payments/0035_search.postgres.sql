-- What the panel's search finds: sessions of a product by its name or id, and sessions of one amount, each newest first
-- and by status and method, as the lists are. Only sessions that have ended are in these indexes, so that creating one
-- touches none.
-- A beginning is a range only if texts are compared byte by byte.

CREATE INDEX sessions_order_begins ON sessions (vendor_id, order_id COLLATE "C") WHERE due_at IS NULL;
CREATE INDEX sessions_product ON sessions (vendor_id, product_name COLLATE "C", status, method, id) WHERE due_at IS NULL;
CREATE INDEX sessions_product_id ON sessions (vendor_id, product_id COLLATE "C", status, method, id)
WHERE due_at IS NULL AND product_id IS NOT NULL;
CREATE INDEX sessions_amount ON sessions (vendor_id, amount_minor, currency, status, method, id) WHERE due_at IS NULL;
