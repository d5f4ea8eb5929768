//! Several nodes on one PostgreSQL: each is the real binary in a process of its own.

use super::{Process, Shop, Till};
use serde_json::Value;
use till_testing::cluster::Cluster;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Running nodes, the server that they share, and a vendor. Dropped in this order.
pub struct Nodes {
    pub services: Vec<Process>,
    pub cluster: Cluster,
    pub till: Till,
    pub vendor: Value,
}

impl Nodes {
    /// Two nodes with the simulator on and no rate limits, and more settings.
    pub fn start(settings: &[(&str, &str)]) -> Self {
        Self::with(settings, &[&[], &[]])
    }

    /// One node for each list of its own settings.
    pub fn with(shared: &[(&str, &str)], own: &[&[(&str, &str)]]) -> Self {
        let cluster = Cluster::start();
        let url = cluster.url();
        let nodes: Vec<_> = own.iter().map(|own| (url.as_str(), *own)).collect();
        Self::on(cluster, shared, &nodes)
    }

    /// One node for each database URL with its own settings.
    pub fn on(cluster: Cluster, shared: &[(&str, &str)], nodes: &[(&str, &[(&str, &str)])]) -> Self {
        let till = Self::till(nodes.first().expect("a node").0, shared);
        let vendor = till.vendor();
        let serve = |(url, own): &(&str, &[(&str, &str)])| Self::till(url, &[shared, own].concat()).serve();
        let services = nodes.iter().map(serve).collect();
        Self { services, cluster, till, vendor }
    }

    /// The folder of a future node. All nodes have the same public URL.
    pub fn till(database: &str, settings: &[(&str, &str)]) -> Till {
        let mut till = Till::new();
        till.set("TILL_DATABASE_URL", database).set("TILL_CHECKOUT_URL", "https://pay.example");
        till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
        for (name, value) in settings {
            till.set(name, value);
        }
        till
    }

    /// A client of the vendor for each node, all with one token.
    pub async fn shops(&self, environment: &str) -> Vec<Shop> {
        let mut first = self.services[0].shop(environment, &self.vendor);
        first.log_in().await;
        self.services.iter().map(|service| first.at(&service.url)).collect()
    }

    /// Runs a command on the vendor.
    pub fn operator(&self, arguments: &[&str]) -> Value {
        let id = self.vendor["vendor_id"].as_str().expect("an id");
        self.till.json(&[&["vendor"], arguments, &[id]].concat())
    }

    /// A database shell.
    pub async fn shell(&self) -> Shell {
        Shell::connect(&self.cluster.url()).await
    }
}

pub struct Shell(Client);

impl Shell {
    pub async fn connect(url: &str) -> Self {
        let (client, driver) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        tokio::spawn(driver);
        Self(client)
    }

    pub async fn run(&self, statements: &str) {
        self.0.batch_execute(statements).await.unwrap_or_else(|error| panic!("{statements}: {error}"));
    }

    /// The first row of a result, as text.
    pub async fn row(&self, query: &str) -> Vec<String> {
        let rows = self.rows(query).await;
        rows.into_iter().next().unwrap_or_else(|| panic!("no row for {query}"))
    }

    /// Every row of a result, as text; null is empty.
    pub async fn rows(&self, query: &str) -> Vec<Vec<String>> {
        let answer = self.0.simple_query(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        let rows = answer.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        rows.map(|row| (0..row.len()).map(|column| row.get(column).unwrap_or("").to_owned()).collect())
            .collect()
    }

    /// The one number of a result.
    pub async fn number(&self, query: &str) -> i64 {
        self.row(query).await[0].parse().unwrap_or_else(|_| panic!("no number for {query}"))
    }
}
