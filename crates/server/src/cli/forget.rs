//! `till forget`: shows what is known of a customer's address, and erases it.

use super::{
    Common,
    confirm::ConfirmOption,
    context::{Context, block_on},
    output::{complain, print, table},
    progress::Progress,
};
use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Actor, dispatch::DispatchKind, environment::EnvironmentName, metadata::Metadata, text,
};
use till_service::admin::{CustomerLookup, CustomerRecord, CustomerSession, ErasureReport, LookupBounds};

#[derive(Debug, Args)]
pub struct ForgetOptions {
    /// The customer's e-mail address, in any case
    #[arg(long, value_name = "ADDRESS")]
    email: String,
    /// Show what is known, and change nothing
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    confirm: ConfirmOption,
}

pub fn run(common: &Common, options: &ForgetOptions) -> anyhow::Result<ExitCode> {
    block_on(forget(common, options))
}

async fn forget(common: &Common, options: &ForgetOptions) -> anyhow::Result<ExitCode> {
    let address = text::email(options.email.trim())
        .ok()
        .with_context(|| format!("{:?} is not an e-mail address", options.email))?
        .to_ascii_lowercase();
    let context = Context::open(common).await?;
    let stores = [EnvironmentName::Live, EnvironmentName::Sandbox].map(|name| context.store(name));
    let lookup = CustomerLookup { address: &address, accounts: &context.accounts, stores };
    let mut progress = Progress::new();
    let looking = |read| {
        progress.show(read, u64::MAX, || format!("metadata, notes and reasons of refunds searched: {read}"))
    };
    let record = tokio::select! {
        record = lookup.record(LookupBounds::default(), looking) => record?,
        _ = tokio::signal::ctrl_c() => bail!("interrupted: nothing was changed"),
    };
    let shown = CustomerDocument::new(&record);
    if options.show {
        print(common.json, &shown, describe)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !record.can_be_erased() {
        print(common.json, &Forgotten::default(), |_| describe(&shown))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !common.json || !options.confirm.yes {
        complain(&describe(&shown));
    }
    options.confirm.ask("This cannot be undone. Erase it?")?;
    let actor = Actor::shell();
    let (total, mut progress) = (record.sessions.len() as u64, Progress::new());
    let erasing = |done| progress.show(done, total, || format!("sessions: {done} of {total}"));
    let erased = tokio::select! {
        erased = lookup.erase(&actor, &record, None, erasing) => erased?,
        _ = tokio::signal::ctrl_c() => bail!(
            "interrupted: the service erases what was requested; run the same command again to be sure of the rest"
        ),
    };
    print(common.json, &Forgotten::from(erased.unwrap_or_default()), Forgotten::text)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize, Default)]
struct Forgotten {
    /// Sessions whose personal data is erased.
    erased: u64,
    /// Sessions that are erased when their open work has ended.
    waiting: u64,
    /// Notes and reasons of refunds in other sessions that were erased.
    mentions: u64,
    /// Mails to panel users that were deleted.
    panel_mails: u64,
}

impl From<ErasureReport> for Forgotten {
    fn from(report: ErasureReport) -> Self {
        let ErasureReport { erased, waiting, mentions, panel_mails } = report;
        Self { erased, waiting, mentions, panel_mails }
    }
}

impl Forgotten {
    fn text(&self) -> String {
        let mut text = format!(
            "Erased: {} sessions, {} mentions in notes and refunds, {} mails to panel users.",
            self.erased, self.mentions, self.panel_mails
        );
        if self.waiting > 0 {
            text.push_str(&format!(
                " {} sessions still have open work: the service erases them when that work ends; the same command with --show \
                 lists them.",
                self.waiting
            ));
        }
        text.push_str(" Backups from before still have the data: after a restore, run this again.");
        text
    }
}

/// What is known of an address, for the customer.
#[derive(Serialize)]
struct CustomerDocument {
    sessions: Vec<SessionDocument>,
    /// Notes and reasons of refunds in other sessions that mention the address.
    mentions: usize,
    /// Mails to panel users at this address that were sent or given up.
    panel_mails: u64,
    is_panel_user: bool,
    /// The vendors whose contact address it is.
    contact_of: Vec<String>,
}

#[derive(Serialize)]
struct SessionDocument {
    environment: &'static str,
    session_id: String,
    vendor_id: String,
    order_id: String,
    product_name: String,
    price: String,
    currency: &'static str,
    status: &'static str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_email: Option<String>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: Metadata,
    /// Addresses that the customer typed at checkout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    typed_emails: Vec<String>,
    /// The addresses of receipts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    receipt_emails: Vec<String>,
    /// The customer of its fiscal receipts: address, phone, name and taxpayer number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fiscal_customers: Vec<String>,
    /// The recipients of mails about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mail_recipients: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refund_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The kinds of data that an erasure removes.
    personal_data: Vec<&'static str>,
    /// Present if an erasure was requested and waits for open work.
    #[serde(skip_serializing_if = "Option::is_none")]
    erasure_requested_at: Option<String>,
}

impl CustomerDocument {
    fn new(record: &CustomerRecord) -> Self {
        Self {
            sessions: record.sessions.iter().map(SessionDocument::new).collect(),
            mentions: record.mentions.len(),
            panel_mails: record.panel_mails,
            is_panel_user: record.is_panel_user,
            contact_of: record.contact_of.iter().map(ToString::to_string).collect(),
        }
    }
}

impl SessionDocument {
    fn new(known: &CustomerSession) -> Self {
        let session = &known.session;
        let to_customer = known.mails.iter().filter(|mail| mail.due.dispatch.kind == DispatchKind::Receipt);
        let recipients = to_customer.map(|mail| &mail.due.dispatch.recipient);
        let waiting = known.erasure.filter(|erasure| erasure.erased_at.is_none());
        Self {
            environment: known.environment.as_str(),
            session_id: session.id.to_string(),
            vendor_id: session.vendor.to_string(),
            order_id: session.order_id.to_string(),
            product_name: session.item.name.to_string(),
            price: session.item.price.digits().to_owned(),
            currency: session.item.price.money().currency.code(),
            status: session.state.status().as_str(),
            created_at: session.created_at.to_string(),
            customer_email: session.customer.email.clone(),
            metadata: session.metadata.clone(),
            typed_emails: known.attempts.iter().filter_map(|attempt| attempt.email.clone()).collect(),
            receipt_emails: known.receipts.iter().filter_map(|receipt| receipt.email.clone()).collect(),
            fiscal_customers: known
                .fiscal
                .iter()
                .flat_map(|receipt| receipt.content.buyer.values())
                .collect(),
            mail_recipients: recipients.filter(|recipient| !recipient.is_empty()).cloned().collect(),
            refund_reasons: known.refunds.iter().filter_map(|refund| refund.reason.clone()).collect(),
            personal_data: known.personal_data(),
            notes: known
                .notes
                .iter()
                .filter(|note| !note.is_removed())
                .map(|note| note.text.clone())
                .collect(),
            erasure_requested_at: waiting.map(|erasure| erasure.requested_at.to_string()),
        }
    }
}

fn describe(document: &CustomerDocument) -> String {
    let mut text = if document.sessions.is_empty() {
        "No session has this address.".to_owned()
    } else {
        let row = |session: &SessionDocument| {
            let price = format!("{} {}", session.price, session.currency);
            let waiting = session.erasure_requested_at.is_some();
            let kinds = session.personal_data.join(", ");
            let places = if waiting { format!("{kinds} (waiting)") } else { kinds };
            let cells = [session.environment, &session.session_id, &session.order_id, &price, session.status];
            [&cells.map(str::to_owned)[..], &[places]].concat()
        };
        let rows: Vec<Vec<String>> = document.sessions.iter().map(row).collect();
        table(&["environment", "session", "order", "price", "status", "personal data"], &rows)
    };
    if document.mentions > 0 {
        text.push_str(&format!(
            "\nNotes and reasons of refunds elsewhere that mention it: {}.",
            document.mentions
        ));
    }
    if document.panel_mails > 0 {
        text.push_str(&format!("\nMails to panel users at this address: {}.", document.panel_mails));
    }
    if document.is_panel_user {
        text.push_str("\nA panel user has this address. The user stays; `till user disable` turns it off.");
    }
    if !document.contact_of.is_empty() {
        text.push_str(&format!(
            "\nIt is the contact address of these vendors, and stays: {}.",
            document.contact_of.join(", ")
        ));
    }
    text
}
