//! Typed identifiers. All are UUIDv7: time-ordered, so that rows are inserted at the end of their table,
//! with 74 random bits that the caller draws.

use crate::time::Timestamp;
use std::fmt;
use uuid::Uuid;

/// The random part of one identifier, drawn by the caller from the system's generator.
pub type Entropy = [u8; 10];

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

            /// The identifier with these bytes, as a store keeps them.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The sixteen bytes that a store keeps.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
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
    /// Identifies one movement of money.
    TransactionId
);
uuid_id!(
    /// Identifies something that a person has to decide.
    ActionId
);
uuid_id!(RefundId);
uuid_id!(
    /// Identifies an entry of the ledger.
    EntryId
);
uuid_id!(
    /// Identifies somebody who can log in.
    UserId
);
uuid_id!(
    /// Identifies a browser that somebody logged in with.
    LoginId
);
uuid_id!(
    /// Identifies a line of the audit log.
    AuditId
);
uuid_id!(
    /// Identifies a vendor's wish for a sandbox.
    RequestId
);
uuid_id!(MailId);

uuid_id!(ReceiptId);

uuid_id!(
    /// Identifies one form on one page, which counts once however often it is sent.
    FormId
);

impl From<EventId> for TransactionId {
    /// The payment that makes a session final has the number of the event that tells of it.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<TransactionId> for ReceiptId {
    /// A receipt has the number of the money that it is about.
    fn from(transaction: TransactionId) -> Self {
        Self(transaction.0)
    }
}

impl From<EventId> for ActionId {
    /// What is left to do about a session has the number of the event of the same moment.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<EventId> for EntryId {
    /// What an event moves has the event's number.
    fn from(event: EventId) -> Self {
        Self(event.0)
    }
}

impl From<RefundId> for EntryId {
    /// What a refund takes from a vendor has the refund's number.
    fn from(refund: RefundId) -> Self {
        Self(refund.0)
    }
}

/// One of the random bits of an id, and none of those that count where ids are made by counting.
const OTHER_BIT: u128 = 1 << 56;

impl EntryId {
    /// The id of a second entry of the same moment.
    #[must_use]
    pub fn beside(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ OTHER_BIT))
    }
}

impl EventId {
    /// The id of what else happens in the same moment: a second transaction, and the action about it.
    #[must_use]
    pub fn beside(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ OTHER_BIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_version_7_and_sort_by_time() {
        let early = SessionId::new(Timestamp::from_ms(1_000), &[0xff; 10]);
        let late = SessionId::new(Timestamp::from_ms(1_001), &[0; 10]);
        assert!(early < late);
        assert_eq!(early.to_string(), "00000000-03e8-7fff-bfff-ffffffffffff");
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
