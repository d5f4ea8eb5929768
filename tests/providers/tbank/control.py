"""The control port: POST /<command> with a JSON object of arguments, or GET /truth, /log, /notices.

    settings {…}                        changes what the terminal does (see money.py)
    show {payment}                      the customer opens the form
    authorize {payment, status?}        the payment is in work: AUTHORIZING or 3DS_CHECKING
    pay {payment}                       the customer pays
    decline {payment, code?, status?}   a bank declines
    status {payment, status}            the payment gets any status, without money
    refunded {payment, done?, code?}    a refund by SBP ends: made, or undone without a notice
    refunded_code {payment, code}       what GetQrState says of the last failed refund by SBP; empty for nothing
    advance {seconds}                   the clock advances, with everything that becomes due
    fault {on, kind, times?, …}         a call fails (see Api.misbehave); "on" is a method, or "any"
    land {}                             calls that a fault "late" holds are executed
    heal {}                             no more faults
    notify {url?, mode?, copies?, delay?}
    release {order?, copies?}           sends the notices that were held: "same", "reversed"
    forge {members, signed?}            sends a notice of what never happened

GET /page/<payment> is the page that a customer is sent to, for browsers: with `settings {"page":
"http://127.0.0.1:<control>/page/{id}"}`. The pressed button takes effect, and the customer goes back to the shop.
"""

import html
import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

from rules import Refused, token

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>T-Bank (fake)</title>
<h1>{amount}</h1><p>{status}</p><form method="post">
<button name="do" value="pay">Pay</button> <button name="do" value="decline">Decline</button>
<button name="do" value="leave">Leave</button></form>"""


class Control(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        service = self.service
        if self.path.startswith("/page/"):
            return self.page(self.path.removeprefix("/page/"))
        with service.lock:
            service.books.pass_time()
            shown = {
                "/truth": service.books.truth,
                "/log": lambda: service.log,
                "/notices": lambda: {"told": service.notices.told, "waiting": service.notices.waiting},
            }.get(self.path)
            self.reply(200, shown()) if shown else self.reply(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/page/"):
            return self.press(self.path.removeprefix("/page/"), parse_qs(body.decode()).get("do", ["leave"])[0])
        command = COMMANDS.get(self.path.lstrip("/"))
        if not command:
            return self.reply(404, {})
        try:
            self.reply(200, command(self.service, **json.loads(body or b"{}")) or {})
        except Refused as refused:
            self.reply(409, refused.shape())
        except (TypeError, ValueError, KeyError) as error:
            self.reply(400, {"description": str(error)})

    def page(self, number):
        payment = self.service.books.payments.get(number)
        if not payment:
            return self.reply(404, {})
        COMMANDS["show"](self.service, payment=number)
        amount = f"{payment['minor'] // 100}.{payment['minor'] % 100:02} RUB"
        text = PAGE.format(amount=html.escape(amount), status=html.escape(payment["status"]))
        self.reply(200, text, "text/html; charset=utf-8")

    def press(self, number, what):
        """Applies the pressed button, if it still can, and sends the customer back."""
        payment = self.service.books.payments.get(number)
        if not payment:
            return self.reply(404, {})
        try:
            if what in ("pay", "decline"):
                COMMANDS[what](self.service, payment=number)
        except Refused:
            pass
        self.send_response(303)
        self.send_header("Location", payment["back"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def reply(self, status, shown, kind="application/json"):
        body = (json.dumps(shown, default=list) if kind == "application/json" else shown).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def happens(act):
    """Changes the books, and notifies the shop."""

    def command(service, payment, **arguments):
        with service.lock:
            service.books.pass_time()
            for notice in act(service.books, service.books.known(payment), **arguments):
                service.notices.tell(notice)

    return command


def settings(service, **changed):
    with service.lock:
        unknown = set(changed) - set(service.books.settings)
        if unknown:
            raise ValueError(f"unknown settings {unknown}")
        service.books.settings.update(changed)


def advance(service, seconds):
    with service.lock:
        service.books.shift += seconds
        service.books.pass_time()


def status(service, payment, status):
    with service.lock:
        service.books.known(payment)["status"] = status


def refunded_code(service, payment, code):
    with service.lock:
        service.books.known(payment)["qr_error"] = (code, "Банк плательщика отклонил возврат." if code else "")


def fault(service, on, kind, times=1, **more):
    with service.lock:
        service.faults.append({"on": on, "kind": kind, "times": times, **more})


def land(service):
    with service.lock:
        held, service.held = service.held, []
        for method, headers, body in held:
            service.books.known(json.loads(body)["PaymentId"])["busy"] = False
            service.answer(method, headers, body)


def heal(service):
    with service.lock:
        service.faults.clear()


def notify(service, **changed):
    for name, value in changed.items():
        if name not in ("url", "mode", "copies", "delay"):
            raise ValueError(f"unknown {name}")
        setattr(service.notices, name, value)


def release(service, order="same", copies=1):
    with service.notices.lock:
        waiting, service.notices.waiting = service.notices.waiting, []
    waiting = waiting * copies
    for notice in reversed(waiting) if order == "reversed" else waiting:
        service.notices.send(notice)


def forge(service, members, signed=True):
    members = {"TerminalKey": service.books.terminal} | members
    made = {"Token": token(members, service.notices.password if signed else "guess")}
    code, answer = service.notices.send(members | made)
    return {"status": code, "answer": answer}


COMMANDS = {
    "settings": settings,
    "show": happens(lambda books, payment: books.show(payment)),
    "authorize": happens(lambda books, payment, **more: books.authorize(payment, **more)),
    "pay": happens(lambda books, payment: books.pay(payment)),
    "decline": happens(lambda books, payment, **more: books.decline(payment, **more)),
    "refunded": happens(lambda books, payment, done=True, **more: books.finish_refund(payment, done, **more)),
    "refunded_code": refunded_code,
    "status": status,
    "advance": advance,
    "fault": fault,
    "land": land,
    "heal": heal,
    "notify": notify,
    "release": release,
    "forge": forge,
}
