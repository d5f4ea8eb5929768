//! Every mistake that the doctor knows is made here by other means than its own code.

use super::*;
use crate::web::{language::Language, words::Words};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;

const SECRET: &str = "sk_sandbox_uKq6v2mXh0rB8Yt1nZ4cVwE5sLd7GfJ9aQpRkTyUiOo";
const OTHER: &str = "sk_sandbox_second-secret";
const ENDED: &str = "sk_sandbox_ended-secret";
const LIVE: &str = "sk_live_live-secret";
const TOKEN: &str = "till_sandbox_token";
const BODY: &str = r#"{"event":"session.paid","eventId":"01963f2a-9d40-7c11-9a52-3f0c5b7e21d4","occurredAt":"2026-11-15T09:31:30.000Z","status":"paid","productName":"Атлас 50%25 а/б","orderId":"A-1001"}"#;

fn known(secret: &str, client_id: &str, used_for: SecretUse) -> KnownSecret {
    KnownSecret { secret: secret.to_owned().into(), client_id: client_id.to_owned(), used_for }
}

fn secrets() -> Vec<KnownSecret> {
    vec![
        known(SECRET, "sandbox_1", SecretUse::Signature),
        known(OTHER, "sandbox_2", SecretUse::Alternate),
        known(ENDED, "sandbox_0", SecretUse::Ended),
        known(LIVE, "live_1", SecretUse::OtherEnvironment),
    ]
}

fn check(signature: &str, body: &[u8]) -> SignatureReport {
    check_sent(signature, body, None)
}

/// Checks a signature of an event whose bytes are known.
fn check_sent(signature: &str, body: &[u8], sent: Option<&[u8]>) -> SignatureReport {
    let sent = sent.map(|sent| SentEvent { body: sent.to_vec(), at: Vec::new() });
    check_at(signature, body, sent.as_ref(), now())
}

fn check_at(signature: &str, body: &[u8], sent: Option<&SentEvent>, now: Timestamp) -> SignatureReport {
    SignatureCheck { signature, body, secrets: &secrets(), token: Some(TOKEN), sent, now }.run()
}

/// Ten days after the event.
fn now() -> Timestamp {
    Timestamp::parse("2026-11-25T09:31:30Z").expect("a time")
}

fn found(signature: &str, body: &[u8]) -> Vec<Mistake> {
    let report = check(signature, body);
    report.diagnoses.into_iter().map(|diagnosis| diagnosis.mistake).collect()
}

fn mac(key: &[u8], body: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key");
    mac.update(body);
    mac.finalize().into_bytes().to_vec()
}

/// The signature that a vendor computes with this key over this body.
fn sign(key: &str, body: &str) -> String {
    hex::encode(mac(key.as_bytes(), body.as_bytes()))
}

fn right() -> String {
    sign(SECRET, BODY)
}

