//! The operator's setup: the shop, its key and what it offers, as one TOML document. All problems are
//! reported at once, each message says what to change, and none repeats anything that may be a secret.

use crate::{
    acquirer_document::DocumentReader,
    document::{tables, wrong_live_address},
    form::{FieldKind, FormField, Rule, SetupProblem, sentences},
    web::host_of,
};
use std::fmt;
use till_domain::{method::Method, money::Currency};
use toml::Value;

/// Base URL of the real API.
const API: &str = "https://api.yookassa.ru/v3";

/// Currencies that YooKassa accepts, all with two decimal places.
const CURRENCIES: [&str; 12] =
    ["RUB", "EUR", "USD", "KZT", "BYN", "UAH", "UZS", "TRY", "INR", "MDL", "AZN", "AMD"];

/// Hosts of YooKassa's payment pages.
const PAGE_HOSTS: [&str; 2] = ["yookassa.ru", "yoomoney.ru"];

/// Hosts that SBP QR codes lead to.
const CODE_HOSTS: [&str; 2] = ["qr.nspk.ru", "sub.nspk.ru"];

/// The smallest payment, and the largest unless the document raises it (`most`); in kopecks.
const LEAST: i64 = 100;
const MOST_BY_CARD: i64 = 35_000_000;
const MOST_BY_SBP: i64 = 70_000_000;

/// Default rate limit, in requests a second. YooKassa publishes no limit.
const REQUESTS_PER_SECOND: u32 = 10;

/// The contacts to which a till can send fiscal receipts.
const RECEIPT_CONTACTS: [&str; 2] = ["email", "phone"];

/// The events that Till acts on.
pub const EVENTS: [&str; 4] =
    ["payment.waiting_for_capture", "payment.succeeded", "payment.canceled", "refund.succeeded"];

/// The fields of the form, in its order.
pub const FIELDS: &[FormField] = &[
    FormField::required("shop_id", FieldKind::Text, "100500"),
    FormField::required("secret_key", FieldKind::Secret, "live_…"),
    FormField::required("notice_token", FieldKind::Token, ""),
    FormField::required("methods", FieldKind::Choices(&["card", "sbp"], &["card", "sbp"]), ""),
    FormField::required("currencies", FieldKind::Choices(&CURRENCIES, &["RUB"]), ""),
    FormField::optional("receipt_contacts", FieldKind::Choices(&RECEIPT_CONTACTS, &["email"]), ""),
    FormField::optional("most.card", FieldKind::Decimal, "350000.00"),
    FormField::optional("most.sbp", FieldKind::Decimal, "700000.00"),
    FormField::advanced("requests_per_second", FieldKind::Number, "10"),
    FormField::advanced("api", FieldKind::Address, API),
    FormField::advanced("page_hosts", FieldKind::Words, "yookassa.ru, yoomoney.ru"),
    FormField::advanced("code_hosts", FieldKind::Words, "qr.nspk.ru, sub.nspk.ru"),
];

const KEYS: [&str; 11] = [
    "shop_id",
    "secret_key",
    "notice_token",
    "methods",
    "currencies",
    "receipt_contacts",
    "most",
    "requests_per_second",
    "api",
    "page_hosts",
    "code_hosts",
];

#[derive(Clone, PartialEq, Eq)]
pub struct YookassaSetup {
    pub shop_id: String,
    pub secret_key: String,
    /// The secret in the URL for notices (webhooks).
    pub notice_token: String,
    /// The payment methods that are offered.
    pub methods: Vec<Method>,
    pub currencies: Vec<Currency>,
    /// True if the shop's till sends fiscal receipts to a phone, too, and not by e-mail alone.
    pub receipts_by_phone: bool,
    /// The largest payment by card, in kopecks.
    pub most_by_card: i64,
    /// The largest payment by SBP, in kopecks.
    pub most_by_sbp: i64,
    /// Rate limit of one node, in requests a second.
    pub requests_per_second: u32,
    /// Base URL of the API, without a slash at the end.
    pub api: String,
    /// Hosts of pages that a customer may be sent to.
    pub page_hosts: Vec<String>,
    /// Hosts that a QR code may lead to.
    pub code_hosts: Vec<String>,
}

