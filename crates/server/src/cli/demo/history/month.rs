//! The plan of the month: which orders come when, how each ends, and what follows. It is the same each time;
//! only the present, from which its times count back, differs.

use super::dice::Dice;
use std::time::Duration;
use till_domain::method::Method;
use till_providers::BankDecision as Bank;

/// The length of the month. The panel compares the last 30 days, today included, with those before: a history of
/// 29 times 24 hours is in them at any time of the day.
const DAYS: usize = 29;

/// Orders of each day, the oldest first: more at the end of a week, and a little more from week to week.
const LIVE_DAYS: [u64; DAYS] = [
    8, 9, 9, 12, 14, 11, 8, 8, 10, 9, 13, 15, 12, 8, 9, 10, 11, 13, 16, 12, 9, 10, 10, 12, 14, 17, 13, 10, 11,
];

/// Test orders of each day.
const SANDBOX_DAYS: [u64; DAYS] =
    [4, 5, 3, 2, 0, 0, 2, 3, 3, 2, 1, 0, 1, 3, 2, 3, 2, 1, 0, 1, 2, 3, 2, 2, 1, 0, 2, 3, 2];

/// How many orders come in each hour of a day that ends in the afternoon: most in the evening, few by night.
const HOURS: [u64; 24] = [9, 10, 12, 12, 9, 6, 3, 1, 1, 1, 1, 1, 1, 2, 4, 6, 7, 8, 8, 9, 9, 8, 8, 8];

/// Items with their prices in rubles and in dollars; the first three are on the shop's shelf.
const ITEMS: [(u64, (&str, &str, &str)); 9] = [
    (14, ("Atlas of Northern Light", "4990.00", "54.90")),
    (18, ("Map of the White Sea coast", "890.00", "9.80")),
    (14, ("Lighthouse at dusk", "2490.00", "27.40")),
    (12, ("Field Guide to Lichens", "1290.00", "14.20")),
    (11, ("Letters from the Ice Edge", "740.00", "8.10")),
    (9, ("Tide Tables", "420.00", "4.60")),
    (9, ("A History of Salt Roads", "1860.00", "20.50")),
    (9, ("Six postcards", "360.00", "3.90")),
    (4, ("Gift card", "3000.00", "33.00")),
];

const REASONS: [&str; 4] = ["Damaged in transit", "Ordered twice", "Returned within 14 days", "Out of stock"];

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// The time from the last order that has ended to the present: longer than a session lives.
const LAST: u64 = 65 * 60;

/// An order, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Purchase {
    /// How long ago its session was created.
    pub(super) ago: Duration,
    pub(super) order_id: String,
    pub(super) item: &'static str,
    pub(super) price: &'static str,
    pub(super) currency: &'static str,
    pub(super) method: Method,
    pub(super) course: Course,
    /// How long the customer takes for each step.
    pub(super) step: Duration,
    pub(super) callback: CallbackCourse,
    pub(super) refund: Option<PlannedRefund>,
}

/// How the payment of an order goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// The customer pays, and the bank decides this, one after the other.
    Decided(&'static [Bank]),
    /// The customer leaves the checkout page, and the session expires.
    LeftPage,
    /// The customer leaves the bank's page, and the session expires.
    LeftBank,
    /// The customer has not chosen how to pay yet.
    Waiting,
}

impl Course {
    /// True if the money comes.
    pub(super) fn pays(self) -> bool {
        let Self::Decided([.., last]) = self else { return false };
        matches!(last, Bank::Approve | Bank::ApproveSlowly | Bank::Confirm | Bank::PayExact | Bank::PayOver)
    }
}

/// How the shop answers a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallbackCourse {
    /// Not at all: the session names no callback URL.
    Unwanted,
    /// It accepts the first attempt.
    Accepted,
    /// It fails at first, and accepts the second attempt.
    AcceptedLater,
    /// It never accepts one.
    Refused,
}

