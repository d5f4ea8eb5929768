//! Reads a request's body before anything else happens, within limits.
//!
//! A service that answers while the caller still sends closes the connection on it, and the caller sees a
//! broken connection instead of the answer. So the body is read first; one that is too large is discarded up
//! to a limit, and the handler learns of it.

use super::{Problem, client_address, multipart};
use axum::{
    body::{Body, HttpBody},
    extract::{ConnectInfo, Request},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use futures_util::future::BoxFuture;
use http_body_util::BodyExt;
use ipnet::IpNet;
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::address::{is_public, network};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest body, but for uploads and notices.
pub const MAX_BODY: usize = 32 * 1024;

/// The largest body of a form with a file. The preview page sends the file back in a form, with an id in each
/// row, so this is twice the largest file.
pub const MAX_UPLOAD: usize = 512 * 1024;

/// The path endings of such forms.
const UPLOADS: [&str; 2] = ["/import", "/import/take"];

/// The largest notice (webhook) of a provider, which may repeat all that it knows of a payment.
pub const MAX_NOTICE: usize = 256 * 1024;

/// The largest body with a fiscal receipt, which may have a hundred lines, each of 128 characters that JSON can write as six.
pub const MAX_RECEIPT: usize = 128 * 1024;

/// The paths of sessions. A create, a refund and a closing receipt can have the lines of a fiscal receipt.
const SESSIONS: [&str; 2] = ["/api/product/session", "/api/sandbox/vendor/checkout-session"];

/// Large bodies of each kind in memory at once; more of them wait.
const UPLOADS_AT_ONCE: usize = 16;
const NOTICES_AT_ONCE: usize = 64;
const RECEIPTS_AT_ONCE: usize = 64;

/// Most of them from one public network.
const OF_ONE_NETWORK: usize = 4;

/// Networks with large bodies that are remembered.
const MAX_NETWORKS: usize = 1_024;

/// Bytes that are read and discarded beyond the limit, so that the caller gets to read its answer.
const MAX_THROWN_AWAY: usize = 1024 * 1024;
const MAX_THROWN_AWAY_OF_FILES: usize = 16 * 1024 * 1024;

/// In a request's extensions if its body was too large, or broke off.
#[derive(Debug, Clone, Copy)]
pub struct BodyNotRead;

/// Returns true if the headers of a request belong to a logged-in user.
type KnowsUser = Box<dyn Fn(&HeaderMap) -> BoxFuture<'static, bool> + Send + Sync>;

/// The reader of bodies, with the rules for large ones.
pub struct Bodies {
    /// The longest that reading a body may take.
    deadline: Duration,
    trusted_proxies: Vec<IpNet>,
    knows_user: KnowsUser,
    /// Returns true if there is a provider of this name.
    knows_provider: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// Returns true if the headers have a token that was issued here.
    knows_token: Box<dyn Fn(&HeaderMap) -> bool + Send + Sync>,
    uploads: BodySlots,
    notices: BodySlots,
    receipts: BodySlots,
}

impl Bodies {
    /// Reads bodies within this time; large ones only from logged-in users and for known providers.
    pub fn new(
        deadline: Duration,
        trusted_proxies: Vec<IpNet>,
        knows_user: impl Fn(&HeaderMap) -> BoxFuture<'static, bool> + Send + Sync + 'static,
        knows_provider: impl Fn(&str) -> bool + Send + Sync + 'static,
        knows_token: impl Fn(&HeaderMap) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            deadline,
            trusted_proxies,
            knows_user: Box::new(knows_user),
            knows_provider: Box::new(knows_provider),
            knows_token: Box::new(knows_token),
            uploads: BodySlots::new(UPLOADS_AT_ONCE),
            notices: BodySlots::new(NOTICES_AT_ONCE),
            receipts: BodySlots::new(RECEIPTS_AT_ONCE),
        }
    }

    /// True if the sender of a large body may send one.
    async fn admits(&self, large: Large, parts: &Parts) -> bool {
        let provider = || parts.uri.path().split('/').nth(2).unwrap_or_default();
        match large {
            Large::Upload => (self.knows_user)(&parts.headers).await,
            Large::Notice => (self.knows_provider)(provider()),
            Large::Receipt => (self.knows_token)(&parts.headers),
        }
    }

    fn places(&self, large: Large) -> &BodySlots {
        match large {
            Large::Upload => &self.uploads,
            Large::Notice => &self.notices,
            Large::Receipt => &self.receipts,
        }
    }

    fn address(&self, parts: &Parts) -> IpAddr {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let peer = peer.unwrap_or_else(|| Ipv4Addr::UNSPECIFIED.into());
        client_address(peer, &parts.headers, &self.trusted_proxies)
    }
}

