//! Products and categories of a vendor's catalog, stored with its account.

use crate::{
    accounts::{Accounts, audit, forms, users::guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use std::collections::HashMap;
use till_domain::{
    audit::AuditEntry,
    catalog::{Category, CategoryId, Product, ProductId},
    id::VendorId,
    money::{Currency, Price},
};

statements! {
    static PRODUCT = Sql::new(
        "SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 AND id = $2",
    );
    static PRODUCTS = Sql::new(
        "SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 ORDER BY id",
    );
    // `$4` is `*` for all categories and empty for products without a category: neither is an id.
    static SOME_PRODUCTS = Sql::new(
        "SELECT id, name, price, currency, category_id, archived FROM products
         WHERE vendor_id = $1 AND id > $2 AND archived = $3
            AND (CAST($4 AS TEXT) = '*' OR COALESCE(category_id, '') = $4)
         ORDER BY id LIMIT $5",
    );
    static COUNT_PRODUCTS = Sql::new(
        "SELECT COALESCE(category_id, ''), COUNT(*) FROM products WHERE vendor_id = $1 AND archived = $2
         GROUP BY category_id",
    );
    static CATEGORY = Sql::new("SELECT id, name, archived FROM categories WHERE vendor_id = $1 AND id = $2");
    static CATEGORIES =
        Sql::new("SELECT id, name, archived FROM categories WHERE vendor_id = $1 ORDER BY id");
    static PUT_PRODUCT = Sql::new(
        "INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (vendor_id, id) DO UPDATE
         SET name = excluded.name, price = excluded.price, currency = excluded.currency,
            category_id = excluded.category_id, archived = excluded.archived",
    );
    static ADD_PRODUCT = Sql::new(
        "INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (vendor_id, id) DO NOTHING",
    );
    static ADD_CATEGORY = Sql::new(
        "INSERT INTO categories (vendor_id, id, name, archived, created_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (vendor_id, id) DO NOTHING",
    );
    static PUT_CATEGORY = Sql::new(
        "INSERT INTO categories (vendor_id, id, name, archived, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (vendor_id, id) DO UPDATE SET name = excluded.name, archived = excluded.archived",
    );
    static CHANGE_PRODUCT = Sql::new(
        "UPDATE products SET name = $3, price = $4, currency = $5, category_id = $6
         WHERE vendor_id = $1 AND id = $2",
    );
    static CHANGE_CATEGORY = Sql::new("UPDATE categories SET name = $3 WHERE vendor_id = $1 AND id = $2");
    static ARCHIVE_PRODUCT = Sql::new("UPDATE products SET archived = $3 WHERE vendor_id = $1 AND id = $2");
    static ARCHIVE_CATEGORY =
        Sql::new("UPDATE categories SET archived = $3 WHERE vendor_id = $1 AND id = $2");
}

/// A filter of products, ordered by id.
#[derive(Debug, Clone, Default)]
pub struct ProductFilter {
    /// True for archived products only, false for products on sale only.
    pub archived: bool,
    /// Only products of this category; `Some(None)` selects those without a category.
    pub category: Option<Option<CategoryId>>,
    /// Keyset cursor: only products after this id.
    pub after: Option<ProductId>,
    pub limit: u32,
}

impl Accounts {
    /// A vendor's product, archived or not.
    pub async fn product(&self, vendor: VendorId, id: &ProductId) -> Result<Option<Product>, StoreError> {
        let params = vec![vendor.as_bytes().into(), id.as_str().into()];
        self.engine.read(&PRODUCT, params).await?.into_iter().next().map(read_product).transpose()
    }

    /// All products of a vendor, by id.
    pub async fn products(&self, vendor: VendorId) -> Result<Vec<Product>, StoreError> {
        let rows = self.engine.scan(&PRODUCTS, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().map(read_product).collect()
    }

    /// A vendor's category, archived or not.
    pub async fn category(&self, vendor: VendorId, id: &CategoryId) -> Result<Option<Category>, StoreError> {
        let params = vec![vendor.as_bytes().into(), id.as_str().into()];
        self.engine.read(&CATEGORY, params).await?.into_iter().next().map(read_category).transpose()
    }

    /// All categories of a vendor, by id.
    pub async fn categories(&self, vendor: VendorId) -> Result<Vec<Category>, StoreError> {
        let rows = self.engine.scan(&CATEGORIES, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().map(read_category).collect()
    }

    /// A page of a vendor's products, by id.
    pub async fn some_products(
        &self,
        vendor: VendorId,
        filter: &ProductFilter,
    ) -> Result<Vec<Product>, StoreError> {
        let category = filter.category.as_ref().map_or("*", |id| id.as_ref().map_or("", CategoryId::as_str));
        let params = vec![
            vendor.as_bytes().into(),
            filter.after.as_ref().map_or("", ProductId::as_str).into(),
            filter.archived.into(),
            category.into(),
            i64::from(filter.limit).into(),
        ];
        self.engine.scan(&SOME_PRODUCTS, params).await?.into_iter().map(read_product).collect()
    }

    /// The number of products in each category; the key `None` counts those without one.
    pub async fn count_products(
        &self,
        vendor: VendorId,
        archived: bool,
    ) -> Result<HashMap<Option<CategoryId>, u64>, StoreError> {
        let rows = self.engine.scan(&COUNT_PRODUCTS, vec![vendor.as_bytes().into(), archived.into()]).await?;
        let count = |mut row: Row| {
            let (id, count) = (row.text()?, row.int()?);
            Ok((CategoryId::parse(&id), u64::try_from(count).unwrap_or_default()))
        };
        rows.into_iter().map(count).collect()
    }

    /// Adds a product. False if its id is taken, or the form that does it was sent before.
    pub async fn add_product(
        &self,
        vendor: VendorId,
        product: &Product,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.extend([self.write_product(&ADD_PRODUCT, vendor, product, true), audit::line(entry)]);
        self.done(unit).await
    }

    /// Changes a product's name, price and category. False if there is no such product.
    pub async fn change_product(
        &self,
        vendor: VendorId,
        product: &Product,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            vendor.as_bytes().into(),
            product.id.as_str().into(),
            product.name.as_str().into(),
            product.price.digits().into(),
            product.price.currency().code().into(),
            product.category.as_ref().map(CategoryId::as_str).into(),
        ];
        self.done(vec![guarded(&CHANGE_PRODUCT, params), audit::line(entry)]).await
    }

    /// Adds or replaces products, all of them or none.
    pub async fn put_products(
        &self,
        vendor: VendorId,
        products: &[Product],
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let put = products.iter().map(|product| self.write_product(&PUT_PRODUCT, vendor, product, false));
        self.engine.write(put.chain([audit::line(entry)]).collect()).await.map(drop)
    }

    /// Adds a category. False if its id is taken, or the form that does it was sent before.
    pub async fn add_category(
        &self,
        vendor: VendorId,
        category: &Category,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.extend([self.write_category(&ADD_CATEGORY, vendor, category, true), audit::line(entry)]);
        self.done(unit).await
    }

    /// Renames a category. False if there is no such category.
    pub async fn change_category(
        &self,
        vendor: VendorId,
        category: &Category,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params =
            vec![vendor.as_bytes().into(), category.id.as_str().into(), category.name.as_str().into()];
        self.done(vec![guarded(&CHANGE_CATEGORY, params), audit::line(entry)]).await
    }

    /// Adds or replaces categories, all of them or none.
    pub async fn put_categories(
        &self,
        vendor: VendorId,
        categories: &[Category],
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let put =
            categories.iter().map(|category| self.write_category(&PUT_CATEGORY, vendor, category, false));
        self.engine.write(put.chain([audit::line(entry)]).collect()).await.map(drop)
    }

    /// Takes a product off sale, or puts it back. False if there is no such product.
    pub async fn archive_product(
        &self,
        vendor: VendorId,
        id: &ProductId,
        archived: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![vendor.as_bytes().into(), id.as_str().into(), archived.into()];
        self.done(vec![guarded(&ARCHIVE_PRODUCT, params), audit::line(entry)]).await
    }

    /// Takes a category out of use, or puts it back. False if there is no such category.
    pub async fn archive_category(
        &self,
        vendor: VendorId,
        id: &CategoryId,
        archived: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![vendor.as_bytes().into(), id.as_str().into(), archived.into()];
        self.done(vec![guarded(&ARCHIVE_CATEGORY, params), audit::line(entry)]).await
    }

    fn write_product(
        &self,
        sql: &'static Sql,
        vendor: VendorId,
        product: &Product,
        guarded: bool,
    ) -> Statement {
        let params = vec![
            vendor.as_bytes().into(),
            product.id.as_str().into(),
            product.name.as_str().into(),
            product.price.digits().into(),
            product.price.currency().code().into(),
            product.category.as_ref().map(|c| c.as_str()).into(),
            product.archived.into(),
            self.now().into(),
        ];
        Statement { sql, params, guarded }
    }

    fn write_category(
        &self,
        sql: &'static Sql,
        vendor: VendorId,
        category: &Category,
        guarded: bool,
    ) -> Statement {
        let params = vec![
            vendor.as_bytes().into(),
            category.id.as_str().into(),
            category.name.as_str().into(),
            category.archived.into(),
            self.now().into(),
        ];
        Statement { sql, params, guarded }
    }
}

fn read_product(mut row: Row) -> Result<Product, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("product with {what}"));
    let id = ProductId::parse(&row.text()?).ok_or_else(|| corrupt("a wrong id"))?;
    let name = row.text()?;
    let digits = row.text()?;
    let currency = Currency::from_stored(&row.text()?).ok_or_else(|| corrupt("a wrong currency"))?;
    let price = Price::from_text(&digits, currency).map_err(|_| corrupt("a wrong price"))?;
    let category = row.opt_text()?;
    let category =
        category.map(|id| CategoryId::parse(&id).ok_or_else(|| corrupt("a wrong category"))).transpose()?;
    Ok(Product { id, name, price, category, archived: row.bool()? })
}

fn read_category(mut row: Row) -> Result<Category, StoreError> {
    let id = row.text()?;
    let id = CategoryId::parse(&id).ok_or_else(|| StoreError::Corrupt(format!("category {id:?}")))?;
    Ok(Category { id, name: row.text()?, archived: row.bool()? })
}
