//! What the caller fills in for each page. Plain data: amounts, moments and words of the domain, no HTML.

use crate::{limits::TooMany, web::moments::Zone};
use std::time::Duration;
use till_domain::{
    attempt::Origins,
    dispatch::DispatchState,
    method::Method,
    money::Money,
    receipt::ReceiptKind,
    session::{FailureReason, Status},
    time::Timestamp,
};

/// What is paid for.
#[derive(Debug, Clone)]
pub struct Order {
    pub amount: Money,
    pub item: String,
    /// The vendor's number for it.
    pub order_id: String,
}

/// Time that runs out, as the server knows it.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub left: Duration,
    /// What there was at the start.
    pub total: Duration,
}

/// An amount of a coin.
#[derive(Debug, Clone)]
pub struct Coins {
    /// Plain digits with a point, such as `54.28`; shown with the language's own mark.
    pub amount: String,
    /// The coin, such as `USDC`.
    pub unit: String,
}

/// The choice of a method.
#[derive(Debug, Clone)]
pub struct Methods {
    /// What is paid for.
    pub order: Order,
    pub clock: Clock,
    /// The methods, in the order in which they are offered.
    pub panels: Vec<Panel>,
    /// The one that is open.
    pub open: Method,
    /// What went wrong before.
    pub problem: Option<Problem>,
    /// What the customer typed for the receipt.
    pub email: String,
    /// Whether receipts are sent, so that an e-mail address is asked for.
    pub receipts: bool,
    /// Where callback and customer go, shown to a tester.
    pub targets: Option<Targets>,
}

/// One method of the choice.
#[derive(Debug, Clone)]
pub struct Panel {
    pub method: Method,
    /// Whether it can be used.
    pub state: PanelState,
    /// How long it may take from when it is chosen.
    pub minutes: u64,
    /// If not empty, the tester says here how the payment ends.
    pub choices: Vec<Choice>,
    /// If not empty, one of these is paid with.
    pub coins: Vec<CoinChoice>,
}

/// Whether a method can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelState {
    Ready,
    /// Its provider is not available right now.
    Down,
    /// Its clock has run out.
    TimedOut,
}

impl PanelState {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Ready => 'r',
            Self::Down => 'd',
            Self::TimedOut => 't',
        }
    }
}

/// A coin that can be paid with.
#[derive(Debug, Clone)]
pub struct CoinChoice {
    /// Its word in the form.
    pub value: String,
    /// Its symbol: `USDC`.
    pub symbol: String,
    /// The name of its network.
    pub network: String,
    /// Whether it is the chosen one.
    pub chosen: bool,
}

/// A way in which a test payment may end.
#[derive(Debug, Clone)]
pub struct Choice {
    /// `paid`, `declined`, `insufficient_funds`, `three_ds` or `expire`.
    pub value: String,
    /// The status that it leads to.
    pub ends: Status,
}

/// Where a test session's news go.
#[derive(Debug, Clone)]
pub struct Targets {
    /// The address of callbacks.
    pub callback: Option<String>,
    /// The address that the customer returns to.
    pub ret: Option<String>,
}

/// Why the customer sees the choice again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The e-mail address looks wrong.
    Email,
    /// The method is not available right now.
    MethodDown(Method),
    /// A payment by this method is being started, and nobody has answered yet.
    MethodSilent(Method),
    /// The method's clock has run out.
    MethodTimedOut(Method),
    /// The provider did not take the attempt.
    StartFailed(Method),
    /// Too many payments were begun.
    TooMany(TooMany),
    /// Too much at once; the same again will do.
    Busy,
}

/// Nothing to do but wait.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// What is paid for.
    pub order: Order,
    pub method: Method,
    /// The clock, if it still counts.
    pub clock: Option<Clock>,
}

/// An attempt that is open on the provider's own page.
#[derive(Debug, Clone)]
pub struct Bank {
    /// What is paid for.
    pub order: Order,
    pub method: Method,
    pub clock: Clock,
    /// The provider's page: http(s), or a path of ours.
    pub url: String,
}

/// A provider's own form in our page.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// What is paid for.
    pub order: Order,
    pub method: Method,
    /// How long it can be paid.
    pub clock: Clock,
    /// Where the script is that puts the form into the page.
    pub script: String,
    /// Where that script may load things from, and whom it may talk to.
    pub origins: Origins,
    /// What it needs to know.
    pub values: Vec<(String, String)>,
    /// Whether the money is on its way.
    pub in_flight: bool,
}

#[derive(Debug, Clone)]
pub struct Qr {
    /// What is paid for.
    pub order: Order,
    /// How long the code is valid.
    pub clock: Clock,
    /// What the code says.
    pub payload: String,
    /// Opens the bank app.
    pub app_url: String,
    /// Banks with links of their own; may be empty.
    pub banks: Vec<BankLink>,
}

