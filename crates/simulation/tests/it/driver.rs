//! Runs a simulation: lets nodes make steps, moves the time, and lets things fail, all as the dice decide.

use crate::{
    checker,
    conditions::Conditions,
    crowd::{Crowd, Merchant},
    dice::Dice,
    disk,
    node::{Node, Surroundings},
    run::Job,
    staff,
    world::{START_MS, World},
};
use std::{path::PathBuf, sync::Arc, time::Duration};
use till_domain::{
    audit::{Actor, AuditEvent, SandboxRequest},
    credential::Claims,
    environment::EnvironmentName,
    fiscal::{FiscalPolicy, FiscalSettings},
    time::Timestamp,
    vendor::SettingsChange,
};
use till_service::{
    admin::{VendorDraft, entry},
    outbound::{Outbound, OutboundOptions, Resolver},
    random,
    settings::Settings,
};

/// Payments under way at once.
const AT_ONCE: usize = 25_000;

/// After how many rounds a check is made in between.
const CHECKED_EVERY: u64 = 700;

const NODES: usize = 3;

const MERCHANTS: usize = 4;

/// What happened in a simulation.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub payments: u64,
    pub kills: u64,
    pub power_failures: u64,
    pub clock_jumps: u64,
    pub cuts: u64,
    pub rounds: u64,
    pub simulated_seconds: u64,
}

impl Tally {
    pub fn numbers(&self) -> [(&'static str, u64); 7] {
        [
            ("payments", self.payments),
            ("kills", self.kills),
            ("power failures", self.power_failures),
            ("clock jumps", self.clock_jumps),
            ("cut requests", self.cuts),
            ("rounds", self.rounds),
            ("simulated seconds", self.simulated_seconds),
        ]
    }
}

pub struct Simulation {
    folder: PathBuf,
    around: Surroundings,
    nodes: Vec<Option<Node>>,
    /// When each node that is down is started again.
    back_at: Vec<Timestamp>,
    crowd: Crowd,
    dice: Dice,
    /// By how many seconds the machine's clock is wrong, and until when.
    jumped: Option<(i64, Timestamp)>,
    total: usize,
    conditions: Conditions,
    /// The node that is suspended, the time that it has missed, and until when.
    stopped: Option<(usize, Duration, Timestamp)>,
    /// Whether two of the staff did the same at two nodes after the last round.
    has_pair: bool,
    pub tally: Tally,
}

impl Simulation {
    /// Makes a store with vendors, and starts the nodes.
    pub fn new(job: &Job, folder: PathBuf) -> Self {
        let Job { seed, payments: total, conditions, .. } = *job;
        random::seed(seed);
        till_store::simulation::make_slow(seed);
        disk::insert();
        disk::clear();
        let mut dice = Dice::new(seed);
        let world = World::new(dice.fork(), conditions);
        let around = Surroundings { settings: settings(&folder), outbound: outbound(&world), world };
        let first = Node::start(&folder, &around).expect("the first node starts");
        let merchants = (0..MERCHANTS).map(|number| merchant(&first, number)).collect();
        let crowd = Crowd::new(merchants, dice.fork(), conditions);
        let mut nodes = vec![Some(first)];
        for _ in 1..NODES {
            nodes.push(Some(Node::start(&folder, &around).expect("a node starts")));
        }
        let back_at = vec![around.world.now(); NODES];
        Self {
            folder,
            around,
            nodes,
            back_at,
            crowd,
            dice,
            jumped: None,
            total,
            conditions,
            stopped: None,
            has_pair: false,
            tally: Tally::default(),
        }
    }

