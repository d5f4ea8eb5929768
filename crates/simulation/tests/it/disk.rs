//! A disk that loses power: a virtual file system of SQLite in front of the system's own. It remembers what was written to
//! each file since the last sync, and after a power failure any part of that may be missing.
#![allow(unsafe_code)]

use crate::dice::Dice;
use rusqlite::ffi;
use std::{
    collections::BTreeMap,
    ffi::{CStr, c_char, c_int, c_void},
    fs::File,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    ptr,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The smallest part of a write that a disk stores as a whole.
const SECTOR: usize = 512;

/// Counts and keeps what is not synced, for all files.
static DISK: Mutex<Disk> = Mutex::new(Disk { files: BTreeMap::new(), off: false, writes: 0, fails_at: None });

/// The system's own file system.
static SYSTEM: OnceLock<System> = OnceLock::new();

struct System(*mut ffi::sqlite3_vfs);

// SAFETY: SQLite's table of functions is never changed and lives as long as the process.
unsafe impl Send for System {}
// SAFETY: as above.
unsafe impl Sync for System {}

struct Disk {
    files: BTreeMap<PathBuf, Vec<Unsynced>>,
    /// True from a failure until the power is back: nothing can be written.
    off: bool,
    /// Writes and syncs so far.
    writes: u64,
    /// The number of the write or sync at which the power fails.
    fails_at: Option<u64>,
}

/// A change of a file that is not synced.
struct Unsynced {
    offset: u64,
    /// The bytes before, where there were any.
    old: Vec<u8>,
    /// The bytes that were written; none for a truncation to `offset`.
    new: Vec<u8>,
    old_size: u64,
}

/// Puts the disk in front of the system's file system, once, for all databases of this process.
pub fn insert() {
    SYSTEM.get_or_init(|| {
        // SAFETY: the table of the system's file system is copied, so all its functions stay valid; only those that
        // open and delete are replaced. Both tables live as long as the process.
        unsafe {
            ffi::sqlite3_initialize();
            let system = ffi::sqlite3_vfs_find(ptr::null());
            let mut own = *system;
            own.zName = c"losing".as_ptr();
            own.szOsFile = c_int::try_from(size_of::<Handle>()).expect("a size") + (*system).szOsFile;
            own.xOpen = Some(open);
            own.xDelete = Some(delete);
            own.xRandomness = Some(randomness);
            ffi::sqlite3_vfs_register(Box::leak(Box::new(own)), 1);
            System(system)
        }
    });
}

/// Lets the power fail after this many more writes and syncs.
pub fn fail_after(writes: u64) {
    let mut disk = disk();
    disk.fails_at = Some(disk.writes + writes);
}

/// Whether the power has failed.
pub fn is_off() -> bool {
    disk().off
}

/// Turns the power off now, if it has not failed.
pub fn turn_off() {
    disk().off = true;
}

/// Turns the power on again. Of everything that was not synced, the dice decide what is there.
pub fn turn_on(dice: &mut Dice) {
    let mut disk = disk();
    for (path, unsynced) in std::mem::take(&mut disk.files) {
        let Ok(file) = File::options().write(true).open(&path) else { continue };
        for change in unsynced.iter().rev() {
            file.write_all_at(&change.old, change.offset).expect("a write");
            file.set_len(change.old_size).expect("a truncation");
        }
        let kept = dice.below(3);
        for change in &unsynced {
            keep(&file, change, kept, dice);
        }
    }
    (disk.off, disk.fails_at) = (false, None);
}

/// Lets the power not fail any more.
pub fn calm() {
    disk().fails_at = None;
}

/// Forgets all files, for a new store.
pub fn clear() {
    let mut disk = disk();
    disk.files.clear();
    (disk.off, disk.fails_at) = (false, None);
}

/// Writes what is kept of a change: nothing, all of it, or some sectors.
fn keep(file: &File, change: &Unsynced, kept: u64, dice: &mut Dice) {
    if kept == 0 {
        return;
    }
    if change.new.is_empty() {
        if kept == 1 || dice.one_in(2) {
            file.set_len(change.offset).expect("a truncation");
        }
        return;
    }
    for (number, sector) in change.new.chunks(SECTOR).enumerate() {
        if kept == 1 || dice.one_in(2) {
            let at = change.offset + u64::try_from(number * SECTOR).expect("a position");
            file.write_all_at(sector, at).expect("a write");
        }
    }
}

fn disk() -> MutexGuard<'static, Disk> {
    DISK.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk {
    /// Counts a write or a sync; false if the disk has no power for it.
    fn admits(&mut self) -> bool {
        self.writes += 1;
        self.off |= self.fails_at.is_some_and(|at| self.writes >= at);
        !self.off
    }

    fn remember(&mut self, path: &Path, change: Unsynced) {
        match self.files.get_mut(path) {
            Some(changes) => changes.push(change),
            None => drop(self.files.insert(path.to_owned(), vec![change])),
        }
    }
}

/// An open file: SQLite's own start of a file, and where the system's file is.
#[repr(C)]
struct Handle {
    base: ffi::sqlite3_file,
    /// The path of a file whose writes are remembered.
    path: *mut PathBuf,
}

/// The system's file, which lies behind the handle.
fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: `szOsFile` makes SQLite allocate a handle and the system's file behind it.
    unsafe { file.cast::<Handle>().add(1).cast() }
}

