//! Payment attempts: how they are stored, and which of them are due for a check.

use crate::{
    engine::{
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::Payments,
};
use serde_json::{Value as Json, json};
use till_domain::{
    attempt::{Attempt, AttemptState, Confirmations, Instructions, Origins, Quantity, Values},
    id::{AttemptId, SessionId, VendorId},
    method::Method,
    time::Timestamp,
};

macro_rules! attempt_columns {
    () => {
        "id, version, session_id, vendor_id, method, provider, choice, email, language, started_at, state,
            reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded, seen, needed,
            confirming, in_flight_since, updated_at, check_at, checks"
    };
}

macro_rules! select_attempt {
    ($rest:literal) => {
        Sql::new(concat!("SELECT ", attempt_columns!(), " FROM payment_attempts ", $rest))
    };
}

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Attempts, sql: &DUE_ATTEMPTS, key: &[Key::Number, Key::Bytes] };
static DUE_OF_PROVIDER: Queue =
    Queue { name: QueueName::Attempts, sql: &DUE_AT_PROVIDER, key: &[Key::Number, Key::Bytes] };
static TO_ACT_OF_PROVIDER: Queue =
    Queue { name: QueueName::Attempts, sql: &TO_ACT_AT_PROVIDER, key: &[Key::Number, Key::Bytes] };

statements! {
    // The guard: a session that has an active attempt gets no second one.
    pub(crate) static INSERT = Sql::insert_unless(
        "INSERT INTO payment_attempts (id, version, session_id, vendor_id, method, provider, choice, email, language,
            started_at, state, reason, reference, shown, charge_atoms, charge_decimals, charge_unit, received, recorded,
            seen, needed, confirming, in_flight_since, updated_at, check_at, checks)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25, $26)
         ON CONFLICT (session_id) WHERE state IN ('intended', 'open', 'in_flight') DO NOTHING",
    );
    pub(crate) static MOVE = Sql::update(
        "UPDATE payment_attempts SET version = $3, state = $4, reason = $5, reference = $6, shown = $7, charge_atoms = $8,
            charge_decimals = $9, charge_unit = $10, received = $11, recorded = $12, seen = $13, needed = $14,
            confirming = $15, in_flight_since = $16, updated_at = $17, check_at = $18, checks = $19
         WHERE id = $1 AND version = $2",
    );
    static ATTEMPT = select_attempt!("WHERE id = $1");
    static ALL_OF_SESSION = select_attempt!("WHERE session_id = $1 ORDER BY id");
    static BY_REFERENCE = select_attempt!("WHERE provider = $1 AND reference = $2");
    static DUE_ATTEMPTS = Sql::new(concat!(
        "SELECT check_at, id, ",
        attempt_columns!(),
        " FROM payment_attempts WHERE check_at <= $1 AND (check_at, id) > ($2, $3) ORDER BY check_at, id LIMIT $4"
    ));
    static DUE_AT_PROVIDER = Sql::new(concat!(
        "SELECT check_at, id, ",
        attempt_columns!(),
        " FROM payment_attempts WHERE provider = $1 AND check_at <= $2 AND (check_at, id) > ($3, $4)
         ORDER BY check_at, id LIMIT $5"
    ));
    // Attempts that have to be started or closed: the customer waits for them, or their session has ended or
    // is out of time.
    static TO_ACT_AT_PROVIDER = Sql::new(concat!(
        "SELECT check_at, id, ",
        attempt_columns!(),
        " FROM payment_attempts WHERE provider = $1 AND check_at <= $2 AND state IN ('intended', 'open', 'in_flight')
            AND (state = 'intended' OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = session_id
                AND (s.status <> 'pending' OR $2 >= CASE s.method WHEN 'card' THEN s.card_ends_at
                    WHEN 'sbp' THEN s.sbp_ends_at ELSE s.crypto_ends_at END)))
            AND (check_at, id) > ($3, $4)
         ORDER BY check_at, id LIMIT $5"
    ));
    static NEXT_DUE = Sql::new("SELECT MIN(check_at) FROM payment_attempts WHERE check_at IS NOT NULL");
    static NEXT_DUE_AT =
        Sql::new("SELECT MIN(check_at) FROM payment_attempts WHERE provider = $1 AND check_at IS NOT NULL");
    // One step of a loose index scan: the next provider's name.
    static NEXT_PROVIDER =
        Sql::new("SELECT MIN(provider) FROM payment_attempts WHERE check_at IS NOT NULL AND provider > $1");
}

/// A selection among the attempts that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptsDue {
    /// Attempts that have to be started or closed.
    ToAct,
    Any,
}

