//! The catalog, from the operator's command or CSV file to the session that sells from it.

use crate::support::{Answer, Shop, VendorCommands};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_copies_its_product_and_keeps_the_copy() {
    let (commands, _service, shop) = VendorCommands::with_shop("live").await;
    let product = ["product", "create", "--id", "ATLAS-2", "--name", " Atlas, 2nd ed. ", "--price", "49.9"];
    commands.json(&[&product as &[&str], &["--currency", "usd"]].concat());
    let first = sold(&shop, &json!({ "product_id": "ATLAS-2" })).await;
    assert_eq!(item(&shop, &first).await, "Atlas, 2nd ed. / 49.9 / USD");

    let changed = "product_id,name,price,currency\nATLAS-2,Atlas,1000,JPY\n";
    assert_eq!(commands.import("product", changed, &[]).1["updated"], 1);
    let second = sold(&shop, &json!({ "product_id": "ATLAS-2" })).await;
    assert_eq!(item(&shop, &second).await, "Atlas / 1000 / JPY");
    commands.json(&["product", "archive", "ATLAS-2"]);
    assert_eq!(item(&shop, &first).await, "Atlas, 2nd ed. / 49.9 / USD", "a session stays what it was");
    assert_eq!(item(&shop, &second).await, "Atlas / 1000 / JPY");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_create_takes_only_what_the_vendors_catalog_has() {
    let (commands, _service, shop) = VendorCommands::with_shop("live").await;
    commands.fill();
    let stranger = text(&commands.till.vendor()["vendor_id"]);
    let theirs = ["product", "create", "--vendor", &stranger, "--id", "THEIRS", "--name", "Atlas"];
    commands.till.json(&[&theirs as &[&str], &["--price", "1", "--currency", "RUB"]].concat());
    for fields in [
        json!({ "product_id": "ATLAS" }),
        json!({ "product_id": "ATLAS", "category_id": "books" }),
        json!({ "product_id": "ATLAS", "category_id": null, "product_name": null }),
        json!({ "product_id": "GLOBE" }),
    ] {
        sold(&shop, &fields).await;
    }
    for (fields, field, code) in [
        (json!({ "product_id": "NOTHING" }), "product_id", "unknown_product"),
        (json!({ "product_id": "atlas" }), "product_id", "unknown_product"),
        (json!({ "product_id": "no such/id" }), "product_id", "unknown_product"),
        (json!({ "product_id": "" }), "product_id", "unknown_product"),
        (json!({ "product_id": "OLD" }), "product_id", "unknown_product"),
        (json!({ "product_id": "THEIRS" }), "product_id", "unknown_product"),
        (json!({ "product_id": "ATLAS", "product_name": "A" }), "product_id", "conflicting_item"),
        (json!({ "product_id": "ATLAS", "price": 1 }), "product_id", "conflicting_item"),
        (json!({ "product_id": "ATLAS", "currency": "RUB" }), "product_id", "conflicting_item"),
        (json!({ "product_id": "ATLAS", "category_id": "maps" }), "category_id", "category_mismatch"),
        (json!({ "product_id": "GLOBE", "category_id": "books" }), "category_id", "category_mismatch"),
        (json!({ "product_id": "ATLAS", "category_id": "none" }), "category_id", "unknown_category"),
        (json!({ "product_id": "ATLAS", "category_id": "gone" }), "category_id", "unknown_category"),
    ] {
        assert_eq!(outcome(&create(&shop, &fields).await), refused(field, code), "{fields}");
    }
    let both = json!({ "product_id": "NOTHING", "category_id": "none" });
    let expected = "422 invalid_request product_id:unknown_product category_id:unknown_category";
    assert_eq!(outcome(&create(&shop, &both).await), expected);
    commands.json(&["product", "restore", "OLD"]);
    sold(&shop, &json!({ "product_id": "OLD" })).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_category_only_tags_an_item_that_the_request_describes() {
    let (commands, _service, shop) = VendorCommands::with_shop("live").await;
    commands.fill();
    let described =
        json!({ "product_name": "Atlas", "price": "5", "currency": "USD", "category_id": "maps" });
    let session = sold(&shop, &described).await;
    assert_eq!(item(&shop, &session).await, "Atlas / 5 / USD");
    for category in ["none", "gone", "no such/id"] {
        let mut fields = described.clone();
        fields["category_id"] = json!(category);
        let expected = refused("category_id", "unknown_category");
        assert_eq!(outcome(&create(&shop, &fields).await), expected, "{category}");
    }
    commands.json(&["category", "restore", "gone"]);
    sold(&shop, &json!({ "product_name": "Atlas", "price": 5, "currency": "USD", "category_id": "gone" }))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_refuses_the_catalogs_fields() {
    let (commands, _service, shop) = VendorCommands::with_shop("sandbox").await;
    commands.fill();
    let product = refused("product_id", "field_not_allowed_in_sandbox");
    let category = refused("category_id", "field_not_allowed_in_sandbox");
    let described = json!({ "product_name": "Atlas", "price": "5", "currency": "USD" });
    let with = |name: &str| {
        let mut fields = described.clone();
        fields[name] = json!("ATLAS");
        fields
    };
    assert_eq!(outcome(&create(&shop, &json!({ "product_id": "ATLAS" })).await), product);
    assert_eq!(outcome(&create(&shop, &with("product_id")).await), product);
    assert_eq!(outcome(&create(&shop, &with("category_id")).await), category);
    assert_eq!(outcome(&create(&shop, &described).await), "201");
}

#[test]
fn commands_make_list_archive_and_restore_what_a_vendor_sells() {
    let commands = VendorCommands::new();
    for (kind, hint) in [("product", "till product create"), ("category", "till category create")] {
        assert!(commands.text(&[kind, "list"]).contains(hint), "an empty list says what to do");
        assert_eq!(commands.json(&[kind, "list"]), json!([]));
    }
    let books = json!({ "category_id": "books", "name": "Books", "archived": false });
    assert_eq!(commands.json(&["category", "create", "--id", "books", "--name", "Books"]), books);
    let atlas = ["--name", "Atlas", "--price", "49.90", "--currency", "eur", "--category", "books"];
    let made = commands.json(&[&["product", "create"], &atlas as &[&str]].concat());
    let id = text(&made["product_id"]);
    assert!(id.starts_with("prd_") && id.len() == 20, "{id}");
    let mut expected = json!({ "product_id": id, "name": "Atlas", "price": "49.90", "currency": "EUR",
        "category_id": "books", "archived": false });
    assert_eq!((&made, commands.json(&["product", "list"])), (&expected, json!([expected])));
    assert!(
        text(&commands.json(&["category", "create", "--name", "Maps"])["category_id"]).starts_with("cat_")
    );

    for (verb, archived) in [("archive", true), ("archive", true), ("restore", false), ("restore", false)] {
        expected["archived"] = json!(archived);
        assert_eq!(commands.json(&["product", verb, &id]), expected);
        assert_eq!(commands.json(&["product", "list"]), json!([expected]));
        assert_eq!(commands.json(&["category", verb, "books"])["archived"], archived);
    }
    let listed = commands.text(&["product", "list"]);
    assert!(["49.90 EUR", "books", "on sale", "Atlas"].iter().all(|word| listed.contains(word)), "{listed}");
    assert!(commands.text(&["product", "archive", &id]).contains("is archived"));
    assert!(commands.text(&["category", "list"]).contains("in use"));
}

#[test]
fn a_command_that_cannot_be_done_says_why() {
    let commands = VendorCommands::new();
    commands.json(&["category", "create", "--id", "books", "--name", "Books"]);
    let product = |id: &'static str, price: &'static str, currency: &'static str, category: &'static str| {
        let name = ["product", "create", "--name", "Atlas", "--id", id];
        [&name as &[&str], &["--price", price, "--currency", currency, "--category", category]].concat()
    };
    commands.json(&product("ATLAS", "5", "RUB", "books"));
    for (arguments, words) in [
        (product("ATLAS", "6", "RUB", ""), "product ATLAS already exists; choose another --id"),
        (product("B", "5.001", "RUB", ""), "price has 3 decimals but RUB allows 2"),
        (product("B", "5", "XXX", ""), "currency must be an active ISO 4217"),
        (product("B", "5", "RUB", "maps"), "there is no category maps; `till category list"),
        (product("no good", "5", "RUB", ""), "product_id must be 1 to 64"),
        (vec!["category", "create", "--id", "books", "--name", "B"], "category books already exists"),
        (vec!["category", "create", "--name", " "], "name must not be empty"),
        (vec!["product", "archive", "B"], "there is no product B; `till product list"),
        (vec!["product", "restore", "no good"], "there is no product no good"),
        (vec!["category", "archive", "maps"], "there is no category maps"),
    ] {
        let told = commands.error(&arguments);
        assert!(told.starts_with("till: ") && told.contains(words), "{arguments:?}: {told}");
    }
    assert_eq!(commands.json(&["product", "list"])[0]["price"], "5", "nothing was changed");
    assert_eq!(commands.json(&["category", "list"])[0]["name"], "Books");
}

#[test]
fn a_product_with_several_wrong_fields_is_told_about_each() {
    let told = VendorCommands::new().error(&[
        "product",
        "create",
        "--name",
        " ",
        "--price",
        "1,5,0",
        "--currency",
        "XXX",
    ]);
    for field in ["name must not be empty", "price must be a decimal", "currency must be"] {
        assert!(told.contains(field), "no {field:?} in: {told}");
    }
}

/// Creates a session for an item.
async fn create(shop: &Shop, item: &Value) -> Answer {
    let mut body = item.clone();
    body["order_id"] = json!("A-1");
    shop.create(&body).await
}

/// Creates a session that must be accepted, and returns its id.
async fn sold(shop: &Shop, item: &Value) -> String {
    let answer = create(shop, item).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.text("session_id")
}

/// The item of a session, from its status.
async fn item(shop: &Shop, session: &str) -> String {
    let answer = shop.status(session).await;
    format!("{} / {} / {}", answer.text("productName"), answer.text("price"), answer.text("currency"))
}

/// `201`, or a problem with its wrong fields.
fn outcome(answer: &Answer) -> String {
    if answer.status == 201 {
        return "201".to_owned();
    }
    [vec![answer.problem()], answer.fields()].concat().join(" ")
}

/// The outcome where one field is wrong and the answer has its code.
fn refused(field: &str, code: &str) -> String {
    format!("422 {code} {field}:{code}")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
