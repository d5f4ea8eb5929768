"""Tests the fake itself: with the official SDK, which must be able to use it and to parse its answers, and with raw
requests where the SDK would not send a wrong one."""

import base64
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

from yookassa import Configuration, Payment, Receipt, Refund, Settings
from yookassa.domain.exceptions import (
    BadRequestError,
    NotFoundError,
    ResponseProcessingError,
    UnauthorizedError,
)
from yookassa.domain.notification import WebhookNotificationFactory

SHOP, KEY = "100500", "test_fake-secret"
REASONS = (
    "3d_secure_failed call_issuer canceled_by_merchant card_expired country_forbidden deal_expired expired_on_capture "
    "expired_on_confirmation fraud_suspected general_decline identification_required insufficient_funds internal_timeout "
    "invalid_card_number invalid_csc issuer_unavailable payment_method_limit_exceeded payment_method_restricted "
    "permission_revoked unsupported_mobile_operator"
).split()
here = pathlib.Path(__file__).parent
fake = subprocess.Popen([sys.executable, str(here / "fake.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ports = json.loads(fake.stdout.readline())
api, control = (f"http://127.0.0.1:{ports[name]}" for name in ("api", "control"))
Configuration.configure(SHOP, KEY, api_url=f"{api}/v3")
checks = 0


def same(seen, expected, what):
    global checks
    checks += 1
    if seen != expected:
        raise SystemExit(f"{what}: {seen!r}, expected {expected!r}")


def refused(error, act, *arguments, parameter=None):
    try:
        act(*arguments)
    except error as caught:
        shape = caught.content if isinstance(caught.content, dict) else json.loads(caught.content)
        same(shape.get("parameter"), parameter, "the parameter of the error")
        return shape
    raise SystemExit(f"{act} was not refused")


def command(name, **arguments):
    request = urllib.request.Request(f"{control}/{name}", json.dumps(arguments).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def look(name):
    with urllib.request.urlopen(f"{control}/{name}", timeout=10) as answer:
        return json.load(answer)


def raw(method, path, body=None, key="", user=SHOP, password=KEY, kind="application/json"):
    """Sends a request exactly as written; returns status and answer."""
    login = base64.b64encode(f"{user}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Content-Type": kind}
    if key is not None:
        headers["Idempotence-Key"] = key or str(uuid.uuid4())
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{api}/v3{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def card(**more):
    return {
        "amount": {"value": "1490.00", "currency": "RUB"},
        "capture": False,
        "payment_method_data": {"type": "bank_card"},
        "confirmation": {"type": "redirect", "return_url": "https://pay.example/session/1", "locale": "ru_RU"},
        "description": "Заказ 72",
        "metadata": {"attempt": "1"},
        **more,
    }


def sbp(**more):
    given = card(payment_method_data={"type": "sbp"}, capture=True, confirmation={"type": "qr"})
    return given | more


def the_sdk_lives_with_it():
    me = Settings.get_account_settings()
    same((me.account_id, me.status, me.test), (SHOP, "enabled", True), "the shop")
    same(me.payment_methods, ["bank_card", "sbp"], "its methods")
    payment = Payment.create(card(), "key-1")
    same((payment.status, payment.paid, payment.test), ("pending", False, True), "a new payment")
    same(payment.confirmation.type, "redirect", "its confirmation")
    same(payment.confirmation.confirmation_url.startswith("https://yoomoney.ru/"), True, "its page")
    same(str(payment.amount.value), "1490.00", "its amount")
    same(Payment.create(card(), "key-1").id, payment.id, "the same key again")
    refused(BadRequestError, Payment.create, card(description="x"), "key-1", parameter="Idempotence-Key")
    refused(BadRequestError, Payment.capture, payment.id, parameter="payment_id")
    refused(BadRequestError, Payment.cancel, payment.id, parameter="payment_id")
    command("pay", payment=payment.id)
    held = Payment.find_one(payment.id)
    same((held.status, held.paid, held.payment_method.card.last4), ("waiting_for_capture", True, "4444"), "held")
    same(look("truth")["held"], 149000, "the truth of what is held")
    taken = Payment.capture(payment.id)
    same((taken.status, taken.refundable, taken.confirmation), ("succeeded", True, None), "captured")
    same(str(taken.income_amount.value), "1437.85", "what the shop gets")
    refused(BadRequestError, Payment.cancel, payment.id, parameter="payment_id")
    given = Refund.create({"payment_id": payment.id, "amount": {"value": "500.00", "currency": "RUB"}}, "back-1")
    same((given.status, given.payment_id), ("succeeded", payment.id), "a refund")
    more = {"payment_id": payment.id, "amount": {"value": "990.01", "currency": "RUB"}}
    refused(BadRequestError, Refund.create, more, parameter="amount.value")
    same(Refund.find_one(given.id).id, given.id, "the refund again")
    same([r.id for r in Refund.list({"payment_id": payment.id}).items], [given.id], "the refunds")
    refused(NotFoundError, Payment.find_one, "23d93cac-000f-5000-8000-000000000000", parameter="payment_id")
    held = Payment.create(card(), "key-2")
    command("pay", payment=held.id)
    ended = Payment.cancel(held.id)
    same(ended.cancellation_details.reason, "canceled_by_merchant", "cancelled")
    same(look("truth")["taken"] - look("truth")["returned"], 99000, "the truth of what is there")


def the_sdk_pays_by_sbp():
    payment = Payment.create(sbp(), "sbp-1")
    same(payment.confirmation.type, "qr", "the confirmation")
    link = payment.confirmation.confirmation_data
    same((link[:25], len(link.split("?")[0])), ("https://qr.nspk.ru/AD10" + link[23:25], 51), "the code")
    command("pay", payment=payment.id)
    paid = Payment.find_one(payment.id)
    same((paid.status, paid.payment_method.type), ("succeeded", "sbp"), "paid")
    same(len(paid.payment_method.sbp_operation_id), 32, "the operation at SBP")
    # The SDK maps reasons that it does not know to `unknown`.
    reasons = {name: name for name in REASONS} | {"something_new": "unknown"}
    for reason, read in reasons.items():
        payment = Payment.create(card())
        command("decline", payment=payment.id, reason=reason)
        ended = Payment.find_one(payment.id)
        same((ended.status, ended.cancellation_details.reason), ("canceled", read), "declined")
    late = Payment.create(sbp())
    command("advance", seconds=3599)
    same(Payment.find_one(late.id).status, "pending", "just before its hour")
    command("advance", seconds=2)
    same(Payment.find_one(late.id).cancellation_details.reason, "expired_on_confirmation", "after its hour")
    same(raw("POST", "/payments", sbp(), key="sbp-1")[1]["id"] == paid.id, False, "another body")


def lists_have_pages():
    ids = {Payment.create(card()).id for _ in range(5)}
    seen, cursor = [], None
    while True:
        page = Payment.list({"limit": 2, "status": "pending"} | ({"cursor": cursor} if cursor else {}))
        seen += [payment.id for payment in page.items]
        cursor = page.next_cursor
        if not cursor:
            break
    same(ids <= set(seen), True, "all pages")
    same(len(seen), len(set(seen)), "nothing twice")
    same(raw("GET", "/payments?limit=101")[0], 400, "too long a page")
    same(raw("GET", "/payments?created_at.gte=2100-01-01T00:00:00.000Z")[1]["items"], [], "nothing from the future")
    same(raw("GET", "/payments?metadata=1")[0], 400, "an unknown filter")


def wrong_requests_are_refused():
    same(raw("GET", "/me", password="live_other")[0], 401, "a wrong key")
    same(raw("POST", "/payments", card(), key=None)[0], 400, "no Idempotence-Key")
    for key in ("x" * 65, "a b", "ключ".encode().decode("latin-1")):
        same(raw("POST", "/payments", card(), key=key)[0], 400, f"the key {key!r}")
    same(raw("POST", "/payments", card(), key="x" * 64)[0], 200, "the longest key")
    same(raw("POST", "/payments", b"{", key="")[0], 400, "no JSON")
    same(raw("POST", "/payments", card(), kind="text/plain")[0], 400, "another type")
    for value in ("1490", "1490.0", "1490.000", "1,490.00", "-1.00", "0.00", "0.99", "350000.01", "01.00", 1490, None):
        given = card(amount={"value": value, "currency": "RUB"})
        same(raw("POST", "/payments", given)[0], 400, f"the amount {value!r}")
    same(raw("POST", "/payments", card(amount={"value": "350000.00", "currency": "RUB"}))[0], 200, "the most by card")
    same(raw("POST", "/payments", sbp(amount={"value": "700000.00", "currency": "RUB"}))[0], 200, "the most by SBP")
    wrong = {
        "another currency": card(amount={"value": "1.00", "currency": "EUR"}),
        "no currency": card(amount={"value": "1.00", "currency": "XXX"}),
        "SBP in two stages": sbp(capture=False),
        "SBP with the stages left open": {n: v for n, v in sbp().items() if n != "capture"},
        "a code for a card": card(confirmation={"type": "qr"}),
        "no way back": card(confirmation={"type": "redirect"}),
        "a long way back": card(confirmation={"type": "redirect", "return_url": "https://a.example/" + "x" * 2048}),
        "no confirmation": {n: v for n, v in card().items() if n != "confirmation"},
        "an unknown language": card(confirmation={"type": "redirect", "return_url": "https://a.b", "locale": "de_DE"}),
        "a long description": card(description="x" * 129),
        "17 keys": card(metadata={str(n): "" for n in range(17)}),
        "a long key": card(metadata={"x" * 33: ""}),
        "a long value": card(metadata={"x": "y" * 513}),
        "a number for a value": card(metadata={"x": 1}),
        "an unknown field": card(surprise=1),
        "two ways to pay": card(payment_token="x"),
        "capture as a word": card(capture="false"),
    }
    for name, given in wrong.items():
        status, answer = raw("POST", "/payments", given)
        same((status, answer["type"], answer["code"]), (400, "error", "invalid_request"), name)
    command("settings", status="disabled")
    same(raw("POST", "/payments", card())[1]["code"], "forbidden", "a disabled shop")
    command("settings", status="enabled", qr=False, payment_methods=["sbp"])
    same(raw("POST", "/payments", sbp())[0], 400, "a shop without codes")
    same(raw("POST", "/payments", card())[0], 403, "a shop without cards")
    command("settings", qr=True, payment_methods=["bank_card", "sbp"], fiscalization=True)
    same(raw("POST", "/payments", card())[1]["description"], "Receipt is missing or illegal", "a receipt is due")
    line = {"description": "Tea", "quantity": 1, "amount": card()["amount"], "vat_code": 11, "payment_mode": "full_prepayment"}
    receipt = {"customer": {"email": "ann@mail.example"}, "items": [line], "internet": True}
    same(raw("POST", "/payments", card() | {"receipt": receipt})[0], 200, "a receipt goes with the payment")
    for place, wrong in (
        ("receipt.customer.email", {"customer": {"phone": "79000000000"}}),
        ("receipt.customer.phone", {"customer": {"email": "a@b.example", "phone": "+7 900"}}),
        ("receipt.items", {"items": [line | {"quantity": 2}]}),
        ("receipt.items", {"items": []}),
        ("receipt.items.vat_code", {"items": [line | {"vat_code": "22"}]}),
        ("receipt.items.vat_code", {"items": [line | {"vat_code": 13}]}),
        ("receipt.items.quantity", {"items": [line | {"quantity": "1"}]}),
        ("receipt.items.payment_subject", {"items": [line | {"payment_subject": "goods"}]}),
        ("receipt.items.total", {"items": [line | {"total": 1}]}),
        ("receipt.tax_system_code", {"tax_system_code": 7}),
    ):
        status, answer = raw("POST", "/payments", card() | {"receipt": receipt | wrong})
        same((status, answer.get("parameter")), (400, place), f"a receipt with {wrong}")
    command("settings", fiscalization=False)
    held = raw("POST", "/payments", card())[1]["id"]
    command("pay", payment=held)
    too_much = {"amount": {"value": "1490.01", "currency": "RUB"}}
    same(raw("POST", f"/payments/{held}/capture", too_much)[0], 400, "more than is held")
    same(raw("POST", f"/payments/{held}/cancel", {"why": "x"})[0], 400, "a cancel with a body")
    back = {"payment_id": held, "amount": {"value": "1.00", "currency": "RUB"}}
    same(raw("POST", "/refunds", back)[0], 400, "a refund of what is only held")


def the_sdk_finds_a_closing_receipt():
    """Among the receipts of its payment, by what it settles."""
    command("settings", fiscalization=True)
    line = {"description": "Tea", "quantity": 1, "amount": card()["amount"], "vat_code": 12, "payment_mode": "full_prepayment"}
    customer = {"email": "ann@mail.example"}
    given = card(capture=True) | {"receipt": {"customer": customer, "items": [line], "internet": True}}
    payment = raw("POST", "/payments", given)[1]["id"]
    command("pay", payment=payment)
    settled = lambda: [[one.type for one in found.settlements] for found in Receipt.list({"payment_id": payment}).items]
    same(settled(), [["cashless"]], "the receipt of the payment")
    closing = {
        "type": "payment",
        "payment_id": payment,
        "customer": customer,
        "items": [line | {"payment_mode": "full_payment", "vat_code": 11}],
        "send": True,
        "settlements": [{"type": "prepayment", "amount": card()["amount"]}],
    }
    made = raw("POST", "/receipts", closing)[1]
    same(made["status"], "succeeded", "a closing receipt")
    same(Receipt.find_one(made["id"]).id, made["id"], "it is found")
    same(sorted(settled()), [["cashless"], ["prepayment"]], "both")
    same(Receipt.list({"payment_id": "23d93cac-000f-5000-8000-126628f15141"}).items, [], "of another payment")
    command("settings", fiscalization=False)


def keys_are_remembered_for_a_day():
    first = raw("POST", "/payments", card(), key="day")[1]["id"]
    command("advance", seconds=24 * 3600 - 5)
    same(raw("POST", "/payments", card(), key="day")[1]["id"], first, "within a day")
    command("advance", seconds=10)
    same(raw("POST", "/payments", card(), key="day")[1]["id"] == first, False, "after a day")
    wrong = sbp(capture=False)
    number = raw("POST", "/payments", wrong, key="bad")[1]["id"]
    same(raw("POST", "/payments", wrong, key="bad")[1]["id"], number, "a refusal is remembered, too")


def faults_do_what_they_say():
    before = len(look("truth")["payments"])
    command("fault", on="create", kind="500_before")
    same(raw("POST", "/payments", card(), key="f1")[0], 500, "500")
    same(len(look("truth")["payments"]), before, "nothing happened")
    command("fault", on="create", kind="500_after")
    same(raw("POST", "/payments", card(), key="f1")[0], 500, "500")
    same(len(look("truth")["payments"]), before + 1, "it happened")
    same(raw("POST", "/payments", card(), key="f1")[0], 200, "the same key")
    same(len(look("truth")["payments"]), before + 1, "once")
    command("fault", on="create", kind="202_before")
    refused(ResponseProcessingError, Payment.create, card(), "f2")
    command("fault", on="me", kind="401_before")
    refused(UnauthorizedError, Settings.get_account_settings)
    command("fault", on="create", kind="429_after")
    same(raw("POST", "/payments", card())[1]["code"], "too_many_requests", "429")


def a_customer_can_pay_in_a_browser():
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    browser = urllib.request.build_opener(Stay)
    command("settings", page=f"{control}/page/{{id}}")
    payment = Payment.create(card())
    page = payment.confirmation.confirmation_url
    with browser.open(page, timeout=10) as answer:
        same("1490.00 RUB" in answer.read().decode(), True, "the page")
    try:
        browser.open(page, b"do=pay", timeout=10)
    except urllib.error.HTTPError as answer:
        same((answer.code, answer.headers["Location"]), (303, "https://pay.example/session/1"), "the way back")
    same(Payment.find_one(payment.id).status, "waiting_for_capture", "paid")


def notices_have_the_official_shape():
    got = []

    class Shop(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200 if len(got) != 1 else 500)
            self.end_headers()

    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    command("notify", url=f"http://127.0.0.1:{shop.server_address[1]}/", mode="held")
    payment = Payment.create(card())
    command("pay", payment=payment.id)
    Payment.capture(payment.id)
    Refund.create({"payment_id": payment.id, "amount": {"value": "1.00", "currency": "RUB"}})
    same(got, [], "nothing is told yet")
    command("release", order="reversed", copies=2)
    events = ["refund.succeeded", "payment.succeeded", "payment.waiting_for_capture"]
    # The first was answered with 500 and came again.
    same([notice["event"] for notice in got], events[:1] + events * 2, "the notices")
    for notice in got:
        read = WebhookNotificationFactory().create(notice)
        about = getattr(read.object, "payment_id", None) or read.object.id
        same((read.event, about), (notice["event"], payment.id), "a notice")
    command("notify", mode="now", copies=3, delay=0.1)
    payment = Payment.create(sbp())
    command("pay", payment=payment.id)
    until = time.time() + 5
    while len(got) < 10 and time.time() < until:
        time.sleep(0.05)
    same([notice["object"]["id"] for notice in got[7:]], [payment.id] * 3, "told three times")
    command("forge", event="payment.succeeded", object={"id": payment.id, "status": "succeeded"})
    same(got[-1]["object"], {"id": payment.id, "status": "succeeded"}, "a forged one")


try:
    for check in (
        the_sdk_lives_with_it,
        the_sdk_pays_by_sbp,
        lists_have_pages,
        wrong_requests_are_refused,
        the_sdk_finds_a_closing_receipt,
        keys_are_remembered_for_a_day,
        faults_do_what_they_say,
        a_customer_can_pay_in_a_browser,
        notices_have_the_official_shape,
    ):
        check()
        print(f"-- {check.__name__.replace('_', ' ')}")
finally:
    fake.terminate()
    fake.wait()
print(f"{checks} checks")
