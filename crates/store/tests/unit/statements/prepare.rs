//! Tests that every SQL statement fits the schema, and that none is missing from the lists.

use crate::{
    accounts::{
        self, audit, audit_chain, catalog, forms, hold, keys, logins, mails, nodes, providers, prune,
        sandbox_requests, sealed, team, terms, users,
    },
    engine::{
        migrate::{Role, Schema},
        postgres::{self, Connector, DatabaseUrl, SessionSetup},
        sql::Sql,
        sqlite,
    },
    payments::{
        self, actions, after_restore, all_vendors, attempts, attention, callbacks, chains, change, deadlines,
        endpoint_checks, erasure,
        erasure::{by_age, live as erasure_live, mentions},
        faults, figures, fiscal, integration_signs, leases, ledger, lists, money, money_list, orders,
        payouts, provider_activity, receipts, reconciliations, refund_counts, refunds, retention,
        sealed_forms, search, search_all_vendors, simulated, verify, verify_prices, wallets, watch,
    },
};
use rusqlite::Connection;
use std::{fs, path::Path};

/// The statements of the database that both environments share.
pub(super) const ACCOUNTS: &[&[&Sql]] = &[
    accounts::ALL,
    audit::ALL,
    audit_chain::ALL,
    catalog::ALL,
    forms::ALL,
    hold::ALL,
    keys::ALL,
    logins::ALL,
    mails::ALL,
    nodes::ALL,
    providers::ALL,
    prune::ALL,
    sealed::ALL,
    team::ALL,
    terms::ALL,
    users::ALL,
    sandbox_requests::ALL,
];

/// The statements of an environment's database.
pub(super) const PAYMENTS: &[&[&Sql]] = &[
    actions::ALL,
    all_vendors::ALL,
    attempts::ALL,
    attention::ALL,
    callbacks::ALL,
    change::ALL,
    deadlines::ALL,
    figures::ALL,
    fiscal::ALL,
    leases::ALL,
    lists::ALL,
    money::ALL,
    money_list::ALL,
    orders::ALL,
    payments::ALL,
    provider_activity::ALL,
    refunds::ALL,
    retention::ALL,
    sealed_forms::ALL,
    erasure::ALL,
    mentions::ALL,
    by_age::ALL,
    search::ALL,
    search_all_vendors::ALL,
    simulated::ALL,
    verify_prices::ALL,
    watch::ALL,
];

/// The statements that only live has.
pub(super) const LIVE: &[&[&Sql]] = &[
    chains::ALL,
    ledger::ALL,
    payouts::ALL,
    receipts::ALL,
    reconciliations::ALL,
    verify::ALL,
    wallets::ALL,
    after_restore::ALL,
    erasure_live::ALL,
];

/// The statements that only the sandbox has.
pub(super) const SANDBOX: &[&[&Sql]] =
    &[endpoint_checks::ALL, faults::ALL, integration_signs::ALL, refund_counts::ALL];

fn check_prepares(role: Role, texts: &[&Sql]) {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(role)).expect("a schema");
    for sql in texts {
        if let Err(error) = connection.prepare(sql.sqlite()) {
            panic!("{error}: {sql:?}");
        }
    }
}

#[test]
fn every_text_prepares_on_its_schema() {
    check_prepares(Role::Live, &[PAYMENTS.concat(), LIVE.concat()].concat());
    check_prepares(Role::Sandbox, &[PAYMENTS.concat(), SANDBOX.concat()].concat());
    check_prepares(Role::Accounts, &ACCOUNTS.concat());
}

