//! The page of a session, and the handlers of its forms. After a form the browser is redirected, so a reload
//! repeats nothing.

use super::{
    Counter,
    answer::{self, Visit},
    pages::{Body, Problem},
    view::{Mishap, Sight},
};
use crate::{
    cashier::{Refusal, Wish},
    mail,
    web::BodyNotRead,
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
    attempt::Shown, change::VisitKind, id::SessionId, method::Method, rejection::Rejection,
    session::State as SessionState,
};

/// `GET …/session/{id}`
pub(super) async fn show(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let Some(id) = SessionId::parse(&id) else {
        return visit.plain(&counter, StatusCode::NOT_FOUND, Body::NotFound);
    };
    if let Some(language) = visit.chosen {
        let secure = counter.cashier.environment().checkout_url.starts_with("https://");
        return answer::remember(answer::go(&counter.path(id)), language, secure);
    }
    let sight = match find(&counter, &id.to_string(), &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let response = render(&counter, &sight, &visit, &Mishap::default(), StatusCode::OK).await;
    if response.status() == StatusCode::OK {
        counter.visits.note(counter.cashier.environment(), &sight.session, VisitKind::Opened);
    }
    response
}

/// `GET …/pay`, `GET …/pay-again` and `GET …/check`: the customer reloaded or typed the address of a form.
/// Redirects to the session's page.
pub(super) async fn go_back(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    match SessionId::parse(&id) {
        Some(id) => answer::go(&counter.path(id)),
        None => visit.plain(&counter, StatusCode::NOT_FOUND, Body::NotFound),
    }
}

/// `POST …/session/{id}/pay`
pub(super) async fn pay(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
    not_read: Option<Extension<BodyNotRead>>,
    form: Bytes,
) -> Response {
    let sight = match find_for_form(&counter, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let id = sight.session.id;
    if sight.session.state != SessionState::Pending {
        return answer::go(&counter.path(id));
    }
    let form = if not_read.is_some() { Form::default() } else { Form::read(&form) };
    let mut mishap =
        Mishap { problem: None, email: form.email.clone(), method: form.method, choice: form.choice.clone() };
    let email = match form.email.trim() {
        "" => None,
        given => match mail::address(given) {
            Ok(email) => Some(email),
            Err(_) => {
                mishap.problem = Some(Problem::Email);
                return answer(&counter, id, &visit, &mishap, StatusCode::UNPROCESSABLE_ENTITY).await;
            }
        },
    };
    let Some(method) = form.method else { return answer::go(&counter.path(id)) };
    let wish = Wish {
        method,
        choice: form.choice,
        email: email.filter(|_| counter.mails()),
        language: visit.language(sight.vendor.settings.language.as_deref()).word(),
        address: visit.address,
    };
    match counter.cashier.pay(id, &wish).await {
        Ok(()) => go_on(&counter, id, &visit).await,
        Err(refusal) => refused(&counter, id, &visit, mishap, method, refusal).await,
    }
}

/// `POST …/session/{id}/pay-again`: the customer was warned that the order was paid before.
pub(super) async fn pay_again(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let sight = match find_for_form(&counter, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    match counter.cashier.confirm_repeat(&sight.session).await {
        Ok(()) => answer::go(&counter.path(sight.session.id)),
        Err(error) => visit.trouble(&counter, &error),
    }
}

/// `POST …/session/{id}/check`
pub(super) async fn check(
    State(counter): State<Arc<Counter>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let sight = match find_for_form(&counter, &id, &visit).await {
        Ok(sight) => sight,
        Err(response) => return response,
    };
    let id = sight.session.id;
    match counter.cashier.check_now(id).await {
        Ok(()) => answer::go(&counter.path(id)),
        Err(error) => visit.trouble(&counter, &error),
    }
}

/// As [`find`], for a form: it must come from a page of ours (CSRF protection).
pub(super) async fn find_for_form(counter: &Counter, id: &str, visit: &Visit) -> Result<Sight, Response> {
    if visit.foreign {
        return Err(visit.plain(counter, StatusCode::FORBIDDEN, Body::Forbidden));
    }
    find(counter, id, visit).await
}

/// The session of a page that may be used, or the page that says why not.
pub(super) async fn find(counter: &Counter, id: &str, visit: &Visit) -> Result<Sight, Response> {
    let sight = match SessionId::parse(id) {
        Some(id) => counter.sight(id).await.map_err(|error| visit.trouble(counter, &error))?,
        None => None,
    };
    let Some(sight) = sight else {
        return Err(visit.plain(counter, StatusCode::NOT_FOUND, Body::NotFound));
    };
    if !sight.vendor.may_use(counter.cashier.environment().name) {
        if sight.vendor.disabled {
            return Err(visit.plain(counter, StatusCode::NOT_FOUND, Body::NotFound));
        }
        let body = Body::SandboxOff { support: counter.support.clone() };
        return Err(visit.plain(counter, StatusCode::FORBIDDEN, body));
    }
    Ok(sight)
}

async fn answer(
    counter: &Counter,
    id: SessionId,
    visit: &Visit,
    mishap: &Mishap,
    status: StatusCode,
) -> Response {
    match find(counter, &id.to_string(), visit).await {
        Ok(sight) => render(counter, &sight, visit, mishap, status).await,
        Err(response) => response,
    }
}

async fn render(
    counter: &Counter,
    sight: &Sight,
    visit: &Visit,
    mishap: &Mishap,
    status: StatusCode,
) -> Response {
    match counter.page(sight, visit, mishap).await {
        Ok(page) => visit.page(status, &page),
        Err(error) => visit.trouble(counter, &error),
    }
}

/// Redirects after a payment was begun: to the provider's page, or to ours.
async fn go_on(counter: &Counter, id: SessionId, visit: &Visit) -> Response {
    let attempt = match counter.cashier.environment().store.latest_attempt(id).await {
        Ok(attempt) => attempt.filter(|attempt| attempt.state.is_active()),
        Err(error) => return visit.trouble(counter, &error),
    };
    match attempt.and_then(|attempt| attempt.shown) {
        Some(Shown::Redirect { url }) => answer::go(&url),
        _ => answer::go(&counter.path(id)),
    }
}

async fn refused(
    counter: &Counter,
    id: SessionId,
    visit: &Visit,
    mut mishap: Mishap,
    method: Method,
    refusal: Refusal,
) -> Response {
    let (problem, status) = match refusal {
        Refusal::Rejected(Rejection::MethodTimedOut) => {
            (Problem::MethodTimedOut(method), StatusCode::CONFLICT)
        }
        // The session's page shows the result, or the available methods.
        Refusal::Rejected(_) | Refusal::AlreadyPaid => return answer::go(&counter.path(id)),
        Refusal::Down(method) => (Problem::MethodDown(method), StatusCode::SERVICE_UNAVAILABLE),
        Refusal::Silent(method) => (Problem::MethodSilent(method), StatusCode::SERVICE_UNAVAILABLE),
        Refusal::TooMany(limit) => {
            counter.metrics.count_refused_attempt(counter.cashier.environment().name, limit);
            (Problem::TooMany(limit), StatusCode::TOO_MANY_REQUESTS)
        }
        Refusal::NotStarted(method) => (Problem::StartFailed(method), StatusCode::BAD_GATEWAY),
        Refusal::Store(till_store::StoreError::Busy { .. }) => {
            (Problem::Busy, StatusCode::SERVICE_UNAVAILABLE)
        }
        Refusal::Store(error) => return visit.trouble(counter, &error),
    };
    mishap.problem = Some(problem);
    let mut response = answer(counter, id, visit, &mishap, status).await;
    if let Problem::TooMany(limit) = problem
        && let Some(seconds) = limit.seconds()
    {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// The fields of the payment form.
#[derive(Debug, Default)]
struct Form {
    method: Option<Method>,
    email: String,
    choice: Option<String>,
}

impl Form {
    fn read(bytes: &[u8]) -> Self {
        let mut form = Self::default();
        for (name, value) in url::form_urlencoded::parse(bytes) {
            match name.as_ref() {
                "method" => form.method = Method::parse(&value),
                "email" => form.email = value.into_owned(),
                "outcome" | "coin" => form.choice = Some(value.into_owned()),
                _ => {}
            }
        }
        form
    }
}
