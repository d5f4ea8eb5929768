//! Rejections: every way in which Till refuses a caller's request, with a stable code and a sentence that
//! says what to do.
//!
//! An internal failure is never a rejection; it is an error of the crate where it happened.

use crate::{
    environment::EnvironmentName,
    fiscal::FiscalProblem,
    metadata::MetadataProblem,
    money::{Currency, Money, PriceProblem},
    text::TextProblem,
    weburl::UrlProblem,
};
use std::borrow::Cow;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// One or more fields are wrong; all of them are listed.
    #[error("{}", summary(.0))]
    Invalid(Vec<FieldError>),
    /// The vendor has no payment method at all.
    #[error("this vendor has no payment method: ask the service operator to set one up")]
    NoPaymentMethod,
    /// The session already has its final status.
    #[error("the session is no longer pending: its status is final")]
    SessionNotPending,
    /// What a tester asked for cannot happen to the session as it is.
    #[error("this event cannot happen to the session in its current state")]
    NotPossibleNow,
    /// Money is on its way, and the provider cannot stop it.
    #[error(
        "a payment of this session is in flight and could not be stopped at the provider: wait for its outcome, which \
         comes as a callback"
    )]
    PaymentInFlight,
    /// Unknown, malformed, another vendor's or the other environment's.
    #[error("there is no session with this id in this environment")]
    SessionNotFound,
    /// Another check of the vendor's endpoint has not ended.
    #[error("a check of this vendor's endpoint is running: wait until it is done")]
    CheckRunning,
    /// Unknown, malformed, or another vendor's.
    #[error("there is no endpoint check with this id")]
    CheckNotFound,
    /// The key was used with another body.
    #[error("this Idempotency-Key was already used with a different request body: use a new key")]
    IdempotencyKeyReused,
    /// The key is not 1 to 255 printable ASCII characters.
    #[error("Idempotency-Key must be 1 to 255 printable ASCII characters")]
    InvalidIdempotencyKey,
    /// Wrong id, wrong secret, or a pair of the other environment.
    #[error("client_id and client_secret do not match any credentials of this environment")]
    InvalidClient,
    /// Missing, malformed, expired, revoked or the other environment's.
    #[error("the Bearer token is missing, invalid or expired: get a new one from the token endpoint")]
    InvalidToken,
    /// A token of this environment, used in the other one.
    #[error(
        "the Bearer token belongs to the {0} environment: get one with the credentials of the environment \
         that you call"
    )]
    TokenOfOtherEnvironment(EnvironmentName),
    /// A valid sandbox pair while the vendor's sandbox is off.
    #[error("sandbox mode is off for this vendor: ask the service operator to turn it on")]
    SandboxDisabled,
    /// The operator disabled the vendor.
    #[error("this vendor is disabled: contact the service operator")]
    VendorDisabled,
    /// The method is not among those of the session.
    #[error("this payment method is not offered for this session")]
    MethodNotOffered,
    /// The method's clock has run out; it cannot be chosen again.
    #[error("the time for this payment method has expired")]
    MethodTimedOut,
    /// Only what was paid can be refunded, or handed over.
    #[error("the session is not paid: there is no payment to refund or to hand over")]
    SessionNotPaid,
    /// Nothing was paid before its hand-over, or nothing of it is left.
    #[error("the payment is no prepayment, or is fully refunded: there is no closing receipt")]
    NoPrepayment,
    /// Only its end tells what is left to hand over.
    #[error("a refund of the payment is being made: ask for the closing receipt when it has ended")]
    RefundPending,
    /// Unknown, malformed, or of another session.
    #[error("this session has no refund with this id")]
    RefundNotFound,
    /// Nothing is left to refund; refunds in progress count.
    #[error("the payment is already fully refunded, or refunds of the remaining amount are pending")]
    NothingToRefund,
    /// Too many refunds of one payment.
    #[error("a payment can be refunded in at most {max} parts", max = crate::refund::MAX_REFUNDS)]
    TooManyRefunds,
    /// The provider of the payment cannot refund.
    #[error("this payment cannot be refunded through the API: contact the service operator")]
    RefundNotSupported,
    /// The vendor's available balance does not cover it.
    #[error("the balance does not cover this refund: it needs {needed}, and {available} is available")]
    InsufficientBalance {
        /// The part that it takes from the available balance.
        needed: Money,
        available: Money,
    },
}

