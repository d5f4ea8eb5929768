-- Sandbox only: sessions that have ended may be deleted, with everything that belongs to them. Live never gets this step:
-- its triggers refuse every deletion, whoever tries.

DROP TRIGGER sessions_kept;
CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions WHEN OLD.status = 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a pending session is never deleted');
END;

DROP TRIGGER history_kept;
CREATE TRIGGER history_kept BEFORE DELETE ON history
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id AND status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'the history of a pending session is never deleted');
END;

DROP TRIGGER callbacks_kept;
CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks WHEN OLD.due_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a callback event on its way is never deleted');
END;

DROP TRIGGER attempts_kept;
CREATE TRIGGER attempts_kept BEFORE DELETE ON callback_attempts
WHEN EXISTS (SELECT 1 FROM callbacks WHERE id = OLD.callback_id AND due_at IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'attempts of a callback event on its way are never deleted');
END;

DROP TRIGGER payment_attempts_kept;
CREATE TRIGGER payment_attempts_kept BEFORE DELETE ON payment_attempts
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id AND status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'attempts of a pending session are never deleted');
END;

DROP TRIGGER transactions_kept;
CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id AND status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'transactions of a pending session are never deleted');
END;

DROP TRIGGER actions_kept;
CREATE TRIGGER actions_kept BEFORE DELETE ON actions
WHEN OLD.session_id IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id AND status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'what was left to decide about a pending session is never deleted');
END;

-- What points to a row that is deleted is looked for.
CREATE INDEX transactions_attempt ON transactions (attempt_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX actions_transaction ON actions (transaction_id) WHERE transaction_id IS NOT NULL;
