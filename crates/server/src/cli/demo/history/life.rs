//! The life of one sample session, from its creation to the delivery of its callback. Each step is the one
//! that a running service takes, at a time in the past.

use super::{
    bank::PastBank,
    delivery::deliver,
    month::{CallbackCourse, Course, Purchase},
    past::Past,
};
use anyhow::Context as _;
use std::time::Duration;
use till_domain::{
    attempt::{self, Attempt, AttemptDecision, Beginning},
    change::{Change, VisitKind},
    environment::EnvironmentName,
    id::{AttemptId, EventId, SessionId},
    receipt::Receipt,
    request::{CreateRequest, FieldValue},
    session::{self, Catalog, Creation, Session},
    time::Timestamp,
    transaction::Transaction,
    visit,
};
use till_providers::{BankDecision, Order, Provider as _, Simulator};
use till_service::{environment::RequestId, random};

/// When a decision of the bank is seen: after the slowest transfer is final.
const SEEN_AFTER: Duration = Duration::from_secs(15);

/// A session that was paid.
#[derive(Debug)]
pub(super) struct PaidSession {
    pub(super) session: Session,
    pub(super) money: Transaction,
    pub(super) receipt: Option<Receipt>,
}

/// Writes a session and everything that becomes of it, but its refund. Returns it if it was paid.
pub(super) async fn live_through(past: &Past<'_>, order: &Purchase) -> anyhow::Result<Option<PaidSession>> {
    let session = open(past, order).await?;
    let (session, mut changes) = match order.course {
        Course::Waiting => return Ok(None),
        Course::LeftPage => {
            let end = session.deadline();
            let event = random::id::<EventId>(end);
            session::settle(&session, end, &past.vendor.settings, event).context("its time is up")?
        }
        Course::LeftBank => {
            let (session, attempt, bank) = begin(past, order, &session).await?;
            let end = session.deadline();
            bank.wait_until(end);
            let seen = bank.simulator.close(&attempt).await?;
            ended(attempt::closing(&past.facts(&session, &attempt, end), seen))
        }
        Course::Decided(decisions) => {
            let (session, attempt, bank) = begin(past, order, &session).await?;
            let seen_at = decide(past, order, &attempt, &bank, decisions).await?;
            let seen = bank.simulator.check(&attempt).await?;
            ended(attempt::observe(&past.facts(&session, &attempt, seen_at), seen))
        }
    };
    if order.course.pays() {
        let returned = session.updated_at.plus(order.step / 8);
        changes.extend(visit::note(&session, VisitKind::Returned, returned));
    }
    past.commit(&changes).await?;
    deliver(past, &changes, order.callback).await?;
    Ok(paid(session, changes))
}

fn ended(decision: AttemptDecision) -> (Session, Vec<Change>) {
    (decision.session, decision.changes)
}

/// Creates the session, whose customer opens its page at once.
async fn open(past: &Past<'_>, order: &Purchase) -> anyhow::Result<Session> {
    let now = past.now.minus(order.ago);
    let request_id = RequestId::new(now, "POST", "/");
    let creation = Creation {
        rules: &past.rules,
        vendor: &past.vendor,
        catalog: &Catalog::default(),
        now,
        id: random::id::<SessionId>(now),
        request_id: request_id.as_str(),
    };
    let (session, mut changes) = session::create(&request(past, order), &creation)?;
    changes.extend(visit::note(&session, VisitKind::Opened, now.plus(Duration::from_secs(2))));
    past.commit(&changes).await?;
    Ok(session)
}

/// The request that the shop sends for an order.
fn request(past: &Past<'_>, order: &Purchase) -> CreateRequest {
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let wanted = order.callback != CallbackCourse::Unwanted;
    CreateRequest {
        product_name: text(order.item),
        price: text(order.price),
        currency: text(order.currency),
        order_id: text(&order.order_id),
        callback_url: match wanted {
            true => text(&format!("{}/callbacks/{}", past.shop_url, past.store.name)),
            false => FieldValue::Absent,
        },
        return_url: text(&past.shop_url),
        default_method: text(order.method.as_str()),
        ..CreateRequest::default()
    }
}

/// Begins the attempt, and starts it at the bank.
async fn begin(
    past: &Past<'_>,
    order: &Purchase,
    session: &Session,
) -> anyhow::Result<(Session, Attempt, PastBank)> {
    let now = session.created_at.plus(order.step);
    let beginning = Beginning {
        session,
        method: order.method,
        provider: Simulator::NAME,
        choice: choice(past, order),
        email: None,
        language: Some("ru".to_owned()),
        id: random::id::<AttemptId>(now),
    };
    let (session, attempt, changes) = attempt::begin(beginning, &past.rules, now)?;
    past.commit(&changes).await?;
    let bank = past.bank(now);
    let back = format!("{}/session/{}", past.checkout_url, session.id);
    let (amount, item) = (session.item.price.money(), session.item.name.as_str());
    let started = bank
        .simulator
        .start(&Order { attempt: &attempt, amount, item, back: &back, deadline: session.deadline() })
        .await?;
    let decision = attempt::started(&past.facts(&session, &attempt, now), started);
    past.commit(&decision.changes).await?;
    Ok((decision.session, decision.attempt, bank))
}

/// The outcome that a tester chooses on the checkout page of the sandbox: the bank's first decision.
fn choice(past: &Past<'_>, order: &Purchase) -> Option<String> {
    let Course::Decided([first, ..]) = order.course else { return None };
    let word = match first {
        BankDecision::Approve => "paid",
        BankDecision::Decline => "declined",
        BankDecision::Expire => "expire",
        other => other.as_str(),
    };
    (past.store.name == EnvironmentName::Sandbox).then(|| word.to_owned())
}

/// Lets the bank decide, step by step. Returns the moment at which the result is seen.
async fn decide(
    past: &Past<'_>,
    order: &Purchase,
    attempt: &Attempt,
    bank: &PastBank,
    decisions: &[BankDecision],
) -> anyhow::Result<Timestamp> {
    let chosen = usize::from(past.store.name == EnvironmentName::Sandbox);
    let mut now = attempt.started_at;
    for decision in decisions.iter().skip(chosen) {
        now = now.plus(order.step);
        bank.wait_until(now);
        bank.decide(attempt.id, *decision).await?;
    }
    now = now.plus(SEEN_AFTER);
    bank.wait_until(now);
    Ok(now)
}

/// The money and the receipt among the changes that ended a session; `None` if it was not paid.
fn paid(session: Session, changes: Vec<Change>) -> Option<PaidSession> {
    let (mut money, mut receipt) = (None, None);
    for change in changes {
        match change {
            Change::RecordTransaction(recorded) => money = Some(*recorded),
            Change::QueueReceipt(queued) => receipt = Some(*queued),
            _ => {}
        }
    }
    Some(PaidSession { session, money: money?, receipt })
}
