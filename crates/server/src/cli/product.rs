//! `till product …`: the products of a vendor.

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
    catalog::{Product, ProductDraft},
    id::VendorId,
    rejection::FieldProblem,
};
use till_service::admin::catalog::{CatalogEditor, CatalogError, read_products};
use till_store::Accounts;

#[derive(Debug, Subcommand)]
pub enum ProductCommand {
    /// Add a product
    Create {
        #[command(flatten)]
        owner: Owner,
        /// The product's name, shown to customers
        #[arg(long)]
        name: String,
        /// The price, such as 49.90
        #[arg(long)]
        price: String,
        /// The ISO 4217 currency code, such as RUB
        #[arg(long)]
        currency: String,
        /// The category's id
        #[arg(long, default_value = "")]
        category: String,
        /// The product's id, such as your SKU; generated if omitted
        #[arg(long, default_value = "")]
        id: String,
    },
    /// List a vendor's products
    List(Owner),
    /// Archive a product; its existing sessions stay valid
    Archive(Item),
    /// Restore an archived product
    Restore(Item),
    /// Add or replace products from a CSV file
    #[command(
        after_help = "The first line names the columns: name, price, currency, and optionally product_id and \
        category_id. An existing product_id is replaced and restored. Valid rows are imported; invalid rows \
        are reported with their line number and skipped, and the command exits with \
        1.\n\nname,price,currency,product_id\nAtlas of Northern Light,4990.00,RUB,ATLAS-2"
    )]
    Import(Import),
}

/// Runs a `till product` command.
pub fn run(common: &Common, command: ProductCommand) -> anyhow::Result<ExitCode> {
    let json = common.json;
    block_on(async move {
        let accounts = Context::open(common).await?.accounts;
        match command {
            ProductCommand::Create { owner, name, price, currency, category, id } => {
                let draft = ProductDraft {
                    id: &id,
                    name: &name,
                    price: &price,
                    currency: &currency,
                    category: &category,
                };
                create(&accounts, json, owner.vendor, draft).await?;
            }
            ProductCommand::List(owner) => list(&accounts, json, owner.vendor).await?,
            ProductCommand::Archive(item) => archive(&accounts, json, &item, true).await?,
            ProductCommand::Restore(item) => archive(&accounts, json, &item, false).await?,
            ProductCommand::Import(request) => return import(&accounts, &request).await?.finish(json),
        }
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct ProductDetails {
    product_id: String,
    name: String,
    price: String,
    currency: &'static str,
    category_id: Option<String>,
    archived: bool,
}

impl From<&Product> for ProductDetails {
    fn from(product: &Product) -> Self {
        Self {
            product_id: product.id.to_string(),
            name: product.name.clone(),
            price: product.price.digits().to_owned(),
            currency: product.price.currency().code(),
            category_id: product.category.as_ref().map(ToString::to_string),
            archived: product.archived,
        }
    }
}

async fn create(
    accounts: &Accounts,
    json: bool,
    vendor: VendorId,
    draft: ProductDraft<'_>,
) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let editor = CatalogEditor { accounts, vendor, actor: &Actor::shell() };
    let product = editor.add_product(draft).await.map_err(|error| match error {
        CatalogError::Taken(id) => anyhow::anyhow!("product {id} already exists; choose another --id"),
        CatalogError::Fields(fields) if matches!(&*fields, [only] if only.problem == FieldProblem::UnknownCategory) => {
            let category = draft.category;
            anyhow::anyhow!("there is no category {category}; `till category list --vendor {vendor}` lists \
                them")
        }
        error => error.into(),
    })?;
    print(json, &ProductDetails::from(&product), |details| format!("product {} created", details.product_id))
}

async fn list(accounts: &Accounts, json: bool, vendor: VendorId) -> anyhow::Result<()> {
    require_vendor(accounts, vendor).await?;
    let products: Vec<ProductDetails> =
        accounts.products(vendor).await?.iter().map(ProductDetails::from).collect();
    print(json, &products, |products| {
        if products.is_empty() {
            return "No products yet. Add one with: till product create --vendor VENDOR_ID --name NAME \
                    --price 49.90 --currency RUB"
                .to_owned();
        }
        let row = |p: &ProductDetails| {
            let state = if p.archived { "archived" } else { "on sale" };
            let category = p.category_id.clone().unwrap_or_else(|| "-".to_owned());
            vec![
                p.product_id.clone(),
                format!("{} {}", p.price, p.currency),
                category,
                state.to_owned(),
                p.name.clone(),
            ]
        };
        table(
            &["product", "price", "category", "state", "name"],
            &products.iter().map(row).collect::<Vec<_>>(),
        )
    })
}

async fn archive(accounts: &Accounts, json: bool, item: &Item, archived: bool) -> anyhow::Result<()> {
    let (vendor, id) = (item.owner.vendor, item.id.as_str());
    require_vendor(accounts, vendor).await?;
    let editor = CatalogEditor { accounts, vendor, actor: &Actor::shell() };
    let product = editor.archive_product(id, archived).await.map_err(|error| match error {
        CatalogError::Missing => {
            anyhow::anyhow!("there is no product {id}; `till product list --vendor {vendor}` lists them")
        }
        error => error.into(),
    })?;
    let word = if archived { "archived" } else { "restored" };
    print(json, &ProductDetails::from(&product), |details| {
        format!("product {} is {word}", details.product_id)
    })
}

async fn import(accounts: &Accounts, request: &Import) -> anyhow::Result<ImportReport> {
    let Import { owner: Owner { vendor }, file, dry_run } = request;
    require_vendor(accounts, *vendor).await?;
    let sheet = read_products(&read_file(file)?)?;
    let editor = CatalogEditor { accounts, vendor: *vendor, actor: &Actor::shell() };
    let judged = editor.judge_products(&sheet).await?;
    if !dry_run {
        let mut progress = ImportProgress::new(judged.good());
        editor.take_products(&judged, |rows| progress.add(rows)).await?;
    }
    Ok(ImportReport::of(&judged, *dry_run))
}
