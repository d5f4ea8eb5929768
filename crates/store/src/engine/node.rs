//! Nodes: processes that share a store.

/// A running node, by a number that it drew when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(pub [u8; 16]);
