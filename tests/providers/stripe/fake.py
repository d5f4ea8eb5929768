"""A strict fake of Stripe: it refuses what the real service refuses. Standard library only.

    python3 fake.py --secret-key sk_test_x --publishable-key pk_test_x [--tls CERTIFICATE KEY]

Prints one line of JSON with its ports: `api` (the API and what a browser loads), `tls` (the same, encrypted, if asked
for) and `control`. On the control port a test reads the record of the money and plays the customer, the bank and faults:

    GET  /truth                         intents, charges, refunds, disputes, totals by currency, calls
    GET  /signed?age=S&forge=HOW        all events, signed as they would be sent; HOW: secret, body, scheme, unsigned
    POST /customer {intent, card}       pays in the form;  {intent, three_ds: confirm|refuse}  answers the bank
    POST /plan {intent, confirm: processing}, /settle {intent, outcome: succeed|fail}, /end {intent, reason}
    POST /refunds {next: [status…]}, /refund {id, status, failure}
    POST /dispute {intent}, /dispute/close {id, won}, /tell {type, object}
    POST /fault {method, path, kind, times, …}   see FAULTS
    POST /endpoint {url, secrets, version, hold}, /deliver {order, times, delay, age, forge}
    POST /forget {}                     idempotency keys are a day old; POST /set {keeps_error: false, ahead: S}
"""

import argparse
import base64
import hashlib
import hmac
import json
import pathlib
import random
import socket
import ssl
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from book import VERSION, Book, Refused, invalid, missing

HERE = pathlib.Path(__file__).parent

# The faults of a call. Those with `act` execute the request first.
FAULTS = {
    "hang_before", "hang_after",  # never answers
    "drop_before", "drop_after",  # closes the connection without an answer
    "error_before", "error_after",  # 5xx with `status`; error_after is remembered under the key, as the real one does
    "conflict", "rate",  # 409, 429
    "malformed", "wrong_types", "huge",  # executed, but the answer is unreadable
    "slow",  # answers after `seconds`
    "meanwhile",  # `customer` or `settle` happens just before
    "refuse",  # 4xx with `status`, `code`
}


def nested(text):
    """`a[b]=c` as the service reads it."""
    out = {}
    for name, value in parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)):
        first, *rest = name.replace("]", "").split("[")
        here = out
        for part, after in zip([first, *rest], [*rest, None]):
            if part == "" and isinstance(here, dict):
                part = str(len(here))
            if after is None:
                if part in here:
                    raise invalid(f"Repeated parameter: {name}")
                here[part] = value
            else:
                here = here.setdefault(part, {})
                if not isinstance(here, dict):
                    raise invalid(f"Invalid parameter: {name}")
    return out


def signature(secret, timestamp, body):
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


class Webhooks:
    """Sends signed events to one URL; on command twice, late, in another order, or forged."""

    def __init__(self, book):
        self.book, self.url, self.secrets, self.version = book, None, ["whsec_fake"], VERSION
        self.hold, self.sent, self.answers, self.refused = False, 0, [], 0
        book.on_event = self.happened

    def happened(self, event):
        if self.url and not self.hold:
            threading.Thread(target=self.send, args=(event,), daemon=True).start()

    def signed(self, event, age=0, forge=None):
        body = json.dumps({**event, "api_version": self.version}, indent=2, ensure_ascii=False).encode()
        timestamp = self.book.now() - age
        secrets = ["whsec_of_somebody_else"] if forge == "secret" else self.secrets
        scheme = "v0" if forge == "scheme" else "v1"
        parts = [f"{scheme}={signature(secret, timestamp, body)}" for secret in secrets]
        header = ",".join([f"t={timestamp}", *parts, f"v0={'0' * 64}"])
        if forge == "body":
            body = body.replace(b'"livemode"', b'"livemode "')
        return body, None if forge == "unsigned" else header

    def send(self, event, age=0, forge=None, tries=3):
        body, header = self.signed(event, age, forge)
        headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Stripe/1.0 (fake)"}
        if header:
            headers["Stripe-Signature"] = header
        for number in range(tries if forge is None else 1):
            try:
                request = urllib.request.Request(self.url, body, headers)
                with urllib.request.urlopen(request, timeout=10) as answer:
                    self.answers.append((event["type"], answer.status))
                    return
            except OSError as error:
                self.answers.append((event["type"], getattr(error, "code", 0)))
                # A retry has its own timestamp and signature.
                time.sleep(0.2 * 2**number)
                body, header = self.signed(event, age, forge)

    def deliver(self, order="forward", times=1, delay=0, age=0, forge=None, types=None):
        with self.book.lock:
            events = list(self.book.events)
        events = [event for event in events if not types or event["type"] in types] * times
        if order == "reverse":
            events.reverse()
        elif order == "shuffle":
            random.shuffle(events)
        time.sleep(delay)
        for event in events:
            self.send(event, age, forge)
        return {"sent": len(events)}