/// Every range of a page is found in an index that has its rows in order, however many rows there are.
#[test]
fn no_list_walks_over_a_table() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    let all = [PAYMENTS.concat(), LIVE.concat()].concat();
    let is_list = |sql: &&&Sql| sql.sqlite().contains(" AS matching");
    let of_vendors = |sql: &&&Sql| !all_vendors::ALL.iter().any(|other| other.sqlite() == sql.sqlite());
    let lists: Vec<_> = all.iter().filter(is_list).filter(of_vendors).collect();
    assert_eq!(
        lists.len(),
        18,
        "sessions, callbacks, transactions twice, wallets, an order, a product by name and id, and an amount both ways, \
         and an order's newest"
    );
    for sql in lists {
        for step in plan(&connection, sql) {
            let walk = ["sessions", "callbacks", "transactions", "entries", "postings"]
                .iter()
                .any(|table| step == format!("SCAN {table}"));
            // The index of due sessions is ordered by time over all vendors, so it does not serve a list.
            let walk = walk || step.starts_with("SCAN sessions USING") || step.contains("sessions_due");
            assert!(!walk, "{step}: {}", sql.sqlite());
        }
    }
}

/// Each list of transactions reads the rows of its session, order or page, and never all of a vendor.
#[test]
fn no_list_of_transactions_reads_all_of_a_vendor() {
    for role in [Role::Live, Role::Sandbox] {
        let mut connection = Connection::open_in_memory().expect("a database");
        sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(role))
            .expect("a schema");
        for sql in money_list::ALL {
            let (steps, text) = (plan(&connection, sql), sql.sqlite());
            let one = lists_one_order_or_session(text);
            for step in
                steps.iter().filter(|step| step.contains(" transactions ") || step.contains(" refunds "))
            {
                let walks = step.starts_with("SCAN")
                    || one && ["_vendor ", "_moved ", "_method "].iter().any(|index| step.contains(index));
                assert!(!walks, "{step}: {steps:#?} {text}");
            }
            let index = index_of_money(text);
            assert!(steps.iter().any(|step| step.contains(index)), "{index}: {steps:#?}");
        }
    }
}

fn lists_one_order_or_session(text: &str) -> bool {
    ["session_id = ?6", "session_id = $6", "session_id IN ("].iter().any(|part| text.contains(part))
}

/// The index that a list of transactions reads.
fn index_of_money(text: &str) -> &'static str {
    match (lists_one_order_or_session(text), text.contains("FROM refunds WHERE")) {
        (true, true) => "refunds_session",
        (true, false) => "transactions_session",
        (false, true) => "refunds_moved",
        (false, false) => "transactions_reversed",
    }
}

/// Every page across vendors is a range of an index that has its rows in order.
#[test]
fn no_list_of_all_vendors_walks_over_a_table() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    for sql in all_vendors::ALL {
        let (steps, text) = (plan(&connection, sql), sql.sqlite());
        let index = match text {
            text if text.contains("AS matching") => "sessions_status",
            text if text.contains("FROM sessions") => "PRIMARY KEY (id>",
            text if text.contains("FROM actions") => "actions_open",
            text if text.contains("?4 = 'late'") => "transactions_unusual",
            text if text.contains("method = ?5") => "transactions_method",
            _ => "PRIMARY KEY (id>",
        };
        let used = steps.iter().filter(|step| step.contains(index)).count();
        assert_eq!(used, if text.contains("AS matching") { 12 } else { 1 }, "{index}: {steps:#?}: {text}");
        let whole =
            |step: &String| step.starts_with("SCAN sessions") || step.starts_with("SCAN transactions");
        assert!(!steps.iter().any(whole), "{steps:#?}: {text}");
    }
}

/// The index of a statement about actions, and whether its rows are in order there.
fn index_of_actions(text: &str) -> Option<(&'static str, bool)> {
    let text = text.replace('?', "$");
    Some(match text.as_str() {
        text if !text.starts_with("SELECT") => return None,
        text if text.contains("action_notes") => ("action_notes_action", true),
        text if text.contains("(due_at, id)") => ("actions_due", true),
        text if text.contains("OFFSET $3") => ("actions_resolved", false),
        text if text.contains("resolved_at >= $1") => ("actions_resolved", true),
        text if text.contains("vendor_id = $4 AND kind = $5") => ("actions_vendor_kind", true),
        text if text.contains("WHERE vendor_id = $4") => ("actions_vendor ", true),
        text if text.contains("WHERE kind = $4") => ("actions_kind", true),
        text if text.contains("WHERE assignee = $4") => ("actions_assignee", true),
        text if text.contains("WHERE assignee IS NULL") => ("actions_unassigned", true),
        text if text.contains("WHERE resolution IS NULL") => ("actions_open", true),
        text if text.contains("subject = $1") => ("actions_subject", true),
        text if text.contains("session_id = $1") => ("actions_session", false),
        _ => ("", true),
    })
}

