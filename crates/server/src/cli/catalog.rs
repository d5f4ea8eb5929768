//! The arguments that the commands on products and on categories share.

use super::context::vendor_id;
use clap::Args;
use std::path::PathBuf;
use till_domain::id::VendorId;

/// The vendor that owns the catalog.
#[derive(Debug, Args)]
pub struct Owner {
    /// The vendor that owns the catalog; `till vendor list` lists the vendors
    #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
    pub vendor: VendorId,
}

/// One item of a catalog.
#[derive(Debug, Args)]
pub struct Item {
    #[command(flatten)]
    pub owner: Owner,
    /// The item's id
    pub id: String,
}

/// A file to import.
#[derive(Debug, Args)]
pub struct Import {
    #[command(flatten)]
    pub owner: Owner,
    /// The CSV file
    pub file: PathBuf,
    /// Check the file without changing anything
    #[arg(long)]
    pub dry_run: bool,
}
