//! Findings at a provider: entered once even if several nodes hear of one, booked so that no money is lost or
//! counted twice, and protected against a database shell.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, start},
    refunds,
    verify::wrong,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::Quantity,
    change::{Change, Guard},
    finding::{self, Dispute, DisputeState, Finding},
    id::EntryId,
    ledger::{self, Account, EntryKind},
    money::{Currency, Money},
    refund::{self, Refund, RefundFacts, RefundSeen, SilenceAction, TotalVersion},
    session::Session,
    transaction::{Action, ActionKind, Resolution, Transaction},
};
use till_store::{ActionFilter, Committed, Payments};
use tokio::{sync::Barrier, task::JoinSet};

fn money(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("RUB").expect("a currency") }
}

async fn balance(payments: &Payments, shop: &Shop, account: Account) -> i64 {
    let all = payments.ledger().expect("books").balances(shop.vendor.id).await.expect("balances");
    all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
}

async fn payment_of(payments: &Payments, session: &Session) -> Transaction {
    payments.transactions_of(session.id).await.expect("a read").remove(0)
}

async fn only_action(payments: &Payments, session: &Session) -> Action {
    let mut all = payments.actions_of(session.id).await.expect("a read");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).action
}

fn resolve(action: &Action, resolution: Resolution) -> Change {
    Change::ResolveAction { id: action.id, resolution, at: start(), by: "ann".to_owned() }
}

async fn a_finding_is_entered_once_whoever_hears_of_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let payment = payment_of(live, &session).await;
    let note = "<script>alert(1)</script> 'quoted' \u{202e} 49.90 RUB";
    let finding = Finding::new("bank:du_1", note, Some(money(4_990)));
    let barrier = Arc::new(Barrier::new(8));
    let mut hearers = JoinSet::new();
    for number in 0..8 {
        let stores = backend.again().await;
        let changes = finding::disputed(finding.clone(), &payment, start(), event_id(100 + number));
        let barrier = Arc::clone(&barrier);
        hearers.spawn(async move {
            barrier.wait().await;
            stores.live.commit(&changes).await.expect("a commit")
        });
    }
    let heard = hearers.join_all().await;
    let entered = heard.iter().filter(|committed| **committed == Committed::Done).count();
    assert_eq!((entered, heard.len()), (1, 8), "{heard:?}");
    assert!(heard.iter().all(|c| matches!(c, Committed::Done | Committed::Lost(Guard::Found))), "{heard:?}");
    let action = only_action(live, &session).await;
    assert_eq!((action.kind, &action.finding), (ActionKind::Disputed, &Some(finding.clone())));
    assert_eq!(live.action_about("bank:du_1").await.expect("a read").map(|a| a.action.id), Some(action.id));
    assert_eq!(live.action_about("bank:du_2").await.expect("a read"), None);
    // It is not entered again after it was decided either.
    commit(live, &[resolve(&action, Resolution::Dismiss)]).await;
    let again = finding::disputed(finding, &payment, start(), event_id(200));
    assert_eq!(live.commit(&again).await.expect("a commit"), Committed::Lost(Guard::Found));
    assert_eq!(wrong(&backend.stores).await, [""; 0]);

    // A payment that is unknown here has no session, and is entered once too.
    let unknown = Finding::new("bank:pay_9:unknown", "12.00 RUB", None);
    for (number, expected) in [(300, Committed::Done), (301, Committed::Lost(Guard::Found))] {
        let changes = finding::differs(unknown.clone(), None, start(), event_id(number));
        assert_eq!(live.commit(&changes).await.expect("a commit"), expected);
    }
    let open = live.actions(&ActionFilter::default(), 9).await.expect("a read");
    assert_eq!(open.len(), 1);
    assert_eq!((open[0].action.session, open[0].action.vendor), (None, None));
    assert_eq!(open[0].action.choices(), [Resolution::Dismiss]);
    commit(live, &[resolve(&open[0].action, Resolution::Dismiss)]).await;
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

