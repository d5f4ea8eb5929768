-- Erasure of personal data: the customer's address, the vendor's own data about the payment, and free texts are removed from
-- sessions that have ended, while the rows stay. The triggers that keep those rows allow exactly that: a value becomes
-- empty, and nothing else of its row changes with it.

-- The sessions whose personal data is to be erased, or was. Those with open work wait until it has ended.
CREATE TABLE erasures (
    session_id BYTEA NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    requested_at BIGINT NOT NULL,
    erased_at BIGINT
);

CREATE INDEX erasures_waiting ON erasures (session_id) WHERE erased_at IS NULL;

-- How far the retention has looked at sessions, refunds and notes on actions, which are in the order of their ids.
CREATE TABLE erasure_marks (
    place TEXT NOT NULL PRIMARY KEY CHECK (place IN ('sessions', 'refunds', 'notes')),
    last BYTEA NOT NULL CHECK (length(last) = 16)
);

DROP TRIGGER sessions_final ON sessions;
CREATE TRIGGER sessions_final BEFORE UPDATE ON sessions
FOR EACH ROW WHEN (
    OLD.status <> 'pending' AND NOT (NEW.metadata IS NULL AND NEW.customer_email IS NULL
        AND (OLD.metadata IS NOT NULL OR OLD.customer_email IS NOT NULL)
        AND NEW.status IS NOT DISTINCT FROM OLD.status AND NEW.failure_reason IS NOT DISTINCT FROM OLD.failure_reason
        AND NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at AND NEW.method IS NOT DISTINCT FROM OLD.method
        AND NEW.card_ends_at IS NOT DISTINCT FROM OLD.card_ends_at
        AND NEW.sbp_ends_at IS NOT DISTINCT FROM OLD.sbp_ends_at
        AND NEW.crypto_ends_at IS NOT DISTINCT FROM OLD.crypto_ends_at
        AND NEW.plan_status IS NOT DISTINCT FROM OLD.plan_status
        AND NEW.plan_reason IS NOT DISTINCT FROM OLD.plan_reason AND NEW.plan_at IS NOT DISTINCT FROM OLD.plan_at
        AND NEW.due_at IS NOT DISTINCT FROM OLD.due_at AND NEW.held_until IS NOT DISTINCT FROM OLD.held_until
        AND NEW.moved_at IS NOT DISTINCT FROM OLD.moved_at)
)
EXECUTE FUNCTION refuse('a session with a final status cannot be changed');

DROP TRIGGER sessions_facts ON sessions;
CREATE TRIGGER sessions_facts BEFORE UPDATE ON sessions
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.order_id IS DISTINCT FROM NEW.order_id OR OLD.product_name IS DISTINCT FROM NEW.product_name
    OR OLD.price IS DISTINCT FROM NEW.price OR OLD.amount_minor IS DISTINCT FROM NEW.amount_minor
    OR OLD.currency IS DISTINCT FROM NEW.currency OR OLD.request_id IS DISTINCT FROM NEW.request_id
    OR OLD.created_at IS DISTINCT FROM NEW.created_at OR OLD.callback_url IS DISTINCT FROM NEW.callback_url
    OR OLD.return_url IS DISTINCT FROM NEW.return_url OR OLD.product_id IS DISTINCT FROM NEW.product_id
    OR OLD.category_id IS DISTINCT FROM NEW.category_id OR OLD.methods IS DISTINCT FROM NEW.methods
    OR OLD.asked_methods IS DISTINCT FROM NEW.asked_methods OR OLD.locale IS DISTINCT FROM NEW.locale
    OR OLD.closes_at IS DISTINCT FROM NEW.closes_at
    OR (OLD.metadata IS DISTINCT FROM NEW.metadata AND (NEW.metadata IS NOT NULL OR OLD.status = 'pending'))
    OR (OLD.customer_email IS DISTINCT FROM NEW.customer_email AND (NEW.customer_email IS NOT NULL OR OLD.status = 'pending'))
    OR (OLD.updated_at IS DISTINCT FROM NEW.updated_at AND NEW.status = 'pending')
)
EXECUTE FUNCTION refuse('what a session is for cannot be changed');

DROP TRIGGER payment_attempts_facts ON payment_attempts;
CREATE TRIGGER payment_attempts_facts BEFORE UPDATE ON payment_attempts
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.session_id IS DISTINCT FROM NEW.session_id
    OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id OR OLD.method IS DISTINCT FROM NEW.method
    OR OLD.provider IS DISTINCT FROM NEW.provider OR OLD.choice IS DISTINCT FROM NEW.choice
    OR OLD.started_at IS DISTINCT FROM NEW.started_at
    OR ((OLD.email IS DISTINCT FROM NEW.email OR NEW.version <= OLD.version)
        AND NOT (OLD.email IS NOT NULL AND NEW.email IS NULL AND OLD.state NOT IN ('intended', 'open', 'in_flight')
            AND NEW.language IS NOT DISTINCT FROM OLD.language AND NEW.state IS NOT DISTINCT FROM OLD.state
            AND NEW.reason IS NOT DISTINCT FROM OLD.reason AND NEW.reference IS NOT DISTINCT FROM OLD.reference
            AND NEW.shown IS NOT DISTINCT FROM OLD.shown AND NEW.charge_atoms IS NOT DISTINCT FROM OLD.charge_atoms
            AND NEW.charge_decimals IS NOT DISTINCT FROM OLD.charge_decimals
            AND NEW.charge_unit IS NOT DISTINCT FROM OLD.charge_unit
            AND NEW.received IS NOT DISTINCT FROM OLD.received AND NEW.recorded IS NOT DISTINCT FROM OLD.recorded
            AND NEW.seen IS NOT DISTINCT FROM OLD.seen AND NEW.needed IS NOT DISTINCT FROM OLD.needed
            AND NEW.confirming IS NOT DISTINCT FROM OLD.confirming
            AND NEW.in_flight_since IS NOT DISTINCT FROM OLD.in_flight_since
            AND NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at AND NEW.check_at IS NOT DISTINCT FROM OLD.check_at
            AND NEW.checks IS NOT DISTINCT FROM OLD.checks AND NEW.version IS NOT DISTINCT FROM OLD.version))
)
EXECUTE FUNCTION refuse('what an attempt is for cannot be changed, and its version only rises');

