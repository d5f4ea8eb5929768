//! The structure that every page has: landmarks, one heading, nothing inline, and the tests' handles.

use super::fixture::{Maker, count, text};
use crate::checkout::pages::{Banner, Body, CheckoutPage, Language, OperatorLinks, Shop};
use scraper::{Html, Selector};
use till_service::web::assets;

fn each(check: impl Fn(&str, &CheckoutPage, &Html)) {
    for language in Language::ALL {
        for (name, page) in Maker::usual(language).pages() {
            check(&format!("{name}.{}", language.word()), &page, &Html::parse_document(&page.render()));
        }
    }
}

fn page(name: &str) -> CheckoutPage {
    let pages = Maker::usual(Language::English).pages();
    pages.into_iter().find(|(other, _)| *other == name).expect("a page of the fixture").1
}

fn document(page: &CheckoutPage) -> Html {
    Html::parse_document(&page.render())
}

#[test]
fn every_kind_of_page_is_in_the_fixture() {
    let mut kinds: Vec<_> =
        Maker::usual(Language::English).pages().iter().map(|(_, page)| page.body.kind()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), 21);
}

#[test]
fn every_page_has_landmarks_and_one_heading() {
    each(|name, page, document| {
        for part in ["html[lang]", "title", "header", "main#main", "footer", "h1", "nav[aria-label]", "#say"]
        {
            assert_eq!(count(document, part), 1, "{name}: {part}");
        }
        let language = format!("html[lang={}]", page.frame.language.word());
        assert_eq!(count(document, &language), 1, "{name}");
        assert_eq!(count(document, "body > a.skip[href=\"#main\"]:first-child"), 1, "{name}");
        assert_eq!(count(document, "[data-testid=other-language]"), 1, "{name}");
        assert_eq!(count(document, ".tape"), usize::from(page.frame.banner.is_some()), "{name}");
    });
}

#[test]
fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
    each(|name, _, document| {
        for element in document.root_element().descendent_elements() {
            let tag = element.value().name();
            for (attribute, value) in element.value().attrs() {
                assert!(attribute != "style" && !attribute.starts_with("on"), "{name}: {tag} {attribute}");
                if attribute == "src" || (tag == "link" && attribute == "href") {
                    let ours = ["/assets/", "/elements/", "data:image/svg+xml,"];
                    assert!(ours.iter().any(|start| value.starts_with(start)), "{name}: {value}");
                }
            }
            assert!(tag != "style" && tag != "iframe" && tag != "base", "{name}: {tag}");
            assert!(tag != "script" || element.text().next().is_none(), "{name}");
        }
    });
}

#[test]
fn every_id_is_there_once_and_every_reference_leads_to_one() {
    each(|name, _, document| {
        let elements: Vec<_> = document.root_element().descendent_elements().collect();
        let mut ids: Vec<_> = elements.iter().filter_map(|element| element.attr("id")).collect();
        for element in &elements {
            let local = element.attr("href").and_then(|href| href.strip_prefix('#'));
            let described = element.attr("aria-describedby").unwrap_or_default().split_whitespace();
            for target in [local, element.attr("for")].into_iter().flatten().chain(described) {
                assert!(ids.contains(&target), "{name}: {target}");
            }
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}");
    });
}

#[test]
fn tests_find_what_they_are_promised() {
    let has = |name: &str, ids: &[&str]| {
        let document = document(&page(name));
        for id in ids {
            assert_eq!(count(&document, &format!("[data-testid=\"{id}\"]")), 1, "{name}: {id}");
        }
    };
    let outcomes = ["paid", "declined", "insufficient_funds", "three_ds", "expire"];
    for outcome in outcomes {
        let radio =
            format!("input[type=radio][name=outcome][value={outcome}][data-testid=outcome-{outcome}]");
        assert_eq!(count(&document(&page("sandbox")), &radio), 1, "{outcome}");
    }
    has("sandbox", &["amount", "time-left", "status", "submit-outcome"]);
    has("three-ds-page", &["amount", "three-ds-confirm", "three-ds-refuse", "decision-leave"]);
    has(
        "methods",
        &["amount", "status", "method-card", "method-sbp", "method-crypto", "pay-card", "pay-sbp"],
    );
    has("qr", &["amount", "time-left", "status", "check-again", "choose-another", "open-app"]);
    has("confirming", &["amount", "status", "check-again", "return-link"]);
    has("transfer-seen", &["amount", "status", "check-again", "return-link", "transfer-seen"]);
    for name in ["paid", "failed-unknown", "expired", "already-paid"] {
        has(name, &["amount", "status", "return-link"]);
    }
    has("paid", &["receipt-link"]);
    has("receipt", &["amount", "status"]);
    for name in ["preparing", "processing", "bank", "address"] {
        has(name, &["check-again", "amount", "status"]);
    }
}

