//! What only the shared engine does.
