//! Events (webhooks): verifies the signature of one, and reads its subject.

use super::{Stripe, intents::ATTEMPT, wire::Event};
use crate::{Notice, NoticeSubject};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use till_domain::{id::RefundId, time::Timestamp};

/// Maximum age of a signature, in seconds.
const TOLERANCE: i64 = 300;

/// The most signatures of a header that are verified.
const MAX_SIGNATURES: usize = 8;

/// Metadata key under which a refund has our id.
pub(super) const REFUND: &str = "refund_id";

impl Stripe {
    /// The event, if its signature is valid and recent, and it is of this account's mode.
    pub(super) fn event(&self, notice: &Notice<'_>) -> Option<Event> {
        let header = notice.signature?;
        if !is_signed(header, notice.body, &self.setup.webhook_secrets, (self.clock)()) {
            return None;
        }
        let event: Event = serde_json::from_slice(notice.body).ok()?;
        (event.livemode == self.setup.is_live()).then_some(event)
    }
}

/// The subject of an event: a dispute, a refund of ours, or a payment.
pub(super) fn subject(event: Event) -> NoticeSubject {
    let Event { kind, data, .. } = event;
    let thing = data.object;
    if kind.starts_with("charge.dispute.") {
        return NoticeSubject::Dispute { dispute: thing.id, payment: thing.payment_intent };
    }
    let ours = thing.metadata.get(REFUND).filter(|_| thing.object == "refund");
    if let Some(refund) = ours.and_then(|id| RefundId::parse(id)) {
        return NoticeSubject::Refund { refund, failed: kind == "refund.failed" };
    }
    let reference = thing.payment_intent.unwrap_or(thing.id);
    if reference.is_empty() {
        return NoticeSubject::Other;
    }
    NoticeSubject::payment(reference, thing.metadata.get(ATTEMPT).map(String::as_str))
}

