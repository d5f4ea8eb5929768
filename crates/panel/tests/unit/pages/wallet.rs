//! The pages of the wallet and of payouts.

use super::{
    fixture::{Maker, Pages, at, vendor_id},
    payments::{money, session_id},
};
use crate::{
    console::payouts::view::{Payouts, StepPayout},
    pages::{NavItem, PanelPage, vendor_name::VendorName},
    payments::{
        lists::view::ListFilter,
        payout::view::{AskPayout, PayoutLine, PayoutRequestProblem},
        wallet::view::{Fund, Movement, NoWallet, WalletPage},
    },
};
use till_domain::{
    id::{EntryId, PayoutId},
    ledger::EntryKind,
    money::PriceProblem,
    payout::{PayoutProblem, PayoutState},
    user::Role,
};

impl Maker {
    pub(super) fn wallets(&self) -> Pages {
        let fund = |code, next| Fund {
            available: money(41_822_528, code),
            pending: money(3_120_740, code),
            next,
            refunds: money(300_000, code),
            payouts: money(25_000_000, code),
        };
        let line = |last: u8, kind, own| Movement {
            id: EntryId::from_bytes([last; 16]),
            at: at("2026-11-14T18:49:00Z"),
            kind,
            session: (own > 0).then(|| (session_id(last), self.s("HP-20430"))),
            fee: (kind == EntryKind::Payment).then(|| money(580, "RUB")),
            own: money(own, "RUB"),
            settled: (kind == EntryKind::Settlement).then(|| money(144_420, "RUB")),
            balance: money(41_822_528, "RUB"),
        };
        let kinds = EntryKind::ALL.iter().zip(1..).map(|(kind, last)| {
            let own = [0, 144_420, -300_000][usize::from(last % 3)];
            line(last, *kind, own)
        });
        let next = Some((at("2026-11-16T18:49:00Z"), money(144_420, "RUB")));
        let narrowed = ListFilter { currency: "RUB".to_owned(), ..ListFilter::default() };
        let view = |rows| WalletPage {
            owner: None,
            funds: vec![fund("RUB", next), fund("EUR", None)],
            narrowed: narrowed.clone(),
            rows,
            newer: Some("/panel/wallet?currency=RUB&after=x".to_owned()),
            older: Some("/panel/wallet?currency=RUB&before=x".to_owned()),
            month: "2026-11".to_owned(),
            wrong_month: false,
            payouts: PayoutState::ALL.map(|state| self.payout_line(state)).to_vec(),
            can_ask: true,
        };
        let wallet = |role, view| self.seen((role, NavItem::Wallet), false, "/panel/wallet", Box::new(view));
        let wrong =
            ListFilter { wrong_from: true, wrong_to: true, status: self.s("payout"), ..self.narrowed() };
        let wrong =
            WalletPage { narrowed: wrong, wrong_month: true, month: self.s("11"), ..view(Vec::new()) };
        let none = WalletPage { newer: None, older: None, ..view(Vec::new()) };
        let empty = WalletPage {
            payouts: Vec::new(),
            can_ask: false,
            funds: Vec::new(),
            narrowed: ListFilter::default(),
            ..none.clone()
        };
        let owner = Some(VendorName { id: vendor_id(1), name: self.s("Halden Press") });
        let watched = |view: WalletPage| {
            let view = WalletPage { owner: owner.clone(), can_ask: false, ..view };
            let path = "/operator/vendors/1/wallet";
            self.seen((Role::Operator, NavItem::Vendors), false, path, Box::new(view))
        };
        let (watched_rows, no_money) = (vec![line(1, EntryKind::Payment, 144_420)], empty.clone());
        let no_wallet =
            self.seen((Role::VendorAdmin, NavItem::Wallet), true, "/panel/wallet", Box::new(NoWallet));
        vec![
            ("wallet", wallet(Role::VendorAdmin, view(kinds.collect()))),
            ("wallet-wrong", wallet(Role::VendorAdmin, wrong)),
            ("wallet-none", wallet(Role::VendorViewer, none)),
            ("wallet-empty", wallet(Role::VendorAdmin, empty)),
            ("no-wallet", no_wallet),
            ("vendor-wallet", watched(view(watched_rows))),
            ("vendor-wallet-empty", watched(no_money)),
        ]
    }

    fn payout_line(&self, state: PayoutState) -> PayoutLine {
        let moved =
            (state != PayoutState::Asked).then(|| (at("2026-11-14T18:49:00Z"), self.s("op@till.example")));
        PayoutLine {
            id: PayoutId::from_bytes([u8::try_from(state.as_str().len()).expect("few"); 16]),
            vendor: Some(VendorName { id: vendor_id(1), name: self.s("Halden Press") }),
            amount: money(25_000_000, "RUB"),
            destination: self.s("Halden Press AS, 1503.02.33020\nSparebanken"),
            at: at("2026-11-14T18:49:00Z"),
            by: self.s("ada@halden.example"),
            state,
            note: state.needs_note().then(|| self.s("Ref 77")),
            moved,
        }
    }

    pub(super) fn payout_pages(&self) -> Pages {
        let ask = |sure, problems, available| {
            let view = AskPayout {
                available,
                currency: self.s("RUB"),
                amount: self.s("1500.00"),
                destination: self.s("Halden Press AS, 1503.02.33020"),
                sure,
                problems,
            };
            let who = (Role::VendorAdmin, NavItem::Wallet);
            self.seen(who, false, "/panel/wallet/payout", Box::new(view))
        };
        let problems = [PayoutProblem::NotAvailable, PayoutProblem::DestinationMissing]
            .map(PayoutRequestProblem::Payout);
        let others = vec![
            PayoutRequestProblem::Amount(PriceProblem::Malformed),
            PayoutRequestProblem::Payout(PayoutProblem::DestinationWrong),
        ];
        let there = || vec![money(41_822_528, "RUB"), money(100, "EUR")];
        let operator_page = |body| {
            let frame = self.frame(Some(Role::Operator), Some(NavItem::Payouts), "/operator/payouts");
            PanelPage { frame, body }
        };
        let rows = || vec![self.payout_line(PayoutState::Asked), self.payout_line(PayoutState::Sent)];
        let list = |rows| operator_page(Box::new(Payouts { all: true, rows, newer: None, older: None }));
        let step = |state, step, wrong| {
            let line = self.payout_line(state);
            operator_page(Box::new(StepPayout { line, step, note: self.s("Ref"), wrong }))
        };
        vec![
            ("ask-payout", ask(None, Vec::new(), there())),
            ("ask-payout-wrong", ask(None, problems.to_vec(), there())),
            ("ask-payout-wrong-too", ask(None, others, there())),
            ("ask-payout-sure", ask(Some(money(150_000, "RUB")), Vec::new(), there())),
            ("ask-payout-empty", ask(None, Vec::new(), Vec::new())),
            ("payouts", list(rows())),
            ("payouts-empty", list(Vec::new())),
            ("payout-approve", step(PayoutState::Asked, PayoutState::Approved, false)),
            ("payout-refuse-wrong", step(PayoutState::Asked, PayoutState::Refused, true)),
            ("payout-sent", step(PayoutState::Approved, PayoutState::Sent, false)),
            ("payout-failed", step(PayoutState::Approved, PayoutState::Failed, false)),
            ("payout-unfit", step(PayoutState::Sent, PayoutState::Failed, false)),
        ]
    }
}