/// Every page of actions is a range of an index that has its rows in order, however many were decided.
#[test]
fn no_list_of_actions_walks_over_a_table() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    let mut looked = 0;
    for sql in actions::ALL {
        let (steps, text) = (plan(&connection, sql), sql.sqlite());
        let Some((index, in_order)) = index_of_actions(text) else { continue };
        let index = if index.is_empty() { "PRIMARY KEY" } else { index };
        assert!(steps.iter().any(|step| step.contains(index)), "{index}: {steps:#?}: {text}");
        let sorts = steps.iter().any(|step| step.contains("B-TREE FOR ORDER BY"));
        assert!(!sorts || !in_order, "{steps:#?}: {text}");
        looked += 1;
    }
    assert_eq!(looked, 16);
}

/// A search of all vendors is a range of an index, or a bounded number of the newest pending sessions.
#[test]
fn no_search_of_all_vendors_walks_over_a_table() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    for sql in search_all_vendors::ALL {
        let (steps, text) = (plan(&connection, sql), sql.sqlite());
        let range = match text {
            text if text.contains("order_id = ?1") => "sessions_all_orders (order_id=?)",
            text if text.contains("order_id >= ?1") => "sessions_all_orders (order_id>? AND order_id<?)",
            _ => "sessions_amount (amount_minor=?)",
        };
        assert!(steps.iter().any(|step| step.contains(range)), "{range}: {steps:#?}");
        assert!(!steps.iter().any(|step| step.starts_with("SCAN sessions")), "{steps:#?}: {text}");
        let pending = steps.iter().filter(|step| step.contains("sessions_status (status=? AND method=?)"));
        assert_eq!(pending.count(), if text.contains("amount") && text.contains("AS ended") { 3 } else { 0 });
        let sorts = steps.iter().any(|step| step.contains("B-TREE FOR ORDER BY"));
        assert!(!sorts || text.contains("AS ended"), "{steps:#?}: {text}");
    }
}

/// Every page of the audit log is a range of an index that has its entries in order.
#[test]
fn no_page_of_the_audit_log_walks_over_it() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Accounts))
        .expect("a schema");
    for sql in audit::ALL.iter().filter(|sql| sql.sqlite().starts_with("SELECT")) {
        let (steps, text) = (plan(&connection, sql), sql.sqlite());
        let index = match text {
            text if text.contains("WHERE vendor_id = ?2") => "audit_vendor (vendor_id=? AND id<?)",
            text if text.contains("WHERE actor = ?3") => "audit_actor (actor=? AND id<?)",
            text if text.contains("WHERE deed = ?4") => "audit_deed (deed=? AND id<?)",
            _ => "PRIMARY KEY (id<?)",
        };
        assert!(steps.len() == 1 && steps[0].contains(index), "{index}: {steps:#?}: {text}");
    }
}

/// Figures are read from ranges of indexes, however many events there are.
#[test]
fn no_figure_walks_over_all_events() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    let mut ranges = Vec::new();
    for sql in figures::ALL.iter().filter(|sql| sql.sqlite().starts_with("SELECT")) {
        let (steps, text) = (plan(&connection, sql), sql.sqlite());
        assert!(!steps.iter().any(|step| step == "SCAN callbacks"), "{steps:#?}: {text}");
        ranges.extend(steps.into_iter().filter(|step| step.contains("callbacks_")));
    }
    assert_eq!(ranges.len(), 2, "the two ranges of a vendor's events that are not counted yet: {ranges:#?}");
    assert!(ranges[0].contains("callbacks_unfetched (vendor_id=? AND id>?)"), "{ranges:#?}");
    assert!(ranges[1].contains("callbacks_position (vendor_id=?"), "{ranges:#?}");
}

