//! Mails: from the outbox to a real mail server, with faults on the way.

use crate::support::{Authority, MASTER_KEY, MailServer, Till};
use serde_json::Value;
use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use till::{
    checkout::pages::Language,
    workers::mail::{MailOptions, Mailer, RETRIES},
};
use till_domain::{id::MailId, time::Timestamp};
use till_service::{
    environment::Directory,
    mail::{MailSettings, MailTransport, Message, SmtpServer, parse_sender},
    vault::{MasterKey, Vault},
};
use till_store::{Clock, Durability, MailState, StoreLocation, StoredMail, Stores};

const LEASE: Duration = Duration::from_secs(30);
const MINUTE: Duration = Duration::from_secs(60);
const LINK: &str = "https://pay.example/panel/join/one-time-canary-0123456789";
const FROM: &str = "Касса Till <till@pay.example>";

fn vault() -> Vault {
    Vault::new(&MasterKey::parse(MASTER_KEY).expect("a key"))
}

/// An outbox with a clock that the test moves, and mailers for it.
struct Outbox {
    folder: TempDir,
    directory: Arc<Directory>,
    clock: Clock,
}

impl Outbox {
    /// An empty outbox, at 2026-11-15T09:30:00Z.
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Clock::manual(Timestamp::from_ms(1_794_735_000_000));
        let place = StoreLocation::Folder(folder.path().to_owned());
        let stores = Stores::open(&place, Durability::Full, Some(clock.clone())).await.expect("stores");
        let directory = Arc::new(Directory::new(Arc::new(stores.accounts)));
        Self { folder, directory, clock }
    }

    async fn queue(&self, recipient: &str) -> MailId {
        queue(self.directory.accounts(), recipient).await
    }

    /// A node's mailer for a server with this URL, with its own root certificates if given.
    fn mailer(&self, url: &str, roots: Option<&Authority>) -> Arc<Mailer> {
        let server = SmtpServer::parse(url).expect("a URL");
        let roots = roots.map(|authority| {
            let path = self.folder.path().join("roots.pem");
            fs::write(&path, authority.root_pem()).expect("written");
            path
        });
        let settings = MailSettings { server, from: parse_sender(FROM).expect("an address"), roots };
        let postman = Arc::new(MailTransport::new(&settings).expect("a postman"));
        let options = MailOptions { retries: RETRIES.to_vec(), lease: LEASE };
        Mailer::new(Arc::clone(&self.directory), Arc::new(vault()), postman, options)
    }

    async fn mail(&self, id: MailId) -> StoredMail {
        self.directory.accounts().mail(id).await.expect("a read").expect("a mail")
    }
}

async fn queue(accounts: &till_store::Accounts, recipient: &str) -> MailId {
    let now = accounts.now();
    let message = Message::Invitation { link: LINK, invited_by: "Анна", valid_until: now.plus(MINUTE) };
    let mail = message.compose(&vault(), now, recipient, Language::Russian).expect("a mail");
    let id = mail.id;
    accounts.queue_mail(mail).await.expect("queued");
    id
}

async fn pass(mailer: &Mailer) {
    mailer.pass().await.expect("a pass");
}

#[tokio::test]
async fn needs_smtp_a_mail_arrives_with_its_headers_and_its_text() {
    let (server, admin) = (MailServer::start(&[]), Outbox::new().await);
    let mailer = admin.mailer(&server.url(), None);
    let id = admin.queue("user+tag@shop.example").await;
    pass(&mailer).await;
    let [mail] = server.kept().try_into().expect("one mail");
    let header = |name: &str| mail["headers"][name].as_str().unwrap_or_else(|| panic!("{name}: {mail}"));
    assert_eq!(header("subject"), "Приглашение в Till");
    assert_eq!(header("from"), FROM);
    assert_eq!(header("to"), "user+tag@shop.example");
    assert_eq!(header("message-id"), format!("<{id}@pay.example>"));
    assert_eq!(header("date"), "Sun, 15 Nov 2026 09:30:00 +0000");
    assert_eq!(header("auto-submitted"), "auto-generated");
    assert_eq!(header("mime-version"), "1.0");
    assert!(header("content-type").starts_with("text/plain"), "{mail}");
    let names = mail["names"].as_array().expect("names").len();
    assert_eq!(names, 9, "each once, and no other: {}", mail["names"]);
    assert_eq!((&mail["charset"], &mail["ascii"]), (&Value::from("utf-8"), &Value::Bool(true)));
    let body = mail["body"].as_str().expect("a text");
    assert!(body.contains("Анна приглашает вас") && body.lines().any(|line| line == LINK), "{body}");
    assert_eq!(mail["envelope_from"], "till@pay.example");
    assert_eq!(
        (&mail["envelope_to"][0], &mail["helo"]),
        (&"user+tag@shop.example".into(), &"pay.example".into())
    );
    let stored = admin.mail(id).await;
    assert_eq!((stored.state, stored.attempts), (MailState::Sent, 1));
    pass(&mailer).await;
    assert_eq!(server.kept().len(), 1);
}

