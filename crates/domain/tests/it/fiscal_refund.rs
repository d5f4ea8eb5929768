//! The fiscal receipt of a refund (decisions §13 and §17): when a request needs one, what it says, and what is left of each line.

use crate::fixture::{Shop, after, given_value, shown};
use till_domain::{
    change::Change,
    fiscal::{
        FiscalContent, FiscalItem, FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ItemQuantity,
        Measure, PaidReceipts, PaymentMode, Subject, Vat, on_refund, refund_body,
    },
    id::FiscalReceiptId,
    money::{Currency, Money},
    rejection::Problems,
    request::FieldValue,
    time::Timestamp,
};

pub fn rub(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("RUB").expect("a currency") }
}

/// The receipt of a payment of 1490.00: two shirts of 545.00, paid before the hand-over, and a delivery of 400.00.
pub fn paid() -> FiscalReceipt {
    let mut shop = Shop::live();
    shop.vendor.settings.fiscal =
        FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    let body = r#"{"price":"1490.00","receipt":{"customer":{"email":"ann@mail.example"},"tax_system":"osn","items":[
        {"name":"Shirt","quantity":"2","price":"545.00","vat":"22/122","mode":"full_prepayment"},
        {"name":"Delivery","price":"400.00","vat":"22","subject":"service"}]}}"#;
    let (_, changes) = shop.create(body).expect("a good request");
    let receipt = changes.into_iter().find_map(|change| match change {
        Change::InsertFiscalReceipt(receipt) => Some(*receipt),
        _ => None,
    });
    receipt.expect("a receipt")
}

fn in_2026() -> Timestamp {
    Timestamp::parse("2026-02-01T00:00:00Z").expect("a time")
}

/// The receipt of the hand-over of the shirts.
fn closing(paid: &FiscalReceipt) -> FiscalReceipt {
    let shirts =
        FiscalItem { mode: PaymentMode::FullPayment, vat: Vat::TwentyTwo, ..paid.content.items[0].clone() };
    let content = FiscalContent { items: vec![shirts], ..paid.content.clone() };
    let id = FiscalReceiptId::from_bytes([3; 16]);
    FiscalReceipt::new(id, FiscalKind::Closing, (paid.session, paid.vendor), content, rub(109_000), after(5))
}

/// The receipt of a refund with this body: its lines, or what is wrong.
fn asked(body: &str, amount: Option<i64>, receipts: Option<PaidReceipts<'_>>) -> String {
    asked_with(&FiscalSettings::default(), body, amount, receipts)
}

/// The same, of a vendor with these settings.
fn asked_with(
    settings: &FiscalSettings,
    body: &str,
    amount: Option<i64>,
    receipts: Option<PaidReceipts<'_>>,
) -> String {
    let mut problems = Problems::default();
    let content = on_refund(&given_value(body), amount.map(rub), receipts, settings, &mut problems);
    match (content, problems.finish()) {
        (_, Err(rejection)) => shown(&rejection),
        (None, Ok(())) => "none".to_owned(),
        (Some(content), Ok(())) => content
            .items
            .iter()
            .map(|item| {
                format!("{} x {} {} {}", item.quantity, item.name, item.vat.as_str(), item.mode.as_str())
            })
            .collect::<Vec<_>>()
            .join(", "),
    }
}

const SHIRT: &str = r#"{"items":[{"name":"Shirt","price":"545.00","vat":"22/122"}]}"#;

#[test]
fn a_partial_refund_of_a_payment_with_a_receipt_needs_the_returned_items() {
    let paid = paid();
    let receipts = Some(PaidReceipts { payment: &paid, closing: None });
    let all = "2 x Shirt 22/122 full_prepayment, 1 x Delivery 22 full_payment";
    for (body, amount, expected) in [
        ("null", Some(149_000), all),
        // A surplus that the operator accepted for the vendor is no part of the goods.
        ("null", Some(149_001), all),
        ("null", Some(54_500), "receipt_required: receipt receipt_required"),
        (SHIRT, Some(54_500), "1 x Shirt 22/122 full_prepayment"),
        (SHIRT, Some(54_499), "invalid_request: receipt.items total_mismatch"),
        (SHIRT, Some(149_000), "invalid_request: receipt.items total_mismatch"),
        // The amount is wrong: its own problem is reported beside those of the items.
        (SHIRT, None, "1 x Shirt 22/122 full_prepayment"),
        (
            r#"{"items":[{"name":"Shirt","price":"545.00"}]}"#,
            None,
            "invalid_request: receipt.items[0].vat required",
        ),
        ("{}", Some(54_500), "invalid_request: receipt.items required"),
        (
            r#"{"items":[],"x":1}"#,
            Some(54_500),
            "invalid_request: receipt.x unknown_field, receipt.items empty",
        ),
        ("[]", Some(54_500), "invalid_request: receipt wrong_type"),
    ] {
        assert_eq!(asked(body, amount, receipts), expected, "{body} {amount:?}");
    }
    assert_eq!(asked("null", Some(54_500), None), "none", "the payment has none");
    assert_eq!(asked(SHIRT, Some(54_500), None), "receipt_not_enabled: receipt receipt_not_enabled");
}

