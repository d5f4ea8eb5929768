//! The result of one check of `till verify`.

use super::error::StoreError;

/// The number of wrong rows that are named.
pub(crate) const NAMED: usize = 5;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    pub name: &'static str,
    /// Rows that were checked.
    pub rows: u64,
    /// Rows that are wrong.
    pub wrong: u64,
    /// The first of the wrong rows.
    pub first: Vec<String>,
    /// Rows from before the ledger was begun, which are not judged.
    pub before: u64,
    /// For a hash chain: the sequence number and the hash with which it ends.
    pub ends_with: Option<String>,
}

impl CheckResult {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, rows: 0, wrong: 0, first: Vec::new(), before: 0, ends_with: None }
    }

    pub(crate) fn wrong(&mut self, offender: impl Into<String>) {
        self.wrong += 1;
        if self.first.len() < NAMED {
            self.first.push(offender.into());
        }
    }

    /// Turns damage met by a check into a wrong row, so that this check ends there and the others still run.
    pub(crate) fn or_damage(
        name: &'static str,
        checked: Result<Self, StoreError>,
    ) -> Result<Self, StoreError> {
        match checked {
            Err(StoreError::Damaged(what) | StoreError::Corrupt(what)) => {
                let mut checked = Self::new(name);
                checked.wrong(format!("unreadable: {what}"));
                Ok(checked)
            }
            checked => checked,
        }
    }
}
