//! The operator's setup: API keys, webhook secrets and currencies, as one TOML document.

use super::amount;
use crate::{
    document::{is_loopback, requests_per_second, tables, wrong_live_address},
    form::{FieldKind, FormField, Rule, SetupProblem, sentences},
};
use std::fmt;
use till_domain::{attempt::Origins, money::Currency, text::quoted_key};
use toml::{Table, Value};
use url::Url;

/// Base URL of the Stripe API.
const API: &str = "https://api.stripe.com";

/// Stripe.js, which embeds the form in a page. It is of the same release as the pinned version of the API,
/// and may only be loaded from there.
const SCRIPT: &str = "https://js.stripe.com/endive/stripe.js";

/// Origins of that script and its parts, for the Content-Security-Policy.
const SCRIPTS: [&str; 2] = ["https://js.stripe.com", "https://*.js.stripe.com"];

/// Origins of its frames: its own with the card form, and that with the bank's 3-D Secure challenge.
const FRAMES: [&str; 3] = ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"];

/// The keys of the document.
const KEYS: [&str; 7] = [
    "secret_key",
    "publishable_key",
    "webhook_secrets",
    "currencies",
    "requests_per_second",
    "api",
    "script",
];

/// The fields of the form, in its order.
pub const FIELDS: &[FormField] = &[
    FormField::required("secret_key", FieldKind::Secret, "rk_live_…"),
    FormField::required("publishable_key", FieldKind::Text, "pk_live_…"),
    FormField::required("webhook_secrets", FieldKind::List(&FieldKind::Secret, 2), "whsec_…"),
    FormField::required("currencies", FieldKind::Words, "EUR, USD"),
    FormField::advanced("requests_per_second", FieldKind::Number, "20"),
    FormField::advanced("api", FieldKind::Address, API),
    FormField::advanced("script", FieldKind::Address, SCRIPT),
];

/// Default rate limit, in requests a second. Stripe accepts 25 for one endpoint.
const REQUESTS_PER_SECOND: u32 = 20;

/// The longest entry of `currencies` that an error message repeats.
const LONGEST_CODE: usize = 5;

#[derive(Clone, PartialEq, Eq)]
pub struct StripeSetup {
    /// The key that authenticates our calls.
    pub secret_key: String,
    /// The key that customers' browsers send to Stripe.
    pub publishable_key: String,
    /// The secrets that sign events (webhooks): one, or two while it is being rolled.
    pub webhook_secrets: Vec<String>,
    /// The currencies that are accepted.
    pub currencies: Vec<Currency>,
    /// Rate limit of one node, in requests a second.
    pub requests_per_second: u32,
    /// Base URL of the API, without a slash at the end.
    pub api: String,
    /// URL of the script that embeds the form.
    pub script: String,
}

/// Leaves out secrets.
impl fmt::Debug for StripeSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("Setup");
        output.field("live", &self.is_live()).field("webhook_secrets", &self.webhook_secrets.len());
        output.field("currencies", &self.currencies).field("api", &self.api).finish_non_exhaustive()
    }
}

