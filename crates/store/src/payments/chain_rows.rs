//! The rows of blockchain data: the values that [`super::chains`] writes, and how rows are read back.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Value},
    },
    payments::attempts,
};
use std::fmt::Display;
use till_domain::{
    chain::{Address, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer, TxHash},
    id::{AttemptId, SessionId},
};

/// The values of a transfer that is written, without the time at which it was seen.
pub(super) fn transfer_values(transfer: &Transfer) -> Result<Vec<Value>, StoreError> {
    Ok(vec![
        chain_id(transfer.chain)?,
        transfer.reference.as_str().into(),
        text(transfer.address),
        transfer.transaction.map(text).into(),
        transfer.contract.map(text).into(),
        text(transfer.atoms),
        number("block", transfer.block)?,
        text(transfer.block_hash),
    ])
}

pub(super) fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("a chain's {what} {value:?}"))
}

/// An address, a hash or an amount: its text is what is stored and compared.
pub(super) fn text(value: impl Display) -> Value {
    value.to_string().into()
}

pub(super) fn chain_id(chain: ChainId) -> Result<Value, StoreError> {
    number("chain", chain.0)
}

/// An unsigned number of a chain, as a value of the store.
pub(super) fn number(what: &str, number: u64) -> Result<Value, StoreError> {
    i64::try_from(number).map(Value::from).map_err(|_| corrupt(what, &number.to_string()))
}

fn read_number(row: &mut Row) -> Result<u64, StoreError> {
    let number = row.int()?;
    u64::try_from(number).map_err(|_| corrupt("number", &number.to_string()))
}

fn parsed<T>(what: &str, text: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
    parse(text).ok_or_else(|| corrupt(what, text))
}

fn read_address(row: &mut Row) -> Result<Address, StoreError> {
    parsed("address", &row.text()?, Address::parse)
}

fn read_contract(row: &mut Row) -> Result<Option<Address>, StoreError> {
    row.opt_text()?.map(|text| parsed("contract", &text, Address::parse)).transpose()
}

fn atoms(text: &str) -> Result<Atoms, StoreError> {
    attempts::atoms(text).map(Atoms)
}

/// Reads a deposit from one row for each of its transfers. If one of them cannot be read the received sum is
/// unknown, so the deposit cannot be read either.
pub(super) fn read_watched(rows: Vec<Row>) -> Result<(Deposit, Atoms), StoreError> {
    let (mut found, mut sum) = (None, Atoms::ZERO);
    for mut row in rows {
        found = Some(read_deposit(&mut row)?);
        let came = row.opt_text()?.map_or(Ok(Atoms::ZERO), |text| atoms(&text))?;
        sum = sum.saturating_add(came);
    }
    found.map(|deposit| (deposit, sum)).ok_or_else(|| corrupt("deposit", "without rows"))
}

/// Reads a transfer of another coin than its deposit expects.
pub(super) fn read_stray(mut row: Row) -> Result<(Deposit, Transfer), StoreError> {
    Ok((read_deposit(&mut row)?, read_transfer(&mut row)?))
}

/// Reads columns in the order of `deposit_columns!`.
pub(super) fn read_deposit(row: &mut Row) -> Result<Deposit, StoreError> {
    let (attempt, session) = (AttemptId::from_bytes(row.array()?), SessionId::from_bytes(row.array()?));
    let (key, place) = (row.text()?, row.int()?);
    let index = u32::try_from(place).map_err(|_| corrupt("place", &place.to_string()))?;
    let (address, chain) = (read_address(row)?, ChainId(read_number(row)?));
    let (coin, contract, decimals) = (row.text()?, read_contract(row)?, row.int()?);
    let decimals = u8::try_from(decimals).map_err(|_| corrupt("decimals", &decimals.to_string()))?;
    let (charge, rate, rate_source) = (atoms(&row.text()?)?, row.text()?, row.text()?);
    let (opened_at, since_block) = (row.time()?, read_number(row)?);
    let before = row.opt_text()?.map(|text| atoms(&text)).transpose()?;
    let swept = atoms(&row.text()?)?;
    Ok(Deposit {
        attempt,
        session,
        key,
        index,
        address,
        chain,
        coin,
        contract,
        decimals,
        charge,
        rate,
        rate_source,
        opened_at,
        since_block,
        before,
        swept,
    })
}

/// Reads columns in the order of `transfer_columns!`.
pub(super) fn read_transfer(row: &mut Row) -> Result<Transfer, StoreError> {
    Ok(Transfer {
        chain: ChainId(read_number(row)?),
        reference: row.text()?,
        transaction: row.opt_text()?.map(|text| parsed("transaction", &text, TxHash::parse)).transpose()?,
        address: read_address(row)?,
        contract: read_contract(row)?,
        atoms: atoms(&row.text()?)?,
        block: read_number(row)?,
        block_hash: parsed("block hash", &row.text()?, BlockHash::parse)?,
        seen_at: row.time()?,
        gone_at: row.opt_time()?,
        reported: row.bool()?,
    })
}

pub(super) fn read_cursor(mut row: Row) -> Result<Cursor, StoreError> {
    let (chain, block, head) = (read_number(&mut row)?, read_number(&mut row)?, read_number(&mut row)?);
    let (at, recent, version) = (row.time()?, row.text()?, row.int()?);
    Ok(Cursor { chain: ChainId(chain), block, head, at, recent: read_recent(&recent)?, version })
}

/// The hashes of the last blocks as JSON.
pub(super) fn recent_text(recent: &[(u64, BlockHash)]) -> String {
    let recent: Vec<_> = recent.iter().map(|(number, hash)| (number, hash.to_string())).collect();
    serde_json::json!(recent).to_string()
}

/// Reads what [`recent_text`] wrote.
fn read_recent(json: &str) -> Result<Vec<(u64, BlockHash)>, StoreError> {
    let recent: Vec<(u64, String)> = serde_json::from_str(json).map_err(|_| corrupt("blocks", json))?;
    let read = |(number, hash): (u64, String)| Ok((number, parsed("block hash", &hash, BlockHash::parse)?));
    recent.into_iter().map(read).collect()
}
