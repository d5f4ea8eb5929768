-- A vendor's settings for fiscal receipts (54-FZ).

ALTER TABLE vendors ADD COLUMN fiscal TEXT NOT NULL DEFAULT 'off';
ALTER TABLE vendors ADD COLUMN fiscal_tax_system TEXT;
ALTER TABLE vendors ADD COLUMN fiscal_vat TEXT;
ALTER TABLE vendors ADD COLUMN fiscal_subject TEXT;
ALTER TABLE vendors ADD COLUMN fiscal_mode TEXT;
ALTER TABLE vendors ADD COLUMN fiscal_max_items INTEGER NOT NULL DEFAULT 100;
