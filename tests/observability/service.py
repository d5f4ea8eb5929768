"""A till on free ports with a chain of its own, the traffic of a shop and its customers, and a Prometheus that scrapes it.
For scripts that import it."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = pathlib.Path(".tools").resolve()
ANVIL = TOOLS / "evm/node_modules/.bin/anvil"
# The wallet of the other tests.
XPUB = re.search(r'XPUB: &str = "(\w+)"', pathlib.Path("crates/testing/src/anvil.rs").read_text("utf-8"))[1]
CHAIN = """
[[chain]]
id = 31337
name = "Anvil"
endpoints = ["{url}"]
xpub = "{xpub}"
confirmations = 2
poll = "250ms"
[[chain.coin]]
symbol = "ETH"
decimals = 18
[[price]]
coin = "ETH"
currency = "RUB"
fixed = "249500"
"""
ORDER = {"product_name": "Atlas", "price": "4990.00", "currency": "RUB"}


def until(what, found, seconds=20):
    """What `found` returns, once that is true."""
    end = time.monotonic() + seconds
    while not (result := found()):
        if time.monotonic() > end:
            raise SystemExit(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return result


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def running(command, log, errors=None, **options):
    """A process that is ended with the block. Its log is a file, unless `errors` is open for it."""
    with open(log, "ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=errors or output, **options)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def anvil(folder):
    """A chain that makes a block each second: its address."""
    log = folder / "anvil.log"
    command = [ANVIL, "--port", "0", "--chain-id", "31337", "--block-time", "1"]
    with running(command, log) as process:
        found = until("anvil listens", lambda: re.search(r"Listening on (\S+)", log.read_text("utf-8")))
        yield process, f"http://{found[1]}"


class Receiver(BaseHTTPRequestHandler):
    """A shop that accepts every callback."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def receiver():
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Till:
    """A service on the embedded store in a folder, with the simulated bank and a chain."""

    def __init__(self, folder, chain):
        setup = folder / "evm.toml"
        setup.write_text(CHAIN.format(url=chain, xpub=XPUB), "utf-8")
        self.folder, self.log, self.port, self.metrics_port = folder, folder / "till.log", free_port(), free_port()
        self.url, self.metrics = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.metrics_port}/metrics"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TILL_")} | {
            "TILL_DATA_DIR": str(folder / "data"), "TILL_MASTER_KEY": secrets.token_hex(32), "TILL_SIMULATOR": "on",
            "TILL_LISTEN": f"127.0.0.1:{self.port}", "TILL_METRICS_LISTEN": f"127.0.0.1:{self.metrics_port}",
            "TILL_ALLOW_PRIVATE_CALLBACKS": "true", "TILL_CALLBACK_RETRIES": "1s,2s", "TILL_EVM_FILE": str(setup),
            "TILL_RATE_LIMIT_ATTEMPTS_VENDOR": "5/s burst 5",
        }
        self.vendor = None

    @contextlib.contextmanager
    def serve(self, errors=None, **more):
        """The running process, with more settings."""
        with running([os.environ["TILL_BINARY"], "serve"], self.log, errors, env=self.environment | more) as process:
            until("till serves", lambda: self.answers(process))
            if not self.vendor:
                self.vendor = json.loads(self.command("vendor", "create", "--name", "Watched", "--sandbox", "--json"))
            yield process

    def answers(self, process):
        if process.poll() is not None:
            raise SystemExit(f"till ended:\n{self.log.read_text('utf-8')}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            return urllib.request.urlopen(f"{self.url}/readyz", timeout=2).status == 200

    def command(self, *arguments):
        return subprocess.run([os.environ["TILL_BINARY"], *arguments], env=self.environment, check=True,
                              capture_output=True, text=True).stdout

    def scrape(self):
        return urllib.request.urlopen(self.metrics, timeout=10).read().decode()

    def ask(self, path, body=None, token=None, form=None):
        """The status, the body and the Location of an answer."""
        headers = {"Content-Type": "application/json"} if form is None else {
            "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = urllib.parse.urlencode(form) if form is not None else json.dumps(body) if body is not None else None
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET" if data is None else "POST", path, data, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers.get("Location") or ""

    def token(self, environment):
        path = "/api/tokens" if environment == "live" else "/api/sandbox/vendor/tokens"
        return json.loads(self.ask(path, self.vendor[environment])[1])["access_token"]

    def create(self, environment, token, callback_url, **more):
        """A new session's id. Each has an order of its own: a page asks before an order is paid twice."""
        path = "/api/product/session" if environment == "live" else "/api/sandbox/vendor/checkout-session"
        order = ORDER | {"order_id": secrets.token_hex(4), "callback_url": callback_url} | more
        status, body, _ = self.ask(path, order, token)
        return json.loads(body)["session_id"] if status == 201 else None

    def pay(self, session, decision, method="card"):
        """A customer chooses a method, and decides at the simulated bank."""
        status, _, bank = self.ask(f"/session/{session}/pay", form={"method": method})
        if decision and "/bank/" in bank:
            return self.ask(urllib.parse.urlparse(bank).path, form={"decision": decision})
        return status, "", bank

    def simulate(self, token, callback_url):
        """A sandbox session that is paid."""
        session = self.create("sandbox", token, callback_url)
        self.ask(f"/api/sandbox/vendor/checkout-session/{session}/simulate", {"outcome": "paid"}, token)

    def be_busy(self, shop):
        """Traffic that counts in every metric: tokens, creates, payments, callbacks, logins, and each of them failing."""
        live, sandbox, closed = self.token("live"), self.token("sandbox"), f"http://127.0.0.1:{free_port()}/"
        for environment, token in (("live", live), ("sandbox", sandbox)):
            self.create(environment, token, shop)
        self.ask("/api/product/session", {}, live)
        for url in (shop, closed):
            self.pay(self.create("live", live, url), "approve")
        # All at once and more than the limit, so that some payment attempts are refused on a slow machine too.
        sessions = [self.create("live", live, shop) for _ in range(16)]
        with concurrent.futures.ThreadPoolExecutor(len(sessions)) as customers:
            list(customers.map(lambda session: self.pay(session, "decline"), sessions))
        self.simulate(sandbox, shop)
        self.ask("/panel/login", form={"email": "a@shop.example", "password": "wrong"})
        self.command("hold", "--yes")
        until("a create is refused", lambda: not self.create("live", live, shop))
        self.command("release", "--yes")
        until("creates are accepted again", lambda: self.create("live", live, shop))
        until("a callback fails", lambda: 'till_callback_attempts_total{environment="live",result="connect"}' in self.scrape())


class Prometheus:
    """A running Prometheus."""

    def __init__(self, url):
        self.url = url

    def get(self, path):
        return json.load(urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=10))["data"]

    def rules(self):
        return [rule for group in self.get("rules")["groups"] for rule in group["rules"]]

    def firing(self):
        """The alerts that fire, with their texts."""
        return {alert["labels"]["alertname"]: alert["annotations"]
                for alert in self.get("alerts")["alerts"] if alert["state"] == "firing"}

    def refuses(self, query):
        """What is wrong with a query."""
        try:
            self.get(f"query?query={urllib.parse.quote(query)}")
        except urllib.error.HTTPError as error:
            return json.load(error)["error"]
        return None


@contextlib.contextmanager
def prometheus(folder, till, rules):
    """A Prometheus that scrapes this service each second and evaluates these rules."""
    port = free_port()
    config, targets = folder / "prometheus.yaml", folder / "targets.json"
    targets.write_text(json.dumps([{"targets": [f"127.0.0.1:{till.metrics_port}"]}]), "utf-8")
    config.write_text(f"""
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: ["{rules}"]
scrape_configs: [{{ job_name: till, file_sd_configs: [{{ files: ["{targets}"] }}] }}]
""", "utf-8")
    command = [TOOLS / "prometheus/usr/bin/prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}",
               f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    found = Prometheus(f"http://127.0.0.1:{port}")

    def scrapes():
        with contextlib.suppress(OSError):
            return found.get("query?query=till_held")["result"]

    with running(command, folder / "prometheus.log"):
        until("Prometheus has scraped", scrapes, 30)
        yield found
