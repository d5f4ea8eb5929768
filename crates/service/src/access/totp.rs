//! The second factor: codes of an authenticator (RFC 6238: SHA-1, six digits, 30 seconds), and recovery codes
//! for users who have lost theirs.
//!
//! A code is valid for its own step and one to each side, and only once: the caller stores the step that was
//! used last. Implemented here because it is forty lines, and every authenticator uses exactly these
//! parameters.

use crate::random;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretBox, SecretString};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use till_domain::time::Timestamp;
use url::form_urlencoded;

/// The validity of a code, in seconds.
const STEP: i64 = 30;

/// The number of steps by which a clock may be behind or ahead.
const SKEW: i64 = 1;

/// The key shared with the authenticator: 160 bits.
pub struct Secret(SecretBox<[u8; 20]>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl Secret {
    #[must_use]
    pub fn generate() -> Self {
        Self(SecretBox::new(Box::new(random::draw("second factor"))))
    }

    /// Parses the form that [`Secret::text`] writes, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 20] = base32_decode(text)?.try_into().ok()?;
        Some(Self(SecretBox::new(Box::new(bytes))))
    }

    /// The secret in base32: the form that users type into an authenticator and that is stored encrypted.
    #[must_use]
    pub fn text(&self) -> SecretString {
        base32(self.0.expose_secret()).into()
    }

    /// The `otpauth` URI in the QR code for an authenticator.
    #[must_use]
    pub fn uri(&self, email: &str) -> SecretString {
        let label: String = form_urlencoded::byte_serialize(email.as_bytes()).collect();
        // Authenticators read %20, not +, as a blank.
        let label = label.replace('+', "%20");
        let secret = self.text();
        let secret = secret.expose_secret();
        format!("otpauth://totp/Till:{label}?secret={secret}&issuer=Till&algorithm=SHA1&digits=6&period=30")
            .into()
    }

    /// The code that an authenticator shows at this moment.
    #[must_use]
    pub fn code_at(&self, now: Timestamp) -> String {
        String::from_utf8_lossy(&self.code(now.as_ms() / 1000 / STEP)).into_owned()
    }

    /// The six digits of a step (RFC 4226, section 5.3).
    fn code(&self, step: i64) -> [u8; 6] {
        let mac = <Hmac<Sha1> as KeyInit>::new_from_slice(self.0.expose_secret())
            .expect("HMAC takes keys of any length");
        let mac: [u8; 20] = mac.chain_update(step.to_be_bytes()).finalize().into_bytes().into();
        let offset = usize::from(mac[19] & 0x0f);
        let mut number = u32::from_be_bytes([mac[offset], mac[offset + 1], mac[offset + 2], mac[offset + 3]]);
        number &= 0x7fff_ffff;
        let mut digits = [b'0'; 6];
        for digit in digits.iter_mut().rev() {
            *digit += u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
        }
        digits
    }
}

/// The step that this code belongs to, if it is newer than the last one used. Blanks in the code are ignored.
#[must_use]
pub fn verify(secret: &Secret, code: &str, now: Timestamp, last_step: Option<i64>) -> Option<i64> {
    let digits: Vec<u8> = code.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(7).collect();
    let current = now.as_ms() / 1000 / STEP;
    let mut found = None;
    // All steps are compared, so that the time taken does not tell which one matched.
    for step in current - SKEW..=current + SKEW {
        let right = bool::from(secret.code(step).as_slice().ct_eq(&digits));
        let unused = last_step.is_none_or(|last| step > last);
        if right && unused {
            found = found.or(Some(step));
        }
    }
    found
}

/// The number of recovery codes that a user gets.
pub const RECOVERY_CODES: usize = 10;

/// Characters of a recovery code, together 80 bits.
const RECOVERY_LEN: usize = 16;

/// A code that replaces the authenticator once.
#[derive(Debug)]
pub struct RecoveryCode {
    /// The form that the user keeps: `xxxx-xxxx-xxxx-xxxx`.
    pub text: SecretString,
    pub hash: [u8; 32],
}

#[must_use]
pub fn recovery_codes() -> [RecoveryCode; RECOVERY_CODES] {
    std::array::from_fn(|_| {
        let plain = base32(&random::draw::<10>("recovery code")).to_ascii_lowercase();
        let groups: Vec<&str> = (0..RECOVERY_LEN).step_by(4).map(|at| &plain[at..at + 4]).collect();
        RecoveryCode { text: groups.join("-").into(), hash: hash(&plain) }
    })
}

/// The stored form of a code as the user typed it: case, blanks and hyphens are ignored, and digits that are
/// in no code are read as the letters that they resemble. `None` if it cannot be a code.
#[must_use]
pub fn recovery_hash(typed: &str) -> Option<[u8; 32]> {
    let marks = |c: &char| !c.is_whitespace() && !matches!(c, '-' | '‐'..='―');
    let plain: String = typed
        .chars()
        .filter(marks)
        .take(RECOVERY_LEN + 1)
        .map(|c| match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' => 'l',
            '8' => 'b',
            other => other,
        })
        .collect();
    let whole = plain.len() == RECOVERY_LEN && base32_decode(&plain).is_some();
    whole.then(|| hash(&plain))
}

