//! The operator's commands on one vendor's catalog.

use super::{Process, Shop, Till};
use serde_json::Value;
use std::collections::BTreeSet;

/// A vendor, and the operator's commands on it.
pub struct VendorCommands {
    pub till: Till,
    pub vendor: Value,
    pub id: String,
}

impl VendorCommands {
    pub fn new() -> Self {
        let mut till = Till::new();
        let vendor = till.set("TILL_SIMULATOR", "on").vendor();
        let id = text(&vendor["vendor_id"]);
        Self { till, vendor, id }
    }

    /// A commands with a running service, and a client of the vendor.
    pub async fn with_shop(environment: &str) -> (Self, Process, Shop) {
        let commands = Self::new();
        let service = commands.till.serve();
        let mut shop = service.shop(environment, &commands.vendor);
        shop.log_in().await;
        (commands, service, shop)
    }

    /// ATLAS in books, GLOBE in no category, OLD archived; the category maps is empty and gone is archived.
    pub fn fill(&self) {
        self.import("category", "category_id,name\nbooks,Books\nmaps,Maps\ngone,Gone\n", &[]);
        let products = "product_id,name,price,currency,category_id\n\
            ATLAS,Atlas,5,RUB,books\nGLOBE,Globe,6,RUB,\nOLD,Old map,7,RUB,\n";
        self.import("product", products, &[]);
        self.json(&["product", "archive", "OLD"]);
        self.json(&["category", "archive", "gone"]);
    }

    /// A catalog command's arguments, for this vendor.
    pub fn arguments<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [arguments, &["--vendor", &self.id]].concat()
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        self.till.json(&self.arguments(arguments))
    }

    pub fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.till.run(&self.arguments(arguments)).stdout).expect("text")
    }

    pub fn error(&self, arguments: &[&str]) -> String {
        self.till.error(&self.arguments(arguments))
    }

    /// Imports a file, and returns the exit code and the report, whose shape is checked.
    pub fn import(&self, kind: &str, file: impl AsRef<[u8]>, options: &[&str]) -> (i32, Value) {
        let path = self.write(file.as_ref());
        let output = self.till.run(&self.arguments(&[&[kind, "import", &path, "--json"], options].concat()));
        let told = String::from_utf8_lossy(&output.stderr);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
        let names: BTreeSet<&str> =
            report.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(names, BTreeSet::from(["created", "updated", "unchanged", "bad", "dry_run"]));
        (output.status.code().expect("an end"), report)
    }

    /// Writes a file to import, and returns its path.
    pub fn write(&self, file: &[u8]) -> String {
        let path = self.till.file("import.csv");
        std::fs::write(&path, file).expect("written");
        path.display().to_string()
    }

    pub fn ids(&self) -> Vec<String> {
        let products = self.json(&["product", "list"]);
        products.as_array().expect("a list").iter().map(|product| text(&product["product_id"])).collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
