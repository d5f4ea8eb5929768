//! Products and categories of a vendor's catalog.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, Kind, category, entry, globe, maps, on_both_engines, product, vendor_id},
};
use till_domain::{
    catalog::{Category, CategoryId, Product, ProductId},
    money::{Currency, Price},
};
use till_store::{Accounts, AuditFilter, ProductFilter};

/// Two vendors with empty catalogs.
async fn two_vendors(kind: Kind) -> Backend {
    let backend = Backend::new(kind).await;
    for number in [1, 2] {
        add_vendor(&backend.stores.accounts, number).await;
    }
    backend
}

async fn products(accounts: &Accounts, vendor: u64) -> Vec<Product> {
    accounts.products(vendor_id(vendor)).await.expect("a read")
}

async fn categories(accounts: &Accounts, vendor: u64) -> Vec<Category> {
    accounts.categories(vendor_id(vendor)).await.expect("a read")
}

async fn find_product(accounts: &Accounts, vendor: u64, id: &ProductId) -> Option<Product> {
    accounts.product(vendor_id(vendor), id).await.expect("a read")
}

async fn find_category(accounts: &Accounts, vendor: u64, id: &CategoryId) -> Option<Category> {
    accounts.category(vendor_id(vendor), id).await.expect("a read")
}

fn price(digits: &str, currency: &str) -> Price {
    let currency = Currency::parse(currency).expect("a currency");
    Price::from_text(digits, currency).expect("a price")
}

fn ids(products: &[Product]) -> Vec<&str> {
    products.iter().map(|product| product.id.as_str()).collect()
}

async fn products_and_categories_read_back_as_they_were_added(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    let added = [
        globe(),
        Product { archived: true, ..product("b", "1", "") },
        Product {
            name: "Ж 🧾 'quoted\"".to_owned(),
            price: price("0.001", "KWD"),
            ..product("a", "1", "maps")
        },
        Product { price: price("999999999999", "JPY"), ..product("A.b_c-1", "1", "") },
    ];
    assert!(accounts.add_category(vendor_id(1), &maps(), &entry()).await.expect("a write"));
    let old = Category { archived: true, ..category("old", "Ж 🧾") };
    assert!(accounts.add_category(vendor_id(1), &old, &entry()).await.expect("a write"));
    for product in &added {
        assert!(accounts.add_product(vendor_id(1), product, &entry()).await.expect("a write"));
    }
    let backend = backend.reopen().await;
    let accounts = &backend.stores.accounts;
    for product in added {
        assert_eq!(find_product(accounts, 1, &product.id).await, Some(product));
    }
    assert_eq!(ids(&products(accounts, 1).await), ["A.b_c-1", "a", "b", "globe"], "listed by id");
    assert_eq!(categories(accounts, 1).await, [maps(), old.clone()]);
    assert_eq!(find_category(accounts, 1, &old.id).await, Some(old));
}

async fn a_taken_id_is_not_added_again(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    assert!(accounts.add_category(vendor_id(1), &maps(), &entry()).await.expect("a write"));
    assert!(
        !accounts.add_category(vendor_id(1), &category("maps", "Other"), &entry()).await.expect("an answer")
    );
    assert_eq!(categories(accounts, 1).await, [maps()]);
    assert!(accounts.add_product(vendor_id(1), &globe(), &entry()).await.expect("a write"));
    assert!(
        !accounts.add_product(vendor_id(1), &product("globe", "1", ""), &entry()).await.expect("an answer")
    );
    assert_eq!(products(accounts, 1).await, [globe()]);
    let others = product("globe", "7", "");
    assert!(
        accounts.add_product(vendor_id(2), &others, &entry()).await.expect("each vendor has its own ids")
    );
    assert_eq!(products(accounts, 1).await, [globe()]);
    assert_eq!(products(accounts, 2).await, [others]);
}

