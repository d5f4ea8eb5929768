//! The closing receipt (decisions §13 and §17): when a session can have one, and what it says.

use crate::{
    fiscal_refund::{paid, rub},
    fixture::{Shop, after, given_value, shown},
};
use till_domain::{
    change::Change,
    fiscal::{
        self, ClosingFacts, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, FiscalSettings,
        ItemQuantity, PaymentMode, ReceiptStatus, Subject, Vat,
    },
    id::FiscalReceiptId,
    request::ReceiptRequest,
    rules::Rules,
    session::{FailureReason, Session, State},
};

fn request(json: &str) -> ReceiptRequest {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).expect("an object");
    let known = ReceiptRequest::from_fields(|name| {
        fields.get(name).map(|value| given_value(&value.to_string())).unwrap_or_default()
    });
    let unknown = fields.keys().filter(|name| !["type", "items"].contains(&name.as_str()));
    ReceiptRequest { unknown: unknown.cloned().collect(), ..known }
}

/// The closing receipt, or how it was refused.
fn close(
    json: &str,
    paid: Option<&FiscalReceipt>,
    refunded: &[&FiscalReceipt],
) -> Result<FiscalReceipt, String> {
    let shop = Shop::live();
    close_of(json, paid, refunded, &shop.rules, &Session { state: State::Paid, ..shop.session("{}") })
}

fn close_of(
    json: &str,
    paid: Option<&FiscalReceipt>,
    refunded: &[&FiscalReceipt],
    rules: &Rules,
    session: &Session,
) -> Result<FiscalReceipt, String> {
    let (now, id) = (after(60_000), FiscalReceiptId::from_bytes([5; 16]));
    let settings = &FiscalSettings { subject: Some(Subject::Job), max_items: 2, ..FiscalSettings::default() };
    let is_refunding = false;
    let facts = ClosingFacts { rules, session, settings, paid, refunded, is_refunding, now, id };
    let (receipt, changes) = fiscal::close(&request(json), &facts).map_err(|rejection| shown(&rejection))?;
    let [Change::MoveFiscalReceipt { was, .. }, Change::InsertClosingReceipt(stored)] = changes.as_slice()
    else {
        panic!("a guard and a receipt: {changes:?}")
    };
    assert_eq!((**stored == receipt, Some(*was)), (true, paid.map(|paid| paid.version)));
    Ok(receipt)
}

/// The receipt of a refund of so many thousandths of a line.
fn refund(of: &FiscalReceipt, index: usize, thousandths: i64) -> FiscalReceipt {
    let quantity = ItemQuantity::from_thousandths(thousandths).expect("a quantity");
    let items = vec![FiscalItem { quantity, ..of.content.items[index].clone() }];
    FiscalReceipt { content: FiscalContent { items, ..of.content.clone() }, ..of.clone() }
}

const CLOSING: &str = r#"{"type":"closing"}"#;

#[test]
fn the_prepaid_lines_are_closed_with_the_plain_rate() {
    let paid = paid();
    let receipt = close(CLOSING, Some(&paid), &[]).expect("a receipt");
    let [line] = receipt.content.items.as_slice() else { panic!("only what was prepaid: {receipt:?}") };
    assert_eq!((line.name.as_str(), line.total()), ("Shirt", 109_000));
    assert_eq!((line.mode, line.vat), (PaymentMode::FullPayment, Vat::TwentyTwo), "without the fraction");
    assert_eq!(
        (receipt.kind, receipt.total, receipt.status),
        (FiscalKind::Closing, rub(109_000), ReceiptStatus::None)
    );
    assert_eq!(
        (&receipt.content.buyer, receipt.content.tax_system),
        (&paid.content.buyer, paid.content.tax_system)
    );
}

#[test]
fn what_came_back_is_not_closed() {
    let paid = paid();
    let (one, delivery, all) = (refund(&paid, 0, 1_000), refund(&paid, 1, 1_000), refund(&paid, 0, 2_000));
    let receipt = close(CLOSING, Some(&paid), &[&one, &delivery]).expect("a receipt");
    assert_eq!((receipt.total, receipt.content.items.len()), (rub(54_500), 1));
    assert_eq!(close(CLOSING, Some(&paid), &[&all]), Err("no_prepayment".to_owned()));
    // A lower price was agreed on: no line is left whole, and only the vendor can say what was handed over.
    let mut lower = one.clone();
    lower.content.items[0].price = 10_000;
    assert_eq!(close(CLOSING, Some(&paid), &[&lower]), Err("invalid_request: items required".to_owned()));
    let items = r#"{"type":"closing","items":[{"name":"Coat","quantity":2,"price":"495.00","vat":"20"}]}"#;
    let receipt = close(items, Some(&paid), &[&lower]).expect("a receipt");
    assert_eq!(
        (receipt.total, receipt.content.items[0].subject),
        (rub(99_000), Subject::Job),
        "the vendor's"
    );
    assert_eq!(close(items, Some(&paid), &[]), Err("invalid_request: items total_mismatch".to_owned()));
}