#[test]
fn the_amount_reads_as_one_text() {
    let amount = text(&document(&page("methods")), "[data-testid=amount]");
    assert_eq!(amount.as_deref(), Some("4,990.00\u{a0}RUB"));
    let status = text(&document(&page("expired")), "[data-testid=status]");
    assert_eq!(status.as_deref(), Some("Expired"));
}

#[test]
fn forms_post_to_the_session() {
    let document = document(&page("sandbox"));
    let path = page("sandbox").frame.path;
    assert!(path.starts_with("/sandbox/session/"));
    assert_eq!(count(&document, &format!("form[method=post][action=\"{path}/pay\"]")), 1);
    assert_eq!(count(&document, "form input[type=hidden][name=method][value=card]"), 1);
    assert_eq!(count(&document, "input[name=outcome][checked]"), 1);
    assert_eq!(count(&document, &format!("main[data-events=\"{path}/events\"]")), 1);
}

#[test]
fn a_coin_is_chosen_only_where_there_are_several() {
    for name in ["methods-coins", "methods-coins-only"] {
        let document = document(&page(name));
        assert_eq!(count(&document, "form fieldset input[type=radio][name=coin]"), 3, "{name}");
        assert_eq!(count(&document, "input[name=coin][value=usdc-1][data-testid=coin-usdc-1][checked]"), 1);
        assert_eq!(count(&document, "input[name=coin][checked]"), 1, "{name}");
        assert_eq!(count(&document, "[data-testid=pay-crypto]"), 1, "{name}");
    }
    let document = document(&page("methods-coin"));
    assert_eq!(count(&document, "input[type=radio]"), 0);
    assert_eq!(count(&document, "input[type=hidden][name=coin][value=usdc-1]"), 1);
}

#[test]
fn one_method_has_no_selector() {
    for (name, button) in
        [("methods-card", "pay-card"), ("methods-sbp", "pay-sbp"), ("methods-crypto", "pay-crypto")]
    {
        let document = document(&page(name));
        assert_eq!(count(&document, "details"), 0, "{name}");
        assert_eq!(count(&document, &format!("[data-testid={button}]")), 1, "{name}");
    }
    assert_eq!(count(&document(&page("methods")), "details[name=method]"), 3);
    assert_eq!(count(&document(&page("methods")), "details[open]"), 1);
    assert_eq!(count(&document(&page("methods-down")), "details"), 1);
    assert_eq!(count(&document(&page("methods-none")), "form[action$=\"/pay\"]"), 0);
}

#[test]
fn an_error_is_summed_up_and_leads_to_its_field() {
    let document = document(&page("methods-email"));
    let title = text(&document, "title").expect("a title");
    assert!(title.starts_with("Error: Pay"), "{title}");
    assert_eq!(count(&document, "[role=alert][tabindex=\"-1\"] a[href=\"#email\"]"), 1);
    assert_eq!(count(&document, "input#email[aria-invalid=true][aria-describedby=email-error]"), 1);
    assert_eq!(count(&document, "#email-error"), 1);
    let document = self::document(&page("methods-email-needed"));
    assert_eq!(count(&document, "[role=alert] a[href=\"#email-sbp\"]"), 1, "the open method");
    for id in ["email", "email-sbp"] {
        let field = format!("input#{id}[required][aria-describedby=\"{id}-hint {id}-error\"]");
        assert_eq!(count(&document, &field), 1, "{id}");
    }
    assert_eq!(count(&document, "[name=email]"), 2, "not beside a method without a till");
    let document = self::document(&page("methods-email-long"));
    assert_eq!(count(&document, "input#email[required][aria-describedby=\"email-hint email-error\"]"), 1);
    let error = text(&document, "#email-error").expect("an error");
    assert!(error.contains("up to 64 characters"), "{error}");
    for name in ["methods-down", "methods-timed-out", "methods-start-failed", "methods-busy"] {
        assert!(page(name).render().contains("<title>Error: "), "{name}");
    }
}

#[test]
fn nothing_charged_is_said_only_where_it_is_known() {
    for (name, page) in Maker::usual(Language::English).pages() {
        let known = match &page.body {
            Body::Failed(view) => view.charged_nothing,
            Body::Expired(view) => view.charged_nothing && view.partial.is_none(),
            Body::SandboxOff { .. } | Body::Forbidden => true,
            _ => false,
        };
        let html = page.render();
        assert_eq!(html.contains("You haven’t been charged"), known, "{name}");
        let unsure = matches!(&page.body, Body::Failed(_) | Body::Expired(_)) && !known;
        assert!(!unsure || (!html.contains("Try again at") && !html.contains("start again")), "{name}");
    }
}

