//! Decodes what nodes send by JSON-RPC: quantities, hashes, headers, logs. Malformed values give `None`.

use super::node::{Header, Log};
use serde_json::Value;

/// Topic of the ERC-20 event `Transfer(address,address,uint256)`.
pub const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// Decodes a quantity such as `0x7a69`.
pub fn quantity(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

/// Encodes a number as a quantity.
pub fn hex_quantity(number: u64) -> Value {
    Value::String(format!("0x{number:x}"))
}

/// Decodes an amount of up to 256 bits, saturated at `u128::MAX`.
pub fn amount(text: &str) -> Option<u128> {
    let digits = text.strip_prefix("0x")?;
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { Some(0) } else { Some(u128::from_str_radix(digits, 16).unwrap_or(u128::MAX)) }
}

/// Decodes the hash of a block or of a transaction, in lower case.
pub fn hash(value: &Value) -> Option<String> {
    hex_of(value, 64)
}

/// Decodes an address, in lower case.
pub fn address(value: &Value) -> Option<String> {
    hex_of(value, 40)
}

fn hex_of(value: &Value, digits: usize) -> Option<String> {
    let text = value.as_str()?;
    let inner = text.strip_prefix("0x")?;
    let right = inner.len() == digits && inner.bytes().all(|b| b.is_ascii_hexdigit());
    right.then(|| text.to_ascii_lowercase())
}

/// An address as a log topic.
pub fn topic(address: &str) -> String {
    format!("0x{:0>64}", address.trim_start_matches("0x"))
}

/// Decodes a block header.
pub fn header(value: &Value) -> Option<Header> {
    Some(Header {
        number: quantity(&value["number"])?,
        hash: hash(&value["hash"])?,
        parent: hash(&value["parentHash"])?,
        timestamp: quantity(&value["timestamp"])?,
    })
}

/// The kind of a log.
pub enum LogEntry {
    /// A token transfer.
    Transfer(Log),
    /// Anything else: an NFT, a transfer of zero, or a log that a reorg removed.
    Other,
}

/// Decodes a log; `None` if it is malformed.
pub fn log(value: &Value) -> Option<LogEntry> {
    let topics = value["topics"].as_array()?;
    let contract = address(&value["address"])?;
    let (block, index) = (quantity(&value["blockNumber"]), quantity(&value["logIndex"]));
    let (block_hash, transaction) = (hash(&value["blockHash"]), hash(&value["transactionHash"]));
    let removed = value["removed"].as_bool().unwrap_or(false);
    if removed || topics.len() != 3 || topics[0].as_str() != Some(TRANSFER) {
        return Some(LogEntry::Other);
    }
    let to = hash(&topics[2])?;
    // The address is in the last 40 digits; the rest of the topic is zeros.
    let to = to.strip_prefix("0x000000000000000000000000").map(|digits| format!("0x{digits}"));
    let data = value["data"].as_str()?;
    let atoms = if data.len() == 66 { amount(data) } else { None };
    match (to, atoms) {
        (Some(to), Some(atoms)) if atoms > 0 => Some(LogEntry::Transfer(Log {
            contract,
            to,
            atoms,
            block: block?,
            block_hash: block_hash?,
            transaction: transaction?,
            index: index?,
        })),
        _ => Some(LogEntry::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_of_256_bits_are_as_much_as_fits() {
        let huge = format!("0x{}", "f".repeat(64));
        for (text, expected) in [
            ("0x0", Some(0)),
            ("0x00ff", Some(255)),
            (huge.as_str(), Some(u128::MAX)),
            ("0x", None),
            ("ff", None),
            ("0x+1", None),
        ] {
            assert_eq!(amount(text), expected, "{text}");
        }
    }

    #[test]
    fn only_a_transfer_of_something_counts() {
        let hash = format!("0x{}", "1".repeat(64));
        let good = json!({
            "address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
            "topics": [TRANSFER, topic("0x1111111111111111111111111111111111111111"),
                topic("0x2222222222222222222222222222222222222222")],
            "data": format!("0x{:064x}", 12_500_000),
            "blockNumber": "0x10", "blockHash": hash, "transactionHash": hash, "logIndex": "0x3", "removed": false,
        });
        let Some(LogEntry::Transfer(read)) = log(&good) else { panic!("a transfer") };
        assert_eq!((read.atoms, read.block, read.index), (12_500_000, 16, 3));
        assert_eq!(read.to, "0x2222222222222222222222222222222222222222");
        assert_eq!(read.contract, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
        let changed = |key: &str, value: Value| {
            let mut log = good.clone();
            log[key] = value;
            log
        };
        let four = json!([TRANSFER, topic("0x1"), topic("0x2"), topic("0x3")]);
        let zero = json!(format!("0x{:064x}", 0));
        for other in [
            changed("removed", json!(true)),
            changed("topics", four),
            changed("data", zero),
            changed("data", json!("0x")),
        ] {
            assert!(matches!(log(&other), Some(LogEntry::Other)), "{other}");
        }
        for broken in [json!({}), changed("blockHash", json!("0x1")), changed("blockNumber", Value::Null)] {
            assert!(log(&broken).is_none(), "{broken}");
        }
    }
}
