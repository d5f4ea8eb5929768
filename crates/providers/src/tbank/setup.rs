//! The operator's setup: the terminal, its password and what it offers, as one TOML document. All problems are
//! reported at once, each message says what to change, and none repeats anything that may be a secret.

use crate::{
    acquirer_document::DocumentReader,
    document::{tables, wrong_live_address},
    form::{FieldKind, FormField, Rule, SetupProblem, sentences},
    tbank::till::{self, TillSetup},
    web::host_of,
};
use std::{fmt, path::PathBuf};
use till_domain::{
    method::Method,
    money::Currency,
    rules::{Currencies, Offering},
};
use toml::Value;

/// Base URL of the API: the host with a publicly trusted certificate.
const API: &str = "https://securepay.tbank.ru";

/// Hosts of the same API that a live terminal may be used with: the older name of the real one, whose
/// certificate is of the Russian national authority, and the bank's test stand.
const OTHER_APIS: [&str; 2] = ["https://securepay.tinkoff.ru", "https://rest-api-test.tinkoff.ru"];

/// Hosts of T-Bank's payment pages.
const PAGE_HOSTS: [&str; 4] =
    ["pay.tbank.ru", "securepay.tbank.ru", "securepay.tinkoff.ru", "securepayments.tinkoff.ru"];

/// Hosts that SBP QR codes lead to.
const CODE_HOSTS: [&str; 2] = ["qr.nspk.ru", "sub.nspk.ru"];

/// The smallest payment by card and by SBP, and the largest unless the document changes it (`most`); in
/// kopecks.
const LEAST_BY_CARD: i64 = 100;
const LEAST_BY_SBP: i64 = 1_000;
const MOST: i64 = 100_000_000;

/// The longest terminal key and password.
const MAX_KEY: usize = 20;

/// Default rate limit, in requests a second. T-Bank publishes no limit.
const REQUESTS_PER_SECOND: u32 = 10;

/// The fields of the form, in its order.
pub const FIELDS: &[FormField] = &[
    FormField::required("terminal_key", FieldKind::Text, "1234567890123"),
    FormField::required("password", FieldKind::Secret, ""),
    FormField::required("methods", FieldKind::Choices(&["card", "sbp"], &["card", "sbp"]), ""),
    FormField::optional("most.card", FieldKind::Decimal, "1000000.00"),
    FormField::optional("most.sbp", FieldKind::Decimal, "1000000.00"),
    till::FFD,
    till::TAX_SYSTEM,
    till::REGISTRATION,
    FormField::advanced("requests_per_second", FieldKind::Number, "10"),
    FormField::advanced("api", FieldKind::Address, API),
    FormField::advanced("ca_file", FieldKind::Text, ""),
    FormField::advanced("page_hosts", FieldKind::Words, "pay.tbank.ru, securepay.tbank.ru"),
    FormField::advanced("code_hosts", FieldKind::Words, "qr.nspk.ru, sub.nspk.ru"),
];

const KEYS: [&str; 10] = [
    "terminal_key",
    "password",
    "methods",
    "most",
    till::SECTION,
    "requests_per_second",
    "api",
    "ca_file",
    "page_hosts",
    "code_hosts",
];

#[derive(Clone, PartialEq, Eq)]
pub struct TbankSetup {
    pub terminal_key: String,
    pub password: String,
    /// The payment methods that are offered.
    pub methods: Vec<Method>,
    /// The largest payment by card, in kopecks.
    pub most_by_card: i64,
    /// The largest payment by SBP, in kopecks.
    pub most_by_sbp: i64,
    /// The till behind the terminal, if fiscal receipts go with its payments.
    pub till: Option<TillSetup>,
    /// Rate limit of one node, in requests a second.
    pub requests_per_second: u32,
    /// Base URL of the API, without a slash at the end.
    pub api: String,
    /// A PEM file of root certificates that this provider's client trusts besides the machine's.
    pub ca_file: Option<PathBuf>,
    /// Hosts of pages that a customer may be sent to.
    pub page_hosts: Vec<String>,
    /// Hosts that a QR code may lead to.
    pub code_hosts: Vec<String>,
}