#[tokio::test]
async fn needs_smtp_a_server_that_is_down_gets_the_mail_when_it_is_up() {
    let admin = Outbox::new().await;
    let port = MailServer::start(&[]).port;
    let mailer = admin.mailer(&format!("smtp://127.0.0.1:{port}?tls=none"), None);
    let id = admin.queue("user@shop.example").await;
    for (attempt, pause) in RETRIES.iter().take(3).enumerate() {
        pass(&mailer).await;
        let waiting = admin.mail(id).await;
        assert_eq!((waiting.state, waiting.attempts as usize), (MailState::Queued, attempt + 1));
        assert_eq!(waiting.last_error.as_deref(), Some("connect"));
        assert_eq!(waiting.due_at, Some(admin.clock.now().plus(*pause)));
        admin.clock.advance(*pause - Duration::from_millis(1));
        pass(&mailer).await;
        assert_eq!(admin.mail(id).await.attempts as usize, attempt + 1, "not before its time");
        admin.clock.advance(Duration::from_millis(1));
    }
    let server = MailServer::start_at(port, &[]);
    pass(&mailer).await;
    assert_eq!((server.kept().len(), admin.mail(id).await.state), (1, MailState::Sent));
}

#[tokio::test]
async fn needs_smtp_what_is_refused_for_good_is_not_tried_again_and_what_is_deferred_is_for_a_day() {
    let (server, admin) = (MailServer::start(&[]), Outbox::new().await);
    let mailer = admin.mailer(&server.url(), None);
    let (nobody, later) = (admin.queue("nobody@shop.example").await, admin.queue("later@shop.example").await);
    pass(&mailer).await;
    let refused = admin.mail(nobody).await;
    assert_eq!((refused.state, refused.attempts), (MailState::Failed, 1));
    assert_eq!(refused.last_error.as_deref(), Some("refused"));
    let began = admin.clock.now();
    while admin.mail(later).await.state == MailState::Queued {
        admin.clock.advance(MINUTE);
        pass(&mailer).await;
    }
    let given_up = admin.mail(later).await;
    assert_eq!((given_up.state, given_up.attempts), (MailState::Failed, 9));
    assert_eq!(given_up.last_error.as_deref(), Some("deferred"));
    let hours = admin.clock.now().since(began).as_secs() / 3600;
    assert!((23..=25).contains(&hours), "{hours} hours");
    assert_eq!(server.kept().len(), 0);
    let counts = admin.directory.accounts().count_mails().await.expect("a read");
    assert_eq!((counts.queued, counts.failed), (0, 2));
    for name in ["accounts.db", "accounts.db-wal"] {
        let bytes = fs::read(admin.folder.path().join(name)).expect("a file");
        assert!(!holds(&bytes, "CANARY-of-the-server"), "a server's words are not kept");
    }
}

