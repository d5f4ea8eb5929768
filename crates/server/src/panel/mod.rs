//! The vendor panel and the operator console.
//!
//! So far their pages: [`pages`] makes HTML from views and knows no request and no store.

pub mod pages;
