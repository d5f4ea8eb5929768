//! Texts that try to be more than text. Whatever a vendor or a user types, a page keeps the elements and
//! attributes that it has with harmless words, and no link leaves the schemes it may have.

use super::fixture::Maker;
use crate::{
    panel::pages::Language,
    web::hostile::{HOSTILE, elements, hrefs},
};
use scraper::{Html, Selector};

fn pages(language: Language, text: &str) -> Vec<(&'static str, String)> {
    let maker = Maker { language, text: Some(text.to_owned()) };
    maker.pages().into_iter().map(|(name, page)| (name, page.render())).collect()
}

#[test]
fn t6_hostile_text_adds_no_element_and_no_attribute() {
    // The markup is the same in both languages; a few in Russian show that it stays so.
    for (language, step) in [(Language::English, 1), (Language::Russian, 11)] {
        let harmless: Vec<_> =
            pages(language, "harmless words").iter().map(|(_, html)| elements(html)).collect();
        for text in HOSTILE.into_iter().step_by(step) {
            for ((name, html), expected) in pages(language, text).iter().zip(&harmless) {
                assert_eq!(elements(html), *expected, "{name}: {text}");
            }
        }
    }
}

#[test]
fn t6_hostile_text_comes_back_as_it_was_typed() {
    let field = Selector::parse("#callback_url").expect("a selector");
    for text in HOSTILE {
        let pages = pages(Language::English, text);
        let (_, html) = pages.into_iter().find(|(name, _)| *name == "settings-wrong").expect("a page");
        let document = Html::parse_document(&html);
        let value = document.select(&field).next().and_then(|input| input.attr("value"));
        assert_eq!(value, Some(text));
    }
}

#[test]
fn t6_t7_no_link_has_a_scheme_that_runs_or_reads_anything() {
    for text in HOSTILE.into_iter().chain(["help@shop.example", "https://shop.example/\"onclick=x"]) {
        for (name, html) in pages(Language::English, text) {
            for href in hrefs(&html) {
                let allowed = ["/", "#", "https://", "mailto:"];
                assert!(allowed.iter().any(|start| href.starts_with(start)), "{name}: {href}");
                assert!(!href.starts_with("//"), "{name}: {href}");
            }
        }
    }
}
