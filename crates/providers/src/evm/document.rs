//! Parses the operator's setup document. All problems are reported at once, and each message says what to
//! change. No message repeats anything that may be a secret (node addresses, keys).

mod prices;

use super::{
    key::{AccountKey, KeyProblem, read_address},
    price::Price,
    setup::{Chain, Coin, EvmSetup},
};
use crate::{
    document::tables,
    form::{Rule, SetupProblem},
};
use std::{collections::HashSet, ops::RangeInclusive, time::Duration};
use till_domain::{
    chain::{Atoms, ChainId},
    text::quoted_key,
};
use toml::{Table, Value};
use url::Url;

/// Default interval between two polls of a chain.
const POLL: Duration = Duration::from_secs(4);
/// The most decimal places of a coin: more than any coin has, and sums of it still fit.
const MAX_DECIMALS: u64 = 24;
/// The most nodes of one chain.
pub(super) const MAX_ENDPOINTS: usize = 8;

/// Parses the whole document, or returns every problem with it.
pub fn read(text: &str) -> Result<EvmSetup, Vec<SetupProblem>> {
    let document = tables(text)?;
    let mut problems = Vec::new();
    let mut top =
        Section { name: String::new(), place: String::new(), table: &document, problems: &mut problems };
    top.keys(&["price_max_age", "price_max_jump", "price_max_spread", "chain", "price"]);
    let price_rules = prices::rules(&mut top);
    let (chains, priced) = (top.tables("chain"), top.tables("price"));
    let chains =
        chains.into_iter().zip(1..).map(|(table, number)| chain(table, number, &mut problems)).collect();
    let priced = priced.into_iter().zip(1..);
    let price = |(table, number)| prices::price(table, number, &mut problems).map(|price| (number, price));
    let (numbers, prices): (Vec<usize>, Vec<_>) = priced.filter_map(price).unzip();
    let setup = EvmSetup { chains, prices, price_rules };
    together(&setup, &numbers, &mut problems);
    if problems.is_empty() { Ok(setup) } else { Err(problems) }
}

fn chain(table: &Table, number: usize, problems: &mut Vec<SetupProblem>) -> Chain {
    let called =
        table.get("name").and_then(Value::as_str).map(|name| format!(" ({name})")).unwrap_or_default();
    let name = format!("Chain {number}{called}: ");
    let place = format!("chain-{number}-");
    let mut section = Section { name: name.clone(), place: place.clone(), table, problems };
    section.keys(&["id", "name", "endpoints", "xpub", "confirmations", "poll", "max_fuel", "coin"]);
    let mut chain = Chain {
        id: ChainId(section.number("id", 1..=u64::from(u32::MAX))),
        name: section.text("name", 40),
        endpoints: endpoints(&mut section),
        xpub: section.text("xpub", 200),
        confirmations: u32::try_from(section.number("confirmations", 1..=10_000)).unwrap_or(1),
        poll_ms: poll(&mut section),
        coins: Vec::new(),
        max_fuel: Atoms::ZERO,
    };
    let fuel = fuel(&mut section);
    if !chain.xpub.is_empty()
        && let Err(problem) = AccountKey::parse(&chain.xpub)
    {
        let rule = match problem {
            KeyProblem::Private => Rule::XpubPublic,
            KeyProblem::Malformed => Rule::Xpub,
            KeyProblem::Depth(_) => Rule::XpubLevel,
        };
        section.problem("xpub", rule, &format!("`xpub` {problem}"));
    }
    let coins = section.tables("coin");
    if coins.is_empty() {
        section.problem(
            "coin",
            Rule::Coins,
            "there is no coin: add [[chain.coin]] with its symbol and decimals",
        );
    }
    let read = |(table, n)| coin(table, (format!("{name}coin {n}: "), format!("{place}coin-{n}-")), problems);
    let coins: Vec<WrittenCoin> = coins.into_iter().zip(1..).map(read).collect();
    distinct_coins(&coins, (&name, &place), problems);
    chain.coins = coins.into_iter().map(|written| written.coin).collect();
    let native = chain.coins.iter().find(|coin| coin.contract.is_none());
    chain.max_fuel = atoms(fuel, native.map_or(18, |coin| coin.decimals));
    chain
}

