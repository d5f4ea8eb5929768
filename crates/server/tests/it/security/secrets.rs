//! Secrets are neither in the store nor in the logs in clear.

use crate::support::{Shop, Till};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i25_t25_t26_no_secret_is_in_the_store_or_the_log() {
    let mut till = Till::new();
    till.set("TILL_LOG", "trace").set("TILL_SIMULATOR", "on");
    let service = till.serve();
    let vendor = till.vendor();
    let mut canaries = vec![crate::support::MASTER_KEY.to_owned()];
    for environment in ["live", "sandbox"] {
        let mut shop = service.shop(environment, &vendor);
        shop.log_in().await;
        let mut body = Shop::book("canary-order");
        body["return_url"] = json!("https://shop.example/?canary-query=1");
        assert_eq!(shop.create(&body).await.status, 201);
        shop.ask_token(
            &json!({ "client_id": shop.credentials.client_id, "client_secret": "canary-wrong-secret" }),
        )
        .await;
        shop.status("x").await;
        canaries.extend([
            shop.credentials.client_secret.clone(),
            shop.token.clone(),
            "canary-wrong-secret".to_owned(),
        ]);
    }
    let rotated =
        till.json(&["vendor", "rotate", vendor["vendor_id"].as_str().expect("an id"), "--env", "live"]);
    canaries.push(rotated["client_secret"].as_str().expect("a secret").to_owned());
    let log = service.log();
    assert!(log.contains("serves"), "there is a log");
    for canary in canaries.iter().map(String::as_str).chain(["canary-order", "canary-query"]) {
        assert!(!log.contains(canary), "{canary} is in the log");
    }
    service.terminate();
    for file in std::fs::read_dir(till.folder()).expect("a folder") {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("readable");
        for canary in &canaries {
            let found = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
            assert!(!found, "{canary} is in {}", path.display());
        }
    }
}
