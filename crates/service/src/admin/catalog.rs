//! A vendor's catalog of products and categories: single changes, or an import of a table. Pages and commands
//! both go through [`Shelf`], so that they apply the same rules and write the same entries to the audit log.

use super::{
    csv_sheet::{Column, Fields, RowProblem, Sheet, SheetProblem},
    entry,
};
use crate::random;
use std::collections::{HashMap, HashSet};
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    catalog::{Category, CategoryDraft, CategoryId, Product, ProductDraft, ProductId},
    id::VendorId,
    rejection::{FieldError, FieldProblem, Rejection},
};
use till_store::{Accounts, StoreError};

/// Rows written in one transaction.
const AT_ONCE: usize = 500;

/// The columns of a table of products.
pub const PRODUCT_COLUMNS: &[Column] = &[
    Column { name: "name", required: true },
    Column { name: "price", required: true },
    Column { name: "currency", required: true },
    Column { name: "product_id", required: false },
    Column { name: "category_id", required: false },
];

/// The columns of a table of categories.
pub const CATEGORY_COLUMNS: &[Column] =
    &[Column { name: "name", required: true }, Column { name: "category_id", required: false }];

/// One vendor's catalog, and the actor that changes it.
#[derive(Debug, Clone, Copy)]
pub struct CatalogEditor<'a> {
    /// The store of the catalog and of the audit log.
    pub accounts: &'a Accounts,
    pub vendor: VendorId,
    /// The author in the audit log.
    pub actor: &'a Actor,
}

/// The reason why a change of the catalog was refused.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// These fields failed validation.
    #[error("{}", .0.iter().map(FieldError::message).collect::<Vec<_>>().join("; "))]
    Fields(Vec<FieldError>),
    /// Its id is taken.
    #[error("{0} already exists")]
    Taken(String),
    /// The same form was submitted before, and took effect then.
    #[error("this form was already submitted")]
    Repeated,
    /// There is no such product or category.
    #[error("there is no such product or category")]
    Missing,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Rejection> for CatalogError {
    fn from(rejection: Rejection) -> Self {
        Self::Fields(rejection.fields().to_vec())
    }
}

/// The preview of an import: the changes that a table would make. Nothing is stored yet.
#[derive(Debug)]
pub struct ImportPlan<T> {
    pub added: Vec<T>,
    /// Existing items that the table changes.
    pub changed: Vec<ItemChange<T>>,
    /// Number of rows that equal the stored item.
    pub same: usize,
    /// Rows with errors, which are not imported.
    pub bad: Vec<BadRow>,
    /// The header line, as it was written.
    pub head: String,
}

/// An existing item with its new content.
#[derive(Debug)]
pub struct ItemChange<T> {
    pub before: T,
    pub after: T,
}

/// A row with errors, which is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The line on which it starts.
    pub line: u64,
    /// Its text, as it was written.
    pub text: String,
    /// All its errors.
    pub problems: Vec<RowProblem>,
}

fn product_id() -> ProductId {
    ProductId::generate(u64::from_be_bytes(random::draw("product")))
}

fn category_id() -> CategoryId {
    CategoryId::generate(u64::from_be_bytes(random::draw("category")))
}