/// Leaves out secrets.
impl fmt::Debug for YookassaSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("Setup");
        output.field("shop_id", &self.shop_id).field("methods", &self.methods);
        output.field("currencies", &self.currencies).field("api", &host_of(&self.api)).finish_non_exhaustive()
    }
}

impl YookassaSetup {
    /// Parses the document, or returns every problem with it, one sentence each.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        Self::read(text).map_err(sentences)
    }

    /// Parses the document, or returns every problem with it and its field.
    pub fn read(text: &str) -> Result<Self, Vec<SetupProblem>> {
        let table = tables(text)?;
        let mut document = DocumentReader::new(&table, &KEYS);
        let setup = Self {
            shop_id: document.text("shop_id"),
            secret_key: document.text("secret_key"),
            notice_token: document.text("notice_token"),
            methods: document.methods(),
            currencies: currencies(&mut document),
            receipts_by_phone: receipts_by_phone(&mut document),
            most_by_card: document.most("card", MOST_BY_CARD),
            most_by_sbp: document.most("sbp", MOST_BY_SBP),
            requests_per_second: document.requests_per_second(REQUESTS_PER_SECOND),
            api: document.api(API),
            page_hosts: document.hosts("page_hosts", &PAGE_HOSTS),
            code_hosts: document.hosts("code_hosts", &CODE_HOSTS),
        };
        judge(&mut document, &setup);
        if document.problems.is_empty() { Ok(setup) } else { Err(document.problems) }
    }

    /// A document to start from: complete except for the shop's id and the secrets.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("template.toml")
    }

    /// True if the key is of a test shop, where no money moves.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.secret_key.starts_with("test_")
    }

    /// The smallest and the largest payment by this method, in minor units; `None` where YooKassa names no
    /// limits.
    pub(super) fn limits(&self, method: Method, currency: Currency) -> Option<(i64, i64)> {
        let most = if method == Method::Sbp { self.most_by_sbp } else { self.most_by_card };
        (currency.code() == "RUB").then_some((LEAST, most))
    }
}

/// The currencies of the shop.
fn currencies(document: &mut DocumentReader<'_>) -> Vec<Currency> {
    let mut currencies = Vec::new();
    for word in document.words("currencies", &["RUB"]) {
        match Currency::parse(&word).filter(|currency| CURRENCIES.contains(&currency.code())) {
            Some(currency) if currencies.contains(&currency) => {
                let text = format!("`currencies` names {currency} twice: remove one.");
                document
                    .problems
                    .push(SetupProblem::new("currencies", Rule::Once, text).with("name", currency));
            }
            Some(currency) => currencies.push(currency),
            None => {
                let text = format!("`currencies` may contain {}.", CURRENCIES.join(", "));
                document.problem("currencies", Rule::Currencies, text);
            }
        }
    }
    currencies
}

/// Whether receipts can be sent by phone. "Receipts from YooKassa" are sent by e-mail alone.
fn receipts_by_phone(document: &mut DocumentReader<'_>) -> bool {
    // An empty list is that of a form in which nothing was selected.
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if document.table.get("receipt_contacts").is_some_and(is_empty) {
        return false;
    }
    let contacts = document.words("receipt_contacts", &["email"]);
    let known = |word: &String| RECEIPT_CONTACTS.contains(&word.as_str());
    // Words that are no list are a problem that was noted.
    let has_email = contacts.is_empty() || contacts.iter().any(|word| word == "email");
    if !has_email || !contacts.iter().all(known) {
        document.problem(
            "receipt_contacts",
            Rule::ReceiptContacts,
            "`receipt_contacts` may contain email, which it always does, and phone.",
        );
    }
    contacts.iter().any(|word| word == "phone")
}

