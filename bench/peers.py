"""The steps of bench/peers: creates and reads a payment at Till and at localstripe, round by round."""

import json
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import load
from processor import cpu_ms, steal

ROUNDS, SERVICE = int(sys.argv[5]), sys.argv[6]
CONNECTIONS = [1, 16]
# As its own command, but on the loopback address only, with its file in the bench's folder, and without logging each request.
START = """
import socket
import sys
from aiohttp import web
from localstripe import resources
from localstripe.server import app
resources.open = lambda _, mode: open(sys.argv[1], mode)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
web.run_app(app, sock=listener, access_log=None, print=None)
"""
INTENT = {"amount": "499000", "currency": "rub", "metadata[order_id]": load.ORDER["order_id"]}


class Till:
    """Sessions on the embedded store: each is on disk before it is answered."""

    name = "till"

    def __init__(self):
        self.process = SERVICE
        self.token = load.post("/api/tokens", load.VENDOR["live"])["access_token"]

    def clear(self):
        pass

    def requests(self):
        made = load.post(load.LIVE, load.ORDER, self.token)["session_id"]
        return {"create": (load.LIVE, load.constant("POST", self.token, load.ORDER)),
                "status": (f"{load.LIVE}/{made}", load.constant("GET", self.token))}


class Localstripe:
    """Payment intents in memory; each create writes all of them to a file without syncing it."""

    name = "localstripe"

    def __init__(self):
        self.server = subprocess.Popen([".tools/localstripe/bin/python", "-c", START, load.FOLDER / "localstripe.pickle"], stdout=subprocess.PIPE, text=True)
        self.process = str(self.server.pid)
        self.url = f"http://127.0.0.1:{self.server.stdout.readline().strip()}"
        for _ in range(100):
            try:
                return self.clear()
            except urllib.error.URLError:
                time.sleep(0.1)
        sys.exit("localstripe did not start")

    def ask(self, method, path, body=None):
        headers = {"Authorization": "Bearer sk_test_12345"}
        data = urllib.parse.urlencode(body).encode() if body else None
        return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method)).read()

    def clear(self):
        """Its creates take longer the more it has: each round begins with none."""
        self.ask("DELETE", "/_config/data")

    def requests(self):
        made = json.loads(self.ask("POST", "/v1/payment_intents", INTENT))["id"]
        form = ['wrk.headers["Authorization"] = "Bearer sk_test_12345"']
        create = ['wrk.method = "POST"', 'wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"',
                  f'wrk.body = "{urllib.parse.urlencode(INTENT)}"']
        return {"create": (f"{self.url}/v1/payment_intents", "\n".join(form + create)),
                "status": (f"{self.url}/v1/payment_intents/{made}", "\n".join(form))}


def measure(server, name, path, connections, script):
    """The rate of a request, and the processor time that one took."""
    used, stolen = cpu_ms([server.process]), steal()
    answered = load.wrk(f"{server.name}-{name}", path, connections, script)
    cpu = 1000 * (cpu_ms([server.process]) - used) / answered.done
    taken, ticks = (now - before for now, before in zip(steal(), stolen))
    return answered.rate, cpu, answered.p99, taken / max(ticks, 1)


def spread(values):
    return f"{statistics.median(values):,.0f} ({min(values):,.0f}-{max(values):,.0f})"


def main():
    servers = [Till(), Localstripe()]
    try:
        print(f"{'request':8} {'conn':>5} {'server':12} {'req/s':>24} {'cpu us':>22} {'p99 ms':>8} {'steal':>6} {'cpu ratio':>10}")
        for connections in CONNECTIONS:
            for name in ["create", "status"]:
                rounds = {server.name: [] for server in servers}
                for _ in range(ROUNDS):
                    for server in servers:
                        server.clear()
                        path, script = server.requests()[name]
                        rounds[server.name].append(measure(server, name, path, connections, script))
                ours = statistics.median(cpu for _, cpu, *_ in rounds[servers[0].name])
                for server in servers:
                    rates, cpus, p99s, steals = zip(*rounds[server.name])
                    print(f"{name:8} {connections:5} {server.name:12} {spread(rates):>24} {spread(cpus):>22} {statistics.median(p99s):8.2f} "
                          f"{max(steals):6.1%} {statistics.median(cpus) / ours:10.1f}", flush=True)
    finally:
        servers[1].server.terminate()


main()
