//! Numbers of rows that are counted up to a limit, so that a page takes no longer the more there are.

use std::fmt;

/// A number of rows, of which no more than `MOST` are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted<const MOST: u32>(u64);

impl<const MOST: u32> Counted<MOST> {
    /// How many rows to look for at most, so that one shows whether there are more than are counted.
    pub const LOOK_FOR: u32 = MOST + 1;

    /// From the number that was found, of those looked for.
    pub fn new(found: u64) -> Self {
        Self(found)
    }

    /// The number, if all were counted.
    pub fn exact(&self) -> Option<u64> {
        Some(self.0).filter(|count| *count <= u64::from(MOST))
    }

    /// The number, up to the limit.
    pub fn least(&self) -> u64 {
        self.0.min(u64::from(MOST))
    }

    pub fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl<const MOST: u32> fmt::Display for Counted<MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(count) => write!(f, "{count}"),
            None => write!(f, "{MOST}+"),
        }
    }
}

/// Pending sessions: counting all of a large vendor's would be most of a page's time.
pub type PendingCount = Counted<10_000>;

/// Undelivered callbacks of a vendor, which are counted for each of its pages.
pub type UndeliveredCount = Counted<1_000>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_when_there_are_more() {
        let words = |found| UndeliveredCount::new(found).to_string();
        assert_eq!([words(0), words(1_000), words(1_001)], ["0", "1000", "1000+"]);
        let counts = [999, 1_000, 1_001].map(UndeliveredCount::new);
        assert_eq!(counts.map(|count| count.exact()), [Some(999), Some(1_000), None]);
        assert_eq!(counts.map(|count| count.least()), [999, 1_000, 1_000]);
    }
}
