//! Turns the text of a search into the exact values by which sessions are found: orders and products that begin
//! with it, amounts that are equal to it.

use till_domain::{
    id::VendorId,
    metadata::is_key,
    money::{Currency, Digits, Money, sought_amounts},
    text::email,
};
use till_store::{Payments, SearchColumn, SessionKey, StoreError};

/// The most values of one column: the orders of a page, or a few products.
const ORDERS: usize = 25;
const PRODUCTS: usize = 10;

/// The decimals that currencies have.
const DECIMALS: [usize; 4] = [0, 2, 3, 4];

/// The values that a text stands for.
#[derive(Debug, Default)]
pub struct FoundKeys {
    /// The values, by column.
    pub keys: Vec<SessionKey>,
    /// True if more orders or products begin with the text.
    pub more: bool,
}

impl FoundKeys {
    /// The orders of a vendor that begin with a text.
    pub async fn orders(store: &Payments, vendor: VendorId, text: &str) -> Result<Self, StoreError> {
        let mut found = Self::default();
        found.add(store, vendor, SearchColumn::Order, text).await?;
        Ok(found)
    }

    /// The orders, products, amounts and metadata of a vendor that a text stands for, and the customer with this e-mail
    /// address.
    pub async fn all(store: &Payments, vendor: VendorId, text: &str) -> Result<Self, StoreError> {
        let mut found = Self::orders(store, vendor, text).await?;
        found.add(store, vendor, SearchColumn::Product, text).await?;
        found.add(store, vendor, SearchColumn::ProductId, text).await?;
        found.keys.extend(email(text).ok().map(SessionKey::Email));
        found.keys.extend(member(text).map(SessionKey::Metadata));
        found.keys.extend(amounts(store, vendor, text).await?.into_iter().map(SessionKey::Amount));
        Ok(found)
    }

    async fn add(
        &mut self,
        store: &Payments,
        vendor: VendorId,
        column: SearchColumn,
        text: &str,
    ) -> Result<(), StoreError> {
        let most = if column == SearchColumn::Order { ORDERS } else { PRODUCTS };
        let mut values = Vec::new();
        for spelling in spellings(text) {
            let limit = u32::try_from(most + 1).unwrap_or(u32::MAX);
            values.extend(store.values_beginning(vendor, column, &spelling, limit).await?);
        }
        values.sort_unstable();
        values.dedup();
        self.more |= values.len() > most;
        self.keys.extend(values.into_iter().take(most).map(match column {
            SearchColumn::Order => SessionKey::Order,
            SearchColumn::Product => SessionKey::Product,
            SearchColumn::ProductId => SessionKey::ProductId,
        }));
        Ok(())
    }
}

/// The key and the value of metadata that are sought by `key=value`.
fn member(text: &str) -> Option<[String; 2]> {
    let (key, value) = text.split_once('=')?;
    is_key(key).then(|| [key.to_owned(), value.to_owned()])
}

/// The ways in which a text may be written: names begin with a capital, order ids are often all capitals.
pub(super) fn spellings(text: &str) -> Vec<String> {
    let mut letters = text.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let mut all = vec![text.to_owned(), capital, text.to_uppercase(), text.to_lowercase()];
    all.sort_unstable();
    all.dedup();
    all
}

/// An amount that a text may mean.
pub(super) struct SoughtAmount {
    pub(super) minor: i64,
    /// The decimals that the currency has.
    decimals: usize,
    /// The currency, if the text names one.
    pub(super) currency: Option<Currency>,
}

impl SoughtAmount {
    /// True if an amount of so many minor units is meant.
    pub(super) fn fits(&self, money: Money) -> bool {
        money.currency.exponent() == self.decimals
            && self.currency.is_none_or(|currency| currency == money.currency)
    }
}

/// The amounts that a text may mean, each number of minor units once for every number of decimals.
pub(super) fn sought(text: &str) -> Vec<SoughtAmount> {
    let (numbers, currency) = sought_amounts(text);
    let mut found = Vec::new();
    for number in numbers {
        let all = minors(&number).into_iter();
        let fitting = all.filter(|(decimals, _)| currency.is_none_or(|known| known.exponent() == *decimals));
        found.extend(fitting.map(|(decimals, minor)| SoughtAmount { minor, decimals, currency }));
    }
    found
}

/// The amounts that a text may mean, in the currencies in which the vendor has them.
async fn amounts(store: &Payments, vendor: VendorId, text: &str) -> Result<Vec<Money>, StoreError> {
    let (numbers, currency) = sought_amounts(text);
    let mut found = Vec::new();
    for number in numbers {
        if let Some(currency) = currency {
            found.extend(number.minor(currency.exponent()).map(|minor| Money { minor, currency }));
            continue;
        }
        for (decimals, minor) in minors(&number) {
            let currencies = store.currencies_of(vendor, minor).await?.into_iter();
            let fitting = currencies.filter(|currency| currency.exponent() == decimals);
            found.extend(fitting.map(|currency| Money { minor, currency }));
        }
    }
    Ok(found)
}

fn minors(number: &Digits) -> Vec<(usize, i64)> {
    let with = |decimals| number.minor(decimals).map(|minor| (decimals, minor));
    DECIMALS.into_iter().filter_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::spellings;

    #[test]
    fn a_text_is_sought_as_names_and_orders_are_written() {
        assert_eq!(spellings("B-3QNC"), ["B-3QNC", "b-3qnc"]);
        assert_eq!(spellings("атлас"), ["АТЛАС", "Атлас", "атлас"]);
        assert_eq!(spellings("2490"), ["2490"]);
    }
}
