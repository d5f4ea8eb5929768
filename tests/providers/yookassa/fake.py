"""A strict fake of YooKassa's API v3, with its own record of the money. Python's standard library only.

It refuses what the real service refuses, as far as its documentation says, and does nothing by itself: the customer,
the bank, the clock and every fault are played through the control port.

    fake.py [--port N] [--control N] [--shop ID] [--key SECRET]

prints one line of JSON with both ports. `control.py` has the commands of the control port, `rules.py` the validation of
requests, `money.py` the books.
"""

import argparse
import base64
import hmac
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import control
import receipts
import rules
from money import Books
from notices import Notices

# How long a fault without an answer keeps the connection open.
SILENCE = 60.0


class Service:
    """One shop at the service: books, idempotency keys, faults, and the log of calls."""

    def __init__(self, shop, key):
        self.lock = threading.RLock()
        self.shop, self.key = shop, key
        self.books = Books(shop, test=key.startswith("test_"))
        self.notices = Notices()
        self.remembered = {}
        self.faults = []
        self.log = []

    def fault(self, call):
        """Takes the fault that is set for this call, and counts it down."""
        with self.lock:
            for fault in self.faults:
                if fault["on"] in (call, "any") and fault["times"] > 0:
                    fault["times"] -= 1
                    return fault
        return None

    def authorised(self, header):
        expected = base64.b64encode(f"{self.shop}:{self.key}".encode()).decode()
        return hmac.compare_digest((header or "").encode(), f"Basic {expected}".encode())

    def answer(self, call, method, path, query, headers, body):
        """Executes a call, and returns the answer of the service."""
        with self.lock:
            self.books.pass_time()
            if not self.authorised(headers.get("Authorization")):
                raise rules.Refused(401, "invalid_credentials", "Error in shopId or secret key.")
            if call is None:
                raise rules.Refused(404, "not_found", "There is no such address.")
            if method == "GET":
                return self.read(call, path, query)
            return self.once(call, path, headers, body)

    def read(self, call, path, query):
        if call == "me":
            rules.only(query, {"on_behalf_of"})
            return self.books.account()
        if call == "payments":
            return self.books.page(self.books.payments, query, rules.PAYMENT_FILTERS)
        if call == "refunds":
            return self.books.page(self.books.refunds, query, rules.REFUND_FILTERS)
        if call == "receipts":
            return self.books.page(self.books.all_receipts(), query, rules.RECEIPT_FILTERS)
        rules.only(query, set())
        number = path.split("/")[3]
        one = {"payment": self.books.payment, "refund": self.books.refund, "receipt": self.books.receipt}
        return one[call](number)

    def once(self, call, path, headers, body):
        """Executes a change once for each idempotency key; a repeat gets the first answer."""
        key = headers.get("Idempotence-Key")
        rules.key(key)
        now = self.books.now()
        known = self.remembered.get(key)
        if known and now - known["at"] < rules.KEY_REMEMBERED:
            if known["asked"] != (path, body):
                raise rules.Refused(
                    400, "invalid_request", "The key was used with another request.", "Idempotence-Key"
                )
            if known["refused"]:
                raise known["refused"]
            return json.loads(known["answer"])
        kept = {"at": now, "asked": (path, body), "refused": None}
        try:
            answer = self.change(call, path, rules.document(headers, body))
            kept["answer"] = json.dumps(answer)
        except rules.Refused as refused:
            kept["refused"] = refused
            raise
        finally:
            self.remembered[key] = kept
        return answer

    def change(self, call, path, document):
        books = self.books
        if call == "create":
            return books.create(rules.payment(document, books.settings))
        if call == "refund_create":
            made, event = books.give_back(rules.refund(document, books.settings))
            self.tell(event)
            return made
        if call == "receipt_create":
            receipts.closing(document, books.settings)
            return books.close(document)
        number = path.split("/")[3]
        if call == "capture":
            changed, event = books.capture(number, rules.capture(document))
        else:
            rules.only(document, set())
            changed, event = books.cancel(number)
        self.tell(event)
        return changed

    def tell(self, event):
        if event:
            self.notices.tell(*event)


