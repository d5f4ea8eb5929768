//! What a simulation needs of the store: latencies that a seed decides, and the kinds of changes that were committed. Only
//! with the feature `simulation`.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt::{self, Write as _},
    time::Duration,
};
use till_domain::change::Change;

thread_local! {
    /// The state of the generator of latencies; 0 for none.
    static STATE: Cell<u64> = const { Cell::new(0) };
    static COMMITTED: RefCell<BTreeMap<String, u64>> = RefCell::default();
}

/// Makes reads and writes of this thread take time, as a seed decides.
pub fn make_slow(seed: u64) {
    STATE.set(seed | 1);
}

/// Makes them take none.
pub fn make_fast() {
    STATE.set(0);
}

/// The changes that this thread committed: how many of each kind.
#[must_use]
pub fn committed() -> BTreeMap<String, u64> {
    COMMITTED.with_borrow(Clone::clone)
}

/// Waits as long as a disk might: mostly not at all.
pub(crate) async fn wait() {
    let state = STATE.get();
    if state == 0 {
        return;
    }
    // Xorshift: what matters is that it is the same in every run.
    let state = state ^ (state << 13);
    let state = state ^ (state >> 7);
    let state = state ^ (state << 17);
    STATE.set(state);
    match state % 64 {
        0 => tokio::time::sleep(Duration::from_millis(20 + state / 64 % 400)).await,
        // Now and then so long that a lease is almost over, or is.
        _ if state % 8_192 == 77 => {
            tokio::time::sleep(Duration::from_millis(9_000 + state / 64 % 30_000)).await
        }
        1..=8 => tokio::time::sleep(Duration::from_millis(1 + state / 64 % 20)).await,
        _ => {}
    }
}

pub(crate) fn note(changes: &[Change]) {
    COMMITTED.with_borrow_mut(|committed| {
        for change in changes {
            let name = variant(change);
            if let Change::FinishSession { outcome, .. } = change {
                *committed.entry(format!("{name} to {}", variant(outcome))).or_default() += 1;
            }
            *committed.entry(name).or_default() += 1;
        }
    });
}

/// The name of a value's variant: the first word of its debug text, of which no more is written.
fn variant(value: &impl fmt::Debug) -> String {
    let mut name = FirstWord::default();
    let _ = write!(name, "{value:?}");
    name.0
}

#[derive(Default)]
struct FirstWord(String);

impl fmt::Write for FirstWord {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        self.0.push_str(word);
        if word.len() == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}
