//! The command line, the doctor and the start of a node, on PostgreSQL.

use crate::support::{Customer, Nodes, Shell, Till, until};
use serde_json::{Value, json};
use std::thread;
use till_testing::cluster::Cluster;

/// Runs the doctor, and returns its exit code and the message of one check.
fn doctor(till: &Till, name: &str) -> (Option<i32>, String) {
    let output = till.run(&["doctor", "--json"]);
    let diagnosis: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let checks = diagnosis["checks"].as_array().expect("a list").iter().filter(|check| check["name"] == name);
    let lines: Vec<String> = checks.map(|c| format!("{} {}", c["verdict"], c["message"])).collect();
    (output.status.code(), lines.join("\n"))
}

#[test]
fn needs_postgres_every_command_works_on_a_server() {
    let cluster = Cluster::start();
    let till = Nodes::till(&cluster.url(), &[]);
    let told = till.error(&["vendor", "list"]);
    assert!(told.contains("there is no store") && told.contains("TILL_DATABASE_URL"), "{told}");
    assert_eq!(doctor(&till, "store").0, Some(0), "no store yet is no failure");
    let vendor = till.vendor();
    let id = vendor["vendor_id"].as_str().expect("an id");
    let listed = json!([{ "vendor_id": id, "name": "Halden Press", "sandbox": true, "disabled": false }]);
    assert_eq!(till.json(&["vendor", "list"]), listed);
    assert_eq!(till.json(&["vendor", "show", id, "--secrets"])["live"], vendor["live"]);
    till.json(&["vendor", "set", id, "--return-url", "https://shop.example/", "--methods", "sbp,card"]);
    let shown = till.json(&["vendor", "show", id]);
    assert_eq!(
        (&shown["return_url"], &shown["methods"]),
        (&json!("https://shop.example/"), &json!(["sbp", "card"]))
    );
    let pair = till.json(&["vendor", "rotate", id, "--env", "live"]);
    assert_eq!(till.json(&["vendor", "show", id, "--secrets"])["live"], pair);
    assert_ne!(pair, vendor["live"]);
    till.json(&["vendor", "disable", id]);
    assert_eq!(till.json(&["vendor", "list"])[0]["disabled"], true);
    till.json(&["vendor", "enable", id]);

    let file = till.file("import.csv");
    std::fs::write(&file, "product_id,name,price,currency\nATLAS,Atlas,5,RUB\nGLOBE,Globe,6,RUB\n")
        .expect("written");
    let path = file.display().to_string();
    let import = ["product", "import", &path, "--vendor", id];
    assert_eq!(till.json(&import)["created"], 2);
    assert_eq!(till.json(&import)["unchanged"], 2);
    till.json(&["product", "archive", "GLOBE", "--vendor", id]);
    assert_eq!(till.json(&["product", "list", "--vendor", id]).as_array().map(Vec::len), Some(2));
    assert!(!till.file("live.db").exists(), "nothing is kept in the folder");
    let (code, store) = doctor(&till, "store");
    assert_eq!(
        (code, store.as_str()),
        (Some(0), "\"ok\" \"accounts, live and sandbox can be opened and are not damaged\"")
    );
    assert!(doctor(&till, "durability").1.starts_with("\"ok\""));
}

