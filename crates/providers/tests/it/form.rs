//! Forms of setups: a form becomes a document and the document the same form, for every provider; secrets are
//! kept and never shown.

use proptest::{prelude::*, string::string_regex};
use std::collections::BTreeSet;
use till_providers::{
    evm,
    form::{
        FieldKind, FilledForm, FormField, FormValues, KeptSecret, Rule, SetupProblem, fill, has_comments,
        hint_of, looks_secret, mask, unmask,
    },
    stripe, tbank, yookassa,
};

const XPUB: &str = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";

const PROVIDERS: [(&str, &[FormField]); 4] = [
    ("stripe", stripe::FIELDS),
    ("yookassa", yookassa::FIELDS),
    ("tbank", tbank::FIELDS),
    ("evm", evm::FIELDS),
];

fn check(provider: &str, document: &str) -> Result<(), Vec<SetupProblem>> {
    match provider {
        "stripe" => stripe::StripeSetup::read(document).map(|_| ()),
        "yookassa" => yookassa::YookassaSetup::read(document).map(|_| ()),
        "tbank" => tbank::TbankSetup::read(document).map(|_| ()),
        _ => evm::EvmSetup::read(document).map(|_| ()),
    }
}

/// Documents that can be used, with everything that they can have.
fn good(provider: &str) -> String {
    match provider {
        "stripe" => "secret_key = \"sk_test_s3c1r9e7t5k2e8y4aa\"\npublishable_key = \"pk_test_b\"\n\
                     webhook_secrets = [\"whsec_AbCdEfGhIjKlMnOp\", \"whsec_QrStUvWxYzAbCdEf\"]\n\
                     currencies = [\"EUR\", \"JPY\"]\nrequests_per_second = 7\napi = \"http://127.0.0.1:9\"\n\
                     script = \"http://127.0.0.1:9/x.js\"\n"
            .to_owned(),
        "yookassa" => "shop_id = \"100500\"\nsecret_key = \"test_s3c1r9e7t5k2e8y4\"\n\
                       notice_token = \"0123456789abcdef0123456789abcdef\"\nmethods = [\"card\"]\n\
                       currencies = [\"EUR\", \"RUB\"]\nreceipt_contacts = [\"email\", \"phone\"]\nmost.card = \"5.00\"\nmost.sbp = \"6.00\"\n\
                       requests_per_second = 3\napi = \"http://127.0.0.1:9/v3\"\npage_hosts = [\"a.example\"]\n\
                       code_hosts = [\"b.example\", \"c.example\"]\n"
            .to_owned(),
        "tbank" => "terminal_key = \"1234567890123DEMO\"\npassword = \"s3c1r9e7t5k2e8y4\"\nmethods = [\"sbp\"]\n\
                    most.card = \"5.00\"\nmost.sbp = \"6.00\"\nrequests_per_second = 3\n\
                    api = \"http://127.0.0.1:9\"\nca_file = \"/etc/till/root.pem\"\npage_hosts = [\"a.example\"]\n\
                    code_hosts = [\"b.example\", \"c.example\"]\nreceipts.ffd = \"1.2\"\n\
                    receipts.tax_system = \"esn\"\nreceipts.registration = \"unknown\"\n"
            .to_owned(),
        _ => format!(
            "price_max_age = \"3m\"\nprice_max_jump = 10\nprice_max_spread = 2\n\n[[chain]]\nid = 1\nname = \"Ethereum\"\n\
             endpoints = [\"https://one.example/s3c1r9e7\", \"https://two.example/s3c1r9e8\"]\nxpub = \"{XPUB}\"\n\
             confirmations = 12\npoll = \"1500ms\"\nmax_fuel = \"0.02\"\n\n[[chain.coin]]\nsymbol = \"ETH\"\ndecimals = 18\n\n\
             [[chain.coin]]\nsymbol = \"USDC\"\ndecimals = 6\ncontract = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"\n\n\
             [[chain]]\nid = 137\nname = \"Polygon\"\nendpoints = [\"https://three.example/s3c1r9e9\"]\nxpub = \"{XPUB}\"\n\
             confirmations = 30\n\n[[chain.coin]]\nsymbol = \"POL\"\ndecimals = 18\n\n\
             [[price]]\ncoin = \"USDC\"\ncurrency = \"USD\"\nfixed = \"1\"\n\n[[price]]\ncoin = \"ETH\"\ncurrency = \"USD\"\n\
             url = \"https://prices.example/eth?key=s3c1r9f1\"\npointer = \"/data/amount\"\nmin = \"200\"\nmax = \"50000\"\n\
             time_pointer = \"/data/time\"\nmax_unchanged = \"2h\"\n\n\
             [[price]]\ncoin = \"POL\"\ncurrency = \"USD\"\nfixed = \"0.2\"\n"
        ),
    }
}