#[test]
fn lines_without_a_subject_have_that_of_the_vendor_whose_limit_counts() {
    let shop = FiscalSettings { subject: Some(Subject::Service), max_items: 1, ..FiscalSettings::default() };
    let mut paid = paid();
    paid.content.items[0].subject = Subject::Service;
    let receipts = PaidReceipts { payment: &paid, closing: None };
    let mut problems = Problems::default();
    let content = on_refund(&given_value(SHIRT), Some(rub(54_500)), Some(receipts), &shop, &mut problems);
    let returned = FiscalReceipt { content: content.expect("a receipt"), ..paid.clone() };
    assert_eq!(returned.content.items[0].subject, Subject::Service);
    let left: Vec<_> = receipts.left(&[&returned]).into_iter().map(|(_, left)| left).collect();
    assert_eq!(left, [Some(ItemQuantity::ONE); 2], "it is one of the shirts");
    let two = r#"{"items":[{"name":"Shirt","price":"500.00","vat":"22"},{"name":"Shirt","price":"45.00","vat":"22"}]}"#;
    assert_eq!(
        asked_with(&shop, two, Some(54_500), Some(receipts)),
        "invalid_request: receipt.items too_many_items"
    );
}

#[test]
fn a_line_without_a_mode_has_that_of_the_paid_line() {
    let mut paid = paid();
    paid.content.items[1].measure = Measure::Hour;
    let receipts = Some(PaidReceipts { payment: &paid, closing: None });
    for (items, amount, expected) in [
        (
            r#"[{"name":"Delivery","price":"400.00","vat":"22"}]"#,
            40_000,
            "1 x Delivery 22 full_payment service hour",
        ),
        // A part of its price comes back.
        (
            r#"[{"name":"Delivery","price":"100.00","vat":"22","mode":"advance","measure":"piece"}]"#,
            10_000,
            "1 x Delivery 22 advance service piece",
        ),
        (
            r#"[{"name":"Shirt","price":"100.00","vat":"22/122"}]"#,
            10_000,
            "1 x Shirt 22/122 full_prepayment commodity piece",
        ),
        (
            r#"[{"name":"Other","price":"100.00","vat":"22"}]"#,
            10_000,
            "1 x Other 22 full_payment commodity piece",
        ),
    ] {
        let mut problems = Problems::default();
        let (body, settings) = (format!(r#"{{"items":{items}}}"#), FiscalSettings::default());
        let content = on_refund(&given_value(&body), Some(rub(amount)), receipts, &settings, &mut problems);
        let [item] = &content.expect("a receipt").items[..] else { panic!("one line: {items}") };
        let (subject, measure) = (item.subject.as_str(), item.measure.as_str());
        let shown = format!("{} {subject} {measure}", asked(&body, Some(amount), receipts));
        assert_eq!(shown, expected, "{items}");
    }
    // All lines are of one mode: so is what is not recognised.
    paid.content.items.truncate(1);
    let receipts = Some(PaidReceipts { payment: &paid, closing: None });
    let other = r#"{"items":[{"name":"Other","price":"100.00","vat":"22"}]}"#;
    assert_eq!(asked(other, Some(10_000), receipts), "1 x Other 22 full_prepayment");
}

#[test]
fn after_the_hand_over_what_was_handed_over_comes_back() {
    let paid = paid();
    let closing = closing(&paid);
    let receipts = Some(PaidReceipts { payment: &paid, closing: Some(&closing) });
    let all = "1 x Delivery 22 full_payment, 2 x Shirt 22 full_payment";
    assert_eq!(asked("null", Some(149_000), receipts), all);
    // A closing receipt has the plain rate, whatever rate the payment had.
    assert_eq!(asked(SHIRT, Some(54_500), receipts), "1 x Shirt 22 full_payment");
    let other = r#"{"items":[{"name":"Shirt","price":"545.00","vat":"10/110"}]}"#;
    assert_eq!(asked(other, Some(54_500), receipts), "1 x Shirt 10 full_payment");
    let before = Some(PaidReceipts { payment: &paid, closing: None });
    assert_eq!(asked(other, Some(54_500), before), "1 x Shirt 10/110 full_prepayment");
}

#[test]
fn what_came_back_at_the_rate_of_the_payment_is_not_offered_again_after_the_hand_over() {
    // Paid in 2025, handed over in 2026: the main rate was replaced meanwhile.
    for (rate, handed_over, at) in
        [(Vat::TwentyTwoOf122, Vat::TwentyTwo, after(5)), (Vat::TwentyOf120, Vat::TwentyTwo, in_2026())]
    {
        let mut paid = paid();
        paid.content.items[0].vat = rate;
        let mut closing = FiscalReceipt { created_at: at, ..closing(&paid) };
        closing.content.items[0].vat = handed_over;
        let receipts = PaidReceipts { payment: &paid, closing: Some(&closing) };
        let body = SHIRT.replace("22/122", rate.as_str());
        let (mut problems, settings) = (Problems::default(), FiscalSettings::default());
        let content =
            on_refund(&given_value(&body), Some(rub(54_500)), Some(receipts), &settings, &mut problems);
        let content = content.expect("a receipt");
        assert_eq!(content.items[0].vat, handed_over);
        let created_at = Timestamp::from_ms(at.as_ms() + 1);
        let returned = FiscalReceipt { content, created_at, kind: FiscalKind::Refund, ..paid.clone() };
        let left = receipts.left(&[&returned]);
        let left: Vec<_> = left.iter().map(|(item, left)| (item.name.as_str(), *left)).collect();
        assert_eq!(left, [("Delivery", Some(ItemQuantity::ONE)), ("Shirt", Some(ItemQuantity::ONE))]);
    }
    // A rate that the vendor stated in the closing receipt is that of what was handed over.
    let paid = paid();
    let mut closing = closing(&paid);
    closing.content.items[0].vat = Vat::TwentyTwoOf122;
    let receipts = Some(PaidReceipts { payment: &paid, closing: Some(&closing) });
    assert_eq!(asked(SHIRT, Some(54_500), receipts), "1 x Shirt 22/122 full_payment");
}

#[test]
fn a_partial_refund_at_a_till_needs_the_customers_contact() {
    let mut paid = paid();
    paid.content.buyer.email = None;
    let check = |paid: &FiscalReceipt, body: &str, amount, expected: &str| {
        let receipts = Some(PaidReceipts { payment: paid, closing: None });
        assert_eq!(asked(body, Some(amount), receipts), expected, "{body}");
    };
    let other =
        r#"{"customer":{"phone":"+79000000000"},"items":[{"name":"Shirt","price":"545.00","vat":"22/122"}]}"#;
    check(&paid, SHIRT, 54_500, "1 x Shirt 22/122 full_prepayment");
    paid.provider = Some("bank".to_owned());
    check(&paid, SHIRT, 54_500, "invalid_request: receipt.customer required");
    check(&paid, other, 54_500, "1 x Shirt 22/122 full_prepayment");
    // Of a full refund, the till knows the customer from the payment, unless the lines are others than it has.
    let all = "2 x Shirt 22/122 full_prepayment, 1 x Delivery 22 full_payment";
    check(&paid, "null", 149_000, all);
    let same = r#"{"items":[{"name":"Shirt","quantity":2,"price":"545.00","vat":"22/122"},{"name":"Delivery","price":"400.00","vat":"22"}]}"#;
    check(&paid, same, 149_000, all);
    let one = r#"{"items":[{"name":"Order","price":"1490.00","vat":"22"}]}"#;
    check(&paid, one, 149_000, "invalid_request: receipt.customer required");
    let closing = closing(&paid);
    let receipts = Some(PaidReceipts { payment: &paid, closing: Some(&closing) });
    assert_eq!(asked("null", Some(149_000), receipts), "invalid_request: receipt.customer required");
}

#[test]
fn what_is_left_of_a_line_is_what_no_refund_returned() {
    let paid = paid();
    let closing = closing(&paid);
    let returned = |thousandths: &[(usize, i64)], of: &FiscalReceipt| {
        let items = thousandths.iter().map(|(index, quantity)| FiscalItem {
            quantity: ItemQuantity::from_thousandths(*quantity).expect("a quantity"),
            ..of.content.items[*index].clone()
        });
        FiscalReceipt {
            content: FiscalContent { items: items.collect(), ..of.content.clone() },
            ..of.clone()
        }
    };
    let left = |closing, refunds: &[&FiscalReceipt]| {
        let left = PaidReceipts { payment: &paid, closing }.left(refunds);
        let left = left.iter().map(|(item, left)| match left {
            Some(left) => format!("{} {left}", item.name),
            None => format!("{} -", item.name),
        });
        left.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(left(None, &[]), "Shirt 2, Delivery 1");
    let [half, one, rest] =
        [&[(0, 500)][..], &[(0, 1_000), (1, 1_000)], &[(0, 500)]].map(|lines| returned(lines, &paid));
    assert_eq!(left(None, &[&half]), "Shirt 1.5, Delivery 1");
    assert_eq!(left(None, &[&half, &one]), "Shirt 0.5, Delivery -");
    assert_eq!(left(None, &[&half, &one, &rest]), "Shirt -, Delivery -");
    // A shirt that came back after the hand-over has the plain rate of the closing receipt.
    let later = returned(&[(0, 1_000)], &closing);
    assert_eq!(left(Some(&closing), &[&later]), "Delivery 1, Shirt 1");
}

#[test]
fn what_came_back_before_the_hand_over_is_no_part_of_what_was_handed_over() {
    let mut paid = paid();
    for item in &mut paid.content.items {
        item.vat = Vat::None;
    }
    let one_of = |of: &FiscalReceipt, index: usize, seconds| {
        let item = FiscalItem { quantity: ItemQuantity::ONE, ..of.content.items[index].clone() };
        let content = FiscalContent { items: vec![item], ..of.content.clone() };
        FiscalReceipt { content, created_at: after(seconds), kind: FiscalKind::Refund, ..of.clone() }
    };
    let left = |closing: &FiscalReceipt, refunds: &[&FiscalReceipt]| {
        let left = PaidReceipts { payment: &paid, closing: Some(closing) }.left(refunds);
        let left =
            left.iter().map(|(item, left)| format!("{} {:?}", item.name, left.map(|left| left.to_string())));
        left.collect::<Vec<_>>().join(", ")
    };
    // One of two shirts came back, then the other one was handed over, at a rate without another form.
    let mut closing = closing(&paid);
    closing.content.items[0] =
        FiscalItem { quantity: ItemQuantity::ONE, vat: Vat::None, ..closing.content.items[0].clone() };
    let (early, delivery) = (one_of(&paid, 0, 1), one_of(&paid, 1, 1));
    assert_eq!(left(&closing, &[&early]), r#"Delivery Some("1"), Shirt Some("1")"#);
    assert_eq!(left(&closing, &[&early, &delivery]), r#"Delivery None, Shirt Some("1")"#);
    let late = one_of(&closing, 0, 9);
    assert_eq!(left(&closing, &[&early, &late]), r#"Delivery Some("1"), Shirt None"#);
    // A clock may stand: of the same moment, what came back as a prepayment came before.
    let (early, late) = (one_of(&paid, 0, 5), one_of(&closing, 0, 5));
    assert_eq!(left(&closing, &[&early]), r#"Delivery Some("1"), Shirt Some("1")"#);
    assert_eq!(left(&closing, &[&early, &late]), r#"Delivery Some("1"), Shirt None"#);
}

#[test]
fn the_body_of_a_refund_is_read_back_as_the_same_lines() {
    let paid = paid();
    let body = refund_body(&paid.content.items, paid.total);
    let mut problems = Problems::default();
    let receipts = PaidReceipts { payment: &paid, closing: None };
    let settings = FiscalSettings::default();
    let content = on_refund(&body, Some(rub(149_000)), Some(receipts), &settings, &mut problems);
    let content = content.expect("a receipt");
    assert_eq!(content, paid.content);
    assert_ne!(body, FieldValue::Absent);
}
