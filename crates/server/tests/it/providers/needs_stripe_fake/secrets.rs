//! The client secret lets its holder pay: only the customer gets it, and it cannot be read from the store.

use super::World;
use crate::support::{MASTER_KEY, OTHER_KEY};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use secrecy::ExposeSecret as _;
use std::fs;
use till_domain::{
    attempt::{Instructions, Values},
    environment::EnvironmentName,
};
use till_service::{
    admin::KeyRotation,
    vault::{MasterKey, Vault},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t26_no_file_of_the_store_holds_a_client_secret_in_clear() {
    let world = World::new().await;
    let (first, second) = (world.begin("A-1").await, world.begin("A-2").await);
    let page = world.page(&first).await.body;
    let truth = world.fake.truth().await;
    let secret = |intent: &str| truth["intents"][intent]["client_secret"].as_str().expect("it").to_owned();
    assert!(page.contains(&secret(&first.intent)), "the customer has it");
    assert!(!page.contains(&secret(&second.intent)));
    let mut read = 0;
    for file in fs::read_dir(world.server.folder()).expect("a folder") {
        let path = file.expect("a file").path();
        let Ok(bytes) = fs::read(&path) else { continue };
        read += bytes.len();
        for intent in [&first.intent, &second.intent] {
            let secret = secret(intent);
            let tail = secret.split("_secret_").nth(1).expect("the secret part").as_bytes();
            assert!(!bytes.windows(tail.len()).any(|part| part == tail), "it is in {}", path.display());
        }
        assert!(!bytes.windows(15).any(|part| part == b"pk_test_adapter"), "{}", path.display());
    }
    assert!(read > 100_000, "there was something to read");
    // A value sealed for one attempt cannot be opened for another.
    let [one, other] = [&first, &second].map(|payment| payment.session.clone());
    let (one, other) =
        (world.server.attempts(&one).await.remove(0), world.server.attempts(&other).await.remove(0));
    let Some(Instructions::Embedded { values: Values::Sealed(sealed), .. }) = &one.instructions else {
        panic!("sealed")
    };
    let shell = rusqlite::Connection::open(world.server.folder().join("live.db")).expect("the store");
    let text = format!("{{\"kind\":\"embedded\",\"origins\":[],\"sealed\":\"{sealed}\"}}");
    let moved = shell.execute(
        "UPDATE payment_attempts SET shown = ?1, version = version + 1 WHERE id = ?2",
        (text, other.id.as_bytes().to_vec()),
    );
    assert_eq!(moved.expect("a row"), 1);
    assert_eq!(world.page(&second).await.status, 500);
    assert_eq!(world.page(&first).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f33_the_form_of_an_attempt_is_sealed_anew_when_the_key_is_rotated() {
    let world = World::new().await;
    let payment = world.begin("A-1").await;
    let key = |text| MasterKey::parse(text).expect("a key");
    let vault = Vault::new(&key(OTHER_KEY)).with_previous(Some(&key(MASTER_KEY)));
    let server = &world.server;
    let (live, sandbox) = (server.live.store.payments(), server.sandbox.store.payments());
    let payments = [(EnvironmentName::Live, &*live), (EnvironmentName::Sandbox, &*sandbox)];
    let rotation = KeyRotation { accounts: &server.accounts, payments, vault: &vault };
    let first = rotation.reseal(|_| ()).await.expect("a pass");
    assert_eq!((first.unreadable.len(), rotation.reseal(|_| ()).await.expect("a pass").resealed), (0, 0));
    let attempt = server.attempts(&payment.session).await.remove(0);
    let Some(Instructions::Embedded { values: Values::Sealed(sealed), .. }) = &attempt.instructions else {
        panic!("sealed")
    };
    let place = format!("payment_attempts/live/{}/shown", attempt.id);
    let bytes = STANDARD_NO_PAD.decode(sealed).expect("base64");
    let opened = Vault::new(&key(OTHER_KEY)).open_text(&place, &bytes).expect("it opens with the new key");
    assert!(opened.expose_secret().contains(&payment.intent), "the form is the same");
    assert!(Vault::new(&key(MASTER_KEY)).open_text(&place, &bytes).is_err());
}
