//! Samples of the operator's pages about payments of all vendors, in every state that looks different.

use crate::pages::tests::{
    fixture::{Maker, Pages, at, vendor_id},
    payments::session_id,
};
use crate::{
    console::{
        actions::view::{
            ActionLine, ActionPage, Actions, AssigneeChoice, Decide, DecideProblem, DecidedBy, DueTime,
            SeenMoney, ShownActions, WaitingFigures, WorkProblem,
        },
        activity::view::ActivityPage,
        callbacks::view::{
            CallbackGroup, DeliverAll, Deliveries, DeliveryLine, FilterProblem, OneDelivery, SendLine,
        },
        home::view::{FirstStep, FirstSteps, Home, MissedRun, Trouble, WaitingList},
        payments::view::{AllSessionsPage, AllTransactionsPage, OfVendor},
        providers::view::{CallsLine, ProviderLine, Providers},
        search::view::Search,
        sessions::view::{CaseLine, MoneyLine, OperatorSession, TryLine},
        system::view::{NodeLine, RowCount, StoreLine, System},
    },
    pages::{LivePayments, NavItem, PanelPage, vendor_name::VendorName},
    payments::lists::view::ListFilter,
};
use std::time::Duration;
use till_domain::{
    activity::{
        Activity, CallCounts, LastEvent, NoticeRefusal, ProviderEvent, QUARTER, QUARTERS, quarter_of,
    },
    attempt::{AttemptState, Quantity},
    change::HistoryKind,
    delivery::AttemptResult,
    environment::EnvironmentName,
    id::{ActionId, AttemptId, EventId, NoteId, SessionId, TransactionId},
    method::Method,
    money::{Currency, Money},
    refund::RefundedPart,
    session::{FailureReason, Status},
    transaction::{ActionKind, ActionNote, Resolution},
};
use till_service::{
    registry::ProviderKind,
    search::{Hit, HitKind, HitTarget},
    status::{NodeState, QueueState},
};

/// The end of the day of which activity is shown.
const NOW: &str = "2026-11-14T18:35:00Z";

const MONEY_ID: [u8; 16] = [0x51; 16];

fn money(minor: i64) -> Money {
    Money { minor, currency: Currency::from_stored("RUB").expect("a currency") }
}

fn coins() -> Quantity {
    Quantity { atoms: 54_280_000, decimals: 6, unit: "USDC".to_owned() }
}

impl Maker {
    fn vendor_name(&self) -> VendorName {
        VendorName { id: vendor_id(1), name: self.s("Halden Press") }
    }

    fn action(&self, number: u8, kind: ActionKind, decided: Option<Resolution>) -> ActionLine {
        let seen = !matches!(kind, ActionKind::Unreachable | ActionKind::Difference);
        let found = matches!(kind, ActionKind::Disputed | ActionKind::RefundLost | ActionKind::Difference);
        ActionLine {
            id: ActionId::from_bytes([number; 16]),
            environment: EnvironmentName::Live,
            kind,
            session: (number != 9).then(|| SessionId::from_bytes([0x31; 16])),
            order_id: self.s("HP-20418"),
            vendor: (number != 9).then(|| self.vendor_name()),
            note: found.then(|| self.s("Stripe, du_1: 49.90 USD, fraudulent; answer by 2026-11-24")),
            price: Some(money(499_000)),
            money: seen.then(|| SeenMoney {
                received: coins(),
                worth: money(if kind == ActionKind::Mismatch { 0 } else { 498_800 }),
                method: Method::Crypto,
                provider: "simulator".to_owned(),
                reference: self.s("NA-5538120"),
            }),
            held: (seen && kind != ActionKind::Mismatch).then(|| money(49_900)),
            at: at("2026-11-14T18:34:13Z"),
            age: Duration::from_secs(60) * [1, 90, 3_000][usize::from(number % 3)],
            choices: match kind {
                ActionKind::Reversed => &[Resolution::Charge, Resolution::Absorb],
                ActionKind::Disputed => &[Resolution::Dismiss, Resolution::Charge, Resolution::Absorb],
                ActionKind::Unreachable | ActionKind::Difference => &[Resolution::Dismiss],
                _ => &[Resolution::Refund, Resolution::Accept],
            },
            decided: decided.map(|resolution| DecidedBy {
                resolution,
                at: at("2026-11-14T19:00:00Z"),
                by: self.s("olga@till.example"),
            }),
            due: (kind == ActionKind::Disputed && decided.is_none()).then(|| {
                let due = ["2026-11-24T12:00:00Z", "2026-11-13T12:00:00Z", "2026-11-16T12:00:00Z"];
                DueTime::new(at(due[usize::from(number % 3)]), at("2026-11-14T18:34:13Z"))
            }),
            assignee: number.is_multiple_of(2).then(|| self.s("olga@till.example")),
            notes: if number % 3 == 1 { self.notes(number) } else { Vec::new() },
        }
    }

