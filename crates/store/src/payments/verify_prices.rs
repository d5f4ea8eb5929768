//! Compares the price of each session with everything that states it: its own digits, and the event that its
//! vendor received.

use crate::engine::{
    Engine,
    checked::CheckResult,
    error::StoreError,
    sql::{Row, Sql, statements},
};
use till_domain::{
    callback,
    id::SessionId,
    money::{Currency, Money, Price},
};

pub(crate) const NAME: &str = "a session's price is the one its vendor received (I11)";

/// Sessions per page.
const AT_ONCE: u32 = 1_000;

statements! {
    static PRICES = Sql::new(
        "SELECT t.id, t.price, t.amount_minor, t.currency,
            (SELECT c.body FROM callbacks AS c WHERE c.session_id = t.id AND c.event LIKE 'session.%' LIMIT 1)
         FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2",
    );
}

/// A session's price as its row has it, and the event about its end.
struct PriceRow {
    id: SessionId,
    digits: String,
    minor: i64,
    currency: String,
    event: Option<Vec<u8>>,
}

impl PriceRow {
    fn read(mut row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: SessionId::from_bytes(row.array()?),
            digits: row.text()?,
            minor: row.int()?,
            currency: row.text()?,
            event: row.opt_bytes()?,
        })
    }

    /// True if the digits, the amount and the event state the same price.
    fn agrees(&self) -> bool {
        let Some(currency) = Currency::from_stored(&self.currency) else { return false };
        let amount = Money { minor: self.minor, currency };
        let own = Price::from_text(&self.digits, currency).is_ok_and(|price| price.money() == amount);
        let event = self.event.as_ref();
        own && event.is_none_or(|body| callback::read(body).is_some_and(|event| event.price == amount))
    }
}

/// Compares the price of every session.
pub(crate) async fn check(
    engine: &Engine,
    progress: &mut dyn FnMut(&str, u64),
) -> Result<CheckResult, StoreError> {
    let (mut checked, mut last) = (CheckResult::new(NAME), [0_u8; 16]);
    loop {
        progress(NAME, checked.rows);
        let rows = engine.study(&PRICES, vec![(&last).into(), i64::from(AT_ONCE).into()]).await?;
        let count = rows.len();
        for row in rows {
            let priced = PriceRow::read(row)?;
            last = *priced.id.as_bytes();
            checked.rows += 1;
            if !priced.agrees() {
                checked.wrong(priced.id.to_string());
            }
        }
        if u32::try_from(count).is_ok_and(|count| count < AT_ONCE) {
            return Ok(checked);
        }
    }
}
