//! Limits against card testing, in which criminals try out stolen card numbers with small payments: the
//! number of payments begun is limited for each session, each public address and each vendor.

use super::{Limits, Quota};
use std::{net::IpAddr, time::Duration};
use till_domain::{
    address::{is_public, network},
    id::VendorId,
};

/// The limit of begun payments that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    #[error("too many payment attempts for the session")]
    OfSession,
    /// From this address; the seconds to wait.
    #[error("too many payment attempts from the address")]
    FromAddress(u64),
    /// At this vendor; the seconds to wait.
    #[error("too many payment attempts at the vendor")]
    AtVendor(u64),
}

impl TooMany {
    /// The label of a metric.
    #[must_use]
    pub fn limit(self) -> &'static str {
        match self {
            Self::OfSession => "session",
            Self::FromAddress(_) => "address",
            Self::AtVendor(_) => "vendor",
        }
    }

    /// The seconds to wait, if waiting helps.
    #[must_use]
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::OfSession => None,
            Self::FromAddress(seconds) | Self::AtVendor(seconds) => Some(seconds),
        }
    }
}

impl Limits {
    /// Counts a payment that is about to begin, unless a limit is reached.
    pub fn count_attempt(&self, vendor: VendorId, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        let network = network(address);
        let wait = |quota: Option<Quota>| {
            let wait = quota.and_then(|quota| quota.retry_after)?;
            Some(wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX).max(1))
        };
        // A refusal by one limit takes nothing from the other. An address that is not public may stand for
        // all customers, so it is not limited.
        let customers = is_public(address);
        if customers && let Some(seconds) = wait(self.attempts_address.peek(&network, now)) {
            return Err(TooMany::FromAddress(seconds));
        }
        if let Some(seconds) = wait(self.attempts_vendor.take(&vendor, now)) {
            return Err(TooMany::AtVendor(seconds));
        }
        if customers {
            self.attempts_address.take(&network, now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Rate, Rates};

    fn limits(address: &str, vendor: &str) -> Limits {
        let rate = |text: &str| Rate::parse(text).expect("a rate");
        Limits::new(&Rates {
            create: Rate::OFF,
            status: Rate::OFF,
            token: Rate::OFF,
            failed_tries: Rate::OFF,
            failed_tries_address: Rate::OFF,
            checks: Rate::OFF,
            attempts_address: rate(address),
            attempts_vendor: rate(vendor),
            attempts_session: 20,
        })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn t31_an_address_and_a_vendor_have_a_limit_each() {
        let (shop, other) = (VendorId::from_bytes([1; 16]), VendorId::from_bytes([2; 16]));
        let limits = limits("1/m burst 2", "1/m burst 3");
        let begin = |vendor, from: &str| limits.count_attempt(vendor, address(from), Duration::ZERO);
        assert_eq!(begin(shop, "203.0.113.1"), Ok(()));
        assert_eq!(begin(other, "203.0.113.1"), Ok(()));
        for _ in 0..5 {
            assert_eq!(begin(shop, "203.0.113.1"), Err(TooMany::FromAddress(60)));
        }
        assert_eq!(begin(shop, "203.0.113.2"), Ok(()), "what was refused took nothing from the vendor");
        assert_eq!(begin(shop, "203.0.113.3"), Ok(()));
        assert_eq!(begin(shop, "203.0.113.4"), Err(TooMany::AtVendor(60)));
        assert_eq!(begin(other, "203.0.113.4"), Ok(()), "each has its own");
        let later = limits.count_attempt(shop, address("203.0.113.1"), Duration::from_secs(60));
        assert_eq!(later, Ok(()));
    }

    #[test]
    fn t31_a_whole_ipv6_network_is_one_and_a_proxy_that_no_one_named_is_all_customers() {
        let shop = VendorId::from_bytes([1; 16]);
        let limits = limits("1/m burst 2", "0");
        let begin = |from: &str| limits.count_attempt(shop, address(from), Duration::ZERO).is_ok();
        assert!(begin("2001:db8::1") && begin("2001:db8::2") && !begin("2001:db8::3"));
        for _ in 0..10 {
            assert!(["127.0.0.1", "10.1.2.3", "192.168.0.1", "::1", "fd00::1"].into_iter().all(&begin));
        }
    }
}
