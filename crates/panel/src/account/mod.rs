//! The account page of every user: password, second factor (TOTP), time zone, and the browsers logged in.

pub mod view;

use crate::{
    Access, Panel, Route,
    account::view::{Account, AccountProblem, Device, FactorForm, RecoveryCodes, Totp, TotpSetup, ZoneForm},
    does,
    login::{busy, password_problems},
    pages::{self, FlashMessage, NavItem, zones::ZoneList},
    reauthentication, shows,
    visit::{Answer, Refused, Visit, Visitor, done, go, with_cookie},
};
use axum::extract::{Path, State};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    id::{LoginId, UserId},
    time::TimeZone,
    user::{Role, User},
};
use till_service::access::{
    queue::Caller,
    throttle::Wait,
    totp::{self, Secret},
};
use till_service::admin::factor_place;
use till_store::{AuditFilter, ConfirmedFactor, StoreError};

const PLACE: Option<NavItem> = Some(NavItem::Account);
const PATH: &str = "/panel/account";

pub(super) fn routes() -> Vec<Route> {
    use Access::Known;
    vec![
        shows(PATH, Known, show),
        does("/panel/account/password", Known, change_password),
        does("/panel/account/time-zone", Known, choose_zone),
        shows("/panel/account/totp", Known, show_setup),
        // A user with a second factor types the password into the form itself, see `start_setup`.
        does("/panel/account/totp", Known, start_setup).after_password_if(|visit| !visit.user().has_factor),
        does("/panel/account/totp/confirm", Known, confirm).after_password(),
        does("/panel/account/totp/off", Known, switch_off),
        does("/panel/account/totp/codes", Known, new_codes),
        does("/panel/account/sessions/{id}/end", Known, end_session),
        does("/panel/account/sessions/end-others", Known, end_others),
    ]
}

impl Panel {
    /// Decrypts the TOTP secret of a user's second factor.
    pub(super) fn open_factor(&self, user: UserId, sealed: &[u8]) -> Option<Secret> {
        let text = self.admin.vault.open_text(&factor_place(user), sealed).ok()?;
        Secret::parse(text.expose_secret())
    }

    /// The log-ins (browsers) of a user, the current one first.
    pub(super) async fn devices(
        &self,
        user: UserId,
        current: Option<LoginId>,
    ) -> Result<Vec<Device>, StoreError> {
        let mut logins = self.admin.accounts.logins(user).await?;
        logins.sort_by_key(|login| Some(login.id) != current);
        let device = |login: till_store::Login| Device {
            id: login.id.to_string(),
            agent: login.agent,
            address: login.address,
            since: login.created_at,
            seen: login.seen_at,
            current: Some(login.id) == current,
        };
        Ok(logins.into_iter().map(device).collect())
    }

    /// True if the user's role requires a second factor.
    fn needs_factor(&self, user: &User) -> bool {
        self.operator_totp && user.role == Role::Operator
    }
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    account(&panel, &visit, Vec::new()).await
}