impl Payments {
    pub async fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        let rows = self.engine.read(&ATTEMPT, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// The newest attempt of a session: its active one, if it has one.
    pub async fn latest_attempt(&self, session: SessionId) -> Result<Option<Attempt>, StoreError> {
        Ok(Attempt::newest(&self.attempts_of(session).await?).cloned())
    }

    /// Every attempt of a session, oldest first.
    pub async fn attempts_of(&self, session: SessionId) -> Result<Vec<Attempt>, StoreError> {
        let rows = self.engine.read(&ALL_OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read).collect()
    }

    /// The attempt that a provider knows by this reference.
    pub async fn attempt_by_reference(
        &self,
        provider: &str,
        reference: &str,
    ) -> Result<Option<Attempt>, StoreError> {
        let rows = self.engine.read(&BY_REFERENCE, vec![provider.into(), reference.into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// The providers with attempts that have to be checked, now or later.
    pub async fn attempt_providers(&self) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<String> = Vec::new();
        loop {
            let last = found.last().map_or("", String::as_str);
            let rows = self.engine.read(&NEXT_PROVIDER, vec![last.into()]).await?;
            match rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_text())? {
                Some(next) => found.push(next),
                None => return Ok(found),
            }
        }
    }

    /// Attempts of a provider that are due for a check, the longest overdue first, and the rows before them
    /// that cannot be read.
    pub async fn due_attempts(
        &self,
        provider: &str,
        which: AttemptsDue,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<Attempt>, Unreadable), StoreError> {
        let queue = match which {
            AttemptsDue::ToAct => &TO_ACT_OF_PROVIDER,
            AttemptsDue::Any => &DUE_OF_PROVIDER,
        };
        queue.read(&self.engine, vec![provider.into(), now.into()], limit, single(read)).await
    }

    /// When an attempt of a provider is next due.
    pub async fn next_attempt_due_at(&self, provider: &str) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE_AT, vec![provider.into()]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }

    /// When an attempt is next due.
    pub async fn next_attempt_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }
}

/// The values of [`INSERT`].
pub(crate) fn insert(attempt: &Attempt) -> Vec<Value> {
    let mut values = vec![
        attempt.id.as_bytes().into(),
        attempt.version.into(),
        attempt.session.as_bytes().into(),
        attempt.vendor.as_bytes().into(),
        attempt.method.as_str().into(),
        attempt.provider.as_str().into(),
        attempt.choice.as_deref().into(),
        attempt.email.as_deref().into(),
        attempt.language.as_deref().into(),
        attempt.started_at.into(),
    ];
    values.extend(progress(attempt));
    values
}

/// The values of [`MOVE`].
pub(crate) fn change(attempt: &Attempt, was: i64) -> Vec<Value> {
    let mut values = vec![attempt.id.as_bytes().into(), was.into(), attempt.version.into()];
    values.extend(progress(attempt));
    values
}

/// The values of an attempt that change, in the order of the columns.
fn progress(attempt: &Attempt) -> [Value; 16] {
    let confirmations = attempt.confirmations;
    [
        attempt.state.as_str().into(),
        attempt.state.reason().map(|reason| reason.as_str()).into(),
        attempt.reference.as_deref().into(),
        attempt.instructions.as_ref().map(instructions_to_text).into(),
        attempt.charge.atoms.to_string().into(),
        i64::from(attempt.charge.decimals).into(),
        attempt.charge.unit.as_str().into(),
        attempt.received.to_string().into(),
        attempt.recorded.to_string().into(),
        confirmations.map(|c| i64::from(c.seen)).into(),
        confirmations.map(|c| i64::from(c.needed)).into(),
        confirmations.map(|c| c.atoms.to_string()).into(),
        attempt.in_flight_since.into(),
        attempt.updated_at.into(),
        attempt.check_at.into(),
        i64::from(attempt.checks).into(),
    ]
}

pub(crate) fn instructions_to_text(instructions: &Instructions) -> String {
    match instructions {
        Instructions::Redirect { url } => json!({ "kind": "redirect", "url": url }),
        Instructions::Embedded { origins, values } => embedded_to_json(origins, values),
        Instructions::Qr { payload, app_url } => {
            json!({ "kind": "qr", "payload": payload, "app_url": app_url })
        }
        Instructions::Address { network, address, uri, wallet_url, rate } => json!({
            "kind": "address", "network": network, "address": address, "uri": uri, "wallet_url": wallet_url,
            "rate": rate,
        }),
        Instructions::Nothing => json!({ "kind": "nothing" }),
    }
    .to_string()
}