#[test]
fn needs_postgres_a_server_that_is_down_is_reported_by_every_command() {
    let mut cluster = Cluster::start();
    let till = Nodes::till(&cluster.url(), &[]);
    till.vendor();
    cluster.crash();
    let (code, store) = doctor(&till, "store");
    assert_eq!(code, Some(1));
    assert!(store.starts_with("\"failed\"") && store.contains("cannot open postgres://"), "{store}");
    for told in [till.error(&["vendor", "list"]), till.refusal()] {
        assert!(told.contains("TILL_DATABASE_URL") && told.contains("cannot open postgres://"), "{told}");
    }
    cluster.launch();
    assert_eq!(doctor(&till, "store").0, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_user_who_may_not_make_schemas_is_refused_with_advice() {
    let cluster = Cluster::start();
    let shell = Shell::connect(&cluster.url()).await;
    shell.run("CREATE ROLE guest LOGIN").await;
    let guest = format!("postgres://guest@{}/postgres", cluster.host());
    let till = Nodes::till(&guest, &[]);
    for told in [till.refusal(), till.error(&["vendor", "create", "--name", "Halden Press"])] {
        assert!(told.contains("permission denied") && told.contains("GRANT CREATE ON DATABASE"), "{told}");
    }
    shell.run("GRANT CREATE ON DATABASE postgres TO guest").await;
    till.vendor();
    till.serve();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_i26_a_server_that_may_lose_what_it_acknowledged_is_refused() {
    for name in ["fsync", "full_page_writes", "synchronous_commit"] {
        let cluster = Cluster::with(&[(name, "off")]);
        let told = Nodes::till(&cluster.url(), &[]).refusal();
        assert!(told.contains("is not durable") && told.contains(&format!("{name} is off")), "{told}");
    }
    // The setting may also have been changed for the user instead of the server.
    let cluster = Cluster::start();
    let till = Nodes::till(&cluster.url(), &[]);
    till.vendor();
    Shell::connect(&cluster.url()).await.run("ALTER ROLE till SET synchronous_commit = off").await;
    let told = till.refusal();
    assert!(told.contains("synchronous_commit is off"), "{told}");
    let (code, told) = doctor(&till, "durability");
    assert_eq!(code, Some(1));
    assert!(told.contains("synchronous_commit is off"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_nodes_that_start_at_the_same_moment_on_an_empty_database_all_start() {
    let cluster = Cluster::start();
    let shell = Shell::connect(&cluster.url()).await;
    for round in 0..5 {
        shell.run(&format!("CREATE DATABASE round_{round}")).await;
        let url = format!("postgres://till@{}/round_{round}", cluster.host());
        let tills: Vec<Till> = (0..3).map(|_| Nodes::till(&url, &[])).collect();
        let starting = |till: Till| thread::spawn(move || (till.serve(), till));
        let starting: Vec<_> = tills.into_iter().map(starting).collect();
        let nodes: Vec<_> = starting.into_iter().map(|node| node.join().expect("it starts")).collect();
        // They share one database: a vendor created on one is known to all.
        let vendor = nodes[0].1.vendor();
        for (service, _) in &nodes {
            let mut shop = service.shop("sandbox", &vendor);
            shop.log_in().await;
            shop.order("A-1").await;
        }
        let own = Shell::connect(&url).await;
        assert_eq!(own.number("SELECT COUNT(*) FROM sandbox.sessions").await, 3);
        assert_eq!(own.number("SELECT COUNT(*) FROM accounts.key_check").await, 1);
    }
}

#[tokio::test]
async fn needs_postgres_i6_a_row_that_a_superuser_edited_is_found_beside_running_nodes() {
    let nodes = Nodes::start(&[]);
    let (till, shops) = (&nodes.till, nodes.shops("live").await);
    for (number, shop) in shops.iter().enumerate() {
        let id = shop.order(&format!("A-{number}")).await;
        let (customer, shell) = (Customer::new(&nodes.services[0].url), nodes.shell().await);
        assert_eq!(customer.pay(&id, "card").await.status, 303);
        let attempt = format!(
            "SELECT encode(id, 'hex') FROM live.payment_attempts WHERE session_id = '\\x{}'",
            id.replace('-', "")
        );
        let hex = shell.row(&attempt).await.remove(0);
        let attempt = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        customer.decide(&attempt, "approve").await;
        until("it is paid", async || shop.status(&id).await.text("status") == "paid").await;
    }
    let shell = nodes.shell().await;
    let unsealed = "SELECT COUNT(*) FROM live.entries WHERE seq IS NULL";
    until("history is sealed", async || shell.number(unsealed).await == 0).await;
    assert_eq!(shell.number("SELECT COUNT(*) FROM live.entries").await, 2);
    assert_eq!(till.json(&["verify"])["ok"], true);
    // A superuser can switch off the triggers that refuse the change to every other role.
    shell
        .run("SET session_replication_role = replica; UPDATE live.entries SET at = at + 1 WHERE seq = 1")
        .await;
    let output = till.run(&["verify"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let wrong: Vec<_> = told.lines().filter(|line| line.contains(" WRONG")).collect();
    assert!(wrong.len() == 1 && wrong[0].contains("(I6)"), "{told}");
}
