"""A vendor's endpoint that keeps the callbacks it receives."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer


@dataclass(frozen=True)
class Received:
    headers: dict[str, str]
    body: bytes


class Receiver:
    def __init__(self) -> None:
        self._received: queue.Queue[Received] = queue.Queue()
        received = self._received

        class Endpoint(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put(Received(dict(self.headers), body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Endpoint)
        self.url = f"http://127.0.0.1:{self._server.server_port}/callbacks"

    def __enter__(self) -> Receiver:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next(self) -> Received:
        return self._received.get(timeout=10)