/// Calls a function of the system's file.
macro_rules! system {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        let file = inner($file);
        // SAFETY: the system's file was opened, so it has its functions.
        unsafe { ((*(*file).pMethods).$function.expect("a function"))(file $(, $argument)*) }
    }};
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let system = SYSTEM.get().expect("it was inserted").0;
    // SAFETY: SQLite allocated both files.
    unsafe {
        (*file).pMethods = ptr::null();
        let result = ((*system).xOpen.expect("a function"))(system, name, inner(file), flags, out);
        if result != ffi::SQLITE_OK {
            return result;
        }
        let kept = flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) != 0 && !name.is_null();
        let path = kept.then(|| PathBuf::from(CStr::from_ptr(name).to_string_lossy().into_owned()));
        (*file.cast::<Handle>()).path = path.map_or(ptr::null_mut(), |path| Box::into_raw(Box::new(path)));
        (*file).pMethods = &raw const METHODS;
        result
    }
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    let mut disk = disk();
    if !disk.admits() {
        return ffi::SQLITE_IOERR_DELETE;
    }
    let system = SYSTEM.get().expect("it was inserted").0;
    // SAFETY: SQLite passes the name of a file.
    unsafe {
        disk.files.remove(&PathBuf::from(CStr::from_ptr(name).to_string_lossy().into_owned()));
        ((*system).xDelete.expect("a function"))(system, name, sync)
    }
}

/// The salts of a log need not be random here: the same seed has to write the same bytes.
unsafe extern "C" fn randomness(_: *mut ffi::sqlite3_vfs, count: c_int, out: *mut c_char) -> c_int {
    static DRAWN: Mutex<Option<Dice>> = Mutex::new(None);
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let dice = drawn.get_or_insert_with(|| Dice::new(1));
    for place in 0..usize::try_from(count).unwrap_or(0) {
        let byte = c_char::from_ne_bytes([u8::try_from(dice.below(256)).expect("a byte")]);
        // SAFETY: SQLite passes room for `count` bytes.
        unsafe { out.add(place).write(byte) };
    }
    count
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

fn path_of(file: *mut ffi::sqlite3_file) -> Option<&'static PathBuf> {
    // SAFETY: the path lives until the file is closed.
    unsafe { (*file.cast::<Handle>()).path.as_ref() }
}

