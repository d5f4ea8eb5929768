//! The views that the caller fills in, one for each page. Plain data: amounts, moments and words of the
//! domain, no HTML.

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
use till_service::{
    limits::TooMany,
    web::{moments::Zone, words::Coins},
};

/// The order that is paid.
#[derive(Debug, Clone)]
pub struct Order {
    pub amount: Money,
    pub item: String,
    /// The vendor's order number.
    pub order_id: String,
}

/// Time that runs out, by the server's clock.
#[derive(Debug, Clone, Copy)]
pub struct Countdown {
    pub left: Duration,
    /// The time at the start.
    pub total: Duration,
    /// The moment at which it has run out.
    pub ends_at: Timestamp,
}

/// The choice of a method.
#[derive(Debug, Clone)]
pub struct Methods {
    pub order: Order,
    pub clock: Countdown,
    /// The methods, in the order in which they are offered.
    pub panels: Vec<Panel>,
    /// The method that is expanded.
    pub open: Method,
    /// The error of the previous try.
    pub problem: Option<Problem>,
    /// The e-mail address that the customer typed for the receipt.
    pub email: String,
    /// True if receipts are sent, so that an e-mail address is asked for.
    pub receipts: bool,
    /// The addresses of callback and return, shown to a tester.
    pub targets: Option<Targets>,
}

/// One method of the choice.
#[derive(Debug, Clone)]
pub struct Panel {
    pub method: Method,
    pub state: PanelState,
    /// Minutes until it times out, from when it is chosen.
    pub minutes: u64,
    /// If not empty, the tester chooses the outcome of the payment here.
    pub choices: Vec<TestOutcome>,
    /// True if the fiscal receipt needs the customer's e-mail address.
    pub needs_email: bool,
    /// If not empty, the customer chooses one of these coins.
    pub coins: Vec<CoinChoice>,
}

/// The availability of a method.
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
    /// Its value in the form.
    pub value: String,
    /// Its symbol: `USDC`.
    pub symbol: String,
    pub network: String,
    /// True if it is the selected one.
    pub chosen: bool,
}

/// A possible outcome of a test payment.
#[derive(Debug, Clone)]
pub struct TestOutcome {
    /// `paid`, `declined`, `insufficient_funds`, `three_ds` or `expire`; `by_price` for the one that the price stands for.
    pub value: String,
    /// The final status that it leads to.
    pub ends: Status,
}

/// The addresses that a test session uses.
#[derive(Debug, Clone)]
pub struct Targets {
    /// The address of callbacks.
    pub callback: Option<String>,
    /// The address that the customer returns to.
    pub ret: Option<String>,
    /// The customer's e-mail address, if the vendor gave one.
    pub customer: Option<String>,
    /// The word of the delivery of the callback that the tester chose; empty for the vendor's default.
    pub delivery: &'static str,
    /// The word of the vendor's default.
    pub default_delivery: &'static str,
}

/// The reason why the customer sees the choice again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The e-mail address looks wrong.
    Email,
    /// The fiscal receipt needs an e-mail address.
    EmailNeeded,
    /// No fiscal receipt can be sent to such a long address.
    EmailTooLong,
    /// The method is not available right now.
    MethodDown(Method),
    /// A payment by this method is being started, and its provider has not answered yet.
    MethodSilent(Method),
    /// The method's clock has run out.
    MethodTimedOut(Method),
    /// The provider did not accept the attempt.
    StartFailed(Method),
    /// Too many payments were begun.
    TooMany(TooMany),
    /// The service is overloaded; the same request can be sent again.
    Busy,
}

/// A page on which the customer can only wait.
#[derive(Debug, Clone)]
pub struct Waiting {
    pub order: Order,
    pub method: Method,
    /// The clock, if it is running.
    pub clock: Option<Countdown>,
    /// The provider's page, from which the customer came back.
    pub bank: Option<String>,
}

/// An attempt that is open on the provider's own page.
#[derive(Debug, Clone)]
pub struct Bank {
    pub order: Order,
    pub method: Method,
    pub clock: Countdown,
    /// The provider's page: http(s), or a path of ours.
    pub url: String,
}

/// A provider's own form in our page.
#[derive(Debug, Clone)]
pub struct Embedded {
    pub order: Order,
    pub method: Method,
    /// The time left to pay.
    pub clock: Countdown,
    /// The address of the script that puts the form into the page.
    pub script: String,
    /// The origins that this script may load from and connect to.
    pub origins: Origins,
    /// The parameters of the script.
    pub values: Vec<(String, String)>,
    /// True if the payment is being processed.
    pub in_flight: bool,
}

#[derive(Debug, Clone)]
pub struct Qr {
    pub order: Order,
    /// The time left until the code expires.
    pub clock: Countdown,
    /// The content of the code.
    pub payload: String,
    /// The link that opens the bank app.
    pub app_url: String,
    /// True if that link leads to the simulated bank.
    pub simulated: bool,
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
    pub order: Order,
    /// The time left for which the rate holds.
    pub clock: Countdown,
    pub coins: Coins,
    /// The network, such as `Ethereum`.
    pub network: String,
    pub address: String,
    /// The content of the code, an EIP-681 URI.
    pub payload: String,
    pub wallet_url: String,
    /// True if that link leads to the simulated bank.
    pub simulated: bool,
    /// The price of one coin in the order's currency: plain digits with a point.
    pub rate: Option<String>,
    /// The amount received so far, if it is not enough.
    pub partial: Option<Partial>,
}

