//! The vendor, catalog and rules of both environments that all tests share, and requests written as JSON.
//!
//! A request is written as its difference from a valid one, so that a table of cases shows only what it
//! tests.

use serde_json::value::RawValue;
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    catalog::{Category, CategoryId, Product, ProductDraft, ProductId},
    change::Change,
    id::{EventId, SessionId, VendorId},
    ledger::Terms,
    method::{Lifetimes, Method},
    money::Currency,
    rejection::Rejection,
    request::{CreateRequest, FieldValue, SimulateRequest},
    rules::{Currencies, Offering, RuleSettings, Rules},
    session::{self, Catalog, Creation, Session},
    time::Timestamp,
    vendor::{Settings, Vendor},
};

/// A request that is valid in both environments.
const GOOD: &str = r#"{"product_name":"Atlas","price":"49.90","currency":"RUB","order_id":"A-1"}"#;

/// The moment this long after sessions are created, 2025-11-15T00:00:00.000Z.
pub fn after(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_763_164_800_000 + ms)
}

/// Minutes in milliseconds.
pub const fn minutes(minutes: i64) -> i64 {
    minutes * 60_000
}

/// The id of every event.
pub fn event_id() -> EventId {
    EventId::parse("01963f2a-0000-7def-8123-0000000000e1").expect("an id")
}

/// Everything that a creation depends on besides the request.
pub struct Shop {
    pub rules: Rules,
    pub vendor: Vendor,
}

impl Shop {
    /// Live, with card and crypto for every currency and SBP for RUB.
    pub fn live() -> Self {
        Self::with_offerings(&Method::ALL)
    }

    /// Live, with providers for these methods only.
    pub fn with_offerings(methods: &[Method]) -> Self {
        Self::new(Rules::live(&operator(), methods.iter().map(|method| offering(*method)).collect()))
    }

    pub fn sandbox() -> Self {
        Self::new(Rules::sandbox(&operator()))
    }

    pub fn both() -> [Self; 2] {
        [Self::live(), Self::sandbox()]
    }

    fn new(rules: Rules) -> Self {
        let vendor = Vendor {
            id: VendorId::parse("01963f2a-0000-7def-8123-0000000000a1").expect("an id"),
            name: "Mapmaker".to_owned(),
            sandbox: true,
            disabled: false,
            created_at: Timestamp::from_ms(0),
            parent: None,
            settings: Settings::default(),
            terms: Terms::default(),
            credentials: Vec::new(),
        };
        Self { rules, vendor }
    }

    /// Creates a session from a valid request in which these JSON fields are different.
    pub fn create(&self, different: &str) -> Result<(Session, Vec<Change>), Rejection> {
        let request = request(different);
        let catalog = Catalog {
            product: request.product().and_then(|id| products().into_iter().find(|p| p.id == id)),
            category: request.category().and_then(|id| categories().into_iter().find(|c| c.id == id)),
        };
        let id = SessionId::parse("01963f2a-7b1c-7def-8123-456789abcdef").expect("an id");
        let (rules, vendor) = (&self.rules, &self.vendor);
        let creation = Creation { rules, vendor, catalog: &catalog, now: after(0), id, request_id: "req-1" };
        session::create(&request, &creation)
    }

    /// Like [`Shop::create`], for a valid request.
    pub fn session(&self, different: &str) -> Session {
        let created = self.create(different);
        created.unwrap_or_else(|rejection| panic!("{different} is right, but: {rejection}")).0
    }
}

fn operator() -> RuleSettings {
    let token_lifetime = Duration::from_secs(3600);
    RuleSettings {
        lifetimes: Lifetimes::default(),
        token_lifetime,
        private_callbacks: false,
        settlement_delay: Duration::ZERO,
        mails: true,
    }
}