/// Leaves out secrets.
impl fmt::Debug for TbankSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("Setup");
        output.field("terminal_key", &self.terminal_key).field("methods", &self.methods);
        output.field("api", &host_of(&self.api)).finish_non_exhaustive()
    }
}

impl TbankSetup {
    /// Parses the document, or returns every problem with it, one sentence each.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        Self::read(text).map_err(sentences)
    }

    /// Parses the document, or returns every problem with it and its field.
    pub fn read(text: &str) -> Result<Self, Vec<SetupProblem>> {
        let table = tables(text)?;
        let mut document = DocumentReader::new(&table, &KEYS);
        let setup = Self {
            terminal_key: document.text("terminal_key"),
            password: document.text("password"),
            methods: document.methods(),
            most_by_card: document.most("card", MOST),
            most_by_sbp: document.most("sbp", MOST),
            till: till::read(&mut document),
            requests_per_second: document.requests_per_second(REQUESTS_PER_SECOND),
            api: document.api(API),
            ca_file: ca_file(&mut document),
            page_hosts: document.hosts("page_hosts", &PAGE_HOSTS),
            code_hosts: document.hosts("code_hosts", &CODE_HOSTS),
        };
        judge(&mut document, &setup);
        if document.problems.is_empty() { Ok(setup) } else { Err(document.problems) }
    }

    /// A document to start from: complete except for the terminal and its password.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("template.toml")
    }

    /// True for a DEMO terminal, where no money moves.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.terminal_key.ends_with("DEMO")
    }

    /// The methods that are offered, all in rubles.
    #[must_use]
    pub fn offerings(&self) -> Vec<Offering> {
        let currencies: Vec<Currency> = Currency::parse("RUB").into_iter().collect();
        let offering = |method| Offering { method, currencies: Currencies::Only(currencies.clone()) };
        self.methods.iter().copied().map(offering).collect()
    }

    /// The smallest and the largest payment by this method, in kopecks.
    pub(super) fn limits(&self, method: Method) -> (i64, i64) {
        match method {
            Method::Sbp => (LEAST_BY_SBP, self.most_by_sbp),
            _ => (LEAST_BY_CARD, self.most_by_card),
        }
    }
}

fn ca_file(document: &mut DocumentReader<'_>) -> Option<PathBuf> {
    match document.table.get("ca_file")? {
        Value::String(path) if path.trim().starts_with('/') => Some(PathBuf::from(path.trim())),
        _ => {
            let text = "`ca_file` must be the whole path of a PEM file on this server, starting with /.";
            document.problem("ca_file", Rule::Path, text);
            None
        }
    }
}

