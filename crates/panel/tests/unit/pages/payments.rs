//! Samples of the pages of a vendor's payments, and tests of what is special about them.

use crate::pages::tests::fixture::{CSRF, Maker, Pages, at, count, text};
use crate::{
    pages::{
        Language, NavItem, PanelPage, View,
        counted::{PendingCount, UndeliveredCount},
    },
    payments::{
        callbacks::view::ResendAll,
        lists::view::{
            CallbackLine, Delivery, Extra, ListFilter, Listing, SessionLine, Start, TransactionLine,
        },
        overview::view::{FirstStep, FirstSteps, Overview},
        session::view::{
            DeliveryTry, FaultLine, OneCallback, OneSession, ReceiptMailLine, Received, TimelineEvent,
            TimelineStep,
        },
        statistics::view::{Day, Ends, Statistics, Volume},
    },
};
use scraper::{Html, Selector};
use std::time::Duration;
use till_domain::{
    delivery::{DeliveryState, ReceiverResponse, Requester},
    dispatch::DispatchState,
    id::{EventId, SessionId, TransactionId},
    metadata::Metadata,
    method::Method,
    misdelivery::Fault,
    money::{Currency, Money},
    refund::RefundedPart,
    session::{Customer, FailureReason, State},
    transaction::Marks,
    user::Role,
};

pub(super) fn money(minor: i64, code: &str) -> Money {
    Money { minor, currency: Currency::parse(code).expect("a currency") }
}

/// Refunds of the session, each in another state.
const REFUNDS: [(u8, &str); 3] = [(1, "pending"), (2, "succeeded"), (3, "failed")];

pub(super) fn session_id(last: u8) -> SessionId {
    SessionId::from_bytes([1, 0x99, 0xa8, 0xf2, 0x5c, 0x1e, 0x7a, 0x44, 0xb0, 0xa3, 1, 2, 3, 4, 5, last])
}

fn event_id(last: u8) -> EventId {
    EventId::from_bytes([1, 0x99, 0xa8, 0xf2, 0x5c, 0x1e, 0x7a, 0x55, 0xb0, 0xa3, 1, 2, 3, 4, 5, last])
}

fn delivery(state: DeliveryState, attempts: u32, answer: Option<(&str, Option<u16>)>) -> Delivery {
    let next_at = (state == DeliveryState::Queued).then(|| at("2026-11-14T18:54:00Z"));
    Delivery { state, attempts, next_at, answer: answer.map(|(word, status)| (word.to_owned(), status)) }
}

impl Maker {
    pub fn payments(&self) -> Pages {
        let money = [self.wallets(), self.payout_pages(), self.refunds(), self.manual_refund_pages()]
            .into_iter()
            .flatten()
            .collect();
        [self.figures(), self.lists(), self.sessions(), money].into_iter().flatten().collect()
    }

    pub(super) fn seen(
        &self,
        (role, place): (Role, NavItem),
        sandbox: bool,
        path: &str,
        body: Box<dyn View>,
    ) -> PanelPage {
        let mut page = PanelPage { frame: self.frame(Some(role), Some(place), path), body };
        page.frame.sandbox_banner = sandbox;
        page
    }

    pub(super) fn start(&self, sandbox: bool) -> Start {
        Start {
            sandbox,
            live_hidden: false,
            tokens: "/api/tokens",
            curl: self.s("curl -X POST 'https://pay.example/x'"),
        }
    }

    pub(super) fn narrowed(&self) -> ListFilter {
        ListFilter {
            q: self.s("HP-20418"),
            status: self.s("paid"),
            method: self.s("card"),
            from: self.s("2026-11-01"),
            to: self.s("2026-11-14"),
            ..ListFilter::default()
        }
    }

