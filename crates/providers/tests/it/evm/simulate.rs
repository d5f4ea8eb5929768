//! F20 at random: blocks, payments, reorgs, failing nodes and failed writes in any order. At the end the
//! provider has credited what the chain says, not more and not less.

use super::{CHAIN, Scene, USDC, USDT, Waiting};
use crate::doubles::Payment;
use futures_util::FutureExt as _;
use proptest::prelude::*;
use till_domain::attempt::Observation;
use till_providers::evm::Book as _;

#[derive(Debug, Clone)]
enum Step {
    /// A block with payments: the index of the payment, true for another coin than the charged one, and
    /// tenths of the charge.
    Mine(Vec<(usize, bool, u8)>),
    /// The last blocks are replaced; some of their payments come back.
    Fork {
        depth: usize,
        back: u8,
        extra: usize,
    },
    /// The chain is read.
    Pass,
    /// The chain is read, and the n-th request to the chain or the book fails.
    Fail {
        book: bool,
        question: u32,
    },
    /// The chain forks while it is read.
    Moves {
        question: u32,
        depth: usize,
    },
    /// The touched attempts are checked.
    Look,
    Open,
}

fn step() -> impl Strategy<Value = Step> {
    let payment = (0_usize..4, prop::bool::weighted(0.15), 1_u8..20);
    prop_oneof![
        6 => prop::collection::vec(payment, 0..3).prop_map(Step::Mine),
        2 => (1_usize..=10, any::<u8>(), 0_usize..3)
            .prop_map(|(depth, back, extra)| Step::Fork { depth, back, extra }),
        5 => Just(Step::Pass),
        2 => (any::<bool>(), 1_u32..12).prop_map(|(book, question)| Step::Fail { book, question }),
        1 => (1_u32..12, 1_usize..6).prop_map(|(question, depth)| Step::Moves { question, depth }),
        4 => Just(Step::Look),
        1 => Just(Step::Open),
    ]
}

/// The service's side: the amount credited to each payment by the provider's answers.
struct World {
    scene: Scene,
    payments: Vec<Waiting>,
    confirmations: u32,
    /// True if the chain has not changed since it was read last.
    current: bool,
}

const COINS: [&str; 4] = ["usdc", "eth", "eth", "usdc"];

impl World {
    fn new(confirmations: u32) -> Self {
        let mut world =
            Self { scene: Scene::new(confirmations), payments: Vec::new(), confirmations, current: true };
        for _ in 0..2 {
            world.open();
        }
        world
    }

    fn open(&mut self) {
        if let Some(coin) = COINS.get(self.payments.len()) {
            let number = u32::try_from(self.payments.len()).expect("few");
            self.payments.push(self.scene.open(number, coin));
        }
    }

    fn payment(&self, whom: usize, other: bool, tenths: u8) -> Payment {
        let waiting = &self.payments[whom % self.payments.len()];
        let contract = match waiting.contract {
            own if !other => own,
            Some(USDC) => Some(USDT),
            _ => Some(USDC),
        };
        let atoms = waiting.attempt.charge.atoms * u128::from(tenths) / 10;
        self.scene.pay_in(waiting, contract, i128::try_from(atoms).expect("not so much"))
    }

