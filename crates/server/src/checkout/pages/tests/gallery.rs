//! Writes every page to a folder, to look at. `cargo test -p till gallery -- --ignored`, then open
//! `target/gallery`.

use super::fixture::Maker;
use crate::{checkout::pages::Language, web::assets};
use std::{fs, path::Path};

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
        for (name, page) in Maker::usual(language).pages() {
            let html =
                files.iter().fold(page.render(), |html, (asset, name)| html.replace(asset.url(), name));
            fs::write(folder.join(format!("{name}.{}.html", language.word())), html).expect("written");
        }
    }
}
