//! Turns domain changes into guarded statements.

use crate::{
    engine::sql::{Sql, Statement, Value, statements},
    payments::{
        actions, attempts, chains, faults, fiscal, ledger, money, payouts, provider_activity, receipts,
        refund_counts, refunds, retention,
    },
};
use till_domain::{
    callback::CallbackEvent,
    change::{Change, HistoryEntry, RememberedKey},
    delivery::{AttemptRecord, DeliveryState},
    method::Method,
    session::{RequestedMethods, Session, State},
    visit,
    weburl::WebUrl,
};

/// The subject of an event that is about its session's own status.
pub(crate) const OWN_STATUS: [u8; 16] = [0; 16];

statements! {
    // An expired key is replaced as if it did not exist. The guard is the WHERE: a key still in use changes
    // no row.
    static REMEMBER_KEY = Sql::new(
        "INSERT INTO idempotency_keys (vendor_id, key, fingerprint, session_id, created_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (vendor_id, key) DO UPDATE
         SET fingerprint = excluded.fingerprint, session_id = excluded.session_id, created_at = excluded.created_at
         WHERE idempotency_keys.created_at <= $6",
    );
    static FORGET_KEYS = Sql::new(
        "DELETE FROM idempotency_keys WHERE (vendor_id, key) IN
            (SELECT vendor_id, key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2
             FOR UPDATE SKIP LOCKED)",
    );
    static INSERT_SESSION = Sql::insert(
        "INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, product_id,
            category_id, status, failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, due_at, metadata, customer_email, locale, closes_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24, $25, $26, $27)",
    );
    static INSERT_METADATA = Sql::insert(
        "INSERT INTO session_metadata (vendor_id, key, value, session_id) VALUES ($1, $2, $3, $4)",
    );
    static FINISH_SESSION = Sql::update(
        "UPDATE sessions SET status = $2, failure_reason = $3, updated_at = $4, due_at = NULL, held_until = NULL,
            plan_status = NULL, plan_reason = NULL, plan_at = NULL
         WHERE id = $1 AND status = 'pending' AND (CAST($5 AS BIGINT) IS NULL OR due_at = $5)",
    );
    static PLAN_OUTCOME = Sql::update(
        "UPDATE sessions SET plan_status = $2, plan_reason = $3, plan_at = $4, due_at = $5
         WHERE id = $1 AND status = 'pending' AND due_at = $6",
    );
    static CHOOSE_METHOD = Sql::update(
        "UPDATE sessions SET method = $2, card_ends_at = $3, sbp_ends_at = $4, crypto_ends_at = $5, due_at = $6,
            held_until = $7
         WHERE id = $1 AND status = 'pending' AND due_at = $8",
    );
    static HOLD_SESSION = Sql::update(
        "UPDATE sessions SET held_until = $2, due_at = $3 WHERE id = $1 AND status = 'pending' AND due_at = $4",
    );
    // Changes nothing, but locks the row: a node that wants to take the lease over waits for this commit.
    static HOLD_LEASE = Sql::new("UPDATE leases SET ends_at = ends_at WHERE name = $1 AND fence = $2");
    static RECORD = Sql::insert(
        "INSERT INTO history (session_id, seq, at, kind, detail)
         VALUES ($1, (SELECT COALESCE(MAX(seq), 0) + 1 FROM history WHERE session_id = $1), $2, $3, $4)",
    );
    // Other nodes record visits of the same session, so the limit is checked here.
    static NOTE_VISIT = Sql::insert(
        "INSERT INTO visits (session_id, at, kind) SELECT $1, $2, $3
         WHERE (SELECT COUNT(*) FROM visits WHERE session_id = $1) < $4
         ON CONFLICT (session_id, at, kind) DO NOTHING",
    );
    static QUEUE_CALLBACK = Sql::insert(
        "INSERT INTO callbacks (id, session_id, vendor_id, event, target, host, body, created_at, state, due_at,
            method, about, attempts, fence)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0)",
    );
    static BEGIN_ATTEMPT = Sql::update(
        "UPDATE callbacks SET state = 'sending', attempts = $3, started_at = $4, due_at = $5, fence = fence + 1
         WHERE id = $1 AND fence = $2 AND due_at IS NOT NULL",
    );
    static END_ATTEMPT = Sql::update(
        "UPDATE callbacks SET state = $3, due_at = $4, delivered_at = COALESCE(delivered_at, $5)
         WHERE id = $1 AND fence = $2 AND state = 'sending'",
    );
    static RETURN_ATTEMPT = Sql::new(
        "UPDATE callbacks SET state = 'queued', attempts = attempts - 1, started_at = $4, due_at = $5
         WHERE id = $1 AND fence = $2 AND state = 'sending' AND attempts = $3",
    );
    static POSTPONE = Sql::new(
        "UPDATE callbacks SET due_at = $3, fence = fence + 1
         WHERE id = $1 AND fence = $2 AND state = 'queued' AND attempts = 0",
    );
    static RECORD_ATTEMPT = Sql::insert(
        "INSERT INTO callback_attempts (callback_id, number, started_at, took_ms, result, status)
         VALUES ($1, $2, $3, $4, $5, $6)",
    );
    static KEEP_RESPONSE = Sql::new(
        "INSERT INTO callback_responses (callback_id, number, kept_at, content_type, body)
         VALUES ($1, $2, $3, $4, $5)",
    );
    static RESEND = Sql::new(
        "UPDATE callbacks SET state = 'queued', due_at = $2, fence = fence + 1,
            attempts = CASE WHEN attempts < $3 THEN $3 ELSE attempts END
         WHERE id = $1 AND state IN ('delivered', 'undelivered')",
    );
    // It follows the statement above.
    static RECORD_RESEND = Sql::new(
        "INSERT INTO callback_resends (callback_id, number, requested_at, requested_by, by_operator)
         SELECT id, attempts + 1, $2, $3, $4 FROM callbacks WHERE id = $1 AND state = 'queued'",
    );
    // An event that is being sent is not hastened: its due time is the end of its lease, when another node
    // may continue.
    static HASTEN =
        Sql::new("UPDATE callbacks SET due_at = $2 WHERE id = $1 AND state = 'queued' AND due_at > $2");
}

