//! The financial terms that vendors and the operator agreed on: fees and the settlement delay. They are read
//! with the vendor, so a change is in force within two seconds wherever it is made.

use crate::{
    accounts::{Accounts, audit, users::guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use std::time::Duration;
use till_domain::{
    audit::AuditEntry,
    id::VendorId,
    ledger::{Fee, Terms},
    method::Method,
    money::Currency,
};

statements! {
    static FEES = Sql::new(
        "SELECT method, currency, millionths, fixed, returned FROM fees WHERE vendor_id = $1 ORDER BY method, currency",
    );
    // Guard: holds only if the vendor exists.
    static HAS_VENDOR = Sql::new("UPDATE vendors SET disabled = disabled WHERE id = $1");
    static SET_FEE = Sql::new(
        "INSERT INTO fees (vendor_id, method, currency, millionths, fixed, returned) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (vendor_id, method, currency) DO UPDATE
         SET millionths = excluded.millionths, fixed = excluded.fixed, returned = excluded.returned",
    );
    static REMOVE_FEE = Sql::new("DELETE FROM fees WHERE vendor_id = $1 AND method = $2 AND currency = $3");
    static SET_DELAY = Sql::new("UPDATE vendors SET settlement_delay = $2 WHERE id = $1");
}

/// The stored code for every currency.
const EVERY: &str = "*";

impl Accounts {
    /// A vendor's fees, together with the settlement delay that was read with the vendor.
    pub(crate) async fn terms(
        &self,
        vendor: VendorId,
        settlement_delay: Option<Duration>,
    ) -> Result<Terms, StoreError> {
        let rows = self.engine.read(&FEES, vec![vendor.as_bytes().into()]).await?;
        let fees = rows.into_iter().map(read_fee).collect::<Result<_, _>>()?;
        Ok(Terms { fees, settlement_delay })
    }

    /// Sets the fee on a vendor's payments by a method in a currency. False if there is no such vendor.
    pub async fn set_fee(&self, vendor: VendorId, fee: &Fee, entry: &AuditEntry) -> Result<bool, StoreError> {
        let params = vec![
            vendor.as_bytes().into(),
            fee.method.as_str().into(),
            fee.currency.map_or(EVERY, Currency::code).into(),
            i64::from(fee.millionths).into(),
            fee.fixed.into(),
            fee.returned.into(),
        ];
        let has_vendor = guarded(&HAS_VENDOR, vec![vendor.as_bytes().into()]);
        let set = Statement { sql: &SET_FEE, params, guarded: false };
        self.done(vec![has_vendor, set, audit::line(entry)]).await
    }

    /// Removes a vendor's fee for a method and currency. False if there was none.
    pub async fn remove_fee(
        &self,
        vendor: VendorId,
        method: Method,
        currency: Option<Currency>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let code = currency.map_or(EVERY, Currency::code);
        let params = vec![vendor.as_bytes().into(), method.as_str().into(), code.into()];
        self.done(vec![guarded(&REMOVE_FEE, params), audit::line(entry)]).await
    }

    /// Sets the settlement delay: how long a vendor's payments are pending; `None` for the operator's
    /// setting. False if there is no such vendor.
    pub async fn set_settlement_delay(
        &self,
        vendor: VendorId,
        delay: Option<Duration>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let delay = delay.map(|delay| i64::try_from(delay.as_millis()).unwrap_or(i64::MAX));
        let set = guarded(&SET_DELAY, vec![vendor.as_bytes().into(), delay.into()]);
        self.done(vec![set, audit::line(entry)]).await
    }
}

/// Reads the settlement delay from a vendor's row.
pub(crate) fn read_delay(row: &mut Row) -> Result<Option<Duration>, StoreError> {
    Ok(row.opt_int()?.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0))))
}

fn read_fee(mut row: Row) -> Result<Fee, StoreError> {
    let corrupt = |what: &str, value: &str| StoreError::Corrupt(format!("{what} {value:?}"));
    let (method, code, millionths) = (row.text()?, row.text()?, row.int()?);
    let method = Method::parse(&method).ok_or_else(|| corrupt("method", &method))?;
    let currency = match code.as_str() {
        EVERY => None,
        code => Some(Currency::from_stored(code).ok_or_else(|| corrupt("currency", code))?),
    };
    let millionths = u32::try_from(millionths).map_err(|_| corrupt("fee", &millionths.to_string()))?;
    Ok(Fee { method, currency, millionths, fixed: row.int()?, returned: row.bool()? })
}