/// A refund of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedRefund {
    /// How long after the payment it is requested.
    pub(super) after: Duration,
    /// How much of the payment it is.
    pub(super) percent: i64,
    pub(super) reason: &'static str,
    /// True if the customer's bank refuses it.
    pub(super) refused: bool,
}

/// The orders in live, the oldest first.
pub(super) fn live() -> Vec<Purchase> {
    let mut dice = Dice::new(602);
    let mut orders = days(&LIVE_DAYS, &mut dice, live_order);
    orders.extend([9, 5, 2].map(|minutes| waiting(minutes, live_order(&mut dice))));
    number(&mut orders, "A", 1041);
    plan_callbacks(&mut orders);
    plan_refunds(&mut orders, &mut dice);
    // One customer sends more coins than the price: the money that the operator has to decide about.
    let coins = orders.iter_mut().rev().filter(|order| order.method == Method::Crypto && order.course.pays());
    for order in coins.take(1) {
        order.course = Course::Decided(&[Bank::PayOver]);
    }
    orders
}

/// The orders in the sandbox, the oldest first.
pub(super) fn sandbox() -> Vec<Purchase> {
    let mut dice = Dice::new(603);
    let mut orders = days(&SANDBOX_DAYS, &mut dice, sandbox_order);
    orders.push(waiting(6, sandbox_order(&mut dice)));
    number(&mut orders, "TEST", 1);
    orders
}

/// Orders at the hours of each day, the oldest first.
fn days(counts: &[u64], dice: &mut Dice, order: impl Fn(&mut Dice) -> Purchase) -> Vec<Purchase> {
    let mut orders = Vec::new();
    for (day, count) in (1..).zip(counts.iter().rev()) {
        for _ in 0..*count {
            let hour = Duration::from_secs(HOUR) * u32::try_from(dice.place(&HOURS)).unwrap_or(0);
            let within = hour + Duration::from_millis(dice.below(1_000 * HOUR));
            let ago = before_last(Duration::from_secs(day * DAY).saturating_sub(within));
            orders.push(Purchase { ago, ..order(dice) });
        }
    }
    orders.sort_by_key(|order| std::cmp::Reverse(order.ago));
    orders
}

/// Pushes the times of the month together, so that none is later than [`LAST`] and the first stay in the month.
fn before_last(ago: Duration) -> Duration {
    let month = Duration::from_secs(DAY) * u32::try_from(DAYS).unwrap_or(0);
    let parts = u32::try_from(month.as_secs() / LAST).unwrap_or(u32::MAX);
    ago.saturating_sub(ago / parts) + Duration::from_secs(LAST)
}

/// An order whose customer looks at the checkout page right now. Its session ends after the start of the
/// demo, and the shop, which does not know the order, would refuse the callback.
fn waiting(minutes: u64, order: Purchase) -> Purchase {
    let (ago, course) = (Duration::from_secs(minutes * 60), Course::Waiting);
    Purchase { ago, course, method: Method::Card, callback: CallbackCourse::Unwanted, ..order }
}

fn number(orders: &mut [Purchase], letter: &str, first: u32) {
    for (number, order) in (first..).zip(orders) {
        order.order_id = format!("{letter}-{number}");
    }
}

