//! The worlds: the simulated bank, and chains in memory.

use super::{Can, Question, World};
use crate::doubles::{MemoryBank, When};
use crate::evm::{CHAIN, Scene, USDC, address_in, attempt as chain_attempt, dollars};
use std::sync::Arc;
use till_domain::{
    attempt::Attempt,
    id::{RefundId, TransactionId},
    method::Method,
    money::{Currency, Money},
    refund::{Origin, Refund, RefundState},
    time::Timestamp,
};
use till_providers::{Bank, BankDecision, Behaviour, Provider, SignedNotice, Simulator};

/// The simulated bank, paid by one method.
struct Simulated {
    book: Arc<MemoryBank>,
    bank: Arc<Bank>,
    simulator: Simulator,
    method: Method,
    notices: std::sync::Mutex<Vec<(String, SignedNotice)>>,
}

impl Simulated {
    fn new(method: Method) -> Self {
        let book = Arc::new(MemoryBank::default());
        let bank = Bank::new(Arc::clone(&book) as _, "https://pay.example/bank".to_owned(), [7; 32]);
        let bank = Arc::new(bank);
        let simulator = Simulator::live(Arc::clone(&bank));
        Self { book, bank, simulator, method, notices: std::sync::Mutex::default() }
    }

    fn attempt(&self, number: u32) -> Attempt {
        Attempt { method: self.method, provider: "simulator".to_owned(), ..chain_attempt(number, None) }
    }

    fn amount() -> Money {
        Money { minor: 4_990, currency: Currency::parse("RUB").expect("a currency") }
    }

    async fn decide(&self, attempt: &Attempt, decision: BankDecision) -> bool {
        let notice = self.bank.decide(attempt.id, decision).await.expect("a bank");
        let decided = notice.is_some();
        let name = attempt.id.to_string();
        self.notices.lock().expect("notices").extend(notice.map(|notice| (name, notice)));
        // By then a transfer has enough confirmations.
        self.book.later(60_000);
        decided
    }

    async fn pay(&self, attempt: &Attempt, tenths: u128) -> bool {
        let decision = match (self.method, tenths) {
            (Method::Crypto, 9) => BankDecision::PayShort,
            (Method::Crypto, 11) => BankDecision::PayOver,
            (Method::Crypto, _) => BankDecision::PayExact,
            (_, _) => BankDecision::Approve,
        };
        self.decide(attempt, decision).await
    }

    fn lose(&self, question: Question, when: When) {
        let question = match question {
            Question::Start => "open",
            Question::Check => "entry",
            Question::Close => "change",
        };
        self.book.lose(question, when);
    }

    fn notices(&self, attempt: &Attempt) -> Vec<SignedNotice> {
        let name = attempt.id.to_string();
        let all = self.notices.lock().expect("notices");
        all.iter().filter(|(of, _)| *of == name).map(|(_, notice)| notice.clone()).collect()
    }

    fn refund(&self, attempt: &Attempt, number: u8, minor: i64) -> Refund {
        let now = Timestamp::from_ms(0);
        Refund {
            id: RefundId::from_bytes([number; 16]),
            session: attempt.session,
            vendor: attempt.vendor,
            transaction: TransactionId::from_bytes([1; 16]),
            number: i64::from(number),
            method: attempt.method,
            provider: "simulator".to_owned(),
            payment: attempt.reference.clone().expect("a reference"),
            amount: Money { minor, ..Self::amount() },
            origin: Origin::Payment { fee: 0 },
            pending: None,
            reason: None,
            requested_by: "api".to_owned(),
            moved: None,
            manual: None,
            state: RefundState::Sent,
            reference: None,
            attempts: 1,
            check_at: None,
            silent_since: None,
            version: 2,
            created_at: now,
            updated_at: now,
        }
    }

    fn sent_back(&self) -> i64 {
        let all = self.book.all_refunds();
        let gone = all.iter().filter(|refund| {
            refund.acted_at.is_some() && !matches!(refund.behaviour, Behaviour::Fail | Behaviour::TooMuch)
        });
        gone.map(|refund| refund.minor).sum()
    }
}