    /// The payments of removed blocks that come back, in as many new blocks.
    fn again(&self, gone: &[Vec<Payment>], back: u8) -> Vec<Vec<Payment>> {
        let mut number = 0;
        let mut comes_back = |_: &&Payment| {
            number += 1;
            back >> (number % 8) & 1 == 1
        };
        gone.iter().map(|block| block.iter().filter(&mut comes_back).cloned().collect()).collect()
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Mine(list) => {
                let all: Vec<_> = list.into_iter().map(|(w, o, t)| self.payment(w, o, t)).collect();
                self.scene.mine(&all);
                self.current = false;
            }
            Step::Fork { depth, back, extra } => {
                let gone = self.scene.chain.fork(depth);
                for block in self.again(&gone, back) {
                    self.scene.mine(&block);
                }
                (0..extra).for_each(|_| self.scene.mine(&[]));
                self.current = false;
            }
            Step::Pass => {
                let pass = self.scene.pass();
                self.current = !pass.behind;
            }
            Step::Fail { book, question } => {
                if book {
                    self.scene.book.fail_at(question)
                } else {
                    self.scene.chain.fail_at(question)
                }
                let read = self.scene.try_pass();
                self.scene.book.fail_at(0);
                self.scene.chain.calm();
                self.current |= read.is_ok();
            }
            Step::Moves { question, depth } => {
                let blocks = vec![Vec::new(); depth + 1];
                self.scene.chain.fork_after(question, depth, blocks);
                let _ = self.scene.try_pass();
                self.scene.chain.calm();
                self.current = false;
            }
            Step::Look => self.look(),
            Step::Open => self.open(),
        }
    }

    /// Checks the touched attempts and no others, as the worker does.
    fn look(&mut self) {
        let touched = self.scene.touched();
        let read = self.scene.book.cursor(CHAIN).now_or_never().expect("at once").expect("a book");
        let read = read.map_or(0, |cursor| cursor.block);
        for waiting in self.payments.iter_mut().filter(|one| touched.contains(&one.attempt.id)) {
            match self.scene.check(waiting) {
                Observation::Paid { received, .. } | Observation::Partial { received } => {
                    let before = std::mem::replace(&mut waiting.attempt.recorded, received.atoms);
                    assert!(received.atoms >= before, "money that is there stays there");
                    let last = (read + 1).saturating_sub(u64::from(self.confirmations));
                    let truth = self.scene.chain.got(waiting.contract, waiting.address, last).0;
                    let early = self.current && received.atoms > before && received.atoms > truth;
                    assert!(!early, "{} of {truth} that are final", received.atoms);
                }
                Observation::TakenBack { received } => {
                    assert!(received.atoms < waiting.attempt.recorded);
                    waiting.attempt.recorded = received.atoms;
                }
                Observation::Waiting | Observation::Confirming { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        if self.current {
            self.nothing_that_is_gone(read);
        }
    }

    /// Checks that no more is credited than is on the chain as it was read.
    fn nothing_that_is_gone(&self, read: u64) {
        for one in &self.payments {
            let truth = self.scene.chain.got(one.contract, one.address, read).0;
            assert!(one.attempt.recorded <= truth, "{} of {truth}", one.attempt.recorded);
        }
    }

    /// Lets the chain grow until everything is final. Money that comes after the owner has swept the address
    /// is seen only when the sweep is final, and then needs its own confirmations.
    fn settle(&mut self) {
        for _ in 0..=2 * self.confirmations {
            self.scene.mine(&[]);
            while self.scene.pass().behind {}
        }
        self.current = true;
        self.look();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 150 } else { 4_000 }))]

    #[test]
    fn f20_at_the_end_everybody_has_what_the_chain_says(
        confirmations in 1_u32..7,
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut world = World::new(confirmations);
        for step in steps {
            world.take(step);
        }
        world.settle();
        let head = world.scene.chain.height();
        for one in &world.payments {
            let truth = world.scene.chain.got(one.contract, one.address, head).0;
            prop_assert_eq!(one.attempt.recorded, truth, "{}", one.address);
        }
    }

    /// The owner sweeps money in between. Every block is read, as it is while a payment is waited for. No
    /// sweep follows before the last one is final: money that comes and goes in between is in no balance.
    #[test]
    fn f20_what_the_owner_takes_away_changes_nothing(
        confirmations in 2_u32..6,
        steps in prop::collection::vec((0_u8..4, 1_u8..20, 1_usize..5), 1..60),
    ) {
        let mut world = World::new(confirmations);
        let mut taken_at = 0;
        for (kind, tenths, depth) in steps {
            match kind {
                0 | 1 => {
                    let payment = world.payment(1, false, tenths);
                    world.scene.mine(if kind == 0 { &[] } else { std::slice::from_ref(&payment) });
                }
                2 => {
                    let is_final = world.scene.chain.height() > taken_at + u64::from(confirmations);
                    let held = if is_final { held(&world) } else { 0 };
                    let taking = world.scene.chain.payment(None, world.payments[1].address, -held);
                    world.scene.mine(if held > 0 { std::slice::from_ref(&taking) } else { &[] });
                    taken_at = if held > 0 { world.scene.chain.height() } else { taken_at };
                }
                _ => {
                    let depth = depth.min(usize::try_from(confirmations).expect("few") - 1);
                    for block in world.scene.chain.fork(depth) {
                        let back: Vec<_> = block.into_iter().filter(|payment| payment.atoms > 0).collect();
                        world.scene.mine(&back);
                        world.scene.pass();
                    }
                    world.scene.mine(&[]);
                }
            }
            world.scene.pass();
            world.look();
        }
        world.settle();
        let one = &world.payments[1];
        let truth = world.scene.chain.got(None, one.address, world.scene.chain.height()).0;
        prop_assert_eq!(one.attempt.recorded, truth);
    }
}

/// The balance of the second payment's address now.
fn held(world: &World) -> i128 {
    use till_providers::evm::Node as _;
    let address = [world.payments[1].address];
    let head = world.scene.chain.height();
    let balances =
        world.scene.chain.balances(&address, head).now_or_never().expect("at once").expect("a node");
    i128::try_from(balances[0].0).expect("not so much")
}