    pub(super) fn rows(&self) -> Vec<SessionLine> {
        let line = |last: u8, state, method, delivery| SessionLine {
            id: session_id(last),
            order_id: self.s(&format!("HP-204{last}")),
            product: self.s("Atlas of Northern Light, second printing"),
            state,
            refunded: match last {
                30 => RefundedPart::Part,
                _ => RefundedPart::Nothing,
            },
            method,
            price: money(499_000, "RUB"),
            created_at: at("2026-11-14T18:52:00Z"),
            left: (state == State::Pending).then(|| Duration::from_millis(827_500)),
            delivery,
        };
        let delivered = delivery(DeliveryState::Delivered, 1, Some(("delivered", Some(200))));
        let failed = State::Failed(FailureReason::InsufficientFunds);
        vec![
            line(31, State::Pending, Method::Card, None),
            line(30, State::Paid, Method::Sbp, Some(delivered)),
            line(
                29,
                failed,
                Method::Card,
                Some(delivery(DeliveryState::Queued, 1, Some(("status", Some(500))))),
            ),
            line(
                28,
                State::Expired,
                Method::Crypto,
                Some(delivery(DeliveryState::Undelivered, 4, Some(("timeout", None)))),
            ),
            line(27, State::Paid, Method::Card, Some(delivery(DeliveryState::NoTarget, 0, None))),
            line(26, State::Paid, Method::Card, Some(delivery(DeliveryState::Sending, 1, None))),
        ]
    }

    /// The figures of so many days.
    pub(super) fn statistics(&self, path: &str, days: u32, sandbox: bool) -> Statistics {
        let day = |number: u64| Day {
            date: format!("2026-{:02}-{:02}", 8 + number / 28, number % 28 + 1),
            methods: [
                Ends { paid: 8 + number % 5, failed: number % 3, expired: 2 },
                Ends { paid: 5, failed: 0, expired: 0 },
                Ends { paid: number % 2, failed: 0, expired: 1 },
            ],
        };
        Statistics {
            path: path.to_owned(),
            period: days,
            volume: (!sandbox).then(|| Volume {
                currencies: ["RUB", "EUR"].map(|code| Currency::parse(code).expect("one")).to_vec(),
                total: money(137_071_250, "RUB"),
                before: 121_950_000,
                days: (0..i64::from(days))
                    .map(|day| [2_000_000 + day * 71_500, 600_000, day % 2 * 50_000])
                    .collect(),
            }),
            days: (0..u64::from(days)).map(day).collect(),
            pending: PendingCount::new(3),
            reasons: FailureReason::ALL.into_iter().zip(7..).collect(),
        }
    }

    fn figures(&self) -> Pages {
        let overview = |days: u32, sandbox: bool| Overview {
            statistics: self.statistics("/panel", days, sandbox),
            undelivered: UndeliveredCount::new(match days {
                _ if sandbox => 0,
                30 => 1_001,
                _ => 2,
            }),
            actions: u64::from(!sandbox),
            recent: self.rows(),
            start: None,
            first_steps: None,
        };
        let steps = |done: usize| {
            use FirstStep::{Callback, Check, Credentials, Live, Outcomes, Session};
            let mut number = 0;
            FirstSteps([Credentials, Session, Callback, Outcomes, Check, Live].map(|step| {
                number += 1;
                (step, number <= done)
            }))
        };
        let page = |sandbox, view| {
            let who = (Role::VendorAdmin, NavItem::Overview);
            self.seen(who, sandbox, "/panel", Box::new(view))
        };
        let empty = Overview {
            start: Some(self.start(false)),
            undelivered: UndeliveredCount::default(),
            actions: 0,
            ..overview(7, false)
        };
        let hidden = Some(Start { live_hidden: true, ..self.start(false) });
        vec![
            ("overview", page(false, overview(30, false))),
            ("overview-long", page(false, overview(90, false))),
            ("overview-sandbox", page(true, overview(7, true))),
            (
                "overview-first-steps",
                page(true, Overview { first_steps: Some(steps(3)), ..overview(7, true) }),
            ),
            ("overview-empty", page(false, empty.clone())),
            ("overview-live-hidden", page(false, Overview { start: hidden, ..empty })),
        ]
    }

    fn listing<Row>(&self, path: &str, rows: Vec<Row>) -> Listing<Row> {
        Listing {
            narrowed: ListFilter::default(),
            rows,
            newer: Some(format!("{path}?after=x")),
            older: Some(format!("{path}?before=x")),
            news: Some(format!("{path}/news?after=x")),
            start: None,
            extra: Extra { undelivered: UndeliveredCount::new(2), can_send: true, more_match: true },
        }
    }