macro_rules! hmac_with {
    ($digest:ty) => {{
        let mut mac = Hmac::<$digest>::new_from_slice(SECRET.as_bytes()).expect("a key");
        mac.update(BODY.as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }};
}

/// The `webhook-signature` of the body, sent at this time.
fn standard_webhooks(at: &str) -> String {
    let seconds = Timestamp::parse(at).expect("a time").as_ms() / 1000;
    let signed = format!("01963f2a-9d40-7c11-9a52-3f0c5b7e21d4.{seconds}.{BODY}");
    format!("v1,{}", BASE64_STANDARD.encode(mac(SECRET.as_bytes(), signed.as_bytes())))
}

/// A signature for every mistake.
fn mistakes() -> Vec<(Mistake, String)> {
    let bytes = mac(SECRET.as_bytes(), BODY.as_bytes());
    let random = SECRET.strip_prefix("sk_sandbox_").expect("a prefix");
    let decoded = base64::prelude::BASE64_STANDARD_NO_PAD.decode(random);
    let decoded = decoded.unwrap_or_else(|_| base64_of(random));
    let colons: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let over = |body: &str| sign(SECRET, body);
    let timed = standard_webhooks("2026-11-15T09:31:31Z");
    let escaped: String = BODY.encode_utf16().map(escape).collect();
    let sorted: std::collections::BTreeMap<String, String> = serde_json::from_str(BODY).expect("JSON");
    let sorted = serde_json::to_string(&sorted).expect("JSON");
    vec![
        (Mistake::None, right()),
        (Mistake::AlternateSecret, sign(OTHER, BODY)),
        (Mistake::EndedSecret, sign(ENDED, BODY)),
        (Mistake::OtherEnvironment, sign(LIVE, BODY)),
        (Mistake::ClientIdAsKey, sign("sandbox_1", BODY)),
        (Mistake::TokenAsKey, sign(TOKEN, BODY)),
        (Mistake::EmptyKey, sign("", BODY)),
        (Mistake::DecodedFromBase64, hex::encode(mac(&decoded, BODY.as_bytes()))),
        (Mistake::WithoutPrefix, sign(random, BODY)),
        (Mistake::SecretSurrounded, sign(&format!("{SECRET}\n"), BODY)),
        (Mistake::SecretEncoded, sign(&BASE64_STANDARD.encode(SECRET), BODY)),
        (Mistake::Sha1, hmac_with!(sha1::Sha1)),
        (Mistake::Sha384, hmac_with!(sha2::Sha384)),
        (Mistake::Sha512, hmac_with!(sha2::Sha512)),
        (Mistake::Md5, hmac_with!(md5::Md5)),
        (Mistake::NoHmac, hex::encode(Sha256::digest(format!("{SECRET}{BODY}")))),
        (Mistake::SwappedArguments, sign(BODY, SECRET)),
        (Mistake::UpperCase, right().to_uppercase()),
        (Mistake::Base64, BASE64_STANDARD.encode(&bytes)),
        (Mistake::Prefix, format!("sha256={}", right())),
        (Mistake::Separators, colons.join(":")),
        (Mistake::Surrounded, format!("{}\n", right())),
        (Mistake::EncodedTwice, BASE64_STANDARD.encode(right())),
        (Mistake::Truncated, right()[..40].to_owned()),
        (Mistake::Spaces, over(&BODY.replace("\":\"", "\": \"").replace("\",\"", "\", \""))),
        (Mistake::KeyOrder, over(&sorted)),
        (Mistake::EscapedSlashes, over(&BODY.replace('/', "\\/"))),
        (Mistake::EscapedNonAscii, over(&escaped)),
        (Mistake::ByteOrderMark, over(&format!("\u{feff}{BODY}"))),
        (Mistake::TrailingNewline, over(&format!("{BODY}\n"))),
        (Mistake::UrlDecoded, over(&BODY.replace("%25", "%"))),
        (Mistake::SerializedTwice, over(&format!("\"{}\"", BODY.replace('"', "\\\"")))),
        (Mistake::BodyEncoded, over(&BASE64_STANDARD.encode(BODY))),
        (Mistake::EmptyBody, over("")),
        (Mistake::StandardWebhooks, timed),
        (Mistake::NotASignature, "paid".to_owned()),
        (Mistake::NothingFound, sign("sk_sandbox_of-another-vendor", BODY)),
    ]
}

fn base64_of(text: &str) -> Vec<u8> {
    keys::decode_base64(text).expect("base64")
}

fn escape(unit: u16) -> String {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    }
}

#[test]
fn every_mistake_is_found() {
    let mut seen = HashSet::new();
    for (mistake, signature) in mistakes() {
        assert_eq!(found(&signature, BODY.as_bytes()), [mistake], "{signature}");
        seen.insert(mistake.code());
    }
    // These need another secret or another body, below.
    let others = [Mistake::DecodedFromHex, Mistake::LineEndings, Mistake::BodyChanged, Mistake::BodyNotSent];
    seen.extend(others.map(Mistake::code));
    let all: HashSet<_> = Mistake::ALL.iter().map(|mistake| mistake.code()).collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&&str>::new(), "each has a case");
    assert_eq!(all.len(), Mistake::ALL.len(), "no code has two meanings");
}

#[test]
fn a_secret_in_hex_may_have_been_decoded() {
    let secrets = [known(&"0a".repeat(32), "sandbox_1", SecretUse::Signature)];
    let signature = hex::encode(mac(&[10; 32], BODY.as_bytes()));
    let check = SignatureCheck {
        signature: &signature,
        body: BODY.as_bytes(),
        secrets: &secrets,
        token: None,
        sent: None,
        now: now(),
    };
    assert_eq!(check.run().diagnoses, [Mistake::DecodedFromHex.into()]);
}

#[test]
fn the_bytes_that_till_sent_count_not_those_that_are_given() {
    let (given, sent) = (BODY.as_bytes(), BODY.replace("\",\"", "\", \""));
    let of = |signature: &str| check_sent(signature, given, Some(sent.as_bytes()));
    let parsed = of(&sign(SECRET, BODY));
    assert_eq!((parsed.right, parsed.diagnoses), (false, vec![Mistake::BodyNotSent.into()]));
    let proxied = of(&sign(SECRET, &sent));
    assert_eq!((proxied.right, proxied.diagnoses), (false, vec![Mistake::BodyChanged.into()]));
    assert!(check_sent(&right(), given, Some(given)).right);
}

