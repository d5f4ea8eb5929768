//! The caller's address: that of the connection, or the one given by a trusted proxy.

use axum::http::HeaderMap;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// The caller's address. `X-Forwarded-For` is read from its end, for as long as each sender is a trusted
/// proxy; earlier entries could be forged.
#[must_use]
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    let mut client = peer.to_canonical();
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for hop in hops.into_iter().rev() {
        if !is_trusted(&client) {
            break;
        }
        match read_hop(hop.trim()) {
            Some(ip) => client = ip.to_canonical(),
            None => break,
        }
    }
    client
}

/// Parses an address, with or without a port.
fn read_hop(hop: &str) -> Option<IpAddr> {
    hop.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        let trusted = ["10.0.0.0/8".parse().expect("a network"), "fd00::/8".parse().expect("a network")];
        let client = client_address(peer.parse().expect("an address"), &headers, &trusted);
        assert_eq!(client.to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        check("203.0.113.9", &[], "203.0.113.9");
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["6.6.6.6, 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["6.6.6.6", "198.51.100.1, 10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["198.51.100.1, nonsense"], "10.0.0.1");
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1");
        check("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1");
        check("::ffff:10.0.0.1", &["2001:db8::1"], "2001:db8::1");
    }
}
