//! PaymentIntents: creating one, interpreting its status, and cancelling it.

use super::{
    Stripe, amount,
    api::{FailureKind, StripeFailure},
    decline,
    wire::Intent,
};
use crate::{Order, Provider as _, ProviderError};
use std::time::Duration;
use till_domain::{
    attempt::{Attempt, Observation, Started},
    money::Money,
    session::FailureReason,
};

/// Metadata key under which an intent has the id of its attempt.
pub(super) const ATTEMPT: &str = "attempt_id";

/// Metadata key under which an intent that we give up has the failure reason: cancelling makes Stripe forget
/// it.
const FAILURE: &str = "failure";

/// The longest description that is sent to Stripe, in characters.
const MAX_DESCRIPTION: usize = 500;

/// The most tries to cancel a payment that changes while it is being cancelled.
const ROUNDS: u32 = 4;

/// Margin around the time of an attempt's start within which its intent is searched: clocks differ, and a
/// call takes a while.
const MARGIN: Duration = Duration::from_secs(2 * 60);

/// Pages of a hundred to search for an intent.
const PAGES: usize = 20;

/// The state of an intent.
enum IntentState {
    /// The customer has not paid, or is paying right now.
    Open(Observation),
    /// A card was declined. The customer could try another, so the intent has to be cancelled.
    Refused(FailureReason),
    Final(Observation),
}

impl Stripe {
    /// Creates the intent of an attempt, or finds the one that was created under the same idempotency key.
    /// None of this can charge a customer: that takes the client secret, which was not handed out yet.
    pub(super) async fn create(&self, order: &Order<'_>) -> Result<Started, ProviderError> {
        let attempt = order.attempt;
        let Money { currency, .. } = order.amount;
        let impossible = || ProviderError::Definite(format!("Stripe cannot take exactly {}", order.amount));
        let takes = self.takes(attempt.method, order.amount);
        let units = amount::to_units(order.amount).filter(|_| takes).ok_or_else(impossible)?;
        let form = [
            ("amount", units.to_string()),
            ("currency", currency.code().to_ascii_lowercase()),
            ("allowed_payment_method_types[0]", "card".to_owned()),
            ("capture_method", "automatic".to_owned()),
            ("description", order.item.chars().take(MAX_DESCRIPTION).collect()),
            ("metadata[session_id]", attempt.session.to_string()),
            ("metadata[attempt_id]", attempt.id.to_string()),
            ("metadata[vendor_id]", attempt.vendor.to_string()),
        ];
        let made =
            self.api.post::<Intent>("/v1/payment_intents", &format!("{}:create", attempt.id), &form).await;
        let intent = made.map_err(|failure| match failure.kind {
            FailureKind::Busy | FailureKind::Unclear | FailureKind::Limited { .. } => failure.unknown(),
            FailureKind::Locked => failure.denied(),
            FailureKind::Refused | FailureKind::Stuck => failure.definite(),
        })?;
        let intent = self.own(intent.what)?;
        let same = u64::try_from(units) == Ok(intent.amount)
            && intent.currency.eq_ignore_ascii_case(currency.code());
        let secret = intent.client_secret.filter(|_| same);
        let secret = secret
            .ok_or_else(|| StripeFailure::unclear("Stripe created a different payment than requested"))?;
        Ok(Started {
            reference: intent.id,
            instructions: self.instructions(secret, order.back),
            charge: order.amount.into(),
        })
    }

    /// Checks the state of a payment. A declined one is cancelled; so is an open one if `closing`.
    pub(super) async fn look(&self, attempt: &Attempt, closing: bool) -> Result<Observation, ProviderError> {
        let Some(mut intent) = self.find(attempt).await? else { return Ok(Observation::NeverStarted) };
        let mut before = None;
        for round in 0..ROUNDS {
            let refused = match standing(&intent)? {
                IntentState::Final(observation) => return Ok(observation),
                // It cannot be cancelled in this status: money may still come.
                IntentState::Open(observation) if !closing || before.as_ref() == Some(&intent.status) => {
                    return Ok(observation);
                }
                IntentState::Open(_) => None,
                IntentState::Refused(reason) => Some(reason),
            };
            match self.cancel(attempt, &intent, refused, round).await {
                Ok(cancelled) => return Ok(refused.map_or(over(&cancelled), Observation::Declined)),
                Err(failure) if failure.code.as_deref() == Some("payment_intent_unexpected_state") => {}
                Err(failure) => return Err(failure.unknown()),
            }
            before = Some(intent.status);
            intent = self.read(&intent.id).await?;
        }
        Err(StripeFailure::unclear("Stripe's payment changes faster than it can be canceled").unknown())
    }

