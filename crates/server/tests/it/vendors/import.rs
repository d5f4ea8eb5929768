//! Importing products and categories from a file: which rows are taken or left out, and the report.

use crate::support::VendorCommands;
use serde_json::{Value, json};
use std::fmt::Write as _;

#[test]
fn a_file_from_a_spreadsheet_is_imported_whole() {
    let commands = VendorCommands::new();
    let categories = "\u{feff}name,category_id\r\nBooks,books\r\n\"Maps, folded\",maps\r\n";
    let counts = json!({ "created": 2, "updated": 0, "unchanged": 0, "bad": [], "dry_run": false });
    assert_eq!(commands.import("category", categories, &[]), (0, counts.clone()));
    let products = "\u{feff}product_id,name,price,currency,category_id\r\n\
        ATLAS,\"Atlas, \"\"Northern\"\" Light\",4990.00,rub,books\r\n\
        \"GLOBE\", Глобус ,1000,JPY,\r\n";
    assert_eq!(commands.import("product", products, &[]), (0, counts));
    let row = |id: &str, name: &str, price: &str, currency: &str, category: Value| {
        json!({ "product_id": id, "name": name, "price": price, "currency": currency,
            "category_id": category, "archived": false })
    };
    let expected = json!([
        row("ATLAS", "Atlas, \"Northern\" Light", "4990.00", "RUB", json!("books")),
        row("GLOBE", "Глобус", "1000", "JPY", Value::Null),
    ]);
    assert_eq!(commands.json(&["product", "list"]), expected);
    assert_eq!(commands.json(&["category", "list"])[1]["name"], "Maps, folded");
    let without_ids = "currency,price,name\nRUB,1,A\nRUB,1,A\n";
    assert_eq!(
        commands.import("product", without_ids, &[]).1["created"],
        2,
        "each row is a product of its own"
    );
}

#[test]
fn semicolons_tabs_and_decimal_commas_are_a_spreadsheets_too() {
    let commands = VendorCommands::new();
    for (mark, id) in [(";", "A"), ("\t", "B")] {
        let rows = [["product_id", "name", "price", "currency"], [id, "Atlas, folded", "4990,50", "RUB"]];
        let file = rows.map(|row| row.join(mark)).join("\r\n");
        assert_eq!(commands.import("product", &file, &[]).1["created"], 1, "{file}");
        assert_eq!(commands.import("product", &file, &[]).1["unchanged"], 1, "{file}");
    }
    let list = commands.json(&["product", "list"]);
    assert_eq!((&list[0]["price"], &list[1]["price"]), (&json!("4990.50"), &json!("4990.50")));
    let (_, report) = commands.import("product", "name;price;currency\nAtlas;1,234;KWD\n", &[]);
    assert_eq!(bad_rows(&report), ["2 price:invalid_number"], "it may be a thousand");
}

#[test]
fn every_bad_row_is_reported_with_its_line_and_the_good_ones_are_imported() {
    let commands = VendorCommands::new();
    let mut file = b"product_id,name,price,currency,category_id\n".to_vec();
    let mut expected = Vec::new();
    let mut line = 2;
    for (row, errors) in [
        (b"A,Atlas,1,RUB," as &[u8], &[] as &[&str]),
        (b"B,Atlas,12.345,USD,", &["price:too_many_decimals"]),
        (b"B,Atlas,1.0,JPY,", &["price:too_many_decimals"]),
        (b"B,Atlas,free,USD,", &["price:invalid_number"]),
        (b"B,Atlas,0.00,USD,", &["price:not_positive"]),
        (b"B,Atlas,1000000000000,USD,", &["price:too_large"]),
        (b"B,,1,RUB,", &["name:empty"]),
        (b"B,Atlas,1,XXX,", &["currency:unknown_currency"]),
        (b"B,Atlas,1,RUB,maps", &["category_id:unknown_category"]),
        (b"b c,Atlas,1,RUB,", &["product_id:invalid_id"]),
        (b"A,Atlas,1,RUB,", &[":repeated"]),
        (b"B,Atlas,1,RUB", &[":bad_row"]),
        (b"B,Atlas,1,RUB,,", &[":bad_row"]),
        (b"B,Atl\xE1s,1,RUB,", &[":bad_row"]),
        (b"B,\"two\nlines\",1,RUB,", &["name:invalid_character"]),
        (
            b"b c, ,-1,RU,",
            &["product_id:invalid_id", "name:empty", "price:invalid_number", "currency:unknown_currency"],
        ),
        (b"C,Globe,2,RUB,", &[]),
    ] {
        file.extend_from_slice(row);
        file.push(b'\n');
        expected.extend(errors.iter().map(|error| format!("{line} {error}")));
        line += row.iter().filter(|byte| **byte == b'\n').count() + 1;
    }
    let (code, report) = commands.import("product", &file, &[]);
    assert_eq!((code, &report["created"], &report["updated"]), (1, &json!(2), &json!(0)));
    assert_eq!(bad_rows(&report), expected);
    let ids: Vec<String> = commands.ids();
    assert_eq!(ids, ["A", "C"]);
    let told = commands.text(&["product", "import", &commands.write(&file)]);
    for words in [
        "line 3: price has 3 decimals but USD allows 2",
        "line 12: product_id A is already on line 2",
        "line 13: the row has 4 fields instead of 5",
        "line 15: the row is not UTF-8",
        "15 invalid rows skipped",
    ] {
        assert!(told.contains(words), "no {words:?} in:\n{told}");
    }
}