    fn notes(&self, number: u8) -> Vec<ActionNote> {
        let note = |index: u8, text: &str| ActionNote {
            id: NoteId::from_bytes([index; 16]),
            action: ActionId::from_bytes([number; 16]),
            at: at("2026-11-14T18:40:00Z"),
            by: self.s("olga@till.example"),
            text: self.s(text),
        };
        vec![note(1, "Asked the bank.\nIt answers by Friday."), note(2, "Still no answer.")]
    }

    fn work_pages(&self) -> Pages {
        let page = |line: ActionLine, problem, typed: &str| {
            let view = ActionPage {
                me: "olga@till.example".to_owned(),
                operators: vec!["olga@till.example".to_owned(), "pavel@till.example".to_owned()],
                typed: if typed.is_empty() { String::new() } else { self.s(typed) },
                line,
                problem,
            };
            let path = format!("/operator/actions/live/{}", view.line.id);
            self.operator(NavItem::Actions, &path, Box::new(view))
        };
        let open = |number| self.action(number, ActionKind::Disputed, None);
        let closed = self.action(1, ActionKind::Late, Some(Resolution::Accept));
        let typed = "Asked the bank again.";
        vec![
            ("action", page(open(1), None, "")),
            ("action-assigned", page(open(2), None, "")),
            ("action-moved", page(open(2), Some(WorkProblem::Moved), "")),
            ("action-released", page(open(1), Some(WorkProblem::Moved), "")),
            ("action-no-operator", page(open(1), Some(WorkProblem::NoOperator), "")),
            ("action-empty-note", page(open(3), Some(WorkProblem::NoteEmpty), "")),
            ("action-long-note", page(open(3), Some(WorkProblem::NoteLong), typed)),
            ("action-wrong-note", page(open(3), Some(WorkProblem::NoteCharacter), typed)),
            ("action-decided", page(closed.clone(), None, "")),
            ("action-closed", page(closed, Some(WorkProblem::Decided), typed)),
        ]
    }

    fn action_pages(&self) -> Pages {
        let listed = |shown, vendor: &str, rows: Vec<ActionLine>| {
            let older = (!rows.is_empty()).then(|| "/operator/actions?before=7".to_owned());
            let filtered = !vendor.is_empty();
            let hours =
                |hours: u64| (shown == ShownActions::Open).then(|| Duration::from_secs(3_600 * hours));
            let view = Actions {
                environment: EnvironmentName::Live,
                me: "olga@till.example".to_owned(),
                shown,
                kind: filtered.then_some(ActionKind::Disputed),
                assignee: if filtered { AssigneeChoice::Mine } else { AssigneeChoice::Anyone },
                vendor: if filtered { self.s(vendor) } else { String::new() },
                wrong_vendor: vendor == "Nobody Ltd",
                figures: WaitingFigures {
                    open: 12,
                    oldest: hours(220),
                    median: hours(30),
                    decided: 41,
                    time_to_decide: hours(5),
                },
                rows,
                newer: None,
                older,
            };
            self.operator(NavItem::Actions, "/operator/actions", Box::new(view))
        };
        let list =
            |decided, rows| listed(if decided { ShownActions::All } else { ShownActions::Open }, "", rows);
        let due = || vec![self.action(2, ActionKind::Disputed, None)];
        let open: Vec<_> = ActionKind::ALL
            .into_iter()
            .zip(1..)
            .map(|(kind, number)| self.action(number, kind, None))
            .collect();
        let decided = Resolution::ALL.into_iter().zip(1..);
        let decided = decided.map(|(how, number)| self.action(number, ActionKind::Late, Some(how))).collect();
        let decide_with = |resolution: Resolution, decided, problem| {
            let kind = match resolution {
                Resolution::Dismiss => ActionKind::Unreachable,
                Resolution::Charge | Resolution::Absorb => ActionKind::Reversed,
                Resolution::Refund | Resolution::Accept => ActionKind::Late,
            };
            let view = Decide { line: self.action(1, kind, decided), resolution, problem };
            let path = format!("/operator/actions/live/{}/{}", view.line.id, resolution.as_str());
            self.operator(NavItem::Actions, &path, Box::new(view))
        };
        let decide = |resolution, decided| decide_with(resolution, decided, None);
        let short = DecideProblem::NotCovered { needed: money(49_900), available: money(100) };
        let about = |kind: ActionKind| {
            let (line, resolution) = (self.action(9, kind, None), Resolution::Dismiss);
            let path = format!("/operator/actions/live/{}/dismiss", line.id);
            let view = Decide { line, resolution, problem: None };
            self.operator(NavItem::Actions, &path, Box::new(view))
        };
        let unbooked = |resolution: Resolution| {
            let line = self.action(1, ActionKind::Mismatch, None);
            let view = Decide { line, resolution, problem: None };
            let path = format!("/operator/actions/live/{}/{}", view.line.id, resolution.as_str());
            self.operator(NavItem::Actions, &path, Box::new(view))
        };
        vec![
            ("actions", list(false, open)),
            ("actions-decided", list(true, decided)),
            ("actions-empty", list(false, Vec::new())),
            ("actions-due", listed(ShownActions::Due, "", due())),
            ("actions-filtered", listed(ShownActions::Decided, "Halden Press", due())),
            ("actions-none", listed(ShownActions::Open, "Halden Press", Vec::new())),
            ("actions-wrong", listed(ShownActions::Open, "Nobody Ltd", Vec::new())),
            ("decide-refund", decide(Resolution::Refund, None)),
            ("decide-accept", decide(Resolution::Accept, None)),
            ("decide-dismiss", decide(Resolution::Dismiss, None)),
            ("decide-charge", decide(Resolution::Charge, None)),
            ("decide-absorb", decide(Resolution::Absorb, None)),
            ("decide-short", decide_with(Resolution::Charge, None, Some(short))),
            ("decide-gone", decide_with(Resolution::Refund, None, Some(DecideProblem::Gone))),
            ("decide-won", about(ActionKind::Disputed)),
            ("decide-settled", about(ActionKind::Difference)),
            ("decide-refund-unbooked", unbooked(Resolution::Refund)),
            ("decide-accept-unbooked", unbooked(Resolution::Accept)),
            ("decide-late", decide(Resolution::Refund, Some(Resolution::Accept))),
        ]
    }