class Fake:
    def __init__(self, secret_keys, publishable_key, livemode):
        self.book = Book(livemode)
        self.secret_keys, self.publishable_key = secret_keys, publishable_key
        self.keys = {}  # idempotency key -> None while it executes, or (fingerprint, status, body)
        self.faults, self.calls = [], []
        self.webhooks = Webhooks(self.book)

    # Authentication

    def key_of(self, header, params):
        """`secret` or `publishable`; any other key is refused."""
        given = params.pop("key", None)
        if header and header.startswith("Bearer "):
            given = header[7:]
        elif header and header.startswith("Basic "):
            user, _, password = base64.b64decode(header[6:]).decode().partition(":")
            given = user if password == "" else None
        if given in self.secret_keys:
            return "secret"
        if given == self.publishable_key:
            return "publishable"
        words = f"Invalid API Key provided: {given[:8]}***" if given else "You did not provide an API key."
        raise Refused(401, "invalid_request_error", words, "api_key_invalid" if given else None)

    # One call: (status, body, headers), or None if there is no answer

    def call(self, method, path, query, headers, body):
        fault = self.fault(method, path)
        kind = fault.get("kind")
        self.calls.append({"method": method, "path": path, "key": headers.get("idempotency-key"), "fault": kind})
        if kind in ("hang_before", "drop_before"):
            return self.silence(kind)
        if kind == "error_before":
            return self.error(fault)
        if kind == "conflict":
            return self.error({"status": 409, "code": "lock_timeout", "should_retry": "true", **fault})
        if kind == "rate":
            return self.error({"status": 429, "code": "rate_limit", **fault})
        if kind == "refuse":
            return self.error({"error": "invalid_request_error", **fault})
        if kind == "slow":
            time.sleep(fault.get("seconds", 30))
        try:
            status, answer, more = self.answer(method, path, query, headers, body, fault)
        except Refused as refused:
            status, answer, more = refused.status, refused.body, refused.headers
        if kind in ("hang_after", "drop_after"):
            return self.silence(kind)
        if kind == "malformed":
            return status, b'{"id": "pi_', more
        if kind == "wrong_types":
            return status, b'{"id": 7, "object": [], "status": {}, "amount": "many", "data": 1}', more
        if kind == "huge":
            return status, b'{"id": "' + b"x" * 10_000_000 + b'"}', more
        return status, json.dumps(answer).encode(), more

    def fault(self, method, path):
        with self.book.lock:
            for fault in self.faults:
                if fault["times"] > 0 and fault["method"] in (method, "*") and fault["path"] in path:
                    fault["times"] -= 1
                    return fault
        return {}

    def silence(self, kind):
        if kind.startswith("hang"):
            time.sleep(60)
        return None

    def error(self, fault):
        kind, status = fault.get("error", "api_error"), fault.get("status", 500)
        refused = Refused(status, kind, "An error occurred with our connection to Stripe.", fault.get("code"))
        more = {"Stripe-Should-Retry": fault["should_retry"]} if fault.get("should_retry") else {}
        if fault.get("retry_after"):
            more["Retry-After"] = str(fault["retry_after"])
        return status, json.dumps(refused.body).encode(), more

    def answer(self, method, path, query, headers, body, fault):
        if method == "POST" and body:
            if headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
                raise invalid("Invalid request: send application/x-www-form-urlencoded.")
        try:
            params = nested(body.decode() if method == "POST" else query)
        except ValueError as error:
            raise invalid("Invalid request: unable to parse parameters.") from error
        who = self.key_of(headers.get("authorization"), params)
        if who == "publishable":
            return self.browser(method, path, params)
        if headers.get("stripe-version") != VERSION:
            raise invalid(f"Invalid Stripe API version: {headers.get('stripe-version')}")
        if method == "POST":
            return self.once(path, params, headers.get("idempotency-key"), fault)
        with self.book.lock:
            return 200, self.expanded(self.read(path, params), params), {}

    def browser(self, method, path, params):
        """The calls of Stripe.js: read one payment by its client secret, and confirm it."""
        parts = path.strip("/").split("/")
        with self.book.lock:
            intent = self.book.intent(parts[2]) if len(parts) > 2 and parts[1] == "payment_intents" else None
            if intent is None:
                raise Refused(403, "invalid_request_error", "This API call cannot be made with a publishable API key.",
                              "secret_key_required")
            if not hmac.compare_digest(str(params.pop("client_secret", "")), intent["client_secret"]):
                raise invalid("The client_secret provided does not match.", "payment_intent_client_secret_invalid")
            if method == "GET":
                return 200, intent, {}
            if parts[3:] != ["confirm"]:
                raise Refused(403, "invalid_request_error", "This API call cannot be made with a publishable API key.")
            if not str(params.get("return_url", "")).startswith("http"):
                raise invalid("A return_url is required.", "parameter_missing", "return_url")
            return 200, self.book.confirm(intent["id"], params, None)(), {}

    def once(self, path, params, key, fault):
        """Executes a POST once for each key."""
        if not key or len(key) > 255:
            raise invalid("An Idempotency-Key of at most 255 characters is required here.", "idempotency_key_missing")
        mark = json.dumps([path, params], sort_keys=True)
        with self.book.lock:
            if key in self.keys:
                known = self.keys[key]
                if known is None:
                    raise Refused(409, "invalid_request_error", "There is currently another in-progress request using this "
                                  "Idempotent Key.", "idempotency_key_in_use", headers={"Stripe-Should-Retry": "true"})
                if known[0] != mark:
                    raise Refused(400, "idempotency_error", "Keys for idempotent requests can only be used with the same "
                                  "parameters they were first used with.")
                return known[1], known[2], {"Idempotent-Replayed": "true", **known[3]}
            self.keys[key] = None
        time.sleep(0.01)  # the real one takes a while too, and a concurrent request gets a conflict
        status, answer, more, stored = 500, None, {}, False
        try:
            with self.book.lock:
                if fault.get("kind") == "meanwhile":
                    self.play(fault)
                execute = self.write(path, params, key)
                stored = True
                status, answer = 200, self.expanded(execute(), params)
        except Refused as refused:
            stored = refused.stored
            status, answer, more = refused.status, refused.body, refused.headers
        with self.book.lock:
            if fault.get("kind") == "error_after":
                status, answer, stored = fault.get("status", 500), {"error": {"type": "api_error", "message": "Oops."}}, True
                more = {"Stripe-Should-Retry": fault.get("should_retry", "false")}
            if stored:
                self.keys[key] = (mark, status, json.loads(json.dumps(answer)), more)
            else:
                del self.keys[key]
        return status, answer, more

    def write(self, path, params, key):
        parts = path.strip("/").split("/")[1:]
        match parts:
            case ["payment_intents"]:
                return self.book.create(params, key)
            case ["payment_intents", id]:
                return self.book.update(id, params, key)
            case ["payment_intents", id, "cancel"]:
                return self.book.cancel(id, params, key)
            case ["payment_intents", id, "confirm"]:
                return self.book.confirm(id, params, key)
            case ["payment_intents", id, "capture"]:
                return self.book.capture(id, params, key)
            case ["refunds"]:
                return self.book.refund(params, key)
        raise self.unrecognized("POST", path)

    def read(self, path, params):
        book, parts = self.book, path.strip("/").split("/")[1:]
        single = {"payment_intents": book.intents, "charges": book.charges, "refunds": book.refunds,
                  "disputes": book.disputes, "events": {event["id"]: event for event in book.events}}
        match parts:
            case ["balance"]:
                return book.balance()
            case ["account"]:
                return {"id": "acct_fake", "object": "account", "charges_enabled": True, "default_currency": "usd"}
            case [kind] if kind in single:
                filters = {"charges": ("payment_intent",), "refunds": ("payment_intent", "charge"), "events": ("type",),
                           "disputes": ("payment_intent", "charge")}.get(kind, ())
                return {"url": f"/v1/{kind}", **book.page(list(single[kind].values()), params, filters)}
            case [kind, id] if kind in single:
                if id not in single[kind]:
                    raise missing(kind.rstrip("s"), id)
                return single[kind][id]
        raise self.unrecognized("GET", path)

    def unrecognized(self, method, path):
        return Refused(404, "invalid_request_error", f"Unrecognized request URL ({method}: {path}).")

    def expanded(self, thing, params):
        """`expand[]=latest_charge`, and `data.latest_charge` of a list."""
        wanted = params.get("expand", {})
        thing = dict(thing)
        for name in wanted.values() if isinstance(wanted, dict) else ():
            if name == "latest_charge" and thing.get("object") == "payment_intent":
                thing[name] = self.book.charges.get(thing[name])
            elif name == "data.latest_charge" and thing.get("object") == "list":
                inner = {"expand": {"0": "latest_charge"}}
                thing["data"] = [self.expanded(one, inner) for one in thing["data"]]
            else:
                raise invalid(f"This property cannot be expanded ({name}).", None, "expand")
        return thing

    # The other side: customers, banks, faults

    def play(self, wish):
        book = self.book
        customer, settle = wish.get("customer"), wish.get("settle")
        if settle:
            book.settle(settle["intent"], settle["outcome"])
        if customer and "three_ds" in customer:
            book.authenticate(customer["intent"], customer["three_ds"])
        elif customer:
            data = {"type": "card", "card": {"number": customer["card"], "exp_month": "12", "exp_year": "34", "cvc": "123"}}
            try:
                book.confirm(customer["intent"], {"payment_method_data": data}, None)()
            except Refused as refused:
                return {"refused": refused.body["error"].get("code")}
        return {}

    def control(self, method, path, query, body):
        book, hooks = self.book, self.webhooks
        wish = json.loads(body) if body else {}
        if path == "/deliver":
            return hooks.deliver(**wish)  # takes long: without the lock
        with book.lock:
            match path:
                case "/truth":
                    return {
                        "intents": book.intents, "charges": book.charges, "refunds": book.refunds,
                        "disputes": book.disputes, "calls": self.calls, "answers": hooks.answers,
                        "totals": {code: sums for code, sums in book.totals().items() if any(sums.values())},
                    }
                case "/signed":
                    how = dict(parse_qsl(query))
                    signed = [(event, *hooks.signed(event, int(how.get("age", 0)), how.get("forge"))) for event in book.events]
                    return [{"id": event["id"], "type": event["type"], "body": body.decode(), "signature": header}
                            for event, body, header in signed]
                case "/customer":
                    return self.play({"customer": wish})
                case "/settle":
                    return self.play({"settle": wish})
                case "/plan":
                    book.plans[wish["intent"]] = wish["confirm"]
                case "/end":
                    book.end(book.intent(wish["intent"]), wish.get("reason"))
                case "/refunds":
                    book.refund_plan = wish["next"]
                case "/refund":
                    return book.move_refund(wish["id"], wish["status"], wish.get("failure"))
                case "/tell":
                    book.tell(wish["type"], wish["object"])
                    body, header = hooks.signed(book.events[-1])
                    return {"body": body.decode(), "signature": header}
                case "/dispute":
                    return book.dispute(wish["intent"], wish.get("reason", "fraudulent"))
                case "/dispute/close":
                    return book.close_dispute(wish["id"], wish["won"])
                case "/fault":
                    assert wish["kind"] in FAULTS, wish
                    self.faults.append({"method": "*", "times": 1, **wish})
                case "/forget":
                    # As another account, which has the same key in a test alone.
                    book.intents.clear()
                    book.charges.clear()
                case "/calm":
                    self.faults.clear()
                case "/endpoint":
                    hooks.url = wish.get("url", hooks.url)
                    hooks.secrets = wish.get("secrets", hooks.secrets)
                    hooks.version = wish.get("version", hooks.version)
                    hooks.hold = wish.get("hold", hooks.hold)
                case "/forget":
                    self.keys.clear()
                case "/set":
                    book.keeps_error = wish.get("keeps_error", book.keeps_error)
                    book.livemode = wish.get("livemode", book.livemode)
                    book.ahead = wish.get("ahead", book.ahead)
                case _:
                    return None
        return {}


