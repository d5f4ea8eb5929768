//! IP address classes: SSRF protection for requests to vendors' URLs ([`reach`]), and the key by which rate
//! limits count clients ([`network`]).
//!
//! The IANA special-purpose registries decide: an address that they do not list as globally reachable is
//! refused, in any spelling, and so are the metadata addresses of clouds even where they are global. Checked
//! when a callback URL with a literal address is accepted, and again on the address that is actually
//! connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address, for SSRF protection of requests to URLs that vendors supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Global,
    /// Loopback, private or link-local: refused unless the operator allows private callbacks.
    Private,
    /// Any other special purpose: always refused.
    Special,
    /// A cloud's metadata service: always refused.
    Metadata,
}

impl Reach {
    /// Returns true when a callback may go to an address of this class.
    #[must_use]
    pub fn allowed(self, private_callbacks: bool) -> bool {
        match self {
            Self::Global => true,
            Self::Private => private_callbacks,
            Self::Special | Self::Metadata => false,
        }
    }
}

/// Classifies `ip`. An IPv4-mapped IPv6 address has the class of its IPv4 address.
#[must_use]
pub fn reach(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(v4) => reach_v4(v4),
        IpAddr::V6(v6) => reach_v6(v6),
    }
}

/// Networks by prefix, with their class. The first match decides.
const V4: &[([u8; 4], u32, Reach)] = &[
    ([169, 254, 169, 254], 32, Reach::Metadata), // most clouds
    ([169, 254, 169, 253], 32, Reach::Metadata), // AWS resolver
    ([169, 254, 169, 123], 32, Reach::Metadata), // AWS time
    ([169, 254, 170, 2], 32, Reach::Metadata),   // container credentials
    ([169, 254, 170, 23], 32, Reach::Metadata),  // pod identity
    ([169, 254, 42, 42], 32, Reach::Metadata),   // Scaleway
    ([169, 254, 0, 23], 32, Reach::Metadata),    // Tencent
    ([100, 100, 100, 200], 32, Reach::Metadata), // Alibaba
    ([192, 0, 0, 192], 32, Reach::Metadata),     // Oracle
    ([168, 63, 129, 16], 32, Reach::Metadata),   // Azure, a global address
    ([0, 0, 0, 0], 8, Reach::Special),           // "this host": connects to loopback on Linux
    ([10, 0, 0, 0], 8, Reach::Private),
    ([127, 0, 0, 0], 8, Reach::Private),
    ([169, 254, 0, 0], 16, Reach::Private),
    ([172, 16, 0, 0], 12, Reach::Private),
    ([192, 168, 0, 0], 16, Reach::Private),
    ([100, 64, 0, 0], 10, Reach::Special),   // carrier-grade NAT
    ([192, 0, 0, 0], 24, Reach::Special),    // protocol assignments
    ([192, 0, 2, 0], 24, Reach::Special),    // documentation
    ([192, 88, 99, 0], 24, Reach::Special),  // 6to4 relays, deprecated
    ([198, 18, 0, 0], 15, Reach::Special),   // benchmarks
    ([198, 51, 100, 0], 24, Reach::Special), // documentation
    ([203, 0, 113, 0], 24, Reach::Special),  // documentation
    ([224, 0, 0, 0], 4, Reach::Special),     // multicast
    ([240, 0, 0, 0], 4, Reach::Special),     // reserved, and broadcast
];

/// As [`V4`]; an address outside `2000::/3` that is not listed is special too.
const V6: &[([u16; 8], u32, Reach)] = &[
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0], 32, Reach::Metadata), // AWS
    ([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, Reach::Metadata), // Google
    ([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, Reach::Metadata), // Scaleway
    ([0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1], 128, Reach::Metadata), // Akamai
    ([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, Reach::Metadata), // OpenStack
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Reach::Private),          // loopback; :: is special like all else here
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Reach::Private),      // link-local
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Reach::Private),       // unique local
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Reach::Special),      // protocol assignments, Teredo
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Reach::Special),  // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Reach::Special),      // 6to4
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Reach::Special),      // documentation
    ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Reach::Global),        // global unicast
];

