//! The conformance suite that every provider passes: started once, checked often, closed truthfully,
//! unreachable at the worst moment (F16–F20). A provider runs in a [`World`], which plays the customer and
//! the faults. Cases that do not apply are left out by the capabilities that the world declares, and
//! `what_is_left_out` lists them.

mod cases;
mod faults;
mod refunds;
mod worlds;

use crate::doubles::When;
use std::{future::Future, time::Duration};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    money::Money,
    refund::Refund,
};
use till_providers::{Order, Provider, ProviderError, SignedNotice};

/// A capability of a provider, or of a customer at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Can {
    /// A payment can be refused.
    Decline,
    /// An unpaid payment can be closed, and then takes no money.
    Close,
    /// A payment cannot be closed, and money can always come.
    PayLate,
    /// Less or more can be paid than was charged.
    PayInParts,
    /// Money that was final can be taken back.
    TakeBack,
    Notices,
    /// It sends refunds.
    Refunds,
    /// The customer makes a choice on our page first.
    Choices,
    /// A start that is repeated finds the payment again, with what the customer needs to pay it.
    StartAgain,
    /// A start that is repeated closes the payment, because what the customer needs was lost with the answer.
    StartOver,
}

/// A call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Start,
    Check,
    Close,
}

/// A provider with its customers and its faults.
pub(crate) trait World {
    /// The capabilities of this world.
    const CAN: &'static [Can];

    fn provider(&self) -> &dyn Provider;

    /// A new attempt that was not started. Each number is another one.
    fn attempt(&self, number: u32) -> Attempt;

    fn amount(&self) -> Money;

    /// The number of payments that the provider has ever opened for this attempt.
    fn opened(&self, attempt: &Attempt) -> usize;

    /// The customer pays this many tenths, and the provider confirms it. Returns true if that was possible.
    fn pay(&self, attempt: &Attempt, tenths: u128) -> impl Future<Output = bool>;

    /// The payment is refused. Returns true if that was possible.
    fn decline(&self, _attempt: &Attempt) -> impl Future<Output = bool> {
        async { false }
    }

    /// All money that was paid is taken back.
    fn take_back(&self) -> impl Future<Output = ()> {
        async {}
    }

    /// The provider's next answer to this call is lost, before or after it has acted.
    fn lose(&self, question: Question, when: When);

    /// The notices about an attempt, in order.
    fn notices(&self, _attempt: &Attempt) -> Vec<SignedNotice> {
        Vec::new()
    }

    /// A refund of this amount of a payment.
    fn refund(&self, _attempt: &Attempt, _number: u8, _minor: i64) -> Option<Refund> {
        None
    }

    /// The provider's next answer about a refund is lost.
    fn lose_refund(&self, _when: When) {}

    /// Returns true if the provider finds a refund by itself, and not only by repeating its request.
    fn finds_refunds(&self) -> bool {
        true
    }

    /// The sum of all refunds, in minor units.
    fn sent_back(&self) -> i64 {
        0
    }
}

/// Starts a payment, and stores the provider's answer in the attempt as the service does.
async fn start(world: &impl World, attempt: &mut Attempt) -> Result<Started, ProviderError> {
    let deadline = attempt.started_at.plus(Duration::from_secs(15 * 60));
    let order =
        Order { attempt, amount: world.amount(), item: "A thing", back: "https://shop.example/", deadline };
    let started = world.provider().start(&order).await?;
    attempt.reference = Some(started.reference.clone());
    attempt.charge = started.charge.clone();
    attempt.instructions = Some(started.instructions.clone());
    Ok(started)
}

/// A started payment.
async fn opened(world: &impl World, number: u32) -> (Attempt, Started) {
    let mut attempt = world.attempt(number);
    let started = start(world, &mut attempt).await.expect("it starts");
    (attempt, started)
}

async fn check(world: &impl World, attempt: &Attempt) -> Observation {
    world.provider().check(attempt).await.expect("an answer")
}

async fn close(world: &impl World, attempt: &Attempt) -> Observation {
    world.provider().close(attempt).await.expect("an answer")
}

/// The observation that this many tenths of the charge were paid.
fn paid(attempt: &Attempt, tenths: u128) -> Observation {
    Observation::Paid {
        received: attempt.charge.with(attempt.charge.atoms * tenths / 10),
        reference: attempt.reference.clone().expect("a reference"),
    }
}

/// True if a case applies in this world.
fn applies<W: World>(needs: &[Can]) -> bool {
    needs.iter().all(|need| W::CAN.contains(need))
}

/// All cases: number, module and name, and the capabilities it needs. Each uses payments of its own numbers.
macro_rules! cases {
    ($($number:literal $module:ident :: $name:ident [$($need:ident),*],)*) => {
        /// The cases that do not apply in a world.
        pub(crate) fn left_out<W: World>() -> Vec<&'static str> {
            let mut left_out = Vec::new();
            $(if !applies::<W>(&[$(Can::$need),*]) { left_out.push(stringify!($name)); })*
            left_out
        }

        /// Runs all cases that apply, one after the other in one world. Returns how many ran.
        pub(crate) async fn run_all<W: World>(world: &W) -> usize {
            let mut count = 0;
            $(if applies::<W>(&[$(Can::$need),*]) {
                $module::$name(world, $number * 1_000).await;
                count += 1;
            })*
            count
        }

        /// One test for each case, each in a world of its own.
        macro_rules! conformance {
            ($world:ident: $kind:ty) => {
                mod $world {
                    use super::*;
                    $(#[tokio::test]
                    async fn $name() {
                        if applies::<$kind>(&[$(Can::$need),*]) {
                            $module::$name(&<$kind>::default(), $number * 1_000).await;
                        }
                    })*
                }
            };
        }
    };
}

