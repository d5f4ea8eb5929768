//! `curl` commands to copy, complete but for the token.

use serde_json::{Map, Value};
use till_domain::{
    fiscal::{FiscalKind, FiscalReceipt},
    session::Session,
};
use till_service::admin;

/// The path of an environment's token endpoint.
pub(super) fn tokens(sandbox: bool) -> &'static str {
    if sandbox { "/api/sandbox/vendor/tokens" } else { "/api/tokens" }
}

/// The request that would create this session, which has these fiscal receipts.
pub(super) fn again(base_url: &str, sandbox: bool, session: &Session, receipts: &[FiscalReceipt]) -> String {
    let mut body = Map::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), Value::String(value));
        }
    };
    let item = &session.item;
    match &item.product {
        Some(product) => put("product_id", Some(product.to_string())),
        None => {
            put("product_name", Some(item.name.clone()));
            put("price", Some(item.price.digits().to_owned()));
            put("currency", Some(item.price.currency().to_string()));
        }
    }
    put("category_id", item.category.as_ref().map(ToString::to_string));
    put("order_id", Some(session.order_id.clone()));
    put("callback_url", session.callback_url.as_ref().map(|url| url.as_str().to_owned()));
    put("return_url", session.return_url.as_ref().map(|url| url.as_str().to_owned()));
    let requested = &session.methods.requested;
    put("defaultPaymentMethod", requested.default.clone());
    put("customer_email", session.customer.email.clone());
    put("locale", session.customer.locale.clone());
    if !session.metadata.is_empty() {
        let metadata = session.metadata.iter().map(|(key, value)| (key.to_owned(), value.into()));
        body.insert("metadata".to_owned(), Value::Object(metadata.collect()));
    }
    if let Some(closes_at) = session.closes_at {
        body.insert("expires_in".to_owned(), closes_at.since(session.created_at).as_secs().into());
    }
    if let Some(methods) = &requested.available {
        body.insert("availablePaymentMethods".to_owned(), methods.clone().into());
    }
    // One that was made from the vendor's defaults is made again.
    let sent = receipts.iter().find(|receipt| receipt.kind == FiscalKind::Payment && !receipt.is_made);
    if let Some(receipt) = sent {
        body.insert("receipt".to_owned(), Value::Object(admin::receipt_body(receipt)));
    }
    post(base_url, sandbox, &Value::Object(body))
}

/// An example request for a vendor without sessions.
pub(super) fn first(base_url: &str, sandbox: bool) -> String {
    let body = serde_json::json!({
        "product_name": "Atlas", "price": "4990.00", "currency": "RUB", "order_id": "test-1",
    });
    post(base_url, sandbox, &body)
}

fn post(base_url: &str, sandbox: bool, body: &Value) -> String {
    let path = if sandbox { "/api/sandbox/vendor/checkout-session" } else { "/api/product/session" };
    format!(
        "curl -X POST {} \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d {}",
        quoted(&format!("{base_url}{path}")),
        quoted(&body.to_string())
    )
}

/// A text quoted for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_an_order_is_called_a_shell_takes_it_as_text() {
        for text in ["it's", "$(reboot)", "`x`", "a\"b", "\\", "'; rm -rf /; '"] {
            let script = format!("printf %s {}", quoted(text));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), text);
        }
    }
}