fn reach_v4(ip: Ipv4Addr) -> Reach {
    let bits = ip.to_bits();
    let listed = V4.iter().find(|(net, len, _)| {
        let shift = 32 - len;
        bits >> shift == Ipv4Addr::from(*net).to_bits() >> shift
    });
    listed.map_or(Reach::Global, |(_, _, reach)| *reach)
}

fn reach_v6(ip: Ipv6Addr) -> Reach {
    // A mapped address counts as the IPv4 one: the system connects to that.
    if let Some(v4) = ip.to_ipv4_mapped() {
        return reach_v4(v4);
    }
    // No callback needs a form that embeds an IPv4 address; an embedded metadata address keeps its class.
    if let Some(v4) = embedded_v4(ip) {
        return if reach_v4(v4) == Reach::Metadata { Reach::Metadata } else { Reach::Special };
    }
    let bits = ip.to_bits();
    let listed = V6.iter().find(|(net, len, _)| {
        let shift = 128 - len;
        bits >> shift == Ipv6Addr::from(*net).to_bits() >> shift
    });
    listed.map_or(Reach::Special, |(_, _, reach)| *reach)
}

/// The IPv4 address inside an IPv4-compatible, NAT64 or 6to4 one.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = ip.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 1, ..] => Some(join(s[6], s[7])),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

/// Returns false for loopback, private and link-local addresses. Such a peer is a proxy that the settings do
/// not name: it stands for all its clients, so it is not limited as one client.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local()),
        IpAddr::V6(ip) => !(ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()),
    }
}

/// The network that every rate limit counts as one client: an IPv4 address, or the /64 of an IPv6 address
/// because each IPv6 client has a whole /64.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: Reach, addresses: &[&str]) {
        for text in addresses {
            let ip: IpAddr = text.parse().expect("an address");
            assert_eq!(reach(ip), expected, "{text}");
        }
    }

    #[test]
    fn the_registries_decide_what_is_global() {
        check(
            Reach::Global,
            &[
                "1.1.1.1",
                "100.128.0.1",
                "100.63.255.255",
                "172.15.255.255",
                "172.32.0.1",
                "203.0.114.10",
                "11.0.0.1",
            ],
        );
        check(Reach::Global, &["2606:4700::1111", "2a00:1450::1", "2001:200::1", "3ffe::1"]);
        check(
            Reach::Private,
            &["127.0.0.1", "127.255.255.255", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
        );
        check(Reach::Private, &["169.254.1.1", "::1", "fe80::1", "fc00::1", "fd12::1", "::ffff:10.0.0.1"]);
        check(
            Reach::Special,
            &[
                "100.64.0.1",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.9",
            ],
        );
        check(
            Reach::Special,
            &["224.0.0.1", "240.0.0.1", "255.255.255.255", "::127.0.0.1", "64:ff9b::a00:1"],
        );
        check(
            Reach::Special,
            &["64:ff9b:1::a00:1", "2002:7f00:1::1", "fec0::1", "ff02::1", "100::1", "2001:db8::1"],
        );
        check(
            Reach::Special,
            &[
                "3fff::1",
                "2001::1",
                "2001:2::1",
                "5f00::1",
                "4000::1",
                "::",
                "0.0.0.0",
                "0.1.2.3",
                "2001:10::1",
            ],
        );
        check(
            Reach::Metadata,
            &[
                "169.254.169.254",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "fd00:ec2::254",
                "::ffff:169.254.169.254",
            ],
        );
        check(
            Reach::Metadata,
            &["169.254.42.42", "169.254.0.23", "fd00:42::42", "fd00:a9fe:a9fe::1", "fe80::a9fe:a9fe"],
        );
        check(Reach::Metadata, &["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fd20:ce::254"]);
    }

    #[test]
    fn private_callbacks_never_open_metadata() {
        assert!(Reach::Private.allowed(true) && !Reach::Private.allowed(false));
        assert!(!Reach::Metadata.allowed(true) && !Reach::Special.allowed(true));
        assert!(Reach::Global.allowed(false));
    }
}
