//! `till plain-server`: a plain axum handler that answers the same bytes as a create, and one that takes callbacks. Only in a
//! binary that is built for benches, which compare with it what our own layers cost.

use super::output;
use axum::{
    Router,
    body::Bytes,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::post,
};
use std::process::ExitCode;
use tokio::net::TcpListener;

/// What a create answers.
const CREATED: &str = r#"{"status":"pending","order_id":"A-1042","session_id":"01a1de8c-f1a5-7001-adc9-828d3e5258f2","session_url":"http://127.0.0.1:18080/session/01a1de8c-f1a5-7001-adc9-828d3e5258f2"}"#;

/// Runs `till plain-server`, which prints its address and serves until it is killed.
pub fn run() -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        output::print(false, &url, String::clone)?;
        let created = async |_: Bytes| {
            (StatusCode::CREATED, [(header::CONTENT_TYPE, "application/json")], CREATED).into_response()
        };
        let router = Router::new()
            .route("/created", post(created))
            .route("/callbacks", post(async |_: Bytes| StatusCode::NO_CONTENT));
        axum::serve(listener, router).await?;
        Ok(ExitCode::SUCCESS)
    })
}