#[test]
fn a_signature_of_standard_webhooks_is_found_at_every_time_at_which_it_can_have_been_sent() {
    let resent = SentEvent {
        body: BODY.into(),
        at: vec![Timestamp::parse("2026-11-18T12:00:00.700Z").expect("a time")],
    };
    for (at, is_found) in [
        ("2026-11-15T10:31:00Z", true),
        // Sent again by hand, three days later, and then with an old timestamp on purpose.
        ("2026-11-18T12:00:01Z", true),
        ("2026-11-17T12:00:00Z", true),
        // Read from the feed, which signs at that moment.
        ("2026-11-25T09:00:00Z", true),
        ("2026-11-14T09:31:30Z", true),
        ("2026-11-20T12:00:00Z", false),
    ] {
        let report = check_at(&standard_webhooks(at), BODY.as_bytes(), Some(&resent), now());
        let expected = if is_found { Mistake::StandardWebhooks } else { Mistake::NothingFound };
        assert_eq!(report.diagnoses, [expected.into()], "{at}");
    }
}

#[test]
fn a_large_request_is_little_work() {
    let list = vec!["0123456789abcdef0123456789abcdef"; 1000].join(" ");
    assert_eq!(found(&list, BODY.as_bytes()), [Mistake::NotASignature]);
    // Written with indentation it would be a hundred times as long.
    let deep = format!("{}{}{}", "[".repeat(100), vec!["1"; 16_000].join(","), "]".repeat(100));
    assert!(bodies::guesses(deep.as_bytes(), None).iter().all(|guess| guess.bytes.len() < 4 * deep.len()));
}

#[test]
fn line_endings_of_a_document_in_lines_may_have_been_changed() {
    let lines = BODY.replace(",\"", ",\n\"");
    let windows = lines.replace('\n', "\r\n");
    assert_eq!(found(&sign(SECRET, &windows), lines.as_bytes()), [Mistake::LineEndings]);
    assert_eq!(found(&sign(SECRET, &lines), windows.as_bytes()), [Mistake::LineEndings]);
    assert_eq!(found(&sign(SECRET, BODY), format!("\u{feff}{BODY}").as_bytes()), [Mistake::ByteOrderMark]);
}

#[test]
fn mistakes_that_come_together_are_all_named() {
    // What json_encode of PHP writes with its defaults.
    let php: String = BODY.replace('/', "\\/").encode_utf16().map(escape).collect();
    assert_eq!(
        found(&sign(SECRET, &php), BODY.as_bytes()),
        [Mistake::EscapedSlashes, Mistake::EscapedNonAscii]
    );
    let ended = BASE64_STANDARD.encode(mac(ENDED.as_bytes(), BODY.as_bytes()));
    assert_eq!(found(&ended, BODY.as_bytes()), [Mistake::Base64, Mistake::EndedSecret]);
    let upper = hmac_with!(sha1::Sha1).to_uppercase();
    let prefixed = found(&format!(" sha1={upper}"), BODY.as_bytes());
    assert_eq!(prefixed, [Mistake::Surrounded, Mistake::Prefix, Mistake::UpperCase, Mistake::Sha1]);
}

#[test]
fn right_is_what_till_sends_and_nothing_else() {
    for (mistake, signature) in mistakes() {
        let is_right = matches!(mistake, Mistake::None | Mistake::AlternateSecret);
        assert_eq!(check(&signature, BODY.as_bytes()).right, is_right, "{mistake:?}");
    }
}

#[test]
fn i23_no_secret_is_in_a_report() {
    for (_, signature) in mistakes() {
        let report = format!("{:?}", check(&signature, BODY.as_bytes()));
        for secret in [SECRET, OTHER, ENDED, LIVE, TOKEN] {
            assert!(!report.contains(secret), "{report}");
        }
    }
    let english = Words { language: Language::English };
    let ended = check(&sign(ENDED, BODY), BODY.as_bytes());
    assert!(
        ended.diagnoses[0]
            .says(&english)
            .ends_with("The secret that was used belongs to client id sandbox_0.")
    );
}

#[test]
fn any_bytes_are_examined() {
    for body in [&b""[..], b"\xff\xfe", b"[1.5,null,true,{}]", &[b'['; 300]] {
        for signature in ["", "00", "v1,", "\u{fffd}", &"0".repeat(63), &"A".repeat(4000)] {
            assert!(!check(signature, body).right);
        }
    }
}