fn live_order(dice: &mut Dice) -> Purchase {
    let currency = dice.choose(&[(92, "RUB"), (8, "USD")]);
    let method = match currency {
        "RUB" => dice.choose(&[(52, Method::Card), (37, Method::Sbp), (11, Method::Crypto)]),
        _ => dice.choose(&[(70, Method::Card), (30, Method::Crypto)]),
    };
    let course = match method {
        Method::Card => dice.choose(&[
            (62, Course::Decided(&[Bank::Approve])),
            (12, Course::Decided(&[Bank::ThreeDs, Bank::Confirm])),
            (4, Course::Decided(&[Bank::Decline])),
            (4, Course::Decided(&[Bank::InsufficientFunds])),
            (2, Course::Decided(&[Bank::CardExpired])),
            (2, Course::Decided(&[Bank::ThreeDs, Bank::Refuse])),
            (2, Course::Decided(&[Bank::Cancel])),
            (7, Course::LeftPage),
            (5, Course::LeftBank),
        ]),
        Method::Sbp => dice.choose(&[
            (74, Course::Decided(&[Bank::Approve])),
            (6, Course::Decided(&[Bank::ApproveSlowly])),
            (4, Course::Decided(&[Bank::Cancel])),
            (7, Course::LeftPage),
            (9, Course::LeftBank),
        ]),
        Method::Crypto => dice.choose(&[(82, Course::Decided(&[Bank::PayExact])), (18, Course::LeftPage)]),
    };
    order(dice, currency, method, course)
}

fn sandbox_order(dice: &mut Dice) -> Purchase {
    let currency = dice.choose(&[(70, "RUB"), (30, "USD")]);
    let course = dice.choose(&[
        (50, Course::Decided(&[Bank::Approve])),
        (12, Course::Decided(&[Bank::Decline])),
        (10, Course::Decided(&[Bank::InsufficientFunds])),
        (8, Course::Decided(&[Bank::ThreeDs, Bank::Confirm])),
        (6, Course::Decided(&[Bank::ThreeDs, Bank::Refuse])),
        (7, Course::Decided(&[Bank::Expire])),
        (7, Course::LeftPage),
    ]);
    order(dice, currency, Method::Card, course)
}

fn order(dice: &mut Dice, currency: &'static str, method: Method, course: Course) -> Purchase {
    let (item, rubles, dollars) = dice.choose(&ITEMS);
    Purchase {
        ago: Duration::ZERO,
        order_id: String::new(),
        item,
        price: if currency == "RUB" { rubles } else { dollars },
        currency,
        method,
        course,
        step: Duration::from_millis(15_000 + dice.below(120_000)),
        callback: CallbackCourse::Accepted,
        refund: None,
    }
}

/// The shop was slow at times, and once it never accepted a callback.
fn plan_callbacks(orders: &mut [Purchase]) {
    let ended = orders.iter_mut().filter(|order| order.callback == CallbackCourse::Accepted);
    for order in ended.step_by(45) {
        order.callback = CallbackCourse::AcceptedLater;
    }
    let older = |order: &&mut Purchase| order.course.pays() && order.ago > Duration::from_secs(2 * DAY);
    for order in orders.iter_mut().rev().filter(older).take(1) {
        order.callback = CallbackCourse::Refused;
    }
}

/// Some of the older payments are refunded, in full or in part. One refund is refused.
fn plan_refunds(orders: &mut [Purchase], dice: &mut Dice) {
    let older = |order: &&mut Purchase| order.course.pays() && order.ago > Duration::from_secs(3 * DAY);
    for (count, order) in orders.iter_mut().filter(older).skip(6).step_by(14).enumerate() {
        order.refund = Some(PlannedRefund {
            after: Duration::from_secs(6 * HOUR + dice.below(2 * DAY)),
            percent: [100, 100, 50, 100, 25][count % 5],
            reason: REASONS[count % REASONS.len()],
            refused: count == 8,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_month_is_the_same() {
        assert_eq!((live(), sandbox()), (live(), sandbox()));
        let spans =
            |orders: &[Purchase]| (orders[0].ago.as_secs() / DAY, orders.is_sorted_by(|a, b| a.ago >= b.ago));
        assert_eq!((spans(&live()), spans(&sandbox())), ((28, true), (28, true)));
    }

    #[test]
    fn what_follows_a_payment_is_in_the_past() {
        for order in live().iter().chain(&sandbox()) {
            let after = order.refund.map_or(Duration::ZERO, |refund| refund.after);
            let ends = order.course != Course::Waiting;
            assert!(!ends || order.ago >= after + Duration::from_secs(LAST), "{order:?}");
        }
    }
}
