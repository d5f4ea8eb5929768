//! A clock that jumps (F7, T35): the service right after a jump, and after the jump turns out to be
//! permanent.

mod calendar;
mod steps;

use std::process::Command;

/// The variables that preload libfaketime into a program. Its monotonic clock stays right, as on a machine
/// whose wall clock is set. The library is preloaded here rather than by the program `faketime`, which would
/// stay as a process between the test and the service.
pub fn preload() -> Vec<(String, String)> {
    let output = Command::new("faketime").args(["-m", "-f", "+0s", "env"]).output().expect("faketime runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let library = text.lines().find_map(|line| line.strip_prefix("LD_PRELOAD=")).expect("it preloads");
    let variables = [("LD_PRELOAD", library), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
