//! Every page in all states that look different, around texts that a test may choose.

use crate::checkout::pages::{
    Address, AlreadyPaid, Bank, BankLink, Banner, Body, Challenge, ChallengeNote, CheckoutPage, CoinChoice,
    Coins, Confirming, Countdown, Embedded, Expired, Failed, Frame, Language, LeaveQuestion, Methods,
    MissingCoins, OperatorLinks, Order, Paid, Panel, PanelState, Partial, Problem, Qr, ReceiptMail,
    ReceiptView, Shop, Targets, TestOutcome, Waiting,
};
use scraper::{Html, Selector};
use std::time::Duration;
use till_domain::{
    attempt::Origins,
    dispatch::DispatchState,
    method::Method,
    money::{Currency, Money},
    receipt::ReceiptKind,
    session::{FailureReason, Status},
    time::Timestamp,
};
use till_service::{limits::TooMany, web::moments::Zone};

/// Texts that come from vendors, customers and providers.
#[derive(Clone)]
pub struct Texts {
    pub item: String,
    pub order_id: String,
    pub shop: String,
    pub contact: String,
    pub address: String,
    pub transaction: String,
    pub support: String,
    pub email: String,
    pub reference: String,
    pub network: String,
    pub bank: String,
    pub target: String,
    pub app_url: String,
    pub wallet_url: String,
    pub bank_url: String,
    pub unit: String,
    pub host: String,
}

impl Texts {
    /// Realistic texts of a shop.
    pub fn usual(language: Language) -> Self {
        let item = match language {
            Language::English => "Atlas of Northern Light, second printing",
            Language::Russian => "Атлас северного света, второе издание",
        };
        Self {
            item: item.to_owned(),
            order_id: "HP-20418".to_owned(),
            shop: "Halden Press".to_owned(),
            contact: "help@haldenpress.example".to_owned(),
            address: "0x7e57a9c4d1f03b62e8a5c7d90f14be6823da5c0b".to_owned(),
            transaction: "0x4c91e7a1d2b7b0f64ce0c3a1f8f9be3c7745d3a4f0c1c5f79a40d5f0b9b20f5a".to_owned(),
            support: "support@till.example".to_owned(),
            email: "anna@mail.example".to_owned(),
            reference: "0199a8f2-7b1c-7def".to_owned(),
            network: "Ethereum".to_owned(),
            bank: "Т-Банк".to_owned(),
            target: "https://shop.haldenpress.example/till/callback".to_owned(),
            host: "shop.haldenpress.example".to_owned(),
            app_url: "https://qr.sbp.example/AD10006M8KJ0AF2P9D3QF5V1V5CK2H?type=02&sum=499000&cur=RUB"
                .to_owned(),
            wallet_url:
                "ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48@1/transfer?address=0x7e57a9c4d1f03b62\
                         e8a5c7d90f14be6823da5c0b&uint256=54280000"
                    .to_owned(),
            bank_url: "bank100000000004://qr.sbp.example/AD10006M8KJ0AF2P9D3QF5V1V5CK2H".to_owned(),
            unit: "USDC".to_owned(),
        }
    }

    /// The same text in all places that show it; addresses that only become links keep theirs.
    pub fn all(text: &str) -> Self {
        let text = text.to_owned();
        Self {
            item: text.clone(),
            order_id: text.clone(),
            shop: text.clone(),
            contact: text.clone(),
            address: text.clone(),
            transaction: text.clone(),
            support: text.clone(),
            email: text.clone(),
            reference: text.clone(),
            network: text.clone(),
            bank: text.clone(),
            target: text.clone(),
            host: text.clone(),
            unit: text,
            ..Self::usual(Language::English)
        }
    }
}

pub fn money(minor: i64, code: &str) -> Money {
    Money { minor, currency: Currency::parse(code).expect("a currency of the table") }
}

fn at() -> Timestamp {
    Timestamp::parse("2026-11-14T18:34:05Z").expect("a moment")
}

fn clock(left: u64, total: u64) -> Countdown {
    let left = Duration::from_secs(left);
    Countdown { left, total: Duration::from_secs(total), ends_at: at().plus(left) }
}

/// Makes pages of one language.
pub struct Maker {
    pub language: Language,
    pub texts: Texts,
}

impl Maker {
    pub fn usual(language: Language) -> Self {
        Self { language, texts: Texts::usual(language) }
    }

