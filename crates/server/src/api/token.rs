//! Getting a token: client id and secret in, Bearer token out.

use super::{
    call::{read_json, with_quota},
    wire::AccessToken,
};
use axum::{
    Json,
    extract::{ConnectInfo, Request, State},
    response::{IntoResponse, Response},
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use till_domain::{
    address::network,
    credential::{self, Claims, Credential},
    rejection::{Problems, Rejection},
    vendor::Vendor,
};
use till_service::{
    environment::Environment,
    telemetry::explain,
    web::{Problem, client_address},
};

/// The longest that a token waits for the first use of its credentials to be recorded.
const MAX_NOTING: Duration = Duration::from_secs(1);

/// `POST …/tokens`
pub async fn obtain(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let address = network(client_address(peer, request.headers(), &environment.trusted_proxies));
    let token_request = match read_request(request).await {
        Ok(token_request) => token_request,
        Err(problem) => return problem.into_response(),
    };
    let (bucket, now) = (&environment.limits.token, environment.uptime());
    if let Some(wait) = guessing(&environment, &token_request, address) {
        return with_quota(Err(Problem::rate_limited(wait)), bucket.peek(&token_request.client_id, now));
    }
    // The credentials are checked first: a client that guesses uses up nothing of the owner's bucket.
    let pair = match judge(&environment, &token_request).await {
        Ok(Some(pair)) => pair,
        Ok(None) => {
            count_wrong(&environment, &token_request, address);
            return with_quota(
                Err(Rejection::InvalidClient.into()),
                bucket.peek(&token_request.client_id, now),
            );
        }
        Err(problem) => return problem.into_response(),
    };
    let quota = bucket.take(&token_request.client_id, now);
    let answer = match quota.and_then(|quota| quota.retry_after) {
        Some(wait) => Err(Problem::rate_limited(wait)),
        None => {
            pair.grant(&environment).await.map(|claims| answer(&environment, claims)).map_err(Problem::from)
        }
    };
    with_quota(answer, quota)
}

/// The wait for an address that presented too many wrong secrets. They are counted per client id and address,
/// and per address: the owner of the id at another address is not slowed down.
fn guessing(environment: &Environment, token_request: &TokenRequest, address: IpAddr) -> Option<Duration> {
    let (limits, now) = (&environment.limits, environment.uptime());
    let pair = limits.failed_tries.peek(&(&token_request.client_id, address), now);
    let alone = limits.failed_tries_address.peek(&address, now);
    [pair, alone].into_iter().flatten().filter_map(|quota| quota.retry_after).max()
}

struct TokenRequest {
    client_id: String,
    client_secret: String,
}

async fn read_request(request: Request) -> Result<TokenRequest, Problem> {
    let mut body = read_json(request).await?;
    let (client_id, client_secret) = (body.take("client_id"), body.take("client_secret"));
    let mut problems = Problems::default();
    let client_id = problems.take("client_id", client_id.required_text()).map(str::to_owned);
    let client_secret = problems.take("client_secret", client_secret.required_text()).map(str::to_owned);
    problems.finish()?;
    match (client_id, client_secret) {
        (Some(client_id), Some(client_secret)) => Ok(TokenRequest { client_id, client_secret }),
        _ => unreachable!("a missing part was noted as a problem"),
    }
}

/// Counts a wrong secret, by client id and address and by address.
fn count_wrong(environment: &Environment, token_request: &TokenRequest, address: IpAddr) {
    let (limits, now) = (&environment.limits, environment.uptime());
    let pair = limits.failed_tries.take(&(&token_request.client_id, address), now);
    limits.failed_tries_address.take(&address, now);
    if pair.is_some_and(|quota| quota.remaining == 0) {
        tracing::warn!(%address, "too many wrong client secrets from {address}: slowing it down");
    }
}

/// A vendor and its credential, after the secret was found right.
struct RightPair {
    vendor: Arc<Vendor>,
    credential: Credential,
}

/// The vendor and credential, if id and secret are right.
async fn judge(
    environment: &Environment,
    token_request: &TokenRequest,
) -> Result<Option<RightPair>, Problem> {
    // An id that no store could hold is not looked up.
    let plausible = token_request.client_id.len() <= 255 && !token_request.client_id.contains('\0');
    let vendor = match plausible {
        true => environment.directory.vendor_of_client(&token_request.client_id).await?,
        false => None,
    };
    let credential = vendor.as_ref().and_then(|vendor| {
        let own =
            |c: &&Credential| c.client_id == token_request.client_id && c.environment == environment.name;
        vendor.credentials.iter().find(own).cloned()
    });
    // An unknown id is compared too, so that it is not answered faster than a wrong secret.
    let check = credential.as_ref().map(|c| &c.secret_check);
    let matches = environment.vault.matches(&token_request.client_secret, check);
    let (true, Some(vendor), Some(credential)) = (matches, vendor, credential) else { return Ok(None) };
    Ok(Some(RightPair { vendor, credential }))
}

impl RightPair {
    /// The claims of the token, if the vendor may have one. From the first token of a new credential on, its
    /// secret signs first; so that token waits until this node has recorded the first use, but at most
    /// [`MAX_NOTING`]: if the store is in trouble, the next token records it.
    async fn grant(self, environment: &Environment) -> Result<Claims, Rejection> {
        let Self { vendor, credential } = self;
        let claims = credential::grant(&vendor, &credential, &environment.rules(), environment.now())?;
        if credential.first_used_at.is_none() {
            let (directory, vendor) = (Arc::clone(&environment.directory), vendor.id);
            let noted = tokio::spawn(async move {
                let accounts = directory.accounts();
                match accounts.note_first_use(vendor, credential.environment, credential.number).await {
                    Ok(()) => directory.forget(vendor),
                    Err(error) => {
                        tracing::debug!(
                            error = explain(&error),
                            "could not record the first use of a credential pair"
                        )
                    }
                }
            });
            let _ = tokio::time::timeout(MAX_NOTING, noted).await;
        }
        Ok(claims)
    }
}

fn answer(environment: &Environment, claims: Claims) -> Response {
    let token = AccessToken {
        access_token: environment.vault.issue(claims),
        token_type: "Bearer",
        expires_in: environment.rules().token_lifetime.as_secs(),
    };
    Json(token).into_response()
}