async fn another_vendors_catalog_is_not_found(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    accounts.put_categories(vendor_id(1), &[maps()], &entry()).await.expect("a write");
    accounts.put_products(vendor_id(1), &[globe()], &entry()).await.expect("a write");
    assert_eq!(find_product(accounts, 1, &globe().id).await, Some(globe()));
    assert_eq!(find_product(accounts, 2, &globe().id).await, None);
    assert_eq!(find_category(accounts, 2, &maps().id).await, None);
    assert_eq!(products(accounts, 2).await, []);
    assert_eq!(categories(accounts, 2).await, []);
    accounts
        .add_product(vendor_id(2), &globe(), &entry())
        .await
        .expect_err("the category is another vendor's");
    accounts.add_product(vendor_id(3), &product("a", "1", ""), &entry()).await.expect_err("no such vendor");
}

async fn putting_adds_what_is_new_and_replaces_what_is_there(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    let old = Category { archived: true, ..category("old", "Old") };
    accounts.put_categories(vendor_id(1), &[maps(), old], &entry()).await.expect("a write");
    let newer = [category("maps", "Maps and globes"), category("new", "New"), category("old", "Old")];
    accounts.put_categories(vendor_id(1), &newer, &entry()).await.expect("a write");
    assert_eq!(categories(accounts, 1).await, newer);

    let first = [Product { archived: true, ..product("a", "1", "") }, globe()];
    accounts.put_products(vendor_id(1), &first, &entry()).await.expect("a write");
    assert_eq!(products(accounts, 1).await, first);
    let second = [
        product("a", "2", "new"),
        product("b", "3", ""),
        Product { name: "Big globe".to_owned(), price: price("900", "JPY"), ..product("globe", "1", "") },
    ];
    accounts.put_products(vendor_id(1), &second, &entry()).await.expect("a write");
    assert_eq!(products(accounts, 1).await, second);
    accounts.put_products(vendor_id(1), &[], &entry()).await.expect("nothing to put");
    assert_eq!(products(accounts, 1).await, second);
}

async fn products_are_put_all_or_none(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    accounts.put_categories(vendor_id(1), &[maps()], &entry()).await.expect("a write");
    accounts.put_products(vendor_id(1), &[globe()], &entry()).await.expect("a write");
    let stray = product("stray", "1", "no-such-category");
    for wrong_at in 0..3 {
        let mut file = vec![product("a", "1", ""), product("globe", "999", "")];
        file.insert(wrong_at, stray.clone());
        accounts
            .put_products(vendor_id(1), &file, &entry())
            .await
            .expect_err("a category that does not exist");
        assert_eq!(products(accounts, 1).await, [globe()], "the wrong one is number {wrong_at}");
    }
}

async fn archiving_changes_one_product_or_category(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    accounts
        .put_categories(vendor_id(1), &[maps(), category("new", "New")], &entry())
        .await
        .expect("a write");
    accounts.put_products(vendor_id(1), &[product("a", "1", ""), globe()], &entry()).await.expect("a write");
    accounts.put_products(vendor_id(2), &[product("globe", "1", "")], &entry()).await.expect("a write");
    for archived in [true, true, false] {
        let done = accounts.archive_product(vendor_id(1), &globe().id, archived, &entry()).await;
        assert!(done.expect("a write"));
        let done = accounts.archive_category(vendor_id(1), &maps().id, archived, &entry()).await;
        assert!(done.expect("a write"));
        let expected = [product("a", "1", ""), Product { archived, ..globe() }];
        assert_eq!(products(accounts, 1).await, expected);
        assert_eq!(categories(accounts, 1).await, [Category { archived, ..maps() }, category("new", "New")]);
        assert_eq!(products(accounts, 2).await, [product("globe", "1", "")]);
    }
    let unknown = ProductId::generate(1);
    assert!(!accounts.archive_product(vendor_id(1), &unknown, true, &entry()).await.expect("an answer"));
    assert!(
        !accounts
            .archive_product(vendor_id(2), &product("a", "1", "").id, true, &entry())
            .await
            .expect("an answer")
    );
    assert!(!accounts.archive_category(vendor_id(2), &maps().id, true, &entry()).await.expect("an answer"));
}

