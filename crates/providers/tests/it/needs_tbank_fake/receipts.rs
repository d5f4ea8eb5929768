//! Fiscal receipts: with the payment, with a partial refund, for the hand-over. The fake refuses what the documentation does not
//! allow, down to the sum of the lines.

use super::*;
use till_domain::{
    fiscal::{
        Buyer, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, ItemQuantity, Measure, PaymentMode,
        Subject, Vat,
        follow::{RegistrationSeen, RegistrationState},
    },
    id::FiscalReceiptId,
    refund::RefundSeen,
};
use till_providers::Receipts;

const TILL: &str = "[receipts]\nffd = \"1.2\"\ntax_system = \"usn_income\"\n";

/// A world with a till of this version.
async fn world(more: &str) -> World {
    let world = World::with(&format!("{TILL}{more}"));
    world.set(json!({ "till": "1.2" })).await;
    world
}

fn till(world: &World) -> &dyn Receipts {
    world.tbank.receipts().expect("a till")
}

/// A receipt with one line of this mode, for this many kopecks.
fn receipt(kind: FiscalKind, attempt: &Attempt, minor: i64, mode: PaymentMode) -> FiscalReceipt {
    let item = FiscalItem {
        name: "Атлас".to_owned(),
        quantity: ItemQuantity::from_thousandths(500).expect("a quantity"),
        price: minor * 2,
        vat: Vat::TwentyTwo,
        subject: Subject::Commodity,
        mode,
        measure: Measure::Piece,
    };
    let buyer = Buyer { phone: Some("79000000000".to_owned()), ..Buyer::default() };
    let content = FiscalContent { buyer, tax_system: None, items: vec![item] };
    let (id, owner) = (FiscalReceiptId::from_bytes([7; 16]), (attempt.session, attempt.vendor));
    FiscalReceipt::new(id, kind, owner, content, money(minor), now())
}

fn prepaid(attempt: &Attempt) -> FiscalReceipt {
    receipt(FiscalKind::Payment, attempt, 149_000, PaymentMode::FullPrepayment)
}

async fn start(world: &World, attempt: &Attempt, receipt: &FiscalReceipt) -> Result<Started, ProviderError> {
    let deadline = attempt.started_at.plus(15 * MINUTE);
    let order = Order { attempt, amount: price(attempt), item: "Заказ 72", back: BACK, deadline };
    till(world).start_with(&order, receipt).await
}

/// A payment with a receipt that is paid.
async fn sold(world: &World, method: Method) -> Attempt {
    let attempt = attempt(method);
    let started = start(world, &attempt, &prepaid(&attempt)).await.expect("it starts");
    let attempt = opened(attempt, started);
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    attempt
}

/// The receipts that the till got: kind and sum.
async fn made(world: &World) -> Vec<(String, i64)> {
    let made = world.look("truth").await["receipts"].clone();
    let word = |one: &Value| {
        (one["type"].as_str().expect("a kind").to_owned(), one["amount"].as_i64().expect("a sum"))
    };
    made.as_array().expect("receipts").iter().map(word).collect()
}

#[tokio::test]
async fn a_receipt_goes_with_the_payment() {
    let world = world("").await;
    for method in [Method::Card, Method::Sbp] {
        sold(&world, method).await;
    }
    let income = ("Income".to_owned(), 149_000);
    assert_eq!(made(&world).await, [income.clone(), income]);
    let sent = world.calls("Init").await[0]["Receipt"].clone();
    assert_eq!(
        sent,
        json!({
            "FfdVersion": "1.2", "Phone": "+79000000000", "Taxation": "usn_income",
            "Items": [{ "Name": "Атлас", "Price": 298_000, "Quantity": 0.5, "Amount": 149_000, "Tax": "vat22",
                "PaymentMethod": "full_prepayment", "PaymentObject": "commodity", "MeasurementUnit": "шт" }],
        })
    );
}

#[tokio::test]
async fn a_receipt_that_t_bank_would_refuse_starts_nothing() {
    let world = world("").await;
    let attempt = attempt(Method::Card);
    let mut nobody = prepaid(&attempt);
    nobody.content.buyer = Buyer::default();
    assert!(is_definite(&start(&world, &attempt, &nobody).await));
    assert!(world.calls("Init").await.is_empty());
    // A wrong sum, and none at all where the terminal has a till, are refused by T-Bank.
    let short = receipt(FiscalKind::Payment, &attempt, 148_999, PaymentMode::FullPayment);
    assert!(is_definite(&start(&world, &attempt, &short).await));
    assert!(is_definite(&world.start(&attempt).await));
    assert!(made(&world).await.is_empty());
    // Without a till in the set-up no receipt is sent.
    assert!(World::new().tbank.receipts().is_none());
}

#[tokio::test]
async fn a_refund_of_a_part_has_a_receipt_and_one_of_everything_has_none() {
    let world = world("").await;
    let (card, sbp) = (sold(&world, Method::Card).await, sold(&world, Method::Sbp).await);
    let part = receipt(FiscalKind::Refund, &card, 50_000, PaymentMode::FullPrepayment);
    let seen = till(&world).refund_with(&refund(&card, 50_000), &part).await;
    assert!(matches!(seen, Ok(RefundSeen::Succeeded { .. })), "{seen:?}");
    let without = world.tbank.refunds().expect("refunds").refund(&refund(&card, 50_000)).await;
    assert!(matches!(without, Ok(RefundSeen::Failed { .. })), "{without:?}");
    let whole = world.tbank.refunds().expect("refunds").refund(&refund(&sbp, 149_000)).await;
    assert!(matches!(whole, Ok(RefundSeen::Accepted { .. })), "{whole:?}");
    world.does("refunded", json!({ "payment": sbp.reference })).await;
    let returned: Vec<_> = made(&world).await.split_off(2);
    let back = |minor| ("IncomeReturn".to_owned(), minor);
    assert_eq!(returned, [back(50_000), back(149_000)]);
}