#[tokio::test]
async fn needs_smtp_mails_go_only_to_a_server_with_a_trusted_certificate() {
    let admin = Outbox::new().await;
    let [right, wrong] = [Authority::new(), Authority::new()];
    let (cert, key) = right.issue(30);
    let [cert_file, key_file] = ["cert.pem", "key.pem"].map(|name| admin.folder.path().join(name));
    fs::write(&cert_file, cert).expect("written");
    fs::write(&key_file, key).expect("written");
    let files = ["--cert", cert_file.to_str().expect("text"), "--key", key_file.to_str().expect("text")];
    let implicit = MailServer::start(&[&files[..], &["--implicit"]].concat());
    let starttls = MailServer::start(&files);
    let clear = MailServer::start(&[]);
    for (server, scheme, roots, arrives, told) in [
        (&implicit, "smtps", Some(&right), true, None),
        (&implicit, "smtps", Some(&wrong), false, Some("tls")),
        (&implicit, "smtps", None, false, Some("tls")),
        (&starttls, "smtp", Some(&right), true, None),
        (&starttls, "smtp", Some(&wrong), false, Some("tls")),
        (&clear, "smtp", Some(&right), false, Some("protocol")),
    ] {
        let before = server.kept().len();
        let mailer = admin.mailer(&format!("{scheme}://127.0.0.1:{}", server.port), roots);
        let id = admin.queue("user@shop.example").await;
        pass(&mailer).await;
        let stored = admin.mail(id).await;
        assert_eq!(stored.state == MailState::Sent, arrives, "{scheme} {stored:?}");
        assert_eq!(stored.last_error.as_deref(), told, "{scheme}");
        let kept = server.kept();
        assert_eq!(kept.len() - before, usize::from(arrives));
        assert!(kept.iter().all(|mail| mail["tls"] == true));
        // So that the next mailer does not find it.
        admin.clock.advance(LEASE);
        let taken = admin.directory.accounts().take_mails(10, LEASE * 100_000).await.expect("taken").0;
        assert!(taken.len() <= 1);
    }
}

#[tokio::test]
async fn needs_smtp_a_wrong_password_is_corrected_by_the_operator_and_loses_no_mail() {
    let (server, admin) = (MailServer::start(&["--login", "till:right"]), Outbox::new().await);
    let id = admin.queue("user@shop.example").await;
    let url = |password: &str| format!("smtp://till:{password}@127.0.0.1:{}?tls=none", server.port);
    pass(&admin.mailer(&url("wrong"), None)).await;
    let waiting = admin.mail(id).await;
    assert_eq!((waiting.state, waiting.last_error.as_deref()), (MailState::Queued, Some("login")));
    admin.clock.advance(RETRIES[0]);
    pass(&admin.mailer(&url("right"), None)).await;
    assert_eq!((server.kept().len(), admin.mail(id).await.state), (1, MailState::Sent));
}

