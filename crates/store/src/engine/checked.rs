//! What a check of `till verify` found.

use super::error::StoreError;

/// Offenders that are named.
pub(crate) const NAMED: usize = 5;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub name: &'static str,
    /// Rows that were looked at.
    pub rows: u64,
    /// Rows that are wrong.
    pub wrong: u64,
    /// The first of them.
    pub first: Vec<String>,
    /// Rows that are from before the books were begun, and are not judged.
    pub before: u64,
    /// Of a hash chain: the number and the hash that it ends with.
    pub ends_with: Option<String>,
}

impl Checked {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, rows: 0, wrong: 0, first: Vec::new(), before: 0, ends_with: None }
    }

    pub(crate) fn wrong(&mut self, offender: impl Into<String>) {
        self.wrong += 1;
        if self.first.len() < NAMED {
            self.first.push(offender.into());
        }
    }

    /// A check that met damage ends there, and says so; the others are made all the same.
    pub(crate) fn or_damage(
        name: &'static str,
        checked: Result<Self, StoreError>,
    ) -> Result<Self, StoreError> {
        match checked {
            Err(StoreError::Damaged(what) | StoreError::Corrupt(what)) => {
                let mut checked = Self::new(name);
                checked.wrong(format!("cannot be read: {what}"));
                Ok(checked)
            }
            checked => checked,
        }
    }
}
