//! Fiscal receipts (54-FZ) of payments, refunds and hand-overs, and how far their registration is.

use crate::{
    engine::{
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::Payments,
};
use till_domain::{
    fiscal::{
        Buyer, Contact, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, ItemQuantity, Measure,
        PaymentMode, ReceiptStatus, SessionFiscal, Subject, TaxSystem, Vat,
        registration::{FiscalSending, SecondReceipt},
    },
    id::{FiscalReceiptId, SessionId, VendorId},
    money::{Currency, Money},
    time::Timestamp,
};

pub(crate) static DUE: Queue =
    Queue { name: QueueName::FiscalReceipts, sql: &DUE_RECEIPTS, key: &[Key::Number, Key::Bytes] };
static DUE_OF_PROVIDER: Queue =
    Queue { name: QueueName::FiscalReceipts, sql: &DUE_AT_PROVIDER, key: &[Key::Number, Key::Bytes] };

macro_rules! fiscal_columns {
    () => {
        "id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency, made, status, plan,
            provider, reference, failure, sent_at, check_at, checks, version, created_at, updated_at, items, document"
    };
}

macro_rules! select_fiscal {
    ($rest:literal) => {
        Sql::new(concat!("SELECT ", fiscal_columns!(), " FROM fiscal_receipts ", $rest))
    };
}

/// The column of a session that [`read_summary`] reads.
macro_rules! fiscal_summary {
    () => {
        "(SELECT f.status || ':' || f.plan || CASE WHEN f.email IS NOT NULL THEN ':email' WHEN f.phone IS NOT NULL THEN ':phone' ELSE '' END
            FROM fiscal_receipts AS f WHERE f.id = sessions.id)"
    };
}
pub(crate) use fiscal_summary;

statements! {
    pub(crate) static INSERT = Sql::new(
        "INSERT INTO fiscal_receipts (id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency,
            made, status, plan, provider, reference, failure, sent_at, check_at, checks, version, created_at, updated_at, items)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)",
    );
    // The guard: a second closing receipt of a session adds no row.
    pub(crate) static INSERT_CLOSING = Sql::new(
        "INSERT INTO fiscal_receipts (id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency,
            made, status, plan, provider, reference, failure, sent_at, check_at, checks, version, created_at, updated_at, items)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
         ON CONFLICT DO NOTHING",
    );
    // Without a provider it is the sandbox, which plays what the tester planned.
    pub(crate) static SEND = Sql::new(
        "UPDATE fiscal_receipts SET status = CASE WHEN CAST($3 AS TEXT) IS NULL THEN plan ELSE $2 END, provider = $3,
            reference = $4, email = CASE WHEN email IS NULL THEN $5 ELSE email END, check_at = $6,
            sent_at = $7, updated_at = $7, failure = $8, version = version + 1
         WHERE id = $1 AND status = 'none'",
    );
    // All that the first one says, but of this payment.
    pub(crate) static INSERT_SECOND = Sql::new(
        "INSERT INTO fiscal_receipts (id, session_id, vendor_id, kind, email, phone, full_name, inn, tax_system, total, currency,
            made, status, plan, provider, reference, sent_at, check_at, checks, version, created_at, updated_at, items)
         SELECT $2, session_id, vendor_id, kind, COALESCE(email, $6), phone, full_name, inn, tax_system, total, currency,
            made, $3, plan, $4, $5, $8, $7, 0, 1, $8, $8, items
         FROM fiscal_receipts WHERE id = $1 AND status <> 'none' AND NOT (provider = $4 AND reference = $5)",
    );
    pub(crate) static MOVE = Sql::new(
        "UPDATE fiscal_receipts SET status = $3, reference = $4, failure = $5, check_at = $6, checks = $7, version = $8, updated_at = $9,
            document = $10
         WHERE id = $1 AND version = $2",
    );
    static DUE_RECEIPTS = Sql::new(concat!(
        "SELECT check_at, id, ",
        fiscal_columns!(),
        " FROM fiscal_receipts WHERE check_at <= $1 AND (check_at, id) > ($2, $3) ORDER BY check_at, id LIMIT $4"
    ));
    static DUE_AT_PROVIDER = Sql::new(concat!(
        "SELECT check_at, id, ",
        fiscal_columns!(),
        " FROM fiscal_receipts WHERE provider = $1 AND check_at <= $2 AND (check_at, id) > ($3, $4)
         ORDER BY check_at, id LIMIT $5"
    ));
    static PROVIDERS =
        Sql::new("SELECT DISTINCT provider FROM fiscal_receipts WHERE check_at IS NOT NULL AND provider IS NOT NULL");
    static NEXT_DUE = Sql::new("SELECT MIN(check_at) FROM fiscal_receipts WHERE check_at IS NOT NULL");
    // Also of the refunds in progress, which follow the receipt of the payment.
    pub(crate) static PLAN = Sql::new(
        "UPDATE fiscal_receipts SET plan = $2, status = CASE WHEN status = 'none' THEN status ELSE $2 END,
            updated_at = $3, version = version + 1
         WHERE session_id = $1 AND (id = $1 OR (kind = 'refund' AND status = 'none'))",
    );
    static ONE = select_fiscal!("WHERE id = $1");
    static OF_SESSION = select_fiscal!("WHERE session_id = $1 ORDER BY created_at, id");
    pub(crate) static DELETE = Sql::new("DELETE FROM fiscal_receipts WHERE session_id = $1");
    pub(crate) static ERASE = Sql::new(
        "UPDATE fiscal_receipts SET email = NULL, phone = NULL, full_name = NULL, inn = NULL WHERE session_id = $1
            AND (email IS NOT NULL OR phone IS NOT NULL OR full_name IS NOT NULL OR inn IS NOT NULL)",
    );
}

