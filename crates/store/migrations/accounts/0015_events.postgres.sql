-- The families of callback events that a vendor is sent, such as 'refund,payment'; NULL for all of them.

ALTER TABLE vendors ADD COLUMN events TEXT;
