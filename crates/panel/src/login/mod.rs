//! Log-in and log-out: password, second factor (TOTP), and links that set a password.

pub mod view;

use crate::{
    Access, Panel, Route,
    cookies::{self, Cookie},
    does,
    login::view::{
        CodeProblem, CodeStep, ForgotPage, ForgotProblem, ForgotSent, LinkEnded, LoginEnd, LoginPage,
        LoginProblem, PasswordProblem, SetPassword,
    },
    pages::{self, Busy, FlashMessage, Language},
    shows,
    visit::{Answer, Visit, Visitor, done, go, safe_next, with_cookie},
};
use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::Response,
};
use secrecy::SecretString;
use std::{net::IpAddr, sync::Arc};
use till_domain::{
    address::network,
    audit::{Actor, AuditEvent},
    id::{LoginId, UserId},
    user::{self, LinkPurpose, User},
};
use till_service::{
    access::{
        password::{self, Weakness},
        queue::Caller,
        throttle::Wait,
        totp,
    },
    admin::{self, AdminError},
    metrics::LogIn,
    random,
    telemetry::explain,
};
use till_store::{KnownUser, Login};

/// The longest user agent text that is stored.
const MAX_AGENT: usize = 200;

pub(super) fn routes() -> Vec<Route> {
    use Access::{Known, Open};
    vec![
        shows("/panel/login", Open, show),
        does("/panel/login", Open, log_in),
        shows("/panel/login/code", Open, show_code),
        does("/panel/login/code", Open, check_code),
        does("/panel/logout", Known, log_out),
        shows("/panel/forgot", Open, show_forgot),
        does("/panel/forgot", Open, forgot),
        shows("/panel/link/{token}", Open, show_link),
        does("/panel/link/{token}", Open, use_link),
    ]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    if let Some(visitor) = &visit.visitor {
        return go(safe_next(visit.query.get("next")).unwrap_or(pages::home(visitor.user.role)));
    }
    let problem = LoginEnd::parse(visit.query.get("ended")).map(LoginProblem::SessionEnded);
    let next = safe_next(visit.query.get("next")).unwrap_or_default().to_owned();
    visit.page(&panel, None, LoginPage { next, problem, ..LoginPage::default() })
}

async fn log_in(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("email");
    let next = safe_next(visit.form.get("next")).unwrap_or_default().to_owned();
    let again = |problem, status| {
        let page = LoginPage { email: typed.to_owned(), next: next.clone(), problem: Some(problem) };
        visit.answer(&panel, status, None, page)
    };
    // Text that is no e-mail address belongs to no user; the answer takes as long as for a known user.
    let email = user::email(typed).unwrap_or_else(|_| typed.chars().take(300).collect());
    let known = panel.admin.accounts.user_by_email(&email).await?;
    let familiar = known.as_ref().is_some_and(|known| was_here(&panel, &visit, known.user.id));
    let attempt = match panel.throttle.check(panel.uptime(), &email, visit.address, familiar) {
        Ok(attempt) => attempt,
        Err(Wait { seconds }) => {
            note_failed(&panel, &visit, known.as_ref(), &email);
            return Ok(later(
                again(LoginProblem::Throttled { seconds }, StatusCode::TOO_MANY_REQUESTS),
                seconds,
            ));
        }
    };
    let password = SecretString::from(visit.form.get("password"));
    let stored =
        known.as_ref().filter(|known| !known.user.disabled).and_then(|known| known.password.as_deref());
    let caller = caller(known.as_ref().filter(|_| familiar), visit.address, attempt.failures);
    let Ok(verdict) = panel.passwords.verify(caller, &password, stored).await else {
        panel.throttle.turned_away(panel.uptime(), visit.address);
        panel.metrics.count_log_in(familiar, LogIn::TurnedAway);
        note_failed(&panel, &visit, known.as_ref(), &email);
        return Ok(later(again(LoginProblem::Throttled { seconds: 1 }, StatusCode::TOO_MANY_REQUESTS), 1));
    };
    let result = if verdict.ok { LogIn::Right } else { LogIn::Wrong };
    panel.metrics.count_log_in(familiar, result);
    panel.metrics.observe_log_in_wait(familiar, result, verdict.waited);
    if !verdict.ok {
        note_failed(&panel, &visit, known.as_ref(), &email);
    }
    let Some(known) = known.filter(|_| verdict.ok) else {
        attempt.failed(panel.uptime());
        return Ok(again(LoginProblem::Wrong, StatusCode::UNAUTHORIZED));
    };
    attempt.succeeded();
    let known = if verdict.needs_rehash { rehashed(&panel, known, &password).await? } else { known };
    if known.user.has_factor {
        let half = cookies::half(&panel.admin.vault, &known, panel.now());
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let path = format!("/panel/login/code?{}", query.append_pair("next", &next).finish());
        return Ok(with_cookie(go(&path), Cookie::Half.set(&half, panel.secure)));
    }
    open(&panel, &visit, &known, &next).await
}

