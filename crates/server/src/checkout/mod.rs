//! The checkout: what a customer sees of a session, in both environments.
//!
//! [`pages`] turns a view of a session into HTML and knows nothing of requests or the store.

pub mod pages;