const SECRETS: [(&str, usize); 4] = [("stripe", 3), ("yookassa", 2), ("tbank", 1), ("evm", 4)];

/// A form with any values in the shape that a document can have.
fn values(fields: &'static [FormField], prefix: String) -> BoxedStrategy<Vec<(String, String)>> {
    let word = || string_regex("[A-Za-z0-9_.:/<>\"'\\\\#=-]{1,12}").expect("a pattern");
    let parts = fields.iter().map(|field| {
        let name = field.name(&prefix);
        match field.kind {
            FieldKind::Rows(inside) => {
                // A row without a value is no row: its first value is always there.
                let row = move |number: usize| {
                    let prefix = format!("{name}-{number}-");
                    let first = inside[0].name(&prefix);
                    (values(inside, prefix), word()).prop_map(move |(mut row, word)| {
                        row.retain(|(name, _)| *name != first);
                        row.push((first.clone(), word));
                        row
                    })
                };
                (0_usize..3)
                    .prop_flat_map(move |rows| (1..=rows).map(&row).collect::<Vec<_>>())
                    .prop_map(|rows| rows.concat())
                    .boxed()
            }
            FieldKind::List(_, most) => proptest::collection::vec(word(), 0..=most)
                .prop_map(move |items| {
                    (1..)
                        .zip(items)
                        .map(|(number, text): (usize, _)| (format!("{name}-{number}"), text))
                        .collect()
                })
                .boxed(),
            FieldKind::Choices(all, _) => proptest::sample::subsequence(all, 0..=all.len())
                .prop_map(move |chosen| vec![(name.clone(), chosen.join(" "))])
                .boxed(),
            FieldKind::Words => proptest::collection::vec("[A-Za-z.]{1,6}", 0..4)
                .prop_map(move |words| vec![(name.clone(), words.join(", "))])
                .boxed(),
            FieldKind::Number => {
                prop_oneof![Just(String::new()), any::<i64>().prop_map(|n| n.to_string()), "[a-z0-9]{1,4}"]
                    .prop_map(move |text| vec![(name.clone(), text)])
                    .boxed()
            }
            _ => prop_oneof![Just(String::new()), word(), "[а-яё ]{1,9}"]
                .prop_map(move |text| vec![(name.clone(), text)])
                .boxed(),
        }
    });
    parts.collect::<Vec<_>>().prop_map(|parts| parts.concat()).boxed()
}

fn form(pairs: Vec<(String, String)>) -> FormValues {
    let mut form = FormValues::default();
    for (name, value) in pairs {
        form.set(name, value);
    }
    form
}

fn round_trip(fields: &'static [FormField]) -> impl Strategy<Value = FormValues> {
    values(fields, String::new()).prop_map(form)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_form_of_stripe_is_the_same_after_its_document(form in round_trip(stripe::FIELDS)) {
        prop_assert!(FormValues::read(stripe::FIELDS, &form.document(stripe::FIELDS)) == form);
    }

    #[test]
    fn a_form_of_yookassa_is_the_same_after_its_document(form in round_trip(yookassa::FIELDS)) {
        prop_assert!(FormValues::read(yookassa::FIELDS, &form.document(yookassa::FIELDS)) == form);
    }

    #[test]
    fn a_form_of_tbank_is_the_same_after_its_document(form in round_trip(tbank::FIELDS)) {
        prop_assert!(FormValues::read(tbank::FIELDS, &form.document(tbank::FIELDS)) == form);
    }

    #[test]
    fn a_form_of_crypto_is_the_same_after_its_document(form in round_trip(evm::FIELDS)) {
        prop_assert!(FormValues::read(evm::FIELDS, &form.document(evm::FIELDS)) == form);
    }
}

