//! Statistics for the overviews of a vendor and of the operator: how many sessions had which outcome, and for how much.
//!
//! A worker counts events, in the order of their ids, into quarters of an hour, the smallest step between two
//! time zones. The worker stays a minute behind, so that no event is committed before its mark. Events that it has not
//! counted yet are counted when the figures are read, at most 2,000: the figures of a vendor, or of a service, with more
//! than 33 outcomes a second are up to a minute old. Figures decide nothing about money.

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::{Payments, lists::Span},
};
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    callback,
    id::{EventId, VendorId},
    method::Method,
    money::Currency,
    session::{Outcome, State},
    time::Timestamp,
};

/// How far counting stays behind the present.
const BEHIND: Duration = Duration::from_secs(60);

/// The maximum number of events counted per pass.
const AT_ONCE: i64 = 5_000;

const QUARTER_MS: i64 = 15 * 60 * 1_000;

/// A number of sessions with the same outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The quarter of an hour in which they ended, or the exact time of a session that is not counted yet.
    pub at: Timestamp,
    pub outcome: Outcome,
    /// The method that was chosen.
    pub method: Method,
    /// The currency of the prices.
    pub currency: Currency,
    pub count: i64,
    /// The sum of their prices, in minor units.
    pub minor: i64,
}

statements! {
    static MARK = Sql::new("SELECT last FROM figures_mark WHERE name = 'events'");
    // Compare-and-set of the mark: of two nodes that count at once, one succeeds.
    static MOVE_MARK = Sql::new("UPDATE figures_mark SET last = $2 WHERE name = 'events' AND last = $1");
    static UNCOUNTED = Sql::new(
        "SELECT id, vendor_id, created_at, event, method, body FROM callbacks WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3",
    );
    static ADD = Sql::new(
        "INSERT INTO figures (vendor_id, quarter, event, method, reason, currency, count, minor)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (vendor_id, quarter, event, method, reason, currency) DO UPDATE
         SET count = figures.count + excluded.count, minor = figures.minor + excluded.minor",
    );
    static ADD_TO_TOTAL = Sql::new(
        "INSERT INTO total_figures (quarter, event, method, reason, currency, count, minor)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (quarter, event, method, reason, currency) DO UPDATE
         SET count = total_figures.count + excluded.count, minor = total_figures.minor + excluded.minor",
    );
    // One query, so that counted and uncounted events are of the same moment. A vendor's uncounted events are the last
    // ones that it has not fetched, and the last ones that it has.
    static FIGURES = Sql::new(
        "SELECT quarter, event, method, reason, currency, count, minor, CAST(NULL AS BYTEA) FROM figures
         WHERE vendor_id = $1 AND quarter >= $2 AND quarter < $3
         UNION ALL
         SELECT created_at, event, method, '', '', 1, 0, body FROM callbacks
         WHERE created_at >= $2 AND created_at < $3 AND id IN (
            SELECT id FROM (
                SELECT id FROM callbacks WHERE vendor_id = $1 AND position IS NULL
                    AND id > (SELECT last FROM figures_mark WHERE name = 'events') ORDER BY id LIMIT 2000) AS unfetched
            UNION ALL
            SELECT id FROM (
                SELECT id FROM callbacks WHERE vendor_id = $1 AND position IS NOT NULL
                ORDER BY position DESC LIMIT 2000) AS fetched
            WHERE id > (SELECT last FROM figures_mark WHERE name = 'events'))",
    );
    static TOTAL_FIGURES = Sql::new(
        "SELECT quarter, event, method, reason, currency, count, minor, CAST(NULL AS BYTEA) FROM total_figures
         WHERE quarter >= $1 AND quarter < $2
         UNION ALL
         SELECT created_at, event, method, '', '', 1, 0, body FROM (
            SELECT created_at, event, method, body FROM callbacks
            WHERE id > (SELECT last FROM figures_mark WHERE name = 'events') ORDER BY id LIMIT 2000) AS uncounted
         WHERE created_at >= $1 AND created_at < $2",
    );
}

/// The key by which events of a vendor are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct EventKey {
    vendor: VendorId,
    group: EventGroup,
}

/// The key by which events of all vendors are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct EventGroup {
    quarter: i64,
    event: String,
    method: String,
    reason: String,
    currency: String,
}

impl Payments {
    /// The outcomes of a vendor's sessions in a span of time.
    pub async fn figures(&self, vendor: VendorId, span: Span) -> Result<Vec<Figure>, StoreError> {
        let params = vec![
            vendor.as_bytes().into(),
            span.since.unwrap_or(Timestamp::from_ms(0)).into(),
            span.until.unwrap_or(Timestamp::from_ms(i64::MAX)).into(),
        ];
        let rows = self.engine.browse(&FIGURES, params).await?;
        rows.into_iter().filter_map(|row| read_figure(row).transpose()).collect()
    }

    /// The outcomes of all vendors' sessions in a span of time.
    pub async fn total_figures(&self, span: Span) -> Result<Vec<Figure>, StoreError> {
        let params = vec![
            span.since.unwrap_or(Timestamp::from_ms(0)).into(),
            span.until.unwrap_or(Timestamp::from_ms(i64::MAX)).into(),
        ];
        let rows = self.engine.browse(&TOTAL_FIGURES, params).await?;
        rows.into_iter().filter_map(|row| read_figure(row).transpose()).collect()
    }

