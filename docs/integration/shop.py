"""A shop in one file: an order, its payment, and the callback that confirms it."""

import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

API, SESSIONS = os.environ["TILL_API"], os.environ["TILL_SESSIONS"]
CLIENT_ID, SECRET = os.environ["TILL_CLIENT_ID"], os.environ["TILL_CLIENT_SECRET"]
SHOP, PORT = os.environ["SHOP_URL"], int(os.environ.get("SHOP_PORT", "3000"))

order = {"id": f"A-{uuid.uuid4()}", "price": "49.90", "currency": "EUR", "cart": "C-77", "session": None}
seen, outcome = set(), queue.Queue()  # in your shop: tables of its database


def verify(secret: str, raw_body: bytes, x_signature: str) -> bool:
    expected = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return secret != "" and hmac.compare_digest(expected.encode(), (x_signature or "").encode())


def receive(raw_body, x_signature):
    """Responds to a callback."""
    if not verify(SECRET, raw_body, x_signature):
        print("refused: the signature is wrong", file=sys.stderr)
        return 401
    event = json.loads(raw_body)
    if event["event"] not in ("session.paid", "session.failed", "session.expired"):
        return 204  # unknown to this shop, or a test.ping
    # A callback can arrive before the response to the create: then take the session from it.
    if event["orderId"] != order["id"] or event["sessionId"] != (order["session"] or event["sessionId"]):
        print("not a pending order, needs review:", event["eventId"], file=sys.stderr)
    elif event["eventId"] not in seen:  # in your shop: from here on one transaction
        right = (event["price"], event["currency"]) == (order["price"], order["currency"])
        told = event["status"] if right else "refused: this is not what was ordered"
        order["session"] = event["sessionId"]
        seen.add(event["eventId"])
        print("callback:", told)
        outcome.put(told)
    return 204


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(receive(body, self.headers["X-Signature"]))
        self.end_headers()


def call(url, body=None, **headers):
    headers = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as answer:
        return json.load(answer)


threading.Thread(target=HTTPServer(("", PORT), Endpoint).serve_forever, daemon=True).start()
token = call(f"{API}/tokens", {"client_id": CLIENT_ID, "client_secret": SECRET})["access_token"]
auth = {"Authorization": f"Bearer {token}"}
item = {"product_name": "Atlas", "price": order["price"], "currency": order["currency"], "order_id": order["id"]}
item |= {"metadata": {"cart": order["cart"]}}  # comes back in status, lists and callbacks
addresses = {"callback_url": f"{SHOP}/callbacks", "return_url": f"{SHOP}/thanks?order={{ORDER_ID}}"}
session = call(SESSIONS, item | addresses, Idempotency_Key=order["id"], **auth)
order["session"] = session["session_id"]
print("pay at", session["session_url"])
if "/sandbox/" in SESSIONS:  # in the sandbox, simulate the payment
    call(f"{SESSIONS}/{order['session']}/simulate", {"outcome": "paid"}, **auth)
told = outcome.get(timeout=900)
status = call(f"{SESSIONS}/{order['session']}", **auth)["status"]
print("status:", status)
listed = call(f"{SESSIONS}?order_id={order['id']}", **auth)["sessions"]
carts = [found["metadata"]["cart"] for found in listed]
print("cart:", *carts)
sys.exit(0 if told == status == "paid" and carts == [order["cart"]] else 1)