DROP TRIGGER refunds_facts ON refunds;
CREATE TRIGGER refunds_facts BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id
    OR OLD.session_id IS DISTINCT FROM NEW.session_id OR OLD.transaction_id IS DISTINCT FROM NEW.transaction_id
    OR OLD.action_id IS DISTINCT FROM NEW.action_id OR OLD.number IS DISTINCT FROM NEW.number
    OR OLD.method IS DISTINCT FROM NEW.method OR OLD.provider IS DISTINCT FROM NEW.provider
    OR OLD.payment IS DISTINCT FROM NEW.payment OR OLD.amount IS DISTINCT FROM NEW.amount
    OR OLD.currency IS DISTINCT FROM NEW.currency OR OLD.fee IS DISTINCT FROM NEW.fee
    OR OLD.requested_by IS DISTINCT FROM NEW.requested_by OR OLD.created_at IS DISTINCT FROM NEW.created_at
    OR (OLD.reason IS DISTINCT FROM NEW.reason AND (NEW.reason IS NOT NULL OR OLD.state NOT IN ('succeeded', 'failed')))
)
EXECUTE FUNCTION refuse('what a refund is for cannot be changed');

DROP TRIGGER refunds_onward ON refunds;
CREATE TRIGGER refunds_onward BEFORE UPDATE ON refunds
FOR EACH ROW WHEN (
    OLD.state IN ('succeeded', 'failed') AND NOT (OLD.reason IS NOT NULL AND NEW.reason IS NULL
        AND NEW.state IS NOT DISTINCT FROM OLD.state AND NEW.failure IS NOT DISTINCT FROM OLD.failure
        AND NEW.reference IS NOT DISTINCT FROM OLD.reference AND NEW.attempts IS NOT DISTINCT FROM OLD.attempts
        AND NEW.check_at IS NOT DISTINCT FROM OLD.check_at AND NEW.version IS NOT DISTINCT FROM OLD.version
        AND NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at AND NEW.hand_what IS NOT DISTINCT FROM OLD.hand_what
        AND NEW.hand_note IS NOT DISTINCT FROM OLD.hand_note
        AND NEW.hand_sent_at IS NOT DISTINCT FROM OLD.hand_sent_at
        AND NEW.silent_since IS NOT DISTINCT FROM OLD.silent_since AND NEW.moved_id IS NOT DISTINCT FROM OLD.moved_id AND NEW.pending IS NOT DISTINCT FROM OLD.pending
        AND NEW.pending_until IS NOT DISTINCT FROM OLD.pending_until)
    OR OLD.state NOT IN ('succeeded', 'failed') AND NEW.version <= OLD.version
    OR NEW.attempts < OLD.attempts OR (OLD.state = 'sent' AND NEW.state = 'requested')
)
EXECUTE FUNCTION refuse('a refund does not go back, and its end is final');

DROP TRIGGER callbacks_frozen ON callbacks;
CREATE TRIGGER callbacks_frozen BEFORE UPDATE ON callbacks
FOR EACH ROW WHEN (
    OLD.id IS DISTINCT FROM NEW.id OR OLD.session_id IS DISTINCT FROM NEW.session_id
    OR OLD.vendor_id IS DISTINCT FROM NEW.vendor_id OR OLD.event IS DISTINCT FROM NEW.event
    OR OLD.target IS DISTINCT FROM NEW.target OR OLD.host IS DISTINCT FROM NEW.host
    OR OLD.created_at IS DISTINCT FROM NEW.created_at OR OLD.method IS DISTINCT FROM NEW.method
    OR OLD.about IS DISTINCT FROM NEW.about
    OR (OLD.body IS DISTINCT FROM NEW.body AND NOT (OLD.due_at IS NULL AND NEW.due_at IS NULL
        AND NEW.state IS NOT DISTINCT FROM OLD.state AND NEW.attempts IS NOT DISTINCT FROM OLD.attempts
        AND NEW.fence IS NOT DISTINCT FROM OLD.fence AND NEW.started_at IS NOT DISTINCT FROM OLD.started_at
        AND NEW.delivered_at IS NOT DISTINCT FROM OLD.delivered_at AND NEW.position IS NOT DISTINCT FROM OLD.position
        AND convert_from(OLD.body, 'UTF8')::JSONB ? 'metadata'
        AND convert_from(NEW.body, 'UTF8')::JSONB = convert_from(OLD.body, 'UTF8')::JSONB - 'metadata'))
)
EXECUTE FUNCTION refuse('a callback event is frozen when it is made');

DROP TRIGGER action_notes_unchanged ON action_notes;
CREATE TRIGGER action_notes_unchanged BEFORE UPDATE ON action_notes
FOR EACH ROW WHEN (
    NOT (OLD.body <> '[removed]' AND NEW.body = '[removed]'
        AND NEW.id IS NOT DISTINCT FROM OLD.id AND NEW.action_id IS NOT DISTINCT FROM OLD.action_id
        AND NEW.created_at IS NOT DISTINCT FROM OLD.created_at AND NEW.author IS NOT DISTINCT FROM OLD.author)
)
EXECUTE FUNCTION refuse('notes on actions are never changed');