    fn lists(&self) -> Pages {
        let admin = |place| (Role::VendorAdmin, place);
        let sessions =
            |sandbox, view| self.seen(admin(NavItem::Sessions), sandbox, "/panel/sessions", Box::new(view));
        let transactions =
            |view| self.seen(admin(NavItem::Transactions), false, "/panel/transactions", Box::new(view));
        let callbacks = |role, view| {
            self.seen((role, NavItem::Callbacks), false, "/panel/callbacks?status=x", Box::new(view))
        };
        let list = || self.listing("/panel/sessions", self.rows());
        let none = || self.listing("/panel/sessions", Vec::new());
        let wrong = ListFilter { wrong_from: true, wrong_to: true, ..self.narrowed() };
        let resend = |wrong, count| {
            let view =
                ResendAll { since: self.s("2026-11-14T09:00"), zone: "Europe/Oslo".to_owned(), wrong, count };
            self.seen(admin(NavItem::Callbacks), false, "/panel/callbacks/resend", Box::new(view))
        };
        let callback_list = || self.listing("/panel/callbacks", self.callback_lines());
        vec![
            ("sessions", sessions(false, list())),
            ("sessions-sandbox", sessions(true, Listing { newer: None, news: None, ..list() })),
            ("sessions-narrowed", sessions(false, Listing { narrowed: self.narrowed(), ..list() })),
            (
                "sessions-none",
                sessions(false, Listing { narrowed: self.narrowed(), newer: None, older: None, ..none() }),
            ),
            (
                "sessions-wrong",
                sessions(false, Listing { narrowed: wrong, newer: None, older: None, ..none() }),
            ),
            ("sessions-empty", sessions(true, Listing { start: Some(self.start(true)), ..none() })),
            ("transactions", transactions(self.listing("/panel/transactions", self.moved()))),
            ("transactions-none", transactions(self.listing("/panel/transactions", Vec::new()))),
            ("callbacks", callbacks(Role::VendorAdmin, callback_list())),
            (
                "callbacks-viewer",
                callbacks(Role::VendorViewer, Listing { extra: Extra::default(), ..callback_list() }),
            ),
            ("callbacks-none", callbacks(Role::VendorAdmin, self.listing("/panel/callbacks", Vec::new()))),
            ("resend-all", resend(false, 3)),
            ("resend-all-none", resend(false, 0)),
            ("resend-all-wrong", resend(true, 0)),
        ]
    }

    pub(super) fn moved(&self) -> Vec<TransactionLine> {
        let line = |minor, coins: Option<&str>, marks| TransactionLine {
            id: TransactionId::from_bytes([7; 16]),
            at: at("2026-11-14T18:49:00Z"),
            session: session_id(30),
            order_id: self.s("HP-20430"),
            method: Method::Sbp,
            provider: self.s("simulator"),
            reference: self.s("VB-77120934"),
            amount: money(minor, "RUB"),
            coins: coins.map(|coins| self.s(coins)),
            marks,
        };
        let usual = Marks::default();
        vec![
            line(145_000, None, usual),
            line(145_000, Some("84.00 USDC"), Marks { over: true, ..usual }),
            line(45_000, None, Marks { partial: true, ..usual }),
            line(45_000, None, Marks { late: true, ..usual }),
            line(0, None, Marks { partial: true, ..usual }),
        ]
    }

    pub(super) fn callback_lines(&self) -> Vec<CallbackLine> {
        let line = |last, delivery| CallbackLine {
            id: event_id(last),
            at: at("2026-11-14T18:52:44Z"),
            session: session_id(last),
            order_id: self.s("HP-20431"),
            event: self.s("session.paid"),
            delivery,
        };
        vec![
            line(1, delivery(DeliveryState::Queued, 1, Some(("status", Some(500))))),
            line(2, delivery(DeliveryState::Delivered, 2, Some(("delivered", Some(200))))),
            line(3, delivery(DeliveryState::Undelivered, 4, Some(("tls", None)))),
            line(4, delivery(DeliveryState::NoTarget, 0, None)),
        ]
    }