    /// Counts events that were not counted yet. True if there may be more of them.
    pub async fn count_events(&self) -> Result<bool, StoreError> {
        let Some(mut row) = self.engine.read(&MARK, vec![]).await?.into_iter().next() else {
            return Err(StoreError::Corrupt("the mark of the figures is gone".to_owned()));
        };
        let mark: [u8; 16] = row.array()?;
        let until = EventId::new(self.now().minus(BEHIND), &[0; 10]);
        let params = vec![(&mark).into(), until.as_bytes().into(), AT_ONCE.into()];
        let rows = self.engine.scan(&UNCOUNTED, params).await?;
        let full = i64::try_from(rows.len()).unwrap_or(AT_ONCE) >= AT_ONCE;
        let (sums, last) = sum(rows)?;
        let Some(last) = last else { return Ok(false) };
        let params = vec![(&mark).into(), last.as_bytes().into()];
        let mut unit = vec![Statement { sql: &MOVE_MARK, params, guarded: true }];
        let mut totals = BTreeMap::<_, (i64, i64)>::new();
        for (key, (count, minor)) in &sums {
            let (all, sum) = totals.entry(&key.group).or_default();
            *all += count;
            *sum = sum.saturating_add(*minor);
        }
        unit.extend(totals.into_iter().map(|(group, (count, minor))| add_to_total(group, count, minor)));
        unit.extend(sums.iter().map(|(key, (count, minor))| add(key, *count, *minor)));
        // If another node was first, it counted the same events; read again either way.
        let _: WriteOutcome = self.engine.write(unit).await?;
        Ok(full)
    }
}

type Sums = BTreeMap<EventKey, (i64, i64)>;

/// Sums events by kind, and returns the id of the last one.
fn sum(rows: Vec<Row>) -> Result<(Sums, Option<EventId>), StoreError> {
    let mut sums = Sums::new();
    let mut last = None;
    for mut row in rows {
        let id = EventId::from_bytes(row.array()?);
        last = Some(id);
        let vendor = VendorId::from_bytes(row.array()?);
        let at = row.time()?.as_ms();
        let (event, method) = (row.text()?, row.text()?);
        let body = row.bytes()?;
        // Other events do not tell the end of a session.
        if !event.starts_with("session.") {
            continue;
        }
        let Some(parsed) = callback::read(&body) else {
            tracing::warn!(event = %id, "an unreadable event is left out of the figures");
            continue;
        };
        let reason = parsed.failure_reason.unwrap_or_default();
        let quarter = at - at.rem_euclid(QUARTER_MS);
        let currency = parsed.price.currency.code().to_owned();
        let group = EventGroup { quarter, event, method, reason, currency };
        let (count, sum) = sums.entry(EventKey { vendor, group }).or_default();
        *count += 1;
        *sum = sum.saturating_add(parsed.price.minor);
    }
    Ok((sums, last))
}

fn add(key: &EventKey, count: i64, minor: i64) -> Statement {
    let mut params: Vec<Value> = vec![key.vendor.as_bytes().into()];
    params.extend(group_values(&key.group, count, minor));
    Statement { sql: &ADD, params, guarded: false }
}

fn add_to_total(group: &EventGroup, count: i64, minor: i64) -> Statement {
    Statement { sql: &ADD_TO_TOTAL, params: group_values(group, count, minor).into(), guarded: false }
}

fn group_values(group: &EventGroup, count: i64, minor: i64) -> [Value; 7] {
    [
        group.quarter.into(),
        group.event.as_str().into(),
        group.method.as_str().into(),
        group.reason.as_str().into(),
        group.currency.as_str().into(),
        count.into(),
        minor.into(),
    ]
}

/// Reads a figure; `None` for an event that does not tell the end of a session.
fn read_figure(mut row: Row) -> Result<Option<Figure>, StoreError> {
    let at = row.time()?;
    let (event, method, mut reason, mut currency) = (row.text()?, row.text()?, row.text()?, row.text()?);
    let (count, mut minor) = (row.int()?, row.int()?);
    if let Some(body) = row.opt_bytes()? {
        let Some(parsed) = callback::read(&body) else { return Ok(None) };
        reason = parsed.failure_reason.unwrap_or_default();
        (currency, minor) = (parsed.price.currency.code().to_owned(), parsed.price.minor);
    }
    let status = event.strip_prefix("session.").unwrap_or_default();
    let reason = Some(reason.as_str()).filter(|reason| !reason.is_empty());
    let Some(outcome) = Outcome::from_words(status, reason) else { return Ok(None) };
    let corrupt = |what: &str, word: &str| StoreError::Corrupt(format!("{what} {word:?}"));
    Ok(Some(Figure {
        at,
        outcome,
        method: Method::parse(&method).ok_or_else(|| corrupt("method", &method))?,
        currency: Currency::from_stored(&currency).ok_or_else(|| corrupt("currency", &currency))?,
        count,
        minor,
    }))
}

impl Figure {
    /// The status of the sessions.
    #[must_use]
    pub fn status(&self) -> till_domain::session::Status {
        State::from(self.outcome).status()
    }
}