#[test]
fn a_document_means_the_same_after_its_form() {
    for (provider, fields) in PROVIDERS {
        let document = good(provider);
        check(provider, &document).unwrap_or_else(|problems| panic!("{provider}: {problems:?}"));
        let again = FormValues::read(fields, &document).document(fields);
        check(provider, &again).unwrap_or_else(|problems| panic!("{provider}: {problems:?}\n{again}"));
        match provider {
            "stripe" => assert!(stripe::StripeSetup::read(&again) == stripe::StripeSetup::read(&document)),
            "yookassa" => {
                assert!(yookassa::YookassaSetup::read(&again) == yookassa::YookassaSetup::read(&document))
            }
            "tbank" => assert!(tbank::TbankSetup::read(&again) == tbank::TbankSetup::read(&document)),
            _ => assert!(evm::EvmSetup::read(&again) == evm::EvmSetup::read(&document)),
        }
    }
}

/// The fields of a form that a problem can be about.
fn names(fields: &[FormField], prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for field in fields {
        let name = field.name(prefix);
        match field.kind {
            FieldKind::Rows(inside) => {
                for number in 1..4 {
                    names.extend(self::names(inside, &format!("{name}-{number}-")));
                }
                names.push(name);
            }
            FieldKind::List(_, most) => names.extend((1..=most).map(|number| format!("{name}-{number}"))),
            _ => names.push(name),
        }
    }
    names
}

#[test]
fn every_problem_is_about_a_field_of_the_form() {
    for (provider, fields) in PROVIDERS {
        let known = names(fields, "");
        let full = FormValues::read(fields, &good(provider));
        let all: Vec<String> = full.iter().map(|(name, _)| name.to_owned()).collect();
        for name in &all {
            for wrong in ["", "!", "-1", "https://x.example/{}", "EUR", &"x".repeat(300)] {
                let mut form = full.clone();
                form.set(name.clone(), wrong);
                for problem in check(provider, &form.document(fields)).err().into_iter().flatten() {
                    assert!(known.contains(&problem.field), "{provider} {name}={wrong}: {problem:?}");
                }
            }
        }
        let nothing = check(provider, &FormValues::default().document(fields)).expect_err("nothing is there");
        assert!(nothing.iter().all(|problem| known.contains(&problem.field)), "{nothing:?}");
    }
    let mut form = FormValues::read(evm::FIELDS, &good("evm"));
    form.set("chain-2-coin-1-decimals".to_owned(), "many");
    let problems = check("evm", &form.document(evm::FIELDS)).expect_err("a problem");
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!((problem.field.as_str(), problem.rule), ("chain-2-coin-1-decimals", Rule::Number));
    assert_eq!(problem.values, [("least", "0".to_owned()), ("most", "24".to_owned())]);
}