/// Places for large bodies of one kind. A network has a share of them, so that it takes many networks whose
/// senders stall to delay others.
struct BodySlots {
    all: Arc<Semaphore>,
    networks: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// A place that is taken.
#[derive(Debug)]
struct BodySlot {
    _network: Option<OwnedSemaphorePermit>,
    _all: OwnedSemaphorePermit,
}

impl BodySlots {
    fn new(count: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(count)), networks: Mutex::default() }
    }

    async fn take(&self, address: IpAddr) -> Option<BodySlot> {
        let _network = match is_public(address) {
            true => Some(self.share(network(address)).acquire_owned().await.ok()?),
            false => None,
        };
        let _all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(BodySlot { _network, _all })
    }

    fn share(&self, network: IpAddr) -> Arc<Semaphore> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if networks.len() >= MAX_NETWORKS {
            networks.retain(|_, share| Arc::strong_count(share) > 1);
        }
        Arc::clone(networks.entry(network).or_insert_with(|| Arc::new(Semaphore::new(OF_ONE_NETWORK))))
    }
}

/// True if this is a form of the panel with a file.
fn is_upload(parts: &Parts) -> bool {
    let path = parts.uri.path();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    path.starts_with("/panel/")
        && UPLOADS.iter().any(|end| path.ends_with(end))
        && kind.and_then(multipart::boundary).is_some()
}

/// True if the body of a request to this path may have a fiscal receipt.
fn has_receipt(path: &str) -> bool {
    let Some(below) = SESSIONS.iter().find_map(|sessions| path.strip_prefix(sessions)) else { return false };
    match below.split('/').collect::<Vec<_>>().as_slice() {
        [""] => true,
        ["", id, "refunds" | "receipts"] => !id.is_empty(),
        _ => false,
    }
}

/// The kinds of large bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Large {
    /// A form with a file.
    Upload,
    Notice,
    /// A create, a refund or a closing receipt, perhaps with many lines.
    Receipt,
}

impl Large {
    /// The kind of this request's body, if it may be large.
    fn of(parts: &Parts) -> Option<Self> {
        if is_upload(parts) {
            return Some(Self::Upload);
        }
        if has_receipt(parts.uri.path()) {
            return Some(Self::Receipt);
        }
        parts.uri.path().starts_with("/notices/").then_some(Self::Notice)
    }

    /// Its largest size.
    fn most(self) -> usize {
        match self {
            Self::Upload => MAX_UPLOAD,
            Self::Notice => MAX_NOTICE,
            Self::Receipt => MAX_RECEIPT,
        }
    }

    /// The bytes discarded beyond that.
    fn thrown_away(self) -> usize {
        match self {
            Self::Upload => MAX_THROWN_AWAY_OF_FILES,
            Self::Notice | Self::Receipt => MAX_THROWN_AWAY,
        }
    }
}

impl Bodies {
    /// Reads the body and passes the request on. A body that takes too long ends the connection.
    pub async fn read<Answer: Future<Output = Response>>(
        &self,
        request: Request,
        run: impl FnOnce(Request) -> Answer,
    ) -> Response {
        if request.body().is_end_stream() {
            return run(request).await;
        }
        let (mut parts, body) = request.into_parts();
        let taken = self.take(&parts, body);
        // The place is held until the answer is made: until then the body is in memory.
        let (bytes, _place) = match tokio::time::timeout(self.deadline, taken).await {
            Err(_) => return Problem::request_timeout().into_response(),
            Ok(taken) => taken,
        };
        let body = match bytes {
            Some(bytes) => Body::from(bytes),
            None => {
                parts.extensions.insert(BodyNotRead);
                Body::empty()
            }
        };
        run(Request::from_parts(parts, body)).await
    }

