//! Unreachable chains, nodes that have pruned their state, and customers who choose another method: the
//! notifications that the operator gets, and the pages that the customer sees.

use crate::{
    money::coins::{CHAIN, CONFIRMATIONS, World},
    money::decisions::Operator,
    support::{MASTER_KEY, until},
};
use axum::{Json, http::StatusCode};
use serde_json::{Value, json};
use std::{
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use till::workers::reconcile::Reconciler;
use till_domain::{attempt::AttemptState, reconciliation::RunState, session::State};
use till_service::registry::ProviderKind;
use till_store::Clock;
use till_testing::anvil::{Anvil, ETHER};

/// The number of blocks whose state a full node keeps.
const KEPT: u64 = 128;

/// A proxy before a chain's node, which may be down, or answer like a full node that has pruned old state.
#[derive(Default)]
struct Faults {
    gone: AtomicBool,
    pruned: AtomicBool,
}

impl Faults {
    async fn before(self: &Arc<Self>, chain: &Anvil) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (faults, url) = (Arc::clone(self), chain.url());
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let answer = axum::routing::post(move |Json(asked): Json<Value>| async move {
            if faults.gone.load(Relaxed) {
                return (StatusCode::SERVICE_UNAVAILABLE, Json(Value::Null));
            }
            let send = async |question: &Value| -> Value {
                let answer = client.post(&url).json(question).send().await.expect("an answer");
                answer.json().await.expect("JSON")
            };
            if faults.pruned.load(Relaxed) {
                let head = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": [] });
                let head = number(&send(&head).await["result"]).expect("a number");
                if let Some(refusal) = forgotten(&asked, head) {
                    return (StatusCode::OK, Json(refusal));
                }
            }
            (StatusCode::OK, Json(send(&asked).await))
        });
        let app = axum::Router::new().route("/", answer);
        tokio::spawn(async { axum::serve(listener, app).await.expect("it serves") });
        address
    }
}

