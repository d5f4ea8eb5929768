//! Converts rows of the store into lines of the lists.

use crate::{
    pages::Language,
    payments::lists::view::{CallbackLine, Delivery, SessionLine, TransactionLine},
    refunds,
};
use futures_util::future::try_join_all;
use till_domain::{
    delivery::DeliveryState,
    session::{Session, State},
    transaction::Transaction,
};
use till_service::{environment::Environment, web::words::Words};
use till_store::{StoreError, StoredEvent};

/// Sessions with the delivery state of their callbacks.
pub(crate) async fn sessions(
    environment: &Environment,
    sessions: Vec<Session>,
) -> Result<Vec<SessionLine>, StoreError> {
    let now = environment.now();
    let line = async |session: Session| {
        let pending = session.state == State::Pending;
        let refunded = refunds::part(environment, &session).await?;
        let callback = if pending { None } else { environment.store.callback(session.id).await? };
        Ok::<_, StoreError>(SessionLine {
            left: pending.then(|| session.ends_at().since(now)),
            price: session.item.price.money(),
            id: session.id,
            order_id: session.order_id,
            product: session.item.name,
            state: session.state,
            refunded,
            method: session.methods.chosen,
            created_at: session.created_at,
            delivery: callback.and_then(|callback| {
                let state = DeliveryState::parse(&callback.state)?;
                Some(Delivery { state, attempts: callback.attempts, next_at: None, answer: None })
            }),
        })
    };
    try_join_all(sessions.into_iter().map(line)).await
}

/// Movements of money with their order ids.
pub(crate) async fn transactions(
    environment: &Environment,
    language: Language,
    moved: Vec<Transaction>,
) -> Result<Vec<TransactionLine>, StoreError> {
    let line = async |money: Transaction| {
        let order_id = order_of(environment, &money).await?;
        let same = money.received.unit == money.amount.currency.code();
        Ok::<_, StoreError>(TransactionLine {
            coins: (!same).then(|| Words { language }.quantity(&money.received)),
            amount: money.moved(),
            order_id,
            id: money.id,
            at: money.at,
            session: money.session,
            method: money.method,
            provider: money.provider,
            reference: money.reference,
            marks: money.marks,
        })
    };
    try_join_all(moved.into_iter().map(line)).await
}

/// The order id of a movement of money.
pub(crate) async fn order_of(environment: &Environment, money: &Transaction) -> Result<String, StoreError> {
    let session = environment.store.session(money.session, money.vendor).await?;
    Ok(session.map(|session| session.order_id).unwrap_or_default())
}

/// Callbacks with their last answers.
pub(crate) async fn callbacks(
    environment: &Environment,
    events: Vec<StoredEvent>,
) -> Result<Vec<CallbackLine>, StoreError> {
    let line = async |event: StoredEvent| {
        let tries = environment.store.attempts(event.id).await?;
        Ok::<_, StoreError>(CallbackLine {
            order_id: order_in(&event),
            delivery: Delivery {
                state: event.state,
                attempts: event.attempts.min(tries.last().map_or(0, |made| made.number)),
                next_at: event.due_at.filter(|_| event.state == DeliveryState::Queued),
                answer: tries.into_iter().last().map(|made| (made.result, made.status)),
            },
            id: event.id,
            at: event.created_at,
            session: event.session,
            event: event.event,
        })
    };
    try_join_all(events.into_iter().map(line)).await
}

/// The order id of a callback, read from its frozen bytes.
pub(super) fn order_in(event: &StoredEvent) -> String {
    let body: Option<serde_json::Value> = serde_json::from_slice(&event.body).ok();
    let order = body.as_ref().and_then(|body| body.get("orderId")).and_then(serde_json::Value::as_str);
    order.unwrap_or_default().to_owned()
}
