//! What can be wrong with a fiscal receipt that a vendor wrote.

use crate::money::{Money, PriceProblem};

/// A validation error of a fiscal receipt or one of its fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FiscalProblem {
    /// A misspelled field would silently change what is taxed.
    #[error("is not a field of a receipt: check its spelling")]
    UnknownField,
    #[error("must be an email address of at most {max} characters", max = super::read::MAX_EMAIL)]
    InvalidEmail,
    #[error(
        "must be a phone number in the form +79000000000: a plus sign, the country code and the number, in digits"
    )]
    InvalidPhone,
    #[error("must be a taxpayer number of 10 or 12 digits")]
    InvalidInn,
    #[error("may have at most {most} items: split the order into several sessions")]
    TooManyItems { most: u32 },
    #[error("must be greater than 0, at most 99999.999, with at most 3 decimals")]
    InvalidQuantity,
    #[error("{0}")]
    InvalidPrice(PriceProblem),
    /// The line's total is rounded to nothing.
    #[error("must make a line of at least one minor unit")]
    EmptyLine,
    #[error("must be {line}, the price multiplied by the quantity")]
    LineMismatch { line: Money },
    #[error("must add up to {expected}, but add up to {items}")]
    TotalMismatch { items: Money, expected: Money },
    /// A word of the law that Till cannot send yet.
    #[error("is not supported yet: use one of {0}")]
    NotSupported(&'static str),
    #[error("must be RUB if there is a receipt")]
    CurrencyNotSupported,
    #[error("is not accepted, since fiscal receipts are off for this vendor: switch them on in the settings")]
    NotEnabled,
    /// The payment's own receipt is missing.
    #[error("is required for this vendor: send one, or set a default VAT rate in the settings")]
    ReceiptRequired,
    /// The receipt of a part of the payment is missing.
    #[error(
        "is required for a partial refund, since the payment has a fiscal receipt: send the returned items"
    )]
    ItemsRequired,
    /// The payment has none, so its refund has none.
    #[error("is not accepted, since the payment has no fiscal receipt")]
    NoReceipt,
    /// What is left after refunds is not known.
    #[error("is required, since a refund was not of whole items: send the items that were handed over")]
    RestRequired,
}

impl FiscalProblem {
    /// The code of the field's entry in `errors`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownField => "unknown_field",
            Self::InvalidEmail | Self::InvalidPhone => "invalid_contact",
            Self::InvalidInn => "invalid_inn",
            Self::TooManyItems { .. } => "too_many_items",
            Self::InvalidQuantity => "invalid_quantity",
            Self::InvalidPrice(_) | Self::EmptyLine => "invalid_price",
            Self::LineMismatch { .. } => "line_mismatch",
            Self::TotalMismatch { .. } => "total_mismatch",
            Self::NotSupported(_) => "not_supported",
            Self::CurrencyNotSupported => "currency_not_supported",
            Self::NotEnabled | Self::NoReceipt => "receipt_not_enabled",
            Self::ReceiptRequired | Self::ItemsRequired => "receipt_required",
            Self::RestRequired => "required",
        }
    }

    /// True if the code is also that of the whole response when nothing else is wrong.
    #[must_use]
    pub fn is_specific(&self) -> bool {
        matches!(self, Self::NotEnabled | Self::NoReceipt | Self::ReceiptRequired | Self::ItemsRequired)
    }
}
