//! Which receipt a provider's notice is about.

use crate::{fiscal_refund::paid, fixture::after};
use till_domain::{
    fiscal::{FiscalKind, FiscalReceipt, Meant, NoticedReceipt, ReceiptStatus, meant},
    money::Money,
};

/// A receipt with this sum that was sent to the bank this many milliseconds after the first one.
fn sent(kind: FiscalKind, minor: i64, at: i64) -> FiscalReceipt {
    let (status, provider) = (ReceiptStatus::Pending, Some("bank".to_owned()));
    let (total, reference) = (Money { minor, ..paid().total }, Some("1".to_owned()));
    FiscalReceipt { kind, reference, status, provider, total, created_at: after(at), ..paid() }
}

/// The receipt of a hand-over that waits to be sent to the bank.
fn unsent_closing(minor: i64) -> FiscalReceipt {
    FiscalReceipt { reference: None, ..sent(FiscalKind::Closing, minor, 9) }
}

fn with(status: ReceiptStatus, receipt: FiscalReceipt) -> FiscalReceipt {
    let provider = (status != ReceiptStatus::None).then(|| "bank".to_owned());
    FiscalReceipt { status, provider, ..receipt }
}

#[test]
fn a_notice_is_about_the_receipt_that_waits() {
    use FiscalKind::{Closing, Payment, Refund};
    use ReceiptStatus::{Failed, None as Unsent, Registered};
    let payment = || sent(Payment, 1_000, 0);
    // The receipts of a session, whether the notice is about a refund, its sum, and the place of the one that it means.
    for (receipts, of_refund, total, place) in [
        (vec![payment()], false, Some(1_000), Ok(0)),
        (vec![payment()], false, None, Ok(0)),
        (vec![payment()], false, Some(5), Err(Meant::Nothing)),
        (vec![payment()], true, Some(1_000), Err(Meant::Nothing)),
        (vec![payment(), sent(Refund, 1_000, 5)], true, Some(1_000), Ok(1)),
        // Of two refunds the one with the sum, else the older one of the same sum.
        (vec![payment(), sent(Refund, 300, 5), sent(Refund, 200, 6)], true, Some(200), Ok(2)),
        (vec![payment(), sent(Refund, 200, 7), sent(Refund, 200, 6)], true, Some(200), Ok(2)),
        (vec![payment(), sent(Refund, 300, 5), sent(Refund, 200, 6)], true, Some(7), Err(Meant::Nothing)),
        // The hand-over comes after the payment.
        (vec![sent(Closing, 1_000, 9), payment()], false, Some(1_000), Ok(1)),
        (vec![with(Registered, payment()), sent(Closing, 1_000, 9)], false, Some(1_000), Ok(1)),
        // A repeated notice of the payment is not about the hand-over: not of another sum, and not before that was sent.
        (vec![with(Registered, payment()), sent(Closing, 600, 9)], false, Some(1_000), Err(Meant::Nothing)),
        (
            vec![with(Registered, payment()), unsent_closing(1_000)],
            false,
            Some(1_000),
            Err(Meant::NotSentYet),
        ),
        (vec![with(Registered, payment()), unsent_closing(1_000)], false, None, Err(Meant::NotSentYet)),
        (vec![with(Registered, payment()), unsent_closing(600)], false, Some(1_000), Err(Meant::Nothing)),
        (vec![with(Registered, payment())], false, Some(1_000), Err(Meant::Nothing)),
        (vec![with(Failed, payment())], false, Some(1_000), Err(Meant::Nothing)),
        // Early: the provider sends it again.
        (vec![with(Unsent, payment())], false, Some(1_000), Err(Meant::NotSentYet)),
        (vec![payment(), with(Unsent, sent(Refund, 300, 5))], true, Some(300), Err(Meant::NotSentYet)),
        (vec![], false, Some(1_000), Err(Meant::Nothing)),
    ] {
        let expected = place.map_or_else(|other| other, |place: usize| Meant::This(&receipts[place]));
        let noticed = NoticedReceipt { payment: "1", of_refund, total, document: Some("drive/7") };
        assert_eq!(meant(&receipts, "bank", noticed), expected, "{of_refund} {total:?}");
    }
    let of = |payment| NoticedReceipt { payment, of_refund: false, total: Some(1_000), document: None };
    // Of a second payment that is not recorded yet.
    assert_eq!(meant(&[payment()], "other", of("1")), Meant::NotSentYet, "another provider's");
    assert_eq!(meant(&[payment()], "bank", of("2")), Meant::NotSentYet);
}

#[test]
fn a_notice_of_a_second_payment_is_about_its_own_receipt() {
    let of = |payment| NoticedReceipt { payment, of_refund: false, total: Some(1_000), document: None };
    let second = FiscalReceipt { reference: Some("2".to_owned()), ..sent(FiscalKind::Payment, 1_000, 5) };
    let both = [sent(FiscalKind::Payment, 1_000, 0), second];
    for (payment, place) in [("1", 0), ("2", 1)] {
        assert_eq!(meant(&both, "bank", of(payment)), Meant::This(&both[place]));
    }
    let registered = [with(ReceiptStatus::Registered, both[0].clone()), both[1].clone()];
    assert_eq!(meant(&registered, "bank", of("1")), Meant::Nothing, "repeated");
    // The notice of the second one, repeated, is not about the hand-over, which has the same sum.
    let id = till_domain::id::FiscalReceiptId::from_bytes([9; 16]);
    let second = FiscalReceipt { id, ..with(ReceiptStatus::Failed, both[1].clone()) };
    let closed = [both[0].clone(), second, sent(FiscalKind::Closing, 1_000, 9)];
    assert_eq!(meant(&closed, "bank", of("2")), Meant::Nothing, "of the second payment");
    let closed = [with(ReceiptStatus::Registered, closed[0].clone()), closed[1].clone(), closed[2].clone()];
    assert_eq!(meant(&closed, "bank", of("1")), Meant::This(&closed[2]));
}

#[test]
fn a_repeated_notice_is_about_the_receipt_that_has_its_document() {
    use FiscalKind::{Closing, Payment, Refund};
    let registered = |receipt: FiscalReceipt| FiscalReceipt {
        document: Some("drive/7".to_owned()),
        ..with(ReceiptStatus::Registered, receipt)
    };
    let noticed =
        |of_refund, total, document| NoticedReceipt { payment: "1", of_refund, total: Some(total), document };
    // The hand-over has the sum of the payment, and the second refund that of the first.
    let closed = [registered(sent(Payment, 1_000, 0)), sent(Closing, 1_000, 9)];
    assert_eq!(meant(&closed, "bank", noticed(false, 1_000, Some("drive/7"))), Meant::Nothing);
    assert_eq!(meant(&closed, "bank", noticed(false, 1_000, Some("drive/8"))), Meant::This(&closed[1]));
    let refunded = [sent(Payment, 1_000, 0), registered(sent(Refund, 300, 5)), sent(Refund, 300, 6)];
    assert_eq!(meant(&refunded, "bank", noticed(true, 300, Some("drive/7"))), Meant::Nothing);
    assert_eq!(meant(&refunded, "bank", noticed(true, 300, Some("drive/8"))), Meant::This(&refunded[2]));
}
