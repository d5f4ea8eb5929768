//! Defects that the simulation plants on purpose, one at a time, to show that it finds each of them.
//!
//! Without the feature `simulation`, which only `crates/simulation` turns on, none is ever planted: nothing of this is in
//! the binary that is shipped.

macro_rules! defects {
    ($($(#[$doc:meta])* $defect:ident,)*) => {
        /// A mistake that the code at one place makes while it is planted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Defect {
            $($(#[$doc])* $defect,)*
        }

        impl Defect {
            pub const ALL: &[Self] = &[$(Self::$defect),*];
        }
    };
}

defects! {
    /// A session ends without a callback.
    OutcomeWithoutCallback,
    /// Money that comes after the end of a session is not recorded.
    LateMoneyDropped,
    /// Any amount pays a session.
    PartialAmountPays,
    /// A payment is not posted to the ledger.
    PaymentNotPosted,
    /// A session expires at its deadline although its payment is open at the provider.
    ExpiryWithoutClosing,
    /// A start that the provider did not answer counts as refused.
    UnansweredStartCountsAsRefused,
    /// A refund that the provider did not answer counts as failed.
    UnansweredRefundCountsAsFailed,
    /// A refund gets a new id each time that it is sent.
    RefundWithoutIdempotency,
    /// Refunds are not limited by what was paid.
    RefundWithoutLimit,
    /// A callback counts as delivered whatever the receiver answers.
    RefusedCallbackCountsAsDelivered,
    /// A callback whose sender died is not sent again.
    InterruptedCallbackIsForgotten,
    /// The body of a callback is written again for each attempt.
    CallbackBodyRewritten,
    /// Callbacks are signed with something other than the vendor's secret.
    CallbackSignedWithWrongKey,
    /// The result of a callback's attempt is stored without its fencing token.
    FencingTokenIgnored,
    /// An idempotency key that is in use is overwritten.
    IdempotencyKeyNotGuarded,
    /// The wallet is changed without a compare-and-set.
    WalletVersionIgnored,
    /// Writes are acknowledged when they are queued.
    AcknowledgedBeforeCommit,
    /// Commits are not synced.
    CommitNotSynced,
    /// A node shows the status that it read some time ago.
    StatusFromCache,
    /// A status query decides by the clock what no commit has decided.
    StatusFromClock,
    /// The time follows the machine's clock wherever that jumps.
    ClockJumpsFollowed,
    /// The retention of the sandbox deletes sessions that are too young.
    RetentionTooEager,
    /// The stored balances do not follow the entries that are sealed.
    BalanceNotCarried,
}

impl Defect {
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn is_planted(self) -> bool {
        planted::is(self)
    }

    #[cfg(not(feature = "simulation"))]
    #[inline]
    #[must_use]
    pub const fn is_planted(self) -> bool {
        let _ = self;
        false
    }
}

#[cfg(feature = "simulation")]
pub use planted::plant;

#[cfg(feature = "simulation")]
mod planted {
    use super::Defect;
    use std::sync::OnceLock;

    static PLANTED: OnceLock<Defect> = OnceLock::new();

    /// Plants a defect for the rest of this process.
    pub fn plant(defect: Defect) {
        let planted = *PLANTED.get_or_init(|| defect);
        assert_eq!(planted, defect, "one defect at a time");
    }

    pub(super) fn is(defect: Defect) -> bool {
        PLANTED.get() == Some(&defect)
    }
}
