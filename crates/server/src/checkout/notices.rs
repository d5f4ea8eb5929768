//! `POST /notices/{provider}/{place}`: receives the notices (webhooks) of providers. Their content is not
//! believed; a notice only makes Till ask the provider.

use crate::{
    cashier::{Cashier, Unheard},
    web::{Problem, client_address},
};
use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{ConnectInfo, Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::post,
};
use ipnet::IpNet;
use serde_json::json;
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};
use till_providers::{Notice, Proof};

/// The routes for notices of one environment's providers.
pub fn router(cashier: Arc<Cashier>) -> Router {
    Router::new().route("/notices/{provider}/{place}", post(receive)).with_state(cashier)
}

async fn receive(
    State(cashier): State<Arc<Cashier>>,
    Path((provider, place)): Path<(String, String)>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signature = match cashier.proof(&provider) {
        Some(Proof::Header(name)) => headers.get(name).and_then(|value| value.to_str().ok()),
        Some(Proof::Address) => Some(place.as_str()),
        None => None,
    };
    let proxies = &cashier.environment().trusted_proxies;
    let from = peer.and_then(|Extension(info)| true_address(info.0.ip(), &headers, proxies));
    let notice = Notice { signature, body: &body };
    match cashier.notice(&provider, from, &notice).await {
        Ok(true) => match cashier.incident(&provider, &notice).await {
            Ok(()) => Json(json!({ "status": "ok" })).into_response(),
            Err(Unheard::Store(error)) => Problem::from(error).into_response(),
            // The provider sends the notice again.
            Err(Unheard::Provider(error)) => {
                tracing::warn!(%error, "{provider} told of something, and did not say how it stands");
                Problem::unavailable("the provider does not answer: tell again").into_response()
            }
        },
        // A sender that cannot prove to be the provider does not learn whether that provider is set up.
        Ok(false) => Problem::not_found().into_response(),
        Err(error) => Problem::from(error).into_response(),
    }
}

/// The address that a notice comes from, if it is certain: trusted proxies are configured, and it is none of
/// them. Without configured proxies the address may be that of a proxy; and a notice whose address is that of
/// a proxy did not come from the proxy itself.
fn true_address(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> Option<IpAddr> {
    let client = client_address(peer, headers, proxies);
    let certain = !proxies.is_empty() && !proxies.iter().any(|net| net.contains(&client));
    certain.then_some(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_certain_only_where_proxies_are_named() {
        let seen = |peer: &str, forwarded: Option<&str>, proxies: &[&str]| {
            let proxies: Vec<IpNet> = proxies.iter().map(|net| net.parse().expect("a network")).collect();
            let mut headers = HeaderMap::new();
            if let Some(forwarded) = forwarded {
                headers.insert("x-forwarded-for", forwarded.parse().expect("a header"));
            }
            let found = true_address(peer.parse().expect("an address"), &headers, &proxies);
            found.map(|address| address.to_string())
        };
        let proxy = &["10.0.0.0/8"][..];
        assert_eq!(seen("10.0.0.1", Some("1.2.3.4, 185.71.76.1"), proxy).as_deref(), Some("185.71.76.1"));
        assert_eq!(seen("203.0.113.9", Some("185.71.76.1"), proxy).as_deref(), Some("203.0.113.9"));
        assert_eq!(seen("10.0.0.1", None, proxy), None, "the proxy does not say who it was");
        assert_eq!(seen("10.0.0.1", Some("185.71.76.1"), &[]), None);
        assert_eq!(seen("203.0.113.9", None, &[]), None);
    }
}
