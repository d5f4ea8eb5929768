//! Products and categories of a vendor's catalog, beside its account.

use crate::{
    accounts::Accounts,
    engine::Written,
    error::StoreError,
    sql::{Row, Sql, Statement},
};
use till_domain::{
    catalog::{Category, CategoryId, Product, ProductId},
    id::VendorId,
    money::{Currency, Price},
};

static PRODUCT: Sql = Sql::new(
    "SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 AND id = $2",
);
static PRODUCTS: Sql = Sql::new(
    "SELECT id, name, price, currency, category_id, archived FROM products WHERE vendor_id = $1 ORDER BY id",
);
static CATEGORY: Sql = Sql::new("SELECT id, name, archived FROM categories WHERE vendor_id = $1 AND id = $2");
static CATEGORIES: Sql =
    Sql::new("SELECT id, name, archived FROM categories WHERE vendor_id = $1 ORDER BY id");
static PUT_PRODUCT: Sql = Sql::new(
    "INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (vendor_id, id) DO UPDATE
     SET name = excluded.name, price = excluded.price, currency = excluded.currency,
        category_id = excluded.category_id, archived = excluded.archived",
);
static ADD_PRODUCT: Sql = Sql::new(
    "INSERT INTO products (vendor_id, id, name, price, currency, category_id, archived, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (vendor_id, id) DO NOTHING",
);
static ADD_CATEGORY: Sql = Sql::new(
    "INSERT INTO categories (vendor_id, id, name, archived, created_at)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (vendor_id, id) DO NOTHING",
);
static PUT_CATEGORY: Sql = Sql::new(
    "INSERT INTO categories (vendor_id, id, name, archived, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (vendor_id, id) DO UPDATE SET name = excluded.name, archived = excluded.archived",
);
static ARCHIVE_PRODUCT: Sql = Sql::new("UPDATE products SET archived = $3 WHERE vendor_id = $1 AND id = $2");
static ARCHIVE_CATEGORY: Sql =
    Sql::new("UPDATE categories SET archived = $3 WHERE vendor_id = $1 AND id = $2");

/// Every text of this file, for the test that prepares them all.
#[cfg(test)]
pub(crate) static ALL: &[&Sql] = &[
    &PRODUCT,
    &PRODUCTS,
    &CATEGORY,
    &CATEGORIES,
    &PUT_PRODUCT,
    &ADD_PRODUCT,
    &ADD_CATEGORY,
    &PUT_CATEGORY,
    &ARCHIVE_PRODUCT,
    &ARCHIVE_CATEGORY,
];

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

    /// Adds a product. False if its id is taken.
    pub async fn add_product(&self, vendor: VendorId, product: &Product) -> Result<bool, StoreError> {
        let statement = self.write_product(&ADD_PRODUCT, vendor, product, true);
        Ok(self.engine.write(vec![statement]).await? == Written::Done)
    }

    /// Adds or replaces products, all of them or none.
    pub async fn put_products(&self, vendor: VendorId, products: &[Product]) -> Result<(), StoreError> {
        let put = |product| self.write_product(&PUT_PRODUCT, vendor, product, false);
        self.engine.write(products.iter().map(put).collect()).await.map(drop)
    }

    /// Adds a category. False if its id is taken.
    pub async fn add_category(&self, vendor: VendorId, category: &Category) -> Result<bool, StoreError> {
        let statement = self.write_category(&ADD_CATEGORY, vendor, category, true);
        Ok(self.engine.write(vec![statement]).await? == Written::Done)
    }

    /// Adds or replaces categories, all of them or none.
    pub async fn put_categories(&self, vendor: VendorId, categories: &[Category]) -> Result<(), StoreError> {
        let put = |category| self.write_category(&PUT_CATEGORY, vendor, category, false);
        self.engine.write(categories.iter().map(put).collect()).await.map(drop)
    }

    /// Takes a product off sale, or puts it back. False if there is no such product.
    pub async fn archive_product(
        &self,
        vendor: VendorId,
        id: &ProductId,
        archived: bool,
    ) -> Result<bool, StoreError> {
        self.archive(&ARCHIVE_PRODUCT, vendor, id.as_str(), archived).await
    }

    /// Takes a category out of use, or puts it back. False if there is no such category.
    pub async fn archive_category(
        &self,
        vendor: VendorId,
        id: &CategoryId,
        archived: bool,
    ) -> Result<bool, StoreError> {
        self.archive(&ARCHIVE_CATEGORY, vendor, id.as_str(), archived).await
    }

    async fn archive(
        &self,
        sql: &'static Sql,
        vendor: VendorId,
        id: &str,
        archived: bool,
    ) -> Result<bool, StoreError> {
        let params = vec![vendor.as_bytes().into(), id.into(), archived.into()];
        Ok(self.engine.write(vec![Statement { sql, params, guarded: true }]).await? == Written::Done)
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
