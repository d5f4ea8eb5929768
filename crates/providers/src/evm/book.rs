//! What is kept of a chain: which address was given to which payment, what has come to it, and how far the chain was
//! read. It stands for the outside world, as a bank's books do, and is kept by whoever runs the provider.

use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::{
    chain::{Advance, Cursor, Deposit, Transfer, Watched},
    id::AttemptId,
    time::Timestamp,
};

/// Why the book could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the book of the chain gave no answer: {0}")]
pub struct BookError(pub String);

/// What the book says, in its time.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, BookError>>;

/// What keeps the book. A node may read while another writes.
pub trait Book: Debug + Send + Sync {
    /// The time that counts.
    fn now(&self) -> Timestamp;

    /// The first place under a key that no deposit has.
    fn next_index<'a>(&'a self, key: &'a str) -> Answer<'a, u32>;

    /// Writes a deposit. The one that the attempt has, which is this or an older one; nothing if somebody else has
    /// just taken its place under the key.
    fn open<'a>(&'a self, deposit: &'a Deposit) -> Answer<'a, Option<Deposit>>;

    /// The deposit of an attempt, with all that ever came to it.
    fn deposit(&self, id: AttemptId) -> Answer<'_, Option<(Deposit, Vec<Transfer>)>>;

    /// The deposit that an address, in lower case, was given to, whichever chain it is on.
    fn deposit_at<'a>(&'a self, address: &'a str) -> Answer<'a, Option<Deposit>>;

    /// The deposits on a chain that are looked at, with what of the chain's own coin is known to have come, and is not
    /// gone.
    fn watched(&self, chain: u64, which: Watched) -> Answer<'_, Vec<(Deposit, u128)>>;

    /// What came to the addresses of a chain in this block or later, and is not gone, with whose it is.
    fn came_since(&self, chain: u64, block: u64) -> Answer<'_, Vec<(AttemptId, Transfer)>>;

    /// How far a chain was read, if ever.
    fn cursor(&self, chain: u64) -> Answer<'_, Option<Cursor>>;

    /// Writes what a pass found. `false` if somebody else was quicker: nothing was written then.
    fn advance<'a>(&'a self, advance: &'a Advance) -> Answer<'a, bool>;

    /// Payments of a chain that were touched since somebody looked at them, with what to give to [`Book::looked`].
    fn touched(&self, chain: u64) -> Answer<'_, Vec<(AttemptId, i64)>>;

    /// Notes that somebody has looked at what was known then.
    fn looked(&self, id: AttemptId, seen: i64) -> Answer<'_, ()>;

    /// Transfers that are not gone, lie at or below this block, are of another coin than their deposit waits for, and
    /// that nobody was told of.
    fn strays(&self, chain: u64, block: u64) -> Answer<'_, Vec<(Deposit, Transfer)>>;

    /// Notes that a person was told of a stray transfer.
    fn told<'a>(&'a self, transfer: &'a Transfer) -> Answer<'a, ()>;
}