/// Every statement of the search is found in an index, which has its columns in order.
#[test]
fn no_search_walks_over_a_table() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    for sql in search::ALL {
        let steps = plan(&connection, sql);
        let text = sql.sqlite();
        for step in &steps {
            let whole = step.starts_with("SCAN sessions") || step.contains("sessions_due");
            assert!(!whole, "{step}: {text}");
        }
        let index = match text {
            text if text.contains("session_metadata") => {
                "session_metadata USING PRIMARY KEY (vendor_id=? AND key=? AND value=?"
            }
            text if text.contains("payment_attempts") => {
                assert!(steps.iter().any(|step| step.contains("sessions_customer")), "{steps:#?}: {text}");
                "payment_attempts_email"
            }
            text if text.contains("due_at IS NOT NULL") && !text.contains("due_at IS NULL") => {
                "sessions_pending"
            }
            text if text.contains("order_id") && !text.contains("AS matching") => "sessions_order",
            text if text.contains("product_id IS NOT NULL") => "sessions_product_id",
            text if text.contains("product_name IS NOT NULL") || text.contains("(product_name,") => {
                "sessions_product "
            }
            _ => "sessions_amount",
        };
        let used = steps.iter().filter(|step| step.contains(index)).count();
        // Three final statuses of three methods.
        assert_eq!(used, if text.contains("AS matching") { 9 } else { 1 }, "{index}: {steps:#?}: {text}");
        let sorts = steps.iter().any(|step| step.contains("B-TREE FOR ORDER BY"));
        assert!(!sorts || text.contains("AS matching") || text.contains("AS found"), "{steps:?}: {text}");
    }
}

async fn check_prepares_on_server(url: &DatabaseUrl, role: Role, texts: &[&'static Sql]) {
    let connection =
        Connector::new(url, Some(role), "test", SessionSetup::Plain).connect().await.expect("a connection");
    for sql in texts {
        let prepared = connection.prepare(sql).await;
        assert!(prepared.is_ok(), "{:?}: {sql:?}", prepared.err());
        if sql.is_bulk() {
            let prepared = connection.prepare_arrays(sql).await;
            assert!(prepared.is_ok(), "{:?} with arrays: {sql:?}", prepared.err());
        }
    }
}

/// Every read of the ledger uses an index, however long the history is.
#[test]
fn no_read_of_the_ledger_walks_over_history() {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, Path::new(":memory:"), &Schema::of(Role::Live))
        .expect("a schema");
    let mut looked = 0;
    for sql in ledger::ALL.iter().filter(|sql| sql.sqlite().starts_with("SELECT")) {
        let index = match sql.sqlite() {
            text if text.contains("seq IS NULL") => "entries_unsealed",
            text if text.contains("ORDER BY seq") => "entries_seq",
            text if text.contains("vendor_id = ?1 AND currency = ?2 AND account = ?3") => "postings_account",
            text if text.contains("session_id = ?1)") => "entries_session",
            text if text.contains("cause = ?2") => "entries_cause",
            _ => continue,
        };
        let plan = plan(&connection, sql).join("; ");
        assert!(plan.contains(index), "{plan}: {}", sql.sqlite());
        looked += 1;
    }
    assert_eq!(looked, 9);
}

fn plan(connection: &Connection, sql: &Sql) -> Vec<String> {
    let mut statement =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.sqlite())).expect("a statement");
    let nothing = (0..statement.parameter_count()).map(|_| rusqlite::types::Null);
    let steps = statement.query_map(rusqlite::params_from_iter(nothing), |row| row.get(3)).expect("a plan");
    steps.collect::<Result<_, _>>().expect("steps")
}