/// Writes a failed log-in to the audit log. The typed text is named only if it can be an e-mail address:
/// users sometimes type the password into the wrong field.
fn note_failed(panel: &Panel, visit: &Visit, known: Option<&KnownUser>, email: &str) {
    let typed = if user::email(email).is_ok() { email } else { "not an e-mail address" };
    let about = known.map(|known| known.user.id);
    let detail = if about.is_some() { "" } else { typed };
    panel.note_refusal(AuditEvent::LoginFailed, (visit.actor(), visit.address), about, detail);
}

/// The class of a log-in in the queue for password hashing.
fn caller(known: Option<&KnownUser>, address: IpAddr, failures: u32) -> Caller {
    match known {
        Some(known) => Caller::Known(known.user.id),
        None => Caller::New { network: network(address), failures },
    }
}

/// Stores a new hash if the old one has outdated parameters; if hashing is busy, a later log-in does it.
async fn rehashed(
    panel: &Panel,
    known: KnownUser,
    password: &SecretString,
) -> Result<KnownUser, till_store::StoreError> {
    let (Some(old), Ok(new)) =
        (known.password.as_deref(), panel.passwords.hash(Caller::Known(known.user.id), password).await)
    else {
        return Ok(known);
    };
    let renewed = panel.admin.accounts.renew_hash(known.user.id, old, &new).await?;
    Ok(if renewed { KnownUser { password: Some(new), ..known } } else { known })
}

/// Adds a `Retry-After` header.
fn later(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}

/// True if the user logged in with this browser before.
fn was_here(panel: &Panel, visit: &Visit, user: UserId) -> bool {
    let cookie = Cookie::Known.of(&visit.headers, panel.secure);
    let known = cookie.and_then(|text| cookies::read_known(&panel.admin.vault, text, panel.now()));
    known == Some(user)
}

/// Logs a browser in.
async fn open(panel: &Panel, visit: &Visit, known: &KnownUser, next: &str) -> Answer {
    let user = &known.user;
    let (now, token) = (panel.now(), admin::new_token());
    let agent =
        visit.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let login = Login {
        id: random::id::<LoginId>(now),
        user: user.id,
        address: visit.address.to_string(),
        agent: agent.chars().take(MAX_AGENT).collect(),
        created_at: now,
        seen_at: now,
    };
    let check = panel.admin.vault.browser_token_check("login", token.as_bytes());
    let entry = panel.admin.entry(&actor(visit, user), AuditEvent::LoggedIn).with(user.id);
    if !panel.admin.accounts.open_login(&login, &check, known, &entry).await? {
        return Ok(go("/panel/login?ended=1"));
    }
    if let Some(before) = &visit.visitor {
        // A browser has one log-in at a time.
        panel.admin.accounts.end_login(before.login.id, before.user.id, None).await?;
    }
    let known = cookies::known(&panel.admin.vault, user.id, now);
    let response = go(safe_next(next).unwrap_or(pages::home(user.role)));
    let response = with_cookie(response, Cookie::Login.set(&token, panel.secure));
    let response = with_cookie(response, Cookie::Known.set(&known, panel.secure));
    Ok(with_cookie(response, Cookie::Half.clear(panel.secure)))
}

fn actor(visit: &Visit, user: &User) -> Actor {
    Actor {
        user: Some(user.id),
        name: user.email.clone(),
        address: Some(visit.address.to_string()),
        form: None,
    }
}

/// The user who recently typed the right password in this browser, and whose code is missing.
async fn half_way(panel: &Panel, visit: &Visit) -> Result<Option<KnownUser>, till_store::StoreError> {
    let Some(text) = Cookie::Half.of(&visit.headers, panel.secure) else { return Ok(None) };
    let Some(id) = cookies::claimed_half(text) else { return Ok(None) };
    let Some(known) = panel.admin.accounts.user(id).await? else { return Ok(None) };
    let may = !known.user.disabled && known.factor.is_some();
    let is_theirs = may && cookies::is_half(&panel.admin.vault, text, &known, panel.now());
    Ok(is_theirs.then_some(known))
}

