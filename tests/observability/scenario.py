"""Makes the alerts fire on a running service that a real Prometheus scrapes. Minutes of the rules are seconds here; nothing
else of them is changed but the numbers in SMALLER."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
import service
from service import until

# A provider that is set up and cannot be reached.
STRIPE = """secret_key = "sk_test_0123456789abcdef01234567"
publishable_key = "pk_test_0123456789abcdef01234567"
webhook_secrets = ["whsec_0123456789abcdef01234567"]
currencies = ["USD"]
api = "http://127.0.0.1:{port}"
script = "http://127.0.0.1:{port}/stripe.js"
"""
RULES = pathlib.Path("packaging/observability/alerts.yaml")
# Waits of minutes, a log of 256 MiB, and the time for three restarts.
SMALLER = {
    "120000": "3000", "300000": "3000", "268435456": "4194304",
    'till_store_units_total{job="till"}[30m]': 'till_store_units_total{job="till"}[60s]',
}
# What a test cannot bring about from outside within a minute; the tests of promtool make these fire.
NOT_HERE = {"TillAddressUnproved"}
UNREADABLE = """INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, status, request_id,
    created_at, updated_at, methods, method, card_ends_at, due_at) VALUES (zeroblob(16), zeroblob(16), 'A', 'B', '1', 1,
    'ZZZ', 'pending', 'r', 0, 0, 'card', 'card', 0, 0)"""


def shortened(text):
    for number, smaller in SMALLER.items():
        if number not in text:
            sys.exit(f"{RULES} does not have {number} any more")
        text = text.replace(number, smaller)
    text = re.sub(r"\bfor: \w+", "for: 1s", text)
    return re.sub(r"\[\d+[mh]\]", "[10s]", text).replace("offset 1w", "offset 15s")


class Scenario:
    def __init__(self, till, prometheus, shop):
        self.till, self.prometheus, self.shop, self.seen = till, prometheus, shop, {}
        self.live = till.token("live")

    def fires(self, *names, seconds=30, before=frozenset()):
        """Waits until these alerts have fired, from now on or as `before` says. What an earlier step brought about does not
        count."""
        found = set(before)

        def look():
            firing = self.prometheus.firing()
            self.seen.update(firing)
            found.update(firing)
            return found >= set(names)
        began = time.monotonic()
        until(f"{', '.join(names)} fire", look, seconds)
        print(f"fired: {', '.join(names)} ({time.monotonic() - began:.0f} s)", flush=True)

    def pay(self, url, decision="approve", **more):
        session = self.till.create("live", self.live, url, **more)
        return self.till.pay(session, decision) if session else None

    @contextlib.contextmanager
    def customers(self, work, number=1):
        """Customers who do this again and again meanwhile."""
        ended = threading.Event()

        def repeat():
            while not ended.is_set():
                with contextlib.suppress(OSError):
                    work()
                time.sleep(0.25)
        threads = [threading.Thread(target=repeat, daemon=True) for _ in range(number)]
        for thread in threads:
            thread.start()
        yield
        ended.set()
        for thread in threads:
            thread.join()


def healthy(scenario):
    with scenario.customers(lambda: scenario.pay(scenario.shop)):
        time.sleep(20)
    if found := scenario.prometheus.firing():
        sys.exit(f"fires on a healthy service: {found}")
    print("nothing fires on a healthy service", flush=True)


def no_creates(scenario):
    scenario.fires("TillNoCreates")


def receivers_fail(scenario):
    closed = f"http://127.0.0.1:{service.free_port()}/"
    with scenario.customers(lambda: scenario.pay(closed), 4):
        scenario.fires("TillCallbacksFailing", "TillCardTesting")


def money_waits(scenario):
    session = scenario.till.create("live", scenario.live, scenario.shop)
    _, _, bank = scenario.till.pay(session, None)
    path = bank.removeprefix(scenario.till.url)
    for decision in ("approve", "dispute"):
        scenario.till.ask(path, form={"decision": decision})
    scenario.fires("TillActionsWaiting")


def mails_wait(scenario):
    for number in range(25):
        scenario.pay(scenario.shop, customer_email=f"customer{number}@shop.example")
        time.sleep(0.25)
    scenario.fires("TillMailFailing")


def rows_are_damaged(scenario, database):
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as shell:
        shell.execute(UNREADABLE)
    scenario.fires("TillUnreadableRows")


def the_store_is_locked(scenario, database):
    """Another program holds the file for longer than a request waits, and lets Till write now and then. A payment just before
    has a callback that is due during the lock, and a booking that is not sealed."""
    names = "TillErrors", "TillSlow", "TillStoreSlow", "TillWorkLate", "TillNotSealed"
    closed = f"http://127.0.0.1:{service.free_port()}/"
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=60)) as shell:
        with scenario.customers(lambda: scenario.till.create("live", scenario.live, scenario.shop), 40):
            found = set()
            for _ in range(4):
                scenario.pay(closed)
                shell.execute("BEGIN IMMEDIATE")
                for _ in range(15):
                    time.sleep(1)
                    firing = scenario.prometheus.firing()
                    scenario.seen.update(firing)
                    found.update(firing)
                shell.execute("ROLLBACK")
                if found >= set(names):
                    break
                time.sleep(1)
            scenario.fires(*names, before=found)


def the_queue_is_full(scenario, database):
    """More creates at once than the write queue holds, while another program holds the file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8192)), hard))
    body = json.dumps(service.ORDER | {"order_id": "A-1"})
    request = (f"POST /api/product/session HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {scenario.live}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=60)) as shell, contextlib.ExitStack() as stack:
        shell.execute("BEGIN IMMEDIATE")
        for _ in range(4400):
            stack.enter_context(socket.create_connection(("127.0.0.1", scenario.till.port))).sendall(request)
        scenario.fires("TillStoreBusy")
        shell.execute("ROLLBACK")


def the_log_grows(scenario, database):
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as shell:
        shell.execute("BEGIN")
        shell.execute("SELECT count(*) FROM sessions").fetchone()
        with scenario.customers(lambda: scenario.till.create("live", scenario.live, scenario.shop), 12):
            scenario.fires("TillStoreLogLarge", seconds=60)


def the_chain_fails(scenario, chain, url):
    def ask(method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"})).read()
    ask("anvil_mine", ["0x200"])
    time.sleep(3)
    ask("anvil_reorg", [400, []])
    scenario.fires("TillChainDeepFork")
    chain.send_signal(signal.SIGSTOP)
    scenario.fires("TillChainBehind")
    chain.send_signal(signal.SIGCONT)


def the_provider_fails(scenario):
    """Dollars go to Stripe, which does not listen."""
    with scenario.customers(lambda: scenario.pay(scenario.shop, None, currency="USD"), 2):
        scenario.fires("TillProviderDown", "TillProviderFailing")


def a_hold(scenario):
    scenario.till.command("hold", "--yes")
    # A counter's first value is no increase: later errors are, once there was one.
    until("a create is refused", lambda: not scenario.till.create("live", scenario.live, scenario.shop))
    scenario.fires("TillHeld")
    scenario.till.command("release", "--yes")
    until("creates are accepted again", lambda: scenario.till.create("live", scenario.live, scenario.shop))


def a_node_is_gone(scenario, folder, port):
    targets = [{"targets": [f"127.0.0.1:{scenario.till.metrics_port}", f"127.0.0.1:{port}"]}]
    (folder / "targets.json").write_text(json.dumps(targets), "utf-8")
    scenario.fires("TillNodeDown")
    (folder / "targets.json").write_text(json.dumps([{"targets": targets[0]["targets"][:1]}]), "utf-8")


def the_clock_jumps(scenario, folder):
    """The machine's clock is set an hour ahead, as libfaketime shows it to the process."""
    offset = folder / "offset"
    offset.write_text("+0s\n", "utf-8")
    shown = subprocess.run(["faketime", "-m", "-f", "+0s", "env"], capture_output=True, text=True, check=True).stdout
    clock = {"LD_PRELOAD": re.search(r"^LD_PRELOAD=(.*)$", shown, re.M)[1], "FAKETIME_DONT_FAKE_MONOTONIC": "1",
             "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1"}
    with scenario.till.serve(**clock):
        time.sleep(3)
        new = folder / "offset.new"
        new.write_text("+3600s\n", "utf-8")
        new.rename(offset)
        scenario.fires("TillClockWrong")


def the_log_is_not_read(scenario):
    """Standard error is a pipe that is full. Every line is written, and callbacks write most."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with scenario.till.serve(writer, TILL_LOG="trace"):
        token = scenario.till.token("sandbox")
        with scenario.customers(lambda: scenario.till.simulate(token, scenario.shop), 12):
            scenario.fires("TillLogLinesDropped", seconds=60)
        # It is read again: otherwise the process would wait with its last lines.
        threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(reader, 65536), b"")], daemon=True).start()
        os.close(writer)


def it_restarts(scenario):
    """Each process lives long enough to be scraped, and to count more than the next one does at first."""
    for _ in range(4):
        with scenario.till.serve():
            for _ in range(10):
                scenario.till.create("live", scenario.live, scenario.shop)
            time.sleep(2.5)
    scenario.fires("TillRestarting")


def main():
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        chain, url = stack.enter_context(service.anvil(folder))
        shop = stack.enter_context(service.receiver())
        till = service.Till(folder, url)
        till.environment |= {
            "TILL_RATE_LIMIT_CREATE": "0", "TILL_MAX_CONNECTIONS_PER_ADDRESS": "10000",
            "TILL_SMTP_URL": f"smtp://127.0.0.1:{service.free_port()}?tls=none", "TILL_MAIL_FROM": "till@shop.example"}
        stripe = folder / "stripe.toml"
        stripe.write_text(STRIPE.format(port=service.free_port()), "utf-8")
        till.environment["TILL_STRIPE_FILE"] = str(stripe)
        rules = folder / "alerts.yaml"
        rules.write_text(shortened(RULES.read_text("utf-8")), "utf-8")
        database = folder / "data/live.db"
        with till.serve():
            prometheus = stack.enter_context(service.prometheus(folder, till, rules))
            scenario = Scenario(till, prometheus, shop)
            for step in [healthy, no_creates, receivers_fail, money_waits, mails_wait, a_hold]:
                step(scenario)
            the_store_is_locked(scenario, database)
            the_queue_is_full(scenario, database)
            the_log_grows(scenario, database)
            the_chain_fails(scenario, chain, url)
            the_provider_fails(scenario)
            a_node_is_gone(scenario, folder, service.free_port())
            rows_are_damaged(scenario, database)
        scenario.fires("TillDown")
        it_restarts(scenario)
        the_log_is_not_read(scenario)
        the_clock_jumps(scenario, folder)
        names = {rule["name"] for rule in prometheus.rules()}
    if names != scenario.seen.keys() | NOT_HERE or NOT_HERE & scenario.seen.keys():
        sys.exit(f"seen {sorted(scenario.seen)}, not {sorted(names - NOT_HERE)}")
    if wrong := [text for texts in scenario.seen.values() for text in texts.values() if "error" in text and "expand" in text]:
        sys.exit(f"texts that Prometheus could not fill in: {wrong}")
    print(f"{len(scenario.seen)} of {len(names)} alerts fired on a running service")


main()
