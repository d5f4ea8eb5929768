//! `till health`: whether the service on this machine is ready, for health checks of containers.

use super::{Common, context::load_settings, output::print};
use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    process::ExitCode,
    time::Duration,
};

/// How long the service has to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// More of an answer is not read.
const LONGEST_ANSWER: u64 = 16 * 1024;

#[derive(Debug, Args)]
pub struct HealthOptions {
    /// Address and port of the service; overrides TILL_LISTEN
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

#[derive(Serialize)]
struct HealthRow {
    ready: bool,
    address: String,
}

/// Runs `till health`.
pub fn run(common: &Common, options: &HealthOptions) -> anyhow::Result<ExitCode> {
    let settings = load_settings(common)?;
    let address = reachable(options.listen.unwrap_or(settings.listen));
    let stream = TcpStream::connect_timeout(&address, ANSWER_WITHIN)
        .with_context(|| format!("the service does not accept connections at {address}"))?;
    // Behind TLS the name in the certificate is not this address: that it accepts connections has to do.
    if settings.tls.is_none() {
        ask(stream).with_context(|| format!("the service at {address} does not answer"))?;
    }
    let row = HealthRow { ready: true, address: address.to_string() };
    print(common.json, &row, |row| format!("The service at {} is ready.", row.address))?;
    Ok(ExitCode::SUCCESS)
}

/// The address to connect to if the service listens on all of them.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let local = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(local, listen.port())
}

/// An error unless the service says that it is ready.
fn ask(mut stream: TcpStream) -> anyhow::Result<()> {
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.set_write_timeout(Some(ANSWER_WITHIN))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(LONGEST_ANSWER).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    if answer.split_whitespace().nth(1) == Some("200") {
        return Ok(());
    }
    bail!("{}", answer.split("\r\n\r\n").nth(1).unwrap_or(&answer).trim())
}
