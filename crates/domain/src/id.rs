//! Typed identifiers. All are UUIDv7: time-ordered, so that rows are inserted at the end of their table,
//! with 74 random bits that the caller draws.

use crate::time::Timestamp;
use std::fmt;
use uuid::Uuid;

/// The random part of one identifier, drawn by the caller.
pub type Entropy = [u8; 10];

/// An identifier that is drawn at random.
pub trait Identifier {
    /// The name of its kind.
    const KIND: &'static str;

    /// A new identifier made of the time and random bits.
    #[must_use]
    fn new(now: Timestamp, entropy: &Entropy) -> Self;
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// A new identifier made of the time and random bits.
            #[must_use]
            pub fn new(now: Timestamp, entropy: &Entropy) -> Self {
                let ms = u64::try_from(now.as_ms()).unwrap_or(0);
                Self(uuid::Builder::from_unix_timestamp_millis(ms, entropy).into_uuid())
            }

            /// Reads the hyphenated form of 36 characters, in any case, and no other spelling.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                if text.len() != 36 {
                    return None;
                }
                Uuid::try_parse(text).ok().map(Self)
            }

            /// The identifier with these stored bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The sixteen bytes to store.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl Identifier for $name {
            const KIND: &'static str = stringify!($name);

            fn new(now: Timestamp, entropy: &Entropy) -> Self {
                Self::new(now, entropy)
            }
        }

        impl From<$name> for [u8; 16] {
            fn from(id: $name) -> Self {
                id.0.into_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0.as_hyphenated())
            }
        }
    };
}

uuid_id!(
    /// Identifies a payment session.
    SessionId
);
uuid_id!(VendorId);
uuid_id!(
    /// Identifies one callback event.
    EventId
);
uuid_id!(
    /// Identifies one attempt to take a session's money.
    AttemptId
);
uuid_id!(
    /// Identifies one payout to a vendor.
    PayoutId
);
uuid_id!(
    /// Identifies a transaction: one movement of money.
    TransactionId
);
uuid_id!(
    /// Identifies an action: something that the operator has to decide.
    ActionId
);
uuid_id!(
    /// Identifies a note that a person wrote on an action.
    NoteId
);
uuid_id!(RefundId);
uuid_id!(
    /// Identifies an entry of the ledger.
    EntryId
);
uuid_id!(
    /// Identifies a user, who can log in.
    UserId
);
uuid_id!(
    /// Identifies the log-in of a user with one browser.
    LoginId
);
uuid_id!(
    /// Identifies a line of the audit log.
    AuditId
);
uuid_id!(
    /// Identifies a check of a vendor's endpoint.
    CheckId
);
uuid_id!(
    /// Identifies a vendor's request for a sandbox.
    RequestId
);
uuid_id!(MailId);

uuid_id!(ReceiptId);

uuid_id!(
    /// Identifies a fiscal receipt.
    FiscalReceiptId
);

uuid_id!(
    /// Identifies a comparison of a provider's books with ours.
    ReconciliationId
);

uuid_id!(
    /// Identifies one form on one page, which takes effect once however often it is submitted.
    FormId
);

/// Characters of a session's id in its reference: its time and the random bits of its third group.
const REFERENCE: usize = 18;

/// The fewest digits by which a session is searched for: fewer stand for hours of sessions.
const MIN_DIGITS: usize = 8;

impl SessionId {
    /// The reference of a payment, which customers and vendors quote: the beginning of the session's id. The
    /// session's page cannot be found by it: 62 random bits of the id are not in it.
    #[must_use]
    pub fn reference(&self) -> String {
        self.to_string().chars().take(REFERENCE).collect()
    }

    /// The first and the last id that begin with a text of at least 8 digits, such as a reference or the number
    /// of a receipt.
    #[must_use]
    pub fn beginning_with(text: &str) -> Option<[Self; 2]> {
        let text = text.split_once("-R").or_else(|| text.split_once("-r")).map_or(text, |(start, _)| start);
        let hyphen = |place| matches!(place, 8 | 13 | 18 | 23);
        let fits = |(place, c): (usize, char)| if hyphen(place) { c == '-' } else { c.is_ascii_hexdigit() };
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        if !text.char_indices().all(fits) || !(MIN_DIGITS..=32).contains(&digits.len()) {
            return None;
        }
        let padded = |pad: &str| u128::from_str_radix(&(digits.clone() + &pad.repeat(32 - digits.len())), 16);
        let (first, last) = (padded("0").ok()?, padded("f").ok()?);
        Some([Self(Uuid::from_u128(first)), Self(Uuid::from_u128(last))])
    }
}

impl From<EventId> for TransactionId {
    /// The payment that makes a session final has the id of the callback event that reports it.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<TransactionId> for ReceiptId {
    /// A receipt has the id of the transaction that it is about.
    fn from(transaction: TransactionId) -> Self {
        Self(transaction.0)
    }
}

