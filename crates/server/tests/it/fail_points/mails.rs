//! Mails to users, and mails about payments.

use super::Subject;
use crate::support::{Customer, MailServer};
use futures_util::future::join_all;
use std::collections::HashSet;
use till_store::FailPoint;

const FROM: &str = "Till <till@pay.example>";

fn with_mail() -> (Subject, MailServer) {
    let server = MailServer::start(&[]);
    let url = server.url();
    (Subject::new(&[("TILL_SMTP_URL", &url), ("TILL_MAIL_FROM", FROM)]), server)
}

/// Checks that one mail arrived, and again only if the record that it was sent was lost.
async fn check(mut subject: Subject, server: MailServer, (point, repeated): (FailPoint, bool), queue: &str) {
    subject.wait_for_crash().await;
    let sent = 1 + usize::from(repeated);
    subject.repeat("the mail", async |_| (server.kept().len() >= sent).then_some(())).await;
    let (file, table) = queue.split_once(' ').expect("a file and a table");
    let (path, open) =
        (subject.till.file(file), format!("SELECT count(*) FROM {table} WHERE state <> 'sent'"));
    subject
        .repeat("the record", async |_| {
            let database = rusqlite::Connection::open(&path).expect("a database");
            database.query_row(&open, [], |row| row.get::<_, i64>(0)).ok().filter(|open| *open == 0)
        })
        .await;
    subject.finish();
    let kept = server.kept();
    assert_eq!(kept.len(), sent, "{point:?}: {kept:#?}");
    let ids: HashSet<String> = kept.iter().map(|mail| mail["headers"]["Message-ID"].to_string()).collect();
    assert_eq!(ids.len(), 1, "{point:?}: a reader can tell that it is the same mail");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_f28_a_mail_to_a_user_survives_a_crash_at_each_of_its_steps() {
    let points =
        [(FailPoint::MailClaimed, false), (FailPoint::MailSent, true), (FailPoint::MailRecorded, false)];
    join_all(points.map(|(point, repeated)| async move {
        let (mut subject, server) = with_mail();
        let email = "ada@shop.example";
        subject.till.json(&["user", "create", "--email", email, "--role", "operator"]);
        subject.start(Some(point));
        let forgot = async |url: &str| {
            let request = Customer::new(url).client.post(format!("{url}/panel/forgot"));
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let request = request.header("sec-fetch-site", "same-origin").body(format!("email={email}"));
            request.send().await.ok().filter(|answer| answer.status().as_u16() < 400)
        };
        subject.repeat("the request", forgot).await;
        check(subject, server, (point, repeated), "accounts.db mails").await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_f28_a_receipt_survives_a_crash_at_each_of_its_steps() {
    let points = [
        (FailPoint::ReceiptClaimed, false),
        (FailPoint::ReceiptSent, true),
        (FailPoint::ReceiptRecorded, false),
    ];
    join_all(points.map(|(point, repeated)| async move {
        let (mut subject, server) = with_mail();
        subject.start(Some(point));
        let session = subject.create("A-1", None).await;
        subject.pay(&session, "customer@mail.example").await;
        check(subject, server, (point, repeated), "live.db dispatches").await;
    }))
    .await;
}