fn size_of_file(file: *mut ffi::sqlite3_file) -> u64 {
    let mut size = 0;
    system!(file, xFileSize, &raw mut size);
    u64::try_from(size).unwrap_or(0)
}

/// The bytes of a file from this position, as many as there are.
fn bytes_of(file: *mut ffi::sqlite3_file, offset: u64, most: usize, size: u64) -> Vec<u8> {
    let there = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX).min(most);
    let mut bytes = Vec::<u8>::with_capacity(there);
    if there > 0 {
        let count = c_int::try_from(there).expect("a length");
        let start = bytes.as_mut_ptr();
        let read = system!(file, xRead, start.cast(), count, i64::try_from(offset).expect("a position"));
        assert_eq!(read, ffi::SQLITE_OK, "the file has these bytes");
        // SAFETY: the system has read that many.
        unsafe { bytes.set_len(there) };
    }
    bytes
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    data: *const c_void,
    count: c_int,
    offset: i64,
) -> c_int {
    let Some(path) = path_of(file) else { return system!(file, xWrite, data, count, offset) };
    let mut disk = disk();
    if !disk.admits() {
        return ffi::SQLITE_IOERR_WRITE;
    }
    // SAFETY: SQLite passes `count` bytes.
    let new = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), usize::try_from(count).unwrap_or(0)) };
    let (offset_u, old_size) = (u64::try_from(offset).unwrap_or(0), size_of_file(file));
    let old = bytes_of(file, offset_u, new.len(), old_size);
    let change = Unsynced { offset: offset_u, old, new: new.to_vec(), old_size };
    disk.remember(path, change);
    system!(file, xWrite, data, count, offset)
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    let Some(path) = path_of(file) else { return system!(file, xTruncate, size) };
    let mut disk = disk();
    if !disk.admits() {
        return ffi::SQLITE_IOERR_TRUNCATE;
    }
    let (offset, old_size) = (u64::try_from(size).unwrap_or(0), size_of_file(file));
    let old = bytes_of(file, offset, usize::MAX, old_size);
    disk.remember(path, Unsynced { offset, old, new: Vec::new(), old_size });
    system!(file, xTruncate, size)
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    let mut disk = disk();
    if !disk.admits() {
        return ffi::SQLITE_IOERR_FSYNC;
    }
    if let Some(path) = path_of(file) {
        disk.files.remove(path);
    }
    // The machine that runs the simulation keeps its power: its disk need not be waited for.
    ffi::SQLITE_OK
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let result = system!(file, xClose);
    // SAFETY: the path was leaked when the file was opened, and is taken back once.
    unsafe {
        let handle = file.cast::<Handle>();
        if !(*handle).path.is_null() {
            drop(Box::from_raw((*handle).path));
            (*handle).path = ptr::null_mut();
        }
        (*file).pMethods = ptr::null();
    }
    result
}

/// Functions that only call the system's own.
macro_rules! passed_on {
    ($($name:ident = $function:ident ( $($argument:ident : $kind:ty),* ) $(-> $result:ty)?;)*) => {
        $(unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $kind)*) $(-> $result)? {
            system!(file, $function $(, $argument)*)
        })*
    };
}

passed_on! {
    read = xRead(data: *mut c_void, count: c_int, offset: i64) -> c_int;
    file_size = xFileSize(size: *mut i64) -> c_int;
    lock = xLock(level: c_int) -> c_int;
    unlock = xUnlock(level: c_int) -> c_int;
    check_reserved_lock = xCheckReservedLock(out: *mut c_int) -> c_int;
    file_control = xFileControl(operation: c_int, argument: *mut c_void) -> c_int;
    sector_size = xSectorSize() -> c_int;
    device_characteristics = xDeviceCharacteristics() -> c_int;
    shm_map = xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int;
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int) -> c_int;
    shm_barrier = xShmBarrier();
    shm_unmap = xShmUnmap(remove: c_int) -> c_int;
}