/// A plain hash is enough: 80 random bits cannot be found by guessing.
fn hash(plain: &str) -> [u8; 32] {
    Sha256::new().chain_update(b"till/recovery/1/").chain_update(plain).finalize().into()
}

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// RFC 4648 base32. Only whole groups of five bytes are written here, so there is no padding.
fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 5 * 8);
    for group in bytes.chunks(5) {
        let number = group.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        for place in (0..8).rev() {
            let digit = usize::try_from(number >> (place * 5) & 31).unwrap_or(0);
            text.push(char::from(ALPHABET[digit]));
        }
    }
    text
}

/// Reads whole groups of eight characters, in any case.
fn base32_decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(8) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 8 * 5);
    for group in text.chunks(8) {
        let mut number = 0_u64;
        for character in group {
            let digit = ALPHABET.iter().position(|c| *c == character.to_ascii_uppercase())?;
            number = number << 5 | u64::try_from(digit).ok()?;
        }
        bytes.extend_from_slice(&number.to_be_bytes()[3..]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The key of RFC 6238's test vectors.
    fn rfc() -> Secret {
        Secret(SecretBox::new(Box::new(*b"12345678901234567890")))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_ms(seconds * 1000)
    }

    /// RFC 6238, appendix B: the last six of its eight digits.
    const VECTORS: [(i64, &str); 6] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];

    #[test]
    fn codes_are_those_of_rfc_6238() {
        for (seconds, code) in VECTORS {
            assert_eq!(verify(&rfc(), code, at(seconds), None), Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn a_code_is_good_for_one_step_to_each_side() {
        let (seconds, code) = (1_234_567_890, "005924");
        for (offset, good) in [(-31, false), (-30, true), (0, true), (59, true), (60, false)] {
            assert_eq!(verify(&rfc(), code, at(seconds + offset), None).is_some(), good, "{offset}");
        }
    }

    #[test]
    fn a_code_is_good_once() {
        let (now, code) = (at(1_234_567_890), "005924");
        let step = verify(&rfc(), code, now, None).expect("good");
        assert_eq!(verify(&rfc(), code, now, Some(step - 1)), Some(step));
        assert_eq!(verify(&rfc(), code, now, Some(step)), None, "used");
        assert_eq!(verify(&rfc(), code, now, Some(step + 1)), None, "older than the one used last");
        let next = rfc().code(step + 1);
        let next = std::str::from_utf8(&next).expect("digits");
        assert_eq!(verify(&rfc(), next, now, Some(step)), Some(step + 1));
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let now = at(1_234_567_890);
        assert!(verify(&rfc(), " 005 924 ", now, None).is_some(), "blanks do not matter");
        for wrong in ["", "5924", "05924", "0059240", "00592", "89005924", "００５９２４", "005925", "-05924"]
        {
            assert_eq!(verify(&rfc(), wrong, now, None), None, "{wrong:?}");
        }
        assert_eq!(verify(&Secret::generate(), "005924", at(0), Some(i64::MAX)), None);
    }

    #[test]
    fn a_secret_is_written_in_base32_and_read_back() {
        assert_eq!(rfc().text().expose_secret(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let read = Secret::parse("gezdgnbvgy3tqojqgezdgnbvgy3tqojq").expect("a secret");
        assert_eq!(read.0.expose_secret(), rfc().0.expose_secret());
        for wrong in
            ["", "GEZDGNBV", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBV"]
        {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
        let new = Secret::generate();
        assert_ne!(new.0.expose_secret(), Secret::generate().0.expose_secret());
        assert_eq!(format!("{new:?}"), "Secret(hidden)");
    }

    #[test]
    fn the_address_for_authenticators_cannot_be_led_astray_by_an_email_address() {
        let uri = rfc().uri("o'hara+till &secret=A@shop.example");
        let expected = "otpauth://totp/Till:o%27hara%2Btill%20%26secret%3DA%40shop.example\
            ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Till&algorithm=SHA1&digits=6&period=30";
        assert_eq!(uri.expose_secret(), expected);
    }

    #[test]
    fn recovery_codes_are_known_however_they_are_typed() {
        let codes = recovery_codes();
        let hashes: HashSet<_> = codes.iter().map(|code| code.hash).collect();
        assert_eq!(hashes.len(), RECOVERY_CODES);
        for RecoveryCode { text, hash } in &codes {
            let text = text.expose_secret();
            assert_eq!((text.len(), text.matches('-').count()), (19, 3), "{text}");
            let upper = text.to_uppercase();
            let spelled = [
                text.to_owned(),
                text.replace('-', ""),
                text.replace('-', " "),
                format!("  {upper}\n"),
                upper.replace('O', "0").replace('L', "1").replace('B', "8"),
                text.replace('-', "–"),
            ];
            for typed in spelled {
                assert_eq!(recovery_hash(&typed).as_ref(), Some(hash), "{typed:?}");
            }
        }
        for wrong in
            ["", "abcd-efgh-ijkl", "abcd-efgh-ijkl-mnop-q", "abcd-efgh-ijkl-mno9", "abcd-efgh-ijkl-mnoé"]
        {
            assert_eq!(recovery_hash(wrong), None, "{wrong}");
        }
        assert!(!format!("{codes:?}").contains(codes[0].text.expose_secret()), "never shown by accident");
    }
}
