//! Tests the setup without a payment, for the console and for `till doctor`.

use super::{Yookassa, api::CallFailure, shapes::Account};
use crate::ProviderError;
use serde_json::Value;
use till_domain::method::Method;

/// What YooKassa reports about the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub shop: String,
    /// True for a test shop, where no money moves.
    pub test: bool,
    /// Contradictions which show that it is another shop than the setup says, one sentence each.
    pub contradictions: Vec<String>,
    /// Other problems with the setup, one sentence each.
    pub problems: Vec<String>,
    /// True if the shop makes fiscal receipts: it refuses payments without one.
    pub makes_receipts: bool,
}

impl Yookassa {
    /// Queries the shop's own account (`/me`). It changes nothing.
    pub async fn probe(&self) -> Result<Probe, ProviderError> {
        let account: Account = self.api.get("/me").await.map_err(|trouble| match trouble {
            CallFailure::Denied(text) => ProviderError::Denied(text),
            CallFailure::Refused(text) | CallFailure::Forbidden(text) => ProviderError::Definite(text),
            trouble => trouble.unknown(),
        })?;
        let shop = match &account.account_id {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let (contradictions, problems) = (self.contradictions(&account, &shop), self.problems(&account));
        let makes_receipts =
            account.fiscalization_enabled || account.fiscalization.as_ref().is_some_and(|f| f.enabled);
        Ok(Probe { contradictions, problems, makes_receipts, shop, test: account.test })
    }

    fn contradictions(&self, account: &Account, shop: &str) -> Vec<String> {
        let mut found = Vec::new();
        if shop != self.setup.shop_id {
            found.push(format!("The key belongs to shop {shop}, not to {}.", self.setup.shop_id));
        }
        if account.test != self.setup.is_test() {
            let word = if account.test { "a test shop: no money moves" } else { "a live shop" };
            found.push(format!("YooKassa reports that this is {word}, but the key says otherwise."));
        }
        found
    }

    fn problems(&self, account: &Account) -> Vec<String> {
        let mut problems = Vec::new();
        if account.status != "enabled" {
            problems.push(format!("The shop is {}: payments are declined.", account.status));
        }
        for method in &self.setup.methods {
            let name = if *method == Method::Sbp { "sbp" } else { "bank_card" };
            if account.payment_methods.as_ref().is_some_and(|known| !known.iter().any(|word| word == name)) {
                problems.push(format!(
                    "The shop does not accept {method}: ask your YooKassa manager, or remove it."
                ));
            }
        }
        problems
    }
}
