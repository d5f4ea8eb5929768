//! Checks that the files of an open database still have their names.
//!
//! A file that is deleted, renamed or replaced stays open without a name, and what is committed to it is lost
//! when the process ends. Only paths are examined: opening and closing a database file would drop the
//! process's locks on it.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        Ok(Self { device: file.dev(), inode: file.ino() })
    }
}

/// The files that an open connection works with.
#[derive(Debug)]
pub(crate) struct OpenFiles(Vec<(PathBuf, FileId)>);

impl OpenFiles {
    /// The database, its write-ahead log and the index of that log, as they are now.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let named = ["", "-wal", "-shm"].map(|suffix| beside(path, suffix));
        named
            .into_iter()
            .map(|path| FileId::of(&path).map(|id| (path, id)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Describes a name that does not lead to its file any more.
    pub(crate) fn find_replaced(&self) -> Option<String> {
        self.0.iter().find_map(|(path, opened)| {
            let name = path.display();
            match FileId::of(path) {
                Ok(found) if found == *opened => None,
                Ok(_) => Some(format!("another file replaced {name} while it was open")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Some(format!("{name} was deleted or renamed while it was open"))
                }
                Err(error) => Some(format!("cannot examine {name}: {error}")),
            }
        })
    }
}

/// A file beside a database, named as SQLite does it.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