/// Default of `max_fuel`, the gas of a sweep: a hundredth of a coin, which is more than a token transfer
/// costs on any of the large chains.
const MAX_FUEL: Price = Price { mantissa: 1, scale: 2 };

fn fuel(section: &mut Section<'_, '_>) -> Price {
    if !section.table.contains_key("max_fuel") {
        return MAX_FUEL;
    }
    let text = section.text("max_fuel", 40);
    let fuel = Price::parse(&text);
    if fuel.is_none() && !text.is_empty() {
        section.problem(
            "max_fuel",
            Rule::Decimal,
            "`max_fuel` must be a decimal number above 0 in quotes, such as \"0.01\"",
        );
    }
    fuel.unwrap_or(MAX_FUEL)
}

/// Converts an amount of coins to the coin's smallest unit, rounded down.
fn atoms(amount: Price, decimals: u8) -> Atoms {
    let (up, down) = (decimals.saturating_sub(amount.scale), amount.scale.saturating_sub(decimals));
    let power = |by: u8| 10_u128.checked_pow(by.into()).unwrap_or(u128::MAX);
    Atoms(amount.mantissa.saturating_mul(power(up)) / power(down))
}

fn poll(section: &mut Section<'_, '_>) -> u64 {
    let allowed = Duration::from_millis(250)..=Duration::from_secs(600);
    u64::try_from(section.duration("poll", POLL, allowed).as_millis()).unwrap_or(u64::MAX)
}

fn endpoints(section: &mut Section<'_, '_>) -> Vec<String> {
    let listed = section.table.get("endpoints").and_then(Value::as_array);
    let texts: Option<Vec<String>> =
        listed.and_then(|list| list.iter().map(|value| value.as_str().map(str::to_owned)).collect());
    let Some(texts) = texts.filter(|texts| !texts.is_empty() && texts.len() <= MAX_ENDPOINTS) else {
        let text = format!(
            "`endpoints` must be a list of 1 to {MAX_ENDPOINTS} addresses in quotes: endpoints = [\"https://…\"]"
        );
        let problem = section.new_problem("endpoints-1", Rule::Nodes, &text).with("most", MAX_ENDPOINTS);
        section.problems.push(problem);
        return Vec::new();
    };
    for (number, text) in texts.iter().enumerate() {
        if !is_web_address(text) {
            let number = number + 1;
            let text = format!("endpoint {number} must be an address that starts with https:// or http://");
            section.problem(&format!("endpoints-{number}"), Rule::WebAddress, &text);
        }
    }
    if texts.iter().collect::<HashSet<_>>().len() < texts.len() {
        let text = "`endpoints` names the same address twice: it would only agree with itself; remove one";
        section.problem("endpoints-1", Rule::NodeOnce, text);
    }
    texts
}

fn is_web_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// A coin, and the text of its contract. A text that is no address is reported as a problem, and does not make
/// the coin the native one.
struct WrittenCoin {
    coin: Coin,
    contract: Option<String>,
}

fn coin(table: &Table, (name, place): (String, String), problems: &mut Vec<SetupProblem>) -> WrittenCoin {
    let mut section = Section { name, place, table, problems };
    section.keys(&["symbol", "contract", "decimals"]);
    let symbol = section.text("symbol", 12);
    if !symbol.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.') {
        section.problem(
            "symbol",
            Rule::Symbol,
            "`symbol` may contain only the letters A to Z, digits and points",
        );
    }
    let written = table.contains_key("contract").then(|| section.text("contract", 60));
    let contract = written.as_deref().and_then(read_address);
    if contract.is_none() && written.as_ref().is_some_and(|text| !text.is_empty()) {
        section.problem(
            "contract",
            Rule::Contract,
            "`contract` must be 0x and 40 hexadecimal digits, its capital letters exactly where the token's own \
             page has them",
        );
    }
    let decimals = section.number("decimals", 0..=MAX_DECIMALS);
    let coin = Coin { symbol, contract, decimals: u8::try_from(decimals).unwrap_or(0) };
    WrittenCoin { coin, contract: contract.map(|address| address.to_string()).or(written) }
}