async fn what_was_found_is_closed_to_a_shell(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let payment = payment_of(live, &session).await;
    let finding = Finding::new("bank:du_1", "49.90 RUB", Some(money(4_990)));
    commit(live, &finding::disputed(finding, &payment, start(), event_id(100))).await;
    let shell = backend.shell("live").await;
    for column in [
        "subject = 'bank:du_2'",
        "amount_minor = 1",
        "currency = 'USD'",
        "session_id = NULL",
        "vendor_id = NULL",
        "kind = 'difference'",
    ] {
        let refused = shell.run(&format!("UPDATE actions SET {column}")).await.expect_err(column);
        let said = refused.contains("cannot be changed") || refused.contains("stays decided");
        assert!(said, "{column}: {refused}");
    }
    let row = |kind: &str, subject: &str, session: &str| {
        format!(
            "INSERT INTO actions (id, kind, session_id, vendor_id, created_at, subject, note)
             SELECT {}, '{kind}', {session}, CASE WHEN {session} IS NULL THEN NULL ELSE vendor_id END, 1, {subject},
                {subject} FROM actions",
            crate::shell::bytes(&[7; 16])
        )
    };
    for (what, kind, subject, session) in [
        ("a finding without a name", "disputed", "NULL", "session_id"),
        ("a name without a finding", "late", "'bank:other'", "session_id"),
        ("a dispute of nobody", "disputed", "'bank:other'", "NULL"),
        ("a word that is none", "gift", "'bank:other'", "session_id"),
    ] {
        shell.run(&row(kind, subject, session)).await.expect_err(what);
    }
    if shell.is_embedded() {
        // REPLACE would remove the existing row with that subject.
        let replace = row("disputed", "'bank:du_1'", "session_id").replace("INSERT", "INSERT OR REPLACE");
        assert_eq!(shell.run(&replace).await, Ok(0));
    }
    assert_eq!(only_action(live, &session).await.id, event_id(100).into());
}

/// A session of 49.90 of which 10.00 was refunded, and the refund was returned to the provider.
async fn lost(payments: &Payments, shop: &Shop, number: u64) -> (Session, Refund, Action) {
    let session = refunds::paid(payments, shop, number).await;
    let payment = payment_of(payments, &session).await;
    let (refund, changes) =
        refunds::ask(payments, shop, &session, "10.00", 50 + number).await.expect("covered");
    commit(payments, &changes).await;
    let word = RefundSeen::Succeeded { reference: format!("re_{number}") };
    let when = (150 + number, start().plus(Duration::from_secs(3)));
    refunds::end_at(payments, shop, &session, &refund, word, when).await;
    let finding = Finding::new(&format!("bank:re_{number}"), "closed card", Some(refund.amount));
    let changes = finding::refund_lost(finding, &refund, &payment, start(), event_id(250 + number));
    commit(payments, &changes).await;
    let again = finding::refund_lost(
        Finding::new(&format!("bank:re_{number}"), "closed card", None),
        &refund,
        &payment,
        start(),
        event_id(350 + number),
    );
    assert_eq!(payments.commit(&again).await.expect("a commit"), Committed::Lost(Guard::Found));
    let action = only_action(payments, &session).await;
    (session, refund, action)
}

async fn decide(payments: &Payments, action: &Action, resolution: Resolution) {
    let books = payments.ledger().expect("books");
    let transaction = action.transaction.expect("money");
    let held = books.entry_of(EntryKind::Suspense, transaction.into()).await.expect("a read");
    let id = EntryId::from_bytes(<[u8; 16]>::from(action.id)).beside();
    let entry = ledger::decide(&held.expect("held").entry, (resolution, true), action.id, id, start())
        .expect("moved");
    commit(payments, &[resolve(action, resolution), Change::PostEntry(Box::new(entry))]).await;
}

