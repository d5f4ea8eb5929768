"""The control port: POST /<command> with a JSON object of arguments, or GET /truth, /log, /notices.

    settings {…}                      changes what the shop may do (see money.py)
    pay {payment}                     the customer pays
    decline {payment, party?, reason} the bank declines
    expire {payment}                  the service gives up
    advance {seconds}                 the clock advances, with everything that becomes due
    refund {refund, status, reason?}  a pending refund ends
    register {number, status}         the till registers the receipt of a payment or refund, or a closing one
    fault {on, kind, times?, …}       a call fails (see Api.misbehave); "on" is a name of call_of, or "any"
    heal {}                           no more faults
    notify {url?, mode?, copies?, delay?}
    release {order?, copies?}         sends the notices that were held: "same", "reversed"
    forge {event, object}             sends a notice of what never happened

GET /page/<payment> is the page that a customer is sent to, for browsers: with `settings {"page":
"http://127.0.0.1:<control>/page/{id}"}`. The pressed button takes effect, and the customer goes back to the shop.
"""

import html
import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

from rules import Refused

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>YooKassa (fake)</title>
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
        with self.service.lock:
            self.service.books.pass_time()
            payment = self.service.books.payments.get(number)
        if not payment:
            return self.reply(404, {})
        shown = self.service.books.shown(payment)
        amount = f"{shown['amount']['value']} {shown['amount']['currency']}"
        text = PAGE.format(amount=html.escape(amount), status=html.escape(shown["status"]))
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
        self.send_header("Location", payment["confirmation"].get("return_url", "/"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def reply(self, status, shown, kind="application/json"):
        body = (json.dumps(shown) if kind == "application/json" else shown).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def happens(act):
    """Changes the books, and notifies the shop."""

    def command(service, **arguments):
        with service.lock:
            service.books.pass_time()
            event = act(service.books, **arguments)
            service.tell(event)

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


def refund(books, refund, status, reason="general_decline"):
    if refund not in books.refunds:
        raise ValueError("there is no such refund")
    return books.finish_refund(books.refunds[refund], status, reason)


def fault(service, on, kind, times=1, **more):
    with service.lock:
        service.faults.append({"on": on, "kind": kind, "times": times, **more})


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


def forge(service, event, object):
    return {"status": service.notices.send({"type": "notification", "event": event, "object": object})}


COMMANDS = {
    "settings": settings,
    "pay": happens(lambda books, payment: books.pay(payment)),
    "decline": happens(
        lambda books, payment, reason="general_decline", party="payment_network": books.decline(payment, party, reason)
    ),
    "expire": happens(lambda books, payment: books.expire(payment)),
    "advance": advance,
    "refund": happens(refund),
    "register": happens(lambda books, number, status: books.register(number, status)),
    "fault": fault,
    "heal": heal,
    "notify": notify,
    "release": release,
    "forge": forge,
}