fn offering(method: Method) -> Offering {
    let currencies = match method {
        Method::Sbp => Currencies::Only(vec![Currency::parse("RUB").expect("a currency")]),
        Method::Card | Method::Crypto => Currencies::Any,
    };
    Offering { method, currencies }
}

fn products() -> Vec<Product> {
    let product = |id, price, currency, category| {
        let draft = ProductDraft { id, name: "Globe", price, currency, category };
        draft.parse(ProductId::generate(0)).expect("a good draft")
    };
    let old = Product { archived: true, ..product("old-globe", "1", "EUR", "") };
    vec![product("globe", "120.50", "EUR", "maps"), product("loose", "7", "JPY", ""), old]
}

fn categories() -> Vec<Category> {
    let category = |id, archived| {
        let id = CategoryId::parse(id).expect("a good id");
        Category { id, name: "Shelf".to_owned(), archived }
    };
    vec![category("maps", false), category("books", false), category("old-shelf", true)]
}

fn request(different: &str) -> CreateRequest {
    let mut fields = read_object(GOOD);
    fields.extend(read_object(different));
    let mut take = |name: &str| fields.remove(name).unwrap_or_default();
    CreateRequest {
        product_name: take("product_name"),
        price: take("price"),
        currency: take("currency"),
        order_id: take("order_id"),
        callback_url: take("callback_url"),
        return_url: take("return_url"),
        default_method: take("defaultPaymentMethod"),
        available_methods: take("availablePaymentMethods"),
        product_id: take("product_id"),
        category_id: take("category_id"),
        metadata: take("metadata"),
        customer_email: take("customer_email"),
        locale: take("locale"),
        expires_in: take("expires_in"),
        receipt: take("receipt"),
    }
}

/// The body of a `simulate` request, written as JSON.
pub fn simulation(json: &str) -> SimulateRequest {
    let mut fields = read_object(json);
    let mut take = |name: &str| fields.remove(name).unwrap_or_default();
    SimulateRequest {
        outcome: take("outcome"),
        failure_reason: take("failure_reason"),
        after_ms: take("after_ms"),
        event: take("event"),
        amount: take("amount"),
        resolution: take("resolution"),
        callback: take("callback"),
        receipt: take("receipt"),
    }
}

fn read_object(json: &str) -> BTreeMap<String, FieldValue> {
    let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).expect("an object");
    fields.into_iter().map(|(name, value)| (name, given(&value))).collect()
}

/// The value of a field, written as JSON.
pub fn given_value(json: &str) -> FieldValue {
    let value: Box<RawValue> = serde_json::from_str(json).expect("JSON");
    given(&value)
}

/// A JSON value as the API hands it over: numbers keep their digits, null is absent.
fn given(value: &RawValue) -> FieldValue {
    let json = value.get();
    match json.as_bytes()[0] {
        b'n' => FieldValue::Absent,
        b'"' => FieldValue::Text(serde_json::from_str(json).expect("a string")),
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).expect("an array");
            FieldValue::List(items.iter().map(|item| given(item)).collect())
        }
        b'{' => FieldValue::Object(read_object(json).into_iter().collect()),
        b'-' | b'0'..=b'9' => FieldValue::Number(json.to_owned()),
        _ => FieldValue::Other,
    }
}

/// A rejection as the API shows it: `code: field code, field code`.
pub fn shown(rejection: &Rejection) -> String {
    let fields: Vec<_> =
        rejection.fields().iter().map(|e| format!("{} {}", e.field, e.problem.code())).collect();
    format!("{}: {}", rejection.code(), fields.join(", ")).trim_end_matches([':', ' ']).to_owned()
}

/// Creates with these fields, and compares the answer: `ok`, or the code and the wrong fields.
pub fn check(shop: &Shop, fields: &str, expected: &str) {
    let answer = shop.create(fields).map_or_else(|rejection| shown(&rejection), |_| "ok".to_owned());
    assert_eq!(answer, expected, "{} {fields}", shop.rules.environment);
}
