//! `POST /notices/{provider}/{place}`: the notices (webhooks) of providers. A notice names its subject, and the
//! provider is asked about that. The one exception is the registration of a fiscal receipt at a provider that
//! cannot be asked about it.

use super::{Cashier, NoticeError, checks::Look};
use crate::{
    environment::Retries,
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
use till_domain::{
    activity::NoticeRefusal,
    attempt::{Attempt, AttemptState},
    id::AttemptId,
};
use till_providers::{Notice, NoticeSubject, Proof, ProviderError};
use till_store::StoreError;

/// The endpoint for the notices of one environment's providers.
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
        Some(Proof::Body) | None => None,
    };
    let proxies = &cashier.environment().trusted_proxies;
    let from = peer.and_then(|Extension(info)| true_address(info.0.ip(), &headers, proxies));
    let notice = Notice { signature, body: &body };
    match cashier.notice(&provider, from, &notice).await {
        Ok(true) => cashier.acknowledge(&provider),
        // A caller that cannot prove to be a provider does not learn whether there is one.
        Ok(false) => Problem::not_found().into_response(),
        Err(NoticeError::Store(error)) => Problem::from(error).into_response(),
        // The provider sends it again.
        Err(NoticeError::Provider(error)) => {
            tracing::warn!(%error, "{provider} sent a notification without the current status");
            Problem::unavailable("the provider does not respond: send the notification again").into_response()
        }
    }
}

impl Cashier {
    /// The answer to a notice that was accepted.
    fn acknowledge(&self, provider: &str) -> Response {
        match self.handle_of(provider).and_then(|handle| handle.provider.acknowledgement()) {
            Some(text) => text.into_response(),
            None => Json(json!({ "status": "ok" })).into_response(),
        }
    }

    /// The proof that a notice is this provider's, if there is such a provider.
    #[must_use]
    pub fn proof(&self, provider: &str) -> Option<Proof> {
        Some(self.handle_of(provider)?.provider.proof())
    }

    /// Acts on a notice: asks the provider about its subject. False if no provider sent it. `from` is its
    /// source address, where that is certain.
    pub async fn notice(
        &self,
        provider: &str,
        from: Option<IpAddr>,
        notice: &Notice<'_>,
    ) -> Result<bool, NoticeError> {
        let Some(handle) = self.handle_of(provider) else { return Ok(false) };
        let now = self.environment.now();
        let Some(subject) = handle.provider.read_notice(notice) else {
            let unsigned = notice.signature.is_none() && handle.provider.proof() != Proof::Body;
            let reason = if unsigned { NoticeRefusal::Unsigned } else { NoticeRefusal::Unproven };
            handle.note_refused_notice(now, reason);
            return Ok(false);
        };
        if let Some(foreign) = from.filter(|from| !handle.provider.sends_from(*from)) {
            self.warn_of_foreign_sender(provider, foreign);
            handle.note_refused_notice(now, NoticeRefusal::ForeignAddress);
            return Ok(false);
        }
        handle.note_notice(self.uptime(), now);
        // The provider sends it again.
        self.environment.store.hold.check()?;
        match subject {
            NoticeSubject::Payment { reference, attempt } => {
                self.ask_about_payment(provider, &reference, attempt).await?;
            }
            NoticeSubject::Refund { refund, failed } => {
                self.hasten_refund(provider, refund).await?;
                if failed {
                    self.refund_failed(&handle, refund).await?;
                }
            }
            NoticeSubject::Dispute { dispute, payment } => {
                if let Some(payment) = payment {
                    self.ask_about_payment(provider, &payment, None).await?;
                }
                self.dispute(&handle, &dispute).await?;
            }
            NoticeSubject::Receipt(news) => self.receipt_news(provider, &news).await?,
            NoticeSubject::Other => {}
        }
        Ok(true)
    }

    /// Asks the provider about the payment that a notice names. An error if it does not answer about one that no worker
    /// checks any more: its money would be seen by no other question.
    async fn ask_about_payment(
        &self,
        provider: &str,
        reference: &str,
        named: Option<AttemptId>,
    ) -> Result<(), NoticeError> {
        let mut retries = Retries::with_provider_calls();
        loop {
            let Some(attempt) = self.noticed_attempt(provider, reference, named).await? else {
                return Ok(());
            };
            // A worker that changed it meanwhile may have asked before the event of the notice happened.
            if let Some(looked) = self.look_while_news(attempt, Look::Due, None).await? {
                let asked_again = looked.attempt.check_at.is_some();
                let silent =
                    || ProviderError::Unknown("no response about a payment that had ended".to_owned());
                return if looked.answered || asked_again { Ok(()) } else { Err(silent().into()) };
            }
            // The workers that keep changing it ask too.
            if retries.lost().is_err() {
                return Ok(());
            }
        }
    }

    /// The attempt that a notice is about: the one with this reference, or the one that the notice names, if its start was never
    /// answered and reached the provider all the same.
    async fn noticed_attempt(
        &self,
        provider: &str,
        reference: &str,
        named: Option<AttemptId>,
    ) -> Result<Option<Attempt>, StoreError> {
        let store = &self.environment.store;
        let known = store.attempt_by_reference(provider, reference).await?;
        let Some(named) = named.filter(|_| known.is_none()) else { return Ok(known) };
        let named = store.attempt(named).await?;
        // One that is being started has its answer on the way, and a worker repeats it if not.
        let is_given_up =
            |attempt: &Attempt| attempt.reference.is_none() && attempt.state != AttemptState::Intended;
        Ok(named.filter(|attempt| attempt.provider == provider && is_given_up(attempt)))
    }

    /// A sender knows the provider's secret and is not at one of its addresses: the secret has leaked, or the
    /// provider has moved.
    fn warn_of_foreign_sender(&self, provider: &str, from: IpAddr) {
        let text = format!(
            "a notification with {provider}'s secret came from {from}, which is not one of {provider}'s \
             addresses"
        );
        if self.complaints.tell(&text, std::time::Instant::now()).is_some() {
            tracing::warn!("{text}: rejected");
        }
    }
}

/// The source address of a notice, if it is certain: trusted proxies are named, and it is none of them.
/// Without any, the address may be that of a proxy; and a proxy that names no client is not the source
/// itself.
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
