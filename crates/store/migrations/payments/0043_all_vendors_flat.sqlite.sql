-- What the operator's console finds across vendors, at a cost that grows neither with the sessions nor with the vendors.

-- Sessions by status and method, newest first: those that are pending too.
DROP INDEX sessions_status;
CREATE INDEX sessions_status ON sessions (status, method, id);

-- Sessions of an order: of one vendor by status, newest first, those that are pending too, and of all vendors.
CREATE INDEX sessions_all_orders ON sessions (order_id, vendor_id, status, id);

-- Ended sessions of an amount: those of one vendor and those of all.
DROP INDEX sessions_amount;
CREATE INDEX sessions_amount ON sessions (amount_minor, vendor_id, currency, status, method, id) WHERE due_at IS NULL;
