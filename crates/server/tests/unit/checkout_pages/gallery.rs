//! Writes every page to a folder for visual inspection. `cargo test -p till gallery -- --ignored`, then open
//! `target/gallery`.

use super::fixture::{Maker, Texts};
use crate::checkout::pages::Language;
use std::{fs, path::Path};
use till_service::web::assets;

/// Pages that are also written with long words, to check their layout.
const LONG: [&str; 7] = ["methods", "sandbox", "qr-banks", "address", "confirming", "funds", "bank-card"];

#[test]
#[ignore = "writes files for people to look at"]
fn gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/gallery");
    fs::create_dir_all(&folder).expect("a folder");
    let files = [(&assets::CHECKOUT_CSS, "checkout.css"), (&assets::CHECKOUT_JS, "checkout.js")];
    for (asset, name) in files {
        fs::write(folder.join(name), asset.text()).expect("written");
    }
    for language in Language::ALL {
        let long = Maker { language, texts: Texts::all(&"Unbreakable".repeat(8)) };
        let long = long.pages().into_iter().filter(|(name, _)| LONG.contains(name));
        let long = long.map(|(name, page)| (format!("long-{name}"), page));
        let usual = Maker::usual(language).pages().into_iter().map(|(name, page)| (name.to_owned(), page));
        for (name, page) in usual.chain(long) {
            let html =
                files.iter().fold(page.render(), |html, (asset, name)| html.replace(asset.url(), name));
            fs::write(folder.join(format!("{name}.{}.html", language.word())), html).expect("written");
        }
    }
}