    /// Reads a body: its bytes unless it broke off or is too large, and the place of a large one. A small
    /// body needs no place, however slow, and an unknown sender gets none.
    async fn take(&self, parts: &Parts, body: Body) -> (Option<Vec<u8>>, Option<BodySlot>) {
        let mut taking = Taking { body, bytes: Vec::new(), seen: 0 };
        let (mut ended, mut place) = (taking.up_to(MAX_BODY).await, None);
        let large = Large::of(parts);
        if let Some(large) = large
            && ended == Some(false)
            && self.admits(large, parts).await
        {
            place = self.places(large).take(self.address(parts)).await;
            ended = taking.up_to(large.most()).await;
        }
        match ended {
            Some(true) => (Some(taking.bytes), place),
            Some(false) => {
                // Discarded bytes are not kept in memory.
                drop(place);
                taking.throw_away(large.map_or(MAX_THROWN_AWAY, Large::thrown_away)).await;
                (None, None)
            }
            None => (None, None),
        }
    }
}

/// A body that is being read.
struct Taking {
    body: Body,
    bytes: Vec<u8>,
    seen: usize,
}

impl Taking {
    /// Reads until more than `most` bytes were read; true if the body ended before. `None` if it broke off.
    async fn up_to(&mut self, most: usize) -> Option<bool> {
        while self.seen <= most {
            let Some(frame) = self.body.frame().await else { return Some(true) };
            let Ok(data) = frame.ok()?.into_data() else { continue };
            self.seen += data.len();
            self.bytes.extend_from_slice(&data);
        }
        Some(false)
    }

