"""A small shop: its orders, a checkout with Till, and the endpoint that receives Till's callbacks."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from till_checkout import CallbackVerificationError, SessionCreated, SessionEvent, Till, verify_callback
from till_checkout.callbacks import Headers

SCHEMA = """
CREATE TABLE orders (id TEXT PRIMARY KEY, price TEXT, currency TEXT, status TEXT, session_id TEXT);
CREATE TABLE shipments (order_id TEXT);
CREATE TABLE events (id TEXT PRIMARY KEY);
"""
ORDER_STATUS = {"paid": "shipped", "failed": "failed", "expired": "canceled"}


class Shop:
    """`url` is where Till reaches the shop; `now` is the time that callbacks are compared with."""

    def __init__(
        self, till: Till, secret: str, url: str, database: Path, now: Callable[[], datetime] = datetime.now
    ) -> None:
        self.till, self.secret, self.url, self.database, self.now = till, secret, url, database, now
        with self._transaction() as tables:
            tables.executescript(SCHEMA)

    def check_out(self, order_id: str, price: str) -> SessionCreated:
        """Stores an order, and creates the session in which the customer pays for it."""
        with self._transaction() as tables:
            tables.execute("INSERT INTO orders VALUES (?, ?, 'EUR', 'pending', NULL)", (order_id, price))
        session = self.till.sessions.create(
            product_name="Atlas",
            price=price,
            currency="EUR",
            order_id=order_id,
            callback_url=f"{self.url}/callbacks",
            idempotency_key=f"{order_id}-1",
        )
        with self._transaction() as tables:
            tables.execute("UPDATE orders SET session_id = ? WHERE id = ?", (session.session_id, order_id))
        return session

    def status(self, order_id: str) -> str:
        with self._transaction() as tables:
            [(status,)] = tables.execute("SELECT status FROM orders WHERE id = ?", (order_id,))
        return str(status)

    def shipments(self, order_id: str) -> int:
        with self._transaction() as tables:
            [(count,)] = tables.execute("SELECT count(*) FROM shipments WHERE order_id = ?", (order_id,))
        return int(count)

    def receive(self, body: bytes, headers: Headers) -> int:
        """Records what a callback reports, and returns the status to respond with."""
        now = self.now().timestamp()
        try:
            event = verify_callback(body, headers, self.secret, environment="sandbox", now=now)
        except CallbackVerificationError:
            return 401
        if isinstance(event, SessionEvent):
            self._record(event)
        return 204

    def _record(self, event: SessionEvent) -> None:
        """Records the outcome of a session, once; ships only what was ordered."""
        order = (event.order_id, event.price, event.currency, event.session_id)
        with self._transaction() as tables:
            if not tables.execute("INSERT OR IGNORE INTO events VALUES (?)", (event.event_id,)).rowcount:
                return
            changed = tables.execute(
                "UPDATE orders SET status = ? WHERE (id, price, currency) = (?, ?, ?)"
                " AND coalesce(session_id, ?5) = ?5 AND status = 'pending'",
                (ORDER_STATUS[event.status], *order),
            ).rowcount
            if changed and event.status == "paid":
                tables.execute("INSERT INTO shipments VALUES (?)", (event.order_id,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.database)) as tables, tables:
            yield tables


@contextmanager
def serve(shop: Shop, port: int) -> Iterator[None]:
    """Lets the shop receive callbacks."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status = shop.receive(body, self.headers)
            except sqlite3.Error:
                status = 500  # Till tries again
            # Without a Date header, the response is the same in every run.
            self.send_response_only(status)
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", port), Endpoint) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield
        finally:
            server.shutdown()