/// Checks the values that are there.
fn judge(document: &mut DocumentReader<'_>, setup: &TbankSetup) {
    let usable = |text: &str| text.len() <= MAX_KEY && text.bytes().all(|b| b.is_ascii_graphic());
    for (key, value) in [("terminal_key", &setup.terminal_key), ("password", &setup.password)] {
        if !usable(value) {
            let text =
                format!("`{key}` must be as T-Bank shows it: at most {MAX_KEY} letters, digits and signs.");
            document.problems.push(SetupProblem::new(key, Rule::Length, text).with("most", MAX_KEY));
        }
    }
    if !setup.is_test() && !OTHER_APIS.contains(&setup.api.as_str()) {
        document.problems.extend(wrong_live_address("api", &setup.api, API));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::{repeats, text_target};

    fn document(more: &str) -> String {
        format!("terminal_key = \"1234567890123\"\npassword = \"s3c1r9e7t5k2e8y4\"\n{more}")
    }

    #[test]
    fn a_short_document_is_enough() {
        let setup = TbankSetup::parse(&document("")).expect("a set-up");
        assert_eq!((setup.terminal_key.as_str(), setup.is_test()), ("1234567890123", false));
        assert_eq!(setup.methods, [Method::Card, Method::Sbp]);
        assert_eq!((setup.api.as_str(), setup.requests_per_second, setup.ca_file), (API, 10, None));
        assert_eq!((setup.most_by_card, setup.most_by_sbp, setup.till), (MOST, MOST, None));
        let demo = document("").replace("1234567890123", "1234567890123DEMO");
        assert!(TbankSetup::parse(&demo).expect("a set-up").is_test());
        let number = TbankSetup::parse("terminal_key = 12345\npassword = \" x \\n\"").expect("a set-up");
        assert_eq!((number.terminal_key.as_str(), number.password.as_str()), ("12345", "x"));
    }

    #[test]
    fn the_template_lacks_only_the_terminal_and_its_password() {
        let problems = TbankSetup::parse(TbankSetup::template()).expect_err("no secrets");
        assert_eq!(problems, ["`terminal_key` is missing.", "`password` is missing."]);
        let filled = TbankSetup::template()
            .replace("terminal_key = \"\"", "terminal_key = \"1\"")
            .replace("password = \"\"", "password = \"x\"");
        assert_eq!(TbankSetup::parse(&filled).expect("a set-up").most_by_card, MOST);
    }

    #[test]
    fn everything_wrong_is_said_at_once_and_no_secret_is_repeated() {
        let text = "terminal_key = \"123456789012345678901\"\npassword = \"s3c1r9e7t5k2e8y4 s3c1r9\"\nmethods = [\"crypto\"]\n\
                    ca_file = \"roots.pem\"\napi = \"http://securepay.tbank.ru\"\ncolour = 1\n\
                    requests_per_second = 0\npage_hosts = [\"https://a\"]\n[most]\ncard = 5\nwire = \"1.00\"";
        let found = TbankSetup::read(text).expect_err("problems");
        let fields: Vec<&str> = found.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "",
                "",
                "methods",
                "most-card",
                "requests_per_second",
                "api",
                "ca_file",
                "page_hosts",
                "terminal_key",
                "password"
            ]
        );
        assert!(found.iter().all(|problem| !problem.sentence.contains("s3c1r9")), "{found:?}");
        let output = format!("{:?}", TbankSetup::parse(&document("")));
        assert!(!output.contains("s3c1r9"), "{output}");
    }

    #[test]
    fn s6_a_live_password_goes_only_to_the_bank_or_to_this_machine() {
        let api = |api: &str, key: &str| {
            let text = document(&format!("api = \"{api}\"")).replace("1234567890123", key);
            TbankSetup::parse(&text).map(|setup| setup.api)
        };
        for real in [API, OTHER_APIS[0], OTHER_APIS[1]] {
            assert_eq!(api(real, "123").as_deref(), Ok(real));
        }
        assert_eq!(api("http://127.0.0.1:8080/", "123").as_deref(), Ok("http://127.0.0.1:8080"));
        for wrong in ["https://securepay.tbank.ru.evil.example", "https://securepay.tbank.ru:8443"] {
            let found = api(wrong, "123").expect_err("a problem");
            assert!(found[0].starts_with("`api` can be changed only with test keys"), "{found:?}");
            assert!(api(wrong, "123DEMO").is_ok());
        }
    }

    #[test]
    fn f26_tbank_document() {
        let more = "ca_file = \"/a.pem\"\npage_hosts = [\"a.example\"]\n[most]\ncard = \"1.00\"\n";
        let words = ["=", "\"", "[", "]", "[[", "]]", "\n", "#", "\"\"\"", " = 1", "a.b", "ca_file", "most"];
        text_target(&[document(more)], &words, |text| {
            for problem in TbankSetup::parse(text).err().into_iter().flatten() {
                assert!(!problem.is_empty() && !problem.contains('\n'), "one sentence: {problem:?}");
                assert!(!repeats(&problem, &["s3c1r9e7t5k2e8y4"]), "a secret is repeated: {problem}");
            }
        });
    }
}