/// Checks the values that are there, and how they fit together.
fn judge(document: &mut DocumentReader<'_>, setup: &YookassaSetup) {
    let visible = |text: &str| text.bytes().all(|b| b.is_ascii_graphic());
    if !setup.shop_id.bytes().all(|b| b.is_ascii_digit()) || setup.shop_id.len() > 20 {
        document.problem("shop_id", Rule::ShopId, "`shop_id` must be the shop's number: digits only.");
    }
    let key = &setup.secret_key;
    let known = key.starts_with("live_") || key.starts_with("test_");
    let usable = known && visible(key) && key.len() <= 200;
    if !key.is_empty() && !usable {
        let text = "`secret_key` must be the key as YooKassa shows it: it starts with live_ or test_.";
        document.problems.push(SetupProblem::new("secret_key", Rule::Key, text).with("list", "live_, test_"));
    }
    if !key.starts_with("test_") {
        document.problems.extend(wrong_live_address("api", &setup.api, API));
    }
    let token = &setup.notice_token;
    let plain = token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let usable = plain && (32..=128).contains(&token.len());
    if !token.is_empty() && !usable {
        document.problem(
            "notice_token",
            Rule::NoticeToken,
            "`notice_token` must have 32 to 128 letters, digits, - and _.",
        );
    }
    let roubles = setup.currencies.iter().any(|currency| currency.code() == "RUB");
    if setup.methods.contains(&Method::Sbp) && !roubles && !setup.currencies.is_empty() {
        document.problem(
            "currencies",
            Rule::SbpRubles,
            "`methods` has sbp, which accepts only rubles: add RUB to `currencies`, or remove sbp.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::{repeats, text_target};

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn document(more: &str) -> String {
        format!("shop_id = \"100500\"\nsecret_key = \"live_secret\"\nnotice_token = \"{TOKEN}\"\n{more}")
    }

    #[test]
    fn a_short_document_is_enough() {
        let setup = YookassaSetup::parse(&document("")).expect("a set-up");
        assert_eq!((setup.shop_id.as_str(), setup.is_test()), ("100500", false));
        assert_eq!(setup.methods, [Method::Card, Method::Sbp]);
        assert_eq!((setup.api.as_str(), setup.requests_per_second), (API, 10));
        assert_eq!((setup.most_by_card, setup.most_by_sbp), (35_000_000, 70_000_000));
        let raised = YookassaSetup::parse(&document("[most]\nsbp = \"1000000.00\"")).expect("a set-up");
        assert_eq!((raised.most_by_card, raised.most_by_sbp), (35_000_000, 100_000_000));
        assert!(!setup.receipts_by_phone, "receipts from YooKassa itself are sent by e-mail");
        let own = "receipt_contacts = [\"email\", \"phone\"]";
        assert!(YookassaSetup::parse(&document(own)).expect("a set-up").receipts_by_phone);
        let none = YookassaSetup::parse(&document("receipt_contacts = []")).expect("a set-up");
        assert!(!none.receipts_by_phone);
        assert!(YookassaSetup::parse(&document("").replace("live_", "test_")).expect("a set-up").is_test());
    }

    #[test]
    fn the_template_lacks_only_the_secrets() {
        let problems = YookassaSetup::parse(YookassaSetup::template()).expect_err("no secrets");
        let missing = ["`shop_id` is missing.", "`secret_key` is missing.", "`notice_token` is missing."];
        assert_eq!(problems, missing);
        let filled = YookassaSetup::template()
            .replace("shop_id = \"\"", "shop_id = \"100500\"")
            .replace("secret_key = \"\"", "secret_key = \"live_secret\"")
            .replace("notice_token = \"\"", &format!("notice_token = \"{TOKEN}\""));
        let written = YookassaSetup::parse(&filled).expect("a set-up");
        assert_eq!(
            written,
            YookassaSetup::parse(&document("")).expect("a set-up"),
            "it says what is so anyway"
        );
    }

    #[test]
    fn problems_are_found_at_once_and_hold_no_secret() {
        let wrong = "shop_id = \"shop\"\nsecret_key = \"hush\"\nnotice_token = \"hush\"\nmethods = [\"crypto\"]\n\
                     currencies = [\"JPY\"]\napi = \"http://api.example/\"\nsecret = \"hush\"\nmost = 5";
        let problems = YookassaSetup::parse(wrong).expect_err("all wrong");
        for part in [
            "`shop_id`",
            "`secret_key`",
            "`notice_token`",
            "`methods`",
            "`currencies`",
            "`api`",
            "`secret`",
            "`most`",
        ] {
            assert!(problems.iter().any(|problem| problem.contains(part)), "{part} in {problems:?}");
        }
        assert!(problems.iter().all(|problem| !problem.contains("hush")), "{problems:?}");
        let broken = YookassaSetup::parse("secret_key = \"hush\nshop_id = 1").expect_err("no TOML");
        assert!(broken[0].starts_with("Line 1 is not TOML") && !broken[0].contains("hush"), "{broken:?}");
        let euros = YookassaSetup::parse(&document("currencies = [\"EUR\"]")).expect_err("SBP takes roubles");
        assert!(euros[0].contains("RUB"), "{euros:?}");
        for contacts in ["[\"phone\"]", "[\"email\", \"fax\"]", "\"email\""] {
            let wrong = YookassaSetup::parse(&document(&format!("receipt_contacts = {contacts}")));
            let wrong = wrong.expect_err("an e-mail address always works");
            assert!(wrong.len() == 1 && wrong[0].contains("`receipt_contacts`"), "{contacts}: {wrong:?}");
        }
        let twice =
            YookassaSetup::parse(&document("currencies = [\"RUB\", \"RUB\"]")).expect_err("once is enough");
        assert_eq!(twice, ["`currencies` names RUB twice: remove one."]);
        let typo =
            YookassaSetup::parse(&document("[most]\ncrad = \"1.00\"\nsbp = 5")).expect_err("no such method");
        assert_eq!(
            typo,
            ["`most` may contain card and sbp.", "`most.sbp` must be an amount in quotes: \"350000.00\"."]
        );
        let output = format!("{:?}", YookassaSetup::parse(&document("")).expect("a set-up"));
        assert!(!output.contains("live_secret") && !output.contains(TOKEN), "{output}");
    }

    #[test]
    fn s6_a_live_key_goes_only_to_the_real_address_or_to_this_machine() {
        let other = "api = \"https://127.0.0.1.shop.example/v3\"";
        let found = YookassaSetup::parse(&document(other)).expect_err("a problem");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("`api` can be changed only with test keys"), "{found:?}");
        assert!(YookassaSetup::parse(&document(other).replace("live_", "test_")).is_ok());
    }

    #[test]
    fn plain_http_is_for_this_machine_only() {
        let api =
            |api: &str| YookassaSetup::parse(&document(&format!("api = \"{api}\""))).map(|setup| setup.api);
        assert_eq!(api("http://127.0.0.1:8080/v3/").as_deref(), Ok("http://127.0.0.1:8080/v3"));
        assert!(api("http://api.yookassa.ru/v3").is_err());
        assert!(api("https://user:word@api.yookassa.ru/v3").is_err());
        assert!(api("ftp://127.0.0.1/").is_err());
    }

    #[test]
    fn f26_yookassa_document() {
        let secrets = ["s3c1r9e7t5k2e8y4", TOKEN];
        let more = "currencies = [\"RUB\"]\npage_hosts = [\"a.example\"]\n[most]\ncard = \"1.00\"\n";
        let seed = document(more).replace("live_secret", "live_s3c1r9e7t5k2e8y4");
        let words =
            ["=", "\"", "[", "]", "[[", "]]", "\n", "#", "\"\"\"", " = 1", "a.b", "currencies", "most"];
        text_target(&[seed], &words, |text| {
            for problem in YookassaSetup::parse(text).err().into_iter().flatten() {
                assert!(!problem.is_empty() && !problem.contains('\n'), "one sentence: {problem:?}");
                assert!(!repeats(&problem, &secrets), "a secret is repeated: {problem}");
            }
        });
    }
}