    fn delivery_line(&self, number: u8, stand: CallbackGroup) -> DeliveryLine {
        DeliveryLine {
            id: EventId::from_bytes([number; 16]),
            environment: EnvironmentName::Live,
            event: "session.paid".to_owned(),
            session: SessionId::from_bytes([0x31; 16]),
            vendor: self.vendor_name(),
            stand,
            attempts: u32::from(number),
            created_at: at("2026-11-14T18:34:13Z"),
            next_at: (stand == CallbackGroup::OnItsWay).then(|| at("2026-11-14T18:36:13Z")),
            delivered_at: (stand == CallbackGroup::Delivered).then(|| at("2026-11-14T18:34:44Z")),
            target: (stand != CallbackGroup::NoTarget)
                .then(|| self.s("https://shop.halden.example/till/callback")),
        }
    }

    fn sends(&self) -> Vec<SendLine> {
        use AttemptResult::{
            Blocked, Closed, Connect, Delivered, Dns, Interrupted, Protocol, Status, Timeout, Tls,
        };
        let results =
            [Delivered(200), Status(503), Blocked, Dns, Connect, Tls, Timeout, Closed, Protocol, Interrupted];
        let line = |(result, number): (AttemptResult, u32)| SendLine {
            number,
            started_at: at("2026-11-14T18:34:13Z"),
            took: (result != Interrupted).then(|| Duration::from_millis(1_920)),
            result: result.as_str().to_owned(),
            status: result.status(),
            requested_by: (number > 4).then(|| self.s("olga@till.example")),
        };
        results.into_iter().zip(1..).map(line).collect()
    }