fn number(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

/// The answer of a full node to a request about state that it has pruned.
fn forgotten(asked: &Value, head: u64) -> Option<Value> {
    let refuse = |question: &Value| {
        let about_state = matches!(
            question["method"].as_str(),
            Some("eth_call" | "eth_getBalance" | "eth_getTransactionCount")
        );
        let block = number(&question["params"][1]).filter(|block| about_state && block + KEPT < head)?;
        let error = json!({ "code": -32000, "message": format!("missing trie node of block {block}") });
        Some(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
    };
    match asked.as_array() {
        Some(batch) => {
            let refused: Vec<Value> = batch.iter().filter_map(refuse).collect();
            (!refused.is_empty()).then_some(Value::Array(refused))
        }
        None => refuse(asked),
    }
}

/// A command that has the chain's set-up.
fn command(world: &World, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", world.server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
    command.env("TILL_EVM_FILE", &world.file).args(arguments).output().expect("the binary runs")
}

/// All output of a command.
fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_h2_a_payment_during_an_outage_is_reported_to_an_operator_with_the_balance() {
    let (chain, faults) = (Anvil::start().await, Arc::new(Faults::default()));
    let node = faults.before(&chain).await;
    let world = World::with(chain, &node, "off").await;
    let (id, address) = world.address("A-1", "eth-31337").await;
    faults.gone.store(true, Relaxed);
    world.offers(2).await;
    world.chain.send(address, ETHER / 50).await;
    world.chain.mine(KEPT + 22).await;
    faults.pruned.store(true, Relaxed);
    faults.gone.store(false, Relaxed);
    assert_eq!(world.kind_of_action().await, "difference");
    let open = Operator(&world.server).list(&["action", "list"]);
    assert_eq!((open.len(), open[0]["session_id"].as_str()), (1, Some(id.as_str())), "{open:?}");
    let note = open[0].to_string();
    assert!(note.contains("0.02 ETH") && note.contains(&address.to_string()), "{note}");
    assert_eq!(world.server.session(&id).await.state, State::Pending);
    // A node that keeps old state is added: the payment is found after all.
    faults.pruned.store(false, Relaxed);
    world.reaches(&id, State::Paid).await;
    world.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_m3_a_transfer_is_shown_and_waited_for_although_a_card_was_chosen() {
    let chain = Anvil::start().await;
    let node = chain.url();
    let world = World::with(chain, &node, "on").await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    let customer = world.server.customer();
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    let page = format!("/session/{id}");
    world.pay(world.token, address, 50_000_000).await;
    until("the transfer is shown", async || {
        customer.get(&page, &[]).await.body.contains("data-testid=\"transfer-seen\"")
    })
    .await;
    let english = customer.get(&page, &[("accept-language", "en")]).await.body;
    assert!(english.contains("We see your transfer") && english.contains("50"), "{english}");
    let russian = customer.get(&page, &[("accept-language", "ru")]).await.body;
    assert!(russian.contains("Мы видим ваш перевод"), "{russian}");
    // A customer who opens or submits the form sees the transfer instead.
    assert!(customer.get(&format!("{page}?methods"), &[]).await.body.contains("transfer-seen"));
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    until("the card is closed", async || {
        world.server.later(Duration::from_secs(5));
        let attempts = world.server.attempts(&id).await;
        attempts.len() == 2 && attempts.iter().all(|attempt| !attempt.state.is_active())
    })
    .await;
    // Long after the card's deadline.
    world.server.later(Duration::from_secs(60 * 60));
    assert_eq!(world.server.session(&id).await.state, State::Pending);
    world.reaches(&id, State::Paid).await;
    let states: Vec<_> = world.server.attempts(&id).await.iter().map(|attempt| attempt.state).collect();
    assert!(states.contains(&AttemptState::Paid) && states.contains(&AttemptState::Closed), "{states:?}");
    assert_eq!(world.actions(), [], "nobody has to decide anything");
    world.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_l11_money_at_an_old_address_is_found_by_the_comparison() {
    let chain = Anvil::start().await;
    let node = chain.url();
    let world = World::with(chain, &node, "off").await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    let today: String = Clock::System.now().to_string().chars().take(10).collect();
    let compare = ["reconcile", "--provider", "evm", "--from", &today, "--to", &today];
    let same = command(&world, &compare);
    assert!(same.status.success(), "{}", said(&same));
    world.server.later(Duration::from_secs(31 * 24 * 60 * 60));
    until("it expires", async || {
        world.server.later(Duration::from_secs(5));
        let active = world.server.attempts(&id).await.iter().any(|attempt| attempt.state.is_active());
        world.server.session(&id).await.state == State::Expired && !active
    })
    .await;
    world.pay(world.token, address, 7_000_000).await;
    world.chain.mine(CONFIRMATIONS + 2).await;
    until("it was read", async || {
        let out = command(&world, &[&compare[..], &["--dry-run"]].concat());
        said(&out).contains("7") && out.status.code() == Some(1)
    })
    .await;
    // Only the kind `difference` is counted: that the chain was not read for a month is another action.
    let differences = || {
        let open = Operator(&world.server).list(&["action", "list"]);
        open.into_iter().filter(|action| action["kind"] == json!("difference")).collect::<Vec<_>>()
    };
    assert_eq!(differences(), Vec::<Value>::new(), "a dry run enters nothing");
    let differs = command(&world, &compare);
    assert_eq!(differs.status.code(), Some(1), "{}", said(&differs));
    assert!(said(&differs).contains(&address.to_string()), "{}", said(&differs));
    let open = differences();
    assert_eq!((open.len(), open[0]["session_id"].as_str()), (1, Some(id.as_str())), "{open:?}");
    command(&world, &compare);
    assert_eq!(differences(), open, "it is entered once");
}

/// Moves the service's clock past this machine's time, which the chain's blocks have.
async fn later_than_the_chain(world: &World, by: Duration) {
    world.server.later(Clock::System.now().since(world.server.clock.now()) + by);
    let now = world.server.clock.now().as_ms() / 1_000;
    world.chain.ask("evm_setNextBlockTimestamp", json!([now])).await;
    world.chain.mine(CONFIRMATIONS + 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_l11_a_night_in_which_a_chain_was_silent_is_made_up_for() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let (chain, faults) = (Anvil::start().await, Arc::new(Faults::default()));
    let node = faults.before(&chain).await;
    let world = World::with(chain, &node, "off").await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    let at = Some(Duration::from_secs(2 * 60 * 60));
    let nightly = Reconciler::new(Arc::clone(&world.server.registry), ProviderKind::Evm, at);
    let pass = async || nightly.pass().await.expect("a pass");
    let compared = async || {
        let chains = world.server.live.store.chains().expect("what live has");
        chains.compared(CHAIN).await.expect("a read").map(|compared| compared.until)
    };
    pass().await;
    assert_eq!(compared().await, None, "the night has not come");
    later_than_the_chain(&world, 40 * DAY).await;
    until("it expires", async || {
        world.server.later(Duration::from_secs(5));
        let active = world.server.attempts(&id).await.iter().any(|attempt| attempt.state.is_active());
        world.server.session(&id).await.state == State::Expired && !active
    })
    .await;
    let head = world.chain.head().await;
    until("it was read", async || {
        let cursor = world.server.live.store.chains().expect("what live has").cursor(CHAIN).await;
        cursor.expect("a read").is_some_and(|cursor| cursor.block >= head)
    })
    .await;
    world.server.later(DAY);
    pass().await;
    let first = compared().await.expect("it was compared");

    // Money comes to the old address, and for three nights the chain is unreachable.
    world.pay(world.token, address, 7_000_000).await;
    faults.gone.store(true, Relaxed);
    world.server.later(3 * DAY);
    pass().await;
    assert_eq!(compared().await, Some(first), "a silent chain is not compared");
    let differences = || {
        let open = Operator(&world.server).list(&["action", "list"]);
        open.into_iter().filter(|action| action["kind"] == json!("difference")).count()
    };
    assert_eq!(differences(), 0);
    faults.gone.store(false, Relaxed);
    later_than_the_chain(&world, Duration::ZERO).await;
    until("the missed nights are compared", async || {
        world.server.later(DAY / 24);
        pass().await;
        differences() == 1
    })
    .await;
    assert!(compared().await > Some(first));
    let runs = world.server.live.store.reconciliations().expect("what live has");
    let last = runs.last_night("evm", Some("Anvil")).await.expect("a read").expect("the night is recorded");
    assert_eq!((last.result.state, last.result.counts.differences), (RunState::Differed, 1), "{last:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_l11_the_result_of_a_night_has_what_both_of_its_comparisons_found() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let chain = Anvil::start().await;
    let node = chain.url();
    let world = World::with(chain, &node, "off").await;
    let (token, address) = world.address("A-1", "usdc-31337").await;
    let (native, home) = world.address("A-2", "eth-31337").await;
    let at = Some(Duration::from_secs(2 * 60 * 60));
    let nightly = Reconciler::new(Arc::clone(&world.server.registry), ProviderKind::Evm, at);
    let pass = async || nightly.pass().await.expect("a pass");
    let read_all = async || {
        let head = world.chain.head().await;
        until("it was read", async || {
            let cursor = world.server.live.store.chains().expect("what live has").cursor(CHAIN).await;
            cursor.expect("a read").is_some_and(|cursor| cursor.block >= head)
        })
        .await;
    };
    pass().await;
    later_than_the_chain(&world, 40 * DAY).await;
    until("they expire", async || {
        world.server.later(Duration::from_secs(5));
        let mut all = world.server.attempts(&token).await;
        all.extend(world.server.attempts(&native).await);
        !all.iter().any(|attempt| attempt.state.is_active())
    })
    .await;
    read_all().await;
    world.server.later(DAY);
    pass().await;
    let runs = world.server.live.store.reconciliations().expect("what live has");
    let last = async || runs.last_night("evm", Some("Anvil")).await.expect("a read").expect("a night");
    let first = last().await;
    assert_eq!(first.result.state, RunState::Matched, "{first:?}");

    // A token that is found at once, and the native coin, which may be read within the hour.
    world.pay(world.token, address, 7_000_000).await;
    world.chain.send(home, ETHER / 50).await;
    later_than_the_chain(&world, Duration::ZERO).await;
    read_all().await;
    world.server.later(DAY);
    pass().await;
    let differences = || {
        let open = Operator(&world.server).list(&["action", "list"]);
        open.into_iter().filter(|action| action["kind"] == json!("difference")).count()
    };
    let found = u64::try_from(differences()).expect("a number");
    assert!(found > 0, "the token is reported at once");
    assert_eq!(last().await.id, first.id, "the night is compared twice");
    // Many blocks later, as on a real chain.
    later_than_the_chain(&world, Duration::from_secs(70 * 60)).await;
    read_all().await;
    pass().await;
    let second = last().await;
    assert_ne!(second.id, first.id, "{second:?}");
    assert_eq!(second.result.state, RunState::Differed, "{second:?}");
    assert_eq!(second.result.counts.differences, u64::try_from(differences()).expect("a number"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_l2_what_a_deep_fork_has_displaced_is_reported_to_an_operator() {
    let chain = Anvil::start().await;
    let node = chain.url();
    let world = World::with(chain, &node, "off").await;
    let (id, address) = world.address("A-1", "usdc-31337").await;
    let before = world.chain.snapshot().await;
    world.pay(world.token, address, 50_000_000).await;
    world.reaches(&id, State::Paid).await;
    world.chain.mine(90).await;
    let head = world.chain.head().await;
    until("it was read", async || {
        let cursor = world.server.live.store.chains().expect("what live has").cursor(CHAIN).await;
        cursor.expect("a read").is_some_and(|cursor| cursor.block >= head)
    })
    .await;
    world.chain.revert(before).await;
    world.chain.mine(120).await;
    assert_eq!(world.kind_of_action().await, "difference");
    let open = Operator(&world.server).list(&["action", "list"]);
    let note = open[0].to_string();
    assert!(note.contains("may be gone") && note.contains(&address.to_string()), "{note}");
    assert_eq!(open[0]["session_id"].as_str(), Some(id.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_l5_a_refund_whose_transaction_may_arrive_is_not_given_up() {
    let chain = Anvil::start().await;
    let node = chain.url();
    let world = World::with(chain, &node, "off").await;
    let operator = Operator(&world.server);
    let (id, address) = world.address("A-1", "eth-31337").await;
    world.chain.send(address, ETHER / 50).await;
    world.reaches(&id, State::Paid).await;
    world.server.later(Duration::from_secs(1_000 * 24 * 60 * 60));
    let asked = operator.run(&["refund", "create", &id]).expect("a refund");
    let refund = asked["refund_id"].as_str().expect("an id").to_owned();
    until("a person has to send it", async || operator.list(&["refund", "list", "--by-hand"]).len() == 1)
        .await;
    let sent = world.chain.send(world.chain.accounts[5], ETHER / 50).await;
    operator.run(&["refund", "sent", &refund, "--transaction", &sent.to_string()]).expect("noted");
    let give_up = ["refund", "give-up", &refund, "--reason", "It was not sent"];
    let refused = command(&world, &give_up);
    assert!(!refused.status.success() && said(&refused).contains("may still arrive"), "{}", said(&refused));
    until("it has gone back", async || {
        world.chain.mine(1).await;
        world.server.later(Duration::from_secs(60));
        operator.list(&["refund", "list"]).iter().any(|line| line["status"] == json!("succeeded"))
    })
    .await;
    world.is_well().await;
}
