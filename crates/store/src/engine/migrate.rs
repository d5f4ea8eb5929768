//! The schemas of the three databases: numbered migrations, each a pair of files, one for each engine.
//!
//! A database with a newer version than this program knows is refused: an old program must not write into
//! a schema that it does not understand. So is one that was made for another role: databases that were
//! mixed up when they were restored must not serve sandbox sessions as live ones.

/// The role of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Accounts,
    Live,
    Sandbox,
}

impl Role {
    pub(crate) const ALL: [Self; 3] = [Self::Accounts, Self::Live, Self::Sandbox];

    /// The name of its schema in PostgreSQL, also used in logs and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }

    /// Its file in the folder of the embedded store.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Accounts => "accounts.db",
            Self::Live => "live.db",
            Self::Sandbox => "sandbox.db",
        }
    }
}

/// One migration of a schema.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) version: i64,
    /// The one environment for which it is, if it is not for both: money is only in live, and rows are
    /// deleted only in the sandbox. The other environment's version advances without it.
    only: Option<Role>,
    /// True if the program of the version before works with the migrated database too, so that it may be started on it:
    /// during a rolling upgrade, or to go back.
    pub(crate) additive: bool,
    sqlite: &'static str,
    postgres: &'static str,
}

impl Migration {
    /// The SQL for a SQLite file of this role; empty if the migration is not for it.
    pub(crate) fn sqlite(&self, role: Role) -> &'static str {
        if self.skips(role) { "" } else { self.sqlite }
    }

    /// The SQL for a PostgreSQL schema of this role; empty if the migration is not for it.
    pub(crate) fn postgres(&self, role: Role) -> &'static str {
        if self.skips(role) { "" } else { self.postgres }
    }

    fn skips(&self, role: Role) -> bool {
        self.only.is_some_and(|only| only != role)
    }

    const fn additive(self) -> Self {
        Self { additive: true, ..self }
    }

    const fn live_only(self) -> Self {
        Self { only: Some(Role::Live), ..self }
    }

    const fn sandbox_only(self) -> Self {
        Self { only: Some(Role::Sandbox), ..self }
    }
}

/// The table that records the newest migration, where it is additive. The version in the place that every program reads is
/// the one that a program must know at least.
pub(crate) const STEPS_TABLE: &str = "till_steps";

/// What a database records of its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaState {
    /// The version that a program must know at least.
    pub(crate) required: i64,
    /// The newest migration that was applied.
    pub(crate) newest: i64,
}

impl SchemaState {
    pub(crate) fn new(required: i64, steps: Option<i64>) -> Self {
        Self { required, newest: steps.unwrap_or(required).max(required) }
    }
}

#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) role: Role,
    pub(crate) migrations: &'static [Migration],
    /// The table that has rows once the database is in use.
    pub(crate) main_table: &'static str,
}

macro_rules! migration {
    ($version:literal, $path:literal) => {
        Migration {
            version: $version,
            only: None,
            additive: false,
            sqlite: include_str!(concat!("../../migrations/", $path, ".sqlite.sql")),
            postgres: include_str!(concat!("../../migrations/", $path, ".postgres.sql")),
        }
    };
}

const ACCOUNTS: &[Migration] = &[
    migration!(1, "accounts/0001_accounts"),
    migration!(2, "accounts/0002_users"),
    migration!(3, "accounts/0003_mails"),
    migration!(4, "accounts/0004_forms"),
    migration!(5, "accounts/0005_nodes"),
    migration!(6, "accounts/0006_audit_user"),
    migration!(7, "accounts/0007_terms"),
    migration!(8, "accounts/0008_receipt_copy"),
    migration!(9, "accounts/0009_user_zones"),
    migration!(10, "accounts/0010_providers"),
    migration!(11, "accounts/0011_commit_count"),
    migration!(12, "accounts/0012_node_clock"),
    migration!(13, "accounts/0013_audit_chain"),
    migration!(14, "accounts/0014_audit_events"),
    migration!(15, "accounts/0015_events"),
    migration!(16, "accounts/0016_hold").additive(),
    migration!(17, "accounts/0017_key_rotations").additive(),
    migration!(18, "accounts/0018_fiscal").additive(),
];