/// Adds the statements of a change. The postings of an entry come before the entry, which closes them; what
/// belongs to a session is deleted before the session.
pub(crate) fn add(unit: &mut Vec<Statement>, change: &Change) {
    match change {
        Change::PostEntry(entry) => unit.extend(ledger::postings(entry)),
        Change::DeleteSession { id } => unit.extend(retention::belongings(*id)),
        Change::InsertSession(session) => unit.extend(insert_metadata(session)),
        _ => {}
    }
    unit.push(statement(change));
    if let Change::Resend { id, at, by, .. } = change {
        let params = vec![
            id.as_bytes().into(),
            (*at).into(),
            by.name.as_str().into(),
            i64::from(by.is_operator).into(),
        ];
        unit.push(Statement { sql: &RECORD_RESEND, params, guarded: false });
    }
}

/// The statement of a change.
fn statement(change: &Change) -> Statement {
    #[cfg(feature = "simulation")]
    if let Some(planted) = super::planted::statement(change) {
        return planted;
    }
    sound_statement(change)
}

pub(super) fn sound_statement(change: &Change) -> Statement {
    let (sql, params) = match change {
        Change::RememberKey(key) => (&REMEMBER_KEY, remember_key(key)),
        Change::ForgetKeys { before, limit } => {
            (&FORGET_KEYS, vec![(*before).into(), i64::from(*limit).into()])
        }
        Change::ForgetVisits { before, limit } => {
            (&retention::FORGET_VISITS, retention::old(*before, *limit))
        }
        Change::ForgetResponses { before, limit } => {
            (&retention::FORGET_RESPONSES, retention::old(*before, *limit))
        }
        Change::ForgetCalls { before, limit } => {
            (&provider_activity::FORGET_CALLS, retention::old(*before, *limit))
        }
        Change::ClearRecipients { before, limit } => {
            (&receipts::CLEAR_RECIPIENTS, retention::old(*before, *limit))
        }
        Change::DeleteSession { id } => (&retention::DELETE_SESSION, vec![id.as_bytes().into()]),
        Change::InsertSession(session) => (&INSERT_SESSION, insert_session(session)),
        Change::FinishSession { id, outcome, at, was_due_at } => {
            let status = State::from(*outcome).status().as_str();
            let reason = outcome.reason().map(|r| r.as_str());
            let params =
                vec![id.as_bytes().into(), status.into(), reason.into(), (*at).into(), (*was_due_at).into()];
            (&FINISH_SESSION, params)
        }
        Change::PlanOutcome { id, plan, due_at, was_due_at } => {
            let status = State::from(plan.outcome).status().as_str();
            let reason = plan.outcome.reason().map(|r| r.as_str());
            let params = vec![
                id.as_bytes().into(),
                status.into(),
                reason.into(),
                plan.at.into(),
                (*due_at).into(),
                (*was_due_at).into(),
            ];
            (&PLAN_OUTCOME, params)
        }
        Change::ChooseMethod { id, method, clocks, held_until, due_at, was_due_at } => {
            let params = vec![
                id.as_bytes().into(),
                method.as_str().into(),
                clocks.card.into(),
                clocks.sbp.into(),
                clocks.crypto.into(),
                (*due_at).into(),
                (*held_until).into(),
                (*was_due_at).into(),
            ];
            (&CHOOSE_METHOD, params)
        }
        Change::HoldSession { id, held_until, due_at, was_due_at } => {
            let params =
                vec![id.as_bytes().into(), (*held_until).into(), (*due_at).into(), (*was_due_at).into()];
            (&HOLD_SESSION, params)
        }
        Change::InsertAttempt(attempt) => (&attempts::INSERT, attempts::insert(attempt)),
        Change::MoveAttempt { attempt, was, .. } => (&attempts::MOVE, attempts::change(attempt, *was)),
        Change::ResolveAction { id, resolution, at, by } => {
            let params =
                vec![id.as_bytes().into(), resolution.as_str().into(), (*at).into(), by.as_str().into()];
            (&actions::RESOLVE_ACTION, params)
        }
        Change::NoteAction { id, note, due_at } => {
            (&actions::NOTE_ACTION, vec![id.as_bytes().into(), note.as_str().into(), (*due_at).into()])
        }
        Change::AssignAction { id, to, was } => {
            let params = vec![id.as_bytes().into(), to.as_deref().into(), was.as_deref().into()];
            (&actions::ASSIGN_ACTION, params)
        }
        Change::AddActionNote(note) => (&actions::ADD_NOTE, actions::note(note)),
        Change::TellOfTransfer { chain, reference, address } => {
            (&chains::TELL, chains::tell(*chain, reference, *address))
        }
        Change::RecordTransaction(transaction) => {
            (&money::RECORD_TRANSACTION, money::transaction(transaction))
        }
        Change::NeedAction(action) => (&actions::NEED_ACTION, actions::action(action)),
        Change::PostEntry(entry) => (&ledger::INSERT_ENTRY, ledger::entry(entry)),
        Change::ScheduleSettlement(settlement) => {
            (&ledger::SCHEDULE_SETTLEMENT, ledger::settlement(settlement))
        }
        Change::SettleEntry { entry } => (&ledger::SETTLE_ENTRY, vec![entry.as_bytes().into()]),
        Change::TakeFromWallet { vendor, currency, was } => {
            let params =
                vec![vendor.as_bytes().into(), currency.code().into(), (*was).into(), (was + 1).into()];
            (&ledger::TAKE_FROM_WALLET, params)
        }
        Change::CountRefund { session, was } => {
            (&refund_counts::COUNT, vec![session.as_bytes().into(), (*was).into(), (was + 1).into()])
        }
        Change::InsertRefund(refund) => (&refunds::INSERT, refunds::insert(refund)),
        Change::MoveRefund { refund, was } => (&refunds::MOVE, refunds::change(refund, *was)),
        Change::SealEntry { id, seal } => {
            (&ledger::SEAL_ENTRY, vec![id.as_bytes().into(), seal.seq.into(), (&seal.hash).into()])
        }
        Change::AskPayout(payout) => (&payouts::ASK, payouts::ask(payout)),
        Change::MovePayout { id, step } => payouts::step(*id, step),
        Change::CarryBalance(carried) => (&ledger::CARRY_BALANCE, ledger::carried(carried)),
        Change::HoldLease { name, fence } => (&HOLD_LEASE, vec![(*name).into(), (*fence).into()]),
        Change::Record(entry) => (&RECORD, record(entry)),
        Change::NoteVisit { session, kind, at } => {
            let most = i64::from(visit::MAX_PER_SESSION).into();
            (&NOTE_VISIT, vec![session.as_bytes().into(), (*at).into(), kind.as_str().into(), most])
        }
        Change::QueueCallback(event) => (&QUEUE_CALLBACK, queue_callback(event)),
        Change::QueueReceipt(receipt) => (&receipts::QUEUE_RECEIPT, receipts::receipt(receipt)),
        Change::InsertFiscalReceipt(receipt) => (&fiscal::INSERT, fiscal::insert(receipt)),
        Change::InsertClosingReceipt(receipt) => (&fiscal::INSERT_CLOSING, fiscal::insert(receipt)),
        Change::SendFiscalReceipt(sending) => (&fiscal::SEND, fiscal::send(sending)),
        Change::InsertSecondReceipt(receipt) => (&fiscal::INSERT_SECOND, fiscal::second(receipt)),
        Change::MoveFiscalReceipt { receipt, was } => (&fiscal::MOVE, fiscal::change(receipt, *was)),
        Change::PlanFiscalReceipt { id, plan, at } => (&fiscal::PLAN, fiscal::plan(*id, *plan, *at)),
        Change::QueueDispatch(dispatch) => receipts::queue(dispatch),
        Change::TakeDispatch { about, kind, fence, due_at } => {
            let params = vec![about.into(), kind.as_str().into(), (*fence).into(), (*due_at).into()];
            (&receipts::TAKE, params)
        }
        Change::EndDispatch { about, kind, fence, state, due_at, ended_at, error } => {
            let params = vec![
                about.into(),
                kind.as_str().into(),
                (*fence).into(),
                state.as_str().into(),
                (*due_at).into(),
                (*ended_at).into(),
                (*error).into(),
            ];
            (&receipts::END, params)
        }
        Change::BeginAttempt { id, fence, number, at, due_at } => {
            let params = vec![
                id.as_bytes().into(),
                (*fence).into(),
                i64::from(*number).into(),
                (*at).into(),
                (*due_at).into(),
            ];
            (&BEGIN_ATTEMPT, params)
        }
        Change::EndAttempt { id, fence, state, due_at, delivered_at } => {
            let params = vec![
                id.as_bytes().into(),
                (*fence).into(),
                state.as_str().into(),
                (*due_at).into(),
                (*delivered_at).into(),
            ];
            (&END_ATTEMPT, params)
        }
        Change::ReturnAttempt { id, fence, number, started_at, due_at } => {
            let params = vec![
                id.as_bytes().into(),
                (*fence).into(),
                i64::from(*number).into(),
                (*started_at).into(),
                (*due_at).into(),
            ];
            (&RETURN_ATTEMPT, params)
        }
        Change::PostponeCallback { id, fence, due_at } => {
            (&POSTPONE, vec![id.as_bytes().into(), (*fence).into(), (*due_at).into()])
        }
        Change::ChooseDelivery { chosen_for, choice } => {
            (&faults::CHOOSE, faults::choose(*chosen_for, *choice))
        }
        Change::ForgetDelivery { session } => {
            (&faults::FORGET, vec![session.as_bytes().into(), (&OWN_STATUS).into()])
        }
        Change::ReturnFault { event } => (&faults::RETURN, vec![event.as_bytes().into()]),
        Change::PlayFault { event, planned, at } => (&faults::PLAY, faults::play(*event, *planned, *at)),
        Change::EndFault { event, result } => (&faults::END, faults::end(*event, *result)),
        Change::RecordAttempt(record) => (&RECORD_ATTEMPT, record_attempt(record)),
        Change::KeepResponse { event, number, at, response } => {
            let params = vec![
                event.as_bytes().into(),
                i64::from(*number).into(),
                (*at).into(),
                response.content_type.as_deref().into(),
                response.body.as_slice().into(),
            ];
            (&KEEP_RESPONSE, params)
        }
        Change::Hasten { id, at } => (&HASTEN, vec![id.as_bytes().into(), (*at).into()]),
        Change::Resend { id, at, attempts, .. } => {
            (&RESEND, vec![id.as_bytes().into(), (*at).into(), i64::from(*attempts).into()])
        }
    };
    Statement { sql, params, guarded: change.guard().is_some() }
}

