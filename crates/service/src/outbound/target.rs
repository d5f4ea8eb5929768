//! A URL in the parts that a call needs.

use super::{
    CallFailure, Delivery,
    paced_body::{self, RequestBody},
};
use hyper::{
    Request, Uri,
    header::{HOST, HeaderValue},
};
use rustls::pki_types::{DnsName, ServerName};
use std::time::Duration;
use till_domain::weburl::WebUrl;
use url::{Host, Position, Url};

/// The target of a call.
#[derive(Debug)]
pub struct Target {
    /// True if it uses TLS.
    pub https: bool,
    /// A name, or a literal address.
    pub host: Host<String>,
    /// The port, even if it is the scheme's default.
    pub port: u16,
    /// The value of the `Host` header.
    authority: HeaderValue,
    path: Uri,
}

impl Target {
    /// Parses a URL by the rules by which it was accepted. A URL refused there is refused here.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, CallFailure> {
        WebUrl::parse_callback(text, allow_private).map_err(|_| CallFailure::Blocked)?;
        let url = Url::parse(text).map_err(|_| CallFailure::Blocked)?;
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(CallFailure::Blocked),
        };
        let host = url.host().ok_or(CallFailure::Blocked)?.to_owned();
        let port = url.port_or_known_default().ok_or(CallFailure::Blocked)?;
        // The port is left out if it is the scheme's default.
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let path = &url[Position::BeforePath..Position::AfterQuery];
        Ok(Self {
            https,
            host,
            port,
            authority: authority.parse().map_err(|_| CallFailure::Blocked)?,
            path: path.parse().map_err(|_| CallFailure::Blocked)?,
        })
    }

    /// The HTTP request of a delivery whose body is sent within this time; zero for at once.
    pub fn request(
        &self,
        delivery: Delivery<'_>,
        over: Duration,
    ) -> Result<Request<RequestBody>, CallFailure> {
        let mut request = Request::post(self.path.clone())
            .body(paced_body::body(delivery.body, over))
            .map_err(|_| CallFailure::Blocked)?;
        let headers = request.headers_mut();
        headers.extend(delivery.headers.iter().cloned().map(|(name, value)| (Some(name), value)));
        headers.insert(HOST, self.authority.clone());
        Ok(request)
    }

    /// The name that the certificate must be for.
    pub fn server_name(&self) -> Result<ServerName<'static>, CallFailure> {
        match &self.host {
            Host::Ipv4(ip) => Ok(ServerName::IpAddress((*ip).into())),
            Host::Ipv6(ip) => Ok(ServerName::IpAddress((*ip).into())),
            Host::Domain(name) => {
                // Names in certificates have no trailing dot.
                let name = name.strip_suffix('.').unwrap_or(name).to_owned();
                DnsName::try_from(name).map(ServerName::DnsName).map_err(|_| CallFailure::Tls)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Bytes;
    use till_domain::id::VendorId;

    fn parts(url: &str) -> (String, String, u16) {
        let target = Target::parse(url, false).expect("a URL that may be called");
        (target.authority.to_str().expect("ASCII").to_owned(), target.path.to_string(), target.port)
    }

    #[test]
    fn host_and_path_are_named_as_the_url_has_them() {
        for (url, authority, path, port) in [
            ("https://Shop.Example", "shop.example", "/", 443),
            ("https://shop.example:443/cb?a=1#part", "shop.example", "/cb?a=1", 443),
            ("http://shop.example:8080/", "shop.example:8080", "/", 8080),
            ("http://shop.example:443/?q", "shop.example:443", "/?q", 443),
            ("https://[2606:4700::1]:8443/x", "[2606:4700::1]:8443", "/x", 8443),
            ("http://пример.рф/ü", "xn--e1afmkfd.xn--p1ai", "/%C3%BC", 80),
            ("https://shop.example/a|b^[c]{d}`?{x}|^`\\[]'", "shop.example", "", 443),
            ("http://good.example\\@127.0.0.1/", "good.example", "/@127.0.0.1/", 80),
        ] {
            let (named, request_path, to) = parts(url);
            assert_eq!((named.as_str(), to), (authority, port), "{url}");
            assert!(path.is_empty() || request_path == path, "{url}: {request_path}");
        }
    }

    #[test]
    fn a_dot_at_the_end_is_not_part_of_the_certificates_name() {
        let target = Target::parse("https://GOOD.EXAMPLE./cb", false).expect("a URL");
        assert_eq!(target.server_name(), Ok(ServerName::try_from("good.example").expect("a name")));
        assert_eq!(target.host, Host::Domain("good.example.".to_owned()));
    }

    #[test]
    fn the_caller_cannot_change_the_host() {
        let headers = [(HOST, HeaderValue::from_static("evil.example"))];
        let vendor = VendorId::from_bytes([1; 16]);
        let delivery =
            Delivery { vendor, url: "http://shop.example/", headers: &headers, body: &Bytes::new() };
        let request =
            Target::parse(delivery.url, false).and_then(|target| target.request(delivery, Duration::ZERO));
        let request = request.expect("a request");
        assert_eq!(request.headers().get_all(HOST).iter().collect::<Vec<_>>(), ["shop.example"]);
    }
}
