//! The binary `till`. Everything is in the library, so that tests can reach it.

use std::process::ExitCode;

/// Requests make many small allocations on several threads, for which the system's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    till::cli::run()
}
