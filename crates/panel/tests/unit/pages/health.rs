//! Samples of the operator's pages about the service itself: home, providers and their activity, processes and stores.

use crate::pages::tests::fixture::{Maker, Pages, at};
use crate::{
    console::{
        activity::view::ActivityPage,
        home::view::{FirstStep, FirstSteps, Home, MissedRun, Trouble, WaitingList},
        personal_data::view::{CustomerLine, FoundCustomer, PersonalDataPage},
        providers::view::{CallsLine, ProviderLine, Providers},
        system::view::{HoldPage, NodeLine, RowCount, StoreLine, System},
    },
    pages::{LivePayments, NavItem},
};
use std::time::Duration;
use till_domain::{
    activity::{
        Activity, CallCounts, LastEvent, NoticeRefusal, ProviderEvent, QUARTER, QUARTERS, quarter_of,
    },
    environment::EnvironmentName,
    id::SessionId,
    method::Method,
    money::{Currency, Money},
};
use till_service::{
    registry::ProviderKind,
    status::{NodeState, QueueState},
};
use till_store::{HoldReason, StoredHold};

const SESSION: &str = "019a8b5e-0f3c-7d21-9c44-5a1b2c3d4e5f";

/// The end of the day of which activity is shown.
const NOW: &str = "2026-11-14T18:35:00Z";

impl Maker {
    /// A day of calls, with failures and refused notices if it did not go well.
    pub fn provider_activity(&self, failing: bool) -> Activity {
        let (now, mut activity) = (at(NOW), Activity::new(at(NOW)));
        for quarter in 0..QUARTERS {
            let mut counts = CallCounts::default();
            // A night without calls, and a day whose calls take longer and longer.
            let busy = u64::try_from(quarter.saturating_sub(20)).unwrap_or(0);
            for call in 0..busy {
                counts.note(!(failing && call % 9 == 8), Duration::from_millis(busy * call));
            }
            let ago = u32::try_from(QUARTERS - 1 - quarter).unwrap_or(0);
            activity.day.add(quarter_of(now.minus(QUARTER * ago)), &counts);
        }
        let event = |note: &str| LastEvent { at: at("2026-11-14T18:34:13Z"), note: self.s(note) };
        activity.add_event(ProviderEvent::NoticeAccepted, &event(""));
        if failing {
            activity.add_event(ProviderEvent::Error, &event("no answer in time"));
            let refused = LastEvent { note: NoticeRefusal::ForeignAddress.as_str().to_owned(), ..event("") };
            activity.add_event(ProviderEvent::NoticeRefused, &refused);
        }
        activity
    }

    /// The pages of a provider's activity: well, failing, and without calls.
    fn activity_pages(&self, line: &ProviderLine) -> Pages {
        let page = |activity: Activity, kind: Option<ProviderKind>| {
            let line = ProviderLine { activity, kind, ..line.clone() };
            let reconciled = kind.map(|kind| (kind, self.runs().into_iter().find(|run| run.kind == kind)));
            let (path, body) = (line.activity_href(), Box::new(ActivityPage { line, reconciled }));
            self.operator(NavItem::Providers, &path, body)
        };
        let mut unanswered = Activity::new(at(NOW));
        let mut counts = CallCounts::default();
        counts.note(false, Duration::ZERO);
        unanswered.day.add(quarter_of(at(NOW)), &counts);
        let refused = |reason: NoticeRefusal| {
            let mut activity = Activity::new(at(NOW));
            let event = LastEvent { at: at(NOW), note: reason.as_str().to_owned() };
            activity.add_event(ProviderEvent::NoticeRefused, &event);
            activity
        };
        vec![
            ("activity", page(self.provider_activity(false), None)),
            ("activity-failing", page(self.provider_activity(true), Some(ProviderKind::Stripe))),
            ("activity-unanswered", page(unanswered, None)),
            ("activity-empty", page(refused(NoticeRefusal::Unsigned), None)),
            ("activity-unproven", page(refused(NoticeRefusal::Unproven), None)),
        ]
    }