async fn products_are_read_in_parts_and_counted_by_category(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    accounts.put_categories(vendor_id(1), &[maps()], &entry()).await.expect("a write");
    let old = Product { archived: true, ..product("d", "1", "maps") };
    let all = [product("A", "1", ""), product("b", "1", "maps"), product("c", "1", "maps"), old];
    accounts.put_products(vendor_id(1), &all, &entry()).await.expect("a write");
    accounts.put_products(vendor_id(2), &[product("x", "1", "")], &entry()).await.expect("a write");
    let read = async |change: &dyn Fn(&mut ProductFilter)| {
        let mut filter = ProductFilter { limit: 10, ..ProductFilter::default() };
        change(&mut filter);
        let found = accounts.some_products(vendor_id(1), &filter).await.expect("a read");
        found.iter().map(|product| product.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(read(&|_| ()).await, "A b c");
    assert_eq!(read(&|filter| filter.limit = 2).await, "A b");
    assert_eq!(read(&|filter| filter.after = ProductId::parse("A")).await, "b c");
    assert_eq!(read(&|filter| filter.archived = true).await, "d");
    assert_eq!(read(&|filter| filter.category = Some(None)).await, "A");
    assert_eq!(read(&|filter| filter.category = Some(Some(maps().id))).await, "b c");
    let count = async |archived| {
        let counts = accounts.count_products(vendor_id(1), archived).await.expect("a read");
        (counts.get(&None).copied(), counts.get(&Some(maps().id)).copied())
    };
    assert_eq!(count(false).await, (Some(1), Some(2)));
    assert_eq!(count(true).await, (None, Some(1)));
}

async fn a_change_is_made_with_its_line_or_not_at_all(kind: Kind) {
    let backend = two_vendors(kind).await;
    let accounts = &backend.stores.accounts;
    let lines = async || {
        let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
        accounts.audit(&filter).await.expect("a read").len()
    };
    accounts.put_categories(vendor_id(1), &[maps()], &entry()).await.expect("a write");
    accounts.put_products(vendor_id(1), &[product("a", "1", "")], &entry()).await.expect("a write");
    assert!(
        accounts
            .archive_product(vendor_id(1), &product("a", "1", "").id, true, &entry())
            .await
            .expect("a write")
    );
    let before = lines().await;
    let new = Product { name: "New".to_owned(), price: price("2.5", "USD"), ..product("a", "1", "maps") };
    assert!(accounts.change_product(vendor_id(1), &new, &entry()).await.expect("a write"));
    assert_eq!(
        products(accounts, 1).await,
        [Product { archived: true, ..new.clone() }],
        "archived as it was"
    );
    let renamed = category("maps", "Charts");
    assert!(accounts.change_category(vendor_id(1), &renamed, &entry()).await.expect("a write"));
    assert_eq!(categories(accounts, 1).await, std::slice::from_ref(&renamed));
    assert_eq!(lines().await, before + 2);
    assert!(
        !accounts.change_product(vendor_id(2), &product("a", "1", ""), &entry()).await.expect("an answer")
    );
    assert!(!accounts.change_category(vendor_id(2), &renamed, &entry()).await.expect("an answer"));
    assert!(!accounts.add_product(vendor_id(1), &new, &entry()).await.expect("an answer"));
    assert!(!accounts.add_category(vendor_id(1), &renamed, &entry()).await.expect("an answer"));
    assert_eq!(lines().await, before + 2, "what was not done is not told");
}

on_both_engines!(
    products_and_categories_read_back_as_they_were_added,
    a_taken_id_is_not_added_again,
    another_vendors_catalog_is_not_found,
    putting_adds_what_is_new_and_replaces_what_is_there,
    products_are_put_all_or_none,
    archiving_changes_one_product_or_category,
    products_are_read_in_parts_and_counted_by_category,
    a_change_is_made_with_its_line_or_not_at_all,
);
