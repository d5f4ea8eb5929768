//! The pages of refunds, those that the operator sends among them.

use super::{
    fixture::{Maker, Pages, at, vendor_id},
    payments::{money, session_id},
};
use crate::{
    console::refunds::view::{
        ManualRefundForm, ManualRefundLine, ManualRefundProblem, ManualRefundStep, ManualRefunds,
    },
    pages::{
        NavItem, PanelPage, Question,
        refund::{RefundCost, RefundForm, RefundItem, RefundLine, RefundLines, RefundProblem},
        vendor_name::VendorName,
    },
};
use till_domain::{
    fiscal::{FiscalItem, ItemQuantity, Measure, PaymentMode, Subject, Vat},
    user::Role,
};

impl Maker {
    /// A refund that has to be sent by hand.
    fn manual_refund_line(&self, note: bool) -> ManualRefundLine {
        ManualRefundLine {
            id: till_domain::id::RefundId::from_bytes([4; 16]),
            vendor: VendorName { id: vendor_id(1), name: self.s("Halden Press") },
            session: session_id(18),
            payment: self.s("3093639567"),
            amount: money(10_000, "RUB"),
            what: self.s("1.08 USDC (Ethereum)"),
            silent: None,
            note: note.then(|| self.s("the transaction failed, it moved nothing")),
            by: self.s("otto@haldenpress.example"),
            reason: note.then(|| self.s("wrong size")),
            at: at("2026-11-14T18:34:13.350Z"),
            waits: true,
        }
    }

    pub(super) fn manual_refund_pages(&self) -> Pages {
        let seen = |body| PanelPage {
            frame: self.frame(Some(Role::Operator), Some(NavItem::Refunds), "/operator/refunds"),
            body,
        };
        let list = |rows| seen(Box::new(ManualRefunds { rows, newer: None, older: None }));
        let form = |step, waits, problem: Option<ManualRefundProblem>| {
            let (line, typed) =
                (ManualRefundLine { waits, ..self.manual_refund_line(problem.is_some()) }, self.s("0xab"));
            seen(Box::new(ManualRefundForm { line, step, typed, problem }))
        };
        let doubt = |step, waits, problem| {
            let line = ManualRefundLine {
                what: String::new(),
                silent: Some(self.s("tbank")),
                waits,
                ..self.manual_refund_line(false)
            };
            seen(Box::new(ManualRefundForm { line, step, typed: self.s("a word"), problem }))
        };
        vec![
            ("doubt-confirm", doubt(ManualRefundStep::Confirm, true, None)),
            ("doubt-give-up", doubt(ManualRefundStep::GiveUp, true, None)),
            ("doubt-give-up-wrong", doubt(ManualRefundStep::GiveUp, true, Some(ManualRefundProblem::Reason))),
            ("doubt-may-arrive", doubt(ManualRefundStep::GiveUp, true, Some(ManualRefundProblem::MayArrive))),
            ("doubt-unfit", doubt(ManualRefundStep::Confirm, false, None)),
            ("hand-refunds", list(vec![self.manual_refund_line(true)])),
            ("hand-refunds-empty", list(Vec::new())),
            ("hand-sent", form(ManualRefundStep::Sent, true, None)),
            ("hand-sent-wrong", form(ManualRefundStep::Sent, true, Some(ManualRefundProblem::Transaction))),
            ("hand-sent-taken", form(ManualRefundStep::Sent, true, Some(ManualRefundProblem::Taken))),
            ("hand-give-up", form(ManualRefundStep::GiveUp, true, None)),
            ("hand-give-up-wrong", form(ManualRefundStep::GiveUp, true, Some(ManualRefundProblem::Reason))),
            ("hand-unfit", form(ManualRefundStep::Sent, false, None)),
            ("hand-may-arrive", form(ManualRefundStep::GiveUp, false, Some(ManualRefundProblem::MayArrive))),
            ("hand-silent", form(ManualRefundStep::GiveUp, false, Some(ManualRefundProblem::Silent))),
        ]
    }

