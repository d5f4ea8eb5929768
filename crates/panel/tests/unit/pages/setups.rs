//! Samples of the pages of provider set-ups, in every state that looks different.

use crate::pages::tests::fixture::{Maker, Pages, at};
use crate::{
    console::{
        chains::view::{ChainLine, ChainRead, Chains, PriceLine},
        providers::view::{CallsLine, ProviderLine},
        setups::{
            document::view::EditSetup,
            form::view::SetupForm,
            guide::{Guide, NoticeAddress},
            view::{CheckLine, CheckOutcome, Service, SetupHead, SetupOrigin},
        },
    },
    pages::NavItem,
};
use std::time::Duration;
use till_domain::{chain::ChainId, environment::EnvironmentName, method::Method};
use till_providers::form::FilledForm;
use till_service::registry::ProviderKind;

/// What to enter at a provider; the secret part of the address is left out if it is stored.
fn guide(kind: ProviderKind, is_stored: bool) -> Guide {
    let is_cut = is_stored && kind == ProviderKind::Yookassa;
    let text = format!("https://pay.example/notices/{}/{}", kind.name(), if is_cut { "" } else { "end" });
    let address = (kind != ProviderKind::Evm).then_some(NoticeAddress { text, is_cut });
    let proposal = is_cut.then(|| ("proposed".to_owned(), "https://pay.example/proposed".to_owned()));
    Guide { kind, address, proposal, events: kind.events(), version: kind.api_version() }
}

impl Maker {
    /// The forms of set-ups: new, stored, wrong in every field, tested, changed by another user.
    pub fn setup_field_forms(&self) -> Pages {
        let form = |kind: ProviderKind, is_stored: bool| {
            let mut form =
                FilledForm::stored(kind.fields(), &kind.template().replace("= \"\"", "= \"sk_live_x\""));
            for name in ["chain-1-name", "shop_id", "currencies"] {
                if !form.values.get(name).is_empty() {
                    form.values.set(name.to_owned(), self.s("Ethereum"));
                }
            }
            if !is_stored {
                form.kept.clear();
            }
            SetupForm {
                kind,
                form,
                guide: guide(kind, is_stored),
                version: 3,
                drops_comments: is_stored,
                carried: "c2VhbGVk".to_owned(),
                problems: Vec::new(),
                contradictions: Vec::new(),
                moved: false,
                checks: None,
            }
        };
        let page = |kind: ProviderKind, body: SetupForm| {
            let path = format!("/operator/providers/{}/edit", kind.name());
            self.operator(NavItem::Providers, &path, Box::new(body))
        };
        let wrong = |kind: ProviderKind| {
            let problems = kind.check("").expect_err("nothing is there");
            let contradictions = vec![self.s("The key belongs to shop 7.")];
            page(kind, SetupForm { problems, contradictions, ..form(kind, true) })
        };
        let (yookassa, stripe, evm) = (ProviderKind::Yookassa, ProviderKind::Stripe, ProviderKind::Evm);
        let tested = SetupForm { checks: Some(self.checks()), ..form(stripe, true) };
        let moved = SetupForm { moved: true, ..form(yookassa, true) };
        vec![
            ("form-yookassa", page(yookassa, form(yookassa, false))),
            ("form-yookassa-wrong", wrong(yookassa)),
            ("form-tbank", page(ProviderKind::Tbank, form(ProviderKind::Tbank, false))),
            ("form-tbank-wrong", wrong(ProviderKind::Tbank)),
            ("form-stripe", page(stripe, form(stripe, false))),
            ("form-stripe-wrong", wrong(stripe)),
            ("form-stripe-tested", page(stripe, tested)),
            ("form-evm", page(evm, form(evm, true))),
            ("form-evm-wrong", wrong(evm)),
            ("form-yookassa-moved", page(yookassa, moved)),
        ]
    }

    fn setup_head(&self, kind: ProviderKind, origin: SetupOrigin) -> SetupHead {
        let running = !matches!(origin, SetupOrigin::Nobody);
        let last_run = self.runs().into_iter().find(|run| run.kind == kind);
        SetupHead { kind, origin, problems: Vec::new(), running, checks: None, last_run }
    }

    fn set_up_by(&self, enabled: bool) -> SetupOrigin {
        SetupOrigin::Console { enabled, at: at("2026-11-14T18:34:13Z"), by: self.s("ines@till.example") }
    }

    /// The results of a test.
    fn checks(&self) -> Vec<CheckLine> {
        let check = |outcome| CheckLine {
            what: self.s("Ethereum: node.example"),
            outcome,
            sentence: self.s("chain 1, block 21190414."),
        };
        let all = [CheckOutcome::Good, CheckOutcome::Doubtful, CheckOutcome::Unreachable, CheckOutcome::Bad];
        all.map(check).to_vec()
    }

