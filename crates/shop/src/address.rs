//! Host names under which the shop answers, and the checkout's address after the demo moved.

use std::net::IpAddr;
use url::{Host, Url};

/// True if only this machine can reach the address.
pub fn is_loopback(base_url: &str) -> bool {
    host(base_url).is_some_and(|host| loopback(&host))
}

/// True if a request with this `Host` is for the shop at `base_url`, which defends against DNS rebinding. The
/// port does not matter: an attacker who makes a foreign name point here cannot choose the name that browsers
/// send. A shop that listens on all interfaces answers to any IP address, since an IP address points nowhere
/// else.
pub fn is_ours(base_url: &str, requested: &str) -> bool {
    let (Some(own), Some(requested)) = (host(base_url), host(&format!("http://{requested}"))) else {
        return false;
    };
    let everywhere = ip(&own).is_some_and(|ip| ip.is_unspecified());
    own == requested
        || (loopback(&own) && loopback(&requested))
        || (everywhere && (ip(&requested).is_some() || loopback(&requested)))
}

/// The URL of a checkout page, at the address that the checkout has now.
pub fn moved(page: &str, checkout_url: &str) -> String {
    let (Ok(page_url), Ok(checkout)) = (Url::parse(page), Url::parse(checkout_url)) else {
        return page.to_owned();
    };
    let mut moved = checkout;
    moved.set_path(page_url.path());
    moved.set_query(page_url.query());
    moved.set_fragment(page_url.fragment());
    moved.into()
}

fn host(url: &str) -> Option<Host> {
    Url::parse(url).ok()?.host().map(|host| host.to_owned())
}

fn ip(host: &Host) -> Option<IpAddr> {
    match host {
        Host::Ipv4(ip) => Some((*ip).into()),
        Host::Ipv6(ip) => Some((*ip).into()),
        Host::Domain(_) => None,
    }
}

fn loopback(host: &Host) -> bool {
    ip(host).map_or_else(|| *host == Host::Domain("localhost".to_owned()), |ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shop_answers_under_its_own_name() {
        let local = "http://127.0.0.1:8080";
        for (base, requested, ours) in [
            (local, "127.0.0.1:8080", true),
            (local, "localhost:8080", true),
            (local, "LOCALHOST", true),
            (local, "[::1]:8080", true),
            (local, "evil.example:8080", false),
            (local, "127.0.0.1.evil.example", false),
            (local, "192.0.2.1:8080", false),
            (local, "", false),
            ("http://demo.example", "demo.example", true),
            ("http://demo.example", "localhost", false),
            ("http://0.0.0.0:8080", "192.0.2.1:8080", true),
            ("http://0.0.0.0:8080", "localhost:8080", true),
            ("http://0.0.0.0:8080", "evil.example:8080", false),
        ] {
            assert_eq!(is_ours(base, requested), ours, "{base} {requested}");
        }
    }

    #[test]
    fn only_a_loopback_address_is_this_machines() {
        for (base, loopback) in [
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://localhost:1", true),
            ("http://0.0.0.0:1", false),
            ("http://192.0.2.1:1", false),
            ("http://demo.example", false),
        ] {
            assert_eq!(is_loopback(base), loopback, "{base}");
        }
    }

    #[test]
    fn a_page_moves_with_the_checkout() {
        let page = "http://127.0.0.1:8080/session/s-1";
        assert_eq!(moved(page, "http://127.0.0.1:9090"), "http://127.0.0.1:9090/session/s-1");
        assert_eq!(moved(page, "http://127.0.0.1:8080"), page);
    }
}