/// Returns true if one of these secrets signed the body recently. Signatures are compared in constant time,
/// and all of them are compared.
fn is_signed(header: &str, body: &[u8], secrets: &[String], now: Timestamp) -> bool {
    let parts = || header.split(',').filter_map(|part| part.split_once('='));
    let Some((_, written)) = parts().find(|(name, _)| *name == "t") else { return false };
    let Ok(at) = written.parse::<i64>() else { return false };
    if (now.as_ms() / 1_000).saturating_sub(at) > TOLERANCE {
        return false;
    }
    let lower = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let signatures = parts().filter(|(name, text)| *name == "v1" && lower(text));
    let signatures: Vec<Vec<u8>> =
        signatures.filter_map(|(_, text)| hex::decode(text).ok()).take(MAX_SIGNATURES).collect();
    let good = |secret: &String| {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
        let mut mac = mac.unwrap_or_else(|_| unreachable!("a key may have any length"));
        mac.update(written.as_bytes());
        mac.update(b".");
        mac.update(body);
        signatures.iter().filter(|signature| mac.clone().verify_slice(signature).is_ok()).count()
    };
    secrets.iter().filter(|secret| !secret.trim().is_empty()).map(good).sum::<usize>() > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use till_testing::fuzz::{bytes_target, text_target};

    #[derive(Deserialize)]
    struct Vector {
        name: String,
        body: String,
        header: String,
        now: i64,
        secret: String,
        good: bool,
    }

    /// Made by the official SDK; `tests/providers/stripe/vectors.py` says how.
    fn vectors() -> Vec<Vector> {
        let text = include_str!("../../../../tests/providers/stripe/vectors.json");
        serde_json::from_str(text).expect("vectors")
    }

    #[test]
    fn signatures_are_judged_as_the_official_sdk_judges_them() {
        let all = vectors();
        assert!(all.len() >= 19);
        for vector in all {
            let now = Timestamp::from_ms(vector.now * 1_000);
            let judged = is_signed(&vector.header, vector.body.as_bytes(), &[vector.secret], now);
            assert_eq!(judged, vector.good, "{}", vector.name);
        }
    }

    #[test]
    fn while_a_secret_is_rolled_either_signs() {
        let (old, new) = ("whsec_the_old_one".to_owned(), "whsec_the_new_one".to_owned());
        let all = vectors();
        let by = |name: &str| all.iter().find(|vector| vector.name == name).expect("a vector");
        let judged = |vector: &Vector, secrets: &[String]| {
            is_signed(&vector.header, vector.body.as_bytes(), secrets, Timestamp::from_ms(vector.now * 1_000))
        };
        let (by_new, by_old) = (by("as it is sent"), by("by the other secret only"));
        let both = [old.clone(), new.clone()];
        assert!(judged(by_new, &both) && judged(by_old, &both));
        assert!(judged(by("by both secrets of a rotation"), std::slice::from_ref(&old)));
        assert!(!judged(by_old, std::slice::from_ref(&new)) && !judged(by_new, &[old]));
        assert!(!judged(by_new, &[String::new(), "  ".to_owned()]) && !judged(by_new, &[]));
    }

    #[test]
    fn l8_metadata_may_be_null() {
        let about = |object: &str| {
            let event =
                format!(r#"{{"type":"charge.refunded","livemode":false,"data":{{"object":{object}}}}}"#);
            subject(serde_json::from_str(&event).expect("an event"))
        };
        let payment = NoticeSubject::payment("pi_1".to_owned(), None);
        assert_eq!(
            about(r#"{"id":"ch_1","object":"charge","payment_intent":"pi_1","metadata":null}"#),
            payment
        );
        assert_eq!(
            about(r#"{"id":"re_1","object":"refund","payment_intent":"pi_1","metadata":null}"#),
            payment
        );
        assert_eq!(about(r#"{"id":"pi_1","object":"payment_intent"}"#), payment);
    }

    #[test]
    fn every_byte_counts() {
        let all = vectors();
        let good = &all[0];
        let (now, secrets) = (Timestamp::from_ms(good.now * 1_000), [good.secret.clone()]);
        assert!(is_signed(&good.header, good.body.as_bytes(), &secrets, now));
        for place in 0..good.body.len() {
            let mut body = good.body.clone().into_bytes();
            body[place] ^= 1;
            assert!(!is_signed(&good.header, &body, &secrets, now), "byte {place} of the body");
        }
        let at = good.header.find("v1=").expect("a signature") + 3;
        for place in at..good.header.len() {
            let mut header = good.header.clone().into_bytes();
            header[place] = if header[place] == b'0' { b'1' } else { b'0' };
            let header = String::from_utf8(header).expect("text");
            assert!(
                !is_signed(&header, good.body.as_bytes(), &secrets, now),
                "digit {place} of the signature"
            );
        }
    }

    fn signature(secret: &str, at: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        mac.update(format!("{at}.").as_bytes());
        mac.update(body);
        format!("t={at},v1={}", hex::encode(mac.finalize().into_bytes()))
    }

    #[test]
    fn f26_stripe_signature() {
        let all = vectors();
        let good: Vec<&Vector> = all.iter().filter(|vector| vector.good).collect();
        let headers: Vec<&str> = good.iter().map(|vector| vector.header.as_str()).collect();
        let first = good[0];
        // One of the signatures that were made, with the time that it was made for.
        let genuine = |text: &str| {
            let part = |name: &'static str| move |part: &str| part.strip_prefix(name).map(str::to_owned);
            let at = text.split(',').find_map(part("t="));
            let made =
                |header: &&str, v1: &str| header.contains(v1) && header.split(',').find_map(part("t=")) == at;
            text.split(',')
                .filter_map(part("v1="))
                .any(|v1| v1.len() == 64 && headers.iter().any(|header| made(header, &v1)))
        };
        text_target(&headers, &["t=", ",v1=", ",", "=", "9223372036854775807", "-1", "v0="], |header| {
            let now = Timestamp::from_ms(first.now * 1_000);
            let secrets = [first.secret.clone()];
            let judged = is_signed(header, first.body.as_bytes(), &secrets, now);
            assert!(!judged || genuine(header), "a signature that was never made: {header:?}");
        });
    }

    #[test]
    fn f26_stripe_event() {
        let seeds = [
            r#"{"type":"charge.refunded","livemode":false,"data":{"object":{"id":"ch_1","object":"charge","payment_intent":"pi_1","metadata":null}}}"#,
            r#"{"type":"refund.failed","livemode":true,"data":{"object":{"id":"re_1","object":"refund","payment_intent":null,"metadata":{"refund_id":"018f4e0a-7b1c-7000-8000-000000000001"}}}}"#,
        ];
        let words = ["null", "{", "}", "\"id\":", "\"metadata\":", "[", "\\u0000", "true", "refund", "1e99"];
        bytes_target(&seeds, &words, |body| {
            let now = Timestamp::from_ms(1_000_000_000);
            let (header, secrets) = (signature("whsec_a", 1_000_000, body), ["whsec_a".to_owned()]);
            assert!(is_signed(&header, body, &secrets, now));
            if let Ok(event) = serde_json::from_slice::<Event>(body) {
                subject(event);
            }
        });
    }
}
