//! URLs that a vendor supplies: their syntax, and whether their host may be called at all (SSRF protection).
//!
//! A URL is kept and used as it was sent. Nothing here resolves a name or opens a connection: names are
//! checked when they are resolved for sending.

use crate::address::{self, Reach};
use std::{fmt, net::IpAddr};
use url::{Host, Url};

/// Maximum length of a URL, in characters.
pub const MAX_URL_CHARS: usize = 2048;

/// A validation error of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    /// Over [`MAX_URL_CHARS`].
    #[error("may have at most {MAX_URL_CHARS} characters")]
    TooLong,
    /// Not an absolute http(s) URL with a host.
    #[error("must be an absolute URL that starts with http:// or https:// and names a host")]
    Malformed,
    /// `https://user:password@host/`.
    #[error("must not contain a username or password")]
    UserInfo,
    /// The host is a literal address, or localhost, that no callback may go to.
    #[error("must not point to localhost, or to a private or special-purpose address")]
    PrivateAddress,
}

/// An absolute http(s) URL, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebUrl(String);

impl WebUrl {
    /// Parses a URL of which only the syntax matters, such as a return URL.
    pub fn parse(text: &str) -> Result<Self, UrlProblem> {
        read(text)?;
        Ok(Self(text.to_owned()))
    }

    /// Parses a URL that Till will call: a literal host must be one that may be called.
    pub fn parse_callback(text: &str, private_callbacks: bool) -> Result<Self, UrlProblem> {
        let url = read(text)?;
        let reach = match url.host() {
            Some(Host::Ipv4(ip)) => address::reach(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => address::reach(IpAddr::V6(ip)),
            Some(Host::Domain(name)) if is_localhost(name) => Reach::Private,
            Some(Host::Domain(_)) | None => Reach::Global,
        };
        if reach.allowed(private_callbacks) {
            Ok(Self(text.to_owned()))
        } else {
            Err(UrlProblem::PrivateAddress)
        }
    }

    /// A stored URL: it was validated when it was accepted.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// True if its scheme is https, in any case: the URL is kept as it was sent.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.split_once(':').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
    }

    /// The host in one spelling and without the port: the key of sending limits. The text itself if it is no
    /// URL.
    #[must_use]
    pub fn host_key(&self) -> String {
        let Ok(url) = Url::parse(&self.0) else { return self.0.clone() };
        match url.host() {
            Some(Host::Domain(name)) => name.trim_end_matches('.').to_ascii_lowercase(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().to_string(),
            None => self.0.clone(),
        }
    }

    /// The return URL for a customer: `{SESSION_ID}` and `{ORDER_ID}` are filled in, nothing else is changed.
    #[must_use]
    pub fn filled(&self, session: crate::id::SessionId, order_id: &str) -> String {
        let order = url::form_urlencoded::byte_serialize(order_id.as_bytes()).collect::<String>();
        // A plus means a space in a query only; this may be in a path.
        let order = order.replace('+', "%20");
        self.0.replace("{SESSION_ID}", &session.to_string()).replace("{ORDER_ID}", &order)
    }

    /// The URL as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn read(text: &str) -> Result<Url, UrlProblem> {
    if text.chars().nth(MAX_URL_CHARS).is_some() {
        return Err(UrlProblem::TooLong);
    }
    let starts = |scheme: &str| text.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    // The parser drops tabs and line breaks; a header that carries the URL would not.
    if !(starts("http://") || starts("https://")) || text.chars().any(char::is_control) {
        return Err(UrlProblem::Malformed);
    }
    let url = Url::parse(text).map_err(|_| UrlProblem::Malformed)?;
    // Checked in the text too: the parser drops an empty user name, as in https://@host/.
    let authority = text.split_once("://").map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let parsed = !url.username().is_empty() || url.password().is_some();
    if parsed || authority.split(['/', '\\', '?', '#']).next().is_some_and(|host| host.contains('@')) {
        return Err(UrlProblem::UserInfo);
    }
    if url.host_str().is_none_or(|host| host.trim_matches('.').is_empty()) || url.port() == Some(0) {
        return Err(UrlProblem::Malformed);
    }
    Ok(url)
}

/// `localhost` in any spelling that a resolver treats as this machine.
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::text_target;

    fn verdict(text: &str) -> String {
        match WebUrl::parse_callback(text, false) {
            Ok(url) => {
                assert_eq!(url.as_str(), text);
                "ok".to_owned()
            }
            Err(problem) => format!("{problem:?}"),
        }
    }

    #[test]
    fn the_scheme_counts_in_any_case() {
        let is_https = |text: &str| WebUrl::parse(text).expect("a URL").is_https();
        assert!(is_https("https://shop.example/cb") && is_https("HTTPS://shop.example/cb"));
        assert!(!is_https("http://shop.example/https://") && !is_https("HTTP://shop.example/cb"));
    }

