//! A vendor's settings: credentials, addresses, the rotation of a secret, and access to the sandbox.

pub mod view;

use crate::{
    Access, Panel, Route,
    account::{PasswordTry, is_password},
    does, drafts, endpoint_check,
    pages::{FlashMessage, Language, NavItem, zones::ZoneList},
    settings::view::{
        AskSandbox, Overlap, OverlapChoice, Rotate, RotateProblem, RotatedPage, SandboxAccess, SandboxState,
        Secret, Settings, SettingsForm, SettingsProblem, TestResult,
    },
    shows,
    visit::{Answer, Fields, Refused, Visit, done, go},
};
use axum::{extract::State, response::Response};
use secrecy::ExposeSecret as _;
use std::{sync::Arc, time::Duration};
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    callback::EventFamilies,
    credential::Credential,
    environment::EnvironmentName,
    id::RequestId,
    misdelivery::Fault,
    text,
    time::TimeZone,
    user::Right,
    vendor::{SettingsChange, Vendor},
    weburl::WebUrl,
};
use till_service::{callbacks::Pinger, mail, random};
use till_store::StoreError;

const PLACE: Option<NavItem> = Some(NavItem::Settings);
const PATH: &str = "/panel/settings";

/// The longest vendor name on the checkout page.
const MAX_NAME: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    vec![
        shows(PATH, see, show),
        does(PATH, run, save),
        does("/panel/settings/reveal", run, reveal).after_password_if(|visit| !visit.vendor().sandbox),
        shows("/panel/settings/rotate", run, show_rotate),
        does("/panel/settings/rotate", run, rotate),
        does("/panel/settings/test-callback", run, test_callback),
        shows("/panel/sandbox", see, show_sandbox),
        does("/panel/sandbox/ask", run, ask),
    ]
}

/// The environment of the credentials that are shown: only the sandbox's while it is on.
fn credentials_environment(vendor: &Vendor) -> EnvironmentName {
    if vendor.sandbox { EnvironmentName::Sandbox } else { EnvironmentName::Live }
}

/// Data of a settings page beside the stored settings.
#[derive(Default)]
struct SettingsExtras {
    secret: Option<String>,
    form: Option<SettingsForm>,
    problems: Vec<SettingsProblem>,
    test: Option<TestResult>,
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let form = drafts::typed(&panel, &visit).as_ref().map(|fields| typed(visit.vendor(), fields));
    page(&panel, &visit, SettingsExtras { form, ..SettingsExtras::default() }).await
}

/// True if the operator does not want the live credentials to be shown yet.
async fn is_hidden(panel: &Panel, vendor: &Vendor) -> Result<bool, Refused> {
    let live = credentials_environment(vendor) == EnvironmentName::Live;
    Ok(live && endpoint_check::hides_live(panel, vendor).await?)
}

/// The fault that the vendor chose for all callbacks of the sandbox.
async fn default_fault(panel: &Panel, vendor: &Vendor) -> Result<Option<Fault>, StoreError> {
    if !vendor.sandbox {
        return Ok(None);
    }
    Ok(panel.faults.default_of(vendor.id).await?.fault)
}