fn embedded_to_json(origins: &Origins, values: &Values) -> Json {
    let Origins { scripts, frames, connections } = origins;
    let origins = json!({ "scripts": scripts, "frames": frames, "connections": connections });
    match values {
        Values::Open(values) => json!({ "kind": "embedded", "origins": origins, "values": values }),
        Values::Sealed(sealed) => json!({ "kind": "embedded", "origins": origins, "sealed": sealed }),
    }
}

fn embedded_from_json(json: &Json) -> Option<Instructions> {
    let list = |key: &str| serde_json::from_value(json.get("origins")?.get(key)?.clone()).ok();
    // Older rows have one list for all kinds. It is ignored: no provider whose form needs origins was in use
    // then.
    let origins = match json.get("origins")? {
        Json::Array(_) => Origins::default(),
        _ => {
            Origins { scripts: list("scripts")?, frames: list("frames")?, connections: list("connections")? }
        }
    };
    let values = match json.get("sealed") {
        Some(sealed) => Values::Sealed(sealed.as_str()?.to_owned()),
        None => Values::Open(serde_json::from_value(json.get("values")?.clone()).ok()?),
    };
    Some(Instructions::Embedded { origins, values })
}

pub(crate) fn instructions_from_text(text: &str) -> Option<Instructions> {
    let json: Json = serde_json::from_str(text).ok()?;
    let word = |key: &str| json.get(key)?.as_str().map(str::to_owned);
    match word("kind")?.as_str() {
        "redirect" => Some(Instructions::Redirect { url: word("url")? }),
        "embedded" => embedded_from_json(&json),
        "qr" => Some(Instructions::Qr { payload: word("payload")?, app_url: word("app_url")? }),
        "address" => Some(Instructions::Address {
            network: word("network")?,
            address: word("address")?,
            uri: word("uri")?,
            wallet_url: word("wallet_url")?,
            rate: word("rate"),
        }),
        "nothing" => Some(Instructions::Nothing),
        _ => None,
    }
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("an attempt's {what} {value:?}"))
}

/// A number of atoms, which may exceed the store's own integers and is therefore stored as text.
pub(crate) fn atoms(text: &str) -> Result<u128, StoreError> {
    text.parse().map_err(|_| corrupt("amount", text))
}

/// Reads columns in the order of `attempt_columns!`.
pub(crate) fn read(mut row: Row) -> Result<Attempt, StoreError> {
    let id = AttemptId::from_bytes(row.array()?);
    let version = row.int()?;
    let (session, vendor) = (SessionId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let method = row.text()?;
    let method = Method::parse(&method).ok_or_else(|| corrupt("method", &method))?;
    let (provider, choice) = (row.text()?, row.opt_text()?);
    let (email, language) = (row.opt_text()?, row.opt_text()?);
    let started_at = row.time()?;
    let (state, reason) = (row.text()?, row.opt_text()?);
    let state =
        AttemptState::from_words(&state, reason.as_deref()).ok_or_else(|| corrupt("state", &state))?;
    let reference = row.opt_text()?;
    let instructions = row.opt_text()?;
    let instructions = instructions
        .map(|text| instructions_from_text(&text).ok_or_else(|| corrupt("page", &text)))
        .transpose()?;
    let charge = read_quantity(&mut row)?;
    let (received, recorded) = (atoms(&row.text()?)?, atoms(&row.text()?)?);
    Ok(Attempt {
        id,
        session,
        vendor,
        method,
        provider,
        choice,
        email,
        language,
        state,
        reference,
        instructions,
        charge,
        received,
        recorded,
        confirmations: read_confirmations(&mut row)?,
        in_flight_since: row.opt_time()?,
        started_at,
        updated_at: row.time()?,
        check_at: row.opt_time()?,
        checks: u32::try_from(row.int()?).unwrap_or(u32::MAX),
        version,
    })
}

pub(crate) fn read_quantity(row: &mut Row) -> Result<Quantity, StoreError> {
    let (count, decimals, unit) = (row.text()?, row.int()?, row.text()?);
    let decimals = u8::try_from(decimals).map_err(|_| corrupt("decimals", &decimals.to_string()))?;
    Ok(Quantity { atoms: atoms(&count)?, decimals, unit })
}

fn read_confirmations(row: &mut Row) -> Result<Option<Confirmations>, StoreError> {
    let (seen, needed, confirming) = (row.opt_int()?, row.opt_int()?, row.opt_text()?);
    let (Some(seen), Some(needed), Some(confirming)) = (seen, needed, confirming) else { return Ok(None) };
    let count =
        |number: i64| u32::try_from(number).map_err(|_| corrupt("confirmations", &number.to_string()));
    Ok(Some(Confirmations { seen: count(seen)?, needed: count(needed)?, atoms: atoms(&confirming)? }))
}
