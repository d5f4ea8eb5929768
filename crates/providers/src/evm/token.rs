//! Reads the metadata of a token's contract from one node.

use super::{
    endpoint::{AskError, Endpoint},
    node::Token,
};
use serde_json::json;
use till_domain::chain::Address;

/// The decimals and the symbol that a contract reports.
pub(super) async fn read(endpoint: &Endpoint, contract: Address) -> Result<Token, AskError> {
    let decimals = call(endpoint, contract, "0x313ce567").await?;
    let symbol = call(endpoint, contract, "0x95d89b41").await?;
    Ok(Token { decimals: read_number(&decimals), symbol: read_text(&symbol) })
}

/// The bytes that a contract call returns; none if the contract reverts.
async fn call(endpoint: &Endpoint, contract: Address, data: &str) -> Result<Vec<u8>, AskError> {
    let said =
        endpoint.ask("eth_call", json!([{ "to": contract.to_string(), "data": data }, "latest"])).await;
    let said = match said {
        Err(AskError::Refused { message, .. }) if message.contains("revert") => return Ok(Vec::new()),
        said => said?,
    };
    let text = said.as_str().and_then(|text| text.strip_prefix("0x"));
    text.and_then(|text| hex::decode(text).ok()).ok_or(AskError::Malformed("eth_call"))
}

fn read_number(bytes: &[u8]) -> Option<u128> {
    let (high, low) = bytes.first_chunk::<32>()?.split_first_chunk::<16>()?;
    (bytes.len() == 32 && high == &[0; 16])
        .then(|| u128::from_be_bytes(*low.first_chunk().unwrap_or(&[0; 16])))
}

/// Decodes an ABI string, as almost all tokens return it, or 32 bytes padded with zeros, as the oldest do.
fn read_text(bytes: &[u8]) -> Option<String> {
    const LONGEST: usize = 64;
    let text = if bytes.len() == 32 {
        bytes.split(|byte| *byte == 0).next()?
    } else {
        let length =
            usize::try_from(read_number(bytes.get(32..64)?)?).ok().filter(|length| *length <= LONGEST)?;
        bytes.get(64..64 + length)?
    };
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_read_as_new_and_as_old_tokens_write_it() {
        let word = |number: u8| [&[0; 31][..], &[number]].concat();
        let new = [word(32), word(4), b"USDC".to_vec(), vec![0; 28]].concat();
        assert_eq!(read_text(&new).as_deref(), Some("USDC"));
        let old = [&b"MKR"[..], &[0; 29]].concat();
        assert_eq!(read_text(&old).as_deref(), Some("MKR"));
        for broken in [vec![], vec![0; 32], vec![255; 96], [word(32), word(200), vec![0; 200]].concat()] {
            assert_eq!(read_text(&broken), None);
        }
        assert_eq!(read_number(&word(6)), Some(6));
        assert_eq!(read_number(&[255; 32]), None);
    }
}
