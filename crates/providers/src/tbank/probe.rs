//! Tests the setup without a payment, for the console and for `till doctor`.

use super::{Tbank, api::CallFailure, codes::CodeKind, object, shapes::OrderPayments};
use crate::ProviderError;
use serde_json::json;

/// An order that no attempt has.
const NO_ORDER: &str = "till-probe";

/// What T-Bank reports about the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalProbe {
    /// True for a DEMO terminal, where no money moves.
    pub test: bool,
}

impl Tbank {
    /// Queries an order that does not exist, which changes nothing: T-Bank has no call that describes a
    /// terminal. It may look for the order before it checks the password, so success does not prove the password.
    pub async fn probe(&self) -> Result<TerminalProbe, ProviderError> {
        let members = object(json!({ "OrderId": NO_ORDER }));
        let asked: Result<OrderPayments, CallFailure> = self.api.call("CheckOrder", members).await;
        match asked {
            Ok(_) => {}
            Err(trouble) if trouble.is(CodeKind::NotFound) => {}
            Err(CallFailure::Refused { kind: CodeKind::Account, text }) => {
                return Err(ProviderError::Denied(text));
            }
            Err(trouble) => return Err(trouble.unknown()),
        }
        Ok(TerminalProbe { test: self.setup.is_test() })
    }
}
