//! `…/session/{id}/simulate`: the page on which a tester of the sandbox makes happen what can happen after the end of a
//! payment: a refund, money that the session does not cover, a dispute.

use super::{
    CheckoutState,
    answer::{self, Visit},
    forms::{self, DELIVERY_FIELD},
    pages::{Body, Challenge, ChallengeNote},
    view::{RefusedForm, SessionView},
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    http::{StatusCode, header},
    response::Response,
};
use std::sync::Arc;
use till_domain::{
    change::Change,
    misdelivery::{ChosenFor, DeliveryChoice},
    request::{FieldValue, RefundRequest, SimulateRequest},
};
use till_service::{
    admin::{RefundError, RefundOrder, Refunder, SimulationError, Simulator},
    environment::{Environment, Retries},
};
use till_store::{Committed, StoreError};

/// The refund of all that is left, among the choices of the page.
const REFUND: &str = "refund";

/// The link back to the session's page.
const BACK: &str = "back";

/// The author recorded with a refund.
const BY: &str = "tester";

/// The choices of the page that are events: the word of the form, the event, and the decision about money.
const EVENTS: [(&str, &str, Option<&str>); 8] = [
    ("payment_late", "payment.late", None),
    ("payment_partial", "payment.partial", None),
    ("payment_over", "payment.over", None),
    ("payment_accepted", "payment.resolved", Some("accepted")),
    ("payment_refunded", "payment.resolved", Some("refunded")),
    ("dispute_opened", "dispute.opened", None),
    ("dispute_won", "dispute.won", None),
    ("dispute_lost", "dispute.lost", None),
];