#[tokio::test]
async fn needs_postgres_every_text_prepares_on_its_schema() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    check_prepares_on_server(&url, Role::Live, &[PAYMENTS.concat(), LIVE.concat()].concat()).await;
    let sandbox = [PAYMENTS.concat(), SANDBOX.concat()].concat();
    check_prepares_on_server(&url, Role::Sandbox, &sandbox).await;
    check_prepares_on_server(&url, Role::Accounts, &ACCOUNTS.concat()).await;
}

/// These tables have no statistics yet, as on the first day of a busy shop.
#[tokio::test]
async fn needs_postgres_no_read_of_the_ledger_walks_over_history_without_statistics() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    let connector = Connector::new(&url, Some(Role::Live), "test", SessionSetup::Reader);
    let connection = connector.connect().await.expect("a connection");
    let ours = [ledger::ALL, wallets::ALL].concat();
    let reads: Vec<_> = ours.into_iter().filter(|sql| sql.postgres().starts_with("SELECT")).collect();
    assert!(reads.len() >= 15, "{}", reads.len());
    for sql in reads {
        let plan = connection.explain(sql).await.expect("a plan");
        let walk = ["entries", "postings"].iter().any(|table| plan.contains(&format!("Seq Scan on {table}")));
        assert!(!walk, "{plan}: {}", sql.postgres());
    }
}

/// However few sessions are pending when a plan is made, there may be many when it is used.
#[tokio::test]
async fn needs_postgres_hot_updates_find_their_rows_by_id() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    let connector = Connector::new(&url, Some(Role::Live), "test", SessionSetup::Writer { durable: false });
    let connection = connector.connect().await.expect("a connection");
    let all = [PAYMENTS.concat(), LIVE.concat()].concat();
    let hot: Vec<_> = all.into_iter().filter(|sql| sql.returns_places()).collect();
    assert!(hot.len() >= 8, "{}", hot.len());
    for sql in hot {
        let (plan, table) =
            (connection.explain_arrays(sql).await.expect("a plan"), sql.updates().expect("a table"));
        let by_id = plan.contains(&format!("Index Scan using {table}_pkey"))
            && plan.contains("Index Cond: (id = given.p1)");
        assert!(by_id, "{plan}: {}", sql.postgres());
    }
}

/// These tables have no statistics yet, as on the first day of a busy shop.
#[tokio::test]
async fn needs_postgres_no_search_walks_over_a_table_without_statistics() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    let connector = Connector::new(&url, Some(Role::Live), "test", SessionSetup::Reader);
    let connection = connector.connect().await.expect("a connection");
    for sql in [all_vendors::ALL, search_all_vendors::ALL].concat() {
        let plan = connection.explain(sql).await.expect("a plan");
        let walk =
            ["sessions", "transactions"].iter().any(|table| plan.contains(&format!("Seq Scan on {table}")));
        assert!(!walk, "{plan}: {}", sql.postgres());
        // A join that reads all sessions once, instead of one vendor's range after the other.
        assert!(!plan.contains("Hash Join") && !plan.contains("Merge Join"), "{plan}: {}", sql.postgres());
    }
    for sql in search::ALL {
        let plan = connection.explain(sql).await.expect("a plan");
        assert!(!plan.contains("Seq Scan on sessions"), "{plan}: {}", sql.postgres());
        let text = sql.postgres();
        let index = match text {
            _ if text.contains("session_metadata") => "using session_metadata_pkey ",
            _ if text.contains("payment_attempts") => {
                assert!(plan.contains("sessions_customer"), "{plan}: {text}");
                "payment_attempts_email"
            }
            _ if text.contains("due_at IS NOT NULL") && !text.contains("AS matching") => continue,
            _ if text.contains("product_id IS NOT NULL") => "using sessions_product_id ",
            _ if text.contains("product_name IS NOT NULL") => "using sessions_product ",
            _ if text.contains("(product_name COLLATE") => "using sessions_product ",
            _ if text.contains("order_id IS NOT NULL") => "using sessions_order_begins ",
            _ => "using sessions_amount ",
        };
        let used = plan.matches(index).count();
        assert_eq!(used, if text.contains("AS matching") { 9 } else { 1 }, "{index}: {plan}: {text}");
    }
}

