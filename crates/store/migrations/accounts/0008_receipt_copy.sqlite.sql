-- Whether a vendor's contact e-mail address gets a copy of every receipt.

ALTER TABLE vendors ADD COLUMN receipt_copy INTEGER NOT NULL DEFAULT 0 CHECK (receipt_copy IN (0, 1));
