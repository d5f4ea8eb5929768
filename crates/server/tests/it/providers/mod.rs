//! Tests of stand-ins of real providers.

mod needs_stripe_fake;
mod needs_stripe_findings;
mod needs_stripe_nights;
mod needs_tbank_fake;
mod needs_yookassa_fake;
