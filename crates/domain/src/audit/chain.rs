//! The hash chain of the audit log: the canonical bytes of a line, and its seal.

use crate::{
    hash_chain::{Seal, begin, push_id, push_word},
    id::AuditId,
    time::Timestamp,
};

/// A line as it is stored. A line that this version does not understand is part of the hash chain too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLine {
    pub id: AuditId,
    pub at: Timestamp,
    /// The user who acted.
    pub actor_id: Option<[u8; 16]>,
    /// That user's e-mail address, or another name.
    pub actor: String,
    /// The IP address that the request came from.
    pub address: Option<String>,
    /// The text form of the [`Deed`](super::Deed).
    pub event: String,
    pub vendor_id: Option<[u8; 16]>,
    pub user_id: Option<[u8; 16]>,
    pub detail: Option<String>,
}

/// The bytes of a line that are hashed. Numbers are big-endian; a word is its length in one byte and its
/// UTF-8, or 255 and its SHA-256 if it has 255 bytes or more.
///
/// | bytes | what |
/// |---|---|
/// | 32 | the hash of the line before it; zeros before the first |
/// | 8 | its number |
/// | 16, 8 | its id; when, in milliseconds since 1970 |
/// | 1, 16 | 1 and the id of the user who acted, or 0 and zeros |
/// | word | their name |
/// | word | the deed |
/// | 1, 16 | the vendor, as above |
/// | 1, 16 | the user that it is about, as above |
/// | 1, word | 1 and the address, or 0 |
/// | 1, word | 1 and the detail, or 0 |
#[must_use]
pub fn canonical_bytes(line: &StoredLine, before: &Seal) -> Vec<u8> {
    let mut bytes = begin(before);
    bytes.extend(line.id.as_bytes());
    bytes.extend(line.at.as_ms().to_be_bytes());
    push_id(&mut bytes, line.actor_id.as_ref());
    push_word(&mut bytes, &line.actor);
    push_word(&mut bytes, &line.event);
    push_id(&mut bytes, line.vendor_id.as_ref());
    push_id(&mut bytes, line.user_id.as_ref());
    for text in [&line.address, &line.detail] {
        bytes.push(u8::from(text.is_some()));
        if let Some(text) = text {
            push_word(&mut bytes, text);
        }
    }
    bytes
}

/// The seal of `line` as the successor of `before`.
#[must_use]
pub fn seal(line: &StoredLine, before: &Seal) -> Seal {
    before.next(&canonical_bytes(line, before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_chain::NOTHING;

    fn line() -> StoredLine {
        StoredLine {
            id: AuditId::from_bytes([1; 16]),
            at: Timestamp::from_ms(1_700_000_000_000),
            actor_id: Some([2; 16]),
            actor: "ada@shop.example".to_owned(),
            address: Some("127.0.0.1".to_owned()),
            event: "payout_sent".to_owned(),
            vendor_id: Some([3; 16]),
            user_id: None,
            detail: Some("10.00 EUR".to_owned()),
        }
    }

    #[test]
    fn s10_every_field_of_a_line_and_its_place_count() {
        type Edit = fn(&mut StoredLine);
        let edits: [Edit; 10] = [
            |line| line.id = AuditId::from_bytes([9; 16]),
            |line| line.at = Timestamp::from_ms(1),
            |line| line.actor_id = None,
            |line| line.actor = "eve@shop.example".to_owned(),
            |line| line.address = None,
            |line| line.event = "payout_refused".to_owned(),
            |line| line.vendor_id = None,
            |line| line.user_id = Some([0; 16]),
            |line| line.detail = Some("1.00 EUR".to_owned()),
            |line| (line.address, line.detail) = (line.detail.clone(), line.address.clone()),
        ];
        let first = seal(&line(), &NOTHING);
        assert_eq!(first, seal(&line(), &NOTHING));
        for (number, edit) in edits.iter().enumerate() {
            let mut edited = line();
            edit(&mut edited);
            assert_ne!(seal(&edited, &NOTHING).hash, first.hash, "{number}");
        }
        let second = seal(&line(), &first);
        assert_eq!(second.seq, 2);
        assert_ne!(second.hash, first.hash, "the same line at another place");
    }

    #[test]
    fn a_long_detail_counts_to_its_end() {
        let long = |end: &str| StoredLine { detail: Some(format!("{}{end}", "x".repeat(400))), ..line() };
        assert_ne!(seal(&long("a"), &NOTHING), seal(&long("b"), &NOTHING));
    }
}