async fn show_code(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    if half_way(&panel, &visit).await?.is_none() {
        return Ok(go("/panel/login"));
    }
    let next = safe_next(visit.query.get("next")).unwrap_or_default().to_owned();
    Ok(visit.page(&panel, None, CodeStep { next, problem: None }))
}

async fn check_code(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let Some(known) = half_way(&panel, &visit).await? else { return Ok(go("/panel/login?ended=1")) };
    let next = safe_next(visit.form.get("next")).unwrap_or_default().to_owned();
    let again = |problem, status| {
        let page = CodeStep { next: next.clone(), problem: Some(problem) };
        visit.answer(&panel, status, None, page)
    };
    let account = format!("code {}", known.user.id);
    let familiar = was_here(&panel, &visit, known.user.id);
    let attempt = match panel.throttle.check(panel.uptime(), &account, visit.address, familiar) {
        Ok(attempt) => attempt,
        Err(Wait { seconds }) => {
            return Ok(later(
                again(CodeProblem::Throttled { seconds }, StatusCode::TOO_MANY_REQUESTS),
                seconds,
            ));
        }
    };
    let codes_count = familiar || panel.codes.may_try(known.user.id, panel.uptime());
    if !is_right(&panel, &visit, &known, codes_count).await? {
        if !familiar && totp::recovery_hash(visit.form.get("code")).is_none() {
            panel.codes.wrong(known.user.id, panel.uptime());
        }
        attempt.failed(panel.uptime());
        panel.note_refusal(AuditEvent::CodeFailed, (visit.actor(), visit.address), Some(known.user.id), "");
        return Ok(again(CodeProblem::Wrong, StatusCode::UNAUTHORIZED));
    }
    attempt.succeeded();
    panel.codes.right(known.user.id);
    open(&panel, &visit, &known, &next).await
}

/// Returns true when the TOTP code or recovery code is right and unused. After too many wrong codes only
/// recovery codes count, which cannot be guessed.
async fn is_right(
    panel: &Panel,
    visit: &Visit,
    known: &KnownUser,
    codes_count: bool,
) -> Result<bool, till_store::StoreError> {
    let (typed, id) = (visit.form.get("code"), known.user.id);
    let factor = known.factor.as_deref().filter(|_| codes_count);
    let secret = factor.and_then(|sealed| panel.open_factor(id, sealed));
    let step = secret.and_then(|secret| totp::verify(&secret, typed, panel.calendar(), known.factor_step));
    if let Some(step) = step {
        return panel.admin.accounts.use_factor_step(id, step).await;
    }
    let Some(check) = totp::recovery_hash(typed) else { return Ok(false) };
    let entry = panel.admin.entry(&actor(visit, &known.user), AuditEvent::RecoveryCodeUsed).with(id);
    panel.admin.accounts.use_recovery_code(id, &check, &entry).await
}

async fn log_out(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let Visitor { user, login, .. } = visit.known();
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::LoggedOut).with(user.id);
    panel.admin.accounts.end_login(login.id, user.id, Some(&entry)).await?;
    Ok(with_cookie(done("/panel/login", FlashMessage::LoggedOut), Cookie::Login.clear(panel.secure)))
}

async fn show_forgot(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    let page = ForgotPage { mail: panel.mail, support: panel.support.clone(), ..ForgotPage::default() };
    visit.page(&panel, None, page)
}

async fn forgot(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("email").to_owned();
    let again = |problem| {
        let (mail, support) = (panel.mail, panel.support.clone());
        ForgotPage { email: typed.clone(), mail, support, problem: Some(problem) }
    };
    let Ok(email) = user::email(&typed) else {
        return Ok(visit.again(&panel, None, again(ForgotProblem::Email)));
    };
    // Requests for a link are rate limited: each counts like a wrong password.
    let account = format!("forgot {email}");
    match panel.throttle.check(panel.uptime(), &account, visit.address, false) {
        Ok(attempt) => attempt.failed(panel.uptime()),
        Err(Wait { seconds }) => {
            let page = again(ForgotProblem::Throttled { seconds });
            return Ok(later(visit.answer(&panel, StatusCode::TOO_MANY_REQUESTS, None, page), seconds));
        }
    }
    // The rest runs in the background, so that the response time does not reveal whether the user exists.
    if panel.mail {
        let (panel, actor, language) = (Arc::clone(&panel), visit.actor(), visit.language);
        tokio::spawn(async move {
            if let Err(error) = remind(&panel, &actor, &email, language).await {
                tracing::error!(error = explain(&error), "a link for a new password was not made");
            }
        });
    }
    Ok(visit.page(&panel, None, ForgotSent { support: panel.support.clone() }))
}