async fn account(panel: &Panel, visit: &Visit, problems: Vec<AccountProblem>) -> Answer {
    let Visitor { user, login, .. } = visit.known();
    let totp = if user.has_factor {
        let (actor, event) = (Some(user.email.clone()), Some(AuditEvent::FactorOn));
        let filter = AuditFilter { actor, event, limit: 1, ..AuditFilter::default() };
        let lines = panel.admin.accounts.audit(&filter).await?;
        let on = lines.first();
        let codes_left = panel.admin.accounts.recovery_codes_left(user.id).await?;
        Totp::On {
            since: on.map_or(user.created_at, |line| line.at),
            codes_left: codes_left.try_into().unwrap_or(0),
            required: panel.needs_factor(user),
        }
    } else {
        Totp::Off
    };
    let sessions = panel.devices(user.id, Some(login.id)).await?;
    let wrong = !problems.is_empty();
    let typed = problems.contains(&AccountProblem::TimeZone).then(|| visit.form.get("time_zone").to_owned());
    let chosen = || user.time_zone.as_ref().map(|zone| zone.as_str().to_owned()).unwrap_or_default();
    let zone = ZoneForm {
        usual: visit.usual_zone().as_str().to_owned(),
        zones: ZoneList::new(typed.unwrap_or_else(chosen)),
    };
    let body = Account { problems, totp, sessions, zone };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

/// Verifies the password typed into `field` and counts a failure; an error if the user has to wait first.
pub(super) async fn is_password(panel: &Panel, visit: &Visit, field: &str) -> Result<bool, PasswordTry> {
    let user = visit.user();
    let account = format!("own {}", user.id);
    let attempt = panel.throttle.check(panel.uptime(), &account, visit.address, true);
    let attempt = attempt.map_err(|Wait { seconds }| PasswordTry::Wait(seconds))?;
    let known = panel.admin.accounts.user(user.id).await.map_err(PasswordTry::Store)?;
    let stored = known.and_then(|known| known.password);
    let typed = SecretString::from(visit.form.get(field));
    let verdict = panel.passwords.verify(Caller::Known(user.id), &typed, stored.as_deref()).await;
    let verdict = verdict.map_err(|_| PasswordTry::Wait(1))?;
    if verdict.ok {
        attempt.succeeded();
    } else {
        attempt.failed(panel.uptime());
        panel.note_refusal(
            AuditEvent::PasswordFailed,
            (visit.actor(), visit.address),
            Some(user.id),
            &visit.path,
        );
    }
    Ok(verdict.ok)
}

/// The reason why a password was not verified.
pub(super) enum PasswordTry {
    /// Rate limited, or too many passwords are being hashed: the seconds to wait.
    Wait(u64),
    Store(StoreError),
}

async fn change_password(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let Visitor { user, login, .. } = visit.known();
    let mut problems: Vec<AccountProblem> =
        password_problems(&visit, &user.email).into_iter().map(AccountProblem::Password).collect();
    match is_password(&panel, &visit, "current").await {
        Ok(true) => {}
        Ok(false) => problems.insert(0, AccountProblem::CurrentWrong),
        Err(PasswordTry::Wait(seconds)) => problems.insert(0, AccountProblem::Throttled { seconds }),
        Err(PasswordTry::Store(error)) => return Err(error.into()),
    }
    if !problems.is_empty() {
        return account(&panel, &visit, problems).await;
    }
    let password = SecretString::from(visit.form.get("password"));
    let hash = panel.passwords.hash(Caller::Known(user.id), &password).await;
    let Ok(hash) = hash else { return Ok(busy(&panel, &visit)) };
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::PasswordSet).with(user.id);
    if !panel.admin.accounts.set_password(user.id, &hash, Some(login.id), &entry).await? {
        return Ok(done(PATH, FlashMessage::Overtaken));
    }
    Ok(done(PATH, FlashMessage::PasswordChanged))
}

async fn choose_zone(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let zone = match visit.form.get("time_zone").trim() {
        "" => None,
        name => match TimeZone::parse(name) {
            Some(zone) => Some(zone),
            None => return account(&panel, &visit, vec![AccountProblem::TimeZone]).await,
        },
    };
    panel.admin.accounts.set_user_zone(visit.user().id, zone.as_ref()).await?;
    Ok(done(PATH, FlashMessage::Saved))
}

/// Begins a set-up. A user who has a second factor types the password before it is replaced.
async fn start_setup(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    if visit.user().has_factor
        && let Some(problem) = wrong_password(&panel, &visit, FactorForm::Phone).await?
    {
        return account(&panel, &visit, vec![problem]).await;
    }
    let replaces = visit.user().has_factor;
    new_factor(&panel, &visit).await?;
    let response = go("/panel/account/totp");
    Ok(if replaces { with_cookie(response, reauthentication::cookie(&panel, &visit)) } else { response })
}

/// Verifies the password in a second-factor form; `None` if it is right.
async fn wrong_password(
    panel: &Panel,
    visit: &Visit,
    form: FactorForm,
) -> Result<Option<AccountProblem>, Refused> {
    match is_password(panel, visit, "password").await {
        Ok(true) => Ok(None),
        Ok(false) => Ok(Some(AccountProblem::FactorPasswordWrong(form))),
        Err(PasswordTry::Wait(seconds)) => Ok(Some(AccountProblem::Throttled { seconds })),
        Err(PasswordTry::Store(error)) => Err(error.into()),
    }
}

