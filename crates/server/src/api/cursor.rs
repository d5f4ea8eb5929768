//! Cursors of lists: the last row of a page, bound to the list and the filters that it belongs to.
//!
//! A cursor is no secret and grants nothing: it only says where the vendor's own list continues. The checksum tells a
//! damaged one, and one of another list.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use till_domain::rejection::FieldProblem;

const VERSION: u8 = 1;
const CHECK: usize = 8;

/// The list that a cursor belongs to: its name, the environment, the vendor and the filters.
pub(super) struct CursorScope<'a>(pub(super) &'a [&'a [u8]]);

impl CursorScope<'_> {
    /// The cursor after the row with this id.
    pub(super) fn after(&self, id: [u8; 16]) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(id);
        bytes.extend(self.check(&id));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The id of the row after which the list continues.
    pub(super) fn read(&self, cursor: &str) -> Result<[u8; 16], FieldProblem> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| FieldProblem::OtherCursor)?;
        let Some(([VERSION], rest)) = bytes.split_first_chunk() else {
            return Err(FieldProblem::OtherCursor);
        };
        let Some((id, check)) = rest.split_first_chunk() else { return Err(FieldProblem::OtherCursor) };
        if check == self.check(id) { Ok(*id) } else { Err(FieldProblem::OtherCursor) }
    }

    fn check(&self, id: &[u8; 16]) -> [u8; CHECK] {
        let mut hash = Sha256::new();
        for part in self.0.iter().copied().chain([&id[..]]) {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let hash: [u8; 32] = hash.finalize().into();
        hash.first_chunk().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_in_its_own_list_only() {
        let list = CursorScope(&[b"sessions", b"A-1"]);
        let cursor = list.after([7; 16]);
        assert_eq!(list.read(&cursor), Ok([7; 16]));
        for other in
            [CursorScope(&[b"sessions", b"A-2"]), CursorScope(&[b"sessionsA", b"-1"]), CursorScope(&[])]
        {
            assert_eq!(other.read(&cursor), Err(FieldProblem::OtherCursor));
        }
    }

    #[test]
    fn a_damaged_cursor_is_refused() {
        let list = CursorScope(&[b"sessions"]);
        let cursor = list.after([7; 16]);
        for index in 0..cursor.len() {
            let mut damaged = cursor.clone().into_bytes();
            damaged[index] = if damaged[index] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(damaged).expect("ASCII");
            assert_eq!(list.read(&damaged), Err(FieldProblem::OtherCursor), "{damaged}");
        }
        for wrong in ["", "0", "====", &cursor[..cursor.len() - 1], &format!("{cursor}A"), "é"] {
            assert_eq!(list.read(wrong), Err(FieldProblem::OtherCursor), "{wrong}");
        }
    }
}
