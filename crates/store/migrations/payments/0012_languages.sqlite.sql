-- The language in which the customer read our page, for what is written to them later.

ALTER TABLE payment_attempts ADD COLUMN language TEXT;

CREATE TRIGGER payment_attempts_language BEFORE UPDATE ON payment_attempts
WHEN OLD.language IS NOT NEW.language
BEGIN
    SELECT RAISE(ABORT, 'what an attempt is for cannot be changed, and its version only rises');
END;
