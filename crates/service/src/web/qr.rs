//! QR codes as one SVG path of horizontal runs, small enough to be in the page.

use fast_qr::{ECL, QRBuilder};
use std::fmt::Write as _;

/// A QR code for an SVG.
#[derive(Debug, Clone)]
pub struct Code {
    /// Modules along one side, without a margin: the page adds it.
    pub size: usize,
    pub path: String,
}

impl Code {
    /// The code for this text; `None` if it is too long.
    pub fn new(text: &str) -> Option<Self> {
        let code = QRBuilder::new(text).ecl(ECL::M).build().ok()?;
        let rows: Vec<Vec<bool>> = (0..code.size)
            .map(|row| code[row][..code.size].iter().map(|module| module.value()).collect())
            .collect();
        Some(Self { size: code.size, path: path(&rows) })
    }
}

/// Draws every run of dark modules as a rectangle of height one: `h` its length, down, back, and closed.
///
/// Each starts relative to the start of the last one, to which `z` returns.
fn path(rows: &[Vec<bool>]) -> String {
    let mut path = String::new();
    let (mut x, mut y) = (0_usize, 0_usize);
    for (row, modules) in rows.iter().enumerate() {
        for (start, length) in runs(modules) {
            let (right, down) = (signed(start, x), signed(row, y));
            let _ = write!(path, "m{right} {down}h{length}v1h-{length}z");
            (x, y) = (start, row);
        }
    }
    path
}

fn signed(to: usize, from: usize) -> String {
    if to >= from { (to - from).to_string() } else { format!("-{}", from - to) }
}

/// The start and length of each dark run.
fn runs(modules: &[bool]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, _) in modules.iter().enumerate().filter(|(_, dark)| **dark) {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == place => *length += 1,
            _ => runs.push((place, 1)),
        }
    }
    runs
}