async fn i8_money_that_came_back_is_counted_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let (session, _, action) = lost(live, &shop, 1).await;
    assert_eq!(action.choices(), [Resolution::Refund, Resolution::Accept]);
    assert_eq!(
        balance(live, &shop, Account::Clearing("bank".to_owned())).await,
        -4_990,
        "all is there again"
    );
    assert_eq!(balance(live, &shop, Account::Suspense).await, 1_000);
    assert_eq!(balance(live, &shop, Account::Available).await, 3_990);
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
    // Until the operator decides, no more can be refunded than before.
    let more = refunds::ask(live, &shop, &session, "39.91", 60).await.expect_err("more than is left");
    assert_eq!(more.code(), "amount_too_large");
    decide(live, &action, Resolution::Accept).await;
    assert_eq!(balance(live, &shop, Account::Suspense).await, 0);
    assert_eq!(balance(live, &shop, Account::Available).await, 4_990);
    let (refund, changes) = refunds::ask(live, &shop, &session, "49.90", 61).await.expect("all of it");
    commit(live, &changes).await;
    assert_eq!((refund.amount.minor, balance(live, &shop, Account::Available).await), (4_990, 0));
    assert_eq!(wrong(&backend.stores).await, [""; 0]);

    // If the operator refunds it by hand, it leaves suspense for good.
    let (_, _, action) = lost(live, &shop, 2).await;
    decide(live, &action, Resolution::Refund).await;
    assert_eq!(balance(live, &shop, Account::Suspense).await, 0);
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

async fn i8_what_a_bank_demands_back_is_borne_once_and_not_refunded_too(kind: Kind) {
    for (resolution, account) in
        [(Resolution::Charge, Account::Available), (Resolution::Absorb, Account::Losses)]
    {
        let backend = Backend::new(kind).await;
        let (live, shop) = (&backend.stores.live, refunds::shop());
        let session = refunds::paid(live, &shop, 1).await;
        let payment = payment_of(live, &session).await;
        let demanded = Quantity::from(money(4_000));
        let worth = finding::worth(&demanded, &payment);
        assert_eq!(worth, Some(money(4_000)));
        let finding = Finding::new("bank:du_1", "fraudulent", worth);
        commit(live, &finding::disputed(finding, &payment, start(), event_id(100))).await;
        let action = only_action(live, &session).await;
        assert_eq!(balance(live, &shop, Account::Suspense).await, 0, "it may be won");
        assert_eq!(wrong(&backend.stores).await, [""; 0]);
        let before = balance(live, &shop, account.clone()).await;
        let borne = finding::bear(&action, &payment, resolution, start(), event_id(400)).expect("moved");
        assert_eq!(borne.entry.amount_on(&account), money(-4_000));
        let changes: Vec<_> = [resolve(&action, resolution)].into_iter().chain(borne.changes).collect();
        commit(live, &changes).await;
        let twice = finding::bear(&action, &payment, resolution, start(), event_id(401)).expect("moved");
        let changes: Vec<_> = [resolve(&action, resolution)].into_iter().chain(twice.changes).collect();
        assert_eq!(live.commit(&changes).await.expect("a commit"), Committed::Lost(Guard::Resolved));
        assert_eq!(balance(live, &shop, Account::Clearing("bank".to_owned())).await, -990);
        assert_eq!(balance(live, &shop, account).await, before - 4_000);
        assert_eq!(balance(live, &shop, Account::Suspense).await, 0);
        assert_eq!(wrong(&backend.stores).await, [""; 0]);
        let refused = refunds::ask(live, &shop, &session, "9.91", 60).await.expect_err("more than is left");
        assert_eq!(refused.code(), "amount_too_large");
        // A decision without its ledger entry is found.
        let shell = backend.shell("live").await;
        crate::verify::take_all_rights(&shell).await;
        let nowhere = crate::shell::bytes(&[0xfe; 16]);
        let edit = format!("UPDATE entries SET cause = {nowhere} WHERE kind IN ('charged', 'absorbed')");
        assert_eq!(shell.run(&edit).await, Ok(1));
        assert_eq!(wrong(&backend.stores).await, ["every decision moved its money once (I8)"]);
    }
}