/// A partial payment in coins; plain digits of the same unit.
#[derive(Debug, Clone)]
pub struct Partial {
    pub received: String,
    pub missing: String,
}

/// Coins that are still to be sent, and where to.
#[derive(Debug, Clone)]
pub struct MissingCoins {
    pub coins: Coins,
    pub address: String,
}

/// A transfer that the network is confirming.
#[derive(Debug, Clone)]
pub struct Confirming {
    pub order: Order,
    pub seen: u64,
    /// Confirmations that make it final.
    pub needed: u64,
    pub received: Coins,
    /// What is still missing, if the transfer is too little.
    pub missing: Option<MissingCoins>,
    pub network: String,
    /// The time at which it was first seen.
    pub seen_at: Timestamp,
    /// The price of one coin in the order's currency: plain digits with a point.
    pub rate: Option<String>,
    /// True if another method was chosen before the transfer was seen.
    pub left: bool,
}

#[derive(Debug, Clone)]
pub struct Paid {
    pub order: Order,
    pub method: Method,
    pub paid_at: Timestamp,
    /// The reference to quote when asking about it.
    pub reference: String,
    /// The mail with the receipt, if there is one.
    pub receipt: Option<ReceiptMail>,
    /// The address of the receipt.
    pub receipt_url: Option<String>,
    /// The surplus of an overpayment in coins.
    pub over: Option<Coins>,
    /// The delay after which the script takes the customer back to the shop: only from a payment that became
    /// paid just now, exactly and in full.
    pub return_in: Option<Duration>,
    /// The page of the simulated bank, if it can still be used.
    pub bank: Option<String>,
}

/// A receipt that is mailed.
#[derive(Debug, Clone)]
pub struct ReceiptMail {
    /// The e-mail address of the recipient, in full; the page masks it.
    pub email: String,
    /// The state of the mail.
    pub state: DispatchState,
}

#[derive(Debug, Clone)]
pub struct ReceiptView {
    pub order: Order,
    /// A receipt of a payment or of a refund.
    pub kind: ReceiptKind,
    pub amount: Money,
    /// The part of a payment that was refunded so far.
    pub refunded: Option<Money>,
    /// The method of the payment.
    pub method: Method,
    pub at: Timestamp,
    /// The time zone of the shop.
    pub zone: Zone,
    /// Its number: the reference of the payment, with an addition for a refund.
    pub number: String,
    /// The shop's contact for customers.
    pub contact: Option<String>,
    /// The provider's reference of the payment.
    pub provider_reference: String,
}

#[derive(Debug, Clone)]
pub struct Failed {
    pub order: Order,
    pub method: Method,
    pub reason: FailureReason,
    /// True if it is known that no money was taken.
    pub charged_nothing: bool,
    pub at: Timestamp,
    /// The reference to quote when asking about it.
    pub reference: String,
}

#[derive(Debug, Clone)]
pub struct Expired {
    pub order: Order,
    pub at: Timestamp,
    /// The lifetime of the session, in minutes.
    pub minutes: u64,
    /// True if it is known that no money was taken.
    pub charged_nothing: bool,
    /// Coins that arrived but were not enough.
    pub partial: Option<Coins>,
    /// The reference to quote when asking about it.
    pub reference: String,
    /// The page of the simulated bank, if it can still be used.
    pub bank: Option<String>,
}

/// The question to a customer who returns to the shop before the session has ended.
#[derive(Debug, Clone)]
pub struct LeaveQuestion {
    /// The host of the return address.
    pub host: String,
    /// The origin of the return address, in ASCII serialization.
    pub origin: String,
    /// True if a payment is under way, which continues without the page.
    pub under_way: bool,
}

/// An order that was paid before and that a customer tries to pay again.
#[derive(Debug, Clone)]
pub struct AlreadyPaid {
    pub order: Order,
    pub method: Method,
    pub paid_at: Timestamp,
    /// The reference of the earlier payment.
    pub reference: String,
}

/// The page of the simulated bank.
#[derive(Debug, Clone)]
pub struct Challenge {
    pub order: Order,
    pub method: Method,
    /// The address that `decision` is posted to.
    pub url: String,
    /// The decisions, one button each, the first one the main one: `confirm`, `refuse`, `approve`,
    /// `approve_slowly`, `decline`, `insufficient_funds`, `card_expired`, `three_ds`, `cancel`, `pay`,
    /// `pay_exact`, `pay_short`, `pay_over`, `expire`, `approve_late`, `dispute`, `refuse_refunds`; what a tester makes
    /// happen after a payment: `refund`, `payment_late`, `payment_partial`, `payment_over`, `payment_accepted`,
    /// `payment_refunded`, `dispute_opened`, `dispute_won`, `dispute_lost`; and `leave` or `back`, which are links
    /// back.
    pub actions: Vec<&'static str>,
    /// The time left until the bank gives up.
    pub clock: Option<Countdown>,
    /// The address that `leave` leads to.
    pub back: String,
    pub note: Option<ChallengeNote>,
    /// The word of the vendor's default delivery of sandbox callbacks, if the page offers a choice of delivery.
    pub default_delivery: &'static str,
}

/// The effect of the tester's last choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeNote {
    /// It happened.
    Done,
    /// The vendor's limit of requests was reached.
    TooMany,
}
