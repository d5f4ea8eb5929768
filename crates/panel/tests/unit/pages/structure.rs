//! Tests of what every page must have: landmarks, one heading, labels, forms with the CSRF token, and test
//! ids.

use crate::pages::tests::fixture::{CSRF, Maker, count, text};
use crate::pages::{Language, PanelPage};
use flate2::{Compression, write::GzEncoder};
use scraper::{ElementRef, Html, Selector};
use std::io::Write as _;
use till_domain::user::Role;
use till_service::web::assets;

fn each(check: impl Fn(&str, &PanelPage, &Html)) {
    for language in Language::ALL {
        for (name, page) in Maker::usual(language).pages() {
            check(&format!("{name}.{}", language.word()), &page, &Html::parse_document(&page.render()));
        }
    }
}

fn page(name: &str) -> PanelPage {
    let pages = Maker::usual(Language::English).pages();
    pages.into_iter().find(|(other, _)| *other == name).expect("a page of the fixture").1
}

fn document(name: &str) -> Html {
    Html::parse_document(&page(name).render())
}

fn all<'a>(document: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    document.select(&Selector::parse(selector).expect("a selector")).collect()
}

#[test]
fn every_kind_of_page_is_in_the_fixture() {
    let mut kinds: Vec<_> =
        Maker::usual(Language::English).pages().iter().map(|(_, page)| page.body.kind()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    // The checks in a browser look at all of these.
    let listed: Vec<_> = include_str!("../../../../../tests/browser/kinds.txt").lines().collect();
    assert_eq!(kinds, listed);
}

#[test]
fn every_page_has_landmarks_and_one_heading() {
    each(|name, page, document| {
        for part in ["html[lang]", "head > title", "body header", "main#main", "h1", "main h1", "#say"] {
            assert_eq!(count(document, part), 1, "{name}: {part}");
        }
        let language = format!("html[lang={}]", page.frame.language.word());
        assert_eq!(count(document, &language), 1, "{name}");
        assert_eq!(count(document, "body > a.skip[href=\"#main\"]:first-child"), 1, "{name}");
        assert!(count(document, "nav.lang a[hreflang]") >= 2, "{name}");
        assert_eq!(count(document, "nav:not([aria-label])"), 0, "{name}");
        let tapes = usize::from(page.frame.sandbox_banner) + usize::from(page.frame.is_simulated());
        assert_eq!(count(document, ".tape"), tapes, "{name}");
        let kind = format!("main[data-kind=\"{}\"]", page.body.kind());
        assert_eq!(count(document, &kind), 1, "{name}");
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
                    let ours = ["/assets/", "data:image/svg+xml,"];
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
            let single = [local, element.attr("for"), element.attr("form"), element.attr("list")];
            let lists = [element.attr("aria-describedby"), element.attr("aria-labelledby")];
            let many = lists.into_iter().flatten().flat_map(str::split_whitespace);
            for target in single.into_iter().flatten().chain(many) {
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
fn every_field_has_a_label_and_every_control_a_handle() {
    each(|name, _, document| {
        for field in all(document, "input:not([type=hidden], .sr), select, textarea") {
            let id = field.attr("id");
            let labelled = id.is_some_and(|id| count(document, &format!("label[for=\"{id}\"]")) == 1);
            let inside = field.ancestors().filter_map(ElementRef::wrap).any(|e| e.value().name() == "label");
            assert!(labelled || inside, "{name}: {:?}", field.attr("name"));
            assert!(field.attr("data-testid").is_some(), "{name}: {:?}", field.attr("name"));
            assert!(field.attr("name").is_some(), "{name}: {id:?}");
        }
        for button in all(document, "button, .btn, summary") {
            assert!(button.attr("data-testid").is_some(), "{name}: {}", button.html());
            assert!(button.text().any(|text| !text.trim().is_empty()), "{name}: {}", button.html());
        }
    });
}

#[test]
fn every_form_that_changes_something_carries_the_token_and_none_else_does() {
    each(|name, _, document| {
        for form in all(document, "form") {
            let tokens = form
                .select(&Selector::parse("input[type=hidden][name=csrf]").expect("one"))
                .collect::<Vec<_>>();
            let is_post = form.attr("method") == Some("post");
            assert_eq!(tokens.len(), usize::from(is_post), "{name}: {}", form.html());
            assert!(tokens.iter().all(|token| token.attr("value") == Some(CSRF)), "{name}");
            let action = form.attr("action").expect("an action");
            assert!(action.starts_with("/panel/") || action.starts_with("/operator/"), "{name}: {action}");
        }
    });
}

#[test]
fn forms_go_where_they_are_awaited_with_the_fields_that_are_read() {
    for (name, action, fields) in [
        ("login", "/panel/login", "email next password"),
        ("code", "/panel/login/code", "code next"),
        ("forgot", "/panel/forgot", "email"),
        ("invitation", "/panel/link/k3s9", "again password"),
        ("account", "/panel/account/password", "again current password"),
        ("account", "/panel/account/time-zone", "time_zone"),
        ("account", "/panel/account/totp", ""),
        ("account", "/panel/account/sessions/s2/end", ""),
        ("account", "/panel/account/sessions/end-others", ""),
        ("account-totp", "/panel/account/totp/off", "password"),
        ("account-operator", "/panel/account/totp", "password"),
        ("account-operator", "/panel/account/totp/codes", "password"),
        ("totp-setup", "/panel/account/totp/confirm", "code"),
        ("settings", "/panel/settings/reveal", ""),
        ("settings", "/panel/settings/test-callback", ""),
        (
            "settings",
            "/panel/settings",
            "callback_url confirm_shared contact_email display_name events events_dispute events_payment events_refund language receipt_copy return_url time_zone",
        ),
        (
            "settings-live",
            "/panel/settings",
            "callback_url contact_email display_name events events_dispute events_payment events_refund language receipt_copy return_url time_zone",
        ),
        ("rotate", "/panel/settings/rotate", "overlap password"),
        ("sandbox-off", "/panel/sandbox/ask", "reason"),
        ("profile-vendor", "/panel/profile/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b02/reveal", ""),
        ("vendors", "/operator/vendors", "q"),
        ("new-vendor", "/operator/vendors", "contact_email name sandbox"),
        ("vendor-asked", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b03/sandbox", "asked_by on why"),
        ("vendor", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b01/methods", "all methods"),
        ("vendor", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b01/parent", "super"),
        ("vendor-bare", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b06/enable", ""),
        ("users", "/operator/users", "q"),
        ("new-user", "/operator/users", "email role vendor"),
        ("user-disabled", "/operator/users/u4/enable", ""),
        ("requests", "/operator/requests/q1/grant", ""),
        ("audit", "/operator/audit", "vendor who"),
        (
            "ask-sandbox-off",
            "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b01/sandbox",
            "asked_by on why",
        ),
        ("ask-disable", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b01/disable", ""),
        ("ask-no-methods", "/operator/vendors/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b01/methods", "none"),
        ("ask-user-disable", "/operator/users/u2/disable", ""),
        ("ask-user-reset", "/operator/users/u2/reset", ""),
        ("ask-user-totp", "/operator/users/u2/totp-off", ""),
        ("ask-user-sessions", "/operator/users/u2/end-sessions", ""),
        ("ask-dismiss", "/operator/requests/q1/dismiss", "note"),
        ("products", "/panel/products", "q state"),
        ("products-many", "/panel/products", "category q state"),
        ("product", "/panel/products/item", "category_id currency name price product_id"),
        ("new-product", "/panel/products", "category_id currency name price product_id"),
        ("product-archived", "/panel/products/restore", "id"),
        ("ask-archive-product", "/panel/products/archive", "id"),
        ("category", "/panel/categories/item", "category_id name"),
        ("new-category", "/panel/categories", "category_id name"),
        ("category-archived", "/panel/categories/restore", "id"),
        ("ask-archive-category", "/panel/categories/archive", "id"),
        ("import", "/panel/products/import", "file text"),
        ("import-categories", "/panel/categories/import", "file text"),
        ("preview", "/panel/products/import/take", "rows"),
        ("preview", "/panel/products/import", "text"),
        ("preview-categories", "/panel/categories/import/take", "rows"),
        ("new-member", "/panel/team", "email role"),
        ("member", "/panel/team/u2/role", "role"),
        ("member", "/panel/team/u2/invite", ""),
        ("member-removed", "/panel/team/u3/restore", ""),
        ("ask-remove-member", "/panel/team/u2/remove", ""),
        ("actions", "/operator/actions", "assignee env kind show vendor"),
        ("actions", "/operator/actions/live/01010101-0101-0101-0101-010101010101/assign", "to was"),
        ("action", "/operator/actions/live/01010101-0101-0101-0101-010101010101/assign", "to was"),
        ("action", "/operator/actions/live/01010101-0101-0101-0101-010101010101/note", "text"),
        ("decide-refund", "/operator/actions/live/01010101-0101-0101-0101-010101010101/refund", ""),
        ("deliveries", "/operator/callbacks", "env since state vendor"),
        ("deliveries", "/operator/callbacks/live/03030303-0303-0303-0303-030303030303/resend", ""),
        ("resend-found", "/operator/callbacks/resend", "env since vendor"),
        ("case", "/operator/callbacks/live/02020202-0202-0202-0202-020202020202/resend", ""),
        ("search", "/operator/search", "q"),
        ("settings", "/panel/logout", ""),
        ("sessions-narrowed", "/panel/sessions", "from method q status to"),
        ("transactions", "/panel/transactions", "from method q to"),
        ("wallet", "/panel/wallet", "currency from to"),
        ("wallet", "/panel/wallet.csv", "currency month"),
        ("ask-payout", "/panel/wallet/payout", "amount currency destination"),
        ("ask-payout-sure", "/panel/wallet/payout", "amount currency destination sure"),
        ("payout-sent", "/operator/payouts/08080808-0808-0808-0808-080808080808/sent", "note"),
        ("hand-sent", "/operator/refunds/04040404-0404-0404-0404-040404040404/sent", "transaction"),
        ("hand-give-up", "/operator/refunds/04040404-0404-0404-0404-040404040404/give-up", "reason"),
        ("doubt-confirm", "/operator/refunds/04040404-0404-0404-0404-040404040404/confirm", ""),
        ("doubt-give-up", "/operator/refunds/04040404-0404-0404-0404-040404040404/give-up", "reason"),
        ("callbacks", "/panel/callbacks", "from method q to"),
        ("callbacks", "/panel/callbacks/0199a8f2-5c1e-7a55-b0a3-010203040503/resend", "back"),
        ("callbacks", "/panel/callbacks/0199a8f2-5c1e-7a55-b0a3-010203040501/now", "back"),
        ("resend-all", "/panel/callbacks/resend", "since"),
    ] {
        let document = document(name);
        let forms = all(&document, &format!("form[action=\"{action}\"]"));
        let form = forms.first().unwrap_or_else(|| panic!("{name} has no form to {action}"));
        let named = Selector::parse("[name]").expect("a selector");
        let mut names: Vec<_> = form.select(&named).filter_map(|field| field.attr("name")).collect();
        names.retain(|name| !matches!(*name, "csrf" | "once"));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.join(" "), fields, "{name}: {action}");
    }
}

#[test]
fn what_was_typed_comes_back_but_for_passwords() {
    each(|name, _, document| {
        for field in all(document, "input[type=password]") {
            assert!(field.attr("value").is_none(), "{name}");
            assert!(field.attr("autocomplete").is_some_and(|word| word.ends_with("-password")), "{name}");
        }
    });
    let login = document("login-wrong");
    assert_eq!(count(&login, "#email[value=\"ines@haldenpress.example\"]"), 1);
    assert_eq!(count(&login, "[name=next][value=\"/panel/settings\"]"), 1);
    let code = document("code");
    assert_eq!(count(&code, "#code[inputmode=numeric][autocomplete=one-time-code]"), 1);
}

#[test]
fn an_error_is_summed_up_and_said_beside_its_field() {
    each(|name, _, document| {
        let wrong = all(document, "[aria-invalid=true]");
        for field in &wrong {
            let id = field.attr("id").expect("an id");
            assert_eq!(count(document, &format!("#{id}-error")), 1, "{name}: {id}");
            assert_eq!(count(document, &format!("#problem a[href=\"#{id}\"]")), 1, "{name}: {id}");
            let described = field.attr("aria-describedby").unwrap_or_default();
            assert!(described.split(' ').any(|word| word == format!("{id}-error")), "{name}: {id}");
        }
        assert_eq!(count(document, ".err"), wrong.len(), "{name}");
        let title = text(document, "title").expect("a title");
        let marked = title.starts_with("Error: ") || title.starts_with("Ошибка: ");
        assert_eq!(marked, count(document, "#problem[role=alert][autofocus]") == 1, "{name}: {title}");
    });
    assert_eq!(count(&document("settings-wrong"), "#problem a"), 5);
    assert_eq!(text(&document("login-wrong"), "#problem li").as_deref(), Some("Wrong email or password."));
    let throttled = text(&document("login-throttled"), "#problem li");
    assert_eq!(throttled.as_deref(), Some("Too many attempts. Try again in 5 minutes."));
}

#[test]
fn another_language_is_of_the_same_page() {
    let mut page = page("vendors");
    for (path, expected) in [
        ("/operator/vendors", "/operator/vendors?lang=ru"),
        ("/panel/login?next=%2Fpanel", "/panel/login?next=%2Fpanel&lang=ru"),
    ] {
        page.frame.path = path.to_owned();
        let document = Html::parse_document(&page.render());
        let links = all(&document, "a[hreflang=ru]");
        assert!(!links.is_empty() && links.iter().all(|link| link.attr("href") == Some(expected)), "{path}");
    }
}

#[test]
fn each_role_has_its_navigation() {
    for (name, expected) in [
        (
            "settings",
            "nav-overview nav-sessions nav-transactions nav-callbacks nav-settings nav-team nav-audit nav-account",
        ),
        (
            "settings-live",
            "nav-overview nav-sessions nav-transactions nav-wallet nav-callbacks nav-products nav-settings nav-team nav-audit nav-account",
        ),
        (
            "settings-viewer",
            "nav-overview nav-sessions nav-transactions nav-wallet nav-callbacks nav-products nav-settings nav-audit nav-account",
        ),
        ("profile", "nav-profile nav-account"),
        (
            "vendors",
            "nav-home nav-sessions nav-transactions nav-vendors nav-users nav-requests nav-actions nav-payouts nav-refunds nav-deliveries nav-providers nav-system nav-search \
             nav-audit nav-account",
        ),
        ("login", ""),
        ("totp-forced", ""),
        ("recovery-codes-forced", ""),
    ] {
        let document = document(name);
        let entries = all(&document, ".wide nav:not(.lang) a");
        let words: Vec<_> = entries.iter().filter_map(|entry| entry.attr("data-testid")).collect();
        assert_eq!(words.join(" "), expected, "{name}");
        assert_eq!(count(&document, ".menu nav:not(.lang) a"), entries.len(), "{name}");
    }
    assert_eq!(count(&document("vendors"), "[data-testid=nav-vendors][aria-current=page]"), 1);
    let waiting = text(&document("vendors"), "[data-testid=nav-requests] .count");
    assert_eq!(waiting.as_deref(), Some("2 waiting"));
    let undecided = text(&document("vendors"), "[data-testid=nav-actions] .count");
    assert_eq!(undecided.as_deref(), Some("3 waiting"));
    assert_eq!(count(&document("totp-forced"), "form[action=\"/panel/logout\"]"), 1);
}

#[test]
fn a_viewer_changes_nothing() {
    for (name, gone) in [
        ("products-viewer", "[data-testid=new-product], [data-testid=import]"),
        (
            "product-viewer",
            "[data-testid=save], [data-testid=archive], main input:not([type=hidden], [readonly])",
        ),
        ("categories-viewer", "[data-testid=new-category], [data-testid=import], a[href*=item]"),
    ] {
        assert_eq!(count(&document(name), gone), 0, "{name}");
    }
    let document = document("settings-viewer");
    for id in ["reveal", "rotate", "save", "test-callback", "confirm_shared"] {
        assert_eq!(count(&document, &format!("[data-testid={id}]")), 0, "{id}");
    }
    assert_eq!(count(&document, "#addresses input:not([type=hidden], [readonly], [disabled])"), 0);
    assert_eq!(count(&document, "#addresses select:not([disabled])"), 0);
    assert_eq!(page("settings-viewer").frame.who.map(|who| who.role), Some(Role::VendorViewer));
}

#[test]
fn a_secret_is_in_a_page_only_if_it_is_shown() {
    each(|name, page, document| {
        let shown = match page.body.kind() {
            "settings" | "profile-vendor" => name.contains("revealed"),
            kind => matches!(kind, "rotated" | "vendor-created"),
        };
        // The forms of providers say what a key begins with.
        let secret = if page.body.kind() == "setup-form" { "sk_live_x" } else { "sk_" };
        assert_eq!(document.html().contains(secret), shown, "{name}");
    });
    for name in ["profile-vendor", "profile-revealed", "profile-no-sandbox"] {
        assert!(!page(name).render().contains("live_"), "{name}");
    }
}

#[test]
fn shared_addresses_are_confirmed_in_the_sandbox_only() {
    assert_eq!(count(&document("settings"), "input[type=checkbox][name=confirm_shared]"), 1);
    assert_eq!(count(&document("settings"), "[data-testid=shared]"), 1);
    assert_eq!(count(&document("settings-live"), "[name=confirm_shared], [data-testid=shared]"), 0);
    assert_eq!(count(&document("settings-http"), "[data-testid=plain-http]"), 1);
    assert_eq!(count(&document("settings-live"), "[data-testid=plain-http]"), 0);
    assert_eq!(count(&document("settings-empty"), "[data-testid=test-callback][disabled]"), 1);
    let result = text(&document("settings"), "[data-testid=test-result]");
    assert_eq!(result.as_deref(), Some("Responded 200 in 0.14 s"));
}

#[test]
fn a_log_says_roles_in_words() {
    let cells = all(&document("history"), "[data-act=role_changed] small")
        .iter()
        .map(|cell| cell.text().collect::<String>())
        .collect::<Vec<_>>();
    assert_eq!(cells, ["otto@haldenpress.example", "Viewer"]);
}

#[test]
fn tables_scroll_inside_a_labelled_region() {
    each(|name, _, document| {
        let inside = count(document, ".scroll[role=region][aria-label][tabindex=\"0\"] > table > caption");
        assert_eq!(count(document, "table"), inside, "{name}");
        assert_eq!(count(document, "th:not([scope])"), 0, "{name}");
    });
}

/// On a phone a row is a card: it keeps the roles of a table, and its cells have the names of their columns.
#[test]
fn tables_stay_tables_when_their_rows_are_cards() {
    let plain = "table:not([role=table]), thead:not([role=rowgroup]), tbody:not([role=rowgroup]), \
                 tr:not([role=row]), td:not([role=cell]), th[scope=col]:not([role=columnheader]), \
                 th[scope=row]:not([role=rowheader])";
    each(|name, _, document| {
        assert_eq!(count(document, plain), 0, "{name}");
        assert_eq!(count(document, "tr:has(td, th[scope=row]):not(:has(.lead))"), 0, "{name}");
        assert_eq!(count(document, "tbody td:not(.lead, [data-label], :last-child)"), 0, "{name}");
    });
}

#[test]
fn times_in_tables_are_short_and_tell_the_rest_when_pointed_at() {
    each(|name, _, document| {
        for time in all(document, "td time") {
            let text = time.text().collect::<String>();
            assert!(!text.contains("2026") && !text.contains("ноября"), "{name}: {text}");
            assert!(time.attr("title").is_some_and(|title| title.contains("2026")), "{name}: {text}");
        }
    });
    let seen = text(&document("audit"), "td time").expect("a time");
    assert!(seen.contains(", ") && seen.len() <= "16 Nov, 05:31".len() + 1, "{seen}");
}

#[test]
fn a_vendor_sees_how_many_callbacks_are_undelivered() {
    let undelivered = text(&document("settings-live"), "[data-testid=nav-callbacks] .count");
    assert_eq!(undelivered.as_deref(), Some("2 undelivered"));
    let note = |page| text(&document(page), "[data-testid=undelivered] strong");
    assert_eq!(note("overview-long").as_deref(), Some("2 callbacks were not delivered."));
    assert_eq!(note("overview").as_deref(), Some("More than 1000 callbacks were not delivered."));
    assert_eq!(count(&document("vendors"), "[data-testid=nav-deliveries] .count"), 0);
}

#[test]
fn moments_name_their_zone() {
    assert_eq!(
        text(&document("settings"), "[data-testid=last-rotated]").as_deref(),
        Some("2 Sept 2026, 13:12 UTC+3")
    );
    let heads =
        all(&document("audit"), "th").iter().map(|th| th.text().collect::<String>()).collect::<Vec<_>>();
    assert_eq!(heads.first().map(String::as_str), Some("When, UTC+3"));
}

#[test]
fn a_page_with_all_it_loads_is_small() {
    let zipped = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("in memory").len()
    };
    let loaded = zipped(assets::PANEL_CSS.text()) + zipped(assets::PANEL_JS.text());
    each(|name, page, _| {
        let all = loaded + zipped(&page.render());
        assert!(all <= 25 * 1024, "{name}: {all}");
    });
}

#[test]
fn a_fiscal_receipt_is_shown_with_all_that_a_correction_receipt_needs() {
    for name in ["session", "case"] {
        let document = document(name);
        let of_refund = |selector: &str| format!("[data-testid=fiscal-refund] {selector}");
        let line = text(&document, &of_refund("[data-testid=fiscal-line]")).expect("a line");
        for part in ["2 pc × ", "545.00", "VAT 22%", "Goods · Full prepayment"] {
            assert!(line.contains(part), "{name}: {line}");
        }
        let reference = text(&document, &of_refund("[data-testid=fiscal-reference]"));
        assert_eq!(reference.as_deref(), Some("2e3a1f"), "{name}");
        let sent = of_refund("time[data-testid=fiscal-sent][datetime^=\"2026-11-14T18:34\"]");
        assert_eq!(count(&document, &sent), 1, "{name}");
        let made = text(&document, "[data-testid=fiscal-payment] [data-testid=fiscal-document]");
        assert_eq!(made.as_deref(), Some("8710000101855975/118"), "{name}");
        let headings = all(&document, "[data-testid=fiscal-payment] h2");
        let headings: Vec<String> = headings.iter().map(|heading| heading.text().collect()).collect();
        assert_eq!(headings, ["Fiscal receipt of a second payment", "Fiscal receipt"], "{name}");
    }
}