async fn l3_the_note_of_an_open_dispute_follows_what_the_provider_says(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let payment = payment_of(live, &session).await;
    let dispute = Dispute {
        id: "du_1".to_owned(),
        payment: Some(payment.reference.clone()),
        amount: payment.received.clone(),
        reason: "fraudulent".to_owned(),
        state: DisputeState::NeedsResponse,
        status: "needs_response".to_owned(),
        answer_by: None,
    };
    let entered = finding::enter_dispute(&dispute, &payment, None, start(), event_id(100));
    commit(live, &entered.expect("something to decide")).await;
    let open = only_action(live, &session).await;
    assert!(finding::dispute_news(&open, &dispute, &payment).is_none());
    let won = Dispute { state: DisputeState::Won, status: "won".to_owned(), ..dispute };
    let news = finding::dispute_news(&open, &won, &payment).expect("news");
    commit(live, std::slice::from_ref(&news)).await;
    let noted = only_action(live, &session).await;
    let note = noted.finding.as_ref().map(|finding| finding.note.as_str());
    let expected =
        format!("{} calls it du_1: 49.90 RUB, fraudulent, won; closed without a loss", payment.provider);
    assert_eq!(note, Some(expected.as_str()));
    assert_eq!(Action { finding: open.finding.clone(), ..noted.clone() }, open, "nothing else has changed");
    commit(live, &[resolve(&noted, Resolution::Dismiss)]).await;
    let late = live.commit(&[news]).await.expect("an answer");
    assert_eq!(late, Committed::Lost(Guard::Resolved), "what was decided stays as it was then");
    let shell = backend.shell("live").await;
    assert!(shell.run("UPDATE actions SET note = 'another'").await.is_err());
    assert_eq!(wrong(&backend.stores).await, [] as [String; 0]);
}

async fn l12_an_operator_is_notified_once_of_a_refund_that_nobody_answers_about(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let (asked, changes) = refunds::ask(live, &shop, &session, "10.00", 50).await.expect("it is covered");
    commit(live, &changes).await;
    let (mut silent, hour) = (asked, Duration::from_secs(60 * 60));
    for number in 0..=25 {
        let (claimed, claim) = refund::claim(&silent, start().plus(hour * number), hour);
        commit(live, &[claim]).await;
        let told = live.action_about(&claimed.silence_subject()).await.expect("a read");
        let told = told.map(|told| SilenceAction { action: told.action.id, open: told.decided.is_none() });
        assert_eq!(told.is_some(), number == 25, "after 24 hours");
        let scene = refunds::scene(&claimed, &session, &shop, told, start().plus(hour * number));
        commit(live, &refund::unanswered(&scene).changes).await;
        let read = live.refunds().refund(claimed.id).await.expect("a read");
        silent = read.expect("the refund");
        assert_eq!(silent.silent_since, Some(start()));
    }
    let action = only_action(live, &session).await;
    assert_eq!((action.kind, action.amount()), (ActionKind::Difference, Some(money(1_000))));
    let (claimed, claim) = refund::claim(&silent, start().plus(hour * 26), hour);
    commit(live, &[claim]).await;
    let told = Some(SilenceAction { action: action.id, open: true });
    let scene = refunds::scene(&claimed, &session, &shop, told, start().plus(hour * 26));
    let wallet = live.ledger().expect("books").wallet(claimed.vendor, claimed.amount.currency).await;
    let scene = RefundFacts { version: TotalVersion::Wallet(wallet.expect("a wallet").version), ..scene };
    let done = refund::observe(&scene, RefundSeen::Succeeded { reference: "re_1".to_owned() });
    assert_eq!(done.refund.silent_since, None);
    commit(live, &done.changes).await;
    let stored = live.action(action.id).await.expect("a read").expect("the action");
    assert!(
        matches!(&stored.decided, Some((Resolution::Dismiss, _, by)) if by == "system"),
        "the provider has answered after all: {stored:?}"
    );
    assert_eq!(wrong(&backend.stores).await, [] as [String; 0]);
}

on_both_engines!(
    l3_the_note_of_an_open_dispute_follows_what_the_provider_says,
    l12_an_operator_is_notified_once_of_a_refund_that_nobody_answers_about,
    a_finding_is_entered_once_whoever_hears_of_it,
    what_was_found_is_closed_to_a_shell,
    i8_money_that_came_back_is_counted_once,
    i8_what_a_bank_demands_back_is_borne_once_and_not_refunded_too,
);