    fn service_pages(&self) -> Pages {
        let provider = |environment, down, calls, answered| ProviderLine {
            name: "simulator".to_owned(),
            order: 1,
            offered: true,
            kind: None,
            moves: (false, false),
            unusable: false,
            environment,
            methods: Method::ALL.to_vec(),
            simulated: true,
            down,
            lately: CallsLine { calls, answered, p95: (calls > 0).then(|| Duration::from_millis(350)) },
            activity: if calls > 0 { self.provider_activity(down) } else { Activity::new(at(NOW)) },
            last_paid: (calls > 0).then(|| at("2026-11-14T18:34:13Z")),
            open: 7,
        };
        let crypto = ProviderLine {
            name: "evm".to_owned(),
            methods: vec![Method::Crypto],
            order: 2,
            offered: false,
            kind: Some(ProviderKind::Evm),
            moves: (true, false),
            simulated: false,
            ..provider(EnvironmentName::Live, false, 20, 20)
        };
        let slow = CallsLine { calls: 20, answered: 20, p95: Some(Duration::from_millis(7_500)) };
        let unusable = ProviderLine {
            name: "stripe".to_owned(),
            kind: Some(ProviderKind::Stripe),
            methods: Vec::new(),
            moves: (false, true),
            unusable: true,
            ..crypto.clone()
        };
        let rows = vec![
            unusable,
            crypto,
            ProviderLine { lately: slow, ..provider(EnvironmentName::Live, false, 20, 20) },
            provider(EnvironmentName::Live, false, 20, 20),
            provider(EnvironmentName::Live, false, 20, 19),
            provider(EnvironmentName::Live, true, 5, 0),
            provider(EnvironmentName::Sandbox, false, 0, 0),
        ];
        let providers = |rows, can_begin| {
            let body = Box::new(Providers { rows, can_begin });
            self.operator(NavItem::Providers, "/operator/providers", body)
        };
        let bare = System {
            version: "0.1.0".to_owned(),
            commit: None,
            nodes: Vec::new(),
            queues: Vec::new(),
            failed_mails: 0,
            stores: Vec::new(),
            free: None,
            settings: Vec::new(),
        };
        let system = |view| self.operator(NavItem::System, "/operator/system", Box::new(view));
        let hold = |hold: Option<StoredHold>| {
            let queues = if hold.is_some() { self.system().queues } else { Vec::new() };
            self.operator(NavItem::System, "/operator/hold", Box::new(HoldPage { hold, queues }))
        };
        let mut pages = self.activity_pages(&provider(EnvironmentName::Live, false, 20, 19));
        pages.extend(vec![
            ("providers", providers(rows, Vec::new())),
            ("providers-empty", providers(Vec::new(), ProviderKind::ALL.to_vec())),
            ("system", system(self.system())),
            ("system-bare", system(bare)),
            ("hold", hold(Some(self.hold()))),
            ("hold-off", hold(None)),
        ]);
        pages.extend(self.personal_data_pages());
        pages
    }

    fn personal_data_pages(&self) -> Pages {
        let page = |view: PersonalDataPage| {
            self.operator(NavItem::System, "/operator/personal-data", Box::new(view))
        };
        let line = |environment, is_waiting| CustomerLine {
            environment,
            id: SessionId::parse(SESSION).expect("an id"),
            order_id: self.s("A-1001"),
            price: Money { minor: 499_000, currency: Currency::from_stored("RUB").expect("a currency") },
            created_at: at(NOW),
            personal_data: vec!["address", "metadata", "checkout", "receipts", "fiscal", "refunds", "notes"],
            is_waiting,
        };
        let found = FoundCustomer {
            sealed: "c2VhbGVk".to_owned(),
            count: 140,
            mentions: 3,
            can_be_erased: true,
            lines: vec![line(EnvironmentName::Live, false), line(EnvironmentName::Sandbox, true)],
            panel_mails: 2,
            is_panel_user: true,
            is_contact: true,
            is_complete: false,
        };
        let none = FoundCustomer {
            count: 0,
            mentions: 0,
            can_be_erased: false,
            lines: Vec::new(),
            panel_mails: 0,
            is_panel_user: false,
            is_contact: false,
            is_complete: true,
            ..found.clone()
        };
        let typed = self.s("ann@mail.example");
        let shown = |found| PersonalDataPage { typed: typed.clone(), is_wrong: false, found: Some(found) };
        vec![
            ("personal-data", page(PersonalDataPage::default())),
            ("personal-data-found", page(shown(found))),
            ("personal-data-empty", page(shown(none))),
            (
                "personal-data-wrong",
                page(PersonalDataPage { typed: self.s("ann"), is_wrong: true, found: None }),
            ),
        ]
    }

    fn hold(&self) -> StoredHold {
        StoredHold { since: at(NOW), reason: HoldReason::Restored, placed_by: self.s("till restore") }
    }

