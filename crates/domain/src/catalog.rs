//! A vendor's catalog: products and categories that a live create request may name instead of describing the
//! item.

use crate::{
    money::{Currency, Digits, Price, plain_digits},
    rejection::{FieldProblem, Problems, Rejection},
    text,
};
use std::fmt;

/// Maximum length of a product or category id.
pub const MAX_ID_CHARS: usize = 64;

macro_rules! catalog_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Parses an id: 1 to 64 of `A-Z a-z 0-9 . _ -`, so that a vendor may use its own article
            /// numbers.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let fits = (1..=MAX_ID_CHARS).contains(&text.len());
                let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
                (fits && plain).then(|| Self(text.to_owned()))
            }

            /// A generated id, from random bits that the caller drew.
            #[must_use]
            pub fn generate(entropy: u64) -> Self {
                Self(format!(concat!($prefix, "{:016x}"), entropy))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

catalog_id!(
    /// Identifies a product within a vendor's catalog.
    ProductId,
    "prd_"
);
catalog_id!(
    /// Identifies a category within a vendor's catalog.
    CategoryId,
    "cat_"
);

/// Something a vendor sells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Its id, unique within the vendor.
    pub id: ProductId,
    /// The name that customers see.
    pub name: String,
    pub price: Price,
    pub category: Option<CategoryId>,
    /// True when it is no longer on sale.
    pub archived: bool,
}

/// A group of products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Its id, unique within the vendor.
    pub id: CategoryId,
    pub name: String,
    /// True when it is no longer in use.
    pub archived: bool,
}

/// A product as it was written on a command line or in a file, before validation.
#[derive(Debug, Clone, Copy)]
pub struct ProductDraft<'a> {
    /// The id; empty to use a generated one.
    pub id: &'a str,
    pub name: &'a str,
    /// The price, as a decimal.
    pub price: &'a str,
    pub currency: &'a str,
    /// The category's id; empty for none.
    pub category: &'a str,
}

impl ProductDraft<'_> {
    /// Validates the draft; the error lists every wrong field. `generated` is used when the draft has no id.
    pub fn parse(&self, generated: ProductId) -> Result<Product, Rejection> {
        let mut problems = Problems::default();
        let id = match self.id {
            "" => Some(generated),
            text => problems.take("product_id", ProductId::parse(text).ok_or(FieldProblem::NotAnId)),
        };
        let name = problems.take("name", text::name(self.name));
        let digits = problems.take("price", Digits::from_text(&plain_digits(self.price)));
        let currency =
            problems.take("currency", Currency::parse(self.currency).ok_or(FieldProblem::UnknownCurrency));
        let price = match (digits, currency) {
            (Some(digits), Some(currency)) => problems.take("price", Price::new(digits, currency)),
            _ => None,
        };
        let category = match self.category {
            "" => None,
            text => problems.take("category_id", CategoryId::parse(text).ok_or(FieldProblem::NotAnId)),
        };
        problems.finish()?;
        match (id, name, price) {
            (Some(id), Some(name), Some(price)) => Ok(Product { id, name, price, category, archived: false }),
            _ => unreachable!("a missing part was noted as a problem"),
        }
    }
}

/// A category as it was written, before validation.
#[derive(Debug, Clone, Copy)]
pub struct CategoryDraft<'a> {
    /// The id; empty to use a generated one.
    pub id: &'a str,
    pub name: &'a str,
}

impl CategoryDraft<'_> {
    /// Validates the draft; the error lists every wrong field. `generated` is used when the draft has no id.
    pub fn parse(&self, generated: CategoryId) -> Result<Category, Rejection> {
        let mut problems = Problems::default();
        let id = match self.id {
            "" => Some(generated),
            text => problems.take("category_id", CategoryId::parse(text).ok_or(FieldProblem::NotAnId)),
        };
        let name = problems.take("name", text::name(self.name));
        problems.finish()?;
        match (id, name) {
            (Some(id), Some(name)) => Ok(Category { id, name, archived: false }),
            _ => unreachable!("a missing part was noted as a problem"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_names_every_wrong_field() {
        let draft =
            ProductDraft { id: "no spaces", name: " ", price: "1.999", currency: "USD", category: "a/b" };
        let rejection = draft.parse(ProductId::generate(1)).expect_err("all of it is wrong");
        let fields: Vec<_> =
            rejection.fields().iter().map(|f| (f.field.as_ref(), f.problem.code())).collect();
        let expected = [
            ("product_id", "invalid_id"),
            ("name", "empty"),
            ("price", "too_many_decimals"),
            ("category_id", "invalid_id"),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_category_needs_a_name_and_an_id_that_fits() {
        let parse = |id, name| CategoryDraft { id, name }.parse(CategoryId::generate(7));
        let rejection = parse("a b", " ").expect_err("both are wrong");
        let fields: Vec<_> =
            rejection.fields().iter().map(|f| (f.field.as_ref(), f.problem.code())).collect();
        assert_eq!(fields, [("category_id", "invalid_id"), ("name", "empty")]);
        assert_eq!(parse("", " Maps ").expect("a good draft").id.as_str(), "cat_0000000000000007");
        assert_eq!(parse("maps", " Maps ").expect("a good draft").name, "Maps");
    }

    #[test]
    fn a_draft_without_id_gets_the_generated_one() {
        let draft = ProductDraft { id: "", name: "Atlas", price: "49.90", currency: "eur", category: "" };
        let product = draft.parse(ProductId::generate(0x9f31)).expect("a good draft");
        assert_eq!(product.id.as_str(), "prd_0000000000009f31");
        assert_eq!(product.price.money().to_string(), "49.90 EUR");
    }
}
