//! Asks for the password again before sensitive changes, so that an unattended browser cannot make them: once
//! in five minutes.

use crate::{
    Access, Panel, Route,
    account::{PasswordTry, is_password},
    cookies::{self, Cookie},
    does, page_of,
    pages::{self, PasswordAgain, PasswordAgainProblem, Question},
    sealed,
    visit::{Fields, Visit, Visitor, go, safe_next},
};
use axum::{
    http::{HeaderValue, Method},
    response::Response,
};

/// The field with the password.
const FIELD: &str = "password_again";

/// The hidden field with the form that was sent, encrypted: it may contain secrets.
const FORM: &str = "sealed_form";

/// The path that the password is sent to if the protected request was a page (`GET`).
const PATH: &str = "/panel/password";

pub(super) fn routes() -> Vec<Route> {
    vec![does(PATH, Access::Known, proceed).after_password()]
}

/// Redirects to the page that asked for the password.
async fn proceed(visit: Visit) -> Response {
    go(safe_next(visit.form.get("next")).unwrap_or(pages::home(visit.user().role)))
}

/// Returns true when the visitor typed the password in the last five minutes, at log-in or since.
pub(super) fn is_recent(panel: &Panel, visit: &Visit) -> bool {
    let Visitor { user, login, .. } = visit.known();
    let now = panel.now();
    let cookie = || Cookie::Confirmed.of(&visit.headers, panel.secure);
    now.since(login.created_at) < cookies::CONFIRMED
        || cookie()
            .is_some_and(|text| cookies::is_confirmed(&panel.admin.vault, text, (user.id, login.id), now))
}

/// The cookie that says that the visitor typed the password just now.
pub(super) fn cookie(panel: &Panel, visit: &Visit) -> HeaderValue {
    let Visitor { user, login, .. } = visit.known();
    let text = cookies::confirmed(&panel.admin.vault, (user.id, login.id), panel.now());
    Cookie::Confirmed.set(&text, panel.secure)
}

/// Checks the password in the form, or answers with the page that asks for it. That page sends the same form
/// again.
pub(super) async fn ask(panel: &Panel, method: &Method, visit: &Visit) -> Result<HeaderValue, Box<Response>> {
    let problem = match visit.form.pairs().any(|(name, _)| name == FIELD) {
        false => None,
        true => match is_password(panel, visit, FIELD).await {
            Ok(true) => return Ok(cookie(panel, visit)),
            Ok(false) => Some(PasswordAgainProblem::Wrong),
            Err(PasswordTry::Wait(seconds)) => Some(PasswordAgainProblem::Throttled { seconds }),
            Err(PasswordTry::Store(error)) => return Err(Box::new(visit.trouble(panel, &error))),
        },
    };
    let wrong = problem.is_some();
    let body = Question::Password(Box::new(page(panel, method, visit, problem)));
    Err(Box::new(if wrong { visit.again(panel, None, body) } else { visit.page(panel, None, body) }))
}

/// The form as it was sent before the password was asked for, if this one brings it back.
pub(super) fn form_before(panel: &Panel, visit: &Visit) -> Option<Fields> {
    let sent = sealed::open(panel, visit, &visit.path, visit.form.get(FORM))?;
    Some(visit.form.merged(&[FORM], &sent))
}

fn page(
    panel: &Panel,
    method: &Method,
    visit: &Visit,
    problem: Option<PasswordAgainProblem>,
) -> PasswordAgain {
    if *method == Method::GET {
        let above = visit.path.rsplit_once('/').map_or("", |(above, _)| above);
        let (hidden, back) = (vec![("next".to_owned(), visit.own_path())], page_of(above));
        return PasswordAgain { action: PATH.to_owned(), hidden, back, problem };
    }
    let ours = ["csrf", "once", FIELD];
    let sent = visit.form.pairs().filter(|(name, _)| !ours.contains(&name.as_str()));
    let sent = sent.map(|(name, value)| (name.as_str(), value.as_str()));
    let hidden = vec![(FORM.to_owned(), sealed::seal(panel, visit, &visit.path, sent))];
    let back = match visit.path.as_str() {
        PATH => {
            safe_next(visit.form.get("next")).and_then(|next| next.rsplit_once('/')).map_or("", |(up, _)| up)
        }
        path => path,
    };
    PasswordAgain { action: visit.path.clone(), hidden, back: page_of(back), problem }
}
