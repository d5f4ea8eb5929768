//! Fiscal receipts as a vendor's server writes them, for those who copy one or make a correction receipt.

use serde_json::{Map, Value, json};
use till_domain::{
    fiscal::{Buyer, FiscalItem, FiscalReceipt, TaxSystem},
    money::Money,
};

/// The body of a receipt, as a caller of the API would write it.
#[must_use]
pub fn receipt_body(receipt: &FiscalReceipt) -> Map<String, Value> {
    let content = &receipt.content;
    let Buyer { email, phone, full_name, inn } = &content.buyer;
    let phone = phone.as_ref().map(|phone| format!("+{phone}"));
    let customer = [("email", email), ("phone", &phone), ("full_name", full_name), ("inn", inn)];
    let known =
        customer.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
    let customer: Map<String, Value> = known.collect();
    let mut body = Map::new();
    if !customer.is_empty() {
        body.insert("customer".to_owned(), Value::Object(customer));
    }
    if let Some(tax_system) = content.tax_system.map(TaxSystem::as_str) {
        body.insert("tax_system".to_owned(), json!(tax_system));
    }
    let items = content.items.iter().map(|item| line(item, receipt.total));
    body.insert("items".to_owned(), Value::Array(items.collect()));
    body
}

fn line(item: &FiscalItem, total: Money) -> Value {
    json!({
        "name": item.name,
        "quantity": item.quantity.to_string(),
        "price": Money { minor: item.price, ..total }.digits(),
        "vat": item.vat.as_str(),
        "subject": item.subject.as_str(),
        "mode": item.mode.as_str(),
        "measure": item.measure.as_str(),
    })
}