#[test]
fn a_shop_without_a_return_address_has_no_way_back() {
    let pages = Maker::usual(Language::English).pages().into_iter();
    // The page that asks whether to leave links to the return by itself.
    for (name, mut page) in pages.filter(|(_, page)| !matches!(page.body, Body::Leave(_))) {
        if let Some(shop) = &mut page.frame.shop {
            shop.can_return = false;
        }
        assert!(!page.render().contains("/return\""), "{name}");
    }
}

#[test]
fn only_a_payment_that_is_paid_just_now_returns_by_itself() {
    each(|name, page, document| {
        let fresh = matches!(&page.body, Body::Paid(view) if view.return_in.is_some());
        let returns = count(document, "main[data-return-in=\"5\"][data-return$=\"/return\"]");
        assert_eq!(returns, usize::from(fresh), "{name}");
        let stay = count(document, "[data-returning]:not(.on) button[data-stay][data-testid=stay-here]");
        assert_eq!(stay, usize::from(fresh), "{name}");
        let is_final = page.body.outcome().is_some();
        assert_eq!(count(document, "main[data-final]"), usize::from(is_final), "{name}");
    });
}

#[test]
fn the_state_changes_with_what_is_shown_and_not_with_time() {
    let maker = Maker::usual(Language::English);
    let mut later = maker.methods();
    later.clock.left = std::time::Duration::from_secs(3);
    assert_eq!(maker.page(Body::Methods(maker.methods())).state(), maker.page(Body::Methods(later)).state());
    assert_ne!(page("methods").state(), page("methods-down").state());
    assert_ne!(page("address").state(), page("address-partial").state());
    assert_eq!(page("confirming").state(), "confirming.2.12");
}

#[test]
fn a_tile_has_at_most_two_letters() {
    let initials = |name: &str| Shop { name: name.to_owned(), contact: None, can_return: false }.initials();
    assert_eq!(initials("Halden Press"), "HP");
    assert_eq!(initials("альфа"), "А");
    assert_eq!(initials("  «Дом книги» на Невском "), "ДК");
    assert_eq!(initials("---"), "");
}

#[test]
fn simulated_payments_are_marked() {
    assert_eq!(page("bank-card").frame.banner, Some(Banner::Simulated));
    let banner = text(&document(&page("bank-card")), ".tape").expect("a tape");
    assert_eq!(banner, "Simulated payments. No money moves.");
}

#[test]
fn a_receipt_is_read_and_leads_nowhere_else() {
    for name in ["receipt", "receipt-refunded-part", "receipt-refunded", "receipt-of-refund"] {
        let html = page(name).render();
        let document = Html::parse_document(&html);
        assert_eq!(count(&document, "form"), 0, "{name}");
        assert_eq!(count(&document, "main[data-kind=receipt]"), 1, "{name}");
        assert_eq!(count(&document, "meta[name=robots][content=noindex]"), 1, "{name}");
        assert!(!html.contains("/session/") && !html.contains("/return"), "{name}");
    }
    let status = |name: &str| text(&document(&page(name)), "dl.facts dd").expect("a status");
    assert_eq!(status("receipt"), "Paid");
    assert_eq!(status("receipt-refunded-part"), "Partially refunded");
    assert_eq!(status("receipt-refunded"), "Refunded");
    assert_eq!(status("receipt-of-refund"), "Refunded");
    let facts = text(&document(&page("receipt")), "dl.facts").expect("facts");
    assert!(facts.contains("14 Nov 2026, 21:34 UTC+3"), "the shop's own time: {facts}");
    assert_eq!(count(&document(&page("receipt")), "dl.facts time"), 0, "which no script translates");
}

#[test]
fn a_receipt_has_a_heading_a_number_and_its_seller() {
    for (name, heading, number) in [
        ("receipt", "Receipt", "0199a8f2-7b1c-7def"),
        ("receipt-of-refund", "Refund receipt", "0199a8f2-7b1c-7def-R1"),
    ] {
        let document = document(&page(name));
        assert_eq!(text(&document, "h1").as_deref(), Some(heading));
        let facts = text(&document, "dl.facts").expect("facts");
        for fact in [number, "Halden Press", "help@haldenpress.example"] {
            assert!(facts.contains(fact), "{name}: {fact} in {facts}");
        }
        // Only the script can print, so only the script shows the button.
        assert_eq!(count(&document, "button[data-print][hidden]"), 1, "{name}");
    }
    let russian = Maker::usual(Language::Russian).pages();
    let (_, russian) = russian.into_iter().find(|(name, _)| *name == "receipt").expect("a receipt");
    assert_eq!(text(&document(&russian), "h1").as_deref(), Some("Квитанция об оплате"));
}