    fn sessions(&self) -> Pages {
        let page = |role, sandbox, view| {
            self.seen((role, NavItem::Sessions), sandbox, "/panel/sessions/x", Box::new(view))
        };
        let paid = || self.session(State::Paid);
        let pending = OneSession {
            left: Some(Duration::from_millis(827_500)),
            callbacks: vec![],
            money: None,
            ..self.session(State::Pending)
        };
        let none = self.callback(DeliveryState::NoTarget);
        let none = OneCallback { target: None, tries: vec![], signatures: vec![], ..none };
        let waiting = self.callback(DeliveryState::Queued);
        vec![
            ("session", page(Role::VendorAdmin, false, paid())),
            (
                "session-viewer",
                page(Role::VendorViewer, false, OneSession { can_send: false, can_refund: false, ..paid() }),
            ),
            ("session-pending", page(Role::VendorAdmin, true, pending)),
            ("session-misdelivered", page(Role::VendorAdmin, true, self.misdelivered())),
            (
                "session-waiting",
                page(Role::VendorAdmin, false, OneSession { callbacks: vec![waiting], ..paid() }),
            ),
            (
                "session-no-target",
                page(Role::VendorAdmin, false, OneSession { callbacks: vec![none], ..paid() }),
            ),
        ]
    }

    /// A session with a step for each fault.
    fn misdelivered(&self) -> OneSession {
        let line = |fault| FaultLine {
            fault,
            about: (fault == Fault::Reorder).then(|| "refund.succeeded".to_owned()),
            answer: (fault != Fault::Drop).then(|| ("status".to_owned(), Some(401))),
            delay: fault.takes_delay().then_some(Duration::from_secs(5)),
        };
        let step = |fault| TimelineStep {
            at: at("2026-11-14T18:34:13.350Z"),
            what: TimelineEvent::Misdelivered(line(fault)),
        };
        let mut session = OneSession { money: None, ..self.session(State::Paid) };
        session.steps.extend(Fault::ALL.map(step));
        session
    }