    /// Cancels an intent. The reason for giving it up is noted first, so that a later check knows it too.
    ///
    /// Stripe replays errors under an idempotency key as well, so each try has a key of its own. That does no
    /// harm: a cancelled intent stays cancelled.
    async fn cancel(
        &self,
        attempt: &Attempt,
        intent: &Intent,
        refused: Option<FailureReason>,
        round: u32,
    ) -> Result<Intent, StripeFailure> {
        let (path, id, version) = (path(&intent.id), attempt.id, attempt.version);
        if let Some(reason) = refused.filter(|reason| noted(intent) != Some(*reason)) {
            let form = [("metadata[failure]", reason.as_str().to_owned())];
            self.api.post::<Intent>(&path, &format!("{id}:note:{version}:{round}"), &form).await?;
        }
        let form = [("cancellation_reason", "abandoned".to_owned())];
        let key = format!("{id}:cancel:{version}:{round}");
        let cancelled = self.api.post::<Intent>(&format!("{path}/cancel"), &key, &form).await?;
        if cancelled.what.status != "canceled" || cancelled.what.id != intent.id {
            return Err(StripeFailure::unclear("Stripe did not cancel the payment"));
        }
        Ok(cancelled.what)
    }

    /// The intent of an attempt. One whose creation was never answered is found by its metadata; as its
    /// client secret was never handed out, it brings no money either way.
    async fn find(&self, attempt: &Attempt) -> Result<Option<Intent>, StripeFailure> {
        if let Some(reference) = &attempt.reference {
            return self.read(reference).await.map(Some);
        }
        let seconds = |moment: till_domain::time::Timestamp| (moment.as_ms() / 1_000).to_string();
        let query = [
            ("created[gte]", seconds(attempt.started_at.minus(MARGIN))),
            // Each start without an answer has updated the attempt.
            ("created[lte]", seconds(attempt.updated_at.plus(MARGIN))),
        ];
        let wanted = attempt.id.to_string();
        let ours = |intent: &Intent| intent.metadata.get(ATTEMPT) == Some(&wanted);
        let (all, complete) = self.api.list("/v1/payment_intents", &query, PAGES, ours).await?;
        match all.into_iter().find(ours) {
            Some(intent) => self.own(intent).map(Some),
            None if complete => Ok(None),
            None => Err(StripeFailure::unclear("Stripe has too many payments to search")),
        }
    }

    /// The intent with this id. That Stripe does not know it decides nothing: it may be another account's.
    async fn read(&self, id: &str) -> Result<Intent, StripeFailure> {
        if !is_name(id) {
            return Err(StripeFailure::unclear("that is not a payment of Stripe"));
        }
        let intent: Intent = self.api.get(&path(id), &[]).await?;
        if intent.id != id {
            return Err(StripeFailure::unclear("Stripe responded for another payment"));
        }
        self.own(intent)
    }

    /// The intent, if it is of the mode in the setup (live or test).
    fn own(&self, intent: Intent) -> Result<Intent, StripeFailure> {
        if !is_name(&intent.id) || intent.livemode != self.setup.is_live() {
            return Err(StripeFailure::unclear("Stripe responded for another account"));
        }
        Ok(intent)
    }
}

/// True if the id can be part of a URL path.
pub(super) fn is_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= 255 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn path(id: &str) -> String {
    format!("/v1/payment_intents/{id}")
}

/// The failure reason that we noted on an intent when giving it up, if we did.
fn noted(intent: &Intent) -> Option<FailureReason> {
    intent.metadata.get(FAILURE).and_then(|word| FailureReason::parse(word))
}

/// Why a card was declined, if one was.
fn refusal(intent: &Intent) -> Option<FailureReason> {
    noted(intent).or_else(|| intent.last_payment_error.as_ref().map(decline::reason))
}

fn standing(intent: &Intent) -> Result<IntentState, StripeFailure> {
    let given_up = noted(intent).map(IntentState::Refused);
    Ok(match intent.status.as_str() {
        "requires_payment_method" | "requires_confirmation" => {
            refusal(intent).map_or(IntentState::Open(Observation::Waiting), IntentState::Refused)
        }
        // The customer tries again after a decline that was not seen yet: the new try counts, unless the
        // intent was given up.
        "requires_action" | "requires_capture" => {
            given_up.unwrap_or(IntentState::Open(Observation::InFlight))
        }
        "processing" => IntentState::Open(Observation::InFlight),
        "succeeded" => IntentState::Final(Observation::Paid {
            received: amount::from_units(intent.amount_received, &intent.currency),
            reference: intent.id.clone(),
        }),
        "canceled" => IntentState::Final(refusal(intent).map_or_else(|| over(intent), Observation::Declined)),
        _ => {
            return Err(StripeFailure::unclear(
                "Stripe reports a payment state that this version does not know",
            ));
        }
    })
}

/// The meaning of a cancelled intent. One that Stripe cancelled by itself was open for too long.
fn over(intent: &Intent) -> Observation {
    match intent.cancellation_reason.as_deref() {
        Some("automatic" | "expired") => Observation::TimedOut,
        _ => Observation::Closed,
    }
}
