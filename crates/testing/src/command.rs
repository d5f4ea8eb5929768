//! Commands of a test to a program that the test started.

use serde_json::Value;
use std::time::Duration;
use till_providers::web::{Call, Web, WebAnswer};

/// Timeout of a command. One command may deliver a hundred notices, and on a loaded machine each of them takes
/// a second: the timeouts of the service are too short for that.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Posts a JSON document and reads the whole answer.
pub(crate) async fn post(web: &Web, url: &str, body: &Value) -> WebAnswer {
    let call = Call {
        method: "POST",
        url,
        headers: &[("content-type", "application/json")],
        body: &body.to_string(),
        most: 64 << 20,
        within: TIMEOUT,
    };
    web.send(call).await.unwrap_or_else(|error| panic!("{url}: {error:?}"))
}