impl CatalogEditor<'_> {
    fn entry(&self, event: AuditEvent, detail: impl Into<String>) -> AuditEntry {
        entry(self.accounts, self.actor, event).about(self.vendor).saying(detail)
    }

    async fn categories(&self) -> Result<HashSet<CategoryId>, StoreError> {
        Ok(self.accounts.categories(self.vendor).await?.into_iter().map(|category| category.id).collect())
    }

    /// The reason why an item was not added: the form was submitted before, or the id is taken.
    async fn not_added(&self, id: String) -> Result<CatalogError, StoreError> {
        let repeated = match self.actor.form {
            Some(form) => self.accounts.form_used(form).await?,
            None => false,
        };
        Ok(if repeated { CatalogError::Repeated } else { CatalogError::Taken(id) })
    }

    pub async fn add_product(&self, draft: ProductDraft<'_>) -> Result<Product, CatalogError> {
        let product = check_product(draft, &self.categories().await?).map_err(CatalogError::Fields)?;
        let entry = self.entry(AuditEvent::ProductCreated, describe_product(&product));
        match self.accounts.add_product(self.vendor, &product, &entry).await? {
            true => Ok(product),
            false => Err(self.not_added(product.id.to_string()).await?),
        }
    }

    /// Changes the name, price and category of the product with the draft's id.
    pub async fn change_product(&self, draft: ProductDraft<'_>) -> Result<Product, CatalogError> {
        let id = ProductId::parse(draft.id).ok_or(CatalogError::Missing)?;
        let before = self.accounts.product(self.vendor, &id).await?.ok_or(CatalogError::Missing)?;
        let after = check_product(draft, &self.categories().await?).map_err(CatalogError::Fields)?;
        let after = Product { archived: before.archived, ..after };
        if after == before {
            return Ok(after);
        }
        let detail = format!("{} → {}", describe_product(&before), describe_product(&after));
        let entry = self.entry(AuditEvent::ProductChanged, detail);
        match self.accounts.change_product(self.vendor, &after, &entry).await? {
            true => Ok(after),
            false => Err(CatalogError::Missing),
        }
    }

    /// Takes a product off sale, or puts it back.
    pub async fn archive_product(&self, id: &str, archived: bool) -> Result<Product, CatalogError> {
        let id = ProductId::parse(id).ok_or(CatalogError::Missing)?;
        let product = self.accounts.product(self.vendor, &id).await?.ok_or(CatalogError::Missing)?;
        let event = if archived { AuditEvent::ProductArchived } else { AuditEvent::ProductRestored };
        let entry = self.entry(event, describe_product(&product));
        // A product that is in that state already gets no entry in the audit log.
        if product.archived != archived {
            self.accounts.archive_product(self.vendor, &id, archived, &entry).await?;
        }
        Ok(Product { archived, ..product })
    }

    pub async fn add_category(&self, draft: CategoryDraft<'_>) -> Result<Category, CatalogError> {
        let category = draft.parse(category_id())?;
        let entry = self.entry(AuditEvent::CategoryCreated, describe_category(&category));
        match self.accounts.add_category(self.vendor, &category, &entry).await? {
            true => Ok(category),
            false => Err(self.not_added(category.id.to_string()).await?),
        }
    }

    /// Changes the name of the category with the draft's id.
    pub async fn change_category(&self, draft: CategoryDraft<'_>) -> Result<Category, CatalogError> {
        let id = CategoryId::parse(draft.id).ok_or(CatalogError::Missing)?;
        let before = self.accounts.category(self.vendor, &id).await?.ok_or(CatalogError::Missing)?;
        let after = Category { archived: before.archived, ..draft.parse(id)? };
        if after == before {
            return Ok(after);
        }
        let detail = format!("{} → {}", describe_category(&before), describe_category(&after));
        let entry = self.entry(AuditEvent::CategoryChanged, detail);
        match self.accounts.change_category(self.vendor, &after, &entry).await? {
            true => Ok(after),
            false => Err(CatalogError::Missing),
        }
    }

    /// Takes a category out of use, or puts it back.
    pub async fn archive_category(&self, id: &str, archived: bool) -> Result<Category, CatalogError> {
        let id = CategoryId::parse(id).ok_or(CatalogError::Missing)?;
        let category = self.accounts.category(self.vendor, &id).await?.ok_or(CatalogError::Missing)?;
        let event = if archived { AuditEvent::CategoryArchived } else { AuditEvent::CategoryRestored };
        let entry = self.entry(event, describe_category(&category));
        if category.archived != archived {
            self.accounts.archive_category(self.vendor, &id, archived, &entry).await?;
        }
        Ok(Category { archived, ..category })
    }

    /// Previews the import of a table of products.
    pub async fn judge_products(&self, sheet: &Sheet) -> Result<ImportPlan<Product>, StoreError> {
        let categories = self.categories().await?;
        let known = self.accounts.products(self.vendor).await?;
        let known = known.into_iter().map(|product| (product.id.to_string(), product)).collect();
        let parse = |fields: &Fields<'_>| {
            let draft = ProductDraft {
                id: fields.get("product_id"),
                name: fields.get("name"),
                price: &fields.decimal("price"),
                currency: fields.get("currency"),
                category: fields.get("category_id"),
            };
            check_product(draft, &categories)
        };
        Ok(judge(sheet, "product_id", known, parse, |product| product.id.as_str()))
    }

    /// Previews the import of a table of categories.
    pub async fn judge_categories(&self, sheet: &Sheet) -> Result<ImportPlan<Category>, StoreError> {
        let known = self.accounts.categories(self.vendor).await?;
        let known = known.into_iter().map(|category| (category.id.to_string(), category)).collect();
        let parse = |fields: &Fields<'_>| {
            let draft = CategoryDraft { id: fields.get("category_id"), name: fields.get("name") };
            draft.parse(category_id()).map_err(|rejection| rejection.fields().to_vec())
        };
        Ok(judge(sheet, "category_id", known, parse, |category| category.id.as_str()))
    }

    /// Stores the valid rows of a table of products in batches; `stored` is called with the size of each
    /// batch.
    pub async fn take_products(
        &self,
        judged: &ImportPlan<Product>,
        mut stored: impl FnMut(usize),
    ) -> Result<(), StoreError> {
        for (part, summary) in judged.parts() {
            let entry = self.entry(AuditEvent::ProductsImported, summary);
            self.accounts.put_products(self.vendor, &part, &entry).await?;
            stored(part.len());
        }
        Ok(())
    }

    /// Stores the valid rows of a table of categories in batches; `stored` is called with the size of each
    /// batch.
    pub async fn take_categories(
        &self,
        judged: &ImportPlan<Category>,
        mut stored: impl FnMut(usize),
    ) -> Result<(), StoreError> {
        for (part, summary) in judged.parts() {
            let entry = self.entry(AuditEvent::CategoriesImported, summary);
            self.accounts.put_categories(self.vendor, &part, &entry).await?;
            stored(part.len());
        }
        Ok(())
    }
}