def call_of(method, path):
    """The name of the call of a request."""
    parts = path.split("/")[1:]
    if parts[:1] != ["v3"]:
        return None
    match (method, *parts[1:]):
        case ("GET", "me"):
            return "me"
        case ("POST", "payments"):
            return "create"
        case ("GET", "payments"):
            return "payments"
        case ("GET", "payments", _):
            return "payment"
        case ("POST", "payments", _, "capture" | "cancel" as what):
            return what
        case ("POST", "refunds"):
            return "refund_create"
        case ("GET", "refunds"):
            return "refunds"
        case ("GET", "refunds", _):
            return "refund"
        case ("POST", "receipts"):
            return "receipt_create"
        case ("GET", "receipts"):
            return "receipts"
        case ("GET", "receipts", _):
            return "receipt"
    return None


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.serve("GET")

    def do_POST(self):
        self.serve("POST")

    def do_DELETE(self):
        self.serve("DELETE")

    def serve(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        call = call_of(method, url.path)
        fault = self.service.fault(call)
        kind = fault["kind"] if fault else None
        entry = {"call": call, "key": self.headers.get("Idempotence-Key"), "body": body.decode("utf-8", "replace")}
        self.service.log.append(entry)
        entry["fault"] = kind
        # Faults that do not execute the request.
        if kind in UNACTED:
            return self.misbehave(fault, entry, None)
        try:
            answer = self.service.answer(call, method, url.path, dict(parse_qsl(url.query)), self.headers, body)
            status = 200
        except rules.Refused as refused:
            status, answer = refused.status, refused.shape()
        if kind:
            return self.misbehave(fault, entry, answer)
        entry["status"] = status
        self.reply(status, json.dumps(answer, ensure_ascii=False).encode())

    def misbehave(self, fault, entry, answer):
        kind = fault["kind"]
        entry["status"] = kind
        if kind.startswith("timeout"):
            time.sleep(fault.get("seconds", SILENCE))
            self.close_connection = True
            return
        if kind.startswith("hang_up"):
            self.close_connection = True
            return
        if kind.startswith("slow"):
            time.sleep(fault.get("seconds", 1.0))
            return self.reply(200, json.dumps(answer).encode())
        if kind in ("malformed", "malformed_after"):
            return self.reply(200, b'{"id": "23d93cac-000f-5000-8000-1266')
        if kind in ("huge", "huge_after"):
            padded = {**(answer or {}), "padding": "x" * 10_000_000}
            return self.reply(200, json.dumps(padded).encode())
        if kind == "types":
            wrong = {**answer, "status": 5, "amount": "1.00", "paid": "yes", "metadata": [], "items": {}}
            return self.reply(200, json.dumps(wrong).encode())
        if kind == "other_amount":
            return self.reply(200, json.dumps({**answer, "amount": fault["amount"]}).encode())
        if kind == "other_id":
            return self.reply(200, json.dumps({**answer, "id": fault["id"]}).encode())
        if kind == "redirect":
            return self.reply(302, b"", {"Location": fault["to"]})
        if kind == "html":
            return self.reply(200, b"<html><body>maintenance</body></html>", {"Content-Type": "text/html"})
        status = int(kind.split("_")[0])
        self.reply(status, json.dumps(rules.TROUBLE[status]).encode())

    def reply(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


UNACTED = {
    "timeout_before", "hang_up_before", "500_before", "503_before", "202_before", "429_before", "401_before",
    "403_before", "404_before", "malformed", "huge", "html", "redirect",
}  # fmt: skip


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def serve(port, handler, service):
    server = Server(("127.0.0.1", port), type("Handler", (handler,), {"service": service}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control", type=int, default=0)
    parser.add_argument("--shop", default="100500")
    parser.add_argument("--key", default="test_fake-secret")
    options = parser.parse_args()
    service = Service(options.shop, options.key)
    ports = {"api": serve(options.port, Api, service), "control": serve(options.control, control.Control, service)}
    print(json.dumps(ports), flush=True)
    # It ends with its parent process.
    sys.stdin.read()


if __name__ == "__main__":
    main()
