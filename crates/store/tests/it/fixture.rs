//! The stores and the vendor that all tests share.
//!
//! A [`Backend`] is a set of empty stores with a clock that stands still. A [`Shop`] makes sessions as the
//! service does, through `till-domain`, so that no test stores a session that could not exist.

use crate::shell::Shell;
use rusqlite::Connection;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    catalog::{Category, CategoryId, Product, ProductDraft, ProductId},
    change::Change,
    id::{AuditId, EventId, SessionId, VendorId},
    ledger::Terms,
    method::{Lifetimes, Method},
    request::{CreateRequest, FieldValue},
    rules::{Currencies, Offering, RuleSettings, Rules},
    session::{self, Catalog, Creation, Outcome, Session},
    time::Timestamp,
    vendor::{Settings, Vendor},
    weburl::WebUrl,
};
use till_store::{Clock, Committed, DatabaseUrl, Durability, Payments, StoreLocation, Stores};
use till_testing::cluster::Cluster;

/// The three files of an embedded store.
pub const FILES: [&str; 3] = ["accounts.db", "live.db", "sandbox.db"];

/// An engine to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Embedded,
    Postgres,
}

/// Makes two tests of each function: one for each engine.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::fixture::Kind::Embedded).await;
            })*
        }
        mod needs_postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::fixture::Kind::Postgres).await;
            })*
        }
    };
}
pub(crate) use on_both_engines;

/// Empty stores. Dropping them removes everything.
pub struct Backend {
    /// The stores, to be shared with tasks.
    pub stores: Arc<Stores>,
    pub clock: Clock,
    home: Home,
}

/// The folder or server that holds the stores.
enum Home {
    Folder(TempDir),
    Server(Cluster),
}

impl Home {
    fn place(&self) -> StoreLocation {
        match self {
            Self::Folder(folder) => StoreLocation::Folder(folder.path().to_owned()),
            Self::Server(cluster) => {
                StoreLocation::Server(DatabaseUrl::parse(&cluster.url()).expect("a URL"))
            }
        }
    }
}

impl Backend {
    /// New stores with a clock that the test moves.
    pub async fn new(kind: Kind) -> Self {
        Self::with(kind, Clock::manual(start())).await
    }

    /// The same, with this clock.
    pub async fn with(kind: Kind, clock: Clock) -> Self {
        let home = match kind {
            Kind::Embedded => Home::Folder(tempfile::tempdir().expect("a folder")),
            Kind::Postgres => Home::Server(Cluster::start()),
        };
        let stores = Arc::new(open(&home.place(), &clock).await);
        Self { stores, clock, home }
    }

    /// Closes the stores and opens them again.
    pub async fn reopen(self) -> Self {
        let Self { stores, clock, home } = self;
        let stores = Arc::into_inner(stores).expect("no task uses the stores any more");
        drop(stores);
        let stores = Arc::new(open(&home.place(), &clock).await);
        Self { stores, clock, home }
    }

    /// A second set of stores on the same data, as another node has.
    pub async fn again(&self) -> Stores {
        open(&self.home.place(), &self.clock).await
    }

    /// A second set of stores on the same data, with the clock that a service has.
    pub async fn with_own_clock(&self) -> Stores {
        Stores::open(&self.home.place(), Durability::Full, None).await.expect("stores")
    }

    /// Advances the clock, and returns the new time.
    pub fn later(&self, by: Duration) -> Timestamp {
        self.clock.advance(by);
        self.clock.now()
    }

    /// The folder of the embedded store's files.
    pub fn folder(&self) -> &Path {
        match &self.home {
            Home::Folder(folder) => folder.path(),
            Home::Server(_) => panic!("a server has no folder"),
        }
    }

    /// A database shell on one of the embedded store's files.
    pub fn file_shell(&self, file: &str) -> Connection {
        Connection::open(self.folder().join(file)).expect("a database")
    }

    /// A database shell on either engine.
    pub async fn shell(&self, database: &str) -> Shell {
        match &self.home {
            Home::Folder(folder) => {
                let path = folder.path().join(format!("{database}.db"));
                Shell::Embedded(Connection::open(path).expect("a database"))
            }
            Home::Server(cluster) => Shell::connect(cluster, database).await,
        }
    }
}

async fn open(place: &StoreLocation, clock: &Clock) -> Stores {
    Stores::open(place, Durability::Full, Some(clock.clone())).await.expect("stores")
}

/// The time at which every clock starts: 2025-11-15T00:00:00.000Z.
pub fn start() -> Timestamp {
    Timestamp::from_ms(1_763_164_800_000)
}

pub const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes * 60)
}

fn entropy(number: u64) -> [u8; 10] {
    let mut entropy = [0; 10];
    entropy[2..].copy_from_slice(&number.to_be_bytes());
    entropy
}