/// These tables have no statistics yet, as on the first day of a busy shop.
#[tokio::test]
async fn needs_postgres_no_list_of_a_vendor_walks_over_a_table_without_statistics() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    for role in [Role::Live, Role::Sandbox] {
        let connector = Connector::new(&url, Some(role), "test", SessionSetup::Reader);
        let connection = connector.connect().await.expect("a connection");
        // The plans below are those that the service uses: one for all values, also on a large table.
        let mode = connection.client().query_one("SHOW plan_cache_mode", &[]).await.expect("a setting");
        assert_eq!(mode.get::<_, String>(0), "force_generic_plan");
        for sql in [lists::ALL, orders::ALL, money_list::ALL].concat() {
            let (plan, text) = (connection.explain(sql).await.expect("a plan"), sql.postgres());
            let walk = ["sessions", "transactions", "refunds", "callbacks"]
                .iter()
                .any(|table| plan.contains(&format!("Seq Scan on {table}")));
            assert!(!walk, "{plan}: {text}");
        }
        for sql in money_list::ALL {
            let (plan, text) = (connection.explain(sql).await.expect("a plan"), sql.postgres());
            let index = index_of_money(text);
            assert!(plan.contains(index), "{index}: {plan}: {text}");
        }
    }
}

/// These tables have no statistics yet, as on the first day of a busy shop.
#[tokio::test]
async fn needs_postgres_no_list_of_actions_walks_over_a_table_without_statistics() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    let connector = Connector::new(&url, Some(Role::Live), "test", SessionSetup::Reader);
    let connection = connector.connect().await.expect("a connection");
    for sql in actions::ALL {
        let Some((index, in_order)) = index_of_actions(sql.postgres()) else { continue };
        let (plan, text) = (connection.explain(sql).await.expect("a plan"), sql.postgres());
        let index = if index.is_empty() { "actions_pkey" } else { index };
        assert!(plan.contains(index), "{index}: {plan}: {text}");
        assert!(!in_order || !plan.contains("Sort"), "{plan}: {text}");
    }
}

/// Every file that declares statements is in one of the lists above, and none declares a statement otherwise.
#[test]
fn every_statement_is_in_a_list() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for folder in ["accounts", "payments", "payments/erasure"] {
        for entry in fs::read_dir(source.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            // The statements of planted defects are for simulations on SQLite alone, and are in no binary that is shipped.
            if path.is_dir() || path.ends_with("planted.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source file");
            assert!(!text.contains(": Sql ="), "{}: declare it by statements!", path.display());
            files += text.matches("\nstatements! {").count();
        }
    }
    assert_eq!(files, ACCOUNTS.len() + PAYMENTS.len() + LIVE.len() + SANDBOX.len());
}

#[test]
fn no_statement_is_declared_twice() {
    let all = [ACCOUNTS, PAYMENTS, LIVE, SANDBOX].concat().concat();
    for (index, sql) in all.iter().enumerate() {
        assert!(!all[..index].iter().any(|other| other.sqlite() == sql.sqlite()), "{}", sql.sqlite());
    }
}

#[tokio::test]
async fn needs_postgres_i26_a_writer_cannot_write_outside_of_its_transaction() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    let writer = Connector::new(&url, Some(Role::Live), "test", SessionSetup::Writer { durable: true });
    let connection = writer.connect().await.expect("a connection");
    let insert = "INSERT INTO leases (name, holder, fence, ends_at) VALUES ('x', decode(repeat('00', 16), 'hex'), 1, 1)";
    let refused = connection.run(insert).await.expect_err("no BEGIN came before it");
    assert_eq!(refused.code().map(|code| code.code()), Some("25006"));
    connection.run(&format!("BEGIN READ WRITE; {insert}; COMMIT")).await.expect("as a batch does it");
}