    fn callback(&self, state: DeliveryState) -> OneCallback {
        let made = |number, result: &str, status, ms| DeliveryTry {
            number,
            at: at("2026-11-14T18:34:13.350Z"),
            took: Some(Duration::from_millis(ms)),
            result: result.to_owned(),
            status,
            about: None,
            is_manual: number > 4,
            requested_by: (number > 4)
                .then(|| Requester { name: self.s("lena@haldenpress.example"), is_operator: false }),
            response: (status == Some(503)).then(|| ReceiverResponse {
                content_type: Some(self.s("text/html; charset=utf-8")),
                body: self.s("<h1>503 Service Unavailable</h1>").into_bytes(),
            }),
        };
        OneCallback {
            id: event_id(9),
            event: "session.paid".to_owned(),
            created_at: at("2026-11-14T18:34:13.350Z"),
            delivery: delivery(state, 2, Some(("delivered", Some(200)))),
            target: Some(self.s("https://shop.haldenpress.example/till/callback")),
            tries: vec![
                made(1, "status", Some(503), 1_920),
                made(2, "delivered", Some(200), 140),
                made(5, "timeout", None, 10_000),
            ],
            body: self.s(r#"{"event":"session.paid","orderId":"HP-20418"}"#),
            signatures: vec![("X-Signature".to_owned(), "5f".repeat(32))],
        }
    }

    fn session(&self, state: State) -> OneSession {
        let moment = at("2026-11-14T18:32:10.114Z");
        let step = |seconds, what| TimelineStep { at: moment.plus(Duration::from_secs(seconds)), what };
        let callback = self.callback(DeliveryState::Delivered);
        let detail = || self.s("54.28 USDC");
        let mut steps = vec![
            step(0, TimelineEvent::Created { ends_at: moment.plus(Duration::from_secs(900)) }),
            step(
                50,
                TimelineEvent::Chosen { method: Some(Method::Card), provider: Some(self.s("simulator")) },
            ),
            step(55, TimelineEvent::Chosen { method: None, provider: None }),
            step(60, TimelineEvent::Planned { detail: self.s("paid at 2026-11-14T18:33:00Z") }),
            step(65, TimelineEvent::RepeatConfirmed),
            step(70, TimelineEvent::InFlight),
            step(75, TimelineEvent::Declined(FailureReason::ThreeDsFailed)),
            step(80, TimelineEvent::Closed { provider: self.s("simulator") }),
            step(90, TimelineEvent::Ended { state, reference: Some(self.s("NA-5538120")) }),
            step(
                91,
                TimelineEvent::Ended { state: State::Failed(FailureReason::CardExpired), reference: None },
            ),
        ];
        let mailed = |ms, state, error: Option<&str>| {
            let error = error.map(str::to_owned);
            let copy = state == DispatchState::Queued;
            step(
                ms,
                TimelineEvent::Mailed(ReceiptMailLine {
                    copy,
                    state,
                    to: self.s("a•••@mail.example"),
                    error,
                }),
            )
        };
        steps.extend(callback.tries.iter().map(|one| step(93, TimelineEvent::Called(one.clone()))));
        steps.extend([
            step(94, TimelineEvent::NoTarget),
            mailed(95, DispatchState::Sent, None),
            mailed(96, DispatchState::Queued, Some("connect")),
            mailed(97, DispatchState::Failed, Some("refused")),
            step(90_000, TimelineEvent::Late { detail: detail() }),
            step(90_001, TimelineEvent::Partial { detail: detail() }),
        ]);
        for (number, status) in REFUNDS {
            steps.push(step(90_002, TimelineEvent::RefundAsked(self.refund(number, status))));
        }
        steps.push(step(90_003, TimelineEvent::RefundEnded(self.refund(2, "succeeded"))));
        steps.push(step(90_004, TimelineEvent::RefundEnded(self.refund(3, "failed"))));
        OneSession {
            id: session_id(18),
            order_id: self.s("HP-20418"),
            product: self.s("Atlas of Northern Light, second printing"),
            catalog: [Some(self.s("atlas")), Some(self.s("books"))],
            price: money(499_000, "RUB"),
            state,
            refunded: if state == State::Paid { RefundedPart::Whole } else { RefundedPart::Nothing },
            method: Method::Card,
            offered: vec![Method::Card, Method::Sbp],
            created_at: moment,
            updated_at: moment,
            left: None,
            request_id: self.s("req-1"),
            customer: Customer { email: Some(self.s("ann@mail.example")), locale: Some(self.s("ru-RU")) },
            metadata: Metadata::from_json(r#"{"cart":"7f31","note":"two\nlines"}"#).expect("metadata"),
            erased_at: None,
            callback_url: Some(self.s("https://shop.haldenpress.example/till/callback")),
            return_url: None,
            checkout_url: "https://pay.example/session/x".to_owned(),
            receipt_url: (state == State::Paid).then(|| "https://pay.example/receipt/0a".to_owned()),
            curl: self.s("curl -X POST 'https://pay.example/api/product/session'"),
            steps,
            callbacks: vec![callback],
            money: Some(vec![
                Received {
                    amount: money(499_000, "RUB"),
                    marks: Marks::default(),
                    provider: self.s("simulator"),
                    reference: self.s("NA-5538120"),
                },
                Received {
                    amount: money(0, "RUB"),
                    marks: Marks { late: true, ..Marks::default() },
                    provider: self.s("simulator"),
                    reference: String::new(),
                },
            ]),
            can_send: true,
            refunds: REFUNDS.map(|(number, status)| self.refund(number, status)).to_vec(),
            can_refund: true,
            fiscal: if state == State::Paid { self.fiscal_lines() } else { vec![] },
        }
    }
}

fn document(name: &str, language: Language) -> Html {
    let pages = Maker::usual(language).pages();
    let page = pages.into_iter().find(|(other, _)| *other == name).expect("a page of the fixture").1;
    Html::parse_document(&page.render())
}

fn texts(document: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).map(|element| element.text().collect()).collect()
}

fn said(name: &str, selector: &str) -> String {
    text(&document(name, Language::English), selector).unwrap_or_default()
}

#[test]
fn figures_say_what_they_count() {
    assert_eq!(
        said("overview", "[data-testid=rate-of]"),
        "465 of 495 attempts paid. Expired sessions not counted: 90."
    );
    assert_eq!(said("overview", "[data-testid=rate]"), "93.9%");
    let table = document("overview", Language::English);
    assert_eq!(count(&table, "[data-testid=figures] tbody tr"), 30, "every bar is in the table");
    assert_eq!(count(&table, ".chart[role=img][aria-label]"), 2);
    let bars = |method: &str| count(&table, &format!(".chart rect.of-{method}"));
    assert_eq!(["card", "sbp", "crypto"].map(bars), [30, 30, 15], "a part for each method");
    let all = |selector: &str| texts(&table, selector);
    assert_eq!(all("[data-testid=legend] > span"), ["By method:", "Card", "SBP", "Crypto"]);
    assert_eq!(
        said("overview", ".chart rect.of-sbp title"),
        "1 Aug: SBP, 6,000.00\u{a0}RUB of 26,000.00\u{a0}RUB"
    );
    let headings = all("[data-testid=figures] thead th");
    assert_eq!(headings, ["Day", "Card", "SBP", "Crypto", "All methods"]);
    let headings = all("[data-testid=rates] thead th");
    assert_eq!(headings, ["Day", "Paid", "Failed", "Expired", "Card", "SBP", "Crypto", "Success rate"]);
    assert_eq!(
        all("[data-testid=figures] tbody tr:nth-child(2) td")[..4],
        ["20,715.00", "6,000.00", "500.00", "27,215.00"].map(|paid| format!("{paid}\u{a0}RUB"))
    );
    let sandbox = document("overview-sandbox", Language::English);
    assert!(!sandbox.html().contains("1,370,712"), "the sandbox has no volume");
    assert_eq!(count(&sandbox, ".chart rect"), 7 + 7 + 3, "its bars count sessions");
    assert_eq!(said("overview-sandbox", "[data-testid=figures] caption"), "Paid sessions");
    assert_eq!(count(&sandbox, "[data-testid=volume] .amt, [data-testid=currency-EUR]"), 0);
    assert_eq!(count(&document("overview-empty", Language::English), "[data-testid=example]"), 1);
}

#[test]
fn amounts_and_times_are_said_in_the_language_of_the_page() {
    let english = document("sessions", Language::English);
    let russian = document("sessions", Language::Russian);
    assert_eq!(text(&english, "tbody .amt").as_deref(), Some("4,990.00\u{a0}RUB"));
    assert_eq!(text(&russian, "tbody .amt").as_deref(), Some("4\u{a0}990,00\u{a0}₽"));
    assert_eq!(text(&english, "tbody time").as_deref(), Some("14 Nov, 21:52"));
    assert_eq!(text(&english, "thead th:last-child").as_deref(), Some("Created, UTC+3"));
    assert_eq!(text(&english, "[data-testid=span]").as_deref(), Some("14 Nov, 21:52 to 14 Nov, 21:52"));
}

#[test]
fn a_list_that_is_narrowed_says_so_and_can_be_widened() {
    let page = document("sessions-none", Language::English);
    assert_eq!(text(&page, "[data-testid=empty] p").as_deref(), Some("No sessions match."));
    assert_eq!(count(&page, "[data-testid=clear][href=\"/panel/sessions\"]"), 1);
    let kept = "/panel/sessions?q=HP-20418&status=failed&method=card&from=2026-11-01&to=2026-11-14";
    assert_eq!(count(&page, &format!("[data-testid=status-failed][href=\"{kept}\"]")), 1);
    let file = "/panel/sessions.csv?q=HP-20418&status=paid&method=card&from=2026-11-01&to=2026-11-14";
    assert_eq!(count(&page, &format!("[data-testid=export][href=\"{file}\"]")), 1);
    assert_eq!(count(&document("sessions-wrong", Language::English), "[data-testid=empty]"), 0);
    assert_eq!(count(&document("sessions-empty", Language::English), "[data-testid=start]"), 1);
}

#[test]
fn a_viewer_sends_nothing() {
    for name in ["callbacks-viewer", "session-viewer"] {
        let page = document(name, Language::English);
        assert_eq!(count(&page, "main form[method=post]:not([role=search])"), 0, "{name}");
        assert_eq!(count(&page, "[data-testid=send-all]"), 0, "{name}");
    }
    let token = format!("main form[method=post] [name=csrf][value={CSRF}]");
    assert_eq!(count(&document("callbacks", Language::English), &token), 4);
    assert_eq!(count(&document("session", Language::English), &token), 1);
    assert_eq!(count(&document("session-viewer", Language::English), "[data-header=X-Signature]"), 1);
}

#[test]
fn a_timeline_is_in_words_with_the_day_where_it_changes() {
    let page = document("session", Language::English);
    assert_eq!(count(&page, "[data-testid=timeline] li"), 24);
    assert_eq!(count(&page, "[data-testid=timeline] time small"), 2, "two days");
    let all = text(&page, "[data-testid=timeline]").expect("a timeline");
    for words in [
        "Card chosen",
        "Customer confirmed paying again",
        "Callback failed: 503",
        "Retry 1, 200, 140 ms",
        "Provider reference NA-5538120",
        "refunded",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert_eq!(count(&document("session-pending", Language::English), "[data-testid=money]"), 0);
    assert_eq!(said("session-pending", "[data-left][data-testid=time-left]"), "13:48");
}
