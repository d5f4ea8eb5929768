//! SSRF protection: decides which addresses may be connected to.
//!
//! `till_domain::address` classifies addresses. Here that is applied to every address of a host, and to the
//! peer of the connection. The answer does not depend on what is behind an address.

use super::CallFailure;
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
};
use till_domain::address;
use url::Host;

#[derive(Debug)]
pub struct Guard {
    /// True if private addresses and our own may be called.
    pub allow_private: bool,
    /// The addresses that this service listens on.
    pub own: Vec<IpAddr>,
    /// The hosts of its public URLs.
    pub own_hosts: Vec<Host>,
}

impl Guard {
    /// The addresses to connect to. One forbidden address among many allowed ones is enough to refuse them
    /// all: the server that gives such an answer decides which of them is used.
    pub fn judge(&self, found: &[IpAddr], port: u16) -> Result<Vec<SocketAddr>, CallFailure> {
        let mut addresses: Vec<SocketAddr> = Vec::with_capacity(found.len());
        for ip in found {
            // An IPv4-mapped address is connected to as the IPv4 address that it is.
            let address = SocketAddr::new(ip.to_canonical(), port);
            if !self.allows(address) {
                return Err(CallFailure::Blocked);
            }
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() { Err(CallFailure::Dns) } else { Ok(addresses) }
    }

    /// Refuses the hosts of our own URLs, which may lead to us through a proxy with another address.
    pub fn judge_host(&self, host: &Host) -> Result<(), CallFailure> {
        let ours = |own: &Host| without_dot(own) == without_dot(host);
        if !self.allow_private && self.own_hosts.iter().any(ours) {
            Err(CallFailure::Blocked)
        } else {
            Ok(())
        }
    }

    /// Checks that a connection was made to the intended address.
    pub fn confirm(&self, meant: SocketAddr, peer: SocketAddr) -> Result<(), CallFailure> {
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        if peer == meant && self.allows(peer) { Ok(()) } else { Err(CallFailure::Blocked) }
    }

    fn allows(&self, address: SocketAddr) -> bool {
        let ip = address.ip();
        address::reach(ip).allowed(self.allow_private) && (self.allow_private || !self.is_own(ip))
    }

    /// True if an address is ours, whatever the port: other services on this machine are not meant for
    /// vendors, and often trust every local caller.
    fn is_own(&self, ip: IpAddr) -> bool {
        self.own.iter().any(|own| own.to_canonical() == ip) || is_local(ip)
    }
}

/// A host in its canonical spelling.
fn without_dot(host: &Host) -> String {
    host.to_string().trim_end_matches('.').to_owned()
}

/// True if an address is this machine's own, by the present routes; also if that cannot be determined.
fn is_local(ip: IpAddr) -> bool {
    // The system reaches its own addresses from the same address. A UDP socket that is connected but not
    // written to sends nothing.
    let any: IpAddr = match ip {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let source = || -> io::Result<Option<IpAddr>> {
        let socket = UdpSocket::bind((any, 0))?;
        match socket.connect((ip, 9)) {
            Ok(()) => Ok(Some(socket.local_addr()?.ip())),
            // There is no route.
            Err(_) => Ok(None),
        }
    };
    ip.is_loopback() || source().map_or(true, |source| source == Some(ip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipnet::IpNet;
    use proptest::prelude::*;

    /// The registries of special-purpose addresses, repeated here: networks that are not the internet.
    const NOT_GLOBAL: &str = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 \
        192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 \
        203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32 \
        ::/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/2 8000::/1";

    /// Networks that an operator may allow.
    const PRIVATE: &str = "10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 \
        ::1/128 fc00::/7 fe80::/10";

    /// Metadata services, which are never allowed.
    const METADATA: &str = "169.254.169.254/32 169.254.169.253/32 169.254.169.123/32 169.254.170.2/32 \
        169.254.170.23/32 169.254.42.42/32 169.254.0.23/32 fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128 \
        fd00:a9fe:a9fe::1/128 fe80::a9fe:a9fe/128";

    fn within(ip: IpAddr, networks: &str) -> bool {
        networks.split_whitespace().any(|text| text.parse::<IpNet>().expect("a network").contains(&ip))
    }

    /// Checks that the guard agrees with the tables above.
    fn agree(ip: IpAddr) {
        let plain = match ip {
            IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
            IpAddr::V4(_) => ip,
        };
        let global = !within(plain, NOT_GLOBAL);
        let opened = within(plain, PRIVATE) && !within(plain, METADATA);
        let allows = |allow_private| guard(allow_private, &[]).judge(&[ip], 443).is_ok();
        assert_eq!(allows(false), global, "{ip}");
        assert_eq!(allows(true), global || opened, "{ip}, with private addresses allowed");
    }

    /// An IPv4 address in every form that IPv6 has for it.
    fn forms(v4: Ipv4Addr) -> Vec<IpAddr> {
        let [a, b, c, d] = v4.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let six = [
            v4.to_ipv6_mapped(),
            Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0, high, low, 0, 0, !high, !low),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
        ];
        six.map(IpAddr::V6).into_iter().chain([IpAddr::V4(v4)]).collect()
    }

    #[test]
    fn t1_the_edges_of_every_network_are_judged_by_the_registries() {
        for text in [NOT_GLOBAL, PRIVATE, METADATA].iter().flat_map(|list| list.split_whitespace()) {
            let net: IpNet = text.parse().expect("a network");
            for edge in [net.network(), net.broadcast()] {
                for step in [-1, 0, 1] {
                    match edge {
                        IpAddr::V4(v4) => {
                            let near = v4.to_bits().wrapping_add_signed(step);
                            forms(Ipv4Addr::from_bits(near)).into_iter().for_each(agree);
                        }
                        IpAddr::V6(v6) => {
                            let near = v6.to_bits().wrapping_add_signed(i128::from(step));
                            agree(Ipv6Addr::from_bits(near).into());
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn t1_whatever_is_let_through_is_global_unicast(
            v4: u32, v6: u128, prefix in 0..128u32, net in prop::sample::select(
                NOT_GLOBAL.split_whitespace().chain(PRIVATE.split_whitespace()).collect::<Vec<_>>()
            ),
        ) {
            forms(Ipv4Addr::from_bits(v4)).into_iter().for_each(agree);
            agree(Ipv6Addr::from_bits(v6).into());
            // Addresses that share their first bits with a network in the tables.
            let keep = |width: u32| prefix % width;
            match net.parse::<IpNet>().expect("a network").network() {
                IpAddr::V4(near) => {
                    let rest = u32::MAX >> keep(32);
                    let mixed = Ipv4Addr::from_bits((near.to_bits() & !rest) | (v4 & rest));
                    forms(mixed).into_iter().for_each(agree);
                }
                IpAddr::V6(near) => {
                    let rest = u128::MAX >> keep(128);
                    agree(Ipv6Addr::from_bits((near.to_bits() & !rest) | (v6 & rest)).into());
                }
            }
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn guard(allow_private: bool, own: &[&str]) -> Guard {
        Guard { allow_private, own: own.iter().map(|text| ip(text)).collect(), own_hosts: Vec::new() }
    }

    #[test]
    fn one_wrong_address_refuses_all() {
        let guard = guard(false, &[]);
        let judge = |found: &[&str]| guard.judge(&found.iter().map(|text| ip(text)).collect::<Vec<_>>(), 443);
        assert_eq!(judge(&["203.0.114.10", "2606:4700::1"]).map(|found| found.len()), Ok(2));
        assert_eq!(judge(&["203.0.114.10", "::ffff:203.0.114.10"]).map(|found| found.len()), Ok(1));
        assert_eq!(judge(&["203.0.114.10", "127.0.0.1"]), Err(CallFailure::Blocked));
        assert_eq!(judge(&["127.0.0.1", "203.0.114.10"]), Err(CallFailure::Blocked));
        assert_eq!(judge(&[]), Err(CallFailure::Dns));
    }

    #[test]
    fn a_peer_other_than_the_one_meant_is_refused() {
        let guard = guard(true, &[]);
        let [meant, mapped, other] = ["127.0.0.1:80", "[::ffff:127.0.0.1]:80", "127.0.0.2:80"]
            .map(|text| text.parse::<SocketAddr>().expect("an address"));
        assert_eq!(guard.confirm(meant, meant), Ok(()));
        assert_eq!(guard.confirm(meant, mapped), Ok(()));
        assert_eq!(guard.confirm(meant, other), Err(CallFailure::Blocked));
        let strict = Guard { allow_private: false, ..guard };
        assert_eq!(strict.confirm(meant, meant), Err(CallFailure::Blocked), "it is judged again");
    }

    #[test]
    fn the_service_does_not_call_itself_by_a_public_address() {
        let public = ip("203.0.114.10");
        for own in ["203.0.114.10", "::ffff:203.0.114.10"] {
            for port in [443, 9000, 5432] {
                assert_eq!(guard(false, &[own]).judge(&[public], port), Err(CallFailure::Blocked));
            }
            assert!(guard(true, &[own]).judge(&[public], 443).is_ok(), "the operator may allow it");
        }
        let everywhere = guard(false, &["0.0.0.0", "::"]);
        assert!(everywhere.judge(&[public], 443).is_ok(), "somebody else's address with the same port");
    }

    #[test]
    fn the_service_does_not_call_itself_by_its_public_name() {
        let host = |text: &str| Host::parse(text).expect("a host");
        let own_hosts = vec![host("Pay.Example"), host("203.0.114.9")];
        let strict = Guard { own_hosts: own_hosts.clone(), ..guard(false, &[]) };
        for ours in ["pay.example", "PAY.example", "pay.example.", "203.0.114.9"] {
            assert_eq!(strict.judge_host(&host(ours)), Err(CallFailure::Blocked), "{ours}");
        }
        for other in ["shop.example", "a.pay.example", "pay.example.com", "203.0.114.8"] {
            assert_eq!(strict.judge_host(&host(other)), Ok(()), "{other}");
        }
        let open = Guard { own_hosts, ..guard(true, &[]) };
        assert_eq!(open.judge_host(&host("pay.example")), Ok(()), "the operator may allow it");
    }

    #[test]
    fn this_machine_knows_its_own_addresses() {
        assert!(is_local(ip("127.0.0.1")) && is_local(ip("127.9.9.9")));
        assert!(!is_local(ip("203.0.114.10")));
        // The address from which the machine reaches others.
        let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
        if socket.connect("203.0.114.10:9").is_ok() {
            assert!(is_local(socket.local_addr().expect("an address").ip()));
        }
    }
}
