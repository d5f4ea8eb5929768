//! Nodes: processes that share a store.

/// The id of a running node, drawn when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(pub [u8; 16]);