impl<T: Clone> ImportPlan<T> {
    /// Number of rows that would be stored.
    #[must_use]
    pub fn good(&self) -> usize {
        self.added.len() + self.changed.len()
    }

    /// The items that would be stored.
    pub fn after(&self) -> impl Iterator<Item = &T> {
        self.added.iter().chain(self.changed.iter().map(|changed| &changed.after))
    }

    /// The batches, each stored in one transaction, with the text of its audit log entry.
    fn parts(&self) -> Vec<(Vec<T>, String)> {
        let new = self.added.iter().map(|item| (item, true));
        let all: Vec<_> = new.chain(self.changed.iter().map(|changed| (&changed.after, false))).collect();
        let part = |part: &[(&T, bool)]| {
            let added = part.iter().filter(|(_, new)| *new).count();
            let summary = format!("{added} added, {} changed", part.len() - added);
            (part.iter().map(|(item, _)| (*item).clone()).collect(), summary)
        };
        all.chunks(AT_ONCE).map(part).collect()
    }
}

/// Reads a table of products.
pub fn read_products(file: &[u8]) -> Result<Sheet, SheetProblem> {
    Sheet::read(file, PRODUCT_COLUMNS)
}

/// Reads a table of categories.
pub fn read_categories(file: &[u8]) -> Result<Sheet, SheetProblem> {
    Sheet::read(file, CATEGORY_COLUMNS)
}

/// Splits the rows of a table into valid ones, with each id once, and rows with errors.
fn judge<T: PartialEq>(
    sheet: &Sheet,
    id_column: &'static str,
    mut known: HashMap<String, T>,
    parse: impl Fn(&Fields<'_>) -> Result<T, Vec<FieldError>>,
    id_of: impl Fn(&T) -> &str,
) -> ImportPlan<T> {
    let head = sheet.head.clone();
    let mut judged = ImportPlan { added: Vec::new(), changed: Vec::new(), same: 0, bad: Vec::new(), head };
    let mut seen: HashMap<String, u64> = HashMap::new();
    for (row, fields) in sheet.rows() {
        let parsed = fields.map_err(|problem| vec![problem]).and_then(|fields| {
            parse(&fields).map_err(|errors| errors.into_iter().map(RowProblem::Field).collect())
        });
        let fresh = parsed.and_then(|item| match seen.get(id_of(&item)) {
            Some(first) => {
                let id = id_of(&item).to_owned();
                Err(vec![RowProblem::Repeated { column: id_column, id, first: *first }])
            }
            None => Ok(item),
        });
        let item = match fresh {
            Ok(item) => item,
            Err(problems) => {
                judged.bad.push(BadRow { line: row.line, text: row.text.clone(), problems });
                continue;
            }
        };
        seen.insert(id_of(&item).to_owned(), row.line);
        match known.remove(id_of(&item)) {
            None => judged.added.push(item),
            Some(before) if before == item => judged.same += 1,
            Some(before) => judged.changed.push(ItemChange { before, after: item }),
        }
    }
    judged
}

fn check_product(
    draft: ProductDraft<'_>,
    categories: &HashSet<CategoryId>,
) -> Result<Product, Vec<FieldError>> {
    let parsed = draft.parse(product_id());
    let mut errors = parsed.as_ref().err().map_or_else(Vec::new, |rejection| rejection.fields().to_vec());
    if CategoryId::parse(draft.category).is_some_and(|category| !categories.contains(&category)) {
        errors.push(FieldError { field: "category_id".into(), problem: FieldProblem::UnknownCategory });
    }
    parsed.ok().filter(|_| errors.is_empty()).ok_or(errors)
}

fn describe_product(product: &Product) -> String {
    let Product { id, name, price, category, .. } = product;
    let category = category.as_ref().map(|category| format!(", {category}")).unwrap_or_default();
    format!("{id}: {name}, {} {}{category}", price.digits(), price.currency().code())
}

fn describe_category(category: &Category) -> String {
    format!("{}: {}", category.id, category.name)
}