impl Payments {
    /// The fiscal receipt with this id: of a session's payment with the id of the session, of a refund with its own.
    pub async fn fiscal_receipt(&self, id: FiscalReceiptId) -> Result<Option<FiscalReceipt>, StoreError> {
        let rows = self.engine.read(&ONE, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// All fiscal receipts of a session, oldest first.
    pub async fn fiscal_receipts_of(&self, session: SessionId) -> Result<Vec<FiscalReceipt>, StoreError> {
        let rows = self.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read).collect()
    }
}

impl Payments {
    /// The providers with fiscal receipts whose registration has to be checked, now or later.
    pub async fn fiscal_providers(&self) -> Result<Vec<String>, StoreError> {
        let rows = self.engine.read(&PROVIDERS, vec![]).await?;
        rows.into_iter().map(|mut row| row.text()).collect()
    }

    /// Fiscal receipts of a provider that are due for a check, the longest overdue first, and the rows before them that cannot
    /// be read.
    pub async fn due_fiscal_receipts(
        &self,
        provider: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<FiscalReceipt>, Unreadable), StoreError> {
        let params = vec![provider.into(), now.into()];
        DUE_OF_PROVIDER.read(&self.engine, params, limit, single(read)).await
    }

    /// When the registration of a fiscal receipt is next checked.
    pub async fn next_fiscal_check(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }
}

pub(crate) fn insert(receipt: &FiscalReceipt) -> Vec<Value> {
    let FiscalContent { buyer, tax_system, items } = &receipt.content;
    vec![
        receipt.id.as_bytes().into(),
        receipt.session.as_bytes().into(),
        receipt.vendor.as_bytes().into(),
        receipt.kind.as_str().into(),
        buyer.email.as_deref().into(),
        buyer.phone.as_deref().into(),
        buyer.full_name.as_deref().into(),
        buyer.inn.as_deref().into(),
        tax_system.map(TaxSystem::as_str).into(),
        receipt.total.minor.into(),
        receipt.total.currency.code().into(),
        receipt.is_made.into(),
        receipt.status.as_str().into(),
        receipt.plan.as_str().into(),
        receipt.provider.as_deref().into(),
        receipt.reference.as_deref().into(),
        receipt.failure.as_deref().into(),
        receipt.sent_at.into(),
        receipt.check_at.into(),
        i64::from(receipt.checks).into(),
        receipt.version.into(),
        receipt.created_at.into(),
        receipt.updated_at.into(),
        items_to_text(items).into(),
    ]
}

pub(crate) fn send(sending: &FiscalSending) -> Vec<Value> {
    vec![
        sending.id.as_bytes().into(),
        sending.status.as_str().into(),
        sending.provider.as_deref().into(),
        sending.reference.as_deref().into(),
        sending.email.as_deref().into(),
        sending.check_at.into(),
        sending.at.into(),
        sending.failure.as_deref().into(),
    ]
}

pub(crate) fn second(receipt: &SecondReceipt) -> Vec<Value> {
    let SecondReceipt { session, sending } = receipt;
    vec![
        session.as_bytes().into(),
        sending.id.as_bytes().into(),
        sending.status.as_str().into(),
        sending.provider.as_deref().into(),
        sending.reference.as_deref().into(),
        sending.email.as_deref().into(),
        sending.check_at.into(),
        sending.at.into(),
    ]
}

pub(crate) fn change(receipt: &FiscalReceipt, was: i64) -> Vec<Value> {
    vec![
        receipt.id.as_bytes().into(),
        was.into(),
        receipt.status.as_str().into(),
        receipt.reference.as_deref().into(),
        receipt.failure.as_deref().into(),
        receipt.check_at.into(),
        i64::from(receipt.checks).into(),
        receipt.version.into(),
        receipt.updated_at.into(),
        receipt.document.as_deref().into(),
    ]
}

pub(crate) fn plan(id: FiscalReceiptId, plan: ReceiptStatus, at: Timestamp) -> Vec<Value> {
    vec![id.as_bytes().into(), plan.as_str().into(), at.into()]
}

/// A line as it is stored: name, thousandths, price, and the words of VAT, subject, mode and measure.
type ItemRow = (String, i64, i64, String, String, String, String);

fn items_to_text(items: &[FiscalItem]) -> String {
    let row = |item: &FiscalItem| {
        let FiscalItem { name, quantity, price, vat, subject, mode, measure } = item;
        let words = [vat.as_str(), subject.as_str(), mode.as_str(), measure.as_str()];
        serde_json::json!([name, quantity.thousandths(), price, words[0], words[1], words[2], words[3]])
    };
    serde_json::Value::from_iter(items.iter().map(row)).to_string()
}

fn items_from_text(text: &str) -> Option<Vec<FiscalItem>> {
    let rows: Vec<ItemRow> = serde_json::from_str(text).ok()?;
    let read = |(name, quantity, price, vat, subject, mode, measure): ItemRow| {
        Some(FiscalItem {
            name,
            quantity: ItemQuantity::from_thousandths(quantity)?,
            price,
            vat: Vat::parse(&vat)?,
            subject: Subject::parse(&subject)?,
            mode: PaymentMode::parse(&mode)?,
            measure: Measure::parse(&measure)?,
        })
    };
    rows.into_iter().map(read).collect()
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} of a fiscal receipt"))
}

