//! Mails: queued, claimed by one node at a time, and never lost or ended twice.

use crate::fixture::{Backend, Kind, minutes, on_both_engines, start};
use std::{sync::Arc, time::Duration};
use till_domain::id::MailId;
use till_store::{Accounts, DueMail, MailCounts, MailEnd, MailState, NewMail, StoredMail};

const LEASE: Duration = Duration::from_secs(30);

fn mail_id(number: u8) -> MailId {
    MailId::new(start(), &[number; 10])
}

async fn queue(accounts: &Accounts, number: u8) {
    let mail = NewMail {
        id: mail_id(number),
        recipient: format!("user{number}@shop.example"),
        subject: "Приглашение 🧾".to_owned(),
        body_sealed: vec![0, 0xff, number],
        kind: "invitation",
    };
    accounts.queue_mail(mail).await.expect("queued");
}

async fn take(accounts: &Accounts) -> Vec<DueMail> {
    accounts.take_mails(10, LEASE).await.expect("an answer").0
}

async fn stored(accounts: &Accounts, number: u8) -> StoredMail {
    accounts.mail(mail_id(number)).await.expect("a read").expect("a mail")
}

async fn a_mail_is_taken_as_it_was_queued(kind: Kind) {
    let backend = Backend::new(kind).await;
    queue(&backend.stores.accounts, 1).await;
    let backend = backend.reopen().await;
    let accounts = &backend.stores.accounts;
    assert_eq!(accounts.next_mail_due().await.expect("a read"), Some(start()));
    let expected = DueMail {
        id: mail_id(1),
        recipient: "user1@shop.example".to_owned(),
        subject: "Приглашение 🧾".to_owned(),
        body_sealed: vec![0, 0xff, 1],
        kind: "invitation".to_owned(),
        created_at: start(),
        attempts: 1,
        fence: 1,
    };
    assert_eq!(take(accounts).await, [expected]);
    assert_eq!(accounts.count_mails().await.expect("a read"), MailCounts { queued: 1, failed: 0 });
}

async fn a_mail_that_nobody_reports_on_is_taken_again_when_its_lease_ends(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    queue(accounts, 1).await;
    let [first] = take(accounts).await.try_into().expect("one");
    assert_eq!(take(accounts).await, [], "it is taken");
    backend.later(LEASE - Duration::from_millis(1));
    assert_eq!(take(accounts).await, []);
    backend.later(Duration::from_millis(1));
    let [second] = take(accounts).await.try_into().expect("one");
    assert_eq!((second.fence, second.attempts), (2, 2));
    let failed = MailEnd::Failed { error: "refused" };
    assert!(!accounts.end_mail(&first, failed).await.expect("an answer"), "it was replaced");
    assert!(accounts.end_mail(&second, MailEnd::Sent).await.expect("an answer"));
    assert!(!accounts.end_mail(&second, failed).await.expect("an answer"), "it has ended");
    assert_eq!(stored(accounts, 1).await.state, MailState::Sent);
    backend.later(minutes(60));
    assert_eq!(take(accounts).await, []);
}

async fn a_mail_is_tried_again_when_its_time_has_come_and_then_given_up(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    queue(accounts, 1).await;
    let [mail] = take(accounts).await.try_into().expect("one");
    let due_at = start().plus(minutes(5));
    let again = MailEnd::Again { due_at, error: "connect" };
    assert!(accounts.end_mail(&mail, again).await.expect("an answer"));
    let waiting = stored(accounts, 1).await;
    assert_eq!((waiting.due_at, waiting.last_error.as_deref()), (Some(due_at), Some("connect")));
    backend.later(minutes(4));
    assert_eq!(take(accounts).await, []);
    let now = backend.later(minutes(1));
    let [mail] = take(accounts).await.try_into().expect("one");
    assert_eq!(mail.attempts, 2);
    assert!(accounts.end_mail(&mail, MailEnd::Failed { error: "refused" }).await.expect("an answer"));
    let given_up = stored(accounts, 1).await;
    assert_eq!((given_up.state, given_up.ended_at), (MailState::Failed, Some(now)));
    assert_eq!((given_up.due_at, given_up.last_error.as_deref()), (None, Some("refused")));
    assert_eq!(accounts.count_mails().await.expect("a read"), MailCounts { queued: 0, failed: 1 });
    accounts.forget_mails(now).await.expect("a write");
    assert_eq!(accounts.count_mails().await.expect("a read").failed, 1, "not yet");
    queue(accounts, 2).await;
    accounts.forget_mails(now.plus(minutes(1))).await.expect("a write");
    assert_eq!(accounts.count_mails().await.expect("a read"), MailCounts { queued: 1, failed: 0 });
}

async fn the_text_of_a_mail_is_gone_once_it_has_ended(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    let shell = backend.shell("accounts").await;
    for (number, end) in [(1, MailEnd::Sent), (2, MailEnd::Failed { error: "refused" })] {
        queue(accounts, number).await;
        let [mail] = take(accounts).await.try_into().expect("one");
        accounts.end_mail(&mail, end).await.expect("an answer");
    }
    assert_eq!(shell.rows("mails WHERE body_sealed IS NOT NULL").await, Vec::<Vec<String>>::new());
    assert_eq!(shell.rows("mails").await.len(), 2);
}

async fn p6_of_8_that_take_at_once_one_gets_each_mail(kind: Kind) {
    let backend = Backend::new(kind).await;
    for number in 1..=10 {
        queue(&backend.stores.accounts, number).await;
    }
    let mut takers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let stores = Arc::clone(&backend.stores);
        takers.spawn(async move { take(&stores.accounts).await });
    }
    let mut taken: Vec<MailId> = takers.join_all().await.into_iter().flatten().map(|mail| mail.id).collect();
    taken.sort();
    assert_eq!(taken, (1..=10).map(mail_id).collect::<Vec<_>>());
}

on_both_engines!(
    a_mail_is_taken_as_it_was_queued,
    a_mail_that_nobody_reports_on_is_taken_again_when_its_lease_ends,
    a_mail_is_tried_again_when_its_time_has_come_and_then_given_up,
    the_text_of_a_mail_is_gone_once_it_has_ended,
    p6_of_8_that_take_at_once_one_gets_each_mail,
);
