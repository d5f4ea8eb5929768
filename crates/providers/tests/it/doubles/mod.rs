//! Test doubles: chains, books and a bank in memory, with faults on demand.

mod lost;
mod memory_bank;
mod memory_chain;

pub use lost::When;
pub use memory_bank::MemoryBank;
pub use memory_chain::{MemoryBook, MemoryChain, Payment};