fn remember_key(key: &RememberedKey) -> Vec<Value> {
    vec![
        key.vendor.as_bytes().into(),
        key.key.as_str().into(),
        (&key.fingerprint).into(),
        (&key.made).into(),
        key.at.into(),
        key.forget_before.into(),
    ]
}

fn insert_session(session: &Session) -> Vec<Value> {
    let money = session.item.price.money();
    let reason = match session.state {
        State::Failed(reason) => Some(reason.as_str()),
        State::Pending | State::Paid | State::Expired => None,
    };
    let due_at = (session.state == State::Pending).then(|| session.due_at());
    vec![
        session.id.as_bytes().into(),
        session.vendor.as_bytes().into(),
        session.order_id.as_str().into(),
        session.item.name.as_str().into(),
        session.item.price.digits().into(),
        money.minor.into(),
        money.currency.code().into(),
        session.item.product.as_ref().map(|p| p.as_str()).into(),
        session.item.category.as_ref().map(|c| c.as_str()).into(),
        session.state.status().as_str().into(),
        reason.into(),
        session.request_id.as_str().into(),
        session.created_at.into(),
        session.updated_at.into(),
        session.callback_url.as_ref().map(|u| u.as_str()).into(),
        session.return_url.as_ref().map(|u| u.as_str()).into(),
        Method::join(&session.methods.offered).into(),
        session.methods.chosen.as_str().into(),
        session.methods.clocks.card.into(),
        session.methods.clocks.sbp.into(),
        session.methods.clocks.crypto.into(),
        requested_methods_to_text(&session.methods.requested).into(),
        due_at.into(),
        session.metadata.to_json().into(),
        session.customer.email.as_deref().into(),
        session.customer.locale.as_deref().into(),
        session.closes_at.into(),
    ]
}

