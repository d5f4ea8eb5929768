-- Erasure of personal data: the customer's address, the vendor's own data about the payment, and free texts are removed from
-- sessions that have ended, while the rows stay. The triggers that keep those rows allow exactly that: a value becomes
-- empty, and nothing else of its row changes with it.

-- The sessions whose personal data is to be erased, or was. Those with open work wait until it has ended.
CREATE TABLE erasures (
    session_id BLOB NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    requested_at INTEGER NOT NULL,
    erased_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_waiting ON erasures (session_id) WHERE erased_at IS NULL;

-- How far the retention has looked at sessions, refunds and notes on actions, which are in the order of their ids.
CREATE TABLE erasure_marks (
    place TEXT NOT NULL PRIMARY KEY CHECK (place IN ('sessions', 'refunds', 'notes')),
    last BLOB NOT NULL CHECK (length(last) = 16)
) STRICT, WITHOUT ROWID;

DROP TRIGGER sessions_final;
CREATE TRIGGER sessions_final BEFORE UPDATE ON sessions
WHEN OLD.status <> 'pending' AND NOT (NEW.metadata IS NULL AND NEW.customer_email IS NULL
        AND (OLD.metadata IS NOT NULL OR OLD.customer_email IS NOT NULL)
        AND NEW.status IS OLD.status AND NEW.failure_reason IS OLD.failure_reason AND NEW.updated_at IS OLD.updated_at
        AND NEW.method IS OLD.method AND NEW.card_ends_at IS OLD.card_ends_at AND NEW.sbp_ends_at IS OLD.sbp_ends_at
        AND NEW.crypto_ends_at IS OLD.crypto_ends_at AND NEW.plan_status IS OLD.plan_status
        AND NEW.plan_reason IS OLD.plan_reason AND NEW.plan_at IS OLD.plan_at AND NEW.due_at IS OLD.due_at
        AND NEW.held_until IS OLD.held_until AND NEW.moved_at IS OLD.moved_at)
BEGIN
    SELECT RAISE(ABORT, 'a session with a final status cannot be changed');
END;

DROP TRIGGER sessions_facts;
CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.order_id IS NOT NEW.order_id
    OR OLD.product_name IS NOT NEW.product_name OR OLD.price IS NOT NEW.price
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.currency IS NOT NEW.currency
    OR OLD.request_id IS NOT NEW.request_id OR OLD.created_at IS NOT NEW.created_at
    OR OLD.callback_url IS NOT NEW.callback_url OR OLD.return_url IS NOT NEW.return_url
    OR OLD.product_id IS NOT NEW.product_id OR OLD.category_id IS NOT NEW.category_id
    OR OLD.methods IS NOT NEW.methods OR OLD.asked_methods IS NOT NEW.asked_methods OR OLD.locale IS NOT NEW.locale
    OR OLD.closes_at IS NOT NEW.closes_at
    OR (OLD.metadata IS NOT NEW.metadata AND (NEW.metadata IS NOT NULL OR OLD.status = 'pending'))
    OR (OLD.customer_email IS NOT NEW.customer_email AND (NEW.customer_email IS NOT NULL OR OLD.status = 'pending'))
    OR (OLD.updated_at IS NOT NEW.updated_at AND NEW.status = 'pending')
BEGIN
    SELECT RAISE(ABORT, 'what a session is for cannot be changed');
END;

DROP TRIGGER payment_attempts_facts;
CREATE TRIGGER payment_attempts_facts BEFORE UPDATE ON payment_attempts
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.method IS NOT NEW.method OR OLD.provider IS NOT NEW.provider OR OLD.choice IS NOT NEW.choice
    OR OLD.started_at IS NOT NEW.started_at
    OR ((OLD.email IS NOT NEW.email OR NEW.version <= OLD.version)
        AND NOT (OLD.email IS NOT NULL AND NEW.email IS NULL AND OLD.state NOT IN ('intended', 'open', 'in_flight')
            AND NEW.language IS OLD.language AND NEW.state IS OLD.state AND NEW.reason IS OLD.reason
            AND NEW.reference IS OLD.reference AND NEW.shown IS OLD.shown AND NEW.charge_atoms IS OLD.charge_atoms
            AND NEW.charge_decimals IS OLD.charge_decimals AND NEW.charge_unit IS OLD.charge_unit
            AND NEW.received IS OLD.received AND NEW.recorded IS OLD.recorded AND NEW.seen IS OLD.seen
            AND NEW.needed IS OLD.needed AND NEW.confirming IS OLD.confirming
            AND NEW.in_flight_since IS OLD.in_flight_since AND NEW.updated_at IS OLD.updated_at
            AND NEW.check_at IS OLD.check_at AND NEW.checks IS OLD.checks AND NEW.version IS OLD.version))
BEGIN
    SELECT RAISE(ABORT, 'what an attempt is for cannot be changed, and its version only rises');
END;

DROP TRIGGER refunds_facts;
CREATE TRIGGER refunds_facts BEFORE UPDATE ON refunds
WHEN OLD.id IS NOT NEW.id OR OLD.vendor_id IS NOT NEW.vendor_id OR OLD.session_id IS NOT NEW.session_id
    OR OLD.transaction_id IS NOT NEW.transaction_id OR OLD.action_id IS NOT NEW.action_id
    OR OLD.number IS NOT NEW.number OR OLD.method IS NOT NEW.method OR OLD.provider IS NOT NEW.provider
    OR OLD.payment IS NOT NEW.payment OR OLD.amount IS NOT NEW.amount OR OLD.currency IS NOT NEW.currency
    OR OLD.fee IS NOT NEW.fee OR OLD.requested_by IS NOT NEW.requested_by OR OLD.created_at IS NOT NEW.created_at
    OR (OLD.reason IS NOT NEW.reason AND (NEW.reason IS NOT NULL OR OLD.state NOT IN ('succeeded', 'failed')))
BEGIN
    SELECT RAISE(ABORT, 'what a refund is for cannot be changed');
END;

DROP TRIGGER refunds_onward;
CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
WHEN OLD.state IN ('succeeded', 'failed') AND NOT (OLD.reason IS NOT NULL AND NEW.reason IS NULL
        AND NEW.state IS OLD.state AND NEW.failure IS OLD.failure AND NEW.reference IS OLD.reference
        AND NEW.attempts IS OLD.attempts AND NEW.check_at IS OLD.check_at AND NEW.version IS OLD.version
        AND NEW.updated_at IS OLD.updated_at AND NEW.hand_what IS OLD.hand_what
        AND NEW.hand_note IS OLD.hand_note
        AND NEW.hand_sent_at IS OLD.hand_sent_at AND NEW.silent_since IS OLD.silent_since
        AND NEW.moved_id IS OLD.moved_id AND NEW.pending IS OLD.pending
        AND NEW.pending_until IS OLD.pending_until)
    OR OLD.state NOT IN ('succeeded', 'failed') AND NEW.version <= OLD.version
    OR NEW.attempts < OLD.attempts OR (OLD.state = 'sent' AND NEW.state = 'requested')
BEGIN
    SELECT RAISE(ABORT, 'a refund does not go back, and its end is final');
END;

DROP TRIGGER callbacks_frozen;
CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
WHEN OLD.id IS NOT NEW.id OR OLD.session_id IS NOT NEW.session_id OR OLD.vendor_id IS NOT NEW.vendor_id
    OR OLD.event IS NOT NEW.event OR OLD.target IS NOT NEW.target OR OLD.host IS NOT NEW.host
    OR OLD.created_at IS NOT NEW.created_at OR OLD.method IS NOT NEW.method OR OLD.about IS NOT NEW.about
    OR (OLD.body IS NOT NEW.body AND NOT (OLD.due_at IS NULL AND NEW.due_at IS NULL
        AND NEW.state IS OLD.state AND NEW.attempts IS OLD.attempts AND NEW.fence IS OLD.fence
        AND NEW.started_at IS OLD.started_at AND NEW.delivered_at IS OLD.delivered_at AND NEW.position IS OLD.position
        AND NEW.body IS CAST(json_remove(CAST(OLD.body AS TEXT), '$.metadata') AS BLOB)))
BEGIN
    SELECT RAISE(ABORT, 'a callback event is frozen when it is made');
END;

DROP TRIGGER action_notes_unchanged;
CREATE TRIGGER action_notes_unchanged BEFORE UPDATE ON action_notes
WHEN NOT (OLD.body <> '[removed]' AND NEW.body = '[removed]'
        AND NEW.id IS OLD.id AND NEW.action_id IS OLD.action_id AND NEW.created_at IS OLD.created_at
        AND NEW.author IS OLD.author)
BEGIN
    SELECT RAISE(ABORT, 'notes on actions are never changed');
END;
