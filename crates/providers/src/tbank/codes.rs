//! T-Bank's error codes: what a refused call means, and why a payment was declined.

use till_domain::{method::Method, session::FailureReason};

/// The meaning of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// The terminal, its password or its contract: no call will succeed.
    Account,
    /// T-Bank does not know itself what was done.
    Internal,
    /// The payment is in another state than the call needs.
    State,
    /// The order was used before.
    Repeated,
    /// There is no such order or payment.
    NotFound,
    /// A limit of the amount, the shop's balance, or what a bank or SBP refused.
    Refused,
    /// The request is wrong: members, amounts, due date, receipt.
    Request,
    /// A code that is not in our table.
    Other,
}

/// The meaning of a code, with the details that came with it.
pub(super) fn kind(code: &str, details: &str) -> CodeKind {
    let Ok(number) = code.parse::<u32>() else { return CodeKind::Other };
    match number {
        191 | 202 | 204 | 205 | 331 | 501 | 648 | 2015 => CodeKind::Account,
        // Older terminals report a wrong token so.
        9999 if names_the_token(details) => CodeKind::Account,
        3 | 21 | 96..=98 | 120 | 123 | 125 | 401 | 402 | 903 | 999 | 7999 | 9001 | 9999 => CodeKind::Internal,
        4 | 8 | 100 => CodeKind::State,
        20 => CodeKind::Repeated,
        255 | 325 | 335 | 914 => CodeKind::NotFound,
        1
        | 2
        | 12
        | 17
        | 201
        | 203
        | 206..=243
        | 250
        | 258
        | 308..=310
        | 323
        | 329
        | 334
        | 383..=386
        | 3017 => CodeKind::Request,
        76
        | 77
        | 79
        | 99
        | 101..=103
        | 106
        | 108
        | 116
        | 119
        | 251
        | 252
        | 326
        | 330
        | 511
        | 600
        | 603
        | 620
        | 623
        | 2014
        | 2200
        | 1000..=1299
        | 3000..=3099
        | 5000..=5099 => CodeKind::Refused,
        _ => CodeKind::Other,
    }
}

fn names_the_token(details: &str) -> bool {
    let details = details.to_lowercase();
    details.contains("токен") || details.contains("token")
}

/// Why a payment was declined.
pub(super) fn reason(code: &str, method: Method) -> FailureReason {
    let declined =
        if method == Method::Card { FailureReason::CardDeclined } else { FailureReason::ProviderError };
    match code.parse::<u32>() {
        Ok(103 | 116 | 1051 | 5060) => FailureReason::InsufficientFunds,
        Ok(252 | 1033 | 1054 | 1080) => FailureReason::CardExpired,
        Ok(101 | 106 | 108 | 511 | 2014) => FailureReason::ThreeDsFailed,
        Ok(number) if kind(&number.to_string(), "") == CodeKind::Internal => FailureReason::ProviderError,
        _ => declined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning() {
        for (codes, meaning) in [
            (&["191", "202", "204", "205", "331", "501", "648", "2015"][..], CodeKind::Account),
            (
                &["3", "21", "96", "98", "120", "402", "903", "999", "7999", "9001", "9999"],
                CodeKind::Internal,
            ),
            (&["4", "8", "100"], CodeKind::State),
            (&["20"], CodeKind::Repeated),
            (&["255", "325", "335", "914"], CodeKind::NotFound),
            (&["1", "12", "201", "203", "206", "243", "250", "308", "309", "334", "3017"], CodeKind::Request),
            (&["99", "103", "251", "620", "1051", "1202", "3002", "3016", "3029", "5043"], CodeKind::Refused),
            (&["0", "", "-1", "E1", "888888", "777"], CodeKind::Other),
        ] {
            for code in codes {
                assert_eq!(kind(code, ""), meaning, "{code}");
            }
        }
        assert_eq!(kind("9999", "Неверный токен."), CodeKind::Account);
        assert_eq!(kind("9999", "Invalid token"), CodeKind::Account);
    }

    #[test]
    fn a_decline_has_a_reason_of_ours() {
        use FailureReason as R;
        for (code, expected) in [
            ("103", R::InsufficientFunds),
            ("116", R::InsufficientFunds),
            ("1051", R::InsufficientFunds),
            ("5060", R::InsufficientFunds),
            ("252", R::CardExpired),
            ("1054", R::CardExpired),
            ("101", R::ThreeDsFailed),
            ("511", R::ThreeDsFailed),
            ("99", R::CardDeclined),
            ("1005", R::CardDeclined),
            ("76", R::CardDeclined),
            ("0", R::CardDeclined),
            ("", R::CardDeclined),
            ("something", R::CardDeclined),
            ("999", R::ProviderError),
        ] {
            assert_eq!(reason(code, Method::Card), expected, "{code}");
        }
        assert_eq!(reason("1051", Method::Sbp), R::InsufficientFunds);
        assert_eq!(reason("99", Method::Sbp), R::ProviderError, "no card was declined");
    }
}
