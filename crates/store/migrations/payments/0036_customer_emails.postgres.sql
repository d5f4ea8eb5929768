-- The payments of a customer: attempts by the e-mail address that was typed at checkout, whatever its letters' case.
-- Most attempts have none and are not in this index.

CREATE INDEX payment_attempts_email ON payment_attempts (lower(email COLLATE "C"), vendor_id, session_id) WHERE email IS NOT NULL;