def handler(fake, is_control):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 120
        disable_nagle_algorithm = True

        def log_message(self, *_):
            pass

        def serve(self):
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            url = urlsplit(self.path)
            if is_control:
                try:
                    answer = fake.control(self.command, url.path, url.query, body)
                except (AssertionError, KeyError, Refused) as error:
                    return self.reply(400, json.dumps({"error": repr(error)}).encode(), {})
                return self.reply(404 if answer is None else 200, json.dumps(answer).encode(), {})
            if not url.path.startswith("/v1/"):
                return self.page(url, body)
            headers = {name.lower(): value for name, value in self.headers.items()}
            answered = fake.call(self.command, url.path, url.query, headers, body)
            if answered is None:
                self.close_connection = True
                try:
                    self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                return None
            return self.reply(*answered)

        do_GET = do_POST = do_DELETE = serve

        def reply(self, status, body, more, kind="application/json"):
            try:
                self.send_response(status)
                headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Request-Id": fake.book.id("req_", 14),
                           "Access-Control-Allow-Origin": "*", "Stripe-Version": VERSION, **more}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def page(self, url, body):
            """Browser files: the script, the card form of js.stripe.com, the 3-D Secure challenge of hooks.stripe.com."""
            files = {"/endive/stripe.js": ("stripe.js", "text/javascript"), "/endive/card.html": ("card.html", "text/html"),
                     "/endive/card.js": ("card.js", "text/javascript"), "/3ds.html": ("3ds.html", "text/html"),
                     "/3ds.js": ("3ds.js", "text/javascript")}
            if self.command == "GET" and url.path in files:
                name, kind = files[url.path]
                return self.reply(200, (HERE / name).read_bytes(), {}, f"{kind}; charset=utf-8")
            if self.command == "POST" and url.path == "/3ds":
                answer = dict(parse_qsl(body.decode()))
                with fake.book.lock:
                    intent = fake.book.intents.get(answer.get("intent"))
                    if not intent or intent["client_secret"] != answer.get("client_secret"):
                        return self.reply(403, b"{}", {})
                    try:
                        fake.book.authenticate(intent["id"], answer.get("outcome"))
                    except Refused as refused:
                        return self.reply(refused.status, json.dumps(refused.body).encode(), {})
                return self.reply(200, b"{}", {})
            return self.reply(404, b"not here", {}, "text/plain")

    return Handler


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--secret-key", action="append", required=True)
    parser.add_argument("--publishable-key", required=True)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control", type=int, default=0)
    parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
    parser.add_argument("--tls-port", type=int, default=0)
    asked = parser.parse_args()
    fake = Fake(asked.secret_key, asked.publishable_key, asked.live)
    servers = {"api": Server(("127.0.0.1", asked.port), handler(fake, False)),
               "control": Server(("127.0.0.1", asked.control), handler(fake, True))}
    if asked.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*asked.tls)
        servers["tls"] = Server(("127.0.0.1", asked.tls_port), handler(fake, False))
        servers["tls"].socket = context.wrap_socket(servers["tls"].socket, server_side=True, do_handshake_on_connect=False)
    for server in servers.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({name: server.server_port for name, server in servers.items()}), flush=True)
    # The parent process holds its input; when that ends, so does this.
    sys.stdin.read()


if __name__ == "__main__":
    main()
