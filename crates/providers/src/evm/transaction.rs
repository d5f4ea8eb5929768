//! Queries to one node about a transaction.

use super::{
    endpoint::{AskError, Endpoint},
    node::Receipt,
    wire::{self, LogEntry},
};
use serde_json::json;
use till_domain::chain::{Atoms, TxHash};

/// True if the node knows the transaction, in a block or waiting for one.
pub(super) async fn is_known(endpoint: &Endpoint, hash: TxHash) -> Result<bool, AskError> {
    endpoint.ask("eth_getTransactionByHash", json!([hash.to_string()])).await.map(|said| !said.is_null())
}

/// What a transaction did; `None` if no block has it.
pub(super) async fn receipt(endpoint: &Endpoint, hash: TxHash) -> Result<Option<Receipt>, AskError> {
    const METHOD: &str = "eth_getTransactionReceipt";
    let said = endpoint.ask(METHOD, json!([hash.to_string()])).await?;
    if said.is_null() {
        return Ok(None);
    }
    let transaction = endpoint.ask("eth_getTransactionByHash", json!([hash.to_string()])).await?;
    if transaction.is_null() || transaction["blockHash"] != said["blockHash"] {
        // A reorg happened between the two queries; a later query will tell.
        return Err(AskError::Malformed(METHOD));
    }
    let read = || {
        let value = wire::amount(transaction["value"].as_str()?)?;
        let to = wire::address(&transaction["to"]);
        let mut logs = Vec::new();
        for entry in said["logs"].as_array()? {
            if let LogEntry::Transfer(log) = wire::log(entry)? {
                logs.push(log);
            }
        }
        Some(Receipt {
            succeeded: wire::quantity(&said["status"]) == Some(1),
            block: wire::quantity(&said["blockNumber"])?,
            block_hash: wire::block_hash(&said["blockHash"])?,
            value: to.filter(|_| value > Atoms::ZERO).map(|to| (to, value)),
            logs,
        })
    };
    read().map(Some).ok_or(AskError::Malformed(METHOD))
}
