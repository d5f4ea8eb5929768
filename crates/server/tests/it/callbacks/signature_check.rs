//! The signature doctor: as a call of the API, as a form of the panel, and as a command.

use crate::{
    panel::detail::{attribute, texts},
    support::{Answer, Receiver, Reply, Server, Shop, Till, signature},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::Method;
use serde_json::{Value, json};
use std::{io::Write as _, process::Stdio};
use till_domain::user::Role;

const BODY: &str = r#"{"event":"session.paid","price":"49.90","productName":"Атлас"}"#;

async fn check(shop: &Shop, url: &str, asked: &Value) -> Answer {
    let bearer = shop.bearer();
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    shop.send(Method::POST, url, &headers, asked.to_string().into_bytes()).await
}

/// The codes of the mistakes that were found.
fn codes(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let verdict = answer.json();
    let found = verdict["diagnosis"].as_array().expect("a list").iter();
    found.map(|found| found["code"].as_str().expect("a code").to_owned()).collect()
}

fn base64_of(hex: &str) -> String {
    BASE64_STANDARD.encode(hex::decode(hex).expect("hex"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_api_says_which_mistake_leads_to_a_signature() {
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Status(204)]);
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let live = server.shop("live", &vendor).await;
    let url = format!("{}/api/sandbox/vendor/signature-checks", server.url);
    let mut order = Shop::book("A-1");
    order["callback_url"] = json!(receiver.url("/"));
    let id = shop.create(&order).await.text("session_id");
    shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    let received = receiver.wait("/", 1).await.remove(0);
    let body = String::from_utf8(received.body.clone()).expect("text");
    let right = received.header("x-signature");
    let asked = |signature: &str| json!({ "body": body, "signature": signature });

    let verdict = check(&shop, &url, &asked(right)).await;
    assert_eq!((verdict.json()["right"].clone(), codes(&verdict)), (json!(true), vec!["right".to_owned()]));
    let secrets = [&shop.credentials.client_secret, &live.credentials.client_secret];
    for (signature, code) in [
        (base64_of(right), "base64"),
        (signature(&live.credentials.client_secret, body.as_bytes()), "other_environment"),
        (signature(&shop.credentials.client_id, body.as_bytes()), "client_id_as_key"),
        (signature(&shop.token, body.as_bytes()), "token_as_key"),
        (signature("sk_sandbox_of-nobody", body.as_bytes()), "nothing_found"),
        (received.header("webhook-signature").to_owned(), "standard_webhooks"),
    ] {
        let verdict = check(&shop, &url, &asked(&signature)).await;
        assert_eq!((verdict.json()["right"].clone(), codes(&verdict)), (json!(false), vec![code.to_owned()]));
        assert!(!secrets.iter().any(|secret| verdict.body.contains(secret.as_str())), "{}", verdict.body);
    }
    let changed = json!({ "body": body.replace("A-1", "A-2"), "signature": right });
    assert_eq!(codes(&check(&shop, &url, &changed).await), ["body_changed"], "the event is known by its id");
    let other = server.vendor().await;
    let stranger = server.shop("sandbox", &other).await;
    let theirs = check(&stranger, &url, &asked(right)).await;
    assert_eq!(codes(&theirs), ["nothing_found"], "nothing is known of another vendor's events and secrets");

    let in_base64 =
        json!({ "body": BASE64_STANDARD.encode(&body), "body_encoding": "base64", "signature": right });
    assert_eq!(codes(&check(&shop, &url, &in_base64).await), ["right"]);
    for (wrong, fields) in [
        (json!({}), vec!["body:required", "signature:required"]),
        (
            json!({ "body": 1, "signature": "", "body_encoding": "utf16" }),
            vec!["body:wrong_type", "body_encoding:unknown_value"],
        ),
        (json!({ "body": "%", "signature": "x", "body_encoding": "base64" }), vec!["body:wrong_type"]),
    ] {
        let refused = check(&shop, &url, &wrong).await;
        assert_eq!(refused.problem(), "422 invalid_request", "{wrong}");
        assert_eq!(refused.fields(), fields);
    }
    let nowhere = check(&live, &format!("{}/api/signature-checks", server.url), &asked(right)).await;
    assert_eq!(nowhere.status, 404, "it is a part of the sandbox");
    assert_eq!(check(&live, &url, &asked(right)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_panel_says_it_in_a_sentence() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let path = "/panel/settings/signature";
    let right = signature(&shop.credentials.client_secret, BODY.as_bytes());
    let upper = right.to_uppercase();
    for (form, code) in [
        (vec![("body", BODY), ("signature", right.as_str())], "right"),
        (vec![("body", BODY), ("signature", &upper)], "upper_case"),
        (vec![("body", &format!("{BODY}\r\n")), ("signature", &right)], "body_trailing_newline"),
        (vec![("body", &BASE64_STANDARD.encode(BODY)), ("base64", "on"), ("signature", &right)], "right"),
    ] {
        let page = ada.post(path, &form).await;
        assert_eq!(page.status, 200);
        assert_eq!(attribute(&page.body, "[data-testid=diagnosis]", "data-code"), code);
        assert!(!page.body.contains(&shop.credentials.client_secret));
    }
    for (form, says) in [
        (vec![("body", ""), ("signature", right.as_str())], "Paste the body of the callback."),
        (vec![("body", BODY), ("signature", " ")], "Paste the signature that your code computed."),
        (
            vec![("body", "{}"), ("base64", "on"), ("signature", &right)],
            "This is not base64. Clear the box if the body is plain text.",
        ),
    ] {
        let page = ada.post(path, &form).await;
        assert_eq!(page.status, 422);
        assert!(page.body.contains(says), "{says}");
        let kept = texts(&page.body, "textarea").join("");
        assert_eq!(kept.trim(), form[0].1, "nothing typed is lost");
    }
}

#[test]
fn the_command_needs_no_service() {
    let till = Till::new();
    let run = |signature: &str, more: &[&str], secret: Option<&str>| {
        let mut command = till.command(&[&["signature", "check", "--signature", signature], more].concat());
        command.env_remove("TILL_MASTER_KEY").env_remove("TILL_CLIENT_SECRET");
        command.envs(secret.map(|secret| ("TILL_CLIENT_SECRET", secret)));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut input = child.stdin.take().expect("a pipe");
        // It may have ended without reading.
        let _ = input.write_all(BODY.as_bytes());
        drop(input);
        let output = child.wait_with_output().expect("an end");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let secret = "sk_sandbox_of-the-developer";
    let right = signature(secret, BODY.as_bytes());
    let (code, said, _) = run(&right, &[], Some(secret));
    assert_eq!((code, said.as_str()), (Some(0), "The signature is right.\n"));
    let (code, said, _) = run(&format!("sha256={right}"), &["--json"], Some(secret));
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(
        (code, &said["right"], &said["diagnosis"][0]["code"]),
        (Some(1), &json!(false), &json!("prefix"))
    );
    let of_id = signature("sandbox_1", BODY.as_bytes());
    let (code, said, _) = run(&of_id, &["--client-id", "sandbox_1"], Some(secret));
    assert_eq!(code, Some(1));
    assert!(said.starts_with("The client id was used as the key."), "{said}");
    let (_, said, _) = run(&signature("", BODY.as_bytes()), &[], Some(secret));
    assert!(said.starts_with("The key was empty."), "{said}");
    let (code, _, error) = run(&right, &["--body", "/nowhere"], Some(secret));
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot read the body from /nowhere"), "{error}");
    let (code, _, error) = run(&right, &[], Some(""));
    assert_eq!(code, Some(1));
    assert!(error.contains("the client secret is empty"), "{error}");
}
