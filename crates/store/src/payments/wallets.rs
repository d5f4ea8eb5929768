//! A vendor's own money, movement by movement: available and pending funds together.
//!
//! A page is a few ranges of the index that has the postings of an account in order. A settlement only moves
//! money from pending to available and does not change the sum, so it is listed only on request.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        ledger::{Ledger, read_currency, read_entries, select_entry},
        lists::{Bounds, Span, Turn, first_of},
    },
};
use till_domain::{
    id::{EntryId, VendorId},
    ledger::Entry,
    money::{Currency, Money},
    time::Timestamp,
};

/// The cause of a movement of a vendor's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovedBy {
    /// Payments, money that a person accepted as the vendor's, and reversals that the vendor bears.
    Payment,
    /// Refunds to customers, and refunds that came back.
    Refund,
    /// Payouts to the vendor, and payouts that came back.
    Payout,
    /// Pending funds that became available.
    Settlement,
}

impl MovedBy {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Payment, Self::Refund, Self::Payout, Self::Settlement];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::Payout => "payout",
            Self::Settlement => "settlement",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|moved| moved.as_str() == word)
    }
}

/// A filter of movements.
#[derive(Debug, Clone, Copy)]
pub struct WalletFilter {
    pub vendor: VendorId,
    pub currency: Currency,
    /// Only movements of this cause; `None` for all that change the sum.
    pub moved_by: Option<MovedBy>,
    /// Only movements in this span.
    pub span: Span,
}

/// A movement of a vendor's own money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalletLine {
    pub entry: Entry,
    /// The vendor's funds after it.
    pub balance: Money,
}

/// The next funds that become available in a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// When they become available.
    pub at: Timestamp,
    /// The amount that becomes available at that time.
    pub amount: Money,
}

/// The movements that post to an account, as a part of a union. Parameters: `$1` vendor, `$2` currency, `$3`
/// above, `$4` below, `$5` cause or empty, `$6` limit.
macro_rules! moved {
    ($account:literal, $words:literal, $which:literal, $order:literal) => {
        concat!(
            // A cause that cannot occur on the account is rejected before the first posting is read.
            "SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN (",
            $words,
            ") AND p.vendor_id = $1 AND p.currency = $2 AND p.account = '",
            $account,
            "' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND ",
            $which,
            ") ORDER BY p.entry_id ",
            $order,
            " LIMIT $6) AS of_",
            $account
        )
    };
    ($order:literal) => {
        concat!(
            "(SELECT * FROM entries WHERE id IN (SELECT entry_id FROM (",
            moved!(
                "available",
                "'', 'settlement', 'payment'",
                "($5 = '' AND m.kind <> 'settlement' OR $5 = 'settlement' AND m.kind = 'settlement'
                    OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))",
                $order
            ),
            " UNION ",
            moved!(
                "pending",
                "'', 'payment'",
                "($5 = '' AND m.kind <> 'settlement' OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))",
                $order
            ),
            " UNION ",
            // Money that was never the vendor's also goes back to customers; it is left out.
            moved!(
                "refunds",
                "'refund'",
                "EXISTS (SELECT 1 FROM postings AS o
                    WHERE o.entry_id = m.id AND o.account IN ('available', 'pending'))",
                $order
            ),
            " UNION ",
            moved!("payouts", "'payout'", "m.kind IN ('payout', 'payout_failed')", $order),
            ") AS matching ORDER BY entry_id ",
            $order,
            " LIMIT $6))"
        )
    };
}

statements! {
    static OLDER = select_entry!(moved!("DESC"), "e.id DESC");
    static NEWER = select_entry!(moved!("ASC"), "e.id DESC");
    // One statement, so that everything in it is of one moment.
    static OWN_UNTIL = Sql::new(
        "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM (
            SELECT balance AS amount FROM balances
            WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending')
            UNION ALL
            SELECT p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.seq IS NULL AND e.vendor_id = $1 AND p.currency = $2 AND p.account IN ('available', 'pending')
            UNION ALL
            SELECT -amount FROM postings
            WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending') AND entry_id > $3) AS parts",
    );
    static OWN_BETWEEN = Sql::new(
        "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM postings
         WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending')
            AND entry_id > $3 AND entry_id <= $4",
    );
    // There are as many settlements as pending payments.
    static NEXT_DUE = Sql::new(
        "SELECT currency, due_at, CAST(SUM(amount) AS BIGINT) FROM settlements AS s
         WHERE vendor_id = $1 AND due_at =
            (SELECT MIN(due_at) FROM settlements AS f WHERE f.vendor_id = $1 AND f.currency = s.currency)
         GROUP BY currency, due_at ORDER BY currency",
    );
}

