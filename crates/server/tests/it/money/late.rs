//! Automatic refunds of late money, where the operator enables them.

use crate::{
    panel::detail::texts,
    support::{Customer, Nodes, Server, Shop, until},
};
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    ledger::Account,
    refund::RefundState,
    session::State,
    transaction::{ActionKind, Resolution},
    user::Role,
};
use till_store::{ActionFilter, AuditFilter, RefundFilter, StoredAction};

const MINUTE: Duration = Duration::from_secs(60);
const ON: (&str, &str) = ("TILL_REFUND_LATE", "on");

/// A session of 4990.00 RUB that was paid after its end, and its attempt's id.
async fn late(server: &Server) -> (till_domain::id::VendorId, String) {
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    server.later(60 * MINUTE);
    until("it expires", async || server.session(&id).await.state == State::Expired).await;
    let attempt = server.attempts(&id).await[0].id.to_string();
    server.customer().decide(&attempt, "pay_exact").await;
    let session = server.session(&id).await.id;
    for _ in 0..100 {
        if !server.live.store.transactions_of(session).await.expect("a read").is_empty() {
            return (vendor.id, id);
        }
        server.later(MINUTE);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it was never seen");
}

async fn actions(server: &Server) -> Vec<StoredAction> {
    let all = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
    server.live.store.actions(&all, 10).await.expect("a read")
}

async fn refund_states(server: &Server) -> Vec<RefundState> {
    let refunds = server.live.store.refunds();
    let all = refunds.list(&RefundFilter::default(), 10).await.expect("a read");
    all.into_iter().map(|refund| refund.state).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_money_waits_for_a_person_until_the_operator_lets_it_go_back_by_itself() {
    let server = Server::start().await;
    let (vendor, _) = late(&server).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(actions(&server).await[0].decided.is_none() && refund_states(&server).await.is_empty());
    // The refund is not part of the commit of the customer's payment: a service that starts finds waiting
    // money.
    let server = server.restart_with(&[ON]).await;
    until("it goes back", async || {
        server.later(Duration::from_secs(1));
        refund_states(&server).await == [RefundState::Succeeded]
    })
    .await;
    let decided = actions(&server).await;
    let [only] = &decided[..] else { panic!("one decision: {decided:?}") };
    assert_eq!(only.action.kind, ActionKind::Late);
    assert!(matches!(&only.decided, Some((Resolution::Refund, _, by)) if by == "system"), "{only:?}");
    let books = server.live.store.ledger().expect("books");
    let balances = books.balances(vendor).await.expect("balances");
    let of = |account: Account| balances.iter().find(|b| b.account == account).map_or(0, |b| b.amount.minor);
    let clearing = Account::Clearing("simulator".to_owned());
    assert_eq!([of(Account::Suspense), of(Account::Refunds), of(clearing)], [0, 0, 0]);
    let lines = server.accounts.audit(&AuditFilter { limit: 20, ..AuditFilter::default() }).await;
    let lines = lines.expect("a read");
    let lines: Vec<_> = lines.iter().filter(|line| line.event == AuditEvent::ActionResolved).collect();
    assert_eq!((lines.len(), lines[0].actor.name.as_str()), (1, "system"));
    let verified = server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
    assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_came_late_goes_back_by_itself() {
    let server = Server::with(&[ON, ("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    server.customer().decide(&attempt, "pay_over").await;
    server.later(Duration::from_secs(30));
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let left = actions(&server).await;
    assert_eq!((left[0].action.kind, left[0].decided.is_none()), (ActionKind::Surplus, true));
    assert!(refund_states(&server).await.is_empty());
    // The operator sees all that came, and the part to decide about.
    let operator = server.person("olga", Role::Operator, None).await;
    let page = operator.get("/operator/actions").await.body;
    let (received, held) = (texts(&page, "[data-testid=received]"), texts(&page, "[data-testid=held]"));
    assert!(received[0].contains("(5,489.00 RUB)"), "{received:?}");
    assert_eq!(held, ["499.00 RUB"]);
}

/// Sessions whose customers pay after the end on two nodes.
const LATE: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_two_nodes_send_late_money_back_once() {
    let short = [("TILL_LIFETIME_CARD", "1s"), ("TILL_LIFETIME_SBP", "1s"), ("TILL_LIFETIME_CRYPTO", "4s")];
    let nodes = Nodes::start(&[&[ON], &short[..]].concat());
    let shops: Vec<Shop> = nodes.shops("live").await;
    let shell = nodes.shell().await;
    let customers: Vec<_> = nodes.services.iter().map(|service| Customer::new(&service.url)).collect();
    for number in 0..LATE {
        let mut body = Shop::book(&format!("A-{number}"));
        body["defaultPaymentMethod"] = "crypto".into();
        let created = shops[number % 2].create(&body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let paying = customers[number % 2].pay(&created.text("session_id"), "crypto").await;
        assert_eq!(paying.status, 303, "{}", paying.body);
    }
    let count = async |query: &str| usize::try_from(shell.number(query).await).expect("small");
    let expired = "SELECT COUNT(*) FROM live.sessions WHERE status = 'expired'";
    until("they expire", async || count(expired).await == LATE).await;
    let attempts = shell.rows("SELECT id::text FROM live.payment_attempts").await;
    for (number, row) in attempts.iter().enumerate() {
        let hex = row[0].trim_start_matches("\\x");
        let id = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        assert!(customers[number % 2].decide(&id, "pay_exact").await.status.is_redirection());
    }
    let back = "SELECT COUNT(*) FROM live.refunds WHERE state = 'succeeded' AND requested_by = 'system'";
    for _ in 0..900 {
        if count(back).await == LATE {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let decided = "SELECT COUNT(*) FROM live.actions WHERE kind = 'late' AND resolution = 'refund' AND resolved_by = 'system'";
    let logged = "SELECT COUNT(*) FROM accounts.audit WHERE deed = 'action_resolved' AND actor = 'system'";
    for (what, query) in [
        ("back", back),
        ("decided", decided),
        ("logged", logged),
        ("refunds", "SELECT COUNT(*) FROM live.refunds"),
    ] {
        assert_eq!(count(query).await, LATE, "{what}");
    }
    let off = "SELECT COUNT(*) FROM (SELECT account, SUM(amount) AS sum FROM live.postings
        WHERE account IN ('suspense', 'refunds', 'clearing:simulator') GROUP BY account) AS sums WHERE sum <> 0";
    assert_eq!(count(off).await, 0, "nothing is left anywhere");
}
