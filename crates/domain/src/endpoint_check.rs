//! The endpoint check: a fixed script of callbacks, right and wrong, that a vendor's receiver has to take or refuse before
//! real payments depend on it. Sandbox only.

use crate::{delivery::AttemptResult, misdelivery::Fault};
use std::time::Duration;

/// A step of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStep {
    /// A right callback is taken.
    RightCallback,
    /// The certificate is valid, where https is used.
    ValidTls,
    /// A forged signature is refused.
    WrongSignature,
    /// Another secret's signature is refused.
    WrongSecret,
    /// A body that was changed after signing is refused.
    ChangedBody,
    /// An old request is refused although it is signed.
    OldTimestamp,
    /// The same event twice is taken twice.
    SameEventTwice,
    /// An event of an unknown type is taken.
    UnknownEvent,
    /// An event with unknown fields is taken.
    UnknownField,
    /// An older event that comes after a newer one is taken.
    OutOfOrder,
    FailedSession,
    ExpiredSession,
    /// A session with the longest product name.
    LongName,
    NonAsciiText,
}

impl CheckStep {
    /// In the order in which they are made.
    pub const ALL: [Self; 14] = [
        Self::RightCallback,
        Self::ValidTls,
        Self::WrongSignature,
        Self::WrongSecret,
        Self::ChangedBody,
        Self::OldTimestamp,
        Self::SameEventTwice,
        Self::UnknownEvent,
        Self::UnknownField,
        Self::OutOfOrder,
        Self::FailedSession,
        Self::ExpiredSession,
        Self::LongName,
        Self::NonAsciiText,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RightCallback => "right_callback",
            Self::ValidTls => "valid_tls",
            Self::WrongSignature => "wrong_signature",
            Self::WrongSecret => "wrong_secret",
            Self::ChangedBody => "changed_body",
            Self::OldTimestamp => "old_timestamp",
            Self::SameEventTwice => "same_event_twice",
            Self::UnknownEvent => "unknown_event",
            Self::UnknownField => "unknown_field",
            Self::OutOfOrder => "out_of_order",
            Self::FailedSession => "failed_session",
            Self::ExpiredSession => "expired_session",
            Self::LongName => "long_name",
            Self::NonAsciiText => "non_ascii_text",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == word)
    }

    /// The fault of its request, if the request has one.
    #[must_use]
    pub fn fault(self) -> Option<Fault> {
        match self {
            Self::WrongSignature => Some(Fault::BadSignature),
            Self::WrongSecret => Some(Fault::WrongSecret),
            Self::ChangedBody => Some(Fault::ChangedBody),
            Self::OldTimestamp => Some(Fault::OldTimestamp),
            Self::UnknownEvent => Some(Fault::UnknownEvent),
            Self::UnknownField => Some(Fault::UnknownField),
            Self::RightCallback
            | Self::ValidTls
            | Self::SameEventTwice
            | Self::OutOfOrder
            | Self::FailedSession
            | Self::ExpiredSession
            | Self::LongName
            | Self::NonAsciiText => None,
        }
    }

    /// True if the receiver has to refuse the request.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::WrongSignature | Self::WrongSecret | Self::ChangedBody | Self::OldTimestamp)
    }

    /// How much depends on it. `X-Signature` alone authenticates a callback, so the age of one need not be judged; and a
    /// test receiver may be without TLS.
    #[must_use]
    pub fn level(self, uses_https: bool) -> CheckLevel {
        match self {
            Self::OldTimestamp => CheckLevel::Should,
            Self::ValidTls if !uses_https => CheckLevel::Should,
            _ => CheckLevel::Must,
        }
    }

    /// True if this result of a request is what a right receiver leads to.
    #[must_use]
    pub fn passes(self, result: AttemptResult) -> bool {
        match result {
            AttemptResult::Delivered(_) => !self.is_refusal(),
            AttemptResult::Status(status) => self.is_refusal() && (400..500).contains(&status),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckLevel {
    /// Without it, the receiver is not ready.
    Must,
    Should,
}

impl CheckLevel {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
        }
    }
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// A request was answered, or failed.
    Requested(AttemptResult),
    /// The certificate was accepted.
    TlsValid,
    /// The receiver has no TLS.
    PlainHttp,
    /// No request was made, since none could reach the receiver.
    NotTried,
}

impl StepResult {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested(result) => result.as_str(),
            Self::TlsValid => "tls_valid",
            Self::PlainHttp => "plain_http",
            Self::NotTried => "not_tried",
        }
    }

    /// The HTTP status of the answer, if there was one.
    #[must_use]
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Requested(result) => result.status(),
            _ => None,
        }
    }
}

/// A step that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeStep {
    pub step: CheckStep,
    pub result: StepResult,
    pub passed: bool,
    pub took: Duration,
}

impl MadeStep {
    /// A step whose requests had this result.
    #[must_use]
    pub fn requested(step: CheckStep, result: AttemptResult, took: Duration) -> Self {
        Self { step, result: StepResult::Requested(result), passed: step.passes(result), took }
    }

    /// The step about TLS, which the first request decided.
    #[must_use]
    pub fn tls(first: AttemptResult, uses_https: bool) -> Self {
        let result = match first {
            _ if !uses_https => StepResult::PlainHttp,
            AttemptResult::Tls => StepResult::Requested(first),
            // Only an answer proves that the handshake was made.
            AttemptResult::Delivered(_) | AttemptResult::Status(_) | AttemptResult::Protocol => {
                StepResult::TlsValid
            }
            _ => StepResult::NotTried,
        };
        let passed = result == StepResult::TlsValid;
        Self { step: CheckStep::ValidTls, result, passed, took: Duration::ZERO }
    }

    #[must_use]
    pub fn not_tried(step: CheckStep) -> Self {
        Self { step, result: StepResult::NotTried, passed: false, took: Duration::ZERO }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckVerdict {
    Ready,
    NotReady,
}

impl CheckVerdict {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::NotReady => "not_ready",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Ready, Self::NotReady].into_iter().find(|verdict| verdict.as_str() == word)
    }

    /// The verdict about all steps of a check: it is ready if every one passed that it must pass.
    #[must_use]
    pub fn of(made: &[MadeStep], uses_https: bool) -> Self {
        let passed = |step: CheckStep| made.iter().any(|made| made.step == step && made.passed);
        let needed = |step: &CheckStep| step.level(uses_https) == CheckLevel::Must;
        let ready = CheckStep::ALL.into_iter().filter(needed).all(passed);
        if ready { Self::Ready } else { Self::NotReady }
    }
}

/// True if the receiver cannot be reached, or never answers, so that the other requests need not be made.
#[must_use]
pub fn is_unreachable(first: AttemptResult) -> bool {
    use AttemptResult::{Blocked, Connect, Dns, Timeout, Tls};
    matches!(first, Blocked | Dns | Connect | Tls | Timeout)
}

#[cfg(test)]
#[path = "../tests/unit/endpoint_check.rs"]
mod tests;