/// Mails a link to the user with this address, if there is one.
async fn remind(panel: &Panel, actor: &Actor, email: &str, language: Language) -> Result<(), AdminError> {
    let known = panel.admin.accounts.user_by_email(email).await?;
    match known.filter(|known| !known.user.disabled) {
        Some(known) => panel.mail_reset(actor, (known.user.id, email), language).await,
        None => Ok(()),
    }
}

/// The user, purpose and check value of a link, if it is still valid.
async fn link_of(
    panel: &Panel,
    token: &str,
) -> Result<Option<(KnownUser, LinkPurpose, [u8; 32])>, till_store::StoreError> {
    let mut found = None;
    for check in panel.admin.link_checks(token) {
        found = panel.admin.accounts.link(&check).await?.map(|link| (link, check));
        if found.is_some() {
            break;
        }
    }
    let Some((link, check)) = found else { return Ok(None) };
    if link.used_at.is_some() || link.expires_at <= panel.now() {
        return Ok(None);
    }
    let known = panel.admin.accounts.user(link.user).await?.filter(|known| !known.user.disabled);
    Ok(known.map(|known| (known, link.purpose, check)))
}

fn link_ended(panel: &Panel, visit: &Visit) -> Response {
    let page = LinkEnded { mail: panel.mail, support: panel.support.clone() };
    visit.answer(panel, StatusCode::GONE, None, page)
}

async fn show_link(State(panel): State<Arc<Panel>>, visit: Visit, Path(token): Path<String>) -> Answer {
    let Some((known, purpose, _)) = link_of(&panel, &token).await? else {
        return Ok(link_ended(&panel, &visit));
    };
    let page = SetPassword { purpose, email: known.user.email, problems: Vec::new() };
    Ok(visit.page(&panel, None, page))
}

async fn use_link(State(panel): State<Arc<Panel>>, visit: Visit, Path(token): Path<String>) -> Answer {
    let Some((known, purpose, check)) = link_of(&panel, &token).await? else {
        return Ok(link_ended(&panel, &visit));
    };
    let user = known.user;
    let problems = password_problems(&visit, &user.email);
    if !problems.is_empty() {
        let page = SetPassword { purpose, email: user.email, problems };
        return Ok(visit.again(&panel, None, page));
    }
    let password = SecretString::from(visit.form.get("password"));
    let hash = panel.passwords.hash(Caller::Known(user.id), &password).await;
    let Ok(hash) = hash else { return Ok(busy(&panel, &visit)) };
    let entry = panel.admin.entry(&actor(&visit, &user), AuditEvent::PasswordSet).with(user.id);
    if !panel.admin.accounts.use_link(&check, user.id, &hash, &entry).await? {
        return Ok(link_ended(&panel, &visit));
    }
    Ok(done("/panel/login", FlashMessage::PasswordSet))
}

/// The problems with a new password and its repetition.
pub(super) fn password_problems(visit: &Visit, email: &str) -> Vec<PasswordProblem> {
    let password = visit.form.get("password");
    let mut problems = Vec::new();
    match password::check_new(&SecretString::from(password), email) {
        Ok(()) => {}
        Err(Weakness::TooShort) => problems.push(PasswordProblem::TooShort),
        Err(Weakness::TooLong) => problems.push(PasswordProblem::TooLong),
        Err(_) => problems.push(PasswordProblem::Common),
    }
    if password != visit.form.get("again") {
        problems.push(PasswordProblem::Differs);
    }
    problems
}

/// The answer if too many passwords are being hashed.
pub(super) fn busy(panel: &Panel, visit: &Visit) -> Response {
    later(visit.answer(panel, StatusCode::TOO_MANY_REQUESTS, None, Busy { seconds: 1 }), 1)
}
