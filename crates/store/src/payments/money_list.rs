//! A vendor's transactions as the API lists them: payments, refunds that succeeded, reversals and lost disputes, newest
//! first.
//!
//! Payments and reversals are rows of one table and refunds of another; a page is the newest of both. Each is a few
//! ranges of an index that has the ids in order, so the cost of a page does not depend on the number of rows.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        Payments,
        lists::{Bounds, Span, Turn},
        money::{opt_id, read_money, transaction_columns},
        orders::all_of_it,
    },
};
use till_domain::{
    id::{ActionId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
    transaction::Transaction,
};

/// The actions of disputes whose loss was booked with a transaction.
macro_rules! lost_dispute {
    ($what:literal) => {
        concat!(
            "SELECT ",
            $what,
            " FROM actions AS a WHERE transactions.reversed AND a.session_id = transactions.session_id
                AND a.kind = 'disputed' AND a.resolution IN ('charge', 'absorb')
                AND a.resolved_at = transactions.created_at"
        )
    };
}

/// The condition of a type. Parameters of all statements: `$1` vendor, `$2` above, `$3` below, `$4` type or empty, `$5`
/// limit.
macro_rules! of_type {
    () => {
        concat!(
            "amount_minor > 0 AND ($4 = '' OR $4 = 'payment' AND NOT reversed
                OR $4 = 'dispute' AND reversed AND EXISTS (",
            lost_dispute!("1"),
            ") OR $4 = 'reversal' AND reversed AND NOT EXISTS (",
            lost_dispute!("1"),
            "))"
        )
    };
}

/// A vendor's transactions of one method.
macro_rules! of_method {
    ($method:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = '",
            $method,
            "' AND $4 IN ('', 'payment') AND ",
            of_type!(),
            " AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $5) AS all_",
            $method
        )
    };
}

/// A vendor's transactions that took money back.
macro_rules! of_reversals {
    () => {
        concat!(
            "SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND reversed
                AND $4 IN ('reversal', 'dispute') AND ",
            of_type!(),
            " AND id > $2 AND id < $3 ORDER BY id DESC LIMIT $5) AS reversals"
        )
    };
}

macro_rules! listed {
    ($ids:expr) => {
        Sql::new(concat!(
            "SELECT ",
            transaction_columns!(),
            ", (SELECT s.order_id FROM sessions AS s WHERE s.id = transactions.session_id), (",
            lost_dispute!("a.id"),
            " LIMIT 1) AS dispute_id
             FROM transactions WHERE id IN (",
            $ids,
            ") ORDER BY id DESC"
        ))
    };
}

/// Refunds that succeeded. `refundId` is for those that a vendor asked for: of held money it has none.
macro_rules! refunds {
    ($of:expr, $order:literal) => {
        Sql::new(concat!(
            "SELECT moved_id, CASE WHEN action_id IS NULL THEN id END, session_id, method, amount, currency, updated_at,
                (SELECT s.order_id FROM sessions AS s WHERE s.id = refunds.session_id)
             FROM refunds WHERE moved_id IS NOT NULL AND $4 IN ('', 'refund') AND ",
            $of,
            " ORDER BY ",
            $order,
            " DESC LIMIT $5"
        ))
    };
}

/// The condition on the place of a refund among those of a session or an order. A plain column instead of COALESCE would
/// invite the planner to read all refunds of the vendor.
macro_rules! refund_place {
    () => {
        " AND COALESCE(vendor_id, vendor_id) = $1 AND COALESCE(moved_id, id) > $2 AND COALESCE(moved_id, id) < $3"
    };
}

statements! {
    static OF_VENDOR = listed!(concat!(
        "SELECT id FROM (",
        of_method!("card"),
        " UNION ALL ",
        of_method!("sbp"),
        " UNION ALL ",
        of_method!("crypto"),
        " UNION ALL ",
        of_reversals!(),
        ") AS matching ORDER BY id DESC LIMIT $5"
    ));
    static OF_SESSION = listed!(concat!(
        "SELECT id FROM transactions WHERE COALESCE(vendor_id, vendor_id) = $1 AND session_id = $6 AND ",
        of_type!(),
        " AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3 ORDER BY COALESCE(id, id) DESC LIMIT $5"
    ));
    static OF_ORDER = listed!(concat!(
        "SELECT id FROM transactions WHERE session_id IN (",
        all_of_it!("$6"),
        ") AND ",
        of_type!(),
        " AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3 ORDER BY COALESCE(id, id) DESC LIMIT $5"
    ));
    static REFUNDS_OF_VENDOR = refunds!("vendor_id = $1 AND moved_id > $2 AND moved_id < $3", "moved_id");
    static REFUNDS_OF_SESSION =
        refunds!(concat!("session_id = $6", refund_place!()), "COALESCE(moved_id, id)");
    static REFUNDS_OF_ORDER = refunds!(
        concat!("session_id IN (", all_of_it!("$6"), ")", refund_place!()),
        "COALESCE(moved_id, id)"
    );
}

/// The type of a listed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionType {
    Payment,
    Refund,
    /// Money that was taken back, by a reorg for example.
    Reversal,
    /// A dispute that was lost.
    Dispute,
}

impl TransactionType {
    pub const ALL: [Self; 4] = [Self::Payment, Self::Refund, Self::Reversal, Self::Dispute];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::Reversal => "reversal",
            Self::Dispute => "dispute",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A listed transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTransaction {
    pub id: TransactionId,
    pub session: SessionId,
    pub order_id: String,
    pub method: Method,
    pub amount: Money,
    pub at: Timestamp,
    pub what: ListedMoney,
}

/// What a listed transaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedMoney {
    /// Money that came, or was taken back.
    Moved(Transaction),
    /// A refund; `None` for one of held money, which the vendor did not ask for.
    Refund(Option<RefundId>),
    /// A dispute that was lost, by its action.
    Dispute(ActionId),
}

impl ListedTransaction {
    #[must_use]
    pub fn kind(&self) -> TransactionType {
        match &self.what {
            ListedMoney::Moved(money) if money.marks.reversed => TransactionType::Reversal,
            ListedMoney::Moved(_) => TransactionType::Payment,
            ListedMoney::Refund(_) => TransactionType::Refund,
            ListedMoney::Dispute(_) => TransactionType::Dispute,
        }
    }
}

/// A filter of the list.
#[derive(Debug, Clone)]
pub struct MoneyListFilter {
    pub vendor: VendorId,
    /// Only transactions of this session, or of this order.
    pub of: Option<MoneyOwner>,
    pub kind: Option<TransactionType>,
    pub span: Span,
}

/// Whose transactions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoneyOwner {
    Session(SessionId),
    Order(String),
}