/// Replaces all recovery codes, after the user typed the password.
async fn new_codes(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let user = visit.user();
    if let Some(problem) = wrong_password(&panel, &visit, FactorForm::Codes).await? {
        return account(&panel, &visit, vec![problem]).await;
    }
    let codes = totp::recovery_codes();
    let hashes: Vec<[u8; 32]> = codes.iter().map(|code| code.hash).collect();
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::RecoveryCodesMade).with(user.id);
    if !panel.admin.accounts.replace_recovery_codes(user.id, &hashes, &entry).await? {
        // Without a second factor there are no codes, and the page shows no such form.
        return Err(if user.has_factor { Refused::Repeated } else { Refused::NotFound });
    }
    let codes = codes.iter().map(|code| code.text.expose_secret().to_owned()).collect();
    let page = RecoveryCodes { codes, next: PATH.to_owned() };
    Ok(visit.page(&panel, PLACE, page))
}

/// Stores a new secret as pending, until its first code confirms it.
async fn new_factor(panel: &Panel, visit: &Visit) -> Result<Secret, StoreError> {
    let (user, secret) = (visit.user(), Secret::generate());
    let sealed = panel.admin.vault.seal_text(&factor_place(user.id), &secret.text());
    panel.admin.accounts.set_pending_factor(user.id, &sealed).await?;
    Ok(secret)
}

async fn show_setup(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    setup(&panel, &visit, false).await
}

async fn setup(panel: &Panel, visit: &Visit, wrong: bool) -> Answer {
    let user = visit.user();
    let known = panel.admin.accounts.user(user.id).await?.ok_or(Refused::NotFound)?;
    let pending = known.factor_pending.and_then(|sealed| panel.open_factor(user.id, &sealed));
    let secret = match pending {
        Some(secret) => secret,
        None if known.user.has_factor => return Ok(go(PATH)),
        None => new_factor(panel, visit).await?,
    };
    let body = TotpSetup {
        uri: secret.uri(&user.email).expose_secret().to_owned(),
        secret: secret.text().expose_secret().to_owned(),
        wrong,
        forced: panel.needs_factor(user) && !user.has_factor,
    };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

async fn confirm(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let user = visit.user();
    let known = panel.admin.accounts.user(user.id).await?.ok_or(Refused::NotFound)?;
    // A user who reloads the page with the codes has confirmed already.
    let Some(pending) = known.factor_pending else { return Ok(done(PATH, FlashMessage::Repeated)) };
    let secret = panel.open_factor(user.id, &pending);
    let step =
        secret.and_then(|secret| totp::verify(&secret, visit.form.get("code"), panel.calendar(), None));
    let Some(step) = step else { return setup(&panel, &visit, true).await };
    let codes = totp::recovery_codes();
    let hashes: Vec<[u8; 32]> = codes.iter().map(|code| code.hash).collect();
    let factor =
        ConfirmedFactor { pending: &pending, step, codes: &hashes, keep: Some(visit.known().login.id) };
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::FactorOn).with(user.id);
    if !panel.admin.accounts.confirm_factor(user.id, &factor, &entry).await? {
        return Ok(done(PATH, FlashMessage::Overtaken));
    }
    let codes = codes.iter().map(|code| code.text.expose_secret().to_owned()).collect();
    let next = pages::home(user.role).to_owned();
    Ok(visit.page(&panel, PLACE, RecoveryCodes { codes, next }))
}

async fn switch_off(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let user = visit.user();
    if panel.needs_factor(user) {
        return Ok(visit.forbidden(&panel));
    }
    if let Some(problem) = wrong_password(&panel, &visit, FactorForm::Off).await? {
        return account(&panel, &visit, vec![problem]).await;
    }
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::FactorOff).with(user.id);
    panel.admin.accounts.drop_factor(user.id, &entry).await?;
    Ok(done(PATH, FlashMessage::TotpOff))
}

async fn end_session(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = visit.user();
    let id = LoginId::parse(&id).ok_or(Refused::NotFound)?;
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::LoginsEnded).with(user.id);
    if !panel.admin.accounts.end_login(id, user.id, Some(&entry)).await? {
        return Err(Refused::NotFound);
    }
    Ok(done(PATH, FlashMessage::SessionEnded))
}

async fn end_others(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let Visitor { user, login, .. } = visit.known();
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::LoginsEnded).with(user.id);
    panel.admin.accounts.end_logins(user.id, Some(login.id), &entry).await?;
    Ok(done(PATH, FlashMessage::SessionsEnded))
}
