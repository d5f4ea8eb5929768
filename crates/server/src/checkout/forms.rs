//! The page of a session, and the handlers of its forms. After a form the browser is redirected, so a reload
//! repeats nothing.

use super::{
    CheckoutState,
    answer::{self, Visit},
    pages::{Body, Problem},
    view::{RefusedForm, SessionView},
};
use axum::{
    Extension,
    body::Bytes,
    extract::{Path, State},
    http::{StatusCode, header},
    response::Response,
};
use std::sync::Arc;
use till_domain::{
    attempt::Instructions,
    change::{Change, VisitKind},
    id::SessionId,
    method::Method,
    misdelivery::DeliveryChoice,
    rejection::Rejection,
    request::{FieldValue, SimulateRequest},
    session::{self, State as SessionState},
};
use till_service::{
    admin::{SimulationError, Simulator},
    cashier::{PaymentChoice, PaymentRefusal},
    mail,
    web::BodyNotRead,
};
use till_store::StoreError;

/// `GET …/session/{id}`
pub(super) async fn show(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let Some(id) = SessionId::parse(&id) else {
        return visit.plain(&checkout, StatusCode::NOT_FOUND, Body::NotFound);
    };
    if let Some(language) = visit.chosen {
        let path = format!("{}{}", checkout.path(id), visit.wants().query());
        return answer::go_in_language(&checkout, &path, language);
    }
    let session_view = match find(&checkout, &id.to_string(), &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let response = render(&checkout, &session_view, &visit, &RefusedForm::default(), StatusCode::OK).await;
    if response.status() == StatusCode::OK {
        checkout.visits.note(checkout.cashier.environment(), &session_view.session, VisitKind::Opened);
    }
    response
}

/// `GET …/pay`, `GET …/pay-again` and `GET …/check`: the customer reloaded or typed the address of a form.
/// Redirects to the session's page.
pub(super) async fn go_back(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    match SessionId::parse(&id) {
        Some(id) => answer::go(&checkout.path(id)),
        None => visit.plain(&checkout, StatusCode::NOT_FOUND, Body::NotFound),
    }
}

/// `POST …/session/{id}/pay`
pub(super) async fn pay(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
    not_read: Option<Extension<BodyNotRead>>,
    form: Bytes,
) -> Response {
    let session_view = match find_for_form(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let id = session_view.session.id;
    if session_view.session.state != SessionState::Pending {
        return answer::go(&checkout.path(id));
    }
    let form = if not_read.is_some() { Form::default() } else { Form::read(&form) };
    let mut refused = RefusedForm {
        problem: None,
        email: form.email.clone(),
        method: form.method,
        choice: form.choice.clone(),
        delivery: form.delivery,
    };
    // A form without the field does not say that the customer wants no receipt.
    let typed = form.email.or_else(|| session_view.customer_email());
    let needs_email =
        form.method.is_some_and(|method| checkout.cashier.needs_email(&session_view.session, method));
    let email = match typed.as_deref().unwrap_or_default().trim() {
        "" => None,
        text => match mail::address(text) {
            Ok(email) => Some(email),
            Err(_) => {
                refused.problem = Some(if needs_email { Problem::EmailNeeded } else { Problem::Email });
                return answer(&checkout, id, &visit, &refused, StatusCode::UNPROCESSABLE_ENTITY).await;
            }
        },
    };
    let Some(method) = form.method else { return answer::go(&checkout.path(id)) };
    if checkout.for_testers() {
        let session = &session_view.session;
        let choose = match form.delivery {
            Some(choice) => session::choose_delivery(session, choice),
            // What the tester chose before, and then left for another payment, counts no longer.
            None => Change::ForgetDelivery { session: session.id },
        };
        if let Err(error) = checkout.cashier.environment().commit(&[choose]).await {
            return visit.trouble(&checkout, &error);
        }
    }
    if form.choice.as_deref() == Some(BY_PRICE) && checkout.for_testers() {
        return match end_by_price(&checkout, &session_view).await {
            Ok(()) => answer::go(&checkout.path(id)),
            Err(error) => visit.trouble(&checkout, &error),
        };
    }
    let payment_choice = PaymentChoice {
        method,
        choice: form.choice,
        email: email.filter(|_| checkout.mails() || needs_email),
        language: visit.language_of(&session_view.session, &session_view.vendor).word(),
        address: visit.address,
    };
    match checkout.cashier.pay(id, &payment_choice).await {
        Ok(()) => redirect_to_payment(&checkout, id, &visit).await,
        Err(refusal) => show_refusal(&checkout, id, &visit, refused, method, refusal).await,
    }
}

/// The choice of a tester who takes the outcome that the price stands for.
pub(super) const BY_PRICE: &str = "by_price";

/// Gives a sandbox session the outcome that its price stands for.
async fn end_by_price(checkout: &CheckoutState, session_view: &SessionView) -> Result<(), StoreError> {
    let request =
        SimulateRequest { outcome: FieldValue::Text(BY_PRICE.to_owned()), ..SimulateRequest::default() };
    let simulator = Simulator { environment: checkout.cashier.environment(), vendor: &session_view.vendor };
    match simulator.end(session_view.session.id, &request).await {
        // Refused: the session is final, and its page shows how it ended.
        Ok(_) | Err(SimulationError::Rejected(_)) => Ok(()),
        Err(SimulationError::Store(error)) => Err(error),
    }
}

/// `POST …/session/{id}/pay-again`: the customer was warned that the order was paid before.
pub(super) async fn pay_again(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let session_view = match find_for_form(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    match checkout.cashier.confirm_repeat(&session_view.session).await {
        Ok(()) => answer::go(&checkout.path(session_view.session.id)),
        Err(error) => visit.trouble(&checkout, &error),
    }
}

/// `POST …/session/{id}/check`
pub(super) async fn check(
    State(checkout): State<Arc<CheckoutState>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let session_view = match find_for_form(&checkout, &id, &visit).await {
        Ok(session_view) => session_view,
        Err(response) => return response,
    };
    let id = session_view.session.id;
    match checkout.cashier.check_now(id).await {
        Ok(()) => answer::go(&format!("{}{}", checkout.path(id), visit.wants().query())),
        Err(error) => visit.trouble(&checkout, &error),
    }
}

/// As [`find`], for a form: it must come from a page of ours (CSRF protection).
pub(super) async fn find_for_form(
    checkout: &CheckoutState,
    id: &str,
    visit: &Visit,
) -> Result<SessionView, Response> {
    if visit.foreign {
        return Err(visit.plain(checkout, StatusCode::FORBIDDEN, Body::Forbidden));
    }
    find(checkout, id, visit).await
}

/// The session of a page that may be used, or the page that says why not.
pub(super) async fn find(checkout: &CheckoutState, id: &str, visit: &Visit) -> Result<SessionView, Response> {
    let session_view = match SessionId::parse(id) {
        Some(id) => checkout.session_view(id).await.map_err(|error| visit.trouble(checkout, &error))?,
        None => None,
    };
    let Some(session_view) = session_view else {
        return Err(visit.plain(checkout, StatusCode::NOT_FOUND, Body::NotFound));
    };
    if !session_view.vendor.may_use(checkout.cashier.environment().name) {
        if session_view.vendor.disabled {
            return Err(visit.plain(checkout, StatusCode::NOT_FOUND, Body::NotFound));
        }
        let body = Body::SandboxOff { support: checkout.operator.support.clone() };
        return Err(visit.plain(checkout, StatusCode::FORBIDDEN, body));
    }
    Ok(session_view)
}

async fn answer(
    checkout: &CheckoutState,
    id: SessionId,
    visit: &Visit,
    refused: &RefusedForm,
    status: StatusCode,
) -> Response {
    match find(checkout, &id.to_string(), visit).await {
        Ok(session_view) => render(checkout, &session_view, visit, refused, status).await,
        Err(response) => response,
    }
}

async fn render(
    checkout: &CheckoutState,
    session_view: &SessionView,
    visit: &Visit,
    refused: &RefusedForm,
    status: StatusCode,
) -> Response {
    match checkout.page(session_view, visit, refused).await {
        Ok(page) => visit.page(status, &page),
        Err(error) => visit.trouble(checkout, &error),
    }
}

/// Redirects after a payment was begun: to the provider's page, or to ours.
async fn redirect_to_payment(checkout: &CheckoutState, id: SessionId, visit: &Visit) -> Response {
    let attempt = match checkout.cashier.environment().store.latest_attempt(id).await {
        Ok(attempt) => attempt.filter(|attempt| attempt.state.is_active()),
        Err(error) => return visit.trouble(checkout, &error),
    };
    match attempt.and_then(|attempt| attempt.instructions) {
        Some(Instructions::Redirect { url }) => answer::go(&url),
        _ => answer::go(&checkout.path(id)),
    }
}

async fn show_refusal(
    checkout: &CheckoutState,
    id: SessionId,
    visit: &Visit,
    mut refused: RefusedForm,
    method: Method,
    refusal: PaymentRefusal,
) -> Response {
    let (problem, status) = match refusal {
        PaymentRefusal::Rejected(Rejection::MethodTimedOut) => {
            (Problem::MethodTimedOut(method), StatusCode::CONFLICT)
        }
        // The session's page shows the result, or the available methods.
        PaymentRefusal::Rejected(_) | PaymentRefusal::AlreadyPaid => return answer::go(&checkout.path(id)),
        PaymentRefusal::Down(method) => (Problem::MethodDown(method), StatusCode::SERVICE_UNAVAILABLE),
        PaymentRefusal::Silent(method) => (Problem::MethodSilent(method), StatusCode::SERVICE_UNAVAILABLE),
        PaymentRefusal::TooMany(limit) => {
            checkout.metrics.count_refused_attempt(checkout.cashier.environment().name, limit);
            (Problem::TooMany(limit), StatusCode::TOO_MANY_REQUESTS)
        }
        PaymentRefusal::EmailNeeded => (Problem::EmailNeeded, StatusCode::UNPROCESSABLE_ENTITY),
        PaymentRefusal::EmailTooLong => (Problem::EmailTooLong, StatusCode::UNPROCESSABLE_ENTITY),
        PaymentRefusal::NotStarted(method) => (Problem::StartFailed(method), StatusCode::BAD_GATEWAY),
        PaymentRefusal::Store(StoreError::Busy { .. } | StoreError::Held) => {
            (Problem::Busy, StatusCode::SERVICE_UNAVAILABLE)
        }
        PaymentRefusal::Store(error) => return visit.trouble(checkout, &error),
    };
    refused.problem = Some(problem);
    let mut response = answer(checkout, id, visit, &refused, status).await;
    if let Problem::TooMany(limit) = problem
        && let Some(seconds) = limit.seconds()
    {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// The field in which a tester chooses how the callback is delivered.
pub(super) const DELIVERY_FIELD: &str = "fault";

/// The choice of a tester; `None` for the vendor's default, and for a word that the page does not offer.
pub(super) fn typed_delivery(word: &str) -> Option<DeliveryChoice> {
    if word.is_empty() {
        return None;
    }
    DeliveryChoice::typed(word, "").ok()
}

/// The fields of the payment form.
#[derive(Debug, Default)]
struct Form {
    method: Option<Method>,
    email: Option<String>,
    choice: Option<String>,
    /// How a tester wants the callback to be delivered.
    delivery: Option<DeliveryChoice>,
}

impl Form {
    fn read(bytes: &[u8]) -> Self {
        let mut form = Self::default();
        for (name, value) in url::form_urlencoded::parse(bytes) {
            match name.as_ref() {
                "method" => form.method = Method::parse(&value),
                "email" => form.email = Some(value.into_owned()),
                "outcome" | "coin" => form.choice = Some(value.into_owned()),
                DELIVERY_FIELD => form.delivery = typed_delivery(&value),
                _ => {}
            }
        }
        form
    }
}
