//! The one table of API endpoints. The router serves it and the OpenAPI document describes it.

use super::{
    endpoint_checks, expire, feed, receipts, refunds, session, sessions, signature_checks, simulate, token,
    transactions, wallet,
};
use axum::{
    Router,
    extract::FromRef,
    routing::{MethodRouter, get, post},
};
use std::sync::Arc;
use till_domain::environment::EnvironmentName;
use till_service::{callbacks::endpoint_check::EndpointChecker, cashier::Cashier, environment::Environment};

/// The operations of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    ObtainToken,
    CreateSession,
    /// Lists the vendor's sessions.
    ListSessions,
    /// Asks for a session's status.
    GetSession,
    /// Ends a pending session before its deadline.
    ExpireSession,
    /// Chooses the outcome of a sandbox session.
    Simulate,
    /// Finds the mistake in a signature.
    CheckSignature,
    /// Starts a check of the vendor's endpoint.
    CheckEndpoint,
    /// Reads a check of the vendor's endpoint.
    GetEndpointCheck,
    /// Refunds a paid session, in full or in part.
    CreateRefund,
    /// Lists a session's refunds.
    ListRefunds,
    /// Asks for a refund's status.
    GetRefund,
    /// Makes the closing receipt of a session.
    CreateReceipt,
    FetchCallbacks,
    /// Lists the vendor's transactions.
    ListTransactions,
    /// Reads the vendor's balances.
    GetWallet,
}

/// An endpoint, with its path in each environment where it exists.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    pub operation: Operation,
    /// Its path in live.
    pub live: Option<&'static str>,
    /// Its path in sandbox.
    pub sandbox: Option<&'static str>,
}

/// Every endpoint there is (specification §4).
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        operation: Operation::ObtainToken,
        live: Some("/api/tokens"),
        sandbox: Some("/api/sandbox/vendor/tokens"),
    },
    Endpoint {
        operation: Operation::CreateSession,
        live: Some("/api/product/session"),
        sandbox: Some("/api/sandbox/vendor/checkout-session"),
    },
    Endpoint {
        operation: Operation::ListSessions,
        live: Some("/api/product/session"),
        sandbox: Some("/api/sandbox/vendor/checkout-session"),
    },
    Endpoint {
        operation: Operation::GetSession,
        live: Some("/api/product/session/{session_id}"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}"),
    },
    Endpoint {
        operation: Operation::ExpireSession,
        live: Some("/api/product/session/{session_id}/expire"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/expire"),
    },
    Endpoint {
        operation: Operation::Simulate,
        live: None,
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/simulate"),
    },
    Endpoint {
        operation: Operation::CheckSignature,
        live: None,
        sandbox: Some("/api/sandbox/vendor/signature-checks"),
    },
    Endpoint {
        operation: Operation::CheckEndpoint,
        live: None,
        sandbox: Some("/api/sandbox/vendor/endpoint-checks"),
    },
    Endpoint {
        operation: Operation::GetEndpointCheck,
        live: None,
        sandbox: Some("/api/sandbox/vendor/endpoint-checks/{check_id}"),
    },
    Endpoint {
        operation: Operation::CreateRefund,
        live: Some("/api/product/session/{session_id}/refunds"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/refunds"),
    },
    Endpoint {
        operation: Operation::ListRefunds,
        live: Some("/api/product/session/{session_id}/refunds"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/refunds"),
    },
    Endpoint {
        operation: Operation::GetRefund,
        live: Some("/api/product/session/{session_id}/refunds/{refund_id}"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/refunds/{refund_id}"),
    },
    Endpoint {
        operation: Operation::CreateReceipt,
        live: Some("/api/product/session/{session_id}/receipts"),
        sandbox: Some("/api/sandbox/vendor/checkout-session/{session_id}/receipts"),
    },
    Endpoint {
        operation: Operation::FetchCallbacks,
        live: Some("/api/callbacks"),
        sandbox: Some("/api/sandbox/vendor/callbacks"),
    },
    Endpoint {
        operation: Operation::ListTransactions,
        live: Some("/api/transactions"),
        sandbox: Some("/api/sandbox/vendor/transactions"),
    },
    // A sandbox moves no money.
    Endpoint { operation: Operation::GetWallet, live: Some("/api/wallet"), sandbox: None },
];

impl Endpoint {
    /// The path in this environment, if the endpoint exists there.
    #[must_use]
    pub fn path(&self, environment: EnvironmentName) -> Option<&'static str> {
        match environment {
            EnvironmentName::Live => self.live,
            EnvironmentName::Sandbox => self.sandbox,
        }
    }
}

impl Operation {
    fn handler(self) -> MethodRouter<ApiState> {
        match self {
            Self::ObtainToken => post(token::obtain),
            Self::CreateSession => post(session::create),
            Self::ListSessions => get(sessions::list),
            Self::GetSession => get(session::status),
            Self::ExpireSession => post(expire::expire),
            Self::Simulate => post(simulate::simulate),
            Self::CheckSignature => post(signature_checks::check),
            Self::CheckEndpoint => post(endpoint_checks::start),
            Self::GetEndpointCheck => get(endpoint_checks::show),
            Self::CreateRefund => post(refunds::create),
            Self::ListRefunds => get(refunds::list),
            Self::GetRefund => get(refunds::status),
            Self::CreateReceipt => post(receipts::create),
            Self::FetchCallbacks => get(feed::fetch),
            Self::ListTransactions => get(transactions::list),
            Self::GetWallet => get(wallet::show),
        }
    }
}

/// The state of the handlers: the cashier of one environment. Most of them take the environment alone. Only the sandbox has
/// routes that check endpoints.
#[derive(Debug, Clone)]
struct ApiState(Arc<Cashier>, Arc<EndpointChecker>);

impl FromRef<ApiState> for Arc<EndpointChecker> {
    fn from_ref(state: &ApiState) -> Self {
        Self::clone(&state.1)
    }
}

impl FromRef<ApiState> for Arc<Cashier> {
    fn from_ref(state: &ApiState) -> Self {
        Self::clone(&state.0)
    }
}

impl FromRef<ApiState> for Arc<Environment> {
    fn from_ref(state: &ApiState) -> Self {
        Self::clone(state.0.environment())
    }
}

/// The routes of one environment.
pub fn router(cashier: Arc<Cashier>, checker: Arc<EndpointChecker>) -> Router {
    let name = cashier.environment().name;
    let mut router = Router::new();
    for endpoint in ENDPOINTS {
        if let Some(path) = endpoint.path(name) {
            router = router.route(path, endpoint.operation.handler());
        }
    }
    #[cfg(feature = "bench")]
    if name == EnvironmentName::Live {
        router = router.route("/bench/noop", post(session::create_without_storing));
    }
    router.with_state(ApiState(cashier, checker))
}