    /// Discards the rest, so that a user who chose the wrong file can read the answer.
    async fn throw_away(mut self, more: usize) {
        let most = self.seen + more;
        self.bytes = Vec::new();
        while self.seen <= most
            && let Some(Ok(frame)) = self.body.frame().await
        {
            self.seen += frame.data_ref().map_or(0, |data| data.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use std::convert::Infallible;
    use tokio::time::timeout;

    const SOON: Duration = Duration::from_millis(50);

    /// A body of this many bytes, which then ends or never does.
    fn body(length: usize, ends: bool) -> Body {
        let mut left = Some(Bytes::from(vec![b'x'; length]));
        Body::from_stream(futures_util::stream::poll_fn(move |_| match left.take() {
            Some(bytes) => std::task::Poll::Ready(Some(Ok::<_, Infallible>(bytes))),
            None if ends => std::task::Poll::Ready(None),
            None => std::task::Poll::Pending,
        }))
    }

    fn bodies(known: bool) -> Bodies {
        let user = move |_: &HeaderMap| -> BoxFuture<'static, bool> { Box::pin(std::future::ready(known)) };
        Bodies::new(
            SOON,
            Vec::new(),
            user,
            |name| name == "stripe",
            |headers| headers.contains_key("authorization"),
        )
    }

    /// An upload from this address.
    fn upload(from: &str) -> Parts {
        let request = Request::post("/panel/products/import");
        let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=x");
        let mut parts = request.body(()).expect("a request").into_parts().0;
        let peer: SocketAddr = from.parse().expect("an address");
        parts.extensions.insert(ConnectInfo(peer));
        parts
    }

    const HOME: &str = "127.0.0.1:1";

    #[tokio::test]
    async fn who_sends_little_and_slowly_holds_no_place() {
        let bodies = bodies(true);
        let parts = upload(HOME);
        let mut slow: Vec<_> =
            (0..UPLOADS_AT_ONCE).map(|_| Box::pin(bodies.take(&parts, body(MAX_BODY, false)))).collect();
        for slow in &mut slow {
            assert!(timeout(Duration::from_millis(1), slow).await.is_err(), "it has not ended");
        }
        let (bytes, place) =
            timeout(SOON, bodies.take(&parts, body(MAX_UPLOAD, true))).await.expect("a place");
        assert_eq!(bytes.map(|bytes| bytes.len()), Some(MAX_UPLOAD));
        assert!(place.is_some());
        let (bytes, none) = bodies.take(&parts, body(MAX_BODY, true)).await;
        assert!(bytes.is_some() && none.is_none(), "a small one needs none");
    }

    #[tokio::test]
    async fn s16_senders_that_stop_half_way_delay_no_other_network() {
        let bodies = bodies(true);
        let (here, there) = (upload("203.0.113.1:1"), upload("203.0.113.2:1"));
        let mut stuck: Vec<_> =
            (0..UPLOADS_AT_ONCE).map(|_| Box::pin(bodies.take(&here, body(MAX_BODY + 1, false)))).collect();
        for stuck in &mut stuck {
            assert!(timeout(Duration::from_millis(1), stuck).await.is_err());
        }
        assert!(timeout(SOON, bodies.take(&here, body(MAX_UPLOAD, true))).await.is_err(), "their own");
        let other = timeout(SOON, bodies.take(&there, body(MAX_UPLOAD, true))).await;
        assert!(other.is_ok_and(|(bytes, _)| bytes.is_some()));
        drop(stuck);
        let again = timeout(SOON, bodies.take(&here, body(MAX_UPLOAD, true))).await;
        assert!(again.is_ok_and(|(bytes, _)| bytes.is_some()), "places come back");
    }

    #[tokio::test]
    async fn s16_large_bodies_of_senders_that_are_not_known_take_no_place() {
        let bodies = bodies(false);
        let notice = |name: &str| {
            Request::post(format!("/notices/{name}/x")).body(()).expect("a request").into_parts().0
        };
        let taken = bodies.take(&upload(HOME), body(MAX_UPLOAD, true)).await;
        assert!(taken.0.is_none() && taken.1.is_none());
        let taken = bodies.take(&notice("nobody"), body(MAX_NOTICE, true)).await;
        assert!(taken.0.is_none() && taken.1.is_none());
        let taken = bodies.take(&notice("stripe"), body(MAX_NOTICE, true)).await;
        assert!(taken.0.is_some() && taken.1.is_some());
        let create = |token: &str| {
            let request = Request::post("/api/product/session").header(token, "Bearer x");
            request.body(()).expect("a request").into_parts().0
        };
        let taken = bodies.take(&create("authorization"), body(MAX_RECEIPT, true)).await;
        assert!(taken.0.is_some() && taken.1.is_some());
        for (parts, length) in [(create("x-other"), MAX_RECEIPT), (create("authorization"), MAX_RECEIPT + 1)]
        {
            let taken = bodies.take(&parts, body(length, true)).await;
            assert!(taken.0.is_none() && taken.1.is_none(), "{length}");
        }
    }

    #[test]
    fn forms_with_files_and_notices_may_be_large() {
        let large = |path: &str, kind: &str| {
            let request = Request::post(path).header(header::CONTENT_TYPE, kind).body(()).expect("a request");
            Large::of(&request.into_parts().0)
        };
        let form = "multipart/form-data; boundary=x";
        assert_eq!(large("/panel/vendors/1/products/import", form), Some(Large::Upload));
        assert_eq!(large("/panel/vendors/1/products/import", "text/csv"), None);
        assert_eq!(large("/notices/yookassa/secret", "application/json"), Some(Large::Notice));
        assert_eq!(large("/api/product/session", "application/json"), Some(Large::Receipt));
        assert_eq!(large("/api/sandbox/vendor/checkout-session", "application/json"), Some(Large::Receipt));
        for path in ["/api/product/session/x/refunds", "/api/sandbox/vendor/checkout-session/x/receipts"] {
            assert_eq!(large(path, "application/json"), Some(Large::Receipt), "{path}");
        }
        for path in ["x/simulate", "x", "x/refunds/y", "/refunds", "x/y/refunds"] {
            assert_eq!(large(&format!("/api/product/session/{path}"), "application/json"), None, "{path}");
        }
        assert_eq!(large("/api/product/sessions/x/refunds", "application/json"), None);
    }

    #[tokio::test]
    async fn what_is_too_large_is_thrown_away_without_a_place() {
        let bodies = bodies(true);
        let plain = Request::post("/api/tokens").body(()).expect("a request").into_parts().0;
        for (length, parts) in [(MAX_BODY + 1, &plain), (MAX_UPLOAD + 1, &upload(HOME))] {
            let (bytes, place) = bodies.take(parts, body(length, true)).await;
            assert!(bytes.is_none() && place.is_none(), "{length}");
        }
        let parts = upload(HOME);
        let mut endless = Box::pin(bodies.take(&parts, body(MAX_UPLOAD + 1, false)));
        assert!(timeout(SOON, &mut endless).await.is_err());
        assert_eq!(bodies.uploads.all.available_permits(), UPLOADS_AT_ONCE);
    }
}