cases! {
    1 cases::a_start_says_what_to_pay_and_where [],
    2 cases::starting_again_gives_the_same_payment [],
    3 cases::starting_again_undoes_nothing [],
    4 cases::what_was_never_started_is_known_not_to_be [],
    5 cases::nothing_has_happened_until_somebody_pays [],
    6 cases::what_is_paid_exactly_is_paid_and_stays_paid [],
    7 cases::two_payments_are_told_apart [],
    8 cases::what_was_paid_is_not_closed [],
    9 cases::what_is_closed_takes_no_money [Close],
    10 cases::what_cannot_be_closed_says_so_and_takes_money_late [PayLate],
    11 cases::a_refusal_is_final [Decline],
    12 cases::f17_a_refusal_after_the_money_changes_nothing [Decline],
    13 cases::f20_less_is_partial_until_the_rest_comes [PayInParts],
    14 cases::f20_more_is_paid_with_all_of_it [PayInParts],
    15 cases::f20_what_is_taken_back_is_said [TakeBack],
    16 cases::what_cannot_be_chosen_is_refused_and_opens_nothing [Choices],
    17 cases::it_offers_what_it_takes [],
    18 faults::f16_a_start_that_was_not_heard_opens_nothing [],
    19 faults::f16_a_start_whose_answer_is_lost_opens_one_payment [StartAgain],
    20 faults::f16_a_start_whose_answer_is_lost_is_paid_once [StartAgain],
    21 faults::f16_a_check_without_an_answer_is_unknown_and_harmless [],
    22 faults::f19_a_close_that_was_not_heard_closes_nothing [Close],
    23 faults::f19_a_close_whose_answer_is_lost_has_closed [Close],
    24 faults::f19_a_close_without_an_answer_hides_no_money [],
    25 faults::f16_silence_is_never_definite [],
    26 faults::of_many_who_start_at_once_all_get_the_same [StartAgain],
    27 faults::f17_a_notice_is_believed_only_that_one_should_ask [Notices],
    28 faults::f17_notices_that_are_repeated_and_shuffled_change_nothing [Notices],
    29 faults::f17_who_sends_no_notices_reads_none [],
    30 refunds::money_goes_back_once_for_each_id [Refunds],
    31 refunds::never_more_goes_back_than_was_taken [Refunds],
    32 refunds::f16_a_refund_that_was_not_heard_is_unheard_of [Refunds],
    33 refunds::f16_a_refund_whose_answer_is_lost_goes_back_once [Refunds],
    34 faults::f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money [StartOver],
    35 faults::of_many_who_start_at_once_one_at_most_can_be_paid [StartOver],
}

conformance!(simulator_card: worlds::SimulatorCard);
conformance!(simulator_sbp: worlds::SimulatorSbp);
conformance!(simulator_crypto: worlds::SimulatorCrypto);
conformance!(evm_token: worlds::EvmToken);
conformance!(evm_coin: worlds::EvmCoin);
conformance!(needs_stripe_fake: crate::needs_stripe_fake::StripeCards);

#[test]
fn what_is_left_out() {
    let chain = [
        "what_is_closed_takes_no_money",
        "a_refusal_is_final",
        "f17_a_refusal_after_the_money_changes_nothing",
        "f19_a_close_that_was_not_heard_closes_nothing",
        "f19_a_close_whose_answer_is_lost_has_closed",
        "f17_a_notice_is_believed_only_that_one_should_ask",
        "f17_notices_that_are_repeated_and_shuffled_change_nothing",
        "money_goes_back_once_for_each_id",
        "never_more_goes_back_than_was_taken",
        "f16_a_refund_that_was_not_heard_is_unheard_of",
        "f16_a_refund_whose_answer_is_lost_goes_back_once",
        "f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money",
        "of_many_who_start_at_once_one_at_most_can_be_paid",
    ];
    assert_eq!(left_out::<worlds::EvmToken>(), chain);
    assert_eq!(left_out::<worlds::EvmCoin>(), chain);
    let bank = [
        "what_cannot_be_closed_says_so_and_takes_money_late",
        "f20_less_is_partial_until_the_rest_comes",
        "f20_more_is_paid_with_all_of_it",
        "f20_what_is_taken_back_is_said",
    ];
    let others = [
        "what_cannot_be_chosen_is_refused_and_opens_nothing",
        "f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money",
        "of_many_who_start_at_once_one_at_most_can_be_paid",
    ];
    assert_eq!(left_out::<worlds::SimulatorCard>(), [&bank[..], &others].concat());
    assert_eq!(left_out::<worlds::SimulatorSbp>(), [&bank[..], &others].concat());
    assert_eq!(left_out::<crate::needs_stripe_fake::StripeCards>(), [&bank[..], &others].concat());
    assert_eq!(
        left_out::<worlds::SimulatorCrypto>(),
        [
            "what_is_closed_takes_no_money",
            "a_refusal_is_final",
            "f17_a_refusal_after_the_money_changes_nothing",
            "f20_what_is_taken_back_is_said",
            others[0],
            "f19_a_close_that_was_not_heard_closes_nothing",
            "f19_a_close_whose_answer_is_lost_has_closed",
            others[1],
            others[2],
        ]
    );
}
