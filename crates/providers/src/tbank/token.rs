//! The signature of requests and notices (`Token`): SHA-256 over the values of the plain members, sorted by
//! name, with the terminal's password among them.
//!
//! Values are joined without separators, so characters can be moved between neighbours without changing the
//! token, and nested members are not covered at all. So a notice only names a payment and our attempt, of which the first is then fetched;
//! the one exception is the registration of a fiscal receipt.

use serde::Deserialize as _;
use serde_json::{Map, Value, value::RawValue};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq as _;

/// The names that take part in a special way.
const TOKEN: &str = "Token";
const PASSWORD: &str = "Password";

/// The token of a request.
pub(super) fn sign(members: &Map<String, Value>, password: &str) -> String {
    let plain = members.iter().filter_map(|(name, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((name.clone(), text))
    });
    digest(plain.collect(), password)
}

/// Whether the token in a notice is right. Numbers count as they are written.
pub(super) fn is_right(body: &[u8], password: &str) -> bool {
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(body) else { return false };
    let plain = members.iter().filter_map(|(name, raw)| Some((name.clone(), text_of(raw)?)));
    let mut plain: BTreeMap<String, String> = plain.collect();
    let Some(given) = plain.remove(TOKEN) else { return false };
    bool::from(digest(plain, password).as_bytes().ct_eq(given.to_ascii_lowercase().as_bytes()))
}

/// The text by which a member takes part; `None` for null and nested members.
fn text_of(raw: &RawValue) -> Option<String> {
    match raw.get().as_bytes().first()? {
        b'{' | b'[' | b'n' => None,
        b'"' => String::deserialize(raw).ok(),
        _ => Some(raw.get().to_owned()),
    }
}

fn digest(mut plain: BTreeMap<String, String>, password: &str) -> String {
    plain.remove(TOKEN);
    plain.insert(PASSWORD.to_owned(), password.to_owned());
    let joined: String = plain.into_values().collect();
    hex::encode(Sha256::digest(joined.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn token(members: &Value, password: &str) -> String {
        sign(members.as_object().expect("an object"), password)
    }

    #[test]
    fn requests_are_signed_as_in_the_bank_s_examples() {
        let description = "Подарочная карта на 1000 рублей";
        let first = json!({ "TerminalKey": "MerchantTerminalKey", "Amount": 19200, "OrderId": "21090",
            "Description": description });
        assert_eq!(
            token(&first, "usaf8fw8fsw21g"),
            "0024a00af7c350a3a67ca168ce06502aa72772456662e38696d48b56ee9c97d9"
        );
        let second = json!({ "TerminalKey": "MerchantTerminalKey", "Amount": 19200, "OrderId": "00000",
            "Description": description, "DATA": { "Phone": "+71234567890" }, "Receipt": { "Items": [] },
            "Shops": [1], "Nothing": null, "Token": "old" });
        assert_eq!(
            token(&second, "11111111111111"),
            "72dd466f8ace0a37a1f740ce5fb78101712bc0665d91a8108c7c8a0ccd426db2"
        );
    }

    #[test]
    fn notices_are_verified_as_in_the_bank_s_examples() {
        let first = r#"{"TerminalKey":"1321054611234DEMO","OrderId":"201709","Success":true,
            "Status":"AUTHORIZED","PaymentId":8742591,"ErrorCode":"0","Amount":9855,"CardId":322264,
            "Pan":"430000******0777","ExpDate":"1122","RebillId":"101709",
            "Token":"b906d28e76c6428e37b25fcf86c0adc52c63d503013fdd632e300593d165766b"}"#;
        assert!(is_right(first.as_bytes(), "Dfsfh56dgKl"));
        let second = r#"{"Amount":1111,"CardId":"000000","ErrorCode":"0","ExpDate":"1111","OrderId":"000000",
            "Pan":"200000******0000","PaymentId":"0000000","RebillId":"000000","Status":"AUTHORIZED",
            "Success":true,"TerminalKey":"1234567890DEMO","Data":{"Source":"cards"},"Extra":null,
            "Token":"1c0964277d0213349243065a0d5b838b8e90d2d25f740d0f2767836e710e80c8"}"#;
        assert!(is_right(second.as_bytes(), "11111111111"));
        for (from, to) in [
            ("\"Amount\":1111", "\"Amount\":1112"),
            ("\"Amount\":1111", "\"Amount\":1111.0"),
            ("\"Success\":true", "\"Success\":false"),
            ("\"Status\"", "\"AStatus\""),
            ("1c0964", "1c0965"),
            ("\"Extra\":null", "\"Extra\":1"),
        ] {
            assert!(!is_right(second.replace(from, to).as_bytes(), "11111111111"), "{from} → {to}");
        }
        assert!(!is_right(second.as_bytes(), "11111111112"));
        for wrong in ["", "null", "[]", "{}", r#"{"Token":""}"#, r#"{"Token":5}"#] {
            assert!(!is_right(wrong.as_bytes(), "11111111111"), "{wrong}");
        }
    }

    /// Why a notice is not believed: text may move from one member to its neighbour.
    #[test]
    fn text_that_moves_between_neighbours_keeps_the_token() {
        let told = json!({ "PaymentId": "1", "Status": "PARTIAL_REFUNDED" });
        let moved = json!({ "PaymentId": "1PARTIAL_", "Status": "REFUNDED" });
        let believed = |object: &Value| {
            let mut object = object.clone();
            object["Token"] = Value::String(token(&object, "secret"));
            is_right(object.to_string().as_bytes(), "secret")
        };
        assert!(believed(&told) && believed(&moved));
        assert_eq!(token(&told, "Secret"), token(&moved, "Secret"));
    }
}