/// The rows by which a session is found by its metadata.
fn insert_metadata(session: &Session) -> impl Iterator<Item = Statement> {
    session.metadata.iter().map(|(key, value)| {
        let params =
            vec![session.vendor.as_bytes().into(), key.into(), value.into(), session.id.as_bytes().into()];
        Statement { sql: &INSERT_METADATA, params, guarded: false }
    })
}

fn record(entry: &HistoryEntry) -> Vec<Value> {
    vec![
        entry.session.as_bytes().into(),
        entry.at.into(),
        entry.kind.as_str().into(),
        entry.detail.as_deref().into(),
    ]
}

fn queue_callback(event: &CallbackEvent) -> Vec<Value> {
    let target = event.target.as_ref().map(|url| url.as_str());
    let state = if target.is_some() { DeliveryState::Queued } else { DeliveryState::NoTarget };
    let due_at = target.is_some().then_some(event.at);
    vec![
        event.id.as_bytes().into(),
        event.session.as_bytes().into(),
        event.vendor.as_bytes().into(),
        event.kind.as_str().into(),
        target.into(),
        event.target.as_ref().map(WebUrl::host_key).into(),
        event.body.as_slice().into(),
        event.at.into(),
        state.as_str().into(),
        due_at.into(),
        event.method.as_str().into(),
        event.about.as_ref().unwrap_or(&OWN_STATUS).into(),
    ]
}

fn record_attempt(record: &AttemptRecord) -> Vec<Value> {
    let took_ms = record.took.map(|took| i64::try_from(took.as_millis()).unwrap_or(i64::MAX));
    vec![
        record.event.as_bytes().into(),
        i64::from(record.number).into(),
        record.started_at.into(),
        took_ms.into(),
        record.result.as_str().into(),
        record.result.status().map(i64::from).into(),
    ]
}

/// The methods for which the request asked, as JSON: it may hold any string, including U+0000, which a text
/// column of some engines cannot.
fn requested_methods_to_text(requested: &RequestedMethods) -> Option<String> {
    if *requested == RequestedMethods::default() {
        return None;
    }
    Some(serde_json::json!([requested.default, requested.available]).to_string())
}

/// Reads what [`requested_methods_to_text`] wrote.
pub(crate) fn requested_methods_from_text(text: Option<&str>) -> Result<RequestedMethods, serde_json::Error> {
    let Some(text) = text else { return Ok(RequestedMethods::default()) };
    let (default, available) = serde_json::from_str(text)?;
    Ok(RequestedMethods { default, available })
}