    /// Runs all payments to their end, then lets everything heal, and returns what is wrong.
    pub fn run(&mut self) -> Vec<String> {
        let mut last_order = self.around.world.now();
        loop {
            let now = self.around.world.now();
            let missing = self.total - self.crowd.payments.len();
            if missing > 0 {
                last_order = now;
            } else if self.crowd.open() == 0 || now.since(last_order) > self.conditions.patience() {
                break;
            }
            let orders = self.dice.index(2 * self.total.div_ceil(self.conditions.ordering()) + 1);
            for _ in 0..AT_ONCE.saturating_sub(self.crowd.open()).min(missing).min(orders) {
                self.crowd.order(now);
            }
            self.round();
            if let Some(problem) = self.break_something() {
                return vec![problem];
            }
        }
        self.tally.payments = u64::try_from(self.total).expect("a number");
        self.tally.simulated_seconds = self.around.world.now().since(Timestamp::from_ms(START_MS)).as_secs();
        self.heal()
    }

    /// Everything that the vendors and the bank saw, as bytes to compare.
    pub fn seen(&self) -> Vec<u8> {
        let mut seen = Vec::new();
        for payment in &self.crowd.payments {
            seen.extend(format!("{:?} {:?}\n", payment.named, payment.told).into_bytes());
        }
        for (id, received) in self.around.world.received().iter() {
            seen.extend(id.as_bytes());
            received.iter().for_each(|received| seen.extend(&received.body));
        }
        seen.extend(format!("{:?}", self.around.world.book.records()).into_bytes());
        seen
    }

    /// One round: everyone acts, the nodes make some steps, the time passes.
    fn round(&mut self) {
        self.tally.rounds += 1;
        self.crowd.act(&self.nodes, &self.around.world);
        // Mostly a node does all that it can before the next one does; sometimes they take turns step by step.
        if self.crowd.take_twins() || self.has_pair {
            self.take_turns(60, 3);
        } else if self.dice.one_in(8) {
            let turns = self.dice.below(8);
            self.take_turns(turns, 40);
        }
        self.has_pair = false;
        self.crowd.take_replies(&self.around.world);
        let leap = match self.dice.below(20) {
            0 => self.dice.millis(1_000, 8_000),
            1..5 => self.dice.millis(100, 1_000),
            _ => self.dice.millis(1, 100),
        };
        self.pass(leap);
    }

    /// Lets the nodes take turns, with at most this many steps in each.
    fn take_turns(&mut self, turns: u64, most: u64) {
        for _ in 0..turns {
            for number in 0..NODES {
                if self.running_at(number).is_some() {
                    let steps = 1 + self.dice.below(most);
                    self.nodes[number].iter().for_each(|node| node.run(steps));
                }
            }
        }
    }

    /// Lets time pass for everyone.
    fn pass(&mut self, by: Duration) {
        self.around.world.advance(by);
        for node in self.running() {
            node.advance(by);
        }
        let now = self.around.world.now();
        if let Some((_, missed, until)) = &mut self.stopped {
            *missed += by;
            if *until <= now {
                self.wake();
            }
        }
    }

    /// Continues the node that is suspended.
    fn wake(&mut self) {
        let Some((number, missed, _)) = self.stopped.take() else { return };
        if let Some(node) = &self.nodes[number] {
            node.wake(missed);
        }
    }

    /// The nodes that are up and not suspended.
    fn running(&self) -> impl Iterator<Item = &Node> {
        (0..NODES).filter_map(|number| self.running_at(number))
    }

    fn running_at(&self, number: usize) -> Option<&Node> {
        let is_stopped = self.stopped.is_some_and(|(stopped, ..)| stopped == number);
        self.nodes[number].as_ref().filter(|_| !is_stopped)
    }

    /// The same in a hurry.
    fn skip(&mut self, by: Duration) {
        self.around.world.advance(by);
        for node in self.nodes.iter().flatten() {
            node.skip(by);
        }
    }

