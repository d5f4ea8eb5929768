//! The address of a PostgreSQL server, and the settings of connections to it.
//!
//! The text is a connection URI as every PostgreSQL program takes it, with one host or several. `sslmode` and
//! `sslrootcert` are read here, because the driver does not verify certificates by itself.

use super::{
    hosts::{Hosts, name_of},
    probe::Probe,
    tls::{self, Verify},
};
use std::{fmt, sync::Arc, time::Duration};
use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

/// How long a host may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long sent bytes may go unacknowledged before a connection counts as dead.
const USER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may be idle before a TCP keepalive is sent.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// The address of a PostgreSQL database.
#[derive(Clone)]
pub struct DatabaseUrl {
    /// The form that is shown to people, without the password.
    display: String,
    hosts: Arc<Hosts>,
    verified: bool,
}

impl DatabaseUrl {
    /// Parses a URL. The error says what is wrong with it and never repeats it: it may hold a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        const FORM: &str =
            "use postgres://USER:PASSWORD@HOST:PORT/DATABASE, with several hosts as HOST1:PORT,HOST2:PORT";
        const ENCODE: &str =
            "in a password write %40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %";
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(format!("is not a PostgreSQL URL: {FORM}"));
        }
        let (driver_text, options) = take_tls_options(text);
        // The driver's own error is not shown: it repeats parts of the text.
        let config: Config =
            driver_text.parse().map_err(|_| format!("is not a valid URL: {FORM}; {ENCODE}"))?;
        if config.get_hosts().is_empty() {
            return Err(format!("names no host: {FORM}"));
        }
        let odd = |host: &Host| matches!(host, Host::Tcp(name) if name.contains(['@', '?', '#', ' ']));
        if config.get_hosts().iter().any(odd) {
            return Err(format!("has an @, ? or # in the wrong place: {ENCODE}"));
        }
        let (mode, verify) = options.mode()?;
        let tls = tls::connector(&verify)?;
        let hosts = single_hosts(&config, mode)?;
        let display = show(&config, &hosts);
        Ok(Self { display, hosts: Hosts::new(hosts, tls), verified: verify != Verify::Nothing })
    }

    /// Its hosts and the one in use, shared by every copy of this URL.
    pub(super) fn hosts(&self) -> &Arc<Hosts> {
        &self.hosts
    }

    /// Probes its hosts while the returned value is kept, if there are several.
    pub(crate) fn watch(&self) -> Option<Arc<Probe>> {
        self.hosts.watch()
    }

    /// True if an attacker on the network could read or change the traffic: a host is remote, and the server
    /// is not verified by its certificate.
    pub(super) fn is_exposed(&self) -> bool {
        let far = |host: &Host| match host {
            Host::Unix(_) => false,
            Host::Tcp(name) => {
                name != "localhost" && !name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
            }
        };
        !self.verified && self.hosts.configs().iter().flat_map(Config::get_hosts).any(far)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DatabaseUrl").field(&self.display).finish()
    }
}

/// The parts of the URL about TLS.
#[derive(Debug, Default)]
struct TlsOptions {
    mode: Option<String>,
    root: Option<String>,
}

impl TlsOptions {
    fn mode(&self) -> Result<(SslMode, Verify), String> {
        let root = || match self.root.as_deref() {
            None | Some("system") => Verify::System,
            Some(path) => Verify::File(path.to_owned()),
        };
        Ok(match self.mode.as_deref() {
            Some("disable") => (SslMode::Disable, Verify::Nothing),
            None | Some("prefer") if self.root.is_none() => (SslMode::Prefer, Verify::Nothing),
            Some("require") if self.root.is_none() => (SslMode::Require, Verify::Nothing),
            None | Some("prefer" | "require" | "verify-full") => (SslMode::Require, root()),
            Some(other) => {
                return Err(format!("has sslmode={other}: use disable, prefer, require or verify-full"));
            }
        })
    }
}

/// Removes `sslmode` and `sslrootcert` from a URL. The rest stays as it is, for the driver to read.
fn take_tls_options(text: &str) -> (String, TlsOptions) {
    let mut options = TlsOptions::default();
    let Some((address, query)) = text.split_once('?') else { return (text.to_owned(), options) };
    let mut rest = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", value)) => options.mode = Some(value.to_owned()),
            Some(("sslrootcert", value)) => options.root = Some(decode(value)),
            _ => rest.push(pair),
        }
    }
    if rest.is_empty() {
        (address.to_owned(), options)
    } else {
        (format!("{address}?{}", rest.join("&")), options)
    }
}