fn distinct_coins(coins: &[WrittenCoin], (name, place): (&str, &str), problems: &mut Vec<SetupProblem>) {
    let (mut symbols, mut contracts) = (HashSet::new(), HashSet::new());
    for (WrittenCoin { coin, contract }, number) in coins.iter().zip(1..) {
        let symbol = coin.symbol.to_ascii_uppercase();
        let field = |key: &str| format!("{place}coin-{number}-{key}");
        if !symbol.is_empty() && !symbols.insert(symbol) {
            let text = format!("{name}two coins are called {}: rename or remove one.", coin.symbol);
            problems.push(SetupProblem::new(field("symbol"), Rule::Once, text).with("name", &coin.symbol));
        }
        if !contracts.insert(contract) {
            problems.push(match contract {
                Some(contract) => {
                    let text = format!("{name}two coins have the contract {contract}: remove one.");
                    SetupProblem::new(field("contract"), Rule::Once, text).with("name", contract)
                }
                None => {
                    let symbol = &coin.symbol;
                    let text = format!(
                        "{name}two coins have no contract, and only the chain's own coin has none: give {symbol} its \
                         contract."
                    );
                    SetupProblem::new(field("contract"), Rule::NativeOnce, text)
                }
            });
        }
    }
}

/// Checks across tables: there is a chain, chain ids are distinct, every coin has a price and every price a
/// coin.
fn together(setup: &EvmSetup, prices: &[usize], problems: &mut Vec<SetupProblem>) {
    if setup.chains.is_empty() {
        let text = "There is no chain: add [[chain]] with its id, name, endpoints, xpub and coins.";
        problems.push(SetupProblem::new("chain", Rule::Chains, text));
    }
    let mut ids = HashSet::new();
    for (chain, number) in setup.chains.iter().zip(1..) {
        if chain.id != ChainId(0) && !ids.insert(chain.id) {
            let text = format!("Two chains have the id {}: put their coins into one of them.", chain.id);
            problems.push(SetupProblem::new(format!("chain-{number}-id"), Rule::ChainOnce, text));
        }
    }
    let coins = setup.chains.iter().zip(1..).flat_map(|(chain, number)| {
        let coins = chain.coins.iter().zip(1..);
        coins.map(move |(coin, place)| (coin.symbol.as_str(), format!("chain-{number}-coin-{place}-symbol")))
    });
    let coins: Vec<(&str, String)> = coins.collect();
    let mut unpriced = HashSet::new();
    for (symbol, field) in coins.iter().filter(|(symbol, _)| !symbol.is_empty()) {
        let priced = setup.prices.iter().any(|source| source.coin().eq_ignore_ascii_case(symbol));
        if !priced && unpriced.insert(symbol.to_ascii_uppercase()) {
            let text = format!("{symbol} has no price: add [[price]] with coin = \"{symbol}\".");
            problems.push(SetupProblem::new(field, Rule::Priced, text).with("name", symbol));
        }
    }
    for (source, number) in setup.prices.iter().zip(prices).filter(|(source, _)| !source.coin().is_empty()) {
        let coin = source.coin();
        if !coins.iter().any(|(symbol, _)| coin.eq_ignore_ascii_case(symbol)) {
            let text = format!("No chain has the coin {coin} of a price: remove the price.");
            let problem = SetupProblem::new(format!("price-{number}-coin"), Rule::PricedCoin, text);
            problems.push(problem.with("name", coin));
        }
    }
}

/// One table of the document, and the list to which its problems are added.
struct Section<'a, 'p> {
    /// What its sentences begin with.
    name: String,
    /// What the names of its fields begin with.
    place: String,
    table: &'a Table,
    problems: &'p mut Vec<SetupProblem>,
}

