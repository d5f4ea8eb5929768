"""A proxy in front of Till. It records requests, and can answer in Till's place or lose an answer."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Fault = Callable[["_Handler"], None]


@dataclass(frozen=True)
class Recorded:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class _Plan:
    """What happens to the next requests with this method whose path ends so."""

    method: str
    ending: str
    faults: list[Fault] = field(default_factory=list)


class Proxy:
    def __init__(self, target: str) -> None:
        self.requests: list[Recorded] = []
        self.target = urlsplit(target).netloc
        self._plans: list[_Plan] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.proxy = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def on(self, method: str, ending: str, *faults: Fault) -> None:
        """One fault for each of the next requests."""
        self._plans.append(_Plan(method, ending, list(faults)))

    def count(self, method: str, ending: str) -> int:
        return len(self.find(method, ending))

    def find(self, method: str, ending: str) -> list[Recorded]:
        return [each for each in self.requests if each.method == method and each.path.endswith(ending)]

    def record(self, request: Recorded) -> Fault | None:
        with self._lock:
            self.requests.append(request)
            for plan in self._plans:
                if plan.faults and plan.method == request.method and request.path.endswith(plan.ending):
                    return plan.faults.pop(0)
            return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet
    body = b""

    def handle_request(self) -> None:
        proxy: Proxy = self.server.proxy  # type: ignore[attr-defined]
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = proxy.record(Recorded(self.command, self.path, dict(self.headers), self.body))
        (fault or pass_on)(self)

    do_GET = do_POST = handle_request  # noqa: N815

    def ask_till(self) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.server.proxy.target, timeout=10)  # type: ignore[attr-defined]
        try:
            connection.request(self.command, self.path, self.body, dict(self.headers))
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def pass_on(handler: _Handler) -> None:
    handler.answer(*handler.ask_till())


def lose_answer(handler: _Handler) -> None:
    """Till carries out the request, and the connection breaks before the answer."""
    handler.ask_till()
    handler.close_connection = True


def send_revoked_token(handler: _Handler) -> None:
    """Till sees a token that is no longer valid."""
    handler.headers.replace_header("Authorization", "Bearer till_sandbox_revoked")
    pass_on(handler)


def respond(status: int, **headers: str) -> Fault:
    """Answers in Till's place, with a page that is not Till's."""
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda handler: handler.answer(status, named, b"<html>busy</html>")
