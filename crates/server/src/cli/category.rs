//! `till category …`: how a vendor groups its products.

use super::{
    Common,
    context::{Context, block_on, require_vendor, told, vendor_id},
    csv_import::{AT_ONCE, Column, Fields, Progress, Report, Rows, judge},
    output::{print, table},
};
use crate::random;
use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};
use till_domain::{
    catalog::{Category, CategoryId},
    id::VendorId,
    rejection::{FieldProblem, Problems, Rejection},
    text,
};
use till_store::Accounts;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a category
    Create {
        /// Whose category
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: VendorId,
        /// What people call it
        #[arg(long)]
        name: String,
        /// The category's id; else one is made
        #[arg(long, default_value = "")]
        id: String,
    },
    /// List a vendor's categories
    List {
        /// Whose categories
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: VendorId,
    },
    /// Take a category out of use; its products stay
    Archive {
        /// Whose category
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: VendorId,
        /// The category's id
        id: String,
    },
    /// Put an archived category back in use
    Restore {
        /// Whose category
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: VendorId,
        /// The category's id
        id: String,
    },
    /// Add or rename categories from a CSV file
    #[command(
        after_help = "The first line names the columns: name, and if you like category_id. A category_id that \
        exists is renamed and back in use. Bad rows are reported with their line and left out.\n\n\
        category_id,name\nbooks,Books"
    )]
    Import {
        /// Whose categories
        #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
        vendor: VendorId,
        /// The CSV file
        file: PathBuf,
        /// Check the file and change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// Runs a `till category` command.
pub fn run(common: &Common, command: Command) -> anyhow::Result<ExitCode> {
    let accounts = Context::open(common)?.accounts;
    let json = common.json;
    block_on(async move {
        match command {
            Command::Create { vendor, name, id } => create(&accounts, json, vendor, &id, &name).await?,
            Command::List { vendor } => list(&accounts, json, vendor).await?,
            Command::Archive { vendor, id } => archive(&accounts, json, vendor, &id, true).await?,
            Command::Restore { vendor, id } => archive(&accounts, json, vendor, &id, false).await?,
            Command::Import { vendor, file, dry_run } => {
                return import(&accounts, vendor, &file, dry_run).await?.finish(json);
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct Shown {
    category_id: String,
    name: String,
    archived: bool,
}

impl From<&Category> for Shown {
    fn from(category: &Category) -> Self {
        Self {
            category_id: category.id.to_string(),
            name: category.name.clone(),
            archived: category.archived,
        }
    }
}

fn parse(id: &str, name: &str) -> Result<Category, Rejection> {
    let mut problems = Problems::default();
    let id = match id {
        "" => Some(CategoryId::generate(u64::from_be_bytes(random::bytes()))),
        text => problems.take("category_id", CategoryId::parse(text).ok_or(FieldProblem::NotAnId)),
    };
    let name = problems.take("name", text::name(name));
    problems.finish()?;
    match (id, name) {
        (Some(id), Some(name)) => Ok(Category { id, name, archived: false }),
        _ => unreachable!("a missing part was noted as a problem"),
    }
}

async fn create(
    accounts: &Accounts,
    json: bool,
    vendor: VendorId,
    id: &str,
    name: &str,
) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let category = parse(id, name).map_err(|rejection| told(&rejection))?;
    if !accounts.add_category(vendor, &category).await? {
        bail!("category {} exists already; choose another --id", category.id);
    }
    print(json, &Shown::from(&category), |shown| format!("category {} created", shown.category_id))
}

async fn list(accounts: &Accounts, json: bool, vendor: VendorId) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let categories: Vec<Shown> = accounts.categories(vendor).await?.iter().map(Shown::from).collect();
    print(json, &categories, |categories| {
        if categories.is_empty() {
            return "There is no category yet. Add one with: till category create --vendor VENDOR_ID --name NAME"
                .to_owned();
        }
        let row = |c: &Shown| {
            let state = if c.archived { "archived" } else { "in use" };
            vec![c.category_id.clone(), state.to_owned(), c.name.clone()]
        };
        table(&["category", "state", "name"], &categories.iter().map(row).collect::<Vec<_>>())
    })
}

async fn archive(
    accounts: &Accounts,
    json: bool,
    vendor: VendorId,
    id: &str,
    archived: bool,
) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let missing =
        || anyhow::anyhow!("there is no category {id}; `till category list --vendor {vendor}` shows them");
    let id = CategoryId::parse(id).ok_or_else(missing)?;
    if !accounts.archive_category(vendor, &id, archived).await? {
        return Err(missing());
    }
    let category = accounts.category(vendor, &id).await?.ok_or_else(missing)?;
    let word = if archived { "archived" } else { "in use again" };
    print(json, &Shown::from(&category), |shown| format!("category {} is {word}", shown.category_id))
}

const COLUMNS: &[Column] =
    &[Column { name: "name", required: true }, Column { name: "category_id", required: false }];

async fn import(accounts: &Accounts, vendor: VendorId, file: &Path, dry_run: bool) -> anyhow::Result<Report> {
    require_vendor(accounts, vendor).await?;
    let rows = Rows::read(file, COLUMNS)?;
    let existing =
        accounts.categories(vendor).await?.iter().map(|category| category.id.to_string()).collect();
    let parse = |fields: &Fields<'_>| {
        parse(fields.get("category_id"), fields.get("name")).map_err(|rejection| rejection.fields().to_vec())
    };
    let (good, mut report) = judge(&rows, "category_id", &existing, parse, |category| category.id.as_str());
    report.dry_run = dry_run;
    let mut progress = Progress::new(good.len());
    for chunk in good.chunks(AT_ONCE).take_while(|_| !dry_run) {
        accounts.put_categories(vendor, chunk).await?;
        progress.add(chunk.len());
    }
    Ok(report)
}
