-- Whether a vendor's contact e-mail address gets a copy of every receipt.

ALTER TABLE vendors ADD COLUMN receipt_copy BOOLEAN NOT NULL DEFAULT FALSE;
