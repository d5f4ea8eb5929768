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
        callbacks::view::{
            CallbackGroup, DeliverAll, Deliveries, DeliveryLine, FilterProblem, OneDelivery, SendLine,
        },
        payments::view::{AllSessionsPage, AllTransactionsPage, OfVendor},
        search::view::Search,
        sessions::view::{CaseLine, MoneyLine, OperatorSession, TryLine},
    },
    pages::{NavItem, PanelPage, vendor_name::VendorName},
    payments::lists::view::ListFilter,
};
use std::time::Duration;
use till_domain::{
    attempt::{AttemptState, Quantity},
    change::HistoryKind,
    delivery::AttemptResult,
    environment::EnvironmentName,
    id::{ActionId, AttemptId, EventId, NoteId, RefundId, SessionId, TransactionId},
    metadata::Metadata,
    method::Method,
    money::{Currency, Money},
    refund::RefundedPart,
    session::{Customer, FailureReason, Status},
    transaction::{ActionKind, ActionNote, Resolution},
};
use till_service::search::{Hit, HitKind, HitTarget};

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
            refund: (kind == ActionKind::Difference).then(|| RefundId::from_bytes([7; 16])),
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
            Blocked, Closed, Connect, Delivered, Dns, Dropped, Interrupted, Protocol, Status, Timeout, Tls,
        };
        let results = [
            Delivered(200),
            Status(503),
            Blocked,
            Dns,
            Connect,
            Tls,
            Timeout,
            Closed,
            Protocol,
            Interrupted,
            Dropped,
        ];
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
            customer: Customer { email: Some(self.s("ann@mail.example")), locale: Some(self.s("ru-RU")) },
            metadata: Metadata::from_json(r#"{"cart":"7f31","note":"two\nlines"}"#).expect("metadata"),
            erased_at: None,
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
            fiscal: if bare { vec![] } else { self.fiscal_lines() },
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

    /// All samples of this file.
    pub fn watching(&self) -> Vec<(&'static str, PanelPage)> {
        let parts = [
            self.action_pages(),
            self.work_pages(),
            self.delivery_pages(),
            self.case_pages(),
            self.search_pages(),
            self.console_lists(),
            self.health_pages(),
            self.chain_pages(),
            self.reconciliations(),
            self.service_setups(),
            self.setup_forms(),
            self.setup_field_forms(),
        ];
        parts.into_iter().flatten().collect()
    }
}