#[tokio::test]
async fn a_hand_over_has_one_receipt_and_an_unanswered_one_is_left_to_a_person() {
    let world = world("").await;
    let register = async |receipt: &FiscalReceipt, payment: &Attempt| {
        let payment = payment.reference.as_deref().expect("a payment");
        till(&world).register(receipt, payment).await.expect("an answer")
    };
    let handed = |attempt: &Attempt, mode| FiscalReceipt {
        checks: 1,
        ..receipt(FiscalKind::Closing, attempt, 149_000, mode)
    };
    let failure = |seen: RegistrationSeen| match seen.state {
        RegistrationState::Failed { reason } => reason,
        other => panic!("{other:?}"),
    };
    let first = sold(&world, Method::Card).await;
    let closing = handed(&first, PaymentMode::FullPayment);
    let seen = register(&closing, &first).await;
    assert_eq!((seen.state, &seen.reference), (RegistrationState::Pending, &Some(closing.id.to_string())));
    assert_eq!(made(&world).await.len(), 2);
    let known = FiscalReceipt { reference: seen.reference, checks: 2, ..closing.clone() };
    assert_eq!(register(&known, &first).await.state, RegistrationState::Pending, "it is not sent again");
    let refused = failure(register(&handed(&first, PaymentMode::FullPayment), &first).await);
    assert!(refused.contains("T-Bank rejected it (4)"), "{refused}");
    // It is not known whether an unanswered one was made: a notification says so.
    for kind in ["500_after", "timeout_after", "code_999_after", "429_before"] {
        let attempt = sold(&world, Method::Card).await;
        world.fault("SendClosingReceipt", kind, 1).await;
        let closing = handed(&attempt, PaymentMode::FullPayment);
        let seen = register(&closing, &attempt).await;
        assert_eq!(
            (seen.state, &seen.reference),
            (RegistrationState::Pending, &Some(closing.id.to_string())),
            "{kind}"
        );
    }
    let attempt = sold(&world, Method::Card).await;
    let count = made(&world).await.len();
    let closing = handed(&attempt, PaymentMode::FullPayment);
    let again = FiscalReceipt { checks: 2, ..closing.clone() };
    assert_eq!(register(&again, &attempt).await.state, RegistrationState::Pending);
    assert_eq!(made(&world).await.len(), count, "an earlier request may have made it");
    // A wrong password has made nothing: it is sent again once that is corrected.
    world.fault("SendClosingReceipt", "code_204_before", 1).await;
    let RegistrationState::Blocked { reason } = register(&closing, &attempt).await.state else {
        panic!("not blocked")
    };
    let again = FiscalReceipt { checks: 2, failure: Some(reason), ..closing };
    let seen = register(&again, &attempt).await;
    assert!(seen.state == RegistrationState::Pending && seen.reference.is_some());
    assert_eq!(made(&world).await.len(), count + 1);
}

#[tokio::test]
async fn without_notifications_an_unanswered_hand_over_is_left_to_a_person() {
    let world = world("registration = \"unknown\"\n").await;
    let attempt = sold(&world, Method::Card).await;
    let closing = receipt(FiscalKind::Closing, &attempt, 149_000, PaymentMode::FullPayment);
    for (checks, kind) in [(1, "500_after"), (2, "none")] {
        world.fault("SendClosingReceipt", kind, u32::from(checks == 1)).await;
        let closing = FiscalReceipt { checks, ..closing.clone() };
        let payment = attempt.reference.as_deref().expect("a payment");
        match till(&world).register(&closing, payment).await.expect("an answer").state {
            RegistrationState::Failed { reason } => assert!(reason.contains("not known whether"), "{reason}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(made(&world).await.len(), 2, "once");
}

#[tokio::test]
async fn a_repeated_refund_whose_receipt_cannot_be_sent_stays_open() {
    let world = world("").await;
    let attempt = sold(&world, Method::Card).await;
    let mut nobody = receipt(FiscalKind::Refund, &attempt, 50_000, PaymentMode::FullPrepayment);
    nobody.content.buyer = Buyer::default();
    let first = refund(&attempt, 50_000);
    assert!(is_definite(&till(&world).refund_with(&first, &nobody).await));
    let again = Refund { attempts: 2, ..first };
    assert!(is_unknown(&till(&world).refund_with(&again, &nobody).await));
}

#[tokio::test]
async fn what_became_of_a_receipt_is_not_asked() {
    for (more, expected) in
        [("", RegistrationState::Pending), ("registration = \"unknown\"\n", RegistrationState::Unreported)]
    {
        let world = world(more).await;
        let attempt = sold(&world, Method::Card).await;
        let calls = world.look("log").await.as_array().map(Vec::len);
        for kind in [FiscalKind::Payment, FiscalKind::Refund] {
            let sent = receipt(kind, &attempt, 149_000, PaymentMode::FullPrepayment);
            let seen = till(&world).register(&sent, attempt.reference.as_deref().expect("a payment")).await;
            assert_eq!(seen.expect("an answer").state, expected);
        }
        assert_eq!(world.look("log").await.as_array().map(Vec::len), calls);
    }
}
