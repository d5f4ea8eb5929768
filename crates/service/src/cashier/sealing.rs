//! The values for a provider's embedded form are stored sealed: their holder may be able to pay, or to read
//! what is paid for. They are opened for the customer's page alone.

use super::Cashier;
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use secrecy::ExposeSecret as _;
use till_domain::{
    attempt::{Instructions, Origins, Started, Values},
    environment::EnvironmentName,
    id::AttemptId,
};
use till_store::StoreError;

impl Cashier {
    /// A provider's answer to a start, with the values of its form sealed for the store.
    pub(super) fn seal_started(&self, id: AttemptId, started: Started) -> Started {
        let Instructions::Embedded { origins, values: Values::Open(values) } = started.instructions else {
            return started;
        };
        let text = serde_json::json!(values).to_string();
        let sealed = self.environment.vault.seal_text(&self.place(id), &text.into());
        let values = Values::Sealed(STANDARD_NO_PAD.encode(sealed));
        Started { instructions: Instructions::Embedded { origins, values }, ..started }
    }

    /// The values for the form of an attempt. Only those of a form without origins of its own may have been
    /// stored unsealed.
    pub fn open_values(
        &self,
        id: AttemptId,
        (origins, values): (&Origins, &Values),
    ) -> Result<Vec<(String, String)>, StoreError> {
        let sealed = match values {
            Values::Open(values) if *origins == Origins::default() => return Ok(values.clone()),
            Values::Open(_) => {
                return Err(StoreError::Corrupt(format!("the form of attempt {id} is not encrypted")));
            }
            Values::Sealed(sealed) => sealed,
        };
        let opened = STANDARD_NO_PAD.decode(sealed).ok();
        let opened = opened.and_then(|bytes| self.environment.vault.open_text(&self.place(id), &bytes).ok());
        let values = opened.and_then(|text| serde_json::from_str(text.expose_secret()).ok());
        values.ok_or_else(|| StoreError::Corrupt(format!("the form of attempt {id} cannot be decrypted")))
    }

    /// The place that the values are sealed for; they open for no other.
    fn place(&self, id: AttemptId) -> String {
        form_place(self.environment.name, id)
    }
}

/// The place that the values of a form are sealed for.
pub(crate) fn form_place(environment: EnvironmentName, id: AttemptId) -> String {
    format!("payment_attempts/{environment}/{id}/shown")
}