/// Shows what can happen next.
pub(super) async fn show(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let session_view = match forms::find(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let url = url(&checkout, &session_view);
    if let Some(language) = visit.chosen {
        return answer::go_in_language(&checkout, &url, language);
    }
    let note = visit.wants().done.then_some(ChallengeNote::Done);
    render(&checkout, &session_view, &visit, note, StatusCode::OK).await
}

/// Makes the tester's choice happen.
pub(super) async fn choose(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
    form: Bytes,
) -> Response {
    let session_view = match forms::find_for_form(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let environment = checkout.cashier.environment();
    // The same limit as for the call that does this.
    let quota = environment.limits.create.take(&session_view.vendor.id, environment.uptime());
    if let Some(wait) = quota.and_then(|quota| quota.retry_after) {
        let note = Some(ChallengeNote::TooMany);
        let status = StatusCode::TOO_MANY_REQUESTS;
        let mut response = render(&checkout, &session_view, &visit, note, status).await;
        response.headers_mut().insert(header::RETRY_AFTER, wait.as_secs().max(1).into());
        return response;
    }
    let field = |wanted| url::form_urlencoded::parse(&form).find(|(name, _)| name == wanted);
    let delivery = field(DELIVERY_FIELD).and_then(|(_, word)| forms::typed_delivery(&word));
    let done = match field("decision") {
        Some((_, word)) => happen(&checkout, &session_view, &word, delivery).await,
        None => Ok(false),
    };
    match done {
        Ok(true) => answer::go(&format!("{}?done", url(&checkout, &session_view))),
        // Another tester was faster: the page shows what is possible now.
        Ok(false) => answer::go(&url(&checkout, &session_view)),
        Err(error) => visit.trouble(&checkout, &error),
    }
}

fn url(checkout: &CheckoutState, session_view: &SessionView) -> String {
    format!("{}/simulate", checkout.path(session_view.session.id))
}

async fn render(
    checkout: &CheckoutState,
    session_view: &SessionView,
    visit: &Visit,
    note: Option<ChallengeNote>,
    status: StatusCode,
) -> Response {
    let session = &session_view.session;
    if session_view.is_pending() {
        return answer::go(&checkout.path(session.id));
    }
    let actions = match possible(checkout, session_view).await {
        Ok(actions) => actions,
        Err(error) => return visit.trouble(checkout, &error),
    };
    let default_delivery = match checkout.default_delivery(session_view.vendor.id).await {
        Ok(word) => word,
        Err(error) => return visit.trouble(checkout, &error),
    };
    let challenge = Challenge {
        order: session_view.order(),
        method: session.methods.chosen,
        url: url(checkout, session_view),
        actions,
        clock: None,
        back: checkout.path(session.id),
        note,
        default_delivery,
    };
    match checkout.page(session_view, visit, &RefusedForm::default()).await {
        Ok(mut page) => {
            page.frame.path.clone_from(&challenge.url);
            page.body = Body::Challenge(challenge);
            visit.page(status, &page)
        }
        Err(error) => visit.trouble(checkout, &error),
    }
}

/// The choices that can happen now, and the link back.
async fn possible(
    checkout: &CheckoutState,
    session_view: &SessionView,
) -> Result<Vec<&'static str>, StoreError> {
    let environment = checkout.cashier.environment();
    let mut words = Vec::new();
    let refunder = Refunder { store: &environment.store };
    match refunder.decide(&refund_order(session_view, &RefundRequest::default())).await {
        Ok(_) => words.push(REFUND),
        Err(RefundError::Store(error)) => return Err(error),
        Err(RefundError::Rejected(_) | RefundError::KeyTaken | RefundError::LinesChanged) => {}
    }
    let simulator = Simulator { environment, vendor: &session_view.vendor };
    let requests = EVENTS.map(|(_, event, resolution)| event_request(event, resolution, None));
    let can_happen = simulator.which_can_happen(&session_view.session, &requests).await?;
    words.extend(EVENTS.iter().zip(can_happen).filter(|(_, can)| *can).map(|((word, ..), _)| *word));
    words.push(BACK);
    Ok(words)
}

/// Makes a choice happen; false if it is not possible, or not anymore.
async fn happen(
    checkout: &CheckoutState,
    session_view: &SessionView,
    word: &str,
    delivery: Option<DeliveryChoice>,
) -> Result<bool, StoreError> {
    let environment = checkout.cashier.environment();
    if word == REFUND {
        return refund(environment, session_view, delivery).await;
    }
    let Some((_, event, resolution)) = EVENTS.iter().find(|(known, ..)| *known == word) else {
        return Ok(false);
    };
    let simulator = Simulator { environment, vendor: &session_view.vendor };
    let request = event_request(event, *resolution, delivery);
    match simulator.make_event(session_view.session.id, &request).await {
        Ok(_) => Ok(true),
        Err(SimulationError::Store(error)) => Err(error),
        Err(SimulationError::Rejected(_)) => Ok(false),
    }
}

/// Refunds all that is left; the event about it is delivered as the tester wants.
async fn refund(
    environment: &Environment,
    session_view: &SessionView,
    delivery: Option<DeliveryChoice>,
) -> Result<bool, StoreError> {
    let refunder = Refunder { store: &environment.store };
    let (request, session) = (RefundRequest::default(), session_view.session.id);
    let mut retries = Retries::default();
    loop {
        let (refund, mut changes) = match refunder.decide(&refund_order(session_view, &request)).await {
            Ok(decided) => decided,
            Err(RefundError::Store(error)) => return Err(error),
            Err(RefundError::Rejected(_) | RefundError::KeyTaken | RefundError::LinesChanged) => {
                return Ok(false);
            }
        };
        let chosen_for = ChosenFor::Refund(session, refund.id);
        changes.extend(delivery.map(|choice| Change::ChooseDelivery { chosen_for, choice }));
        if environment.commit(&changes).await? == Committed::Done {
            return Ok(true);
        }
        retries.lost()?;
    }
}

fn refund_order<'a>(session_view: &'a SessionView, request: &'a RefundRequest) -> RefundOrder<'a> {
    let vendor = &session_view.vendor;
    let (terms, fiscal) = (&vendor.terms, &vendor.settings.fiscal);
    RefundOrder { session: &session_view.session, terms, fiscal, request, lines: None, by: BY, key: None }
}

fn event_request(event: &str, resolution: Option<&str>, delivery: Option<DeliveryChoice>) -> SimulateRequest {
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let resolution = resolution.map(text).unwrap_or_default();
    let callback = delivery.map(|choice| FieldValue::Object(vec![("fault".to_owned(), text(choice.word()))]));
    let callback = callback.unwrap_or_default();
    SimulateRequest { event: text(event), resolution, callback, ..SimulateRequest::default() }
}