#[test]
fn every_result_has_the_reference_of_its_payment() {
    each(|name, page, document| {
        let shown = text(document, "dl.facts").is_some_and(|facts| facts.contains("0199a8f2-7b1c-7def"));
        assert!(shown || page.body.outcome().is_none(), "{name}");
    });
}

#[test]
fn that_a_receipt_was_sent_is_said_only_when_it_was() {
    for (name, sent) in
        [("paid", true), ("paid-mailing", false), ("paid-unmailed", false), ("paid-sandbox", false)]
    {
        assert_eq!(page(name).render().contains("Sent to a•••@mail.example"), sent, "{name}");
    }
    assert!(!page("paid-sandbox").render().contains("receipt-link"));
}

#[test]
fn what_only_a_script_keeps_true_is_not_said_without_one() {
    each(|name, _, document| {
        for selector in ["[data-left]", "[role=timer]"] {
            let all = count(document, selector);
            let marked = count(document, &format!(".js {selector}, .js{selector}"));
            assert_eq!(all, marked, "{name}: {selector}");
        }
        let html = document.html();
        for text in ["updates automatically", "обновится сама"] {
            let script =
                html.split("<noscript>").map(|part| part.split("</noscript>").last().unwrap_or(part));
            let said = script.map(|part| part.matches(text).count()).sum::<usize>();
            let marks = Selector::parse(".js").expect("a selector");
            let marked = document.select(&marks);
            let marked = marked.filter(|part| part.text().any(|part| part.contains(text))).count();
            assert_eq!(said, marked, "{name}: {text}");
        }
    });
    let qr = page("qr").render();
    assert!(qr.contains("<noscript>After you pay, select “Check again”.</noscript>"), "{qr}");
    assert!(qr.contains("Pay by") && qr.contains("18:"), "{qr}");
}

#[test]
fn the_code_for_another_phone_is_folded_on_phones_only() {
    let document = document(&page("qr"));
    assert_eq!(count(&document, "figure.qr.wide svg path#code"), 1);
    assert_eq!(count(&document, ".narrow > details:not([open]) figure.qr use[href=\"#code\"]"), 1);
}

#[test]
fn the_footer_leads_to_the_shop_or_else_to_the_operator() {
    let mut page = page("methods");
    let href = |page: &CheckoutPage, id: &str| {
        let document = document(page);
        let link = Selector::parse(&format!("footer [data-testid={id}]")).expect("a selector");
        let found = document.select(&link).next().and_then(|link| link.attr("href").map(str::to_owned));
        found.unwrap_or_default()
    };
    assert_eq!(href(&page, "help"), "mailto:help@haldenpress.example");
    assert_eq!(href(&page, "terms"), "https://till.example/terms");
    assert_eq!(href(&page, "privacy"), "https://till.example/privacy");
    page.frame.shop.as_mut().expect("a shop").contact = None;
    assert_eq!(href(&page, "help"), "mailto:support@till.example");
    page.frame.operator =
        OperatorLinks { terms: Some("javascript:alert(1)".to_owned()), ..Default::default() };
    assert_eq!([href(&page, "help"), href(&page, "terms"), href(&page, "privacy")], ["", "", ""]);
}

/// Every script that a page of the checkout can load, and why. A card number is typed on such a page, so a
/// new script must be added here deliberately, and to docs/security.md.
fn scripts() -> [(&'static str, &'static str); 2] {
    [
        (assets::CHECKOUT_JS.url(), "keeps the page up to date and counts down"),
        // The last part is the name of the provider.
        ("/elements/provider", "puts the provider's own form into the page; served by Till"),
    ]
}

#[test]
fn p21_every_script_that_a_page_can_load_is_listed() {
    let found = std::cell::RefCell::new(std::collections::BTreeSet::new());
    each(|name, _, document| {
        for script in document.select(&Selector::parse("script").expect("a selector")) {
            assert_eq!(script.text().collect::<String>().trim(), "", "{name} has a script inside");
            found.borrow_mut().insert(script.attr("src").expect("an address").to_owned());
        }
    });
    let listed = scripts().map(|(script, _)| script.to_owned());
    assert_eq!(found.into_inner(), listed.into());
}

#[test]
fn t32_no_page_of_ours_has_a_field_for_a_card() {
    each(|name, _, document| {
        for field in document.select(&Selector::parse("input, textarea, select").expect("a selector")) {
            let attributes: String = ["name", "id", "autocomplete", "placeholder", "aria-label"]
                .map(|a| field.attr(a).unwrap_or(""))
                .join(" ");
            let words = ["cc-", "cardnumber", "card-number", "pan", "cvc", "cvv", "csc", "expiry"];
            let card = words.iter().find(|word| attributes.to_lowercase().contains(*word));
            assert_eq!(card, None, "{name}: {attributes}");
        }
    });
}
