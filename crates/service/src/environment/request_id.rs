//! The id of a request, by which its log lines and the session it created are found.

use crate::random;
use std::sync::Arc;
use till_domain::time::Timestamp;

/// The id of a request, taken from the caller if it is well formed. Our own ids begin with their time: the
/// session that a request created is found near that time, without an index of request ids.
#[derive(Debug, Clone)]
pub struct RequestId(Arc<str>);

/// The prefix of our own ids; twelve hexadecimal digits of milliseconds and twelve random ones follow.
const OURS: &str = "req_";

impl RequestId {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The time of a request with this id, if the id is one of ours.
    #[must_use]
    pub fn moment(text: &str) -> Option<Timestamp> {
        let digits = text.strip_prefix(OURS)?;
        let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let ms = digits.get(..12).filter(|_| digits.len() == 24 && digits.bytes().all(is_digit))?;
        i64::from_str_radix(ms, 16).ok().map(Timestamp::from_ms)
    }

    /// A new id of ours for a request to this address.
    #[must_use]
    pub fn new(now: Timestamp, method: &str, path: &str) -> Self {
        let [_, _, ms @ ..] = u64::try_from(now.as_ms()).unwrap_or(0).to_be_bytes();
        let random: [u8; 6] = random::short_id_for("request", &[method.as_bytes(), path.as_bytes()]);
        let mut id = [0; OURS.len() + 24];
        let (prefix, digits) = id.split_at_mut(OURS.len());
        prefix.copy_from_slice(OURS.as_bytes());
        for (pair, byte) in digits.chunks_exact_mut(2).zip(ms.into_iter().chain(random)) {
            hex::encode_to_slice([byte], pair).unwrap_or_else(|_| unreachable!("two digits for a byte"));
        }
        let text = str::from_utf8(&id).unwrap_or_else(|_| unreachable!("digits are ASCII"));
        Self(text.into())
    }

    /// The caller's id, if it is well formed.
    #[must_use]
    pub fn from_client(text: &str) -> Option<Self> {
        let well_formed = (1..=128).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        well_formed.then(|| Self(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_ours_tells_its_moment_and_no_other_does() {
        let now = Timestamp::from_ms(1_763_164_800_123);
        let id = RequestId::new(now, "GET", "/");
        assert_eq!((id.as_str().len(), RequestId::moment(id.as_str())), (28, Some(now)));
        assert_ne!(id.as_str(), RequestId::new(now, "GET", "/").as_str());
        let wrong = ["", "req_", "order-7", "req_019a8b2c3d4e9fd736ad88e", "req_019a8b2c3d4e9fd736ad88eaa"];
        for other in
            wrong.iter().chain(&["req_019A8B2C3D4E9FD736AD88EA", "req_+19a8b2c3d4e9fd736ad88ea", "req_ё"])
        {
            assert_eq!(RequestId::moment(other), None, "{other}");
        }
    }
}
