//! F33: the master key is rotated while the service runs.

use crate::support::{MASTER_KEY, Nodes, OTHER_KEY, Process, Receiver, Shop, Till, signature};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use till_domain::{audit::Actor, environment::EnvironmentName, id::MailId, user::Role};
use till_service::{
    admin::{Admin, UserDraft, VendorDraft, adopt_key, factor_place},
    random,
    vault::{MasterKey, Vault},
};
use till_store::{DatabaseUrl, Durability, NewMail, SealedTable, StoreLocation, Stores};
use tokio::task::JoinSet;

/// The new key is `OTHER_KEY`, the previous one that of every test store.
const BOTH: [(&str, &str); 2] = [("TILL_MASTER_KEY", OTHER_KEY), ("TILL_MASTER_KEY_PREVIOUS", MASTER_KEY)];

fn vault(key: &str) -> Vault {
    Vault::new(&MasterKey::parse(key).expect("a key"))
}

fn with_both(till: &mut Till) {
    for (name, value) in BOTH {
        till.set(name, value);
    }
}

/// A client that sells without a pause, at any node that listens.
async fn sell(
    mut shop: Shop,
    nodes: Arc<Mutex<Vec<String>>>,
    receiver: String,
    stop: Arc<AtomicBool>,
) -> (u32, Vec<String>) {
    let (mut sold, mut failures) = (0, Vec::new());
    while !stop.load(Ordering::Relaxed) {
        let url = {
            let nodes = nodes.lock().expect("not poisoned");
            nodes[sold as usize % nodes.len()].clone()
        };
        shop = shop.at(&url);
        if sold % 5 == 0 {
            shop.log_in().await;
        }
        let mut order = Shop::book(&format!("R-{sold}"));
        order["callback_url"] = json!(receiver);
        let created = shop.create(&order).await;
        if created.status != 201 {
            failures.push(created.body.clone());
            continue;
        }
        let paid = shop.simulate(&created.text("session_id"), &json!({ "outcome": "paid" })).await;
        if paid.status != 200 {
            failures.push(paid.body.clone());
        }
        sold += 1;
    }
    (sold, failures)
}

