//! The OpenAPI 3.1 document, made from the table of endpoints and the wire types.
//!
//! Both environments have the same description of an operation; only the path differs.

mod operations;
mod parts;
mod receipt;
mod schemas;

use self::schemas::schema;
use super::{
    endpoints::{ENDPOINTS, Operation},
    wire::{
        AccessToken, CallbackPage, CheckStarted, EndpointCheck, EndpointCheckStep, FetchedCallback,
        ReceiptObject, RefundObject, SessionCreated, SessionStatus, SignatureDiagnosis, SignatureVerdict,
        TransactionObject, Wallet, WalletBalance,
    },
};
use serde_json::{Map, Value, json};
use till_domain::environment::EnvironmentName;
use till_service::web::{FieldOfProblem, ProblemDocument};

/// The document for a service at this base URL.
#[must_use]
pub fn document(base_url: &str) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Till session API",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "Take a payment on a hosted checkout page: get a token, create a session, send the \
                customer to its session_url, and wait for the signed callback. Live and sandbox have the same \
                formats; moving to live changes the paths and the credentials, nothing else.",
        },
        "servers": [{ "url": base_url }],
        "tags": [
            { "name": "live", "description": "Real payments." },
            { "name": "sandbox", "description": "An isolated environment. You choose the outcome; no money moves." },
        ],
        "paths": paths(),
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token of the same environment." },
            },
            "schemas": {
                "TokenRequest": schemas::token_request(),
                "AccessToken": schema::<AccessToken>(),
                "CreateSession": schemas::create_session(),
                "Receipt": receipt::receipt(),
                "ReceiptItem": receipt::item(),
                "SessionCreated": schema::<SessionCreated>(),
                "SessionStatus": schema::<SessionStatus>(),
                "Simulate": schemas::simulate(),
                "CheckSignature": schemas::check_signature(),
                "SignatureVerdict": schema::<SignatureVerdict>(),
                "SignatureDiagnosis": schema::<SignatureDiagnosis>(),
                "CheckEndpoint": schemas::check_endpoint(),
                "CheckStarted": schema::<CheckStarted>(),
                "EndpointCheck": schema::<EndpointCheck>(),
                "EndpointCheckStep": schema::<EndpointCheckStep>(),
                "CreateRefund": schemas::create_refund(),
                "Refund": schema::<RefundObject>(),
                "CreateReceipt": receipt::create_receipt(),
                "ClosingReceipt": schema::<ReceiptObject>(),
                "SessionList": schemas::session_list(),
                "TransactionList": schemas::transaction_list(),
                "Transaction": schema::<TransactionObject>(),
                "RefundList": schemas::refund_list(),
                "CallbackPage": schema::<CallbackPage>(),
                "FetchedCallback": schema::<FetchedCallback>(),
                "Wallet": schema::<Wallet>(),
                "WalletBalance": schema::<WalletBalance>(),
                "Problem": schema::<ProblemDocument>(),
                "FieldError": schema::<FieldOfProblem>(),
            },
        },
    })
}

fn paths() -> Value {
    let mut paths = Map::new();
    for environment in EnvironmentName::ALL {
        for endpoint in ENDPOINTS {
            let Some(path) = endpoint.path(environment) else { continue };
            let method = match endpoint.operation {
                Operation::ListSessions
                | Operation::GetSession
                | Operation::ListRefunds
                | Operation::GetRefund
                | Operation::GetEndpointCheck
                | Operation::FetchCallbacks
                | Operation::ListTransactions
                | Operation::GetWallet => "get",
                Operation::ObtainToken
                | Operation::CreateSession
                | Operation::ExpireSession
                | Operation::Simulate
                | Operation::CheckSignature
                | Operation::CheckEndpoint
                | Operation::CreateRefund
                | Operation::CreateReceipt => "post",
            };
            let at_path = paths.entry(path).or_insert_with(|| json!({}));
            at_path[method] = operation(endpoint.operation, environment);
        }
    }
    Value::Object(paths)
}

fn operation(operation: Operation, environment: EnvironmentName) -> Value {
    let mut described = match operation {
        Operation::ObtainToken => operations::obtain_token(),
        Operation::CreateSession => operations::create_operation(environment),
        Operation::ListSessions => operations::list_operation(),
        Operation::GetSession => operations::get_operation(),
        Operation::ExpireSession => operations::expire_operation(),
        Operation::Simulate => operations::simulate_operation(),
        Operation::CheckSignature => operations::check_signature_operation(),
        Operation::CheckEndpoint => operations::check_endpoint_operation(),
        Operation::GetEndpointCheck => operations::get_endpoint_check_operation(),
        Operation::CreateRefund => operations::create_refund_operation(),
        Operation::CreateReceipt => operations::create_receipt_operation(),
        Operation::ListRefunds => operations::list_refunds_operation(),
        Operation::GetRefund => operations::get_refund_operation(),
        Operation::FetchCallbacks => operations::fetch_operation(),
        Operation::ListTransactions => operations::list_transactions_operation(),
        Operation::GetWallet => operations::wallet_operation(),
    };
    let id = described["operationId"].as_str().unwrap_or_default();
    described["operationId"] = json!(format!("{id}{}", suffix(environment)));
    described["tags"] = json!([environment.as_str()]);
    if described.get("security").is_none() {
        described["security"] = json!([{ "bearer": [] }]);
    }
    described
}

/// The suffix of operation ids and of the links that name them, which must be unique in the document. With
/// the path it is the only difference between the environments.
fn suffix(environment: EnvironmentName) -> &'static str {
    match environment {
        EnvironmentName::Live => "",
        EnvironmentName::Sandbox => "Sandbox",
    }
}