/// The id of the session with this number.
pub fn session_id(number: u64) -> SessionId {
    SessionId::new(start(), &entropy(number))
}

/// The id of the event with this number.
pub fn event_id(number: u64) -> EventId {
    EventId::new(start(), &entropy(number))
}

/// The id of the vendor with this number; a higher number was created later.
pub fn vendor_id(number: u64) -> VendorId {
    VendorId::new(start().plus(Duration::from_millis(number)), &entropy(number))
}

pub fn url(text: &str) -> WebUrl {
    WebUrl::parse(text).expect("a URL")
}

/// A field that is a string.
pub fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

/// A field that is a list of strings.
pub fn texts(list: &[&str]) -> FieldValue {
    FieldValue::List(list.iter().map(|word| text(word)).collect())
}

/// A request that is valid in both environments.
pub fn good_request() -> CreateRequest {
    CreateRequest {
        product_name: text("Atlas"),
        price: text("49.90"),
        currency: text("RUB"),
        order_id: text("A-1"),
        ..CreateRequest::default()
    }
}

/// A vendor and the rules by which it creates sessions.
pub struct Shop {
    pub rules: Rules,
    pub vendor: Vendor,
}

impl Shop {
    /// Live, with every method for every currency.
    pub fn live() -> Self {
        let offering = |method| Offering { method, currencies: Currencies::Any };
        Self::new(Rules::live(&operator(), Method::ALL.map(offering).to_vec()))
    }

    pub fn sandbox() -> Self {
        Self::new(Rules::sandbox(&operator()))
    }

    fn new(rules: Rules) -> Self {
        let callback_url = Some(url("https://shop.example/callback"));
        let vendor = Vendor {
            id: vendor_id(1),
            name: "Mapmaker".to_owned(),
            sandbox: true,
            disabled: false,
            created_at: start(),
            parent: None,
            settings: Settings { callback_url, ..Settings::default() },
            terms: Terms::default(),
            credentials: Vec::new(),
        };
        Self { rules, vendor }
    }

    /// The session with this number, created at this moment from this request.
    pub fn create(&self, number: u64, now: Timestamp, request: &CreateRequest) -> (Session, Vec<Change>) {
        let creation = Creation {
            rules: &self.rules,
            vendor: &self.vendor,
            catalog: &Catalog { product: Some(globe()), category: Some(maps()) },
            now,
            id: session_id(number),
            request_id: "req-1",
        };
        session::create(request, &creation)
            .unwrap_or_else(|rejection| panic!("{request:?} is right, but: {rejection}"))
    }

    /// Like [`Shop::create`], at the start, from a valid request.
    pub fn order(&self, number: u64) -> (Session, Vec<Change>) {
        self.create(number, start(), &good_request())
    }

    /// Stores the session with this number, created at this moment from a valid request.
    pub async fn store(&self, payments: &Payments, number: u64, now: Timestamp) -> Session {
        let (session, changes) = self.create(number, now, &good_request());
        commit(payments, &changes).await;
        session
    }

    /// Finishes a session one second after its creation, with the event of this number.
    pub fn finish(&self, session: &Session, outcome: Outcome, event: u64) -> (Session, Vec<Change>) {
        let at = session.created_at.plus(Duration::from_secs(1));
        session::finish(session, outcome, at, &self.vendor.settings, event_id(event)).expect("it is pending")
    }
}

/// Commits changes whose guards are expected to hold.
pub async fn commit(payments: &Payments, changes: &[Change]) {
    assert_eq!(payments.commit(changes).await.expect("a commit"), Committed::Done);
}

/// A session as it is stored.
pub async fn read(payments: &Payments, number: u64) -> Option<Session> {
    payments.session(session_id(number), vendor_id(1)).await.expect("a read")
}

/// The kinds of the entries in a session's history.
pub async fn history(payments: &Payments, number: u64) -> Vec<String> {
    let lines = payments.history(session_id(number)).await.expect("a read");
    lines.into_iter().map(|(_, kind, _)| kind).collect()
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

/// A product in [`maps`].
pub fn globe() -> Product {
    product("globe", "120.50", "maps")
}

/// A product; an empty category means none.
pub fn product(id: &str, price: &str, category: &str) -> Product {
    let draft = ProductDraft { id, name: "Globe", price, currency: "EUR", category };
    draft.parse(ProductId::generate(0)).expect("a good draft")
}

pub fn maps() -> Category {
    category("maps", "Maps")
}

/// A category with this id and name.
pub fn category(id: &str, name: &str) -> Category {
    let id = CategoryId::parse(id).expect("a good id");
    Category { id, name: name.to_owned(), archived: false }
}

/// A line of the audit log, where its words do not matter.
pub fn entry() -> AuditEntry {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    AuditEntry::new(AuditId::from_bytes(bytes), start(), Actor::shell(), AuditEvent::SettingsChanged)
}