    /// Every page, with a name.
    pub fn pages(&self) -> Vec<(&'static str, CheckoutPage)> {
        let mut pages = self.choices();
        pages.extend(self.waits());
        pages.extend(self.results());
        pages.extend(self.receipts());
        pages.extend(self.others());
        pages
    }

    pub fn page(&self, body: Body) -> CheckoutPage {
        let shop = Shop {
            name: self.texts.shop.clone(),
            contact: Some(self.texts.contact.clone()),
            can_return: true,
        };
        let path = "/session/0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b30".to_owned();
        let frame = Frame {
            language: self.language,
            path,
            banner: None,
            shop: Some(shop),
            live: true,
            from_bank: false,
            operator: self.operator(),
        };
        CheckoutPage { frame, body }
    }

    fn operator(&self) -> OperatorLinks {
        OperatorLinks {
            support: Some(self.texts.support.clone()),
            terms: Some("https://till.example/terms".to_owned()),
            privacy: Some("https://till.example/privacy".to_owned()),
        }
    }

    fn sandbox(&self, body: Body) -> CheckoutPage {
        let mut page = self.page(body);
        page.frame.path.insert_str(0, "/sandbox");
        page.frame.banner = Some(Banner::Sandbox);
        page
    }

    fn simulated(&self, body: Body) -> CheckoutPage {
        let mut page = self.page(body);
        page.frame.banner = Some(Banner::Simulated);
        page
    }

    fn bare(&self, body: Body) -> CheckoutPage {
        let frame = Frame {
            language: self.language,
            path: String::new(),
            banner: None,
            shop: None,
            live: false,
            from_bank: false,
            operator: self.operator(),
        };
        CheckoutPage { frame, body }
    }

    pub fn order(&self) -> Order {
        Order {
            amount: money(499_000, "RUB"),
            item: self.texts.item.clone(),
            order_id: self.texts.order_id.clone(),
        }
    }

    fn panel(&self, method: Method, state: PanelState) -> Panel {
        let minutes = match method {
            Method::Card => 15,
            Method::Sbp => 10,
            Method::Crypto => 60,
        };
        Panel { method, state, minutes, choices: vec![], needs_email: false, coins: vec![] }
    }

    pub fn methods(&self) -> Methods {
        Methods {
            order: self.order(),
            clock: clock(863, 900),
            panels: Method::ALL.map(|method| self.panel(method, PanelState::Ready)).to_vec(),
            open: Method::Card,
            problem: None,
            email: String::new(),
            receipts: true,
            targets: None,
        }
    }

    fn test_payment(&self) -> Methods {
        let choice = |(value, ends): (&str, Status)| TestOutcome { value: value.to_owned(), ends };
        let choices = [
            ("paid", Status::Paid),
            ("declined", Status::Failed),
            ("insufficient_funds", Status::Failed),
            ("three_ds", Status::Pending),
            ("expire", Status::Expired),
        ];
        let panel =
            Panel { choices: choices.map(choice).to_vec(), ..self.panel(Method::Card, PanelState::Ready) };
        let target = Some(self.texts.target.clone());
        Methods {
            clock: clock(872, 900),
            panels: vec![panel],
            receipts: false,
            targets: Some(Targets {
                callback: target.clone(),
                ret: target,
                customer: Some("ann@mail.example".to_owned()),
                delivery: "",
                default_delivery: "bad_signature",
            }),
            ..self.methods()
        }
    }

    /// The crypto panel with this many coins.
    fn coins(&self, count: usize) -> Panel {
        let coin = |(number, value): (usize, &str)| CoinChoice {
            value: value.to_owned(),
            symbol: self.texts.unit.clone(),
            network: self.texts.network.clone(),
            chosen: number == 0,
        };
        let coins = ["usdc-1", "usdt-1", "usdc-137"].into_iter().enumerate().map(coin).take(count).collect();
        Panel { coins, ..self.panel(Method::Crypto, PanelState::Ready) }
    }

