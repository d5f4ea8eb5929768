//! Tests of stand-ins of real providers.

mod needs_stripe_fake;
mod needs_stripe_findings;
mod needs_stripe_nights;
mod needs_tbank_fake;
mod needs_yookassa_fake;

/// Where a world keeps its books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Embedded,
    Postgres,
}

/// Runs a test on an embedded store and on PostgreSQL.
macro_rules! on_both_engines {
    ($($name:ident)*) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::providers::Engine::Embedded).await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::providers::Engine::Postgres).await;
            })*
        }
    };
}
use on_both_engines;
