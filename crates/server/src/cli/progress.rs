//! The progress of long work on standard error.

use super::output::complain;
use std::{io::IsTerminal as _, time::Instant};

/// Shows progress: on a terminal in one line that is overwritten, elsewhere at intervals.
pub struct Progress {
    last: Instant,
    terminal: bool,
    shown: bool,
    finished: bool,
}

impl Progress {
    pub fn new() -> Self {
        Self {
            last: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
            shown: false,
            finished: false,
        }
    }

    /// Shows a line, unless another was shown just before and there will be more.
    pub fn show(&mut self, done: u64, total: u64, line: impl FnOnce() -> String) {
        let pause = if self.terminal { 100 } else { 2_000 };
        if self.finished || done < total && self.last.elapsed().as_millis() < pause {
            return;
        }
        self.finished = done >= total;
        self.last = Instant::now();
        // Moves one line up and clears it, so that the next line replaces this one.
        let over = if self.terminal && self.shown { "\x1b[1A\x1b[2K" } else { "" };
        complain(&format!("{over}{}", line()));
        self.shown = true;
    }
}