    fn delivery_pages(&self) -> Pages {
        let place = NavItem::Deliveries;
        let list = |filtered: bool, rows: Vec<DeliveryLine>, problems: &[FilterProblem]| {
            let typed = |text: &str| if filtered { self.s(text) } else { String::new() };
            let older = (!rows.is_empty()).then(|| "/operator/callbacks?before=7".to_owned());
            let view = Deliveries {
                environment: EnvironmentName::Sandbox,
                stand: filtered.then_some(CallbackGroup::Undelivered),
                vendor: typed("Halden"),
                since: typed("2026-11-15"),
                problems: problems.to_vec(),
                rows,
                newer: None,
                older,
            };
            self.operator(place, "/operator/callbacks", Box::new(view))
        };
        let all = || {
            CallbackGroup::ALL.into_iter().zip(1..).map(|(stand, n)| self.delivery_line(n, stand)).collect()
        };
        let one = |stand, attempts| {
            let line = self.delivery_line(2, stand);
            let body = self.s("{\"event\":\"session.paid\"}");
            let path = format!("/operator/callbacks/live/{}", line.id);
            self.operator(place, &path, Box::new(OneDelivery { line, body, attempts }))
        };
        let resend = |found: Option<u64>, problems: &[FilterProblem]| {
            let view = DeliverAll {
                environment: EnvironmentName::Live,
                vendor: self.s("Halden Press"),
                since: self.s("2026-11-15"),
                problems: problems.to_vec(),
                found: found.map(|count| (self.vendor_name(), count)),
            };
            self.operator(place, "/operator/callbacks/resend", Box::new(view))
        };
        vec![
            ("deliveries", list(false, all(), &[])),
            ("deliveries-empty", list(false, Vec::new(), &[])),
            ("deliveries-none", list(true, Vec::new(), &[])),
            ("deliveries-wrong", list(true, Vec::new(), &[FilterProblem::NoVendor, FilterProblem::Since])),
            ("delivery", one(CallbackGroup::Undelivered, self.sends())),
            ("delivery-delivered", one(CallbackGroup::Delivered, self.sends())),
            ("delivery-new", one(CallbackGroup::OnItsWay, Vec::new())),
            ("delivery-nowhere", one(CallbackGroup::NoTarget, Vec::new())),
            ("resend", resend(None, &[])),
            ("resend-found", resend(Some(22), &[])),
            ("resend-one", resend(Some(1), &[])),
            ("resend-none", resend(Some(0), &[])),
            ("resend-wrong", resend(None, &[FilterProblem::VendorMissing])),
        ]
    }

    fn case(&self, status: Status) -> OperatorSession {
        let states = [
            AttemptState::Intended,
            AttemptState::Open,
            AttemptState::InFlight,
            AttemptState::Paid,
            AttemptState::Declined(FailureReason::CardDeclined),
            AttemptState::Closed,
            AttemptState::Watched,
        ];
        let bare = status == Status::Pending;
        let try_line = |(state, number): (AttemptState, u8)| TryLine {
            id: AttemptId::from_bytes([number; 16]),
            at: at("2026-11-14T18:33:40Z"),
            method: Method::Card,
            provider: "simulator".to_owned(),
            reference: (number > 1).then(|| self.s("NA-5538120")),
            state: state.as_str(),
            reason: state.reason().map(|reason| reason.as_str()),
            check_at: state.is_active().then(|| at("2026-11-14T18:34:00Z")),
        };
        use HistoryKind::{
            MethodChosen, MoneyLate, MoneyPartial, MoneyReversed, OutcomePlanned, RepeatConfirmed,
        };
        let kinds = [MethodChosen, MoneyLate, MoneyPartial, MoneyReversed, OutcomePlanned, RepeatConfirmed];
        let history = kinds.map(|kind| CaseLine {
            at: at("2026-11-14T18:33:40Z"),
            kind: kind.as_str().to_owned(),
            detail: Some(self.s("card at simulator")),
        });
        OperatorSession {
            environment: if bare { EnvironmentName::Sandbox } else { EnvironmentName::Live },
            id: SessionId::from_bytes([0x31; 16]),
            status,
            refunded: if status == Status::Paid { RefundedPart::Part } else { RefundedPart::Nothing },
            reason: (status == Status::Failed).then(|| FailureReason::CardDeclined.as_str()),
            order_id: self.s("HP-20418"),
            item: self.s("Atlas of Northern Light, second printing"),
            price: money(499_000),
            vendor: self.vendor_name(),
            methods: vec![Method::Card, Method::Sbp],
            method: Method::Card,
            created_at: at("2026-11-14T18:32:10Z"),
            updated_at: at("2026-11-14T18:34:13Z"),
            ends_at: bare.then(|| at("2026-11-14T18:47:10Z")),
            request_id: self.s("7b0f2c9e"),
            callback_url: (!bare).then(|| self.s("https://shop.halden.example/till/callback")),
            return_url: (!bare).then(|| self.s("https://shop.halden.example/thanks")),
            checkout_url: "https://pay.till.example/session/31313131-3131-3131-3131-313131313131".to_owned(),
            receipt_url: (!bare).then(|| "https://pay.till.example/receipt/0a".to_owned()),
            history: if bare { Vec::new() } else { history.to_vec() },
            attempts: if bare { Vec::new() } else { states.into_iter().zip(1..).map(try_line).collect() },
            money: if bare { Vec::new() } else { vec![self.movement()] },
            callbacks: (!bare)
                .then(|| (self.delivery_line(2, CallbackGroup::Undelivered), self.sends()))
                .into_iter()
                .collect(),
            actions: if bare { Vec::new() } else { vec![self.action(1, ActionKind::Late, None)] },
            refunds: match status {
                Status::Paid => vec![self.refund(1, "pending"), self.refund(3, "failed")],
                _ => Vec::new(),
            },
            can_refund: matches!(status, Status::Paid | Status::Failed),
        }
    }

