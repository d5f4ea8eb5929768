//! A vendor's products and categories in the panel: single edits, imports of tables, and their use by the
//! API.

use super::{deeds, rows, text_of, told};
use crate::support::{Answer, Person, Server, Vendor, entry};
use serde_json::Value;
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    catalog::{Category, CategoryId, Product, ProductId},
    id::VendorId,
    money::{Currency, Price},
    user::Role,
};

const HEAD: &str = "product_id,name,price,currency,category_id\n";

/// A vendor whose sandbox is off, and its admin.
async fn live(server: &Server) -> (Vendor, Person) {
    let vendor = server.vendor().await;
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    let ada = server.person(&format!("ada-{}", vendor.id), Role::VendorAdmin, Some(vendor.id)).await;
    (vendor, ada)
}

async fn products(server: &Server, vendor: VendorId) -> Vec<Product> {
    server.accounts.products(vendor).await.expect("a read")
}

async fn ids(server: &Server, vendor: VendorId) -> String {
    let all = products(server, vendor).await;
    all.iter().map(|product| product.id.to_string()).collect::<Vec<_>>().join(" ")
}

/// Sends a form as a browser sends one with a file.
async fn upload(person: &Person, path: &str, fields: &[(&str, &str)], file: Option<&[u8]>) -> Answer {
    let csrf = person.csrf().await;
    let mut body = Vec::new();
    for (name, value) in [&[("csrf", csrf.as_str())], fields].concat() {
        let head = format!("--xX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    let head = "--xX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"";
    let name = if file.is_some() { "products.csv" } else { "" };
    let head = format!("{head}{name}\"\r\nContent-Type: text/csv\r\n\r\n");
    body.extend([head.as_bytes(), file.unwrap_or_default(), b"\r\n--xX--\r\n"].concat());
    let request = person.browser.client.post(format!("{}{path}", person.browser.url)).body(body);
    let request = request.header("content-type", "multipart/form-data; boundary=xX");
    let request = request.header("cookie", &person.cookies).header("origin", &person.browser.url);
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    Answer { status, headers, body: response.text().await.expect("a body") }
}

/// The numbers of rows that a preview would add, change, leave unchanged and skip.
fn tally(page: &Answer) -> [String; 4] {
    assert_eq!(page.status, 200, "{}", page.body);
    ["added", "changed", "same", "bad"]
        .map(|word| text_of(&page.body, &format!("[data-testid=count-{word}]")))
}

fn hidden(page: &Answer, name: &str) -> String {
    let document = scraper::Html::parse_document(&page.body);
    let field = scraper::Selector::parse(&format!("input[name={name}]")).expect("a selector");
    document.select(&field).next().and_then(|input| input.attr("value")).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_product_is_added_sold_changed_archived_and_brought_back() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    assert!(text_of(&ada.get("/panel/products").await.body, "[data-testid=empty]").contains("first one"));
    let form =
        [("name", " Atlas & Globe "), ("price", "4 990,00"), ("currency", "rub"), ("product_id", "ATLAS-2")];
    let added = ada.post("/panel/products", &form).await;
    assert_eq!(added.header("location"), Some("/panel/products/item?id=ATLAS-2&done=saved"));
    let page = ada.get("/panel/products/item?id=ATLAS-2").await.body;
    let snippet = text_of(&page, "[data-testid=snippet]");
    assert!(snippet.contains(&format!("{}/api/product/session", server.url)), "{snippet}");
    let body = snippet.split("-d '").nth(1).and_then(|rest| rest.strip_suffix('\'')).expect("a body");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let shop = server.shop("live", &vendor).await;
    let sold = shop.create(&body).await;
    assert_eq!(sold.status, 201, "{}", sold.body);
    let changed = [("name", "Atlas"), ("price", "10"), ("currency", "EUR"), ("product_id", "ATLAS-2")];
    assert_eq!(ada.post("/panel/products/item", &changed).await.status, 303);
    let stored = products(&server, vendor.id).await.remove(0);
    assert_eq!((stored.name.as_str(), stored.price.money().to_string().as_str()), ("Atlas", "10.00 EUR"));
    assert!(ada.get("/panel/products/archive?id=ATLAS-2").await.body.contains("Atlas"));
    assert_eq!(
        products(&server, vendor.id).await,
        std::slice::from_ref(&stored),
        "a question changes nothing"
    );
    assert_eq!(ada.post("/panel/products/archive", &[("id", "ATLAS-2")]).await.status, 303);
    let refused = shop.create(&serde_json::json!({ "product_id": "ATLAS-2", "order_id": "2" })).await;
    assert_eq!((refused.status.as_u16(), refused.text("code").as_str()), (422, "unknown_product"));
    assert!(rows(&ada.get("/panel/products").await.body, "product-row").is_empty());
    assert_eq!(rows(&ada.get("/panel/products?state=archived").await.body, "product-row").len(), 1);
    assert_eq!(ada.post("/panel/products/restore", &[("id", "ATLAS-2")]).await.status, 303);
    assert_eq!(products(&server, vendor.id).await, [stored]);
    let expected = [
        AuditEvent::ProductCreated,
        AuditEvent::ProductChanged,
        AuditEvent::ProductArchived,
        AuditEvent::ProductRestored,
    ];
    assert_eq!(deeds(&server, vendor.id, &expected).await, expected, "each once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_product_is_said_beside_its_field_and_nothing_is_lost() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let wrong = [
        ("name", "<b>\u{202e}"),
        ("price", "1,5,0"),
        ("currency", "XXX"),
        ("product_id", "a b"),
        ("category_id", "no"),
    ];
    let answer = ada.post("/panel/products", &wrong).await;
    assert_eq!(answer.status, 422);
    let document = scraper::Html::parse_document(&answer.body);
    let marked = scraper::Selector::parse("[aria-invalid=true]").expect("a selector");
    assert_eq!(document.select(&marked).count(), 5);
    for (name, value) in &wrong[..4] {
        assert_eq!(&hidden(&answer, name), value, "what was typed");
    }
    let good = [("name", "Atlas"), ("price", "1"), ("currency", "RUB"), ("product_id", "A")];
    assert_eq!(ada.post("/panel/products", &good).await.status, 303);
    let lines = told(&server, vendor.id).await.len();
    assert_eq!(ada.post("/panel/products", &good).await.status, 422, "the id is taken");
    let long = "x".repeat(256);
    let renamed = [("name", long.as_str()), ("price", "1"), ("currency", "RUB"), ("product_id", "A")];
    assert_eq!(ada.post("/panel/products/item", &renamed).await.status, 422);
    assert_eq!(ada.post("/panel/products/item", &good).await.status, 303, "as it is");
    assert_eq!(told(&server, vendor.id).await.len(), lines, "what changes nothing is not told");
    for path in ["item", "archive"] {
        for id in ["B", "", "..", "%00", "a%20b"] {
            assert_eq!(ada.get(&format!("/panel/products/{path}?id={id}")).await.status, 404, "{path} {id}");
        }
    }
    for path in ["item", "archive", "restore"] {
        let form = [("id", "B"), ("product_id", "B"), ("name", "x"), ("price", "1"), ("currency", "RUB")];
        assert_eq!(ada.post(&format!("/panel/products/{path}"), &form).await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn categories_are_made_renamed_and_put_aside() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    assert_eq!(ada.post("/panel/categories", &[("name", " "), ("category_id", "a/b")]).await.status, 422);
    let books = [("name", "Books"), ("category_id", "books")];
    assert_eq!(ada.post("/panel/categories", &books).await.status, 303);
    assert_eq!(ada.post("/panel/categories", &books).await.status, 422, "taken");
    assert_eq!(
        ada.post("/panel/categories/item", &[("name", "Old books"), ("category_id", "books")]).await.status,
        303
    );
    for archived in [true, false] {
        let word = if archived { "archive" } else { "restore" };
        assert_eq!(ada.post(&format!("/panel/categories/{word}"), &[("id", "books")]).await.status, 303);
        let id = CategoryId::parse("books").expect("an id");
        let expected = Category { id, name: "Old books".to_owned(), archived };
        assert_eq!(server.accounts.categories(vendor.id).await.expect("a read"), [expected]);
    }
    let table = "category_id;name\r\nbooks;Old books\r\nmaps;Карты\r\n;\r\n";
    let page = upload(&ada, "/panel/categories/import", &[("text", table)], None).await;
    assert_eq!(tally(&page), ["1", "0", "1", "1"]);
    let taken =
        upload(&ada, "/panel/categories/import/take", &[("rows", &hidden(&page, "rows"))], None).await;
    assert_eq!(taken.header("location"), Some("/panel/categories?done=imported"));
    assert_eq!(server.accounts.categories(vendor.id).await.expect("a read").len(), 2);
    use AuditEvent::{
        CategoriesImported, CategoryArchived, CategoryChanged, CategoryCreated, CategoryRestored,
    };
    let expected = [CategoryCreated, CategoryChanged, CategoryArchived, CategoryRestored, CategoriesImported];
    assert_eq!(deeds(&server, vendor.id, &expected).await, expected, "each once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_shows_everything_first_and_stores_the_good_rows_once() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let first = format!("{HEAD}A,Atlas,1,RUB,\nB,Globe,2,RUB,\n");
    let page = upload(&ada, "/panel/products/import", &[("text", "ignored")], Some(first.as_bytes())).await;
    assert_eq!(tally(&page), ["2", "0", "0", "0"]);
    assert_eq!(ids(&server, vendor.id).await, "", "nothing is stored yet");
    assert_eq!(
        upload(&ada, "/panel/products/import/take", &[("rows", &hidden(&page, "rows"))], None).await.status,
        303
    );
    assert_eq!(ids(&server, vendor.id).await, "A B");
    assert_eq!(ada.post("/panel/products/archive", &[("id", "B")]).await.status, 303);
    let second =
        format!("\u{feff}{HEAD}A,Atlas,1,RUB,\nB,Globe,2,RUB,\nC,,3,RUB,maps\n,\"Map, <b>\",3,RUB,\n");
    let page =
        upload(&ada, "/panel/products/import", &[], Some(second.replace('\n', "\r\n").as_bytes())).await;
    assert_eq!(tally(&page), ["1", "1", "1", "1"]);
    let bad = rows(&page.body, "bad-row");
    assert!(bad.len() == 2 && bad[0].starts_with("4name") && bad[1].starts_with("4category_id"), "{bad:?}");
    let left = text_of(&page.body, "[data-testid=bad-rows]");
    assert_eq!(left.trim(), format!("{HEAD}C,,3,RUB,maps"), "the bad rows can be copied");
    let good = hidden(&page, "rows");
    for _ in 0..2 {
        assert_eq!(upload(&ada, "/panel/products/import/take", &[("rows", &good)], None).await.status, 303);
    }
    let stored = products(&server, vendor.id).await;
    assert_eq!(stored.len(), 3, "a form that is sent twice adds nothing twice");
    assert!(stored.iter().all(|product| !product.archived) && stored.iter().any(|p| p.name == "Map, <b>"));
    let lines = told(&server, vendor.id).await;
    let imports: Vec<_> = lines.iter().filter(|line| line.0 == AuditEvent::ProductsImported).collect();
    assert_eq!(imports.len(), 2, "{lines:?}");
    assert!(imports.iter().any(|line| line.1 == "1 added, 1 changed"), "{imports:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_are_no_longer_good_are_shown_again_and_none_is_stored() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    // As if the category had been archived between the two forms.
    let rows = format!("{HEAD}A,Atlas,1,RUB,\nB,Globe,2,RUB,gone\n");
    let answer = upload(&ada, "/panel/products/import/take", &[("rows", &rows)], None).await;
    assert_eq!(answer.status, 409);
    assert_eq!(text_of(&answer.body, "[data-testid=count-bad]"), "1");
    assert_eq!(ids(&server, vendor.id).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_cannot_be_taken_says_why() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let many = format!("name,price,currency\n{}", "A,1,RUB\n".repeat(2_001));
    let large = format!("name,price,currency\n{}", "A,1,RUB,".repeat(40_000));
    let larger = vec![b'x'; 3 * 1024 * 1024];
    for (file, status, words) in [
        (b"" as &[u8], 422, "Choose a file"),
        (b" \r\n\r\n", 422, "Choose a file"),
        (b"name,price,currency\n", 422, "only a header line"),
        (b"name,price\nA,1\n", 422, "currency"),
        (b"name,cost,currency\nA,1,RUB\n", 422, "cost"),
        (b"PK\x03\x04\xff\xfe", 422, "UTF-8"),
        (b"\xff\xfen\0a\0m\0e\0", 422, "UTF-8"),
        (many.as_bytes(), 422, "2001"),
        (large.as_bytes(), 413, "256 KB"),
        (&larger, 413, "256 KB"),
    ] {
        let answer = upload(&ada, "/panel/products/import", &[], Some(file)).await;
        let start = file.escape_ascii().to_string().chars().take(40).collect::<String>();
        assert_eq!(answer.status, status, "{start}");
        assert!(answer.body.contains(words), "{start}: no {words}");
    }
    let pasted = upload(&ada, "/panel/products/import", &[("text", "name|price\nкарта|1")], None).await;
    assert_eq!(text_of(&pasted.body, "#text").trim(), "name|price\nкарта|1", "what was pasted is not lost");
    assert_eq!(ids(&server, vendor.id).await, "");
    let all = format!("name,price,currency\n{}", "A,1,RUB\n".repeat(2_000));
    let page = upload(&ada, "/panel/products/import", &[], Some(all.as_bytes())).await;
    assert_eq!(tally(&page), ["2000", "0", "0", "0"]);
    let taken = upload(&ada, "/panel/products/import/take", &[("rows", &hidden(&page, "rows"))], None).await;
    assert_eq!(taken.status, 303, "the largest table comes back whole: {}", taken.body);
    assert_eq!(products(&server, vendor.id).await.len(), 2_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_was_shown_can_be_confirmed_although_it_is_larger_then() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let row = format!("{},1,RUB\n", "A".repeat(122));
    let table = format!("name,price,currency\n{}", row.repeat(2_000));
    assert!(table.len() > 250 * 1024 && table.len() <= 256 * 1024, "{}", table.len());
    let page = upload(&ada, "/panel/products/import", &[], Some(table.as_bytes())).await;
    let rows = hidden(&page, "rows").replace('\n', "\r\n");
    assert!(rows.len() > 256 * 1024, "{}", rows.len());
    let taken = upload(&ada, "/panel/products/import/take", &[("rows", &rows)], None).await;
    assert_eq!(taken.status, 303);
    assert_eq!(products(&server, vendor.id).await.len(), 2_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_with_a_file_needs_its_token_like_any_other() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let rows = format!("{HEAD}A,Atlas,1,RUB,\n");
    let form = [("csrf", "wrong"), ("rows", rows.as_str())];
    assert_eq!(ada.post_with("/panel/products/import/take", &form, &[]).await.status, 403);
    let mut forged = ada.clone();
    forged.cookies = ada.cookies.clone();
    let body = format!("--xX\r\nContent-Disposition: form-data; name=\"rows\"\r\n\r\n{rows}\r\n--xX--\r\n");
    let request = ada.browser.client.post(format!("{}/panel/products/import/take", server.url)).body(body);
    let request = request.header("content-type", "multipart/form-data; boundary=xX");
    let request = request.header("cookie", &forged.cookies).header("origin", &server.url);
    assert_eq!(request.send().await.expect("an answer").status(), 403);
    assert_eq!(ids(&server, vendor.id).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_searched_by_category_name_and_page() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let viewer = server.person("vic", Role::VendorViewer, Some(vendor.id)).await;
    assert_eq!(ada.post("/panel/categories", &[("name", "Maps"), ("category_id", "maps")]).await.status, 303);
    let mut table = format!("{HEAD}K,КАРТА мира,1,RUB,maps\n");
    for number in 0..120 {
        table.push_str(&format!("P{number:03},Atlas {number},1,RUB,\n"));
    }
    let page = upload(&ada, "/panel/products/import", &[("text", &table)], None).await;
    assert_eq!(
        upload(&ada, "/panel/products/import/take", &[("rows", &hidden(&page, "rows"))], None).await.status,
        303
    );
    let found = async |query: &str| {
        let page = viewer.get(&format!("/panel/products{query}")).await;
        let document = scraper::Html::parse_document(&page.body);
        let next = scraper::Selector::parse("[data-testid=next]").expect("a selector");
        let next = document.select(&next).next().and_then(|link| link.attr("href")).map(str::to_owned);
        (rows(&page.body, "product-row").len(), next)
    };
    assert_eq!(
        found("?q=%D0%BA%D0%B0%D1%80%D1%82%D0%B0").await,
        (1, None),
        "whatever the case of the letters"
    );
    assert_eq!(found("?category=maps").await.0, 1);
    assert_eq!(found("?category=other").await.0, 0);
    assert_eq!(found("?q=P11").await.0, 10, "by id");
    let (mut count, mut next) = found("?category=~").await;
    while let Some(href) = next {
        let part = found(href.strip_prefix("/panel/products").expect("a path")).await;
        count += part.0;
        next = part.1;
    }
    assert_eq!(count, 120, "page by page");
    let page = viewer.get("/panel/products/item?id=K").await;
    assert!(page.status == 200 && !page.body.contains("data-testid=\"save\""), "a viewer only looks");
    let tables = [("/panel/products/archive", "id"), ("/panel/products/item", "product_id")];
    for (path, name) in tables {
        assert_eq!(viewer.post(path, &[(name, "K")]).await.status, 403, "{path}");
    }
    let (_, stranger) = live(&server).await;
    assert_eq!(stranger.get("/panel/products/item?id=K").await.status, 404, "another vendor's");
    assert_eq!(stranger.post("/panel/products/archive", &[("id", "K")]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_finds_little_goes_on_only_if_asked_to() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let price = Price::from_text("1", Currency::parse("RUB").expect("a currency")).expect("a price");
    let product = |number: u32| Product {
        id: ProductId::parse(&format!("P{number:05}")).expect("an id"),
        name: if number == 10_000 { "Globe" } else { "Atlas" }.to_owned(),
        price: price.clone(),
        category: None,
        archived: false,
    };
    let all: Vec<Product> = (0..=10_000).map(product).collect();
    server.accounts.put_products(vendor.id, &all, &entry()).await.expect("a write");
    let page = ada.get("/panel/products?q=globe").await.body;
    assert!(rows(&page, "product-row").is_empty());
    assert_eq!(text_of(&page, "[data-testid=next]").trim(), "Keep looking");
    let page = ada.get("/panel/products?q=globe&after=P09999").await.body;
    assert_eq!(rows(&page, "product-row").len(), 1);
    assert!(!page.contains("data-testid=\"next\""), "all was looked through");
    let page = ada.get("/panel/products?q=none&after=P09999").await.body;
    assert!(page.contains("data-testid=\"clear\"") && !page.contains("data-testid=\"next\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_has_no_catalog_and_says_so() {
    let server = Server::start().await;
    let (vendor, ada) = live(&server).await;
    let good = [("name", "Atlas"), ("price", "1"), ("currency", "RUB"), ("product_id", "A")];
    assert_eq!(ada.post("/panel/products", &good).await.status, 303);
    assert!(ada.get("/panel/settings").await.body.contains("href=\"/panel/products\""));
    server.accounts.set_sandbox(vendor.id, true, &entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert!(!ada.get("/panel/settings").await.body.contains("href=\"/panel/products\""));
    for path in ["products", "products/new", "products/item?id=A", "products/import", "categories"] {
        let page = ada.get(&format!("/panel/{path}")).await;
        assert!(page.status == 200 && page.body.contains("data-kind=\"no-catalog\""), "{path}");
        assert!(!page.body.contains("Atlas"), "{path}");
    }
    for path in ["products", "products/archive", "categories"] {
        let answer =
            ada.post(&format!("/panel/{path}"), &[("id", "A"), ("name", "New"), ("product_id", "A")]).await;
        assert_eq!(answer.status, 409, "{path}");
    }
    let id = ProductId::parse("A").expect("an id");
    let product = server.accounts.product(vendor.id, &id).await.expect("a read").expect("a product");
    assert!(!product.archived && product.name == "Atlas");
}