    pub fn chain_pages(&self) -> Pages {
        let read = ChainRead { block: 21_190_412, head: 21_190_414, at: at("2026-11-14T18:34:13Z") };
        let chain = |read, last_error| ChainLine {
            name: self.s("Ethereum"),
            id: ChainId(1),
            coins: vec![self.s("ETH"), self.s("USDC")],
            not_offered: match &last_error {
                Some(_) => vec![
                    (self.s("USDC"), Some(self.s("the contract has 18 decimals."))),
                    (self.s("ETH"), None),
                ],
                None => Vec::new(),
            },
            confirmations: 12,
            read,
            last_error,
            highest: read.map(|_| 417),
        };
        let error = (at("2026-11-14T18:34:13Z"), self.s("no answer in time"));
        let price = |last: Option<&str>, fresh| PriceLine {
            coin: self.s("USDC"),
            currency: "USD".to_owned(),
            source: self.s("prices.example"),
            last: last.map(|price| (price.to_owned(), Duration::from_secs(41))),
            fresh,
            error: (!fresh).then(|| self.s("25 is more than 20 % from 2500")),
        };
        let page = |head| {
            let chains = vec![
                chain(Some(read), None),
                ChainLine { id: ChainId(137), ..chain(None, Some(error.clone())) },
            ];
            let prices = vec![
                price(Some("91.93"), true),
                PriceLine { currency: "EUR".to_owned(), ..price(Some("78.11"), false) },
                PriceLine { currency: "RUB".to_owned(), ..price(None, false) },
            ];
            let body = Chains { head, chains, prices };
            self.operator(NavItem::Providers, "/operator/providers/evm", Box::new(body))
        };
        let head = |origin| self.setup_head(ProviderKind::Evm, origin);
        let empty = Chains { head: head(SetupOrigin::Nobody), chains: Vec::new(), prices: Vec::new() };
        let empty = Box::new(empty);
        let wrong = SetupHead {
            problems: vec![self.s("There is no [[chain]].")],
            running: false,
            ..head(self.set_up_by(false))
        };
        let tested = SetupHead { checks: Some(self.checks()), ..head(self.set_up_by(true)) };
        let file = SetupOrigin::File { path: self.s("/etc/till/evm.toml") };
        vec![
            ("chains", page(head(self.set_up_by(true)))),
            ("chains-off", page(wrong)),
            ("chains-tested", page(tested)),
            ("chains-file", page(head(file))),
            ("chains-empty", self.operator(NavItem::Providers, "/operator/providers/evm", empty)),
        ]
    }

    pub fn service_setups(&self) -> Pages {
        let line = |kind: ProviderKind, simulated, answered| ProviderLine {
            name: kind.name().to_owned(),
            environment: EnvironmentName::Live,
            methods: vec![Method::Card],
            simulated,
            order: 1,
            offered: true,
            kind: Some(kind),
            moves: (false, true),
            unusable: false,
            down: answered == 0,
            lately: CallsLine { calls: 20, answered, p95: Some(Duration::from_millis(350)) },
            activity: self.provider_activity(answered < 20),
            last_paid: (answered > 0).then(|| at("2026-11-14T18:34:13Z")),
            open: 7,
        };
        let page = |head: SetupHead, line: Option<ProviderLine>| {
            let (name, currencies) = (head.kind.name(), vec!["EUR".to_owned(), "RUB".to_owned()]);
            let offers = line.iter().map(|_| (Method::Card, currencies.clone())).collect();
            let guide = guide(head.kind, true);
            let body = Service { head, offers, guide, line };
            let path = format!("/operator/providers/{name}");
            self.operator(NavItem::Providers, &path, Box::new(body))
        };
        let head = |kind, on| self.setup_head(kind, self.set_up_by(on));
        let tested = SetupHead { checks: Some(self.checks()), ..head(ProviderKind::Stripe, true) };
        let wrong = SetupHead {
            problems: vec![self.s("`shop_id` is missing.")],
            running: false,
            ..head(ProviderKind::Yookassa, true)
        };
        let file = SetupOrigin::File { path: self.s("/etc/till/stripe.toml") };
        let file = self.setup_head(ProviderKind::Stripe, file);
        let empty = |kind| self.setup_head(kind, SetupOrigin::Nobody);
        vec![
            (
                "yookassa",
                page(head(ProviderKind::Yookassa, true), Some(line(ProviderKind::Yookassa, false, 20))),
            ),
            ("yookassa-wrong", page(wrong, None)),
            ("yookassa-empty", page(empty(ProviderKind::Yookassa), None)),
            ("tbank", page(head(ProviderKind::Tbank, true), Some(line(ProviderKind::Tbank, false, 20)))),
            ("tbank-empty", page(empty(ProviderKind::Tbank), None)),
            ("stripe", page(head(ProviderKind::Stripe, false), Some(line(ProviderKind::Stripe, true, 0)))),
            ("stripe-tested", page(tested, Some(line(ProviderKind::Stripe, true, 19)))),
            ("stripe-file", page(file, Some(line(ProviderKind::Stripe, true, 19)))),
            ("stripe-empty", page(empty(ProviderKind::Stripe), None)),
        ]
    }

    pub fn setup_forms(&self) -> Pages {
        let page = |kind: ProviderKind, problems, moved, checks| {
            let document = self.s("[[chain]]\nid = 1\nname = \"Ethereum\"");
            let body = EditSetup { problems, moved, checks, ..EditSetup::of(kind, document, 3) };
            let path = format!("/operator/providers/{}/document", kind.name());
            self.operator(NavItem::Providers, &path, Box::new(body))
        };
        let problems = vec![self.s("There is no [[chain]]."), self.s("There is no price of USDC.")];
        let checks = Some(self.checks());
        vec![
            ("edit-chains", page(ProviderKind::Evm, Vec::new(), false, None)),
            ("edit-chains-wrong", page(ProviderKind::Evm, problems.clone(), false, None)),
            ("edit-chains-moved", page(ProviderKind::Evm, Vec::new(), true, None)),
            ("edit-chains-tested", page(ProviderKind::Evm, Vec::new(), false, checks.clone())),
            ("edit-yookassa-wrong", page(ProviderKind::Yookassa, problems, false, None)),
            ("edit-stripe-tested", page(ProviderKind::Stripe, Vec::new(), false, checks)),
        ]
    }
}