impl Rejection {
    /// The stable code on the wire.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(fields) => match fields.as_slice() {
                [only] => only.problem.specific_code().unwrap_or("invalid_request"),
                _ => "invalid_request",
            },
            Self::NoPaymentMethod => "no_payment_method",
            Self::SessionNotPending => "session_not_pending",
            Self::NotPossibleNow => "not_possible_now",
            Self::PaymentInFlight => "payment_in_flight",
            Self::SessionNotFound => "session_not_found",
            Self::CheckRunning => "check_running",
            Self::CheckNotFound => "check_not_found",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::InvalidIdempotencyKey => "invalid_idempotency_key",
            Self::InvalidClient => "invalid_client",
            Self::InvalidToken | Self::TokenOfOtherEnvironment(_) => "invalid_token",
            Self::SandboxDisabled => "sandbox_disabled",
            Self::VendorDisabled => "vendor_disabled",
            Self::MethodNotOffered => "method_not_offered",
            Self::MethodTimedOut => "method_timed_out",
            Self::SessionNotPaid => "session_not_paid",
            Self::NoPrepayment => "no_prepayment",
            Self::RefundPending => "refund_pending",
            Self::RefundNotFound => "refund_not_found",
            Self::NothingToRefund => "nothing_to_refund",
            Self::TooManyRefunds => "too_many_refunds",
            Self::RefundNotSupported => "refund_not_supported",
            Self::InsufficientBalance { .. } => "insufficient_balance",
        }
    }

    /// The wrong fields, if that is the reason.
    #[must_use]
    pub fn fields(&self) -> &[FieldError] {
        match self {
            Self::Invalid(fields) => fields,
            _ => &[],
        }
    }
}