#[test]
fn what_came_back_is_of_the_paid_line_whatever_its_mode_says() {
    let paid = paid();
    let (mut delivery, mut shirt) = (refund(&paid, 1, 1_000), refund(&paid, 0, 1_000));
    delivery.content.items[0].mode = PaymentMode::FullPrepayment;
    shirt.content.items[0].mode = PaymentMode::FullPayment;
    for (returned, total) in [(&delivery, 109_000), (&shirt, 54_500)] {
        let receipt = close(CLOSING, Some(&paid), &[returned]).expect("a receipt");
        let [line] = receipt.content.items.as_slice() else { panic!("the shirts: {receipt:?}") };
        assert_eq!((receipt.total, line.total()), (rub(total), total));
    }
    // Of two lines that differ in the mode alone, the one with the mode of what came back.
    let mut twice = paid.clone();
    twice.content.items[1] = FiscalItem {
        mode: PaymentMode::FullPayment,
        quantity: ItemQuantity::ONE,
        ..paid.content.items[0].clone()
    };
    twice.content.items.reverse();
    let [at_once, before] = [refund(&twice, 0, 1_000), refund(&twice, 1, 1_000)];
    assert_eq!(close(CLOSING, Some(&twice), &[&at_once]).map(|receipt| receipt.total), Ok(rub(109_000)));
    assert_eq!(close(CLOSING, Some(&twice), &[&before]).map(|receipt| receipt.total), Ok(rub(54_500)));
}

#[test]
fn wrong_requests_are_refused() {
    let paid = paid();
    let mut at_once = paid.clone();
    for item in &mut at_once.content.items {
        item.mode = PaymentMode::FullPayment;
    }
    for (json, receipt, expected) in [
        ("{}", Some(&paid), "invalid_request: type required"),
        (r#"{"type":"final"}"#, Some(&paid), "invalid_request: type unknown_value"),
        (r#"{"type":1}"#, Some(&paid), "invalid_request: type wrong_type"),
        (
            r#"{"type":"closing","item":[],"\u0007tax":1}"#,
            Some(&paid),
            "invalid_request: item unknown_field, tax unknown_field",
        ),
        (CLOSING, None, "no_prepayment"),
        (CLOSING, Some(&at_once), "no_prepayment"),
        (r#"{"type":"closing","items":{}}"#, Some(&paid), "invalid_request: items wrong_type"),
        (r#"{"type":"closing","items":[]}"#, Some(&paid), "invalid_request: items empty"),
        (r#"{"type":"closing","items":[1,1,1]}"#, Some(&paid), "invalid_request: items too_many_items"),
        (
            r#"{"type":"closing","items":[{"name":"Shirt","price":"1090","vat":"20","mode":"advance","nds":1}]}"#,
            Some(&paid),
            "invalid_request: items[0].nds unknown_field, items[0].mode unknown_value",
        ),
    ] {
        assert_eq!(close(json, receipt, &[]).map(|_| ()), Err(expected.to_owned()), "{json}");
    }
    let shop = Shop::live();
    for state in [State::Pending, State::Expired, State::Failed(FailureReason::CardDeclined)] {
        let session = Session { state, ..shop.session("{}") };
        let answer = close_of(CLOSING, Some(&paid), &[], &shop.rules, &session);
        assert_eq!(answer.map(|_| ()), Err("session_not_paid".to_owned()), "{state:?}");
    }
}

#[test]
fn the_sandbox_plays_the_registration_of_a_closing_receipt() {
    let (shop, paid) = (Shop::sandbox(), paid());
    for plan in [ReceiptStatus::Registered, ReceiptStatus::Failed] {
        let fiscal = Some(FiscalReceipt { plan, ..paid.clone() }.summary());
        let session = Session { state: State::Paid, fiscal, ..shop.session("{}") };
        let receipt = close_of(CLOSING, Some(&paid), &[], &shop.rules, &session).expect("a receipt");
        assert_eq!((receipt.status, receipt.sent_at), (plan, Some(after(60_000))));
    }
}

#[test]
fn a_prepayment_is_not_closed_while_a_refund_of_it_is_pending() {
    let (paid, shop) = (paid(), Shop::live());
    let session = Session { state: State::Paid, ..shop.session("{}") };
    let settings = &FiscalSettings::default();
    let (now, id) = (after(60_000), FiscalReceiptId::from_bytes([5; 16]));
    let back = refund(&paid, 0, 2_000);
    for refunded in [&[][..], &[&back]] {
        let (rules, session, paid) = (&shop.rules, &session, Some(&paid));
        let facts = ClosingFacts { rules, session, settings, paid, refunded, is_refunding: true, now, id };
        let refused = fiscal::close(&request(CLOSING), &facts).map_err(|rejection| rejection.code());
        assert_eq!(refused.err(), Some("refund_pending"));
    }
}
