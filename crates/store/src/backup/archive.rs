//! The file of a backup: a tar archive, written under another name and given its own when it is complete.

use super::{BackupError, MANIFEST, Manifest, ManifestFile, sync_folder};
use crate::FailPoint;
use crate::engine::sqlite::identity::beside;
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// A backup that is being written. If it is dropped before it is finished, nothing is left of it.
pub(super) struct ArchiveWriter {
    file: PathBuf,
    partial: PathBuf,
    scratch: Option<PathBuf>,
    tar: tar::Builder<BufWriter<File>>,
}

impl ArchiveWriter {
    pub(super) fn create(file: &Path) -> Result<Self, BackupError> {
        // Two backups to one name do not write to one file.
        let partial = beside(file, &format!(".partial-{}", std::process::id()));
        let mut options = File::options();
        let opened = options.create_new(true).write(true).mode(0o600).open(&partial);
        let opened = opened.map_err(BackupError::io(&partial))?;
        let tar = tar::Builder::new(BufWriter::with_capacity(1 << 20, opened));
        Ok(Self { file: file.to_owned(), partial, scratch: None, tar })
    }

    /// The place for a copy of a database until it is added.
    pub(super) fn scratch(&mut self, name: &str) -> PathBuf {
        let path = beside(&self.partial, &format!("-{name}"));
        // Left by a backup that was killed.
        let _ = fs::remove_file(&path);
        self.scratch = Some(path.clone());
        path
    }

    /// Adds a copy under a name, and removes the copy.
    pub(super) fn add(
        &mut self,
        copy: &Path,
        name: &str,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<ManifestFile, BackupError> {
        let source = File::open(copy).map_err(BackupError::io(copy))?;
        let bytes = source.metadata().map_err(BackupError::io(copy))?.len();
        let mut hashing = Hashing { source, hash: Sha256::new(), done: 0, progress, interrupted: false };
        let added = self.tar.append_data(&mut header(bytes), name, &mut hashing);
        if hashing.interrupted {
            return Err(BackupError::Interrupted);
        }
        added.map_err(BackupError::io(&self.partial))?;
        let sha256 = hex::encode(hashing.hash.finalize());
        fs::remove_file(copy).map_err(BackupError::io(copy))?;
        self.scratch = None;
        Ok(ManifestFile { name: name.to_owned(), bytes, sha256, schema: 0, commits: 0 })
    }

    /// Adds the manifest, syncs the file and gives it its name.
    pub(super) fn finish(mut self, manifest: &Manifest) -> Result<(), BackupError> {
        let mut write = || -> io::Result<()> {
            let text = serde_json::to_vec_pretty(manifest)?;
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            self.tar.append_data(&mut header(length), MANIFEST, text.as_slice())?;
            self.tar.finish()?;
            let file = self.tar.get_mut();
            file.flush()?;
            file.get_ref().sync_all()?;
            FailPoint::BackupWritten.reach();
            give_name(&self.partial, &self.file)
        };
        write().map_err(BackupError::io(&self.file))?;
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or_else(|| Path::new(".")))
    }
}

impl Drop for ArchiveWriter {
    fn drop(&mut self) {
        let left = self.scratch.iter().chain([&self.partial]);
        left.for_each(|path| drop(fs::remove_file(path)));
    }
}

/// Gives a file its name, without replacing a file that was made meanwhile where the file system has hard links.
fn give_name(partial: &Path, file: &Path) -> io::Result<()> {
    match fs::hard_link(partial, file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => fs::rename(partial, file),
        linked => linked,
    }
}

fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header
}

/// A reader that hashes what is read, and stops when the progress says so.
pub(super) struct Hashing<'a, R> {
    pub(super) source: R,
    pub(super) hash: Sha256,
    pub(super) done: u64,
    pub(super) progress: &'a mut dyn FnMut(u64) -> bool,
    pub(super) interrupted: bool,
}

impl<R: Read> Read for Hashing<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.done += u64::try_from(read).unwrap_or(0);
        if !(self.progress)(self.done) {
            self.interrupted = true;
            return Err(io::Error::other("interrupted"));
        }
        Ok(read)
    }
}
