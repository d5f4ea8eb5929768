//! Writes every page to a folder, for viewing. `cargo test -p till gallery -- --ignored`, then open
//! `target/gallery/panel`.

use crate::pages::Language;
use crate::pages::tests::fixture::Maker;
use std::{fs, path::Path};
use till_service::web::assets;

/// Pages that are also written with long words, to see that the layout holds.
const LONG: [&str; 6] = ["settings", "vendors", "vendor", "users", "profile-vendor", "requests"];

#[test]
#[ignore = "writes files for people to look at"]
fn gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/gallery/panel");
    fs::create_dir_all(&folder).expect("a folder");
    let files = [(&assets::PANEL_CSS, "panel.css"), (&assets::PANEL_JS, "panel.js")];
    for (asset, name) in files {
        fs::write(folder.join(name), asset.text()).expect("written");
    }
    for language in Language::ALL {
        let long = Maker { language, text: Some("Unbreakable".repeat(8)) };
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
