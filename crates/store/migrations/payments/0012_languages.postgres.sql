-- The language in which the customer read our page, for what is written to them later.

ALTER TABLE payment_attempts ADD COLUMN language TEXT;

CREATE TRIGGER payment_attempts_language BEFORE UPDATE ON payment_attempts
FOR EACH ROW WHEN (OLD.language IS DISTINCT FROM NEW.language)
EXECUTE FUNCTION refuse('what an attempt is for cannot be changed, and its version only rises');
