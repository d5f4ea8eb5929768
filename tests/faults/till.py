"""Till as the proving ground runs it: nodes, the vendor's client, and commands."""

import contextlib
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.parse

import machine
from machine import LOOPBACK, Trouble, until

# A client gives up after this time. Till answers within 10 s, whatever the database does.
PATIENCE = 20.0
# A kept connection that was idle for longer is not used again: Till closes it after 15 s.
IDLE = 8.0
TOKENS = {"live": "/api/tokens", "sandbox": "/api/sandbox/vendor/tokens"}
SESSIONS = {"live": "/api/product/session", "sandbox": "/api/sandbox/vendor/checkout-session"}


class Failure(Exception):
    """No answer: refused, reset, closed or timeout."""


class Response:
    def __init__(self, answer):
        self.status, self.text = answer.status, answer.read().decode("utf-8", "replace")
        self.location = urllib.parse.urlparse(answer.headers.get("Location") or "").path
        self.retry_after = answer.headers.get("Retry-After")

    def json(self):
        return json.loads(self.text)

    def problem(self):
        """An error in one phrase: its status and its code. A 503 of the API has to say when to try again."""
        try:
            code = self.json()["code"]
        except (ValueError, KeyError, TypeError):
            return f"{self.status} page"
        missing = " without Retry-After" if self.status == 503 and not self.retry_after else ""
        return f"{self.status} {code}{missing}"


class Client:
    """Kept connections to every node, for one thread."""

    def __init__(self, ports):
        self.ports, self.kept = ports, {}

    def ask(self, node, method, path, data=None, headers=None):
        connection, used = self.kept.pop(node, (None, 0.0))
        if connection and time.monotonic() - used > IDLE:
            connection.close()
            connection = None
        connection = connection or http.client.HTTPConnection(LOOPBACK, self.ports[node], timeout=PATIENCE)
        try:
            if connection.sock is None:
                connection.connect()
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.request(method, path, data, headers or {})
            response = Response(connection.getresponse())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Failure(kind_of(error)) from error
        self.kept[node] = connection, time.monotonic()
        return response

    def close(self):
        for connection, _ in self.kept.values():
            connection.close()


def kind_of(error):
    """What happened to a connection, in one word."""
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, http.client.HTTPException):
        return "closed"
    return "reset" if isinstance(error, ConnectionError) else type(error).__name__


class Node:
    """One process of the service."""

    def __init__(self, folder, number, environment):
        self.number, self.port, self.metrics_port = number, machine.free_port(), machine.free_port()
        self.log, self.process = folder / f"node{number}.log", None
        self.environment = {"TILL_DATA_DIR": str(folder / f"node{number}")} | environment | {
            "TILL_LISTEN": f"{LOOPBACK}:{self.port}", "TILL_METRICS_LISTEN": f"{LOOPBACK}:{self.metrics_port}"}

    def launch(self, **more):
        """Starts it, with more variables in its environment."""
        self.process = machine.start([os.environ["TILL_BINARY"], "serve"], self.log, env=self.environment | more)

    def start(self, **more):
        """The same, until it is ready."""
        self.launch(**more)
        until(f"node {self.number} is ready", self.ready, 60, 0.05)

    def ready(self):
        if self.process.poll() is not None:
            raise Trouble(f"node {self.number} ended:\n{self.log.read_text('utf-8', 'replace')[-2000:]}")
        return self.readiness() == 200

    def readiness(self):
        with contextlib.suppress(Failure):
            client = Client([self.port])
            with contextlib.closing(client):
                return client.ask(0, "GET", "/readyz").status

    def kill(self):
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process:
            machine.end(self.process)

    def metrics(self):
        """The sum of each metric over its labels."""
        client, found = Client([self.metrics_port]), {}
        with contextlib.closing(client):
            text = client.ask(0, "GET", "/metrics").text
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                name = name.partition("{")[0]
                found[name] = found.get(name, 0.0) + float(value)
        return found

    def resources(self):
        """Resident memory in MiB, open files, and threads of the process."""
        folder = f"/proc/{self.process.pid}"
        with open(f"{folder}/status", encoding="utf-8") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return int(fields["VmRSS"].split()[0]) / 1024, len(os.listdir(f"{folder}/fd")), int(fields["Threads"])


def environment(store, **more):
    """The settings that every node shares."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("TILL_")}
    return own | store.settings() | {
        "TILL_MASTER_KEY": secrets.token_hex(32),
        "TILL_SIMULATOR": "on", "TILL_RATE_LIMITS": "off", "TILL_ALLOW_PRIVATE_CALLBACKS": "true",
        "TILL_CALLBACK_RETRIES": "1s,5s,20s,60s,120s", "TILL_CHECKOUT_URL": "https://pay.example",
    } | more


def command(settings, *arguments, may_fail=False):
    """The output of a command of till, as JSON."""
    done = subprocess.run([os.environ["TILL_BINARY"], *arguments, "--json"], env=settings, capture_output=True, text=True,
                          cwd="/", timeout=300)
    if done.returncode and not (may_fail and done.stdout):
        raise Trouble(f"till {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


class Shop:
    """A vendor's server: its credentials and tokens, and its calls."""

    def __init__(self, vendor, ports, callback_url):
        self.vendor, self.ports, self.callback_url, self.tokens = vendor, ports, callback_url, {}

    def token(self, environment):
        """A token, a new one every half hour."""
        token, until_then = self.tokens.get(environment, (None, 0.0))
        if time.monotonic() > until_then:
            token = self.new_token(environment)
            self.tokens[environment] = token, time.monotonic() + 1800
        return token

    def new_token(self, environment):
        client = Client(self.ports)
        with contextlib.closing(client):
            for node in list(range(len(self.ports))) * 20:
                with contextlib.suppress(Failure):
                    answer = client.ask(node, "POST", TOKENS[environment], json.dumps(self.vendor[environment]),
                                        {"Content-Type": "application/json"})
                    if answer.status == 200:
                        return answer.json()["access_token"]
                time.sleep(0.2)
        raise Trouble("no node gives out a token")

    def call(self, client, node, environment, path="", body=None, key=None):
        """A call of the session API."""
        headers = {"Authorization": f"Bearer {self.token(environment)}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body)
        return client.ask(node, "GET" if body is None else "POST", SESSIONS[environment] + path, data, headers)

    def order(self, key):
        return {"product_name": "Atlas", "price": "49.90", "currency": "RUB", "order_id": key,
                "callback_url": self.callback_url}