    /// Lets something fail, and starts what is down. An error if a node cannot be started.
    fn break_something(&mut self) -> Option<String> {
        let now = self.around.world.now();
        if self.tally.rounds.is_multiple_of(CHECKED_EVERY)
            && self.running().next().is_some()
            && !disk::is_off()
        {
            // The check must not move the time of the node that makes it.
            till_store::simulation::make_fast();
            let left_open = self.check(checker::left_open);
            till_store::simulation::make_slow(self.dice.below(u64::MAX));
            if !left_open.is_empty() {
                return Some(left_open.join("\n"));
            }
        }
        if disk::is_off() || self.dice.one_in(self.conditions.power_fails()) {
            return self.fail_power();
        }
        if self.dice.one_in(self.conditions.power_fails()) {
            disk::fail_after(self.dice.below(400));
        }
        if self.dice.one_in(self.conditions.node_dies()) {
            let node = self.dice.index(NODES);
            // Anywhere between two awaits.
            if let Some(node) = &self.nodes[node] {
                node.run(self.dice.below(200));
            }
            self.tally.kills += u64::from(self.nodes[node].take().is_some());
            self.stopped = self.stopped.filter(|(stopped, ..)| *stopped != node);
            self.back_at[node] = now.plus(self.dice.millis(10, 40_000));
        }
        if let Some(rounds) = self.conditions.node_stops()
            && self.stopped.is_none()
            && self.dice.one_in(rounds)
        {
            let (until, node) = (now.plus(self.dice.millis(1_000, 90_000)), self.dice.index(NODES));
            self.stopped = self.nodes[node].is_some().then_some((node, Duration::ZERO, until));
        }
        if self.dice.one_in(self.conditions.clock_jumps()) && self.jumped.is_none() {
            let seconds = *self.dice.pick(&[-7_200, -90, 90, 7_200]);
            self.nodes.iter().flatten().for_each(|node| node.clock.jump(seconds));
            self.jumped = Some((seconds, now.plus(self.dice.millis(2_000, 50_000))));
            self.tally.clock_jumps += 1;
        }
        if let Some((seconds, until)) = self.jumped
            && until <= now
        {
            self.nodes.iter().flatten().for_each(|node| node.clock.jump(-seconds));
            self.jumped = None;
        }
        if self.dice.one_in(self.conditions.staff_act()) {
            let stopped = self.stopped.map(|(stopped, ..)| stopped);
            let [first, second] = [self.dice.index(NODES), self.dice.index(NODES)];
            let node = self.nodes[first].as_ref().filter(|_| stopped != Some(first));
            let other = self.nodes[second].as_ref().filter(|_| self.dice.one_in(3));
            let other = other.filter(|_| stopped != Some(second));
            self.has_pair = node.is_some() && other.is_some();
            staff::act([node, other], &self.crowd, &self.around.settings, &mut self.dice);
        }
        if self.dice.one_in(30) {
            self.crowd.cut_one();
            self.tally.cuts += 1;
        }
        self.start_again()
    }

    fn start_again(&mut self) -> Option<String> {
        // A new process would take the machine's wrong clock for right.
        if self.jumped.is_some() {
            return None;
        }
        let now = self.around.world.now();
        for number in 0..NODES {
            if self.nodes[number].is_some() || self.back_at[number] > now {
                continue;
            }
            match Node::start(&self.folder, &self.around) {
                Ok(node) => self.nodes[number] = Some(node),
                // The power failed while it started.
                Err(_) if disk::is_off() => return None,
                Err(error) => return Some(format!("a node cannot be started: {error}")),
            }
        }
        None
    }

    /// The power fails: every node ends, and what was not synced may be gone.
    fn fail_power(&mut self) -> Option<String> {
        disk::turn_off();
        self.tally.power_failures += 1;
        self.nodes.iter_mut().for_each(|node| *node = None);
        self.stopped = None;
        disk::turn_on(&mut self.dice);
        let back_at = self.around.world.now().plus(self.dice.millis(10, 30_000));
        self.back_at = vec![back_at; NODES];
        None
    }