/// Percent-decodes a text; unlike in a form, + is a plus.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = more.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The same configuration once for each host, so that a host that hangs does not use up the others' time.
fn single_hosts(config: &Config, mode: SslMode) -> Result<Vec<Config>, String> {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("names more ports than hosts".to_owned());
    }
    let single = |(index, host): (usize, &Host)| {
        let mut one = Config::new();
        match host {
            Host::Tcp(name) => one.host(name),
            Host::Unix(path) => one.host_path(path),
        };
        if let Some(address) = config.get_hostaddrs().get(index) {
            one.hostaddr(*address);
        }
        one.port(ports.get(index).or(ports.first()).copied().unwrap_or(5432));
        copy(config, &mut one);
        one.ssl_mode(mode);
        one
    };
    Ok(hosts.iter().enumerate().map(single).collect())
}

fn copy(from: &Config, to: &mut Config) {
    if let Some(user) = from.get_user() {
        to.user(user);
    }
    if let Some(password) = from.get_password() {
        to.password(password);
    }
    if let Some(name) = from.get_dbname() {
        to.dbname(name);
    }
    if let Some(options) = from.get_options() {
        to.options(options);
    }
    to.channel_binding(from.get_channel_binding());
    to.ssl_negotiation(from.get_ssl_negotiation());
    to.connect_timeout(from.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT));
    to.tcp_user_timeout(from.get_tcp_user_timeout().copied().unwrap_or(USER_TIMEOUT));
    to.keepalives_idle(KEEPALIVE);
    // Reads and writes both go to the primary, so that reads see what was acknowledged.
    to.target_session_attrs(TargetSessionAttrs::ReadWrite);
}

fn show(config: &Config, hosts: &[Config]) -> String {
    let hosts: Vec<String> = hosts.iter().map(name_of).collect();
    format!("postgres://{}/{}", hosts.join(","), config.get_dbname().or(config.get_user()).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> DatabaseUrl {
        DatabaseUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (text, expected) in [
            ("postgres://till:secret@db.example/pay", "postgres://db.example:5432/pay"),
            ("postgresql://till:secret@a:1,b:2/pay?sslmode=require", "postgres://a:1,b:2/pay"),
            ("postgres://till@/pay?host=/run/pg&sslmode=disable", "postgres:///run/pg/pay"),
        ] {
            let url = parse(text);
            assert_eq!(url.to_string(), expected);
            assert!(!format!("{url:?}").contains("secret"));
        }
    }

    #[test]
    fn each_host_has_its_own_port_and_must_be_writable() {
        let url = parse("postgres://till@a:1,b:2/pay?connect_timeout=7&application_name=x%20y");
        let ports: Vec<&[u16]> = url.hosts().configs().iter().map(Config::get_ports).collect();
        assert_eq!(ports, [&[1], &[2]]);
        for host in url.hosts().configs() {
            assert_eq!(host.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
            assert_eq!(host.get_connect_timeout(), Some(&Duration::from_secs(7)));
        }
    }

    #[test]
    fn a_wrong_address_says_what_to_write_and_keeps_the_password_to_itself() {
        for (text, repair) in [
            ("mysql://u:secret@db/pay", "use postgres://"),
            ("postgres://u:secret@db:port/pay", "use postgres://"),
            ("postgres:///pay?user=u&password=secret", "names no host"),
            ("postgres://u:secret@db/pay?sslmode=verify-ca", "verify-full"),
            ("postgres://u:secret@db/pay?colour=red", "use postgres://"),
            ("postgres://u:ab@secret@db:1/pay", "write %40 for @"),
            ("postgres://u:secret@db/pay?sslmode=verify-full&sslrootcert=/nowhere", "sslrootcert"),
        ] {
            let error = DatabaseUrl::parse(text).expect_err(text);
            assert!(error.contains(repair) && !error.contains("secret"), "{text}: {error}");
        }
    }

    #[test]
    fn the_rest_of_a_url_is_the_drivers_and_a_plus_is_a_plus() {
        let url = parse("postgres://db/pay?user=u&password=a+b%2B&sslmode=require");
        assert_eq!(url.hosts().configs()[0].get_password(), Some(&b"a+b+"[..]));
        assert_eq!(decode("%2Fetc%2Fa+b%"), "/etc/a+b%");
    }

    #[test]
    fn only_a_far_server_that_is_not_verified_is_exposed() {
        for (text, exposed) in [
            ("postgres://u@db.example/pay", true),
            ("postgres://u@db.example/pay?sslmode=require", true),
            ("postgres://u@db.example/pay?sslmode=verify-full&sslrootcert=system", false),
            ("postgres://u@localhost,127.0.0.1/pay", false),
            ("postgres://u@%2Frun%2Fpg/pay", false),
        ] {
            assert_eq!(parse(text).is_exposed(), exposed, "{text}");
        }
    }
}