#[tokio::test]
async fn needs_smtp_p6_mailers_of_many_nodes_send_each_mail_once() {
    let (server, admin) = (MailServer::start(&[]), Outbox::new().await);
    for number in 0..20 {
        admin.queue(&format!("user{number}@shop.example")).await;
    }
    let mailers: Vec<_> = (0..4).map(|_| admin.mailer(&server.url(), None)).collect();
    let mut nodes = tokio::task::JoinSet::new();
    for mailer in mailers {
        nodes.spawn(async move { while mailer.pass().await.expect("a pass").is_zero() {} });
    }
    nodes.join_all().await;
    let mut recipients: Vec<String> = server.kept().iter().map(|m| m["envelope_to"][0].to_string()).collect();
    recipients.sort();
    recipients.dedup();
    assert_eq!((recipients.len(), server.kept().len()), (20, 20));
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < give_up, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn needs_smtp_a_node_killed_while_it_sends_is_replaced_after_its_lease_and_the_link_is_nowhere() {
    let hanging = MailServer::start(&["--hang"]);
    let port = hanging.port;
    let mut till = Till::new();
    till.set("TILL_SMTP_URL", &hanging.url()).set("TILL_MAIL_FROM", FROM);
    let node = till.serve();
    let place = StoreLocation::Folder(till.folder().to_owned());
    let stores = Stores::open(&place, Durability::Full, None).await.expect("stores");
    let id = queue(&stores.accounts, "user@shop.example").await;
    until("it is being sent", || hanging.kept().len() == 1).await;
    let taken = stores.accounts.mail(id).await.expect("a read").expect("a mail");
    assert_eq!((taken.state, taken.attempts), (MailState::Queued, 1));
    for entry in fs::read_dir(till.folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        assert!(!holds(&bytes, "one-time-canary"), "{} has the link", path.display());
    }
    assert!(!node.log().contains("one-time-canary") && !node.log().contains("user@shop.example"));
    node.kill();
    let first = hanging.kept()[0]["headers"]["message-id"].clone();
    drop(hanging);

    let server = MailServer::start_at(port, &[]);
    let node = till.serve();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(server.kept().len(), 0, "the lease of the dead node still holds");
    // As if the rest of the lease had passed.
    let shell = rusqlite::Connection::open(till.file("accounts.db")).expect("a shell");
    assert_eq!(shell.execute("UPDATE mails SET due_at = due_at - 30000", []).expect("written"), 1);
    until("it is sent again", || node.log().contains("was sent")).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let [again] = server.kept().try_into().expect("once");
    assert_eq!(again["headers"]["message-id"], first, "a second copy can be recognised");
    let sent = stores.accounts.mail(id).await.expect("a read").expect("a mail");
    assert_eq!((sent.state, sent.attempts), (MailState::Sent, 2));
}

#[tokio::test]
async fn needs_smtp_t37_no_mail_is_sent_while_the_service_is_on_hold() {
    let server = MailServer::start(&[]);
    let mut till = Till::new();
    till.set("TILL_SMTP_URL", &server.url()).set("TILL_MAIL_FROM", FROM);
    till.vendor();
    till.json(&["hold", "--yes"]);
    let node = till.serve();
    let place = StoreLocation::Folder(till.folder().to_owned());
    let stores = Stores::open(&place, Durability::Full, None).await.expect("stores");
    queue(&stores.accounts, "user@shop.example").await;
    // Longer than the worker pauses.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(server.kept().len(), 0);
    let released = till.json(&["release", "--yes"]);
    assert!(released.to_string().contains("\"mails\""), "{released}");
    until("it is sent", || node.log().contains("was sent")).await;
    assert_eq!(server.kept().len(), 1);
}

#[test]
fn needs_smtp_the_doctor_says_what_is_wrong_with_the_mail_server() {
    let server = MailServer::start(&["--login", "till:right"]);
    let address = format!("127.0.0.1:{}", server.port);
    for (url, verdict, told) in [
        (format!("smtp://till:right@{address}?tls=none"), "ok", format!("{address} accepts email")),
        (format!("smtp://till:wrongly@{address}?tls=none"), "failed", "(login)".to_owned()),
        (format!("smtp://till:right@{address}"), "failed", "STARTTLS is not supported".to_owned()),
        (format!("smtps://till:right@{address}"), "failed", "TILL_SMTP_URL".to_owned()),
        ("smtp://127.0.0.1:1?tls=none".to_owned(), "failed", "(connect)".to_owned()),
    ] {
        let mut till = Till::new();
        till.set("TILL_SMTP_URL", &url).set("TILL_MAIL_FROM", FROM);
        let output = till.run(&["doctor", "--json"]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(!text.contains("wrongly"), "no password: {text}");
        let diagnosis: Value = serde_json::from_str(&text).expect("JSON");
        let checks = diagnosis["checks"].as_array().expect("checks");
        let check = checks.iter().find(|check| check["name"] == "mail").expect("the check");
        assert_eq!(check["verdict"], verdict, "{url}: {check}");
        assert!(check["message"].as_str().is_some_and(|message| message.contains(&told)), "{url}: {check}");
    }
}

#[test]
fn roots_for_the_mail_server_that_cannot_be_read_stop_the_start() {
    let mut till = Till::new();
    let roots = till.file("none.pem").display().to_string();
    till.set("TILL_SMTP_URL", "smtps://mail.example")
        .set("TILL_MAIL_FROM", FROM)
        .set("TILL_SMTP_ROOTS", &roots);
    let told = till.refusal();
    assert!(told.contains("TILL_SMTP_ROOTS cannot be used") && told.contains("PEM file"), "{told}");
}