async fn page(panel: &Panel, visit: &Visit, more: SettingsExtras) -> Answer {
    let vendor = visit.vendor();
    let environment = credentials_environment(vendor);
    let newest = newest(vendor, environment);
    let wrong = !more.problems.is_empty();
    let form = more.form.unwrap_or_else(|| stored(vendor));
    let body = Settings {
        environment,
        client_id: newest.map(|credential| credential.client_id.clone()).unwrap_or_default(),
        secret: more.secret.map_or(Secret::Hidden, Secret::Shown),
        live_hidden: is_hidden(panel, vendor).await?,
        rotated_at: newest.filter(|credential| credential.number > 1).map(|credential| credential.created_at),
        overlap: newest.and_then(|newest| overlap(panel, vendor, newest)),
        can_change: visit.user().role.may(Right::RunVendor),
        zones: ZoneList::new(form.time_zone.clone()),
        form,
        problems: more.problems,
        can_test: vendor.settings.callback_url.is_some(),
        test: more.test,
        default_fault: default_fault(panel, vendor).await?,
    };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

/// The newest credentials of an environment, which the vendor should use.
fn newest(vendor: &Vendor, environment: EnvironmentName) -> Option<&Credential> {
    let mine = vendor.credentials.iter().filter(|credential| credential.environment == environment);
    mine.max_by_key(|credential| credential.number)
}

/// The credentials before the newest, if they are still valid.
fn overlap(panel: &Panel, vendor: &Vendor, newest: &Credential) -> Option<Overlap> {
    let now = panel.now();
    let mine = vendor.credentials.iter().filter(|c| c.environment == newest.environment);
    let older = mine.filter(|c| c.number < newest.number && c.works_at(now));
    let before = older.max_by_key(|credential| credential.number)?;
    Some(Overlap {
        until: before.ends_at?,
        old_client_id: before.client_id.clone(),
        new_signs: newest.first_used_at.is_some(),
    })
}

fn stored(vendor: &Vendor) -> SettingsForm {
    let settings = &vendor.settings;
    let url = |url: &Option<WebUrl>| url.as_ref().map(|url| url.as_str().to_owned()).unwrap_or_default();
    SettingsForm {
        callback_url: url(&settings.callback_url),
        return_url: url(&settings.return_url),
        contact_email: settings.contact_email.clone().unwrap_or_default(),
        display_name: settings.display_name.clone().unwrap_or_else(|| vendor.name.clone()),
        time_zone: settings.time_zone.as_ref().map_or("UTC", TimeZone::as_str).to_owned(),
        language: settings.language.as_deref().and_then(Language::parse).unwrap_or(Language::English),
        receipt_copy: settings.receipt_copy,
        events: settings.events,
        confirm_shared: false,
    }
}

fn typed(vendor: &Vendor, fields: &Fields) -> SettingsForm {
    let text = |name| fields.get(name).trim().to_owned();
    SettingsForm {
        callback_url: text("callback_url"),
        return_url: text("return_url"),
        contact_email: text("contact_email"),
        display_name: text("display_name"),
        time_zone: text("time_zone"),
        language: Language::parse(fields.get("language")).unwrap_or(Language::English),
        receipt_copy: fields.ticked("receipt_copy"),
        events: match fields.ticked("events") {
            true => EventFamilies {
                refund: fields.ticked("events_refund"),
                payment: fields.ticked("events_payment"),
                dispute: fields.ticked("events_dispute"),
            },
            // A form without the boxes switches nothing off.
            false => vendor.settings.events,
        },
        confirm_shared: fields.ticked("confirm_shared"),
    }
}

/// Parses a form: the changes, and all problems.
fn read(panel: &Panel, vendor: &Vendor, form: &SettingsForm) -> (SettingsChange, Vec<SettingsProblem>) {
    let mut problems = Vec::new();
    let mut url = |text: &str, parse: &dyn Fn(&str) -> Result<WebUrl, _>, wrap: fn(_) -> SettingsProblem| {
        if text.is_empty() {
            return None;
        }
        parse(text).map_err(|problem| problems.push(wrap(problem))).ok()
    };
    let callback = |text: &str| WebUrl::parse_callback(text, panel.private_callbacks);
    let callback_url = url(&form.callback_url, &callback, SettingsProblem::CallbackUrl);
    let return_url = url(&form.return_url, &WebUrl::parse, SettingsProblem::ReturnUrl);
    let contact_email = match form.contact_email.as_str() {
        "" => None,
        email => mail::address(email).map_err(|_| problems.push(SettingsProblem::ContactEmail)).ok(),
    };
    if form.display_name.is_empty() {
        problems.push(SettingsProblem::NameMissing);
    } else if form.display_name.chars().count() > MAX_NAME || text::name(&form.display_name).is_err() {
        problems.push(SettingsProblem::NameTooLong);
    }
    let time_zone = match form.time_zone.as_str() {
        "" => None,
        name => TimeZone::parse(name).or_else(|| {
            problems.push(SettingsProblem::TimeZone);
            None
        }),
    };
    let as_now = &vendor.settings;
    let shared = callback_url != as_now.callback_url
        || return_url != as_now.return_url
        || contact_email != as_now.contact_email
        || form.events != as_now.events;
    if vendor.sandbox && shared && !form.confirm_shared {
        problems.push(SettingsProblem::ConfirmShared);
    }
    let display_name = Some(form.display_name.clone()).filter(|name| *name != vendor.name);
    let change = SettingsChange {
        callback_url: Some(callback_url),
        return_url: Some(return_url),
        contact_email: Some(contact_email),
        methods: None,
        display_name: Some(display_name),
        time_zone: Some(time_zone),
        language: Some(Some(form.language.word().to_owned())),
        receipt_copy: Some(form.receipt_copy),
        events: Some(form.events),
        fiscal: None,
    };
    (change, problems)
}

async fn save(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.vendor();
    let form = typed(vendor, &visit.form);
    let (change, problems) = read(&panel, vendor, &form);
    if !problems.is_empty() {
        let more = SettingsExtras { form: Some(form), problems, ..SettingsExtras::default() };
        return page(&panel, &visit, more).await;
    }
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SettingsChanged).about(vendor.id);
    let entry = entry.saying(differences(vendor, &form));
    panel.admin.accounts.set_settings(vendor.id, &change, &entry).await?;
    panel.directory.forget(vendor.id);
    Ok(done(PATH, FlashMessage::Saved))
}

