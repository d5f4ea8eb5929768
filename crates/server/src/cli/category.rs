//! `till category …`: how a vendor groups its products.

use super::{
    Common,
    catalog::{Import, Item, Owner},
    context::{Context, block_on, require_vendor, told},
    csv_import::{AT_ONCE, Column, Fields, Progress, Report, Rows, judge},
    output::{print, table},
};
use crate::random;
use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
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
        #[command(flatten)]
        owner: Owner,
        /// What people call it
        #[arg(long)]
        name: String,
        /// The category's id; else one is made
        #[arg(long, default_value = "")]
        id: String,
    },
    /// List a vendor's categories
    List(Owner),
    /// Take a category out of use; its products stay
    Archive(Item),
    /// Put an archived category back in use
    Restore(Item),
    /// Add or rename categories from a CSV file
    #[command(
        after_help = "The first line names the columns: name, and if you like category_id. A category_id that \
        exists is renamed and back in use. Bad rows are reported with their line and left out.\n\n\
        category_id,name\nbooks,Books"
    )]
    Import(Import),
}

/// Runs a `till category` command.
pub fn run(common: &Common, command: Command) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let accounts = Context::open(common).await?.accounts;
        match command {
            Command::Create { owner, name, id } => create(&accounts, json, owner.vendor, &id, &name).await?,
            Command::List(owner) => list(&accounts, json, owner.vendor).await?,
            Command::Archive(item) => archive(&accounts, json, &item, true).await?,
            Command::Restore(item) => archive(&accounts, json, &item, false).await?,
            Command::Import(request) => return import(&accounts, &request).await?.finish(json),
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

async fn archive(accounts: &Accounts, json: bool, item: &Item, archived: bool) -> anyhow::Result<()> {
    let (vendor, id) = (item.owner.vendor, item.id.as_str());
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

async fn import(accounts: &Accounts, request: &Import) -> anyhow::Result<Report> {
    let Import { owner: Owner { vendor }, file, dry_run } = request;
    let (vendor, dry_run) = (*vendor, *dry_run);
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