    fn choices(&self) -> Vec<(&'static str, CheckoutPage)> {
        let methods = |change: &dyn Fn(&mut Methods)| {
            let mut view = self.methods();
            change(&mut view);
            self.page(Body::Methods(view))
        };
        vec![
            ("methods", methods(&|_| {})),
            ("methods-simulated", self.simulated(Body::Methods(self.methods()))),
            ("methods-late", methods(&|view| view.clock = clock(48, 900))),
            (
                "methods-email",
                methods(&|view| {
                    view.problem = Some(Problem::Email);
                    view.email = self.texts.email.clone();
                }),
            ),
            (
                "methods-email-needed",
                methods(&|view| {
                    view.problem = Some(Problem::EmailNeeded);
                    view.open = Method::Sbp;
                    view.receipts = false;
                    view.email = String::new();
                    view.panels.iter_mut().take(2).for_each(|panel| panel.needs_email = true);
                }),
            ),
            (
                "methods-email-long",
                methods(&|view| {
                    view.problem = Some(Problem::EmailTooLong);
                    view.email = format!("{}@mail.example", "a".repeat(60));
                    view.panels.iter_mut().for_each(|panel| panel.needs_email = true);
                }),
            ),
            (
                "methods-down",
                methods(&|view| {
                    view.problem = Some(Problem::MethodDown(Method::Card));
                    view.open = Method::Sbp;
                    view.panels[0].state = PanelState::Down;
                    view.panels[2].state = PanelState::TimedOut;
                }),
            ),
            ("methods-timed-out", methods(&|view| view.problem = Some(Problem::MethodTimedOut(Method::Sbp)))),
            ("methods-start-failed", methods(&|view| view.problem = Some(Problem::StartFailed(Method::Sbp)))),
            ("methods-busy", methods(&|view| view.problem = Some(Problem::Busy))),
            (
                "methods-too-many-session",
                methods(&|view| view.problem = Some(Problem::TooMany(TooMany::OfSession))),
            ),
            (
                "methods-too-many-address",
                methods(&|view| view.problem = Some(Problem::TooMany(TooMany::FromAddress(21)))),
            ),
            (
                "methods-too-many-vendor",
                methods(&|view| view.problem = Some(Problem::TooMany(TooMany::AtVendor(180)))),
            ),
            (
                "methods-none",
                methods(&|view| view.panels.iter_mut().for_each(|p| p.state = PanelState::Down)),
            ),
            ("methods-card", methods(&|view| view.panels.truncate(1))),
            ("methods-sbp", methods(&|view| view.panels = vec![self.panel(Method::Sbp, PanelState::Ready)])),
            (
                "methods-crypto",
                methods(&|view| view.panels = vec![self.panel(Method::Crypto, PanelState::Ready)]),
            ),
            (
                "methods-coins",
                methods(&|view| {
                    view.open = Method::Crypto;
                    view.panels[2] = self.coins(3);
                }),
            ),
            ("methods-coins-only", methods(&|view| view.panels = vec![self.coins(3)])),
            ("methods-coin", methods(&|view| view.panels = vec![self.coins(1)])),
            ("sandbox", self.sandbox(Body::Methods(self.test_payment()))),
        ]
    }