fn switched(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// The changed fields with their old and new values, for the audit log.
fn differences(vendor: &Vendor, new: &SettingsForm) -> String {
    let old = stored(vendor);
    let fields = [
        ("callback URL", old.callback_url, &new.callback_url),
        ("return URL", old.return_url, &new.return_url),
        ("contact e-mail", old.contact_email, &new.contact_email),
        ("name", old.display_name, &new.display_name),
        ("time zone", old.time_zone, &new.time_zone),
        ("language", old.language.word().to_owned(), &new.language.word().to_owned()),
        ("copy of receipts", switched(old.receipt_copy), &switched(new.receipt_copy)),
        ("events", old.events.list(), &new.events.list()),
    ];
    let changed = fields.iter().filter(|(_, old, new)| old != *new);
    let changes: Vec<String> = changed.map(|(name, old, new)| format!("{name}: {old:?} → {new:?}")).collect();
    if changes.is_empty() { "nothing new".to_owned() } else { changes.join("; ") }
}

async fn reveal(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    if is_hidden(&panel, visit.vendor()).await? {
        return Ok(go(PATH));
    }
    let environment = credentials_environment(visit.vendor());
    let pair = panel.admin.reveal(&visit.actor(), visit.vendor_id(), environment).await?;
    let secret = Some(pair.client_secret.expose_secret().to_owned());
    page(&panel, &visit, SettingsExtras { secret, ..SettingsExtras::default() }).await
}

async fn show_rotate(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    if is_hidden(&panel, visit.vendor()).await? {
        return Ok(go(PATH));
    }
    Ok(rotate_page(&panel, &visit, None, None))
}

fn rotate_page(
    panel: &Panel,
    visit: &Visit,
    chosen: Option<OverlapChoice>,
    problem: Option<RotateProblem>,
) -> Response {
    let environment = credentials_environment(visit.vendor());
    let body = Rotate {
        environment,
        client_id: newest(visit.vendor(), environment).map(|c| c.client_id.clone()).unwrap_or_default(),
        overlap: chosen.unwrap_or(OverlapChoice::Day),
        problem,
    };
    if problem.is_some() { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) }
}