impl From<EventId> for ActionId {
    /// An action about a session has the id of the event of the same moment.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<FormId> for NoteId {
    /// A note has the id of the form that it was written in, so that it is added once.
    fn from(form: FormId) -> Self {
        Self(form.0)
    }
}

impl From<EventId> for EntryId {
    /// The entry that books an event has the event's id.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<RefundId> for EntryId {
    /// The entry that takes a refund's money from a vendor has the refund's id.
    fn from(refund: RefundId) -> Self {
        Self(refund.0)
    }
}

impl From<SessionId> for FiscalReceiptId {
    /// The fiscal receipt of a session's payment has the session's id, so there is one.
    fn from(session: SessionId) -> Self {
        Self(session.0)
    }
}

impl From<TransactionId> for FiscalReceiptId {
    /// The fiscal receipt of a session's second payment has the id of its transaction, so there is one.
    fn from(transaction: TransactionId) -> Self {
        Self(transaction.0)
    }
}

impl From<RefundId> for FiscalReceiptId {
    /// The fiscal receipt of a refund has the refund's id, so there is one.
    fn from(refund: RefundId) -> Self {
        Self(refund.0)
    }
}

/// The random bits of an id behind its variant.
const RANDOM_BITS: u128 = (1 << 62) - 1;

/// The distance between the ids of two events of the same moment.
const STEP: u128 = 1 << 40;

/// A random bit of an id that does not vary where ids are generated by counting.
const OTHER_BIT: u128 = 1 << 56;

impl EntryId {
    /// A second id, derived from this one, for another entry of the same moment.
    #[must_use]
    pub fn beside(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ OTHER_BIT))
    }
}

impl EventId {
    /// The id of a second event of the same moment. It sorts after this one, so the feed lists the two in this order.
    #[must_use]
    pub fn following(self) -> Self {
        let id = self.0.as_u128();
        // The version and the variant stay: only random bits are counted up.
        let step = if id & RANDOM_BITS < RANDOM_BITS - STEP { STEP } else { 1 };
        Self(Uuid::from_u128(id.wrapping_add(step)))
    }

    /// A second id, derived from this one, for what else happens in the same moment: a second transaction,
    /// and the action about it.
    #[must_use]
    pub fn beside(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ OTHER_BIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_following_event_sorts_after_and_is_of_the_same_version() {
        for low in [0, 1, RANDOM_BITS - STEP, RANDOM_BITS - STEP - 1, RANDOM_BITS - 1] {
            let first = EventId(Uuid::from_u128(0x0196_3f2a_9d40_7c11_8000_0000_0000_0000 | low));
            let second = first.following();
            assert!(second > first && second.0.as_u128() >> 62 == first.0.as_u128() >> 62, "{low}");
        }
    }

    #[test]
    fn ids_are_version_7_and_sort_by_time() {
        let early = SessionId::new(Timestamp::from_ms(1_000), &[0xff; 10]);
        let late = SessionId::new(Timestamp::from_ms(1_001), &[0; 10]);
        assert!(early < late);
        assert_eq!(early.to_string(), "00000000-03e8-7fff-bfff-ffffffffffff");
    }

    #[test]
    fn a_session_is_found_by_its_reference() {
        let id = SessionId::parse("01963f2a-7b1c-7def-8123-456789abcdef").expect("an id");
        let finds = |text: &str| SessionId::beginning_with(text).is_some_and(|[a, b]| a <= id && id <= b);
        assert_eq!(id.reference(), "01963f2a-7b1c-7def");
        for text in [
            "01963f2a-7b1c-7def",
            "01963F2A-7B1C-7DEF",
            "01963f2a-7b1c-7def-R12",
            "01963f2a",
            "01963f2a-",
            "01963f2a-7b1c-7def-8123-456789abcdef",
        ] {
            assert!(finds(text), "{text}");
        }
        assert!(!finds("01963f2a-7b1c-7dee") && !finds("01963f2b"));
        for text in [
            "",
            "01963f2",
            "01963f2a7b1c",
            "01963f2g",
            "-1963f2a-7b1c",
            "01963f2a-7b1c-7def-8123-456789abcdef0",
        ] {
            assert_eq!(SessionId::beginning_with(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_hyphenated_form_is_read() {
        let check = |text: &str, reads: bool| assert_eq!(SessionId::parse(text).is_some(), reads, "{text}");
        check("01963f2a-7b1c-7def-8123-456789abcdef", true);
        check("01963F2A-7B1C-7DEF-8123-456789ABCDEF", true);
        check("01963f2a7b1c7def8123456789abcdef", false);
        check("{01963f2a-7b1c-7def-8123-456789abcdef}", false);
        check("urn:uuid:01963f2a-7b1c-7def-8123-456789abcdef", false);
        check("01963f2a-7b1c-7def-8123-456789abcdeg", false);
        check("", false);
    }
}
