//! Statements that lack a part of their guard, for the defects that a simulation plants. They take the parameters of the sound
//! ones.

use super::change::sound_statement;
use crate::engine::sql::{Sql, Statement};
use till_domain::{change::Change, defect::Defect};

static OVERWRITE_KEY: Sql = Sql::new(
    "INSERT INTO idempotency_keys (vendor_id, key, fingerprint, session_id, created_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (vendor_id, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, session_id = excluded.session_id, created_at = excluded.created_at
     WHERE $6 > 0",
);
static TAKE_ANY_VERSION: Sql = Sql::new(
    "INSERT INTO wallets (vendor_id, currency, version) VALUES ($1, $2, $4)
     ON CONFLICT (vendor_id, currency) DO UPDATE SET version = MAX(wallets.version + 1, excluded.version) WHERE $3 >= 0",
);
static END_ANY_ATTEMPT: Sql = Sql::new(
    "UPDATE callbacks SET state = $3, due_at = $4, delivered_at = COALESCE(delivered_at, $5) WHERE id = $1 AND $2 > 0",
);

/// The statement of a change in place of the sound one, if the defect is planted that it is for.
pub(crate) fn statement(change: &Change) -> Option<Statement> {
    let (defect, sql) = match change {
        Change::RememberKey(_) => (Defect::IdempotencyKeyNotGuarded, &OVERWRITE_KEY),
        Change::TakeFromWallet { .. } => (Defect::WalletVersionIgnored, &TAKE_ANY_VERSION),
        Change::EndAttempt { .. } => (Defect::FencingTokenIgnored, &END_ANY_ATTEMPT),
        _ => return None,
    };
    defect.is_planted().then(|| Statement { sql, ..sound_statement(change) })
}