    fn waits(&self) -> Vec<(&'static str, CheckoutPage)> {
        let texts = &self.texts;
        let waiting = |clock| Waiting { order: self.order(), method: Method::Card, clock, bank: None };
        let returned = Waiting {
            bank: Some(texts.bank_url.replace("bank100000000004", "https")),
            ..waiting(Some(clock(850, 900)))
        };
        let coins = |amount: &str| Coins { amount: amount.to_owned(), unit: texts.unit.clone() };
        let address = |partial| Address {
            order: self.order(),
            clock: clock(3374, 3600),
            coins: coins("54.28"),
            network: texts.network.clone(),
            address: texts.address.clone(),
            payload: Texts::usual(self.language).wallet_url,
            wallet_url: texts.wallet_url.clone(),
            simulated: false,
            rate: Some("91.93".to_owned()),
            partial,
        };
        let partial = Partial { received: "50.00".to_owned(), missing: "4.28".to_owned() };
        let qr = |banks| Qr {
            order: self.order(),
            clock: clock(600, 600),
            payload: Texts::usual(self.language).app_url,
            app_url: texts.app_url.clone(),
            simulated: false,
            banks,
        };
        let bank = BankLink { name: texts.bank.clone(), url: texts.bank_url.clone() };
        let confirming = Confirming {
            order: self.order(),
            seen: 2,
            needed: 12,
            received: coins("54.28"),
            missing: None,
            network: texts.network.clone(),
            seen_at: at(),
            rate: Some("91.93".to_owned()),
            left: false,
        };
        let missing = MissingCoins { coins: coins("5.43"), address: texts.address.clone() };
        let short = Confirming { received: coins("48.85"), missing: Some(missing), ..confirming.clone() };
        let transfer = Confirming { left: true, ..confirming.clone() };
        let page = Bank {
            order: self.order(),
            method: Method::Card,
            clock: clock(720, 900),
            url: texts.bank_url.replace("bank100000000004", "https"),
        };
        let form = Embedded {
            order: self.order(),
            method: Method::Card,
            clock: clock(720, 900),
            script: "/elements/provider".to_owned(),
            origins: Origins { scripts: vec!["https://js.example.com".to_owned()], ..Origins::default() },
            values: vec![("name".to_owned(), texts.bank.clone()), (texts.item.clone(), "value".to_owned())],
            in_flight: false,
        };
        vec![
            ("preparing", self.page(Body::Preparing(waiting(Some(clock(850, 900)))))),
            ("processing", self.page(Body::Processing(waiting(None)))),
            ("processing-returned", self.page(Body::Processing(returned))),
            ("bank", self.page(Body::Bank(page))),
            ("embedded", self.page(Body::Embedded(form))),
            ("qr", self.page(Body::Qr(qr(vec![])))),
            ("qr-simulated", self.simulated(Body::Qr(Qr { simulated: true, ..qr(vec![]) }))),
            ("qr-banks", self.page(Body::Qr(qr(vec![bank.clone(), bank])))),
            ("address", self.page(Body::Address(address(None)))),
            (
                "address-simulated",
                self.simulated(Body::Address(Address { simulated: true, ..address(None) })),
            ),
            ("address-partial", self.page(Body::Address(address(Some(partial))))),
            ("confirming", self.page(Body::Confirming(confirming))),
            ("confirming-short", self.page(Body::Confirming(short))),
            ("transfer-seen", self.page(Body::Confirming(transfer))),
        ]
    }

    fn results(&self) -> Vec<(&'static str, CheckoutPage)> {
        let texts = &self.texts;
        let coins = || Coins { amount: "1.72".to_owned(), unit: texts.unit.clone() };
        let paid = |over: Option<Coins>| Paid {
            order: self.order(),
            method: Method::Card,
            paid_at: at(),
            reference: texts.reference.clone(),
            receipt: Some(ReceiptMail { email: texts.email.clone(), state: DispatchState::Sent }),
            receipt_url: Some("/receipt/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a".to_owned()),
            return_in: over.is_none().then(|| Duration::from_secs(5)),
            over,
            bank: None,
        };
        let failed = |reason, charged_nothing| Failed {
            order: self.order(),
            method: Method::Card,
            reason,
            charged_nothing,
            at: at(),
            reference: texts.reference.clone(),
        };
        let expired = |charged_nothing, partial| Expired {
            order: self.order(),
            at: at(),
            minutes: 15,
            charged_nothing,
            partial,
            reference: texts.reference.clone(),
            bank: None,
        };
        let leave = |under_way| LeaveQuestion {
            host: texts.host.clone(),
            origin: "https://shop.haldenpress.example".to_owned(),
            under_way,
        };
        let reference = texts.reference.clone();
        let again = AlreadyPaid { order: self.order(), method: Method::Sbp, paid_at: at(), reference };
        let mut pages = vec![
            ("paid", self.page(Body::Paid(paid(None)))),
            ("paid-before", self.page(Body::Paid(Paid { return_in: None, ..paid(None) }))),
            (
                "paid-simulated",
                self.simulated(Body::Paid(Paid { bank: Some("/bank/1".to_owned()), ..paid(None) })),
            ),
            ("paid-over", self.page(Body::Paid(paid(Some(coins()))))),
            (
                "paid-sandbox",
                self.sandbox(Body::Paid(Paid { receipt: None, receipt_url: None, ..paid(None) })),
            ),
            ("failed-unknown", self.page(Body::Failed(failed(FailureReason::ProviderError, false)))),
            ("expired", self.page(Body::Expired(expired(true, None)))),
            ("expired-unknown", self.page(Body::Expired(expired(false, None)))),
            ("expired-partial", self.page(Body::Expired(expired(false, Some(coins()))))),
            ("already-paid", self.page(Body::AlreadyPaid(again))),
            ("leave", self.page(Body::Leave(leave(false)))),
            ("leave-under-way", self.page(Body::Leave(leave(true)))),
        ];
        for (name, state) in
            [("paid-mailing", DispatchState::Queued), ("paid-unmailed", DispatchState::Failed)]
        {
            let receipt = Some(ReceiptMail { email: texts.email.clone(), state });
            pages.push((name, self.page(Body::Paid(Paid { receipt, ..paid(None) }))));
        }
        let names = ["declined", "funds", "card-expired", "three-ds", "canceled", "provider", "unconfirmed"];
        for (name, reason) in names.into_iter().zip(FailureReason::ALL) {
            pages.push((name, self.page(Body::Failed(failed(reason, true)))));
        }
        pages
    }

