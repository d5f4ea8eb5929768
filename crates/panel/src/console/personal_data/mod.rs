//! `/operator/personal-data`: what is known of a customer's e-mail address, and its erasure.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::personal_data::view::{CustomerLine, FoundCustomer, MOST_LINES, PersonalDataPage},
    does,
    pages::{FlashMessage, NavItem},
    sealed_search, shows,
    visit::{Answer, Visit, done, go},
};
use axum::extract::State;
use std::{sync::Arc, time::Duration};
use till_domain::text;
use till_service::{
    admin::{CustomerLookup, CustomerRecord, CustomerSession, LookupBounds},
    search::MAX_QUERY,
};

const PATH: &str = "/operator/personal-data";

const ERASE: &str = "/operator/personal-data/erase";

/// Who may decrypt an address.
const OWNER: &str = "the operator, for its personal data";

/// What a page waits for. A command has no such limits.
const BOUNDS: LookupBounds =
    LookupBounds { within: Some(Duration::from_secs(5)), sessions: Some(MOST_LINES) };

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, show), does(PATH, operate, find), does(ERASE, operate, erase).after_password()]
}

/// Leads to what is known of the address that was typed; the page's own address has it encrypted.
async fn find(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("email").trim();
    let Ok(address) = text::email(typed) else {
        let page =
            PersonalDataPage { typed: typed.chars().take(MAX_QUERY).collect(), is_wrong: true, found: None };
        return Ok(visit.again(&panel, Some(NavItem::System), page));
    };
    let sealed = sealed_search::seal(&panel.admin.vault, OWNER, &address).unwrap_or_default();
    Ok(go(&format!("{PATH}?{}={sealed}", sealed_search::PARAMETER)))
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let sealed = visit.query.get(sealed_search::PARAMETER);
    let Some(address) = sealed_search::open(&panel.admin.vault, OWNER, sealed) else {
        return Ok(visit.page(&panel, Some(NavItem::System), PersonalDataPage::default()));
    };
    let lower = address.to_ascii_lowercase();
    let lookup = lookup(&panel, &lower);
    let record = lookup.record(BOUNDS, |_| {}).await?;
    let found = Some(found(&record, sealed));
    let page = PersonalDataPage { typed: address, is_wrong: false, found };
    Ok(visit.page(&panel, Some(NavItem::System), page))
}

async fn erase(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let sealed = visit.form.get(sealed_search::PARAMETER);
    let Some(address) = sealed_search::open(&panel.admin.vault, OWNER, sealed) else {
        return Ok(done(PATH, FlashMessage::Overtaken));
    };
    let lower = address.to_ascii_lowercase();
    let lookup = lookup(&panel, &lower);
    let record = lookup.record(BOUNDS, |_| {}).await?;
    let report = lookup.erase(&visit.actor(), &record, Some(MOST_LINES), |_| {}).await?;
    Ok(done(
        PATH,
        match report {
            None => FlashMessage::Repeated,
            Some(_) if !record.is_complete => FlashMessage::ErasedIncompletely,
            Some(report) if report.waiting > 0 => FlashMessage::ErasedInPart,
            Some(_) => FlashMessage::Erased,
        },
    ))
}

fn lookup<'a>(panel: &'a Panel, address: &'a str) -> CustomerLookup<'a> {
    let stores = panel.environments.each_ref().map(|environment| &environment.store);
    CustomerLookup { address, accounts: &panel.admin.accounts, stores }
}

fn found(record: &CustomerRecord, sealed: &str) -> FoundCustomer {
    FoundCustomer {
        sealed: sealed.to_owned(),
        count: record.ids.len(),
        lines: record.sessions.iter().rev().map(line).collect(),
        mentions: record.mentions.len(),
        can_be_erased: record.can_be_erased(),
        panel_mails: record.panel_mails,
        is_panel_user: record.is_panel_user,
        is_contact: !record.contact_of.is_empty(),
        is_complete: record.is_complete,
    }
}

fn line(known: &CustomerSession) -> CustomerLine {
    let session = &known.session;
    CustomerLine {
        environment: known.environment,
        id: session.id,
        order_id: session.order_id.to_string(),
        price: session.item.price.money(),
        created_at: session.created_at,
        personal_data: known.personal_data(),
        is_waiting: known.is_waiting(),
    }
}