    /// The form of a refund, its confirmation, and every problem.
    pub(super) fn refunds(&self) -> Pages {
        let by = |items: Vec<RefundItem>, sandbox, problem, cost| {
            let back = format!("/panel/sessions/{}", session_id(18));
            let (amount, reason) = (self.s("100.00"), self.s("wrong size"));
            let left = money(499_000, "RUB");
            let lines = RefundLines { items, mark: self.s("mark") };
            let form = RefundForm { back: back.clone(), left, amount, lines, reason, problem, cost, sandbox };
            let body = Box::new(Question::Refund(Box::new(form)));
            self.seen((Role::VendorAdmin, NavItem::Sessions), false, &format!("{back}/refund"), body)
        };
        let in_place = |sandbox, problem, cost| by(Vec::new(), sandbox, problem, cost);
        let page = |problem, cost| in_place(false, problem, cost);
        let items = |problem, cost| by(self.refund_items(), false, problem, cost);
        let cost = |fee| {
            let (amount, own) = (money(10_000, "RUB"), money(10_000 - fee, "RUB"));
            Some(RefundCost { amount, own, fee: money(fee, "RUB") })
        };
        let balance = RefundProblem::Balance { needed: money(10_000, "RUB"), available: money(0, "RUB") };
        vec![
            ("refund", page(None, None)),
            ("refund-sandbox", in_place(true, None, None)),
            ("refund-sandbox-sure", in_place(true, None, cost(0))),
            ("refund-sure", page(None, cost(0))),
            ("refund-sure-fee", page(None, cost(250))),
            ("refund-wrong-amount", page(Some(RefundProblem::Amount), None)),
            ("refund-too-much", page(Some(RefundProblem::TooMuch), None)),
            ("refund-wrong-reason", page(Some(RefundProblem::Reason), None)),
            ("refund-nothing", page(Some(RefundProblem::Nothing), None)),
            ("refund-balance", page(Some(balance), None)),
            ("refund-unable", page(Some(RefundProblem::Unable), None)),
            ("refund-items", items(None, None)),
            ("refund-items-sure", items(None, cost(0))),
            ("refund-items-wrong", items(Some(RefundProblem::Quantities(vec![0, 1])), None)),
            ("refund-items-none", items(Some(RefundProblem::NoItems), None)),
            ("refund-items-changed", items(Some(RefundProblem::Changed), None)),
            ("refund-items-customer", items(Some(RefundProblem::Customer), None)),
            ("refund-items-too-much", items(Some(RefundProblem::TooMuch), None)),
        ]
    }

    /// Lines of a fiscal receipt, one of which was returned.
    fn refund_items(&self) -> Vec<RefundItem> {
        let line = |name: &str, left, typed: &str| RefundItem {
            item: FiscalItem {
                name: self.s(name),
                quantity: ItemQuantity::from_thousandths(2_000).expect("a quantity"),
                price: 54_500,
                vat: Vat::TwentyTwo,
                subject: Subject::Commodity,
                mode: PaymentMode::FullPayment,
                measure: Measure::Piece,
            },
            left: ItemQuantity::from_thousandths(left),
            typed: self.s(typed),
        };
        vec![line("Футболка, M", 1_500, "1.5"), line("Доставка", 0, "0")]
    }

    pub(super) fn refund(&self, number: u8, status: &'static str) -> RefundLine {
        RefundLine {
            id: till_domain::id::RefundId::from_bytes([number; 16]),
            amount: money(10_000, "RUB"),
            status,
            by_hand: number == 1,
            failure: (status == "failed").then(|| self.s("the bank of the customer refused the refund")),
            reason: (number == 1).then(|| self.s("wrong size")),
            by: self.s("otto@haldenpress.example"),
            asked_at: at("2026-11-14T18:34:13.350Z"),
            ended_at: (status != "pending").then(|| at("2026-11-14T18:34:15.350Z")),
        }
    }
}