async fn rotate(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    if is_hidden(&panel, visit.vendor()).await? {
        return Ok(go(PATH));
    }
    let (vendor, environment) = (visit.vendor_id(), credentials_environment(visit.vendor()));
    let chosen = OverlapChoice::parse(visit.form.get("overlap"));
    let Some(choice) = chosen else {
        return Ok(rotate_page(&panel, &visit, None, Some(RotateProblem::NoOverlap)));
    };
    let problem = match is_password(&panel, &visit, "password").await {
        Ok(true) => None,
        Ok(false) => Some(RotateProblem::WrongPassword),
        Err(PasswordTry::Wait(seconds)) => Some(RotateProblem::Throttled { seconds }),
        Err(PasswordTry::Store(error)) => return Err(error.into()),
    };
    if problem.is_some() {
        return Ok(rotate_page(&panel, &visit, chosen, problem));
    }
    let overlap = lasts(choice);
    let rotated = panel.admin.rotate(&visit.actor(), vendor, environment, overlap).await;
    if let Err(till_service::admin::AdminError::Overtaken) = rotated {
        return Ok(done(PATH, FlashMessage::Overtaken));
    }
    let new = rotated?;
    panel.directory.forget(vendor);
    let body = RotatedPage {
        environment,
        client_id: new.pair.client_id,
        secret: new.pair.client_secret.expose_secret().to_owned(),
        old_until: (!overlap.is_zero()).then_some(new.old_ends_at),
    };
    Ok(visit.page(&panel, PLACE, body))
}

/// How long the old credentials stay valid.
fn lasts(choice: OverlapChoice) -> Duration {
    match choice {
        OverlapChoice::Day => Duration::from_secs(24 * 60 * 60),
        OverlapChoice::Hour => Duration::from_secs(60 * 60),
        OverlapChoice::Now => Duration::ZERO,
    }
}

async fn test_callback(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.vendor();
    let Some(target) = &vendor.settings.callback_url else { return Ok(done(PATH, FlashMessage::Failed)) };
    let environment = credentials_environment(vendor);
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::TestCallback).about(vendor.id);
    if !panel.admin.accounts.record_once(&entry.saying(target.as_str())).await? {
        return Err(Refused::Repeated);
    }
    let pinger = Pinger { environment: panel.environment(environment), outbound: &panel.outbound };
    let (result, took) = pinger.ping(vendor.id, target).await?.ok_or(Refused::NotFound)?;
    let took_ms = took.as_millis().try_into().unwrap_or(u64::MAX);
    let test = Some(TestResult { result, took_ms });
    page(&panel, &visit, SettingsExtras { test, ..SettingsExtras::default() }).await
}

async fn show_sandbox(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let reason = drafts::typed(&panel, &visit).map(|fields| fields.get("reason").to_owned());
    let form = AskSandbox { reason: reason.unwrap_or_default(), ..AskSandbox::default() };
    sandbox(&panel, &visit, form).await
}

async fn sandbox(panel: &Panel, visit: &Visit, form: AskSandbox) -> Answer {
    let (vendor, wrong) = (visit.vendor(), form.problem.is_some());
    let requests = panel.admin.accounts.sandbox_requests(Some(vendor.id)).await?;
    let state = if vendor.sandbox {
        let on = panel.admin.accounts.last_event(vendor.id, AuditEvent::SandboxOn).await?;
        SandboxState::On { at: on.as_ref().map(|line| line.at), by: on.map(|line| line.actor.name) }
    } else if let Some(request) = requests.into_iter().next() {
        SandboxState::Requested { at: request.created_at, by: request.email, reason: request.reason }
    } else {
        SandboxState::Off(AskSandbox { can_ask: visit.user().role.may(Right::RunVendor), ..form })
    };
    let body = SandboxAccess { state, support: panel.support.clone() };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

async fn ask(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (vendor, user) = (visit.vendor(), visit.user());
    if vendor.sandbox {
        return Ok(done("/panel/sandbox", FlashMessage::SandboxOn));
    }
    let typed = visit.form.get("reason");
    let request = match SandboxRequest::new(&user.email, typed) {
        Ok(request) => request,
        Err(problems) => {
            let problem = problems.into_iter().next();
            return sandbox(&panel, &visit, AskSandbox { reason: typed.to_owned(), problem, can_ask: true })
                .await;
        }
    };
    let id = random::id::<RequestId>(panel.now());
    let entry =
        panel.admin.entry(&visit.actor(), AuditEvent::SandboxAsked).about(vendor.id).saying(&request.why);
    panel.admin.accounts.ask_for_sandbox(id, (vendor.id, user.id), &request.why, &entry).await?;
    Ok(done("/panel/sandbox", FlashMessage::SandboxAsked))
}
