"""Completes part of the generated requests: JSON Schema cannot say which currencies exist, which fields belong
together or which credentials are right, so hardly any generated body would be accepted without help. Two of three
well-formed bodies get what is missing; the third, and every malformed one, is sent as generated."""

import functools
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import schemathesis

CREDENTIALS = json.load(open(os.environ["TILL_FUZZ_VENDOR"]))
CURRENCIES = [("RUB", "4990.00"), ("jpy", 100), ("KWD", "1.001"), ("USD", 49.9)]

URL = os.environ["TILL_FUZZ_URL"]


class Stay(urllib.request.HTTPRedirectHandler):
    """Does not follow a redirect, because it names the attempt at the bank."""

    def redirect_request(self, *_):
        return None


def send(path, body=None, token=None, kind="application/json"):
    headers = {"Content-Type": kind, "Sec-Fetch-Site": "same-origin"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        return urllib.request.build_opener(Stay).open(urllib.request.Request(URL + path, body, headers))
    except urllib.error.HTTPError as answer:
        return answer


@functools.cache
def token_of(environment):
    path = "/api/sandbox/vendor/tokens" if environment == "sandbox" else "/api/tokens"
    return json.load(send(path, json.dumps(CREDENTIALS[environment]).encode()))["access_token"]


def sessions(environment):
    return "/api/sandbox/vendor/checkout-session" if environment == "sandbox" else "/api/product/session"


def pending_session(environment, price="4990.00"):
    """A new session, of an order of its own, that waits for its payment."""
    order = {"product_name": "Atlas", "price": price, "currency": "RUB", "order_id": f"fuzz-{uuid.uuid4()}"}
    return json.load(send(sessions(environment), json.dumps(order).encode(), token_of(environment)))["session_id"]


@functools.cache
def paid_session(environment):
    """A session that was paid by card, so that refunds have something to refund."""
    session, token = pending_session(environment, "999999.99"), token_of(environment)
    path = f"{sessions(environment)}/{session}"
    if environment == "sandbox":
        send(f"{path}/simulate", b'{"outcome":"paid"}', token)
        return session
    form = "application/x-www-form-urlencoded"
    bank = send(f"/session/{session}/pay", b"method=card", kind=form).headers["Location"]
    send(urllib.parse.urlparse(bank).path, b"decision=approve", kind=form)
    for _ in range(100):
        if json.load(send(path, token=token))["status"] == "paid":
            return session
        time.sleep(0.1)
    raise RuntimeError("the session that is to be refunded was not paid")


@schemathesis.hook
def before_call(context, case, kwargs):
    mode = case.meta.generation.mode if case.meta else None
    # The fuzzer does not have to wait as long as the document allows.
    if re.fullmatch("([12]?[0-9]|30)s|([12]?[0-9]{1,4}|30000)ms", str((case.query or {}).get("wait"))):
        case.query["wait"] = "5ms"
    # A check calls the address at once, so it gets one of this machine, whatever was generated. It is refused.
    if case.path.endswith("/endpoint-checks") and isinstance(case.body, dict) and case.body.get("callback_url"):
        case.body["callback_url"] = "http://127.0.0.1:9/"
    if mode is None or not mode.is_positive:
        return
    environment = "sandbox" if case.path.startswith("/api/sandbox") else "live"
    if "/refunds" in case.path and len(str(case.path_parameters)) % 3:
        case.path_parameters["session_id"] = paid_session(environment)
        # Small amounts, so that there is something left for the next refund; some are more than is left.
        if isinstance(case.body, dict) and len(json.dumps(case.body, default=str)) % 4:
            case.body["amount"] = "1.25"
            # The payment has no fiscal receipt.
            case.body.pop("receipt", None)
        return
    if case.method.upper() == "GET" and case.path.endswith(("session", "transactions")) and len(str(case.query)) % 3:
        # A cursor belongs to its filters, and a generated time may be before all times.
        case.query.pop("cursor", None)
        right = {"order_id": "fuzz", "created_from": "2026-01-01", "created_to": "2100-01-01T00:00:00.000Z"}
        case.query.update({name: value for name, value in right.items() if name in case.query})
        return
    if case.path.endswith("/simulate") and isinstance(case.body, dict) and len(str(case.body)) % 3:
        # An event needs a session that has ended; each outcome is for a session of its own.
        is_event = isinstance(case.body.get("event"), str)
        session = paid_session(environment) if is_event else pending_session(environment)
        case.path_parameters["session_id"] = session
        return
    if case.path.endswith("/expire") and len(str(case.path_parameters)) % 3:
        case.path_parameters["session_id"] = pending_session(environment)
        return
    if not isinstance(case.body, dict):
        return
    turn = len(json.dumps(case.body, default=str))
    if turn % 3 == 0:
        return
    if case.path.endswith("/tokens"):
        case.body.update(CREDENTIALS[environment])
    elif case.path.endswith("session"):
        for name in ("product_id", "category_id", "defaultPaymentMethod", "availablePaymentMethods", "callback_url", "receipt"):
            case.body.pop(name, None)
        currency, price = CURRENCIES[turn % len(CURRENCIES)]
        case.body.update(product_name="Atlas", currency=currency, price=price)
        details = {"metadata": {"cart": "7f31"}, "customer_email": "ann@mail.example", "locale": "ru-RU", "expires_in": 600}
        for name in details.keys() & case.body.keys():
            case.body[name] = details[name]