fn removed(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The form as a browser sends it: without secrets.
fn shown(form: &FilledForm) -> FormValues {
    let mut typed = FormValues::default();
    for (name, value) in form.values.iter().filter(|(name, _)| !form.kept.contains_key(*name)) {
        typed.set(name.to_owned(), value);
    }
    typed
}

#[test]
fn an_empty_secret_stays_as_it_was_and_a_new_one_replaces_it() {
    for ((provider, fields), (_, count)) in PROVIDERS.into_iter().zip(SECRETS) {
        let stored = FilledForm::stored(fields, &good(provider));
        assert_eq!(stored.kept.len(), count, "{provider}");
        let typed = shown(&stored);
        assert!(
            fill(fields, &typed, &removed(&[]), &stored).values == stored.values,
            "{provider}: all are kept"
        );
        for name in stored.kept.keys() {
            let mut typed = typed.clone();
            typed.set(name.clone(), "new-secret");
            let filled = fill(fields, &typed, &removed(&[]), &stored);
            assert_eq!(filled.values.get(name), "new-secret", "{provider} {name}");
            assert!(filled.kept[name] == KeptSecret::Entered("new-secret".to_owned()));
            // The page after a test or a mistake: empty again, and the entered secret counts.
            let later = fill(fields, &shown(&filled), &removed(&[]), &filled);
            assert!(later.values == filled.values, "{provider} {name}: entered secrets are kept too");
        }
    }
}

#[test]
fn rows_are_removed_and_numbered_again_with_their_own_secrets() {
    let stored = FilledForm::stored(evm::FIELDS, &good("evm"));
    let typed = shown(&stored);
    let filled = fill(evm::FIELDS, &typed, &removed(&["chain-1", "price-1", "price-2"]), &stored);
    assert_eq!(filled.values.get("chain-1-name"), "Polygon");
    assert_eq!(filled.values.get("chain-1-endpoints-1"), "https://three.example/s3c1r9e9");
    assert!(filled.kept["chain-1-endpoints-1"] == KeptSecret::Stored("chain-2-endpoints-1".to_owned()));
    assert_eq!(filled.values.numbers("chain").len(), 1);
    check("evm", &filled.values.document(evm::FIELDS)).expect("one chain and its price");

    let mut typed = shown(&stored);
    typed.set("chain-1-endpoints-4".to_owned(), "https://new.example/");
    let filled = fill(evm::FIELDS, &typed, &removed(&["chain-1-endpoints-1", "price-2-url"]), &stored);
    assert_eq!(filled.values.get("chain-1-endpoints-1"), "https://two.example/s3c1r9e8");
    assert_eq!(filled.values.get("chain-1-endpoints-2"), "https://new.example/");
    assert_eq!(filled.values.get("price-2-url"), "", "a secret alone can be removed");
}

#[test]
fn a_document_is_shown_without_its_secrets_and_saved_with_them() {
    for ((provider, fields), (_, count)) in PROVIDERS.into_iter().zip(SECRETS) {
        let document = format!("# A comment.\n{}", good(provider));
        let masked = mask(fields, &document, "stored", 1);
        assert_eq!(masked.secrets.len(), count, "{provider}");
        assert!(masked.secrets.iter().all(|secret| !masked.text.contains(secret)), "{}", masked.text);
        assert!(
            masked.text.starts_with("# A comment.") && masked.text.contains("<stored:1"),
            "{}",
            masked.text
        );
        let again = unmask(fields, &masked.text, &masked.secrets, &[]).expect("its own placeholders");
        assert_eq!(again, document, "{provider}");
        let twice = mask(fields, &masked.text, "stored", 1);
        assert!(twice.text == masked.text && twice.secrets.is_empty(), "placeholders stay");
        let problems = unmask(fields, &masked.text, &[], &[]).expect_err("nothing is stored");
        assert_eq!(problems.len(), count);
    }
}

#[test]
fn placeholders_may_move_and_stand_beside_new_secrets() {
    let masked = mask(stripe::FIELDS, &good("stripe"), "stored", 1);
    let typed = masked.text.replace("\"<stored:1 …y4aa>\"", "\"rk_test_new\"");
    let typed =
        typed.replace("<stored:2 …MnOp>", "<stored:3>").replace("\"<stored:3 …CdEf>\"", "\"whsec_new\"");
    let entered = mask(stripe::FIELDS, &typed, "entered", 1);
    assert_eq!(entered.secrets, ["rk_test_new", "whsec_new"]);
    assert!(entered.text.contains("[\"<stored:3>\", \"<entered:2>\"]"), "{}", entered.text);
    let full = unmask(stripe::FIELDS, &entered.text, &masked.secrets, &entered.secrets).expect("known");
    let setup = stripe::StripeSetup::read(&full).expect("a set-up");
    assert_eq!(setup.secret_key, "rk_test_new");
    assert_eq!(setup.webhook_secrets, ["whsec_QrStUvWxYzAbCdEf", "whsec_new"]);
}

#[test]
fn a_secret_in_the_wrong_place_or_in_a_broken_document_is_not_shown() {
    let hush = "sk_live_hush0123456789";
    for text in [
        format!("publishable_key = \"{hush}\"\n"),
        format!("currencies = [\"EUR\", \"{hush}\"]\n"),
        format!("secret_kye = \"{hush}\"\n"),
        format!("[other]\nx = [\"{hush}\"]\n"),
        "secret_kye = \"a hush that looks like nothing\"\n".to_owned(),
        format!("secret_key = \"{hush}\ncurrencies = [\"EUR\"]\n"),
        format!("currencies = [\"EUR\"\nwebhook_secrets = [\n  \"{hush}\",\n]\n"),
        format!("= {hush}\n# {hush}\n[[\"{hush}\"]]\n"),
    ] {
        let masked = mask(stripe::FIELDS, &text, "entered", 1);
        assert!(!masked.text.contains("hush"), "{}", masked.text);
    }
    let broken = mask(stripe::FIELDS, "secret_key = \"hush\ncurrencies = [\"EUR\"]\n", "entered", 1);
    assert_eq!(broken.text, "secret_key = \"\"\ncurrencies = [\"EUR\"]", "what is harmless stays");
    let slip = "# our account\nsecret_key = \"<stored:1 …cdef>\"\nwebhook_secrets = [\n  \"whsec_hush\",\n]\n\
        currencies = [\"EUR\"";
    let masked = mask(stripe::FIELDS, slip, "entered", 1);
    let kept = "# our account\nsecret_key = \"<stored:1 …cdef>\"\n";
    assert!(masked.text.starts_with(kept), "comments and placeholders stay: {}", masked.text);
    assert!(masked.text.contains("\"<entered:1>\","), "a new secret is kept: {}", masked.text);
    assert_eq!(masked.secrets, ["whsec_hush"]);
    for secret in [
        "xprv9s21",
        "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
        "test_0123456789abcdef",
    ] {
        assert!(looks_secret(secret), "{secret}");
    }
    for open in [
        "EUR",
        "pk_live_x",
        "test_net",
        "100500",
        "https://a.example",
        XPUB,
        "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    ] {
        assert!(!looks_secret(open), "{open}");
    }
}

#[test]
fn comments_are_kept_without_words_that_may_be_secret() {
    let hush = "sk_live_hush0123456789";
    for comment in [
        format!("# secret_key = \"{hush}\""),
        format!("currencies = [\"#\"] # was {hush}, then another"),
        "# notice_token = 'hush0123456789abcdef0123456789ab'".to_owned(),
        "# endpoints = [\"https://node.example/hush\"]".to_owned(),
    ] {
        let masked = mask(stripe::FIELDS, &format!("{comment}\n"), "stored", 1).text;
        assert!(!masked.contains("hush") && masked.contains('…'), "{masked}");
    }
    for template in
        [stripe::StripeSetup::template(), yookassa::YookassaSetup::template(), tbank::TbankSetup::template()]
    {
        assert_eq!(
            mask(stripe::FIELDS, "# Keys of the shop in Oslo.", "stored", 1).text,
            "# Keys of the shop in Oslo."
        );
        assert!(!mask(yookassa::FIELDS, template, "stored", 1).text.contains("# …"), "ordinary words stay");
    }
}

#[test]
fn a_hint_gives_little_away() {
    assert_eq!(hint_of("https://user:word@node.example:8545/key?x=y"), "node.example:8545");
    assert_eq!(hint_of("sk_live_0123456789abcdef"), "…cdef");
    assert_eq!(hint_of("whsec_short"), "", "four characters are too much of a short one");
}

#[test]
fn comments_are_noticed() {
    for (document, there) in [
        ("a = 1\n# b\n", true),
        ("a = 1 # b", true),
        ("a = \"x#y\"\nb = 'x#y'\n", false),
        ("a = \"x\\\"#y\"\n", false),
        ("a = \"x\\\\\" # y", true),
        ("", false),
    ] {
        assert_eq!(has_comments(document), there, "{document}");
    }
}

#[test]
fn a_placeholder_outside_a_secret_setting_stays_closed() {
    let stored = ["sk_live_very_secret".to_owned()];
    for text in [
        "publishable_key = \"<stored:1 …cret>\"",
        "currencies = [\"<stored:1 …cret>\"]",
        "unknown = \"<stored:1 …cret>\"",
    ] {
        let problems = unmask(stripe::FIELDS, text, &stored, &[]).expect_err("no secret belongs there");
        assert!(problems.iter().all(|problem| !format!("{problem:?}").contains("very_secret")), "{text}");
    }
    let right = unmask(stripe::FIELDS, "secret_key = \"<stored:1 …cret>\"", &stored, &[]);
    assert!(right.is_ok_and(|text| text.contains("very_secret")));
}
