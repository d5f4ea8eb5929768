//! Decodes what nodes send by JSON-RPC: quantities, hashes, headers, logs. Malformed values give `None`.

use super::node::{Header, Log};
use serde_json::Value;
use till_domain::chain::{Address, Atoms, BlockHash, TxHash};

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
pub fn amount(text: &str) -> Option<Atoms> {
    let digits = text.strip_prefix("0x")?;
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() {
        Atoms::ZERO
    } else {
        Atoms(u128::from_str_radix(digits, 16).unwrap_or(u128::MAX))
    })
}

pub fn block_hash(value: &Value) -> Option<BlockHash> {
    BlockHash::parse(value.as_str()?)
}

pub fn tx_hash(value: &Value) -> Option<TxHash> {
    TxHash::parse(value.as_str()?)
}

pub fn address(value: &Value) -> Option<Address> {
    Address::parse(value.as_str()?)
}

/// The zeros before the address in a log topic, which has 32 bytes.
const PADDING: &str = "000000000000000000000000";

/// An address as a log topic.
pub fn topic(address: Address) -> String {
    format!("0x{PADDING}{}", hex::encode(address.as_bytes()))
}

/// Decodes a log topic of 32 bytes. The inner `None` is a topic that holds no address.
fn topic_address(value: &Value) -> Option<Option<Address>> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some(digits.strip_prefix(PADDING).and_then(|digits| Address::parse(&format!("0x{digits}"))))
}

/// Decodes a block header.
pub fn header(value: &Value) -> Option<Header> {
    Some(Header {
        number: quantity(&value["number"])?,
        hash: block_hash(&value["hash"])?,
        parent: block_hash(&value["parentHash"])?,
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
    let (block_hash, transaction) = (block_hash(&value["blockHash"]), tx_hash(&value["transactionHash"]));
    let removed = value["removed"].as_bool().unwrap_or(false);
    if removed || topics.len() != 3 || topics[0].as_str() != Some(TRANSFER) {
        return Some(LogEntry::Other);
    }
    let to = topic_address(&topics[2])?;
    let data = value["data"].as_str()?;
    let atoms = if data.len() == 66 { amount(data) } else { None };
    match (to, atoms) {
        (Some(to), Some(atoms)) if atoms > Atoms::ZERO => Some(LogEntry::Transfer(Log {
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
            assert_eq!(amount(text), expected.map(Atoms), "{text}");
        }
    }

    #[test]
    fn only_a_transfer_of_something_counts() {
        let hash = format!("0x{}", "1".repeat(64));
        let good = json!({
            "address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
            "topics": [TRANSFER, topic(Address::from_bytes([0x11; 20])), topic(Address::from_bytes([0x22; 20]))],
            "data": format!("0x{:064x}", 12_500_000),
            "blockNumber": "0x10", "blockHash": hash, "transactionHash": hash, "logIndex": "0x3", "removed": false,
        });
        let Some(LogEntry::Transfer(read)) = log(&good) else { panic!("a transfer") };
        assert_eq!((read.atoms, read.block, read.index), (Atoms(12_500_000), 16, 3));
        assert_eq!(read.to, Address::from_bytes([0x22; 20]));
        assert_eq!(read.contract.to_string(), "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
        let changed = |key: &str, value: Value| {
            let mut log = good.clone();
            log[key] = value;
            log
        };
        let four = json!([TRANSFER, topic(read.to), topic(read.to), topic(read.to)]);
        let zero = json!(format!("0x{:064x}", 0));
        let no_address = json!([TRANSFER, topic(read.to), format!("0x{}", "1".repeat(64))]);
        for other in [
            changed("removed", json!(true)),
            changed("topics", no_address),
            changed("topics", four),
            changed("data", zero),
            changed("data", json!("0x")),
        ] {
            assert!(matches!(log(&other), Some(LogEntry::Other)), "{other}");
        }
        for broken in [
            json!({}),
            changed("blockHash", json!("0x1")),
            changed("blockNumber", Value::Null),
            changed("address", json!("0x1")),
            changed("topics", json!([TRANSFER, topic(read.to), "0x1"])),
        ] {
            assert!(log(&broken).is_none(), "{broken}");
        }
    }
}