const PAYMENTS: &[Migration] = &[
    migration!(1, "payments/0001_sessions"),
    migration!(2, "payments/0002_leases"),
    migration!(3, "payments/0003_deliveries"),
    migration!(4, "payments/0004_attempts"),
    migration!(5, "payments/0005_claims"),
    migration!(6, "payments/0006_lists"),
    migration!(7, "payments/0007_figures"),
    migration!(8, "payments/0008_visits"),
    migration!(9, "payments/0009_ledger").live_only(),
    migration!(10, "payments/0010_surplus"),
    migration!(11, "payments/0011_pending"),
    migration!(12, "payments/0012_languages"),
    migration!(13, "payments/0013_receipts").live_only(),
    migration!(14, "payments/0014_payouts").live_only(),
    migration!(15, "payments/0015_refunds").live_only(),
    migration!(16, "payments/0016_about"),
    migration!(17, "payments/0017_chains").live_only(),
    migration!(18, "payments/0018_reversals"),
    migration!(19, "payments/0019_losses").live_only(),
    migration!(20, "payments/0020_hand_refunds").live_only(),
    migration!(21, "payments/0021_actions_of_session"),
    migration!(22, "payments/0022_refund_sources").live_only(),
    migration!(23, "payments/0023_findings"),
    migration!(24, "payments/0024_unsent_attempts"),
    migration!(25, "payments/0025_refund_lock").live_only(),
    migration!(26, "payments/0026_commit_count"),
    migration!(27, "payments/0027_visits_age"),
    migration!(28, "payments/0028_recipients").live_only(),
    migration!(29, "payments/0029_retention").sandbox_only(),
    migration!(30, "payments/0030_clock"),
    migration!(31, "payments/0031_due_by_provider"),
    migration!(32, "payments/0032_silent_refunds").live_only(),
    migration!(33, "payments/0033_chain_comparisons").live_only(),
    migration!(34, "payments/0034_callback_responses"),
    migration!(35, "payments/0035_search"),
    migration!(36, "payments/0036_customer_emails"),
    migration!(37, "payments/0037_all_vendors"),
    migration!(38, "payments/0038_transaction_hashes").live_only(),
    migration!(39, "payments/0039_action_work"),
    migration!(40, "payments/0040_callback_resends"),
    migration!(41, "payments/0041_provider_calls"),
    migration!(42, "payments/0042_reconciliations").live_only(),
    migration!(43, "payments/0043_all_vendors_flat"),
    migration!(44, "payments/0044_session_details"),
    migration!(45, "payments/0045_sandbox_refunds").sandbox_only(),
    migration!(46, "payments/0046_moved_refunds"),
    migration!(47, "payments/0047_chain_floor").live_only().additive(),
    migration!(48, "payments/0048_sandbox_excess").sandbox_only().additive(),
    migration!(49, "payments/0049_erasures").additive(),
    migration!(50, "payments/0050_receipt_addresses").live_only().additive(),
    migration!(51, "payments/0051_callback_faults").sandbox_only().additive(),
    migration!(52, "payments/0052_no_dropped_attempts").live_only().additive(),
    migration!(53, "payments/0053_endpoint_checks").sandbox_only().additive(),
    migration!(54, "payments/0054_fiscal_receipts").additive(),
    migration!(55, "payments/0055_fiscal_receipts_kept").live_only().additive(),
    migration!(56, "payments/0056_fiscal_documents").additive(),
    migration!(57, "payments/0057_fiscal_documents_kept").live_only().additive(),
];

impl Schema {
    pub(crate) fn of(role: Role) -> Self {
        let (migrations, main_table) = match role {
            Role::Accounts => (ACCOUNTS, "vendors"),
            Role::Live | Role::Sandbox => (PAYMENTS, "sessions"),
        };
        Self { role, migrations, main_table }
    }

    /// The version that a program must know at least to be started on a database of this schema.
    pub(crate) fn required(&self) -> i64 {
        let required = self.migrations.iter().rev().find(|migration| !migration.additive);
        required.map_or(0, |migration| migration.version)
    }

    /// The newest version that this program knows.
    pub(crate) fn version(&self) -> i64 {
        self.migrations.last().map_or(0, |migration| migration.version)
    }

    /// The migrations that a database of this version lacks.
    pub(crate) fn missing(&self, version: i64) -> impl Iterator<Item = &'static Migration> {
        self.migrations.iter().filter(move |migration| migration.version > version)
    }
}