impl StripeSetup {
    /// Parses the document, or returns every problem with it, one sentence each. None repeats a secret.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        Self::read(text).map_err(sentences)
    }

    /// Parses the document, or returns every problem with it and its field.
    pub fn read(text: &str) -> Result<Self, Vec<SetupProblem>> {
        let document = tables(text)?;
        let mut reader = Reader { document: &document, problems: Vec::new() };
        reader.unknown();
        let setup = Self {
            secret_key: reader.key("secret_key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"]),
            publishable_key: reader.key("publishable_key", &["pk_live_", "pk_test_"]),
            webhook_secrets: reader.webhook_secrets(),
            currencies: reader.currencies(),
            requests_per_second: reader.requests_per_second(),
            api: reader.address("api", API).trim_end_matches('/').to_owned(),
            script: reader.address("script", SCRIPT),
        };
        let modes = [&setup.secret_key, &setup.publishable_key].map(|key| key.contains("_live_"));
        if reader.problems.is_empty() && modes[0] != modes[1] {
            let text = "One key is a live key and the other a test key: use two keys of the same mode.";
            reader.problem("publishable_key", Rule::Mode, text);
        }
        if setup.is_live() {
            reader.problems.extend(wrong_live_address("api", &setup.api, API));
            reader.problems.extend(wrong_live_address("script", &setup.script, SCRIPT));
        }
        if reader.problems.is_empty() { Ok(setup) } else { Err(reader.problems) }
    }

    /// A document to start from: complete except for the keys and secrets.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("template.toml")
    }

    /// True if real money moves.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.secret_key.contains("_live_")
    }

    /// The origins that the Content-Security-Policy of a page with the form has to allow.
    pub(super) fn origins(&self) -> Origins {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        if self.script == SCRIPT {
            return Origins { scripts: texts(&SCRIPTS), frames: texts(&FRAMES), connections: texts(&[API]) };
        }
        let origin = |text: &String| Url::parse(text).ok().map(|url| url.origin().ascii_serialization());
        let (script, api): (Vec<_>, Vec<_>) =
            (origin(&self.script).into_iter().collect(), origin(&self.api).into_iter().collect());
        Origins { scripts: script.clone(), frames: script, connections: api }
    }
}

