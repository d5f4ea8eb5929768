-- Sandbox only: sessions that have ended may be deleted, with everything that belongs to them. Live never gets this step:
-- its triggers refuse every deletion, whoever tries.

CREATE FUNCTION refuse_while_pending() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.session_id IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id AND status = 'pending') THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END
$$;

CREATE FUNCTION refuse_while_sending() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM callbacks WHERE id = OLD.callback_id AND due_at IS NOT NULL) THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END
$$;

DROP TRIGGER sessions_kept ON sessions;
CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions
FOR EACH ROW WHEN (OLD.status = 'pending')
EXECUTE FUNCTION refuse('a pending session is never deleted');

DROP TRIGGER history_kept ON history;
CREATE TRIGGER history_kept BEFORE DELETE ON history
FOR EACH ROW EXECUTE FUNCTION refuse_while_pending('the history of a pending session is never deleted');

DROP TRIGGER callbacks_kept ON callbacks;
CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks
FOR EACH ROW WHEN (OLD.due_at IS NOT NULL)
EXECUTE FUNCTION refuse('a callback event on its way is never deleted');

DROP TRIGGER attempts_kept ON callback_attempts;
CREATE TRIGGER attempts_kept BEFORE DELETE ON callback_attempts
FOR EACH ROW EXECUTE FUNCTION refuse_while_sending('attempts of a callback event on its way are never deleted');

DROP TRIGGER payment_attempts_kept ON payment_attempts;
CREATE TRIGGER payment_attempts_kept BEFORE DELETE ON payment_attempts
FOR EACH ROW EXECUTE FUNCTION refuse_while_pending('attempts of a pending session are never deleted');

DROP TRIGGER transactions_kept ON transactions;
CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
FOR EACH ROW EXECUTE FUNCTION refuse_while_pending('transactions of a pending session are never deleted');

DROP TRIGGER actions_kept ON actions;
CREATE TRIGGER actions_kept BEFORE DELETE ON actions
FOR EACH ROW EXECUTE FUNCTION refuse_while_pending('what was left to decide about a pending session is never deleted');

-- What points to a row that is deleted is looked for.
CREATE INDEX transactions_attempt ON transactions (attempt_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX actions_transaction ON actions (transaction_id) WHERE transaction_id IS NOT NULL;