    #[test]
    fn t1_callback_urls_are_judged_after_whatwg_parsing() {
        for text in [
            "https://shop.example/cb?x=1#f",
            "http://shop/cb",
            "HTTPS://Shop.Example:8443/cb",
            "https://GOOD.EXAMPLE./cb",
            "http://100.128.0.1/",
            "http://good.example\\@127.0.0.1/",
            "https://пример.рф/путь",
        ] {
            assert_eq!(verdict(text), "ok", "{text}");
        }
        for text in [
            "",
            "shop.example",
            "//evil.example/",
            "/relative",
            "\tJaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://good.example/",
            "https://good.example:0/",
            "https://good.example:65536/",
            "https://[good.example]/",
            "http://[fe80::1%25eth0]/",
            "http://",
            "http://./",
            "http://\u{3002}/",
            "http:shop.example",
            " https://shop.example",
            "https://shop.example/\r\nSet-Cookie: a=b",
        ] {
            assert_eq!(verdict(text), "Malformed", "{text:?}");
        }
        for text in [
            "http://good.example@127.0.0.1/",
            "https://user:pw@good.example/",
            "https://:pw@good.example/",
            "https://@good.example/",
            "http://\\user:pw@good.example/",
            "https://\\\\a@b.example/",
        ] {
            assert_eq!(verdict(text), "UserInfo", "{text}");
        }
        for text in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://127.0.0.1#@good.example/",
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://a.localhost/",
            "http://169.254.169.254/latest/meta-data/",
        ] {
            assert_eq!(verdict(text), "PrivateAddress", "{text}");
        }
        let long = format!("https://shop.example/{}", "a".repeat(2048 - 21));
        assert_eq!(verdict(&long), "ok");
        assert_eq!(verdict(&format!("{long}a")), "TooLong");
    }

    #[test]
    fn the_operators_switch_opens_private_addresses_but_not_metadata() {
        assert!(WebUrl::parse_callback("http://localhost:9000/cb", true).is_ok());
        assert!(WebUrl::parse_callback("http://10.0.0.1/cb", true).is_ok());
        assert!(WebUrl::parse_callback("http://169.254.169.254/", true).is_err());
    }

    #[test]
    fn p11_a_host_is_one_however_it_is_spelled_and_whatever_the_port() {
        for (host, spellings) in [
            ("good.example", "https://good.example/ http://GOOD.example:8080/x https://good.example.:444/?q"),
            ("xn--e1afmkfd.xn--p1ai", "https://пример.рф/ https://xn--e1afmkfd.xn--p1ai./"),
            (
                "203.0.114.10",
                "http://203.0.114.10/ http://203.0.114.10:81/ http://[::ffff:cb00:720a]/ http://3405804042/",
            ),
            ("2606:4700::1", "http://[2606:4700::1]/ https://[2606:4700:0:0::1]:8443/"),
        ] {
            for url in spellings.split(' ') {
                assert_eq!(WebUrl::from_stored(url.to_owned()).host_key(), host, "{url}");
            }
        }
        assert_eq!(WebUrl::from_stored("no URL".to_owned()).host_key(), "no URL");
    }

    #[test]
    fn return_urls_are_only_checked_for_syntax() {
        assert!(WebUrl::parse("http://localhost/thanks?s={SESSION_ID}").is_ok());
        assert!(WebUrl::parse("javascript:alert(1)").is_err());
    }

    /// Returns true if the standard library, which knows fewer networks than we do, classifies an address as
    /// private.
    fn is_private(host: &Host<&str>) -> bool {
        match host {
            Host::Ipv4(ip) => {
                ip.is_loopback()
                    || ip.is_private()
                    || ip.is_link_local()
                    || ip.is_unspecified()
                    || ip.is_multicast()
            }
            Host::Ipv6(ip) => match ip.to_ipv4_mapped() {
                Some(ip) => is_private(&Host::Ipv4(ip)),
                None => {
                    ip.is_loopback()
                        || ip.is_unique_local()
                        || ip.is_unicast_link_local()
                        || ip.is_unspecified()
                }
            },
            Host::Domain(name) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
        }
    }

    #[test]
    fn f26_callback_url() {
        let seeds = [
            "https://shop.example/cb?x=1#f",
            "HTTP://Shop.Example:8443/cb",
            "http://[2606:4700::1]:8080/",
            "http://203.0.114.10/",
            "https://user:pw@good.example/",
            "http://127.0.0.1/",
            "http://[::ffff:10.0.0.1]/",
            "https://\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.\u{440}\u{444}/",
        ];
        let words =
            ["127.0.0.1", "0x7f.1", "localhost", "[::1]", "@", "\\", "%2f", "\u{3002}", "169.254.169.254"];
        text_target(&seeds, &words, |text| {
            let Ok(url) = WebUrl::parse_callback(text, false) else { return };
            assert_eq!(url.as_str(), text, "it is kept as it was sent");
            assert!(WebUrl::parse_callback(text, true).is_ok(), "the operator's switch only opens");
            let parsed = Url::parse(text).expect("a URL");
            assert!(matches!(parsed.scheme(), "http" | "https") && !text.contains(['\r', '\n', '\t', '\0']));
            assert!(parsed.username().is_empty() && parsed.password().is_none(), "{parsed}");
            assert!(!is_private(&parsed.host().expect("a host")), "{parsed}");
            assert!(!url.host_key().is_empty());
        });
    }
}
