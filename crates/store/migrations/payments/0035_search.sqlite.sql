-- What the panel's search finds: sessions of a product by its name or id, and sessions of one amount, each newest first
-- and by status and method, as the lists are. Only sessions that have ended are in these indexes, so that creating one
-- touches none.

CREATE INDEX sessions_product ON sessions (vendor_id, product_name, status, method, id) WHERE due_at IS NULL;
CREATE INDEX sessions_product_id ON sessions (vendor_id, product_id, status, method, id)
WHERE due_at IS NULL AND product_id IS NOT NULL;
CREATE INDEX sessions_amount ON sessions (vendor_id, amount_minor, currency, status, method, id) WHERE due_at IS NULL;