    fn movement(&self) -> MoneyLine {
        MoneyLine {
            id: TransactionId::from_bytes(MONEY_ID),
            at: at("2026-11-14T18:34:13Z"),
            worth: money(499_000),
            received: coins(),
            method: Method::Crypto,
            provider: "simulator".to_owned(),
            reference: self.s("NA-5538120"),
            marks: vec!["late", "partial", "over"],
        }
    }

    fn case_pages(&self) -> Pages {
        let page = |status| {
            let path = "/operator/sessions/live/31313131-3131-3131-3131-313131313131";
            self.operator(NavItem::Search, path, Box::new(self.case(status)))
        };
        vec![
            ("case", page(Status::Paid)),
            ("case-failed", page(Status::Failed)),
            ("case-expired", page(Status::Expired)),
            ("case-pending", page(Status::Pending)),
        ]
    }

    fn search_pages(&self) -> Pages {
        let page = |q: &str, hits: Vec<Hit>, more| {
            let q = if q.is_empty() { String::new() } else { self.s(q) };
            self.operator(NavItem::Search, "/operator/search", Box::new(Search { q, hits, more }))
        };
        let hit = |(what, index): (HitKind, usize)| Hit {
            what,
            environment: [Some(EnvironmentName::Live), Some(EnvironmentName::Sandbox), None][index % 3],
            name: self.s("HP-20418"),
            about: self.s("Halden Press"),
            target: HitTarget::Session(session_id(1)),
        };
        let every = HitKind::ALL.into_iter().zip(0..).map(hit).collect();
        vec![
            ("search", page("", Vec::new(), false)),
            ("search-none", page("HP-1", Vec::new(), false)),
            ("search-found", page("HP-20418", every, true)),
        ]
    }

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
        let mut pages = self.activity_pages(&provider(EnvironmentName::Live, false, 20, 19));
        pages.extend(vec![
            ("providers", providers(rows, Vec::new())),
            ("providers-empty", providers(Vec::new(), ProviderKind::ALL.to_vec())),
            ("system", system(self.system())),
            ("system-bare", system(bare)),
        ]);
        pages
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

    fn console_lists(&self) -> Pages {
        let vendor = || self.vendor_name();
        let narrowed = |wrong| ListFilter {
            vendor: self.s("Halden"),
            environment: "live".to_owned(),
            wrong_vendor: wrong,
            ..self.narrowed()
        };
        let sessions = |rows, narrowed| {
            let view = AllSessionsPage {
                rows,
                newer: Some("/operator/sessions?after=x".to_owned()),
                older: Some("/operator/sessions?before=x".to_owned()),
                ..AllSessionsPage::empty(EnvironmentName::Live, narrowed)
            };
            self.operator(NavItem::AllSessions, "/operator/sessions", Box::new(view))
        };
        let transactions = |rows, narrowed| {
            let view = AllTransactionsPage {
                rows,
                ..AllTransactionsPage::empty(EnvironmentName::Sandbox, narrowed)
            };
            self.operator(NavItem::AllTransactions, "/operator/transactions", Box::new(view))
        };
        let all = self.rows().into_iter().map(|line| OfVendor { vendor: vendor(), line }).collect();
        let moved = self.moved().into_iter().map(|line| OfVendor { vendor: vendor(), line }).collect();
        vec![
            ("all-sessions", sessions(all, ListFilter::default())),
            ("all-sessions-none", sessions(Vec::new(), narrowed(false))),
            ("all-sessions-empty", sessions(Vec::new(), ListFilter::default())),
            ("all-sessions-wrong", sessions(Vec::new(), narrowed(true))),
            ("all-transactions", transactions(moved, ListFilter::default())),
            ("all-transactions-none", transactions(Vec::new(), ListFilter::default())),
        ]
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
    pub fn watching(&self) -> Vec<(&'static str, PanelPage)> {
        let parts = [
            self.action_pages(),
            self.work_pages(),
            self.delivery_pages(),
            self.case_pages(),
            self.search_pages(),
            self.service_pages(),
            self.home_pages(),
            self.console_lists(),
            self.chain_pages(),
            self.reconciliations(),
            self.service_setups(),
            self.setup_forms(),
            self.setup_field_forms(),
        ];
        parts.into_iter().flatten().collect()
    }
}