struct Reader<'a> {
    document: &'a Table,
    problems: Vec<SetupProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, field: &str, rule: Rule, text: &str) {
        self.problems.push(SetupProblem::new(field, rule, text));
    }

    fn unknown(&mut self) {
        let unknown = self.document.keys().filter(|key| !KEYS.contains(&key.as_str()));
        let known = KEYS.join(", ");
        let sentence = |key: &String| format!("{} is not a setting: there are {known}.", quoted_key(key));
        let problems = unknown.map(|key| SetupProblem::new("", Rule::Known, sentence(key)));
        self.problems.extend(problems);
    }

    fn key(&mut self, name: &str, prefixes: &[&str]) -> String {
        let text = self.document.get(name).and_then(Value::as_str).unwrap_or("").trim().to_owned();
        let begins =
            prefixes.iter().any(|prefix| text.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()));
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !begins || !plain || text.len() > 255 {
            let begins = prefixes.join(" or ");
            let text =
                format!("`{name}` must be a key that starts with {begins}: copy it from the dashboard.");
            self.problems.push(SetupProblem::new(name, Rule::Key, text).with("list", prefixes.join(", ")));
        }
        text
    }

    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.document.get(name)?.as_array()?;
        list.iter().map(|value| value.as_str().map(|text| text.trim().to_owned())).collect()
    }

    fn webhook_secrets(&mut self) -> Vec<String> {
        let secrets = self.texts("webhook_secrets").unwrap_or_default();
        let good = |text: &String| text.strip_prefix("whsec_").is_some_and(|rest| !rest.is_empty());
        if !(1..=2).contains(&secrets.len()) || !secrets.iter().all(good) {
            self.problem(
                "webhook_secrets-1",
                Rule::WebhookSecret,
                "`webhook_secrets` must be a list of one secret that starts with whsec_, or of two while you \
                 roll it.",
            );
        }
        secrets
    }

    fn currencies(&mut self) -> Vec<Currency> {
        let Some(codes) = self.texts("currencies").filter(|codes| !codes.is_empty()) else {
            let text = "`currencies` must be a list of at least one currency: currencies = [\"EUR\"]";
            self.problem("currencies", Rule::Currencies, text);
            return Vec::new();
        };
        let mut currencies: Vec<Currency> = Vec::new();
        for code in codes {
            let problem = |rule, text: String| SetupProblem::new("currencies", rule, text);
            match Currency::parse(&code) {
                None if code.len() <= LONGEST_CODE => {
                    let text = format!("`currencies`: {code:?} is not a currency code.");
                    self.problems.push(problem(Rule::Currency, text).with("name", code));
                }
                // It may be a secret in the wrong place.
                None => {
                    let text = "`currencies` has an entry that is not a currency code.".to_owned();
                    self.problems.push(problem(Rule::Currencies, text));
                }
                Some(currency) if !amount::is_supported(currency) => {
                    let text = format!(
                        "`currencies`: this version does not support the decimals of {currency}: remove it."
                    );
                    self.problems.push(problem(Rule::CurrencyUsable, text).with("name", currency));
                }
                Some(currency) if currencies.contains(&currency) => {
                    let text = format!("`currencies` names {currency} twice: remove one.");
                    self.problems.push(problem(Rule::Once, text).with("name", currency));
                }
                Some(currency) => currencies.push(currency),
            }
        }
        currencies
    }

    fn requests_per_second(&mut self) -> u32 {
        match requests_per_second(self.document, REQUESTS_PER_SECOND) {
            Ok(rate) => rate,
            Err(problem) => {
                self.problems.push(problem);
                REQUESTS_PER_SECOND
            }
        }
    }

    /// A URL that tests may set. It must be https or loopback: an eavesdropper would read the key.
    fn address(&mut self, name: &str, otherwise: &str) -> String {
        let Some(value) = self.document.get(name) else { return otherwise.to_owned() };
        let text = value.as_str().unwrap_or("");
        let url = Url::parse(text).ok();
        let safe =
            url.is_some_and(|url| url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url));
        if !safe {
            let text = format!(
                "`{name}` must be an address that starts with https://: leave it out for the real service."
            );
            self.problem(name, Rule::Address, &text);
        }
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::{repeats, text_target};

    const GOOD: &str = "secret_key = \"sk_test_a\"\npublishable_key = \"pk_test_b\"\nwebhook_secrets = [\"whsec_c\"]\n\
                        currencies = [\"eur\", \"JPY\"]\n";

    fn problems(text: &str) -> Vec<String> {
        StripeSetup::parse(text).expect_err("a problem")
    }

    #[test]
    fn a_document_is_read() {
        let setup = StripeSetup::parse(GOOD).expect("a set-up");
        assert!(!setup.is_live());
        assert_eq!(setup.currencies.iter().map(|c| c.code()).collect::<Vec<_>>(), ["EUR", "JPY"]);
        assert_eq!(setup.api, "https://api.stripe.com");
        let origins = setup.origins();
        let counts = [origins.scripts.len(), origins.frames.len(), origins.connections.len()];
        assert_eq!((counts, origins.connections), ([2, 3, 1], vec![API.to_owned()]));
        let local = StripeSetup::parse(&format!(
            "{GOOD}api = \"http://127.0.0.1:9/\"\nscript = \"http://127.0.0.1:9/x.js\""
        ));
        let local = local.expect("a set-up");
        assert_eq!(local.api, "http://127.0.0.1:9");
        assert_eq!(local.origins().frames, ["http://127.0.0.1:9"]);
        assert_eq!(setup.requests_per_second, 20);
        let slower = StripeSetup::parse(&format!("{GOOD}requests_per_second = 7")).expect("a set-up");
        assert_eq!(slower.requests_per_second, 7);
        for wrong in ["0", "1001", "-1", "\"20\"", "2.5"] {
            assert_eq!(problems(&format!("{GOOD}requests_per_second = {wrong}")).len(), 1, "{wrong}");
        }
        let live = GOOD.replace("sk_test_", "rk_live_").replace("pk_test_", "pk_live_");
        assert!(StripeSetup::parse(&live).expect("a set-up").is_live());
    }

    #[test]
    fn s6_live_keys_go_only_to_the_real_addresses_or_to_this_machine() {
        let live = GOOD.replace("sk_test_", "sk_live_").replace("pk_test_", "pk_live_");
        for (key, real) in [("api", API), ("script", SCRIPT)] {
            for strange in ["https://127.0.0.1.shop.example", "https://localhost.shop.example/x.js"] {
                let found = problems(&format!("{live}{key} = \"{strange}\""));
                assert_eq!(found.len(), 1, "{found:?}");
                assert!(
                    found[0].starts_with(&format!("`{key}` can be changed only with test keys")),
                    "{found:?}"
                );
                assert!(
                    StripeSetup::parse(&format!("{GOOD}{key} = \"{strange}\"")).is_ok(),
                    "{key} with test keys"
                );
            }
            for good in [real, "http://127.0.0.1:9/x", "https://localhost:9/x"] {
                assert!(StripeSetup::parse(&format!("{live}{key} = \"{good}\"")).is_ok(), "{key} {good}");
            }
        }
    }

    #[test]
    fn p21_a_page_with_the_form_loads_the_providers_own_script_and_no_other() {
        let setup = StripeSetup::parse(GOOD).expect("a set-up");
        assert_eq!(setup.origins().scripts, ["https://js.stripe.com", "https://*.js.stripe.com"]);
        assert_eq!(setup.script, "https://js.stripe.com/endive/stripe.js");
        let element = include_str!("element.js");
        assert!(!element.contains("https://"), "its address comes with the values of the page");
        assert_eq!(element.matches("createElement('script')").count(), 1);
    }

    #[test]
    fn the_template_lacks_only_what_nobody_else_knows() {
        let found = problems(StripeSetup::template());
        assert_eq!(found.len(), 3, "{found:?}");
        let filled = StripeSetup::template()
            .replace("secret_key = \"\"", "secret_key = \"sk_test_a\"")
            .replace("publishable_key = \"\"", "publishable_key = \"pk_test_b\"")
            .replace("[\"\"]", "[\"whsec_c\", \"whsec_d\"]");
        assert_eq!(StripeSetup::parse(&filled).expect("a set-up").webhook_secrets.len(), 2);
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once_and_no_secret_with_it() {
        let found = problems(
            "secret_key = \"hidden\"\npublishable_key = \"sk_live_hidden\"\nwebhook_secrets = [\"hidden\", \" \"]\n\
             currencies = [\"EUR\", \"EUR\", \"ISK\", \"ZZZ\"]\napi = \"http://elsewhere.example\"\nsurprise = 1",
        );
        assert_eq!(found.len(), 8, "{found:#?}");
        assert!(!found.concat().contains("hidden"));
        assert!(problems("secret_key = \"hidden").concat().starts_with("Line 1 is not TOML"));
        assert!(!problems("secret_key = \"hidden").concat().contains("hidden"));
        assert_eq!(problems(&GOOD.replace("pk_test", "pk_live")).len(), 1, "two modes");
        assert_eq!(
            problems(&GOOD.replace("[\"whsec_c\"]", "[\"whsec_c\", \"whsec_d\", \"whsec_e\"]")).len(),
            1
        );
        assert_eq!(problems(&GOOD.replace("whsec_c", "whsec_")).len(), 1);
        let output =
            format!("{:?}", StripeSetup::parse(&GOOD.replace("_a\"", "_hidden\"")).expect("a set-up"));
        assert!(!output.contains("hidden") && !output.contains("whsec_c"), "{output}");
    }

    #[test]
    fn f26_stripe_document() {
        let secrets = ["s3c1r9e7t5k2e8y4", "AbCdEfGhIjKlMnOp"];
        let seed = GOOD
            .replace("sk_test_a", "sk_test_s3c1r9e7t5k2e8y4")
            .replace("whsec_c", "whsec_AbCdEfGhIjKlMnOp");
        let words =
            ["=", "\"", "[", "]", "[[", "]]", "\n", "#", "\"\"\"", " = 1", "a.b", "currencies", "secret_key"];
        text_target(&[seed], &words, |text| {
            for problem in StripeSetup::parse(text).err().into_iter().flatten() {
                assert!(!problem.is_empty() && !problem.contains('\n'), "one sentence: {problem:?}");
                assert!(!repeats(&problem, &secrets), "a secret is repeated: {problem}");
            }
        });
    }
}