    fn home_pages(&self) -> Pages {
        let provider = |word: &str| ProviderLine {
            name: word.to_owned(),
            order: 1,
            offered: true,
            kind: None,
            moves: (false, false),
            unusable: word == "unusable",
            environment: EnvironmentName::Live,
            methods: Method::ALL.to_vec(),
            simulated: false,
            down: false,
            lately: CallsLine { calls: 20, answered: 20, p95: Some(Duration::from_millis(350)) },
            activity: Activity::new(at(NOW)),
            last_paid: None,
            open: 0,
        };
        let queue = self.system().queues.remove(2);
        let missed = |failed: bool| MissedRun {
            kind: if failed { ProviderKind::Stripe } else { ProviderKind::Evm },
            chain: (!failed).then(|| self.s("Ethereum")),
            failed,
        };
        let waits = |word, count, age| WaitingList { word, href: "/operator/actions", count, age };
        let home = || Home {
            troubles: vec![
                Trouble::Held,
                Trouble::NoProvider,
                Trouble::Provider(Box::new(provider("unusable"))),
                Trouble::LostNodes(2),
                Trouble::LowSpace(700_000_000),
                Trouble::LateQueue(QueueState { lag: Duration::from_secs(400), ..queue.clone() }),
                Trouble::Undelivered(7),
                Trouble::FailedMails(1),
                Trouble::Reconciliation(missed(true)),
                Trouble::Reconciliation(missed(false)),
            ],
            waiting: vec![
                waits("actions", 3, Some(Duration::from_secs(90_000))),
                waits("payouts", 0, None),
                waits("refunds", 1, None),
                waits("requests", 2, None),
            ],
            providers: vec![provider("unusable"), provider("simulator")],
            nodes: 2,
            steps: None,
            statistics: self.statistics("/operator", 30, false),
        };
        let step = |(word, done)| FirstStep { word, href: "/operator/providers", done };
        let steps = [("provider", true), ("https", false), ("mail", true)];
        let rest = [("vendor", false), ("user", false), ("payment", false)];
        let steps = FirstSteps(steps.into_iter().chain(rest).map(step).collect());
        let new = Home { steps: Some(steps), providers: Vec::new(), ..home() };
        let page = |view| self.operator(NavItem::Home, "/operator", Box::new(view));
        let mut bare = page(new);
        bare.frame.live_payments = LivePayments::Impossible;
        let mut well = page(Home { troubles: Vec::new(), ..home() });
        well.frame.live_payments = LivePayments::Simulated;
        vec![("home", page(home())), ("home-well", well), ("home-new", bare)]
    }

    fn system(&self) -> System {
        let states = [NodeState::Running, NodeState::Stopped, NodeState::Lost];
        let node = |(state, number): (NodeState, u8)| NodeLine {
            id: format!("{number:08x}"),
            here: number == 1,
            version: "0.1.0".to_owned(),
            listens: "10.0.0.7:8080".to_owned(),
            started_at: at("2026-11-14T08:00:00Z"),
            seen_at: at("2026-11-14T18:34:13Z"),
            state,
        };
        let queue = |word| QueueState {
            word,
            environment: (word != "mails").then_some(EnvironmentName::Live),
            waiting: Some(12),
            due: Some(1),
            lag: Duration::from_millis(140),
        };
        let tables = [
            RowCount::Exactly(7),
            RowCount::About(9_000_000),
            RowCount::MoreThan(100_000),
            RowCount::Unknown,
        ];
        let store = |name, bytes| StoreLine {
            name,
            bytes,
            tables: tables.iter().map(|count| ("sessions".to_owned(), *count)).collect(),
            units: 12_000,
            batches: 900,
            batch: Some(Duration::from_micros(1_800)),
            waiting: 0,
            refused: 0,
        };
        System {
            version: "0.1.0".to_owned(),
            commit: Some("612846d".to_owned()),
            nodes: states.into_iter().zip(1..).map(node).collect(),
            queues: ["sessions", "payments", "callbacks", "mails", "receipts"].map(queue).to_vec(),
            failed_mails: 3,
            stores: vec![
                store("accounts", 90_112),
                store("live", 13_000_000),
                store("sandbox", 5_000_000_000),
            ],
            free: Some(66_000_000_000),
            settings: vec![
                ("base_url".to_owned(), Some(self.s("https://pay.till.example"))),
                ("master_key".to_owned(), None),
            ],
        }
    }

    /// All samples of this file.
    pub fn health_pages(&self) -> Pages {
        [self.service_pages(), self.home_pages()].into_iter().flatten().collect()
    }
}