macro_rules! simulated {
    ($name:ident, $method:expr, $decline:expr, [$($can:ident),*]) => {
        pub(super) struct $name(Simulated);

        impl Default for $name {
            fn default() -> Self {
                Self(Simulated::new($method))
            }
        }

        impl World for $name {
            const CAN: &'static [Can] = &[$(Can::$can),*];

            fn provider(&self) -> &dyn Provider {
                &self.0.simulator
            }

            fn attempt(&self, number: u32) -> Attempt {
                self.0.attempt(number)
            }

            fn amount(&self) -> Money {
                Simulated::amount()
            }

            fn opened(&self, attempt: &Attempt) -> usize {
                usize::from(self.0.book.get(attempt.id).is_some())
            }

            async fn pay(&self, attempt: &Attempt, tenths: u128) -> bool {
                self.0.pay(attempt, tenths).await
            }

            async fn decline(&self, attempt: &Attempt) -> bool {
                self.0.decide(attempt, $decline).await
            }

            fn lose(&self, question: Question, when: When) {
                self.0.lose(question, when);
            }

            fn notices(&self, attempt: &Attempt) -> Vec<SignedNotice> {
                self.0.notices(attempt)
            }

            fn refund(&self, attempt: &Attempt, number: u8, minor: i64) -> Option<Refund> {
                Some(self.0.refund(attempt, number, minor))
            }

            fn lose_refund(&self, when: When) {
                self.0.book.lose("write_refund", when);
            }

            fn sent_back(&self) -> i64 {
                self.0.sent_back()
            }
        }
    };
}

simulated!(
    SimulatorCard,
    Method::Card,
    BankDecision::Decline,
    [Decline, Close, Notices, Refunds, StartAgain]
);
simulated!(SimulatorSbp, Method::Sbp, BankDecision::Cancel, [Decline, Close, Notices, Refunds, StartAgain]);
simulated!(
    SimulatorCrypto,
    Method::Crypto,
    BankDecision::Cancel,
    [PayLate, PayInParts, Notices, Refunds, StartAgain]
);

const CONFIRMATIONS: u32 = 6;

macro_rules! in_memory {
    ($name:ident, $coin:literal, $contract:expr) => {
        pub(super) struct $name(Scene);

        impl Default for $name {
            fn default() -> Self {
                Self(Scene::new(CONFIRMATIONS))
            }
        }

        impl World for $name {
            const CAN: &'static [Can] =
                &[Can::PayLate, Can::PayInParts, Can::TakeBack, Can::Choices, Can::StartAgain];

            fn provider(&self) -> &dyn Provider {
                &self.0.evm
            }

            fn attempt(&self, number: u32) -> Attempt {
                chain_attempt(number, Some(&format!("{}-{CHAIN}", $coin)))
            }

            fn amount(&self) -> Money {
                dollars(4_990)
            }

            fn opened(&self, attempt: &Attempt) -> usize {
                let all = self.0.book.deposits();
                all.iter().filter(|deposit| deposit.session == attempt.session).count()
            }

            async fn pay(&self, attempt: &Attempt, tenths: u128) -> bool {
                let reference = attempt.reference.as_deref().expect("a reference");
                let address = address_in(reference);
                let atoms = i128::try_from(attempt.charge.atoms * tenths / 10).expect("not so much");
                self.0.mine(&[self.0.chain.payment($contract, address, atoms)]);
                self.0.pass();
                self.0.grow(CONFIRMATIONS - 1);
                true
            }

            async fn take_back(&self) {
                self.0.chain.fork(usize::try_from(CONFIRMATIONS).expect("few"));
                for _ in 0..=CONFIRMATIONS {
                    self.0.mine(&[]);
                }
                self.0.pass();
            }

            fn lose(&self, question: Question, when: When) {
                let question = if question == Question::Start { "open" } else { "deposit" };
                self.0.book.lose(question, when);
            }
        }
    };
}

in_memory!(EvmToken, "usdc", Some(USDC));
in_memory!(EvmCoin, "eth", None);