    /// Lets nothing fail any more, waits until there is nothing left to do, and checks everything.
    fn heal(&mut self) -> Vec<String> {
        self.wake();
        self.around.world.calm_down();
        disk::calm();
        till_store::simulation::make_fast();
        if let Some((seconds, _)) = self.jumped.take() {
            self.nodes.iter().flatten().for_each(|node| node.clock.jump(-seconds));
        }
        self.back_at = vec![self.around.world.now(); NODES];
        if let Some(problem) = self.start_again() {
            return vec![problem];
        }
        // Ten minutes, then a day in large steps, then as long as it takes.
        self.rest(60, Duration::from_secs(10));
        self.rest(32, Duration::from_secs(3_000));
        for _ in 0..20 {
            if self.check(checker::unsettled).is_empty() {
                let found = self.check(checker::check);
                self.grow_old();
                return found;
            }
            self.rest(20, Duration::from_secs(3_000));
        }
        self.check(checker::unsettled)
    }

    fn rest(&mut self, steps: u32, length: Duration) {
        for _ in 0..steps {
            self.crowd.only_send_notices(&self.nodes, &self.around.world);
            self.crowd.take_replies(&self.around.world);
            self.skip(length);
        }
    }

    /// A hundred days later the retention has old data to delete.
    fn grow_old(&mut self) {
        self.skip(Duration::from_secs(100 * 86_400));
        for _ in 0..3 {
            self.pass(Duration::from_secs(61));
        }
    }

    fn check<'a, Checked: Future<Output = Vec<String>>>(
        &'a self,
        check: impl FnOnce(checker::Evidence<'a>) -> Checked,
    ) -> Vec<String> {
        let node = self.running().next().expect("a node");
        let evidence =
            checker::Evidence { parts: &node.parts, world: &self.around.world, crowd: &self.crowd };
        node.finish(check(evidence))
    }
}

fn settings(folder: &std::path::Path) -> Settings {
    let variables = [
        ("TILL_DATA_DIR", folder.to_str().expect("a path of text")),
        ("TILL_LISTEN", "127.0.0.1:0"),
        ("TILL_MASTER_KEY", "7b0f2c9e51d3a86477e0c3a1f8f9be3c7745d3a4f0c1c5f79a40d5f0b9b20f5a"),
        ("TILL_SIMULATOR", "on"),
        ("TILL_RATE_LIMITS", "off"),
        ("TILL_ALLOW_PRIVATE_CALLBACKS", "true"),
        ("TILL_SETTLEMENT_DELAY", "2m"),
        ("TILL_SMTP_URL", "smtp://127.0.0.1:9?tls=none"),
        ("TILL_MAIL_FROM", "till@till.test"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Settings::load(None, variables).expect("good settings")
}

fn outbound(world: &Arc<World>) -> Outbound {
    let options = OutboundOptions {
        allow_private: true,
        roots: None,
        own: Vec::new(),
        own_hosts: Vec::new(),
        timeout: Duration::from_secs(10),
        resolver: Resolver::System,
        keep_responses: true,
    };
    Outbound::new(options).expect("certificates").over(Arc::clone(world) as _)
}

fn merchant(node: &Node, number: usize) -> Merchant {
    let admin = node.parts.admin.clone();
    node.finish(async {
        let request = SandboxRequest { by: "simulation".to_owned(), why: "it is one".to_owned() };
        let draft =
            VendorDraft { name: format!("Shop {number}"), contact_email: None, sandbox: Some(request) };
        let pairs = admin.create_vendor(&Actor::shell(), draft).await.expect("a vendor");
        let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
        let change = SettingsChange { fiscal: Some(fiscal), ..SettingsChange::default() };
        let line = entry(&admin.accounts, &Actor::shell(), AuditEvent::SettingsChanged);
        assert!(admin.accounts.set_settings(pairs.id, &change, &line).await.expect("a write"));
        let token = |environment: EnvironmentName| {
            let now = node.clock.now();
            let expires_at = now.plus(Duration::from_secs(400 * 24 * 3_600));
            admin.vault.issue(Claims { vendor: pairs.id, environment, credential: 1, expires_at })
        };
        let tokens = [token(EnvironmentName::Live), token(EnvironmentName::Sandbox)];
        Merchant { id: pairs.id, tokens }
    })
}
