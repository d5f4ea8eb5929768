//! Samples of the page of reconciliations, in every state that looks different.

use crate::pages::tests::fixture::{Maker, Pages, at};
use crate::{
    console::reconciliations::view::{LastRun, ReconciliationsPage, RunForm, RunLine, RunProblem},
    pages::NavItem,
};
use till_domain::{
    id::ReconciliationId,
    reconciliation::{PeriodProblem, RunOrigin, RunState},
};
use till_service::registry::ProviderKind;
use till_store::RunCounts;

const PATH: &str = "/operator/reconciliations";

impl Maker {
    fn run(&self, number: u8, kind: ProviderKind, state: RunState, origin: RunOrigin) -> RunLine {
        let differences = if state == RunState::Differed { u64::from(number) } else { 0 };
        let automatic = matches!(origin, RunOrigin::Nightly | RunOrigin::Weekly);
        RunLine {
            id: ReconciliationId::from_bytes([number; 16]),
            kind,
            chain: (kind == ProviderKind::Evm).then(|| self.s("Ethereum")),
            days: ("2026-11-12".to_owned(), "2026-11-14".to_owned()),
            origin,
            by: (!automatic).then(|| self.s("ines@till.example")),
            requested_at: at("2026-11-15T02:00:00Z"),
            finished_at: state.is_final().then(|| at("2026-11-15T02:00:13Z")),
            state,
            counts: RunCounts {
                compared: 1_204,
                under_way: 2,
                without_till: 1,
                differences,
                entered: differences,
            },
            error: (state == RunState::Failed || number == 9).then(|| self.s("stripe does not answer")),
        }
    }

    /// Runs in every state.
    pub fn runs(&self) -> Vec<RunLine> {
        use ProviderKind::{Evm, Stripe, Yookassa};
        vec![
            self.run(8, Stripe, RunState::Running, RunOrigin::Panel),
            self.run(9, Yookassa, RunState::Waiting, RunOrigin::Nightly),
            self.run(7, Stripe, RunState::Waiting, RunOrigin::Panel),
            self.run(1, Evm, RunState::Differed, RunOrigin::Nightly),
            self.run(3, Stripe, RunState::Differed, RunOrigin::Command),
            self.run(5, Yookassa, RunState::Failed, RunOrigin::Weekly),
            self.run(6, Yookassa, RunState::Matched, RunOrigin::Nightly),
        ]
    }

    pub fn reconciliations(&self) -> Pages {
        let rows = self.runs();
        let last =
            |run: &RunLine| LastRun { kind: run.kind, chain: run.chain.clone(), run: Some(run.clone()) };
        let form = RunForm {
            kinds: ProviderKind::ALL.to_vec(),
            chosen: Some(ProviderKind::Stripe),
            first: "2026-11-13".to_owned(),
            last: "2026-11-15".to_owned(),
            problem: None,
        };
        let never = LastRun { kind: ProviderKind::Evm, chain: Some(self.s("Base")), run: None };
        let full = ReconciliationsPage {
            last: rows[3..].iter().map(last).chain([never]).collect(),
            nightly: Some("02:00".to_owned()),
            form,
            only: Some(ProviderKind::Stripe),
            rows,
            newer: Some(PATH.to_owned()),
            older: Some(format!("{PATH}?before=1")),
        };
        let empty = ReconciliationsPage {
            last: Vec::new(),
            nightly: None,
            form: RunForm::default(),
            only: None,
            rows: Vec::new(),
            newer: None,
            older: None,
        };
        let page = |body: ReconciliationsPage| self.operator(NavItem::Providers, PATH, Box::new(body));
        let wrong = |problem| {
            let form = RunForm { problem: Some(problem), first: self.s("soon"), ..full.form.clone() };
            page(ReconciliationsPage { form, ..full.clone() })
        };
        vec![
            ("reconciliations", page(full.clone())),
            ("reconciliations-empty", page(empty)),
            ("reconciliations-provider", wrong(RunProblem::Provider)),
            ("reconciliations-first", wrong(RunProblem::Days(PeriodProblem::First))),
            ("reconciliations-last", wrong(RunProblem::Days(PeriodProblem::Last))),
            ("reconciliations-order", wrong(RunProblem::Days(PeriodProblem::Order))),
            ("reconciliations-future", wrong(RunProblem::Days(PeriodProblem::Future))),
            ("reconciliations-long", wrong(RunProblem::Days(PeriodProblem::TooLong))),
            ("reconciliations-waits", wrong(RunProblem::Waits)),
        ]
    }
}
