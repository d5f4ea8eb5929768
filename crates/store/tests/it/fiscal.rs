//! Fiscal receipts: they come back as they were stored, with their sessions, and change only as far as the schema allows.

use crate::{
    fixture::{
        Backend, Kind, Shop, commit, event_id, good_request, on_both_engines, read, session_id, start, text,
    },
    shell::bytes,
};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard},
    fiscal::{
        self, ClosingFacts, Contact, FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ReceiptStatus,
        follow::{self, RegistrationFacts, RegistrationSeen, RegistrationState},
        registration::{self, SecondReceipt},
    },
    id::FiscalReceiptId,
    request::{CreateRequest, FieldValue, ReceiptRequest},
    session::{Outcome, Session, State},
};
use till_store::{Committed, Payments};

fn object(members: &[(&str, FieldValue)]) -> FieldValue {
    FieldValue::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn shop(mut shop: Shop) -> Shop {
    shop.vendor.settings.fiscal =
        FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    shop
}

/// A session of 1490 roubles whose receipt has two lines and this customer.
async fn store(
    payments: &Payments,
    shop: &Shop,
    number: u64,
    customer: FieldValue,
) -> (Session, FiscalReceipt) {
    let lines = [
        [
            ("name", "Футболка \"M\", хлопок"),
            ("price", "545.00"),
            ("vat", "22/122"),
            ("quantity", "2"),
            ("mode", "advance"),
        ],
        [
            ("name", "Доставка 🚚"),
            ("price", "400.00"),
            ("vat", "none"),
            ("measure", "hour"),
            ("subject", "service"),
        ],
    ];
    let lines = lines.map(|line| object(&line.map(|(name, value)| (name, text(value)))));
    let receipt = object(&[
        ("customer", customer),
        ("tax_system", text("patent")),
        ("items", FieldValue::List(lines.to_vec())),
    ]);
    let request = CreateRequest { price: text("1490.00"), currency: text("RUB"), receipt, ..good_request() };
    let (session, changes) = shop.create(number, start(), &request);
    commit(payments, &changes).await;
    let stored = payments.fiscal_receipt(session.id.into()).await.expect("a read");
    (session, stored.expect("a receipt"))
}

fn full_customer() -> FieldValue {
    object(&[
        ("email", text("ann@mail.example")),
        ("phone", text("+79000000000")),
        ("full_name", text("ООО «Ромашка»")),
        ("inn", text("7712345678")),
    ])
}

async fn a_receipt_comes_back_as_it_was_stored(kind: Kind) {
    let backend = Backend::new(kind).await;
    for (payments, shop) in
        [(&backend.stores.live, shop(Shop::live())), (&backend.stores.sandbox, shop(Shop::sandbox()))]
    {
        let (session, stored) = store(payments, &shop, 1, full_customer()).await;
        assert_eq!(read(payments, 1).await.as_ref(), Some(&session), "the session knows its receipt");
        assert_eq!(session.fiscal, Some(stored.summary()));
        assert_eq!(stored.content.buyer.phone.as_deref(), Some("79000000000"));
        assert_eq!(stored.content.items.iter().map(|item| item.total()).sum::<i64>(), 149_000);
        assert_eq!(payments.fiscal_receipts_of(session.id).await.expect("a read"), [stored]);
        let (bare, _) = store(payments, &shop, 2, FieldValue::Absent).await;
        let contact = read(payments, 2).await.expect("a session").fiscal.expect("a receipt").contact;
        assert_eq!(contact, Contact::Unknown);
        let phone = object(&[("phone", text("+79000000000"))]);
        let (with_phone, _) = store(payments, &shop, 4, phone).await;
        assert_eq!(read(payments, 4).await, Some(with_phone.clone()));
        assert_eq!(with_phone.fiscal.expect("a receipt").contact, Contact::Phone);
        assert_eq!(bare.fiscal.map(|fiscal| fiscal.status), Some(ReceiptStatus::None));
        shop.store(payments, 3, start()).await;
        assert_eq!(read(payments, 3).await.expect("a session").fiscal, None);
    }
}

async fn the_sandbox_plays_what_was_planned_last(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (payments, shop) = (&backend.stores.sandbox, shop(Shop::sandbox()));
    let status =
        async |number| read(payments, number).await.expect("a session").fiscal.expect("a receipt").status;
    let (session, _) = store(payments, &shop, 1, full_customer()).await;
    // The plan that comes while the session is being paid counts, whatever the payment has read.
    let (_, planned) = registration::wish(&session, ReceiptStatus::Pending, start()).expect("a plan");
    let (paid, changes) = shop.finish(&session, Outcome::Paid, 1);
    commit(payments, &[planned]).await;
    assert_eq!(status(1).await, ReceiptStatus::None);
    commit(payments, &changes).await;
    assert_eq!(status(1).await, ReceiptStatus::Pending);
    for wish in [ReceiptStatus::Failed, ReceiptStatus::Registered] {
        let (_, change) = registration::wish(&paid, wish, start()).expect("a plan");
        commit(payments, &[change]).await;
        assert_eq!(status(1).await, wish);
    }
    let (session, _) = store(payments, &shop, 2, full_customer()).await;
    commit(payments, &shop.finish(&session, Outcome::Expired, 2).1).await;
    assert_eq!(status(2).await, ReceiptStatus::None);
}

async fn the_receipt_of_a_refund_in_progress_is_played_as_that_of_the_payment(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (payments, shop) = (&backend.stores.sandbox, shop(Shop::sandbox()));
    let (session, paid) = store(payments, &shop, 1, full_customer()).await;
    let (session, changes) = shop.finish(&session, Outcome::Paid, 1);
    commit(payments, &changes).await;
    let (id, owner) = (FiscalReceiptId::from_bytes([7; 16]), (session.id, session.vendor));
    let returned =
        FiscalReceipt::new(id, FiscalKind::Refund, owner, paid.content.clone(), paid.total, start());
    commit(payments, &[registration::inserted(returned)]).await;
    for (wish, expected) in [
        (ReceiptStatus::Failed, ReceiptStatus::Failed),
        // It has ended with the refund.
        (ReceiptStatus::Registered, ReceiptStatus::Failed),
    ] {
        let (_, change) = registration::wish(&session, wish, start()).expect("a plan");
        commit(payments, &[change]).await;
        commit(payments, &[registration::played_for(id, wish, start()).change()]).await;
        let refund = payments.fiscal_receipt(id).await.expect("a read").expect("a receipt");
        let payment = payments.fiscal_receipt(session.id.into()).await.expect("a read").expect("a receipt");
        assert_eq!((refund.status, payment.status), (expected, wish));
    }
}

async fn a_contact_is_added_once_when_the_receipt_is_sent(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (payments, shop) = (&backend.stores.live, shop(Shop::live()));
    for (number, customer, expected) in [
        (1, FieldValue::Absent, "typed@mail.example"),
        (2, full_customer(), "ann@mail.example"),
        (3, object(&[("phone", text("+79000000000"))]), "typed@mail.example"),
    ] {
        let (session, stored) = store(payments, &shop, number, customer).await;
        let sending = registration::FiscalSending {
            provider: Some("yookassa".to_owned()),
            reference: Some("ref".to_owned()),
            email: Some("typed@mail.example".to_owned()),
            check_at: Some(start()),
            ..registration::played_for(stored.id, ReceiptStatus::Pending, start())
        };
        // Twice, as after a crash.
        commit(payments, &[sending.clone().change()]).await;
        commit(payments, &[sending.change()]).await;
        let sent = payments.fiscal_receipt(session.id.into()).await.expect("a read").expect("a receipt");
        assert_eq!(sent.content.buyer.email.as_deref().unwrap_or_default(), expected);
        assert_eq!((sent.status, sent.version, sent.check_at), (ReceiptStatus::Pending, 2, Some(start())));
    }
}

async fn what_a_receipt_says_is_never_changed(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (session, _) = store(&backend.stores.live, &shop(Shop::live()), 1, full_customer()).await;
    let shell = backend.shell("live").await;
    let id = bytes(session.id.as_bytes());
    let other = bytes(session_id(2).as_bytes());
    for set in [
        format!("id = {other}"),
        "items = '[]'".to_owned(),
        "total = 1".to_owned(),
        "currency = 'EUR'".to_owned(),
        "kind = 'closing'".to_owned(),
        "tax_system = NULL".to_owned(),
        "email = 'eve@evil.example'".to_owned(),
        "phone = '1'".to_owned(),
        "inn = '1'".to_owned(),
        "version = 0".to_owned(),
        "created_at = 1".to_owned(),
    ] {
        let statement = format!("UPDATE fiscal_receipts SET {set} WHERE id = {id}");
        assert!(shell.run(&statement).await.is_err(), "{set}");
    }
    for statement in [
        format!("DELETE FROM fiscal_receipts WHERE id = {id}"),
        format!("UPDATE fiscal_receipts SET status = 'unknown', sent_at = 1 WHERE id = {id}"),
    ] {
        assert!(shell.run(&statement).await.is_err(), "{statement}");
    }
    shell
        .run(&format!("UPDATE fiscal_receipts SET status = 'registered', sent_at = 1 WHERE id = {id}"))
        .await
        .expect("its end");
    let back = format!("UPDATE fiscal_receipts SET status = 'pending' WHERE id = {id}");
    assert!(shell.run(&back).await.is_err(), "the end is final");
    let cleared = "UPDATE fiscal_receipts SET email = NULL, phone = NULL, full_name = NULL, inn = NULL";
    shell.run(cleared).await.expect("the customer is cleared");
}

async fn a_registration_is_followed_by_one_worker_at_a_time(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (payments, shop) = (&backend.stores.live, shop(Shop::live()));
    let (session, stored) = store(payments, &shop, 1, full_customer()).await;
    let due = async |now| payments.due_fiscal_receipts("bank", now, 10).await.expect("a read").0;
    assert!(due(start()).await.is_empty(), "no till has it");
    commit(payments, &[registration::taken_along(stored.id, "bank", "pay-1", start()).change()]).await;
    assert_eq!(payments.fiscal_providers().await.expect("a read"), ["bank"]);
    assert_eq!(payments.next_fiscal_check().await.expect("a read"), Some(start()));
    let [sent] = due(start()).await.try_into().expect("one");
    let (lease, now) = (Duration::from_secs(30), start());
    let (claimed, claim) = follow::claim(&sent, now, lease);
    commit(payments, std::slice::from_ref(&claim)).await;
    let lost = payments.commit(&[claim]).await.expect("a commit");
    assert_eq!(lost, Committed::Lost(Guard::ReceiptMoved));
    assert!(due(now).await.is_empty(), "it is leased");
    assert_eq!(due(now.plus(lease)).await, std::slice::from_ref(&claimed));
    let facts = RegistrationFacts { receipt: &claimed, now, event_id: event_id(9), blocked: None };
    let failed = RegistrationState::Failed { reason: "out of paper".to_owned() };
    let seen = RegistrationSeen { document: Some("drive/7".to_owned()), ..RegistrationSeen::of(failed) };
    commit(payments, &follow::observe(&facts, Some(seen))).await;
    let ended = payments.fiscal_receipt(session.id.into()).await.expect("a read").expect("a receipt");
    assert_eq!((ended.status, ended.check_at, ended.checks), (ReceiptStatus::Failed, None, 1));
    assert_eq!((ended.failure.as_deref(), ended.reference.as_deref()), (Some("out of paper"), Some("pay-1")));
    assert_eq!(ended.document.as_deref(), Some("drive/7"));
    let shell = backend.shell("live").await;
    let renamed = "UPDATE fiscal_receipts SET document = 'drive/8'";
    assert!(shell.run(renamed).await.is_err(), "the document of a receipt is final");
    assert_eq!(payments.actions_of(session.id).await.expect("a read").len(), 1);
    assert_eq!(payments.next_fiscal_check().await.expect("a read"), None);
}

async fn a_second_payment_has_a_receipt_of_its_own(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (payments, shop) = (&backend.stores.live, shop(Shop::live()));
    let customer = object(&[("phone", text("+79000000000"))]);
    let (session, stored) = store(payments, &shop, 1, customer).await;
    let sent = |payment: &str, id| registration::FiscalSending {
        email: Some(format!("{payment}@mail.example")),
        ..registration::taken_along(id, "bank", payment, start())
    };
    let second = |payment: &str, byte: u8| {
        let sending = sent(payment, FiscalReceiptId::from_bytes([byte; 16]));
        SecondReceipt { session: session.id, sending }.change()
    };
    let receipts = async || payments.fiscal_receipts_of(session.id).await.expect("a read");
    // No till has the first one.
    commit(payments, &[second("pay-0", 6)]).await;
    assert_eq!(receipts().await, std::slice::from_ref(&stored));
    // The first one goes with late money, which is no second payment.
    commit(payments, &[sent("pay-1", stored.id).change(), second("pay-1", 7)]).await;
    assert_eq!(receipts().await.len(), 1);
    commit(payments, &[sent("pay-2", stored.id).change(), second("pay-2", 8)]).await;
    let [first, made] = receipts().await.try_into().expect("two");
    assert_eq!((first.reference.as_deref(), first.is_of_session()), (Some("pay-1"), true));
    assert_eq!((made.reference.as_deref(), made.is_of_session()), (Some("pay-2"), false));
    assert_eq!((made.kind, made.status, made.version), (FiscalKind::Payment, ReceiptStatus::Pending, 1));
    assert_eq!((&made.content, made.total), (&first.content, first.total));
    assert_eq!((made.sent_at, made.check_at, made.checks), (Some(start()), Some(start()), 0));
    assert_eq!(payments.due_fiscal_receipts("bank", start(), 10).await.expect("a read").0.len(), 2);
}

async fn a_session_has_one_closing_receipt(kind: Kind) {
    let backend = Backend::new(kind).await;
    for (payments, shop) in
        [(&backend.stores.live, shop(Shop::live())), (&backend.stores.sandbox, shop(Shop::sandbox()))]
    {
        let (session, paid) = store(payments, &shop, 1, full_customer()).await;
        let closing = |byte: u8| {
            let (id, owner) = (FiscalReceiptId::from_bytes([byte; 16]), (session.id, session.vendor));
            let content = paid.content.clone();
            FiscalReceipt::new(id, FiscalKind::Closing, owner, content, paid.total, start())
        };
        let insert = |receipt: &FiscalReceipt| Change::InsertClosingReceipt(Box::new(receipt.clone()));
        let (one, other) = (closing(7), closing(8));
        commit(payments, &[insert(&one)]).await;
        let lost = payments.commit(&[insert(&other)]).await.expect("a commit");
        assert_eq!(lost, Committed::Lost(Guard::AlreadyClosed));
        assert_eq!(payments.fiscal_receipts_of(session.id).await.expect("a read"), [paid, one]);
        assert_eq!(
            read(payments, 1).await.as_ref(),
            Some(&session),
            "its status is that of the payment's receipt"
        );
    }
}

/// A closing receipt and a refund of the same payment, each decided on the receipts as they were read.
async fn of_a_refund_and_a_closing_that_read_the_same_one_is_lost(kind: Kind) {
    let backend = Backend::new(kind).await;
    for (payments, shop) in
        [(&backend.stores.live, shop(Shop::live())), (&backend.stores.sandbox, shop(Shop::sandbox()))]
    {
        for number in 1..=8 {
            let (session, paid) = store(payments, &shop, number, full_customer()).await;
            let session = Session { state: State::Paid, ..session };
            let id = |byte: u8| {
                let mut bytes = *session.id.as_bytes();
                bytes[8] ^= byte;
                FiscalReceiptId::from_bytes(bytes)
            };
            let facts = ClosingFacts {
                rules: &shop.rules,
                session: &session,
                settings: &shop.vendor.settings.fiscal,
                paid: Some(&paid),
                refunded: &[],
                is_refunding: false,
                now: start(),
                id: id(1),
            };
            let asked = ReceiptRequest { kind: text("closing"), ..ReceiptRequest::default() };
            let (_, closing) = fiscal::close(&asked, &facts).expect("a closing receipt");
            let (owner, content) = ((session.id, session.vendor), paid.content.clone());
            let returned = FiscalReceipt::new(id(2), FiscalKind::Refund, owner, content, paid.total, start());
            let refund = [follow::unchanged(&paid), registration::inserted(returned)];
            let (one, other) = tokio::join!(payments.commit(&closing), payments.commit(&refund));
            let mut answers = [one.expect("a commit"), other.expect("a commit")];
            answers.sort_by_key(|answer| *answer != Committed::Done);
            assert_eq!(answers, [Committed::Done, Committed::Lost(Guard::ReceiptMoved)]);
            assert_eq!(payments.fiscal_receipts_of(session.id).await.expect("a read").len(), 2);
        }
    }
}

on_both_engines!(
    of_a_refund_and_a_closing_that_read_the_same_one_is_lost,
    a_registration_is_followed_by_one_worker_at_a_time,
    a_second_payment_has_a_receipt_of_its_own,
    a_session_has_one_closing_receipt,
    a_receipt_comes_back_as_it_was_stored,
    the_sandbox_plays_what_was_planned_last,
    the_receipt_of_a_refund_in_progress_is_played_as_that_of_the_payment,
    a_contact_is_added_once_when_the_receipt_is_sent,
    what_a_receipt_says_is_never_changed,
);