fn summary(fields: &[FieldError]) -> String {
    match fields {
        [only] => only.message(),
        _ => format!("{} fields are invalid; see errors", fields.len()),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field's name on the wire.
    pub field: Cow<'static, str>,
    pub problem: FieldProblem,
}

impl FieldError {
    /// A sentence that names the field and says what to do.
    #[must_use]
    pub fn message(&self) -> String {
        match &self.problem {
            // The sentence about a price already names the field.
            FieldProblem::Price(problem) | FieldProblem::Fiscal(FiscalProblem::InvalidPrice(problem)) => {
                problem.to_string().replacen("price", &self.field, 1)
            }
            problem => format!("{} {problem}", self.field),
        }
    }
}

/// A validation error of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldProblem {
    #[error("is required")]
    Required,
    #[error("must be {0}")]
    WrongType(&'static str),
    #[error("{0}")]
    Text(#[from] TextProblem),
    #[error("{0}")]
    Price(#[from] PriceProblem),
    /// More than can still be refunded of a payment.
    #[error("is more than the remaining amount: {left} is left")]
    AmountTooLarge { left: Money },
    /// Not the currency of the session.
    #[error("must be {0}, the session's currency")]
    OtherCurrency(Currency),
    /// Not an accepted currency.
    #[error("must be an active ISO 4217 alphabetic code such as RUB or USD")]
    UnknownCurrency,
    #[error("{0}")]
    Url(#[from] UrlProblem),
    /// Not one of the accepted words.
    #[error("must be one of {0}")]
    NotOneOf(&'static str),
    /// Not an identifier for a product or category.
    #[error("must be 1 to {max} of the characters A-Z a-z 0-9 . _ -", max = crate::catalog::MAX_ID_CHARS)]
    NotAnId,
    #[error("must be a whole number from {least} to {most}")]
    OutOfRange { least: u32, most: u32 },
    /// Not a duration, or too long a one.
    #[error("must be a duration of at most {most}s, such as {most}s or 500ms")]
    NotADuration {
        /// The longest, in seconds.
        most: u64,
    },
    #[error("{0}")]
    Metadata(#[from] MetadataProblem),
    #[error("{0}")]
    Fiscal(#[from] FiscalProblem),
    #[error("must be a BCP 47 language tag such as ru or en-GB")]
    NotALocale,
    /// Not a cursor of the pagination.
    #[error("must be the next value of an earlier response, or 0 to start with the oldest")]
    NotACursor,
    /// Not a cursor of this list with these filters.
    #[error("must be the next_cursor of an earlier response to a request with the same filters")]
    OtherCursor,
    #[error(
        "must be a time such as 2026-11-15T09:30:00Z, with at most milliseconds, or a date such as 2026-11-15"
    )]
    NotATime,
    /// Another field of the request excludes it.
    #[error("cannot be sent together with {0}")]
    NotTogetherWith(&'static str),
    /// It means something only beside another field.
    #[error("can be sent only with {0}")]
    OnlyWith(&'static str),
    #[error("must be the id of a session")]
    NotASessionId,
    /// Not later than the other end of the span.
    #[error("must be later than {0}")]
    NotAfterStart(&'static str),
    /// Not a parameter of the call; those that it has.
    #[error("is not a parameter of this request: use {0}")]
    UnknownParameter(String),
    /// A parameter that came more than once.
    #[error("must be sent only once")]
    GivenTwice,
    #[error("must not be empty")]
    EmptyList,
    /// The same word twice.
    #[error("must not list a method twice")]
    Repeated,
    /// Not among the methods of the session.
    #[error("must be one of the methods offered for this session: {0}")]
    MethodNotOffered(String),
    /// No method in the list can be used.
    #[error("leaves no payment method: {0}")]
    NoPaymentMethod(String),
    /// The sandbox has no catalog.
    #[error("is not accepted in the sandbox: describe the item with product_name, price and currency")]
    NotAllowedInSandbox,
    /// product_id beside product_name, price or currency.
    #[error("cannot be combined with product_name, price or currency: send one or the other")]
    ConflictingItem,
    /// Unknown, archived or another vendor's.
    #[error("is not a product in this vendor's catalog")]
    UnknownProduct,
    /// Unknown, archived or another vendor's.
    #[error("is not a category in this vendor's catalog")]
    UnknownCategory,
    /// The product is in another category.
    #[error("is not the category of this product")]
    CategoryMismatch,
}

impl FieldProblem {
    /// The code of the field's entry in `errors`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::WrongType(_) => "wrong_type",
            Self::Text(TextProblem::Empty) | Self::EmptyList => "empty",
            Self::Text(TextProblem::TooLong { .. }) | Self::Url(UrlProblem::TooLong) => "too_long",
            Self::Text(TextProblem::BadCharacter(_)) => "invalid_character",
            Self::Price(PriceProblem::Malformed) => "invalid_number",
            Self::Price(PriceProblem::NotPositive) => "not_positive",
            Self::Price(PriceProblem::TooLarge) => "too_large",
            Self::Price(PriceProblem::TooPrecise { .. }) => "too_many_decimals",
            Self::AmountTooLarge { .. } => "amount_too_large",
            Self::OtherCurrency(_) => "other_currency",
            Self::UnknownCurrency => "unknown_currency",
            Self::Url(UrlProblem::Malformed | UrlProblem::UserInfo) => "invalid_url",
            Self::Url(UrlProblem::PrivateAddress) => "private_address",
            Self::NotOneOf(_) => "unknown_value",
            Self::Text(TextProblem::NotAnEmail) => "invalid_email",
            Self::NotAnId => "invalid_id",
            Self::OutOfRange { .. } => "out_of_range",
            Self::NotADuration { .. } => "invalid_duration",
            Self::Metadata(problem) => problem.code(),
            Self::Fiscal(problem) => problem.code(),
            Self::NotALocale => "invalid_locale",
            Self::NotACursor | Self::OtherCursor => "invalid_cursor",
            Self::NotATime | Self::NotAfterStart(_) => "invalid_time",
            Self::NotASessionId => "invalid_session_id",
            Self::NotTogetherWith(_) | Self::OnlyWith(_) => "conflicting_field",
            Self::UnknownParameter(_) => "unknown_parameter",
            Self::Repeated | Self::GivenTwice => "repeated",
            Self::MethodNotOffered(_) => "method_not_offered",
            Self::NoPaymentMethod(_) => "no_payment_method",
            Self::NotAllowedInSandbox => "field_not_allowed_in_sandbox",
            Self::ConflictingItem => "conflicting_item",
            Self::UnknownProduct => "unknown_product",
            Self::UnknownCategory => "unknown_category",
            Self::CategoryMismatch => "category_mismatch",
        }
    }

    /// The code, where it is also the code of the whole response if nothing else is wrong.
    #[must_use]
    pub fn specific_code(&self) -> Option<&'static str> {
        if let Self::Fiscal(problem) = self {
            return problem.is_specific().then(|| problem.code());
        }
        let specific = matches!(
            self,
            Self::Url(UrlProblem::PrivateAddress)
                | Self::AmountTooLarge { .. }
                | Self::OtherCursor
                | Self::NoPaymentMethod(_)
                | Self::NotAllowedInSandbox
                | Self::ConflictingItem
                | Self::UnknownProduct
                | Self::UnknownCategory
                | Self::CategoryMismatch
        );
        specific.then(|| self.code())
    }
}

/// Collects every wrong field, so that one answer can name them all.
#[derive(Debug, Default)]
pub struct Problems(Vec<FieldError>);

impl Problems {
    /// Notes that a field is wrong.
    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, problem: impl Into<FieldProblem>) {
        self.0.push(FieldError { field: field.into(), problem: problem.into() });
    }

    /// Returns the value, or adds the problem.
    pub fn take<T, P: Into<FieldProblem>>(&mut self, field: &'static str, value: Result<T, P>) -> Option<T> {
        value.map_err(|problem| self.add(field, problem)).ok()
    }

    /// Returns true when no problem was added so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rejection that names every wrong field; `Ok` if there is none.
    pub fn finish(self) -> Result<(), Rejection> {
        if self.0.is_empty() { Ok(()) } else { Err(Rejection::Invalid(self.0)) }
    }
}
