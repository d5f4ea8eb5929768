//! The kinds of callback events, and the families of them that a vendor can switch off.

use crate::words::words;

words! {
    /// What a callback event reports.
    pub enum EventKind {
        SessionPaid = "session.paid",
        SessionFailed = "session.failed",
        SessionExpired = "session.expired",
        RefundSucceeded = "refund.succeeded",
        RefundFailed = "refund.failed",
        /// Money came after the session was final.
        PaymentLate = "payment.late",
        /// Less money came than was asked for, and the session expired.
        PaymentPartial = "payment.partial",
        /// More money came than was asked for.
        PaymentOver = "payment.over",
        /// It was decided what becomes of such money.
        PaymentResolved = "payment.resolved",
        /// A customer's bank demands a payment back (chargeback).
        DisputeOpened = "dispute.opened",
        DisputeWon = "dispute.won",
        DisputeLost = "dispute.lost",
    }
}

words! {
    /// A family of events that a vendor can switch off. Those of a session's own status belong to none.
    pub enum EventFamily {
        Refund = "refund",
        Payment = "payment",
        Dispute = "dispute",
    }
}

impl EventKind {
    /// The family that it belongs to; `None` for a session's own status, which is always reported.
    #[must_use]
    pub fn family(self) -> Option<EventFamily> {
        match self {
            Self::SessionPaid | Self::SessionFailed | Self::SessionExpired => None,
            Self::RefundSucceeded | Self::RefundFailed => Some(EventFamily::Refund),
            Self::PaymentLate | Self::PaymentPartial | Self::PaymentOver | Self::PaymentResolved => {
                Some(EventFamily::Payment)
            }
            Self::DisputeOpened | Self::DisputeWon | Self::DisputeLost => Some(EventFamily::Dispute),
        }
    }
}

/// The families of events that a vendor is sent: all of them unless it switched some off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFamilies {
    pub refund: bool,
    pub payment: bool,
    pub dispute: bool,
}

impl Default for EventFamilies {
    fn default() -> Self {
        Self { refund: true, payment: true, dispute: true }
    }
}

impl EventFamilies {
    /// The families in a list such as `refund,payment`; empty for none. `None` if a word is not a family.
    #[must_use]
    pub fn parse(list: &str) -> Option<Self> {
        let mut families = Self { refund: false, payment: false, dispute: false };
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            *families.switch(EventFamily::parse(word)?) = true;
        }
        Some(families)
    }

    /// The families in a stored list. A word that this version does not know is ignored: a later one may have written it.
    #[must_use]
    pub fn from_stored(list: &str) -> Self {
        let mut families = Self { refund: false, payment: false, dispute: false };
        for family in list.split(',').filter_map(EventFamily::parse) {
            *families.switch(family) = true;
        }
        families
    }

    /// Inverse of [`parse`](Self::parse).
    #[must_use]
    pub fn list(self) -> String {
        let sent = EventFamily::ALL.iter().filter(|family| self.has(**family));
        sent.map(|family| family.as_str()).collect::<Vec<_>>().join(",")
    }

    #[must_use]
    pub fn has(self, family: EventFamily) -> bool {
        match family {
            EventFamily::Refund => self.refund,
            EventFamily::Payment => self.payment,
            EventFamily::Dispute => self.dispute,
        }
    }

    /// Returns true if events of this kind are sent.
    #[must_use]
    pub fn send(self, kind: EventKind) -> bool {
        kind.family().is_none_or(|family| self.has(family))
    }

    fn switch(&mut self, family: EventFamily) -> &mut bool {
        match family {
            EventFamily::Refund => &mut self.refund,
            EventFamily::Payment => &mut self.payment,
            EventFamily::Dispute => &mut self.dispute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_families_reads_back() {
        for (list, same) in [
            ("refund,payment,dispute", "refund,payment,dispute"),
            (" dispute , refund ", "refund,dispute"),
            ("payment", "payment"),
            ("", ""),
            (",", ""),
        ] {
            assert_eq!(EventFamilies::parse(list).map(EventFamilies::list).as_deref(), Some(same), "{list}");
        }
        assert_eq!(EventFamilies::from_stored("payment,payout").list(), "payment");
        assert_eq!(EventFamilies::parse("session"), None);
        assert_eq!(EventFamilies::parse("refunds"), None);
        assert_eq!(EventFamilies::default().list(), "refund,payment,dispute");
    }

    #[test]
    fn a_family_is_the_first_word_of_its_events() {
        for kind in EventKind::ALL {
            let word = kind.as_str().split('.').next().expect("a word");
            assert_eq!(kind.family().map_or("session", EventFamily::as_str), word);
            let none = EventFamilies { refund: false, payment: false, dispute: false };
            assert_eq!(none.send(*kind), word == "session", "{word}");
            assert!(EventFamilies::default().send(*kind));
        }
    }
}