impl<'a> Section<'a, '_> {
    fn new_problem(&self, key: &str, rule: Rule, text: &str) -> SetupProblem {
        SetupProblem::new(format!("{}{key}", self.place), rule, format!("{}{text}.", self.name))
    }

    fn problem(&mut self, key: &str, rule: Rule, text: &str) {
        let problem = self.new_problem(key, rule, text);
        self.problems.push(problem);
    }

    /// Reports keys that are not read, which are typing errors most of the time.
    fn keys(&mut self, known: &[&str]) {
        const SLIPS: usize = 3;
        for key in self.table.keys().filter(|key| !known.contains(&key.as_str())) {
            let slips = |known: &&&str| strsim::damerau_levenshtein(key, known);
            let nearest = known.iter().min_by_key(slips).filter(|known| slips(known) <= SLIPS);
            let advice =
                nearest.map_or_else(|| "remove it".to_owned(), |near| format!("did you mean `{near}`?"));
            let end = if nearest.is_some() { "" } else { "." };
            let text = format!("{}{} is not known: {advice}{end}", self.name, quoted_key(key));
            self.problems.push(SetupProblem::new("", Rule::Known, text));
        }
    }

    fn tables(&mut self, key: &str) -> Vec<&'a Table> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let tables: Option<Vec<&Table>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_table).collect());
        if tables.is_none() {
            self.problem(
                key,
                Rule::Known,
                &format!("`{key}` must be a list of tables: write each under [[{key}]]"),
            );
        }
        tables.unwrap_or_default()
    }

    fn text(&mut self, key: &str, most: usize) -> String {
        let text = self.table.get(key).and_then(Value::as_str).map(str::trim);
        match text.filter(|text| !text.is_empty() && text.chars().count() <= most) {
            Some(text) => text.to_owned(),
            None => {
                let rule =
                    if text.is_some_and(|text| !text.is_empty()) { Rule::Length } else { Rule::Missing };
                let text = format!("`{key}` must be a string in quotes of 1 to {most} characters");
                let problem = self.new_problem(key, rule, &text).with("most", most);
                self.problems.push(problem);
                String::new()
            }
        }
    }

    fn number(&mut self, key: &str, allowed: RangeInclusive<u64>) -> u64 {
        let number = self.table.get(key).and_then(Value::as_integer).and_then(|n| u64::try_from(n).ok());
        number.filter(|number| allowed.contains(number)).unwrap_or_else(|| {
            let (least, most) = (allowed.start(), allowed.end());
            let text = format!("`{key}` must be a whole number from {least} to {most}");
            let problem = self.new_problem(key, Rule::Number, &text).with("least", least).with("most", most);
            self.problems.push(problem);
            0
        })
    }

    fn duration(&mut self, key: &str, default: Duration, allowed: RangeInclusive<Duration>) -> Duration {
        let Some(value) = self.table.get(key) else { return default };
        let duration = value.as_str().and_then(parse_duration).filter(|duration| allowed.contains(duration));
        duration.unwrap_or_else(|| {
            let (least, most) = (allowed.start(), allowed.end());
            let text = format!(
                "`{key}` must be a duration in quotes from {least:?} to {most:?}, such as \"4s\" or \"2m\""
            );
            let (least, most) = (format!("{least:?}"), format!("{most:?}"));
            let problem =
                self.new_problem(key, Rule::Duration, &text).with("least", least).with("most", most);
            self.problems.push(problem);
            default
        })
    }

    fn pointer(&mut self, key: &str) -> String {
        let pointer = self.text(key, 200);
        if !pointer.is_empty() && !pointer.starts_with('/') {
            self.problem(
                key,
                Rule::Pointer,
                &format!("`{key}` must be a JSON pointer such as \"/data/amount\""),
            );
        }
        pointer
    }
}

