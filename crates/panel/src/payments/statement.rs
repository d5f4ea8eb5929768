//! `/panel/wallet.csv`: the statement of a month in one currency: opening balance, each movement, closing
//! balance. It is streamed page by page.

use crate::{
    Access, Panel, Route,
    payments::{
        VendorScope, csv,
        export::{AT_ONCE, ExportPart, file, send_as},
        wallet::{LiveWallet, view::path as wallet_path},
    },
    shows,
    visit::{Answer, Visit, go},
};
use axum::extract::State;
use futures_util::future::try_join_all;
use std::sync::Arc;
use till_domain::{
    id::EntryId,
    ledger::{Account, Entry},
    money::{Currency, Money},
    time::TimeZone,
};
use till_service::{environment::Environment, web::moments::Zone};
use till_store::{Span, StoreError, Turn, WalletFilter};

pub(super) fn routes(see: Access) -> Vec<Route> {
    vec![shows("/panel/wallet.csv", see, statement)]
}

const COLUMNS: [&str; 9] =
    ["entry_id", "created_at", "entry", "order_id", "session_id", "fee", "out", "in", "balance"];

/// The month that a text such as `2026-11` names, in a zone.
fn month(text: &str, zone: &TimeZone) -> Option<Span> {
    let (since, until) = zone.month(text)?;
    Some(Span { since: Some(since), until: Some(until) })
}

/// The data of a request that are needed while its statement is written.
#[derive(Clone)]
struct StatementJob {
    environment: Arc<Environment>,
    filter: WalletFilter,
    zone: Zone,
}

async fn statement(State(panel): State<Arc<Panel>>, LiveWallet(visit): LiveWallet) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    write(&scope, &visit, &wallet_path(None))
}

/// The statement that a visit asks for; with invalid parameters, a redirect to the wallet, which shows the
/// problem.
pub(crate) fn write(scope: &VendorScope<'_>, visit: &Visit, page: &str) -> Answer {
    let name = visit.query.get("month");
    let requested = month(name, &scope.zone).zip(Currency::parse(visit.query.get("currency")));
    let Some((span, currency)) = requested else {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("month", if name.is_empty() { "?" } else { name });
        query.append_pair("currency", visit.query.get("currency"));
        return Ok(go(&format!("{page}?{}", query.finish())));
    };
    let filter = WalletFilter { vendor: scope.vendor.id, currency, moved_by: None, span };
    let zone = Zone::named(scope.zone.clone());
    let copied = StatementJob { environment: Arc::clone(scope.environment), filter, zone };
    let body = file(&COLUMNS, move |turn| {
        let copied = copied.clone();
        async move { copied.part(turn).await }
    });
    Ok(send_as(&format!("wallet-{}-{name}", currency.code()), body))
}

impl StatementJob {
    /// Writes a part. The cursor is the last movement of the part before it, with the balance after it.
    async fn part(&self, turn: Turn<(EntryId, i64)>) -> Result<ExportPart<(EntryId, i64)>, StoreError> {
        let Some(ledger) = self.environment.store.ledger() else {
            return Ok(ExportPart::new(String::new(), 0, None));
        };
        let WalletFilter { vendor, currency, span, .. } = self.filter;
        let mut lines = String::new();
        let (after, mut balance) = match turn {
            Turn::Older((id, balance)) | Turn::Newer((id, balance)) => (Some(id), balance),
            Turn::Newest => {
                let since = span.since.unwrap_or_else(|| self.environment.now());
                let balance = ledger.own_before(vendor, currency, since).await?;
                self.mark(&mut lines, "opening_balance", span.since, Money { minor: balance, currency });
                (None, balance)
            }
        };
        let entries = ledger.movements_after(&self.filter, after, AT_ONCE).await?;
        let orders = try_join_all(entries.iter().map(|entry| self.order_of(entry))).await?;
        for (entry, order) in entries.iter().zip(orders) {
            balance = balance.saturating_add(entry.own().minor);
            let cells = self.cells(entry, order, Money { minor: balance, currency });
            csv::line(&mut lines, cells.iter().map(String::as_str));
        }
        let last = entries.last().map(|entry| (entry.id(), balance));
        let mut part = ExportPart::new(lines, entries.len(), last);
        if part.is_last() {
            let balance = Money { minor: balance, currency };
            self.mark(&mut part.lines, "closing_balance", span.until, balance);
        }
        Ok(part)
    }

    /// The order id of a movement.
    async fn order_of(&self, entry: &Entry) -> Result<String, StoreError> {
        let Some(id) = entry.heading().session else { return Ok(String::new()) };
        let session = self.environment.store.session(id, self.filter.vendor).await?;
        Ok(session.map(|session| session.order_id).unwrap_or_default())
    }

    fn mark(&self, lines: &mut String, word: &str, at: Option<till_domain::time::Timestamp>, balance: Money) {
        let (at, balance) = (csv::moment(at, &self.zone), balance.digits());
        csv::line(lines, ["", &at, word, "", "", "", "", "", &balance]);
    }

    fn cells(&self, entry: &Entry, order: String, balance: Money) -> [String; 9] {
        let (heading, own) = (entry.heading(), entry.own());
        let some = |minor: i64| {
            let money = Money { minor, currency: heading.currency };
            if minor > 0 { money.digits() } else { String::new() }
        };
        [
            heading.id.to_string(),
            self.zone.exact(heading.at),
            heading.kind.as_str().to_owned(),
            order,
            heading.session.map(|id| id.to_string()).unwrap_or_default(),
            some(entry.amount_on(&Account::Fees).minor),
            some(own.minor.saturating_neg()),
            some(own.minor),
            balance.digits(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_from_its_first_day_to_the_next_months() {
        let zone = TimeZone::parse("Europe/Oslo").expect("a zone");
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let span = month(text, &zone).map(|span| {
                let text = |at: Option<till_domain::time::Timestamp>| at.expect("a bound").to_string();
                (text(span.since), text(span.until))
            });
            assert_eq!(span, expected.map(|(from, to)| (from.to_owned(), to.to_owned())), "{text:?}");
        };
        check("2026-11", Some(("2026-10-31T23:00:00.000Z", "2026-11-30T23:00:00.000Z")));
        check("2026-12", Some(("2026-11-30T23:00:00.000Z", "2026-12-31T23:00:00.000Z")));
        for wrong in ["", "2026", "2026-13", "2026-00", "26-11", "2026-1", "+026-11", "2026-11-01", "x"] {
            check(wrong, None);
        }
    }
}
