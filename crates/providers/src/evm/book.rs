//! The stored record of a chain: which address was assigned to which payment, what has arrived there, and how
//! far the chain was read. It stands for the outside world, as a bank's books do, and is kept by the
//! application that runs the provider.

use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{
    chain::{Address, Advance, Atoms, ChainId, Cursor, Deposit, DepositSelection, Transfer},
    id::AttemptId,
    time::Timestamp,
};

/// Why the book could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the chain's records could not be read: {0}")]
pub struct BookError(pub String);

/// An answer of the book, as a future.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, BookError>>;

/// Storage of the book. A node may read while another writes.
pub trait Book: Debug + Send + Sync {
    /// The current time by the book's clock.
    fn now(&self) -> Timestamp;

    /// The next free derivation index under a key.
    fn next_index<'a>(&'a self, key: &'a str) -> Answer<'a, u32>;

    /// Writes a deposit. Returns the attempt's deposit, which is this or an older one; `None` if another node
    /// has just taken the index under the key.
    fn open<'a>(&'a self, deposit: &'a Deposit) -> Answer<'a, Option<Deposit>>;

    /// The deposit of an attempt, with all transfers that ever arrived there.
    fn deposit(&self, id: AttemptId) -> Answer<'_, Option<(Deposit, Vec<Transfer>)>>;

    /// The deposit that an address was assigned to, whichever chain it is on.
    fn deposit_at(&self, address: Address) -> Answer<'_, Option<Deposit>>;

    /// The watched deposits of a chain, each with the native coin that is known to have arrived and is not
    /// gone.
    fn watched(&self, chain: ChainId, which: DepositSelection) -> Answer<'_, Vec<(Deposit, Atoms)>>;

    /// Transfers to the addresses of a chain in this block or later that are not gone, each with its attempt.
    fn came_since(&self, chain: ChainId, block: u64) -> Answer<'_, Vec<(AttemptId, Transfer)>>;

    /// How far a chain was read; `None` if never.
    fn cursor(&self, chain: ChainId) -> Answer<'_, Option<Cursor>>;

    /// Writes the result of a pass, by compare-and-set on the cursor's version. `false` if another node was
    /// quicker: nothing was written then.
    fn advance<'a>(&'a self, advance: &'a Advance) -> Answer<'a, bool>;

    /// Payments of a chain that changed since they were last checked, each with the value to pass to
    /// [`Book::looked`].
    fn touched(&self, chain: ChainId) -> Answer<'_, Vec<(AttemptId, i64)>>;

    /// Notes that a payment was checked, as of `seen`.
    fn looked(&self, id: AttemptId, seen: i64) -> Answer<'_, ()>;

    /// Stray transfers: not gone, in this block or below, of another coin than their deposit waits for, and
    /// not reported yet.
    fn strays(&self, chain: ChainId, block: u64) -> Answer<'_, Vec<(Deposit, Transfer)>>;

    /// Notes that a stray transfer was reported to a person.
    fn mark_reported<'a>(&'a self, transfer: &'a Transfer) -> Answer<'a, ()>;
}
