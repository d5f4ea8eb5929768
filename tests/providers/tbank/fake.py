"""A strict fake of T-Bank's acquiring API v2, with its own record of the money. Python's standard library only.

It refuses what the real service refuses, as far as its documentation says, and does nothing by itself: the customer,
the bank, the clock and every fault are played through the control port.

    fake.py [--port N] [--control N] [--terminal KEY] [--password SECRET]

prints one line of JSON with both ports. `control.py` has the commands of the control port, `rules.py` the validation of
requests, `money.py` the books.
"""

import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import control
import rules
from money import Books
from notices import Notices

# How long a fault without an answer keeps the connection open.
SILENCE = 60.0


class Service:
    """One terminal at the service: books, faults, and the log of calls."""

    def __init__(self, terminal, password):
        self.lock = threading.RLock()
        self.password = password
        self.books = Books(terminal)
        self.notices = Notices(password)
        self.faults, self.log, self.held = [], [], []

    def fault(self, call):
        """Takes the fault that is set for this call, and counts it down."""
        with self.lock:
            for fault in self.faults:
                if fault["on"] in (call, "any") and fault["times"] > 0:
                    fault["times"] -= 1
                    return fault
        return None

    def answer(self, method, headers, body):
        """Executes a call, and returns the answer of the service."""
        with self.lock:
            self.books.pass_time()
            members = rules.document(headers, body)
            if method not in rules.MEMBERS:
                raise rules.Refused(201, details="There is no such method.")
            if members.get("TerminalKey") != self.books.terminal:
                raise rules.Refused(205, "Терминал не найден.")
            # The payment is looked for before the token is checked, as the real service does.
            about = self.payment(members) if "PaymentId" in rules.MEMBERS[method] else None
            rules.signed(members, self.password)
            rules.only(method, members)
            answer, notices = self.act(method, members, about)
            for notice in notices:
                self.notices.tell(notice)
            return answer

    def payment(self, members):
        number = members.get("PaymentId")
        if isinstance(number, bool) or not isinstance(number, (str, int)) or len(str(number)) > 20:
            raise rules.Refused(211, details="PaymentId")
        return self.books.known(number)

    def act(self, method, members, about):
        books = self.books
        match method:
            case "Init":
                asked = rules.init(members, books.now())
                receipt = books.till.check(books.settings, members.get("Receipt"), asked["minor"], needed=True)
                return books.init(asked | {"receipt": receipt})
            case "GetState":
                return books.state(about)
            case "GetQr":
                kind = members.get("DataType", "PAYLOAD")
                if kind not in ("PAYLOAD", "IMAGE"):
                    raise rules.Refused(201, details="DataType")
                return books.qr(about, kind)
            case "GetQrState":
                return books.qr_state(about)
            case "Confirm":
                return books.confirm(about, rules.amount(members, needed=False))
            case "Cancel":
                request = rules.text(members, "ExternalRequestId", 256, 201)
                return books.cancel(about, rules.amount(members, needed=False), request, members.get("Receipt"))
            case "SendClosingReceipt":
                return books.close(about, members.get("Receipt"))
            case "CheckOrder":
                return books.check_order(rules.text(members, "OrderId", 50, 212, needed=True))


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(404, b"{}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = self.path.removeprefix("/v2/")
        # One call is beside the others.
        if self.path == "/cashbox/SendClosingReceipt":
            method = "SendClosingReceipt"
        elif method == "SendClosingReceipt":
            method = self.path
        fault = self.service.fault(method)
        kind = fault["kind"] if fault else None
        entry = {"call": method, "body": body.decode("utf-8", "replace"), "fault": kind}
        self.service.log.append(entry)
        if kind == "late":
            return self.hold(fault, method, body)
        # Faults that do not execute the request.
        if kind in UNACTED:
            return self.misbehave(fault, entry, None)
        try:
            answer = self.service.answer(method, self.headers, body)
        except rules.Refused as refused:
            answer = refused.shape()
        entry["code"] = answer["ErrorCode"]
        if kind:
            return self.misbehave(fault, entry, answer)
        self.reply(200, json.dumps(answer, ensure_ascii=False).encode())

    def hold(self, fault, method, body):
        """Keeps a call until it lands; with "busy" T-Bank refuses others of the payment until then."""
        with self.service.lock:
            self.service.held.append((method, self.headers, body))
            self.service.books.known(json.loads(body)["PaymentId"])["busy"] = fault.get("busy", False)
        self.close_connection = True

    def misbehave(self, fault, entry, answer):
        kind = fault["kind"]
        if kind.startswith("timeout"):
            time.sleep(fault.get("seconds", SILENCE))
            self.close_connection = True
        elif kind.startswith("hang_up"):
            self.close_connection = True
        elif kind.startswith("slow"):
            time.sleep(fault.get("seconds", 1.0))
            self.reply(200, json.dumps(answer).encode())
        elif kind.startswith("malformed"):
            self.reply(200, b'{"Success": true, "ErrorCode": "0", "Pay')
        elif kind.startswith("html"):
            self.reply(200, b"<html><body>maintenance</body></html>", {"Content-Type": "text/html"})
        elif kind.startswith("huge"):
            self.reply(200, json.dumps({**(answer or {}), "padding": "x" * 10_000_000}).encode())
        elif kind == "changed":
            self.reply(200, json.dumps({**answer, **fault["members"]}).encode())
        elif kind.startswith("code_"):
            self.reply(200, json.dumps(rules.Refused(kind.split("_")[1], "Ошибка").shape()).encode())
        else:
            status = int(kind.split("_")[0])
            self.reply(status, b"{}", {"Retry-After": str(fault["wait"])} if "wait" in fault else None)

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
    "timeout_before", "hang_up_before", "500_before", "503_before", "429_before", "malformed_before", "html_before",
    "huge_before", "code_999_before", "code_204_before", "code_31337_before",
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
    parser.add_argument("--terminal", default="1234567890123DEMO")
    parser.add_argument("--password", default="fake-password")
    options = parser.parse_args()
    service = Service(options.terminal, options.password)
    ports = {"api": serve(options.port, Api, service), "control": serve(options.control, control.Control, service)}
    print(json.dumps(ports), flush=True)
    # It ends with its parent process.
    sys.stdin.read()


if __name__ == "__main__":
    main()