impl Ledger<'_> {
    /// A page of movements with the vendor's funds after each, newest first in either direction.
    pub async fn movements(
        &self,
        filter: &WalletFilter,
        turn: Turn<EntryId>,
        limit: u32,
    ) -> Result<Vec<WalletLine>, StoreError> {
        let entries = self.moved(filter, turn, limit).await?;
        let Some(first) = entries.first() else { return Ok(Vec::new()) };
        let currency = filter.currency;
        let mut balance = self.own_until(filter.vendor, currency, first.id().as_bytes()).await?;
        let mut lines: Vec<WalletLine> = Vec::with_capacity(entries.len());
        for entry in entries {
            if let Some(newer) = lines.last() {
                let between = match filter.moved_by {
                    None => newer.entry.own().minor,
                    Some(_) => self.own_between(filter, entry.id(), newer.entry.id()).await?,
                };
                balance = balance.saturating_sub(between);
            }
            lines.push(WalletLine { entry, balance: Money { minor: balance, currency } });
        }
        Ok(lines)
    }

    /// A page of the movements in a span, oldest first: those after this one.
    pub async fn movements_after(
        &self,
        filter: &WalletFilter,
        after: Option<EntryId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let after = after.unwrap_or_else(|| EntryId::from_bytes([0; 16]));
        let mut entries = self.moved(filter, Turn::Newer(after), limit).await?;
        entries.reverse();
        Ok(entries)
    }

    async fn moved(
        &self,
        filter: &WalletFilter,
        turn: Turn<EntryId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        let params = vec![
            filter.vendor.as_bytes().into(),
            filter.currency.code().into(),
            (&bounds.above).into(),
            (&bounds.below).into(),
            filter.moved_by.map_or("", MovedBy::as_str).into(),
            i64::from(limit).into(),
        ];
        let sql = if bounds.rising { &NEWER } else { &OLDER };
        let stored = read_entries(self.payments.engine.browse(sql, params).await?)?;
        Ok(stored.into_iter().map(|stored| stored.entry).collect())
    }

    /// The vendor's funds before this time.
    pub async fn own_before(
        &self,
        vendor: VendorId,
        currency: Currency,
        moment: Timestamp,
    ) -> Result<i64, StoreError> {
        self.own_until(vendor, currency, &first_of(moment)).await
    }

    async fn own_until(
        &self,
        vendor: VendorId,
        currency: Currency,
        id: &[u8; 16],
    ) -> Result<i64, StoreError> {
        self.sum(&OWN_UNTIL, vec![vendor.as_bytes().into(), currency.code().into(), id.into()]).await
    }

    async fn own_between(
        &self,
        filter: &WalletFilter,
        above: EntryId,
        last: EntryId,
    ) -> Result<i64, StoreError> {
        let params = vec![
            filter.vendor.as_bytes().into(),
            filter.currency.code().into(),
            above.as_bytes().into(),
            last.as_bytes().into(),
        ];
        self.sum(&OWN_BETWEEN, params).await
    }

    async fn sum(&self, sql: &'static Sql, params: Vec<Value>) -> Result<i64, StoreError> {
        let rows = self.payments.engine.browse(sql, params).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
    }

    /// The next funds that become available, by currency.
    pub async fn next_due(&self, vendor: VendorId) -> Result<Vec<Due>, StoreError> {
        let rows = self.payments.engine.browse(&NEXT_DUE, vec![vendor.as_bytes().into()]).await?;
        let read = |mut row: Row| {
            let (currency, at) = (read_currency(&mut row)?, row.time()?);
            Ok(Due { at, amount: Money { minor: row.int()?, currency } })
        };
        rows.into_iter().map(read).collect()
    }
}