impl Payments {
    /// A page of a vendor's transactions, newest first.
    pub async fn listed_transactions(
        &self,
        filter: &MoneyListFilter,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<ListedTransaction>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        let mut params: Vec<Value> = vec![
            filter.vendor.as_bytes().into(),
            (&bounds.above).into(),
            (&bounds.below).into(),
            filter.kind.map_or("", TransactionType::as_str).into(),
            i64::from(limit).into(),
        ];
        let (money, refunds) = match &filter.of {
            None => (&OF_VENDOR, &REFUNDS_OF_VENDOR),
            Some(MoneyOwner::Session(session)) => {
                params.push(session.as_bytes().into());
                (&OF_SESSION, &REFUNDS_OF_SESSION)
            }
            Some(MoneyOwner::Order(order)) => {
                params.push(order.as_str().into());
                (&OF_ORDER, &REFUNDS_OF_ORDER)
            }
        };
        let mut listed = Vec::new();
        if filter.kind != Some(TransactionType::Refund) {
            let rows = self.engine.browse(money, params.clone()).await?;
            listed = rows.into_iter().map(read_listed).collect::<Result<Vec<_>, _>>()?;
        }
        if matches!(filter.kind, None | Some(TransactionType::Refund)) {
            for row in self.engine.browse(refunds, params).await? {
                listed.push(read_refund(row)?);
            }
        }
        listed.sort_by_key(|one| std::cmp::Reverse(<[u8; 16]>::from(one.id)));
        listed.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(listed)
    }
}

fn read_listed(mut row: Row) -> Result<ListedTransaction, StoreError> {
    let money = read_money(&mut row)?;
    let (order_id, dispute) = (row.text()?, opt_id(&mut row)?.map(ActionId::from_bytes));
    Ok(ListedTransaction {
        id: money.id,
        session: money.session,
        order_id,
        method: money.method,
        amount: money.amount,
        at: money.at,
        what: dispute.map_or(ListedMoney::Moved(money), ListedMoney::Dispute),
    })
}

fn read_refund(mut row: Row) -> Result<ListedTransaction, StoreError> {
    let (id, refund) = (TransactionId::from_bytes(row.array()?), row.opt_array()?.map(RefundId::from_bytes));
    let (session, method) = (SessionId::from_bytes(row.array()?), row.text()?);
    let method = Method::parse(&method).ok_or_else(|| StoreError::Corrupt(format!("method {method:?}")))?;
    let (minor, code) = (row.int()?, row.text()?);
    let currency =
        Currency::from_stored(&code).ok_or_else(|| StoreError::Corrupt(format!("currency {code:?}")))?;
    let (at, order_id) = (row.time()?, row.text()?);
    let amount = Money { minor, currency };
    Ok(ListedTransaction { id, session, order_id, method, amount, at, what: ListedMoney::Refund(refund) })
}