    fn receipts(&self) -> Vec<(&'static str, CheckoutPage)> {
        let slip = |kind, refunded: i64| {
            let mut page = self.page(Body::Receipt(ReceiptView {
                order: self.order(),
                kind,
                amount: if kind == ReceiptKind::Paid { self.order().amount } else { money(100_000, "RUB") },
                refunded: (refunded > 0).then(|| money(refunded, "RUB")),
                method: Method::Card,
                at: at(),
                zone: Zone::ahead(180),
                number: match kind {
                    ReceiptKind::Paid => self.texts.reference.clone(),
                    ReceiptKind::Refunded => format!("{}-R1", self.texts.reference),
                },
                contact: Some(self.texts.contact.clone()),
                provider_reference: self.texts.transaction.clone(),
            }));
            page.frame.path = "/receipt/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a".to_owned();
            page.frame.live = false;
            page
        };
        vec![
            ("receipt", slip(ReceiptKind::Paid, 0)),
            ("receipt-refunded-part", slip(ReceiptKind::Paid, 100_000)),
            ("receipt-refunded", slip(ReceiptKind::Paid, 499_000)),
            ("receipt-of-refund", slip(ReceiptKind::Refunded, 100_000)),
            ("no-receipt", self.bare(Body::NoReceipt)),
        ]
    }

    fn others(&self) -> Vec<(&'static str, CheckoutPage)> {
        let challenge = |method, actions: &[&'static str]| {
            Body::Challenge(Challenge {
                order: self.order(),
                method,
                url: "/session/0199a8f2/bank".to_owned(),
                actions: actions.to_vec(),
                clock: Some(clock(214, 300)),
                back: "/session/0199a8f2".to_owned(),
                note: actions.contains(&"refund").then_some(ChallengeNote::Done),
                default_delivery: "none",
            })
        };
        let cards = [
            "approve",
            "approve_slowly",
            "three_ds",
            "decline",
            "insufficient_funds",
            "card_expired",
            "cancel",
            "leave",
        ];
        vec![
            ("not-found", self.bare(Body::NotFound)),
            ("sandbox-off", self.sandbox(Body::SandboxOff { support: Some(self.texts.support.clone()) })),
            ("error", self.bare(Body::Error { reference: self.texts.reference.clone() })),
            ("forbidden", self.bare(Body::Forbidden)),
            ("no-page", self.bare(Body::NoPage)),
            ("three-ds-page", self.sandbox(challenge(Method::Card, &["confirm", "refuse", "leave"]))),
            (
                "sandbox-after",
                self.sandbox(challenge(Method::Card, &["refund", "payment_over", "dispute_opened", "back"])),
            ),
            ("bank-card", self.simulated(challenge(Method::Card, &cards))),
            ("bank-paid", self.simulated(challenge(Method::Card, &["dispute", "refuse_refunds", "back"]))),
            ("bank-expired", self.simulated(challenge(Method::Sbp, &["approve_late", "back"]))),
            ("bank-sbp", self.simulated(challenge(Method::Sbp, &["pay", "decline", "cancel", "leave"]))),
            (
                "bank-crypto",
                self.simulated(challenge(Method::Crypto, &["pay_exact", "pay_short", "pay_over", "leave"])),
            ),
        ]
    }
}

/// The number of elements of a document that match.
pub fn count(document: &Html, selector: &str) -> usize {
    document.select(&Selector::parse(selector).expect("a selector")).count()
}

/// The text of the first element that matches.
pub fn text(document: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).next().map(|element| element.text().collect())
}