/// Takes a node out of the clients' list, restarts it with other settings, and puts it back.
async fn restart(
    services: &mut Vec<Process>,
    nodes: &Mutex<Vec<String>>,
    database: &str,
    settings: &[(&str, &str)],
) {
    let old = services.remove(0);
    nodes.lock().expect("not poisoned").retain(|url| *url != old.url);
    // Requests that are on their way finish.
    tokio::time::sleep(Duration::from_millis(300)).await;
    tokio::task::block_in_place(|| old.terminate());
    let new = tokio::task::block_in_place(|| Nodes::till(database, settings).serve());
    nodes.lock().expect("not poisoned").push(new.url.clone());
    services.push(new);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f33_two_nodes_change_their_key_under_load() {
    let shared = [("TILL_ALLOW_PRIVATE_CALLBACKS", "on")];
    let mut all = Nodes::start(&shared);
    let place = StoreLocation::Server(DatabaseUrl::parse(&all.cluster.url()).expect("a URL"));
    let open = async || Stores::open(&place, Durability::Full, None).await.expect("a store");
    let accounts = Arc::new(open().await.accounts);
    fill(&Admin { accounts, vault: Arc::new(vault(MASTER_KEY)) }, 5).await;
    let (receiver, database) = (Receiver::start().await, all.cluster.url());
    let nodes = Arc::new(Mutex::new(all.services.iter().map(|service| service.url.clone()).collect()));
    let (stop, mut crowd) = (Arc::new(AtomicBool::new(false)), JoinSet::new());
    let shop = all.shops("sandbox").await.remove(0);
    for _ in 0..3 {
        let (nodes, url) = (Arc::clone(&nodes), receiver.url("/callbacks"));
        crowd.spawn(sell(shop.clone(), nodes, url, Arc::clone(&stop)));
    }
    let both = [shared.as_slice(), &BOTH].concat();
    with_both(&mut all.till);
    restart(&mut all.services, &nodes, &database, &both).await;
    let refused = tokio::task::block_in_place(|| all.till.error(&["key", "rotate", "--yes"]));
    assert!(refused.contains("do not know the new key"), "{refused}");
    let doctor = String::from_utf8(all.till.run(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains("still in use"), "{doctor}");
    restart(&mut all.services, &nodes, &database, &both).await;
    assert!(all.till.error(&["key", "rotate"]).contains("--yes"));
    let rotated = tokio::task::block_in_place(|| all.till.json(&["key", "rotate", "--yes"]));
    // Two pairs of credentials for each vendor, and the rest.
    assert_eq!(rotated["resealed"], json!(12 + 40 + 1), "{rotated}");
    assert_eq!(opened(&open().await, &vault(OTHER_KEY)).await, (53, 0));
    // A token of the previous key is valid at both nodes.
    for service in &all.services {
        assert_eq!(shop.at(&service.url).create(&Shop::book("old token")).await.status, 201);
    }
    let doctor = String::from_utf8(all.till.run(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains("needed until"), "{doctor}");
    let new = [shared.as_slice(), &[("TILL_MASTER_KEY", OTHER_KEY)]].concat();
    // With the new key alone; clients ask for new tokens.
    stop.store(true, Ordering::Relaxed);
    let mut sold = 0;
    for (count, failures) in crowd.join_all().await {
        assert_eq!(failures, Vec::<String>::new());
        sold += count;
    }
    assert!(sold > 20, "{sold}");
    restart(&mut all.services, &nodes, &database, &new).await;
    restart(&mut all.services, &nodes, &database, &new).await;
    let mut shop = all.services[0].shop("sandbox", &all.vendor);
    shop.log_in().await;
    let refusal = tokio::task::block_in_place(|| Nodes::till(&database, &shared).refusal());
    assert!(refusal.contains("TILL_MASTER_KEY is not the key"), "{refusal}");
    crate::support::until("every callback was sent", async || {
        receiver.at("/callbacks").len() >= sold as usize
    })
    .await;
    let secret = all.vendor["sandbox"]["client_secret"].as_str().expect("a secret");
    for sent in receiver.at("/callbacks") {
        assert_eq!(
            sent.header("x-signature"),
            signature(secret, &sent.body),
            "every callback can be verified"
        );
    }
}

/// Fills a store with sealed texts of every kind.
async fn fill(admin: &Admin, vendors: u32) {
    let (accounts, vault, actor) = (&admin.accounts, &admin.vault, Actor::shell());
    for number in 0..vendors {
        let draft = VendorDraft { name: format!("Vendor {number}"), contact_email: None, sandbox: None };
        admin.create_vendor(&actor, draft).await.expect("a vendor");
    }
    for number in 0..20 {
        let email = format!("user{number}@shop.example");
        let who = UserDraft { email: &email, role: Role::Operator, vendor: None };
        let user = admin.create_user(&actor, who, "hash".to_owned()).await.expect("stored").expect("new");
        let sealed = vault.seal_text(&factor_place(user), &SecretString::from(format!("seed {number}")));
        accounts.set_pending_factor(user, &sealed).await.expect("stored");
        let id = random::id::<MailId>(accounts.now());
        let body_sealed = vault.seal_mail(id, "text");
        let (recipient, subject) = ("user@shop.example".to_owned(), "subject".to_owned());
        let mail = NewMail { id, recipient, subject, body_sealed, kind: "invitation" };
        accounts.queue_mail(mail).await.expect("stored");
    }
    let document = SecretString::from("secret_key = \"sk_test\"");
    admin.set_up(&actor, ("stripe", 0), &document).await.expect("stored");
}

/// How many texts a vault opens, and how many it does not.
async fn opened(stores: &Stores, vault: &Vault) -> (usize, usize) {
    let payments = [(EnvironmentName::Live, &stores.live), (EnvironmentName::Sandbox, &stores.sandbox)];
    let rotation = till_service::admin::KeyRotation { accounts: &stores.accounts, payments, vault };
    let report = rotation.reseal(|_| ()).await.expect("a pass");
    let mut all = 0;
    for table in SealedTable::ALL {
        all += stores.accounts.sealed_rows(table, None, 10_000).await.expect("rows").len();
    }
    (all - report.unreadable.len(), report.unreadable.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f33_a_rotation_that_is_killed_at_ten_moments_is_resumed() {
    let mut till = Till::new();
    let place = StoreLocation::Folder(till.folder().to_owned());
    let stores = Stores::open(&place, Durability::Full, None).await.expect("a store");
    let (accounts, old, new) = (Arc::new(stores.accounts), vault(MASTER_KEY), vault(OTHER_KEY));
    adopt_key(&accounts, &old).await.expect("the store's key");
    fill(&Admin { accounts: Arc::clone(&accounts), vault: Arc::new(old) }, 400).await;
    let stores = Stores { accounts: Arc::into_inner(accounts).expect("one"), ..stores };
    let shell = rusqlite::Connection::open(till.file("accounts.db")).expect("a shell");
    let confirm =
        "UPDATE users SET factor_sealed = factor_pending, factor_pending = NULL WHERE email LIKE 'user1%'";
    assert_eq!(shell.execute(confirm, []).expect("changed"), 11);
    drop(shell);
    assert_eq!(opened(&stores, &vault(MASTER_KEY)).await, (841, 0));
    with_both(&mut till);
    let mut kills = 0;
    for moment in 0..10_u64 {
        let mut child = till.command(&["key", "rotate", "--yes"]).spawn().expect("it runs");
        tokio::time::sleep(Duration::from_millis(60 + 45 * moment)).await;
        kills += u32::from(child.try_wait().expect("a child").is_none());
        let _ = child.kill();
        child.wait().expect("it ended");
        let both = vault(OTHER_KEY).with_previous(MasterKey::parse(MASTER_KEY).as_ref());
        adopt_key(&stores.accounts, &both).await.expect("with both keys the store can be used");
    }
    assert!(kills >= 3, "it was interrupted {kills} times");
    let rotated = tokio::task::block_in_place(|| till.json(&["key", "rotate", "--yes"]));
    assert_eq!(rotated["unreadable"], json!(0), "{rotated}");
    assert_eq!(opened(&stores, &new).await, (841, 0));
    assert_eq!(opened(&stores, &vault(MASTER_KEY)).await.0, 0, "the old key opens nothing");
    let again = tokio::task::block_in_place(|| till.json(&["key", "rotate", "--yes"]));
    assert_eq!(again["resealed"], json!(0));
    let log = till.json(&["audit", "list"]).to_string();
    assert_eq!(log.matches("key_rotation_started").count(), 1, "{log}");
    assert_eq!(log.matches("key_rotation_completed").count(), 1, "{log}");
    let setup = Admin { accounts: Arc::new(stores.accounts), vault: Arc::new(new) }.setup("stripe").await;
    assert!(setup.expect("a read").expect("a set-up").document.expose_secret().contains("sk_test"));
}

#[test]
fn f33_a_rotation_says_which_key_is_missing() {
    let mut till = Till::new();
    till.vendor();
    assert!(till.error(&["key", "rotate", "--yes"]).contains("set TILL_MASTER_KEY to the new key"));
    till.set("TILL_MASTER_KEY_PREVIOUS", MASTER_KEY);
    assert!(till.error(&["key", "rotate", "--yes"]).contains("same key"));
    till.set("TILL_MASTER_KEY_PREVIOUS", OTHER_KEY);
    assert!(till.error(&["key", "rotate", "--yes"]).contains("already"));
    till.set("TILL_MASTER_KEY", OTHER_KEY).set("TILL_MASTER_KEY_PREVIOUS", "");
    assert!(till.error(&["key", "rotate", "--yes"]).contains("TILL_MASTER_KEY_PREVIOUS"));
    // The switch was made, and nothing was sealed yet.
    let shell = rusqlite::Connection::open(till.file("accounts.db")).expect("a shell");
    let check = vault(OTHER_KEY).seal_key_check();
    shell.execute("UPDATE key_check SET sealed = ?1", [check]).expect("changed");
    let previous = vault(MASTER_KEY).current_key().to_owned();
    let sql = "INSERT INTO key_rotations (number, key_from, key_to, started_at, started_by) VALUES (1, ?1, ?2, 0, 'x')";
    shell.execute(sql, [&previous, vault(OTHER_KEY).current_key()]).expect("added");
    let refusal = till.refusal();
    assert!(refusal.contains("not complete") && refusal.contains(&previous), "{refusal}");
    with_both(&mut till);
    let vendor: Value = till.json(&["key", "rotate", "--yes"]);
    assert_eq!(vendor["resealed"], json!(2));
    let doctor = String::from_utf8(till.run(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains("needed until"), "{doctor}");
    till.set("TILL_TOKEN_LIFETIME", "1s");
    std::thread::sleep(Duration::from_millis(1_100));
    let doctor = String::from_utf8(till.run(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains("no longer needed"), "{doctor}");
}
