//! The page of settings, made from the one table of them.

use super::{
    blocks::{Block, Document, Piece, Section, Table, Words},
    library::{EXAMPLE_FILE_PATH, PAGES, REFERENCE},
};
use till_service::settings::{SETTINGS, Setting};

/// The page as a document.
pub fn document() -> Document {
    let table = Table {
        head: ["Setting", "Default", "Meaning"].map(str::to_owned).to_vec(),
        rows: SETTINGS.iter().map(row).collect(),
        anchors: true,
        number: 1,
    };
    let section = Section {
        id: "all-settings".to_owned(),
        title: "All settings".to_owned(),
        blocks: vec![Block::Table(table)],
    };
    Document { title: "Settings".to_owned(), lead: vec![Block::Paragraph(lead())], sections: vec![section] }
}

fn lead() -> Words {
    vec![
        Piece::text("A setting is a key of a TOML file, or an environment variable that takes precedence: "),
        Piece::code("lifetime_card"),
        Piece::text(" is "),
        Piece::code("TILL_LIFETIME_CARD"),
        Piece::text(". Durations are written 250ms, 30s, 15m, 1h or 1d. Download "),
        Piece::link("config.example.toml", EXAMPLE_FILE_PATH),
        Piece::text(" to start a file of your own; see "),
        Piece::link("Operations", "/docs/operations#settings"),
        Piece::text(" for how it is read."),
    ]
}

fn row(setting: &Setting) -> Vec<Words> {
    let default = match setting.default {
        None => Piece::text("Not set"),
        Some("") => Piece::text("Empty"),
        Some(value) => Piece::code(value),
    };
    let names = vec![Piece::code(setting.key), Piece::text(" "), Piece::code(&setting.variable())];
    vec![names, vec![default], linked(setting.help)]
}

/// A text in which the paths of pages are links.
fn linked(text: &str) -> Words {
    let page = PAGES.iter().filter(|page| page.path != REFERENCE).find(|page| text.contains(page.path));
    match page.and_then(|page| Some((text.split_once(page.path)?, page.path))) {
        None => vec![Piece::text(text)],
        Some(((before, after), path)) => {
            vec![Piece::text(before), Piece::link(path, path), Piece::text(after)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::library::FILES;

    #[test]
    fn the_page_and_the_download_have_every_setting() {
        let text: String =
            document().sections.iter().flat_map(|section| &section.blocks).map(Block::to_text).collect();
        for setting in SETTINGS {
            assert!(
                text.contains(&format!("{} {}\n", setting.key, setting.variable()))
                    && text.contains(setting.help),
                "{}",
                setting.key
            );
        }
        let links: Vec<Words> = SETTINGS.iter().map(|setting| linked(setting.help)).collect();
        assert_eq!(links.iter().flatten().filter(|piece| piece.link.is_some()).count(), 4);
        let file = FILES.iter().find(|file| file.path == EXAMPLE_FILE_PATH).expect("the file");
        assert_eq!(file.text, Setting::example_file());
    }
}