/// Reads a word of the column.
fn word<T>(row: &mut Row, what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
    parse(&row.text()?).ok_or_else(|| corrupt(what))
}

/// Reads columns in the order of `fiscal_columns!`.
pub(crate) fn read(mut row: Row) -> Result<FiscalReceipt, StoreError> {
    let id = FiscalReceiptId::from_bytes(row.array()?);
    let (session, vendor) = (SessionId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let kind = word(&mut row, "the kind", FiscalKind::parse)?;
    let buyer = Buyer {
        email: row.opt_text()?,
        phone: row.opt_text()?,
        full_name: row.opt_text()?,
        inn: row.opt_text()?,
    };
    let tax_system = row.opt_text()?;
    let tax_system = tax_system.map(|word| TaxSystem::parse(&word).ok_or_else(|| corrupt("the tax system")));
    let tax_system = tax_system.transpose()?;
    let minor = row.int()?;
    let currency = word(&mut row, "the currency", Currency::from_stored)?;
    let receipt = FiscalReceipt {
        id,
        session,
        vendor,
        kind,
        total: Money { minor, currency },
        is_made: row.bool()?,
        status: word(&mut row, "the status", ReceiptStatus::parse)?,
        plan: word(&mut row, "the plan", ReceiptStatus::parse)?,
        provider: row.opt_text()?,
        reference: row.opt_text()?,
        failure: row.opt_text()?,
        sent_at: row.opt_time()?,
        check_at: row.opt_time()?,
        checks: u32::try_from(row.int()?).unwrap_or(u32::MAX),
        version: row.int()?,
        created_at: row.time()?,
        updated_at: row.time()?,
        content: FiscalContent { buyer, tax_system, items: word(&mut row, "the items", items_from_text)? },
        document: None,
    };
    Ok(FiscalReceipt { document: row.opt_text()?, ..receipt })
}

/// Reads the column of `fiscal_summary!`.
pub(crate) fn read_summary(row: &mut Row) -> Result<Option<SessionFiscal>, StoreError> {
    let Some(text) = row.opt_text()? else { return Ok(None) };
    let mut words = text.split(':');
    let mut status = || words.next().and_then(ReceiptStatus::parse).ok_or_else(|| corrupt("the status"));
    let (status, plan) = (status()?, status()?);
    let contact = match words.next() {
        Some("email") => Contact::Email,
        Some(_) => Contact::Phone,
        None => Contact::Unknown,
    };
    Ok(Some(SessionFiscal { status, plan, contact }))
}