/// A bank that opens by a link.
#[derive(Debug, Clone)]
pub struct BankLink {
    pub name: String,
    pub url: String,
}

/// An address to send coins to.
#[derive(Debug, Clone)]
pub struct Address {
    /// What is paid for.
    pub order: Order,
    /// How long the rate holds.
    pub clock: Clock,
    pub coins: Coins,
    /// The network, such as `Ethereum`.
    pub network: String,
    pub address: String,
    /// What the code says, an EIP-681 URI.
    pub payload: String,
    pub wallet_url: String,
    /// What one coin costs in the order's currency: plain digits with a point.
    pub rate: Option<String>,
    /// What arrived so far, if it is not enough.
    pub partial: Option<Partial>,
}

/// Coins that are not enough; plain digits of the same unit.
#[derive(Debug, Clone)]
pub struct Partial {
    pub received: String,
    pub missing: String,
}

/// A transfer that the network is confirming.
#[derive(Debug, Clone)]
pub struct Confirming {
    /// What is paid for.
    pub order: Order,
    pub seen: u64,
    /// Confirmations that make it final.
    pub needed: u64,
    pub received: Coins,
    pub network: String,
    /// The transaction on it.
    pub transaction: Option<String>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// What one coin cost in the order's currency: plain digits with a point.
    pub rate: Option<String>,
    /// Whether another method was chosen before the transfer was seen.
    pub left: bool,
}

#[derive(Debug, Clone)]
pub struct Paid {
    /// What was paid for.
    pub order: Order,
    pub method: Method,
    pub paid_at: Timestamp,
    /// The mail that brings the receipt, if one does.
    pub receipt: Option<Promised>,
    /// Where the receipt is.
    pub receipt_url: Option<String>,
    /// Coins that were too many.
    pub over: Option<Coins>,
    /// After how long the script returns the customer to the shop.
    pub return_in: Option<Duration>,
}

/// A receipt that is mailed.
#[derive(Debug, Clone)]
pub struct Promised {
    /// The e-mail address that gets it, in full; it is masked here.
    pub email: String,
    /// How far the mail is.
    pub state: DispatchState,
}

#[derive(Debug, Clone)]
pub struct Slip {
    /// What was paid for.
    pub order: Order,
    /// Whether money came or went back.
    pub kind: ReceiptKind,
    pub amount: Money,
    /// How much of a payment has gone back by now.
    pub refunded: Option<Money>,
    /// How it was paid.
    pub method: Method,
    pub at: Timestamp,
    /// The zone of the shop.
    pub zone: Zone,
    /// What the provider calls it.
    pub reference: String,
}

#[derive(Debug, Clone)]
pub struct Failed {
    /// What was to be paid for.
    pub order: Order,
    pub method: Method,
    /// Why not.
    pub reason: FailureReason,
    /// Whether it is known that no money was taken.
    pub charged_nothing: bool,
    pub at: Timestamp,
    /// What to quote when asking about it.
    pub reference: String,
    /// After how long the script returns the customer to the shop.
    pub return_in: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct Expired {
    /// What was to be paid for.
    pub order: Order,
    pub at: Timestamp,
    /// How long the page was open.
    pub minutes: u64,
    /// Whether it is known that no money was taken.
    pub charged_nothing: bool,
    /// Coins that arrived and were not enough.
    pub partial: Option<Coins>,
    /// After how long the script returns the customer to the shop.
    pub return_in: Option<Duration>,
}

/// A customer who wants to go back to the shop before the session has ended.
#[derive(Debug, Clone)]
pub struct Leave {
    /// The host that the customer would go to.
    pub host: String,
    /// Its origin, in plain form.
    pub origin: String,
    /// Whether a payment is under way, which continues without the page.
    pub under_way: bool,
}

/// Paid before, by somebody who tries again.
#[derive(Debug, Clone)]
pub struct AlreadyPaid {
    /// What was paid for.
    pub order: Order,
    pub method: Method,
    pub paid_at: Timestamp,
    /// After how long the script returns the customer to the shop.
    pub return_in: Option<Duration>,
}

/// The page that plays the bank.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// What is paid for.
    pub order: Order,
    pub method: Method,
    /// Where `decision` is posted to.
    pub url: String,
    /// The decisions, one button each, the first one the main one: `confirm`, `refuse`, `approve`,
    /// `approve_slowly`, `decline`, `insufficient_funds`, `card_expired`, `three_ds`, `cancel`, `pay`,
    /// `pay_exact`, `pay_short`, `pay_over`, and `leave`, which is a link back.
    pub actions: Vec<&'static str>,
    /// How long the bank waits.
    pub clock: Option<Clock>,
    /// Where leaving leads to.
    pub back: String,
}