/// Reads `250ms`, `4s`, `2m` or `1h`.
fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(ms).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::{
        super::setup::{PriceLimits, PriceRules, PriceSource},
        *,
    };
    use till_testing::fuzz::{repeats, text_target};

    const XPUB: &str = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";

    fn good() -> String {
        format!(
            r#"
            price_max_age = "3m"
            [[chain]]
            id = 1
            name = "Ethereum"
            endpoints = ["https://one.example/secret", "http://127.0.0.1:8545"]
            xpub = "{XPUB}"
            confirmations = 12
            poll = "1500ms"
            [[chain.coin]]
            symbol = "ETH"
            decimals = 18
            [[chain.coin]]
            symbol = "USDC"
            contract = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
            decimals = 6
            [[price]]
            coin = "USDC"
            currency = "usd"
            fixed = "1"
            [[price]]
            coin = "ETH"
            currency = "USD"
            url = "https://prices.example/eth"
            pointer = "/data/amount"
            "#
        )
    }

    fn read(text: &str) -> Result<EvmSetup, Vec<String>> {
        EvmSetup::parse(text)
    }

    fn problems(text: &str) -> String {
        read(text).expect_err("refused").join("\n")
    }

    /// The problems of the good document with one thing changed.
    fn changed(from: &str, to: &str) -> String {
        let good = good();
        assert!(good.contains(from), "{from}");
        problems(&good.replacen(from, to, 1))
    }

    #[test]
    fn a_whole_document_is_read() {
        let setup = read(&good()).expect("a set-up");
        assert_eq!((setup.price_rules.max_age, setup.chains.len()), (180, 1));
        let chain = &setup.chains[0];
        assert_eq!(
            (chain.id, chain.confirmations, chain.poll_ms, chain.endpoints.len()),
            (ChainId(1), 12, 1_500, 2)
        );
        assert_eq!(chain.coins[0].contract, None);
        assert_eq!(chain.max_fuel, Atoms(10_000_000_000_000_000));
        let contract = chain.coins[1].contract.map(|contract| contract.to_string());
        assert_eq!(contract.as_deref(), Some("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"));
        assert_eq!(
            setup.prices[0],
            PriceSource::Fixed { coin: "USDC".to_owned(), currency: "USD".to_owned(), price: "1".to_owned() }
        );
        let defaults = good().replace("price_max_age = \"3m\"", "").replace("poll = \"1500ms\"", "");
        let setup = read(&defaults).expect("a set-up");
        assert_eq!((setup.price_rules, setup.chains[0].poll_ms), (PriceRules::default(), 4_000));
        let PriceSource::Json { limits, .. } = &setup.prices[1] else { panic!("{:?}", setup.prices[1]) };
        assert_eq!(*limits, PriceLimits::default());
    }

    #[test]
    fn m5_prices_may_be_bounded() {
        let bounded = good()
            .replace(
                "\"/data/amount\"",
                "\"/data/amount\"\nmin = \"500\"\nmax = \"20000\"\nmax_unchanged = \"1h\"",
            )
            .replace("price_max_age", "price_max_jump = 10\nprice_max_spread = 2\nprice_max_age");
        let setup = read(&bounded).expect("a set-up");
        assert_eq!(setup.price_rules, PriceRules { max_age: 180, max_jump: 10, max_spread: 2 });
        let PriceSource::Json { limits, .. } = &setup.prices[1] else { panic!("{:?}", setup.prices[1]) };
        let expected = PriceLimits {
            min: Price::parse("500"),
            max: Price::parse("20000"),
            max_unchanged: Some(Duration::from_secs(3_600)),
        };
        assert_eq!(*limits, expected);
    }

    #[test]
    fn each_problem_says_what_to_change() {
        for (from, to, said) in [
            (
                "confirmations = 12",
                "confirmations = 0",
                "`confirmations` must be a whole number from 1 to 10000",
            ),
            ("confirmations = 12", "confirmation = 12", "did you mean `confirmations`?"),
            ("confirmations = 12", "confirmations = \"12\"", "must be a whole number"),
            ("id = 1\n", "id = -1\n", "`id` must be a whole number"),
            ("poll = \"1500ms\"", "poll = \"1500\"", "`poll` must be a duration"),
            ("\"3m\"", "\"1s\"", "from 10s to 86400s"),
            ("http://127.0.0.1:8545", "ws://127.0.0.1", "Chain 1 (Ethereum): endpoint 2 must be"),
            ("http://127.0.0.1:8545", "https://one.example/secret", "the same address twice"),
            ("symbol = \"USDC\"", "symbol = \"eth\"", "two coins are called eth"),
            ("contract = \"0xA0b", "contract = \"0xa0b", "its capital letters"),
            (
                "contract = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"",
                "",
                "only the chain's own coin has none",
            ),
            ("decimals = 6", "decimals = 77", "coin 2: `decimals`"),
            ("symbol = \"USDC\"", "symbol = \"US$C\"", "`symbol` may contain only"),
            ("coin = \"ETH\"", "coin = \"USDC\"", "ETH has no price"),
            ("coin = \"ETH\"", "coin = \"BTC\"", "No chain has the coin BTC"),
            ("currency = \"usd\"", "currency = \"UDS\"", "Price 1: `currency` is \"UDS\""),
            ("fixed = \"1\"", "fixed = \"0\"", "above 0"),
            ("fixed = \"1\"", "fixed = 1", "`fixed` must be a string"),
            ("fixed = \"1\"", "", "neither `fixed` nor `url`"),
            ("fixed = \"1\"", "fixed = \"1\"\nurl = \"https://x.example\"", "both `fixed` and `url`"),
            ("fixed = \"1\"", "fixed = \"1\"\npointer = \"/x\"", "`pointer` cannot be combined"),
            ("\"/data/amount\"", "\"data.amount\"", "JSON pointer"),
            ("\"/data/amount\"", "\"/data/amount\"\nmin = \"9\"\nmax = \"8\"", "`min` is above `max`"),
            ("\"/data/amount\"", "\"/data/amount\"\nmin = \"-1\"", "`min` must be a decimal number"),
            ("\"/data/amount\"", "\"/data/amount\"\nmax_unchanged = \"1s\"", "`max_unchanged` must be"),
            ("price_max_age", "price_max_jump = 0\nprice_max_age", "`price_max_jump` must be a whole number"),
            ("fixed = \"1\"", "fixed = \"1\"\nmin = \"1\"", "`min` cannot be combined"),
            ("[[price]]", "[price]", "not TOML"),
        ] {
            let all = changed(from, to);
            assert!(all.contains(said), "{to}: {all}");
        }
        assert!(problems("").contains("There is no chain"));
        let twice =
            good() + &good().split("[[price]]").next().expect("a part").replace("price_max_age = \"3m\"", "");
        assert!(problems(&twice).contains("Two chains have the id 1"));
    }

    #[test]
    fn a_contract_that_is_no_address_is_not_taken_for_the_native_coin() {
        let all = changed("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "0xA0");
        assert!(all.contains("`contract` must be 0x") && !all.contains("have no contract"), "{all}");
        let (right, lower) = ("decimals = 6", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
        let other = |contract: &str| {
            format!("{right}\n[[chain.coin]]\nsymbol = \"USD\"\ncontract = \"{contract}\"\ndecimals = 6")
        };
        let all = changed(right, &other(lower));
        assert!(all.contains(&format!("two coins have the contract {lower}")), "{all}");
    }

    #[test]
    fn a_private_key_is_refused_and_no_secret_is_repeated() {
        let private = changed("xpub6", "xprv6");
        assert!(private.contains("PRIVATE"), "{private}");
        let broken = changed("\"https://one.example/secret\"", "\"https://one.example/secret");
        for said in [private, broken, changed("https://one.example", "one.example")] {
            assert!(!said.contains("secret") && !said.contains("Ce9Nc"), "{said}");
        }
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = good()
            .replace("confirmations = 12", "")
            .replace("fixed = \"1\"", "fixed = \"x\"")
            .replace("id = 1\n", "");
        let all = read(&text).expect_err("refused");
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all.iter().all(|problem| problem.ends_with(['.', '?'])), "{all:?}");
    }

    #[test]
    fn the_template_is_a_document_but_for_the_key() {
        let template = EvmSetup::template();
        let all = read(template).expect_err("it has no key yet");
        assert!(all.iter().all(|problem| problem.contains("xpub")), "{all:?}");
        read(&template.replace("xpub = \"\"", &format!("xpub = \"{XPUB}\""))).expect("a set-up");
    }

    #[test]
    fn f26_evm_document() {
        let secrets = ["s3c1r9e7t5k2e8y4"];
        let seed = good().replace("one.example/secret", "one.example/s3c1r9e7t5k2e8y4");
        let words = [
            "=",
            "\"",
            "[",
            "]",
            "[[",
            "]]",
            "\n",
            "#",
            "\"\"\"",
            " = 1",
            "a.b",
            "[[chain]]",
            "[[price]]",
            "99999999999999999999",
            "1e5",
        ];
        text_target(&[seed], &words, |text| {
            for problem in read(text).err().into_iter().flatten() {
                assert!(!problem.is_empty() && !problem.contains('\n'), "one sentence: {problem:?}");
                assert!(!repeats(&problem, &secrets), "a secret is repeated: {problem}");
            }
        });
    }
}
