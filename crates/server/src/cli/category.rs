//! `till category …`: the groups of a vendor's products.

use super::{
    Common,
    catalog::{Import, Item, Owner},
    context::{Context, block_on, require_vendor},
    csv_import::{ImportProgress, ImportReport, read_file},
    output::{print, table},
};
use clap::Subcommand;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::Actor,
    catalog::{Category, CategoryDraft},
    id::VendorId,
};
use till_service::admin::catalog::{CatalogEditor, CatalogError, read_categories};
use till_store::Accounts;

#[derive(Debug, Subcommand)]
pub enum CategoryCommand {
    /// Add a category
    Create {
        #[command(flatten)]
        owner: Owner,
        /// The category's name
        #[arg(long)]
        name: String,
        /// The category's id; generated if omitted
        #[arg(long, default_value = "")]
        id: String,
    },
    /// List a vendor's categories
    List(Owner),
    /// Archive a category; its products are not archived
    Archive(Item),
    /// Restore an archived category
    Restore(Item),
    /// Add or rename categories from a CSV file
    #[command(
        after_help = "The first line names the columns: name, and optionally category_id. An existing \
        category_id is renamed and restored. Invalid rows are reported with their line number and \
        skipped.\n\ncategory_id,name\nbooks,Books"
    )]
    Import(Import),
}

/// Runs a `till category` command.
pub fn run(common: &Common, command: CategoryCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let accounts = Context::open(common).await?.accounts;
        match command {
            CategoryCommand::Create { owner, name, id } => {
                create(&accounts, json, owner.vendor, &id, &name).await?
            }
            CategoryCommand::List(owner) => list(&accounts, json, owner.vendor).await?,
            CategoryCommand::Archive(item) => archive(&accounts, json, &item, true).await?,
            CategoryCommand::Restore(item) => archive(&accounts, json, &item, false).await?,
            CategoryCommand::Import(request) => return import(&accounts, &request).await?.finish(json),
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct CategoryDetails {
    category_id: String,
    name: String,
    archived: bool,
}

impl From<&Category> for CategoryDetails {
    fn from(category: &Category) -> Self {
        Self {
            category_id: category.id.to_string(),
            name: category.name.clone(),
            archived: category.archived,
        }
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
    let editor = CatalogEditor { accounts, vendor, actor: &Actor::shell() };
    let category = editor.add_category(CategoryDraft { id, name }).await.map_err(|error| match error {
        CatalogError::Taken(id) => anyhow::anyhow!("category {id} already exists; choose another --id"),
        error => error.into(),
    })?;
    print(json, &CategoryDetails::from(&category), |details| {
        format!("category {} created", details.category_id)
    })
}

async fn list(accounts: &Accounts, json: bool, vendor: VendorId) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let categories: Vec<CategoryDetails> =
        accounts.categories(vendor).await?.iter().map(CategoryDetails::from).collect();
    print(json, &categories, |categories| {
        if categories.is_empty() {
            return "No categories yet. Add one with: till category create --vendor VENDOR_ID --name NAME"
                .to_owned();
        }
        let row = |c: &CategoryDetails| {
            let state = if c.archived { "archived" } else { "in use" };
            vec![c.category_id.clone(), state.to_owned(), c.name.clone()]
        };
        table(&["category", "state", "name"], &categories.iter().map(row).collect::<Vec<_>>())
    })
}

async fn archive(accounts: &Accounts, json: bool, item: &Item, archived: bool) -> anyhow::Result<()> {
    let (vendor, id) = (item.owner.vendor, item.id.as_str());
    require_vendor(accounts, vendor).await?;
    let editor = CatalogEditor { accounts, vendor, actor: &Actor::shell() };
    let category = editor.archive_category(id, archived).await.map_err(|error| match error {
        CatalogError::Missing => {
            anyhow::anyhow!("there is no category {id}; `till category list --vendor {vendor}` lists them")
        }
        error => error.into(),
    })?;
    let word = if archived { "archived" } else { "restored" };
    print(json, &CategoryDetails::from(&category), |details| {
        format!("category {} is {word}", details.category_id)
    })
}

async fn import(accounts: &Accounts, request: &Import) -> anyhow::Result<ImportReport> {
    let Import { owner: Owner { vendor }, file, dry_run } = request;
    require_vendor(accounts, *vendor).await?;
    let sheet = read_categories(&read_file(file)?)?;
    let editor = CatalogEditor { accounts, vendor: *vendor, actor: &Actor::shell() };
    let judged = editor.judge_categories(&sheet).await?;
    if !dry_run {
        let mut progress = ImportProgress::new(judged.good());
        editor.take_categories(&judged, |rows| progress.add(rows)).await?;
    }
    Ok(ImportReport::of(&judged, *dry_run))
}