#[test]
fn a_bad_row_has_the_line_that_an_editor_shows() {
    let mut wrong = Vec::new();
    for (end, blank) in [("\n", 0), ("\r\n", 0), ("\n", 2), ("\r\n", 2)] {
        for bad in [b"Atlas,free,RUB" as &[u8], b"Atlas,1", b"Atl\xE1s,1,RUB"] {
            let commands = VendorCommands::new();
            let head = format!("name,price,currency{end}Atlas,1,RUB{end}{}", end.repeat(blank));
            let file = [head.as_bytes(), bad, end.as_bytes(), b"Globe,1,RUB", end.as_bytes()].concat();
            let (_, report) = commands.import("product", &file, &[]);
            let (line, expected) = (&report["bad"][0]["line"], 3 + blank);
            if *line != expected {
                wrong.push(format!("{}: {line}, not {expected}", file.escape_ascii()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_file_that_is_not_a_list_of_products_is_refused_in_a_sentence() {
    let commands = VendorCommands::new();
    for (file, words) in [
        (
            "name,price,currency,colour\n",
            "column \"colour\" is not known; the columns are name, price, currency",
        ),
        ("Name,price,currency\n", "column \"Name\" is not known"),
        ("name|price|currency\n", "is not known"),
        ("name,price\nAtlas,1\n", "column \"currency\" is missing"),
        ("name,price,currency,price\n", "column \"price\" appears twice"),
        ("", "missing"),
    ] {
        let told = commands.error(&["product", "import", &commands.write(file.as_bytes())]);
        assert!(told.starts_with("till: ") && told.contains(words), "{file:?}: {told}");
    }
    assert!(commands.error(&["product", "import", &commands.write(b"n\xE1me\n")]).contains("UTF-8"));
    let told = commands.error(&["product", "import", "/nowhere/products.csv"]);
    assert!(told.contains("cannot read /nowhere/products.csv: No such file"), "{told}");
    assert!(commands.ids().is_empty());
}

#[test]
fn importing_again_updates_and_puts_back_on_sale() {
    let commands = VendorCommands::new();
    let products =
        |a: &str, more: &str| format!("product_id,name,price,currency\nA,{a},1,RUB\nB,Globe,2,RUB\n{more}");
    assert_eq!(commands.import("product", products("Atlas", ""), &[]).1["created"], 2);
    commands.json(&["product", "archive", "A"]);
    let (code, report) = commands.import("product", products("Atlas 2", "C,Map,3,RUB\n"), &[]);
    assert_eq!(
        (code, report),
        (0, json!({ "created": 1, "updated": 1, "unchanged": 1, "bad": [], "dry_run": false }))
    );
    let first = &commands.json(&["product", "list"])[0];
    assert_eq!((&first["name"], &first["archived"]), (&json!("Atlas 2"), &json!(false)));

    commands.import("category", "category_id,name\nbooks,Books\n", &[]);
    commands.json(&["category", "archive", "books"]);
    let (_, report) = commands.import("category", "category_id,name\nbooks,Old books\nbooks,Books\n,\n", &[]);
    assert_eq!(
        (&report["updated"], bad_rows(&report)),
        (&json!(1), vec!["3 :repeated".into(), "4 name:empty".into()])
    );
    let expected = json!([{ "category_id": "books", "name": "Old books", "archived": false }]);
    assert_eq!(commands.json(&["category", "list"]), expected);
}

#[test]
fn a_dry_run_reports_the_same_and_changes_nothing() {
    let commands = VendorCommands::new();
    commands.import("product", "product_id,name,price,currency\nA,Atlas,1,RUB\n", &[]);
    let before = commands.json(&["product", "list"]);
    let file = "product_id,name,price,currency\nA,Changed,9,RUB\nB,Globe,2,RUB\nC,,2,RUB\n";
    let (code, mut dry) = commands.import("product", file, &["--dry-run"]);
    assert_eq!((code, commands.json(&["product", "list"])), (1, before));
    let category = commands.import("category", "name\nBooks\n", &["--dry-run"]).1;
    assert_eq!((&category["created"], commands.json(&["category", "list"])), (&json!(1), json!([])));
    dry["dry_run"] = json!(false);
    assert_eq!(commands.import("product", file, &[]), (1, dry));
}

#[test]
fn a_long_import_shows_its_progress_and_finishes() {
    let commands = VendorCommands::new();
    let mut file = "product_id,name,price,currency\n".to_owned();
    for number in 0..20_000 {
        writeln!(file, "P-{number:05},Sheet {number},{}.50,RUB", number + 1).expect("a string takes it");
    }
    let path = commands.write(file.as_bytes());
    let output = commands.till.run(&commands.arguments(&["product", "import", &path, "--json"]));
    let told = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success() && told.ends_with("imported 20000 of 20000 rows\n"), "{told}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(
        report,
        json!({ "created": 20_000, "updated": 0, "unchanged": 0, "bad": [], "dry_run": false })
    );
    let ids = commands.ids();
    assert_eq!((ids.len(), ids[19_999].as_str()), (20_000, "P-19999"));
}

/// The bad rows of a report, such as `3 price:not_positive`.
fn bad_rows(report: &Value) -> Vec<String> {
    let mut rows = Vec::new();
    for row in report["bad"].as_array().expect("a list") {
        for error in row["errors"].as_array().expect("a list") {
            assert!(error["message"].as_str().is_some_and(|message| message.len() > 5), "{error}");
            rows.push(format!("{} {}:{}", row["line"], text(&error["field"]), text(&error["code"])));
        }
    }
    rows
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
