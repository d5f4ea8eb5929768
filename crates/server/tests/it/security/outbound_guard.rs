//! The SSRF guard: addresses in every spelling, names that resolve to forbidden addresses, and DNS rebinding.

use crate::{
    security::outbound::{SOON, always, hasty, options, outbound, post, post_for, timed},
    support::Sink,
};
use std::{
    net::{IpAddr, SocketAddr},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use till_domain::{
    address,
    delivery::RESPONSE_LIMIT,
    id::VendorId,
    weburl::{UrlProblem, WebUrl},
};
use till_service::outbound::{CallFailure, OutboundOptions, Resolver};
use tokio::task::JoinSet;
use url::Host;

/// The expected treatment of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Refused at creation and again at the call.
    Blocked,
    /// Like `Blocked`, also if private addresses are allowed.
    Never,
    /// Not a URL that can be called.
    Malformed,
    /// A literal that may be called.
    Allowed,
    /// Decided by the addresses of this name.
    Name(&'static str),
}

use Fate::{Allowed, Blocked, Malformed, Name, Never};

const URLS: &[(&str, Fate)] = &[
    // This machine, in many spellings.
    ("http://127.0.0.1/", Blocked),
    ("http://2130706433/", Blocked),
    ("http://0x7f.1/", Blocked),
    ("http://0x7f000001/", Blocked),
    ("http://127.1/", Blocked),
    ("http://0177.0.0.1/", Blocked),
    ("http://127.0.0.1./", Blocked),
    ("http://127。0。0。1/", Blocked),
    ("http://%31%32%37.0.0.1/", Blocked),
    ("http://127.0.0.1#@good.example/", Blocked),
    ("http://localhost/", Blocked),
    ("http://LOCALHOST/", Blocked),
    ("http://localhost./", Blocked),
    ("http://shop.localhost/", Blocked),
    ("http://[::1]/", Blocked),
    ("http://[0:0:0:0:0:0:0:1]/", Blocked),
    ("http://[::ffff:127.0.0.1]/", Blocked),
    ("http://[::ffff:7f00:1]/", Blocked),
    // "Any address", which Linux connects to this machine.
    ("http://0/", Never),
    ("http://0.0.0.0/", Never),
    ("http://[::]/", Never),
    ("http://[::ffff:0.0.0.0]/", Never),
    // IPv4 inside IPv6.
    ("http://[::127.0.0.1]/", Never),
    ("http://[64:ff9b::127.0.0.1]/", Never),
    ("http://[64:ff9b:1::a00:1]/", Never),
    ("http://[2002:7f00:1::1]/", Never),
    ("http://[2001:0:7f00:1::1]/", Never),
    ("http://[::ffff:0:127.0.0.1]/", Never),
    // Metadata services of clouds.
    ("http://169.254.169.254/latest/meta-data/", Never),
    ("http://[::ffff:169.254.169.254]/", Never),
    ("http://[64:ff9b::169.254.169.254]/", Never),
    ("http://[fd00:ec2::254]/", Never),
    ("http://[fe80::a9fe:a9fe]/", Never),
    ("http://100.100.100.200/", Never),
    ("http://168.63.129.16/", Never),
    ("http://192.0.0.192/", Never),
    // Networks that are not the internet.
    ("http://10.0.0.1/", Blocked),
    ("http://172.16.0.1/", Blocked),
    ("http://192.168.0.1/", Blocked),
    ("http://169.254.1.1/", Blocked),
    ("http://[fe80::1]/", Blocked),
    ("http://[fd12:3456::1]/", Blocked),
    ("http://100.64.0.1/", Never),
    ("http://192.0.0.1/", Never),
    ("http://192.0.2.1/", Never),
    ("http://192.88.99.1/", Never),
    ("http://198.18.0.1/", Never),
    ("http://198.51.100.1/", Never),
    ("http://203.0.113.1/", Never),
    ("http://224.0.0.1/", Never),
    ("http://240.0.0.1/", Never),
    ("http://255.255.255.255/", Never),
    ("http://[fec0::1]/", Never),
    ("http://[ff02::1]/", Never),
    ("http://[100::1]/", Never),
    ("http://[2001:db8::1]/", Never),
    ("http://[3fff::1]/", Never),
    ("http://[5f00::1]/", Never),
    // Neighbours of the above.
    ("http://100.128.0.1/", Allowed),
    ("http://172.15.255.255/", Allowed),
    ("http://[2606:4700::1111]/", Allowed),
    // Names, and texts that only look like something else.
    ("http://good.example\\@127.0.0.1/", Name("good.example")),
    ("https://GOOD.EXAMPLE./cb", Name("good.example.")),
    ("http://127.0.0.1.good.example/", Name("127.0.0.1.good.example")),
    // Texts that are no URL to call.
    ("http://[fe80::1%25eth0]/", Malformed),
    ("http://good.example@127.0.0.1/", Malformed),
    ("https://user:pw@good.example/", Malformed),
    ("\tJaVaScRiPt:alert(1)", Malformed),
    ("java\nscript:alert(1)", Malformed),
    ("data:text/html,x", Malformed),
    ("file:///etc/passwd", Malformed),
    ("ftp://good.example/", Malformed),
    ("//evil.example/", Malformed),
    ("/relative", Malformed),
    ("https://good.example:0/", Malformed),
    ("https://good.example:65536/", Malformed),
    ("https://[good.example]/", Malformed),
    ("http://1.2.3.4.5/", Malformed),
    ("http://127.0.0.256/", Malformed),
];

#[test]
fn t1_urls_meet_their_fate_at_creation() {
    for (url, fate) in URLS {
        let verdicts = [false, true].map(|private| WebUrl::parse_callback(url, private).map(drop));
        let private = Err(UrlProblem::PrivateAddress);
        match fate {
            Blocked => assert_eq!(verdicts, [private, Ok(())], "{url}"),
            Never => assert_eq!(verdicts, [private, private], "{url}"),
            Allowed | Name(_) => assert_eq!(verdicts, [Ok(()), Ok(())], "{url}"),
            Malformed => assert!(
                verdicts
                    .iter()
                    .all(|verdict| verdict.is_err_and(|problem| problem != UrlProblem::PrivateAddress)),
                "{url}: {verdicts:?}"
            ),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p10_t1_urls_that_must_not_be_called_are_not_connected_to() {
    let canaries = Canaries::new();
    for (url, fate) in URLS {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let names = Arc::clone(&asked);
        let script = move |name: &str| {
            names.lock().expect("not poisoned").push(name.to_owned());
            Ok(vec![IpAddr::from([127, 0, 0, 1])])
        };
        let resolver = Resolver::Scripted(Arc::new(script));
        let strict = OutboundOptions { allow_private: false, resolver, ..options() };
        let open = OutboundOptions { allow_private: true, ..strict.clone() };
        let url = canaries.with_port(url);
        match fate {
            Blocked => assert_eq!(post(&outbound(strict), &url).await, Err(CallFailure::Blocked), "{url}"),
            Never | Malformed => {
                for options in [strict, open] {
                    assert_eq!(post(&outbound(options), &url).await, Err(CallFailure::Blocked), "{url}");
                }
            }
            // These would go out to the internet. The guard's own tests cover what it lets through.
            Allowed => continue,
            Name(name) => {
                assert_eq!(post(&outbound(strict), &url).await, Err(CallFailure::Blocked), "{url}");
                assert_eq!(*asked.lock().expect("not poisoned"), [*name], "{url}");
                continue;
            }
        }
        assert!(asked.lock().expect("not poisoned").is_empty(), "{url}: nobody is asked");
    }
    assert_eq!(canaries.accepted(), 0);
    // The canaries accept calls, and the spelling does not matter to them.
    for url in ["http://127.0.0.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://localhost/"]
    {
        let before = canaries.accepted();
        let open = outbound(OutboundOptions { allow_private: true, ..options() });
        assert_eq!(post(&open, &canaries.with_port(url)).await, Ok(204), "{url}");
        assert_eq!(canaries.accepted(), before + 1, "{url}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t1_f15_a_name_is_refused_if_any_of_its_addresses_is() {
    let canaries = Canaries::new();
    let url = canaries.with_port("http://shop.example/");
    for (found, allow_private, expected) in [
        (&["203.0.114.10", "127.0.0.1"][..], false, CallFailure::Blocked),
        (&["127.0.0.1", "203.0.114.10"], false, CallFailure::Blocked),
        (&["203.0.114.10", "::1"], false, CallFailure::Blocked),
        (&["203.0.114.10", "::ffff:127.0.0.1"], false, CallFailure::Blocked),
        (&["::ffff:10.0.0.1"], false, CallFailure::Blocked),
        (&["0.0.0.0"], true, CallFailure::Blocked),
        (&["::"], true, CallFailure::Blocked),
        (&["127.0.0.1", "169.254.169.254"], true, CallFailure::Blocked),
        (&["::ffff:169.254.169.254", "127.0.0.1"], true, CallFailure::Blocked),
        (&["127.0.0.1", "64:ff9b::a9fe:a9fe"], true, CallFailure::Blocked),
        (&[], false, CallFailure::Dns),
        (&[], true, CallFailure::Dns),
    ] {
        let resolver = always(found);
        let outbound = outbound(OutboundOptions { allow_private, resolver, ..options() });
        assert_eq!(post(&outbound, &url).await, Err(expected), "{found:?}");
    }
    assert_eq!(canaries.accepted(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t1_a_name_is_judged_afresh_for_every_call() {
    let canaries = Canaries::new();
    let url = canaries.with_port("http://shop.example/");
    let (resolver, asked) =
        in_turn(&[&[], &["127.0.0.1"], &["203.0.114.10", "127.0.0.1"], &[], &["127.0.0.1"]]);
    let strict = outbound(OutboundOptions { allow_private: false, resolver, ..options() });
    for expected in
        [CallFailure::Dns, CallFailure::Blocked, CallFailure::Blocked, CallFailure::Dns, CallFailure::Blocked]
    {
        assert_eq!(post(&strict, &url).await, Err(expected));
    }
    assert_eq!((asked.load(SeqCst), canaries.accepted()), (5, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t1_an_open_connection_is_no_way_around_a_changed_name() {
    let answer = |status: &str| format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n");
    let first = Sink::answering(answer("201"));
    let port = first.address.port();
    let elsewhere = SocketAddr::new(IpAddr::from([127, 0, 0, 2]), port);
    let second = Sink::answering_at(elsewhere, answer("202"));
    let (resolver, _) = in_turn(&[
        &["127.0.0.1"],
        &["169.254.169.254"],
        &["127.0.0.1", "0.0.0.0"],
        &[],
        &["127.0.0.2"],
        &["127.0.0.1"],
    ]);
    let outbound = outbound(OutboundOptions { allow_private: true, resolver, ..options() });
    let url = format!("http://shop.example:{port}/");
    for expected in [
        Ok(201),
        Err(CallFailure::Blocked),
        Err(CallFailure::Blocked),
        Err(CallFailure::Dns),
        Ok(202),
        Ok(201),
    ] {
        assert_eq!(post(&outbound, &url).await, expected);
    }
    assert_eq!((first.accepted(), second.accepted()), (1, 1), "the first one's connection was still there");
    let other = format!("http://{}:{port}/", first.address.ip());
    assert_eq!(post(&outbound, &other).await, Ok(201));
    assert_eq!(first.accepted(), 2, "another host has connections of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_a_refused_address_reveals_nothing() {
    let canaries = Canaries::new();
    let strict = outbound(OutboundOptions { allow_private: false, ..options() });
    let closed = format!("http://127.0.0.1:{}/", free_port());
    let mut told = Vec::new();
    for url in
        [canaries.with_port("http://127.0.0.1/"), closed, "http://10.9.8.7/".into(), "http://0/".into()]
    {
        let (call, _) = timed(&strict, &url).await;
        assert_eq!(call.response, None, "nothing is kept of an address that was refused");
        let failure = call.result.expect_err("it is refused");
        told.push((failure, failure.to_string()));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    let words = "the URL points to an address that callbacks may not be sent to".to_owned();
    assert_eq!(told[0], (CallFailure::Blocked, words));
    assert_eq!(till_domain::delivery::AttemptResult::Blocked.as_str(), "blocked", "as it is stored");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_only_the_start_of_a_failed_response_is_kept_and_only_where_that_is_allowed() {
    let long = format!("reason: {}", "x".repeat(5_000));
    let head = "Content-Type: text/plain; charset=utf-8\r\nX-Internal: canary";
    let response =
        |status| format!("HTTP/1.1 {status} x\r\n{head}\r\nContent-Length: {}\r\n\r\n{long}", long.len());
    let failing = Sink::answering(response(500));
    let (call, _) = timed(&outbound(options()), &failing.url("http", "/")).await;
    assert_eq!(call.result, Err(CallFailure::Status(500)));
    let kept = call.response.expect("it is kept");
    assert_eq!(kept.content_type.as_deref(), Some("text/plain; charset=utf-8"));
    assert_eq!(kept.body, long.as_bytes()[..RESPONSE_LIMIT]);
    let fine = Sink::answering(response(200));
    assert_eq!(timed(&outbound(options()), &fine.url("http", "/")).await.0.response, None);
    let discreet = outbound(OutboundOptions { keep_responses: false, ..options() });
    let (call, _) = timed(&discreet, &failing.url("http", "/")).await;
    assert_eq!((call.result, call.response), (Err(CallFailure::Status(500)), None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_t3_a_failed_response_that_never_ends_is_kept_as_far_as_it_came() {
    let slow = Sink::answering("HTTP/1.1 502 x\r\nContent-Length: 9999\r\n\r\nupstream is down");
    let (call, _) = timed(&outbound(hasty()), &slow.url("http", "/")).await;
    assert_eq!(call.result, Err(CallFailure::Status(502)));
    assert_eq!(call.response.expect("it is kept").body, b"upstream is down");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_does_not_call_itself() {
    let own = vec!["203.0.114.10".parse().expect("an address")];
    let own_hosts = vec![Host::parse("pay.example").expect("a host")];
    let elsewhere = always(&["127.0.0.1"]);
    let strict = OutboundOptions { allow_private: false, own, own_hosts, ..options() };
    let by_address = outbound(OutboundOptions { resolver: always(&["203.0.114.10"]), ..strict.clone() });
    for url in ["https://shop.example:8443/", "https://203.0.114.10/", "https://[::ffff:203.0.114.10]:5432/"]
    {
        assert_eq!(post(&by_address, url).await, Err(CallFailure::Blocked), "{url}");
    }
    // Behind a proxy the service's own address is unknown to it, so its public host name is blocked.
    let sink = Sink::answering("HTTP/1.1 204 x\r\n\r\n");
    let by_name = OutboundOptions { allow_private: true, resolver: elsewhere, ..strict };
    let url = format!("http://PAY.example.:{}/", sink.address.port());
    assert_eq!(post(&outbound(by_name.clone()), &url).await, Ok(204), "the operator may allow it");
    let by_name = OutboundOptions { allow_private: false, resolver: nobody_asks(), ..by_name };
    assert_eq!(post(&outbound(by_name), &url).await, Err(CallFailure::Blocked));
    assert_eq!(sink.accepted(), 1);
}

/// Runs the next test in a network namespace of its own, in which this machine has public addresses.
#[test]
fn needs_root_the_service_does_not_call_itself_by_whatever_address_it_has() {
    let mut child = Command::new("unshare");
    let setup = "ip link set lo up && ip addr add 203.0.114.10/32 dev lo && \
                 ip addr add 2606:4700::1111/128 dev lo && exec \"$0\" \"$@\"";
    child.args(["--net", "sh", "-c", setup]).arg(std::env::current_exe().expect("a program"));
    child.args(["--ignored", "--exact", "security::outbound_guard::on_a_machine_with_public_addresses"]);
    let output = child.output().expect("unshare is there");
    let (told, trouble) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{told}{trouble}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the test before"]
async fn on_a_machine_with_public_addresses() {
    for address in ["203.0.114.10", "2606:4700::1111"] {
        let ip: IpAddr = address.parse().expect("an address");
        let sink = Sink::answering_at(SocketAddr::new(ip, 0), "HTTP/1.1 204 x\r\n\r\n");
        let port = sink.address.port();
        let url = format!("http://shop.example:{port}/");
        let resolver = always(&[address]);
        for own in [Vec::new(), vec![IpAddr::from([0, 0, 0, 0])], vec![IpAddr::from([127, 0, 0, 1])]] {
            let own = OutboundOptions { own, resolver: resolver.clone(), ..options() };
            let strict = outbound(OutboundOptions { allow_private: false, ..own });
            assert_eq!(post(&strict, &url).await, Err(CallFailure::Blocked), "{address}: it is not our port");
        }
        assert_eq!(sink.accepted(), 0, "whatever listens there");
        let open = outbound(OutboundOptions { resolver, ..options() });
        assert_eq!(post(&open, &url).await, Ok(204), "the operator may allow it");
    }
}

/// A resolver that fails late for names that begin with `dead`, and answers all others at once. It counts the
/// look-ups: running, the most at once, and all.
fn dead_names() -> (Resolver, Arc<[AtomicUsize; 3]>) {
    let counts = Arc::new([const { AtomicUsize::new(0) }; 3]);
    let seen = Arc::clone(&counts);
    let script = move |name: &str| {
        if !name.starts_with("dead") {
            return Ok(vec![IpAddr::from([127, 0, 0, 1])]);
        }
        let [running, most, all] = &*seen;
        all.fetch_add(1, SeqCst);
        most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(900));
        running.fetch_sub(1, SeqCst);
        Ok(Vec::new())
    };
    (Resolver::Scripted(Arc::new(script)), counts)
}

fn vendor(number: u8) -> VendorId {
    VendorId::from_bytes([number; 16])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f15_a_name_that_is_never_answered_is_not_waited_for_and_is_looked_up_once_at_a_time() {
    let (resolver, counts) = dead_names();
    let outbound = outbound(OutboundOptions { resolver, ..hasty() });
    let mut calls = JoinSet::new();
    for _ in 0..200 {
        let outbound = outbound.clone();
        calls.spawn(async move { post(&outbound, "http://dead.example/").await });
    }
    while let Some(result) = calls.join_next().await {
        assert_eq!(result.expect("no panic"), Err(CallFailure::Timeout));
    }
    assert_eq!(counts[2].load(SeqCst), 1);
    assert!(address::reach(IpAddr::from([203, 0, 114, 10])).allowed(false), "what stands for the internet");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p11_names_that_are_never_answered_keep_no_other_vendor_and_no_other_environment_waiting() {
    let (resolver, counts) = dead_names();
    let sink = Sink::answering("HTTP/1.1 204 x\r\n\r\n");
    let url = format!("http://shop.example:{}/", sink.address.port());
    let outbound = outbound(OutboundOptions { resolver, ..hasty() });
    let mut calls = JoinSet::new();
    for number in 0..200_u8 {
        let outbound = outbound.clone();
        let dead = format!("http://dead-{number}.example/");
        calls.spawn(async move { post_for(vendor(1), &outbound, &dead).await });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(post_for(vendor(2), &outbound, &url).await, Ok(204), "another vendor's");
    assert_eq!(counts[1].load(SeqCst), 8, "one vendor has so many threads");
    // More vendors with such names than there are threads.
    for number in 0..200_u8 {
        let outbound = outbound.clone();
        let dead = format!("http://dead-of-{number}.example/");
        calls.spawn(async move { post_for(vendor(number % 20 + 10), &outbound, &dead).await });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(post_for(vendor(2), &outbound, &url).await, Ok(204), "beside twenty vendors with such names");
    assert_eq!(post_for(vendor(1), &outbound.apart(), &url).await, Ok(204), "the same vendor's, elsewhere");
    while let Some(result) = calls.join_next().await {
        assert_eq!(result.expect("no panic"), Err(CallFailure::Timeout));
    }
    assert!(counts[1].load(SeqCst) < 64, "there is always one left");
}

#[test]
fn f3_a_look_up_that_hangs_does_not_hold_up_a_stop() {
    let script = |_: &str| {
        std::thread::sleep(SOON * 2);
        Ok(Vec::new())
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let outbound = outbound(OutboundOptions { resolver: Resolver::Scripted(Arc::new(script)), ..hasty() });
    let began = Instant::now();
    let result = runtime.block_on(post(&outbound, "http://shop.example/"));
    assert_eq!(result, Err(CallFailure::Timeout));
    drop(runtime);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

/// Listeners on both loopback addresses, with the same port, that must get no connection.
struct Canaries(Vec<Sink>);

impl Canaries {
    fn new() -> Self {
        let first = Sink::answering("HTTP/1.1 204 x\r\n\r\n");
        let second = SocketAddr::new("::1".parse().expect("an address"), first.address.port());
        // Not every machine has IPv6, and the port may be taken there.
        let free = std::net::TcpListener::bind(second).is_ok();
        let second = free.then(|| Sink::answering_at(second, "HTTP/1.1 204 x\r\n\r\n"));
        Self(std::iter::once(first).chain(second).collect())
    }

    /// The same URL in the same spelling, with the port of the canaries.
    fn with_port(&self, url: &str) -> String {
        let Some(start) = url.find("://").map(|at| at + 3) else { return url.to_owned() };
        let end = url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at);
        let has_port = url[start..end].rsplit(']').next().is_some_and(|rest| rest.contains(':'));
        if has_port {
            return url.to_owned();
        }
        format!("{}:{}{}", &url[..end], self.0[0].address.port(), &url[end..])
    }

    fn accepted(&self) -> usize {
        self.0.iter().map(Sink::accepted).sum()
    }
}

/// A resolver that gives these answers one after the other, and the number of look-ups.
fn in_turn(answers: &[&[&str]]) -> (Resolver, Arc<AtomicUsize>) {
    let parse = |found: &&[&str]| found.iter().map(|text| text.parse().expect("an address")).collect();
    let answers: Vec<Vec<IpAddr>> = answers.iter().map(parse).collect();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let script = move |_: &str| Ok(answers[counter.fetch_add(1, SeqCst)].clone());
    (Resolver::Scripted(Arc::new(script)), asked)
}

/// A resolver that must not be used.
fn nobody_asks() -> Resolver {
    Resolver::Scripted(Arc::new(|name| panic!("{name} is looked up")))
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
