"""Tests the fake itself: with a public client of T-Bank's API (PyPI `tbank`), which must be able to use it, to read its
answers and to verify its notices, and with raw requests where that client would not send a wrong one."""

import datetime
import hashlib
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

from tbank.acquiring import models
from tbank.acquiring.signing import build_token
from tbank.acquiring.sync import AcquiringClient
from tbank.acquiring.webhooks import parse_notification, verify_notification

TERMINAL, PASSWORD = "1234567890123DEMO", "fake-password"
here = pathlib.Path(__file__).parent
fake = subprocess.Popen([sys.executable, "-B", str(here / "fake.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ports = json.loads(fake.stdout.readline())
api, control = (f"http://127.0.0.1:{ports[name]}" for name in ("api", "control"))
client = AcquiringClient(TERMINAL, PASSWORD, base_url=f"{api}/v2")
checks = 0


def same(seen, expected, what):
    global checks
    checks += 1
    if seen != expected:
        raise SystemExit(f"{what}: {seen!r}, expected {expected!r}")


def command(name, **arguments):
    request = urllib.request.Request(f"{control}/{name}", json.dumps(arguments).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def fails(name, **arguments):
    try:
        command(name, **arguments)
    except urllib.error.HTTPError as error:
        return error.code
    return None


def look(name):
    with urllib.request.urlopen(f"{control}/{name}", timeout=10) as answer:
        return json.load(answer)


def truth():
    return tuple(look("truth")[name] for name in ("held", "taken", "returned"))


def refused(code, act, *arguments):
    try:
        act(*arguments)
    except Exception as caught:  # The client has a class for each code.
        same(str(getattr(caught, "code", caught)), code, "the code of the refusal")
        return
    raise SystemExit(f"{act} was not refused")


def signed(**members):
    """A request signed by hand, apart from the client and the fake."""
    members = {"TerminalKey": TERMINAL} | members
    plain = {n: v for n, v in members.items() if not isinstance(v, (dict, list)) and v is not None} | {"Password": PASSWORD}
    text = "".join(str(plain[n]).lower() if isinstance(plain[n], bool) else str(plain[n]) for n in sorted(plain))
    return members | {"Token": hashlib.sha256(text.encode()).hexdigest()}


def raw(method, body, kind="application/json"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{api}/v2/{method}", data, {"Content-Type": kind}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {}


def code(method, **members):
    return raw(method, signed(**members))[1]["ErrorCode"]


def due(seconds):
    moscow = datetime.timezone(datetime.timedelta(hours=3))
    return datetime.datetime.fromtimestamp(time.time() + seconds, moscow).strftime("%Y-%m-%dT%H:%M:%S+03:00")


def order(**more):
    given = {"amount": 149_000, "order_id": str(uuid.uuid4()), "description": "Заказ 72", "pay_type": "T"}
    return client.init(models.InitRequest(**given | more))


def the_client_takes_a_card():
    made = order()
    same((made.success, made.status.value, made.amount), (True, "NEW", 149_000), "a new payment")
    same(made.payment_url.startswith("https://pay.tbank.ru/"), True, "its page")
    same(client.get_state(made.payment_id).status.value, "NEW", "its state")
    command("show", payment=made.payment_id)
    same(client.get_state(made.payment_id).status.value, "FORM_SHOWED", "the form is open")
    refused("4", client.confirm, made.payment_id)
    command("pay", payment=made.payment_id)
    same((client.get_state(made.payment_id).status.value, truth()), ("AUTHORIZED", (149_000, 0, 0)), "held")
    same(client.confirm(made.payment_id).status.value, "CONFIRMED", "confirmed")
    refused("4", client.confirm, made.payment_id)
    back = client.cancel(made.payment_id, 49_000)
    same((back.status.value, back.original_amount, back.new_amount), ("PARTIAL_REFUNDED", 149_000, 100_000), "a part")
    refused("1202", client.cancel, made.payment_id, 100_001)
    same(client.cancel(made.payment_id).status.value, "REFUNDED", "the rest")
    same(truth(), (0, 149_000, 149_000), "the truth")
    held = order()
    command("pay", payment=held.payment_id)
    same(client.cancel(held.payment_id).status.value, "REVERSED", "released")
    same(truth()[0], 0, "nothing is held")


def the_client_takes_sbp():
    made = order(pay_type="O")
    answer = raw("GetQr", signed(PaymentId=made.payment_id, DataType="PAYLOAD"))[1]
    same((answer["PaymentId"], answer["Data"][:25]), (int(made.payment_id), "https://qr.nspk.ru/AD10" + answer["Data"][23:25]), "the code")
    again = raw("GetQr", signed(PaymentId=made.payment_id))[1]
    same(again["Data"], answer["Data"], "the same code again")
    command("pay", payment=made.payment_id)
    same(client.get_state(made.payment_id).status.value, "CONFIRMED", "paid")
    back = raw("Cancel", signed(PaymentId=made.payment_id, Amount=100, ExternalRequestId="r-1"))[1]
    same((back["Status"], back["NewAmount"]), ("ASYNC_REFUNDING", 148_900), "a refund on its way")
    same(code("Cancel", PaymentId=made.payment_id, Amount=100, ExternalRequestId="r-1"), "4", "one at a time")
    command("refunded", payment=made.payment_id, done=False)
    same(client.get_state(made.payment_id).status.value, "CONFIRMED", "undone, without a notice")
    same(raw("GetQrState", signed(PaymentId=made.payment_id))[1]["QrCancelCode"], "I05043", "why")
    for amount, left in ((100, 148_900), (100, 148_800)):
        raw("Cancel", signed(PaymentId=made.payment_id, Amount=amount, ExternalRequestId="r-1"))
        command("refunded", payment=made.payment_id)
        state = client.get_state(made.payment_id)
        same((state.status.value, 149_000 - truth()[2] + 149_000), ("PARTIAL_REFUNDED", left), "the id protects nothing")


def a_request_id_protects_a_card():
    made = order()
    command("pay", payment=made.payment_id)
    client.confirm(made.payment_id)
    before = truth()[2]
    for _ in range(3):
        answer = raw("Cancel", signed(PaymentId=made.payment_id, Amount=100, ExternalRequestId="r-2"))[1]
        same(answer["Status"], "PARTIAL_REFUNDED", "the same again")
    same(truth()[2] - before, 100, "once")
    raw("Cancel", signed(PaymentId=made.payment_id, Amount=100, ExternalRequestId="r-3"))
    same(truth()[2] - before, 200, "another id")


def orders_are_found():
    made = order()
    found = client.check_order(made.order_id)
    same([str(payment.payment_id) for payment in found.payments], [made.payment_id], "the payments of an order")
    refused("335", client.check_order, "unknown")
    refused("20", lambda: order(order_id=made.order_id))
    command("settings", duplicates="accept")
    second = order(order_id=made.order_id)
    same(len(client.check_order(made.order_id).payments), 2, "two of one order")
    command("settings", last_only=True)
    same(str(client.check_order(made.order_id).payments[0].payment_id), second.payment_id, "only the last one")
    command("settings", duplicates="refuse", last_only=False)


def due_dates_end_payments():
    made = order(redirect_due_date=due(120))
    command("advance", seconds=119)
    same(client.get_state(made.payment_id).status.value, "NEW", "a second before")
    command("settings", lag=30)
    command("advance", seconds=2)
    same(client.get_state(made.payment_id).status.value, "NEW", "it is marked later")
    same(fails("pay", payment=made.payment_id), 409, "but its link is dead")
    command("settings", lag=0)
    same(client.get_state(made.payment_id).status.value, "DEADLINE_EXPIRED", "expired")
    same(fails("pay", payment=made.payment_id), 409, "and stays dead")
    late = order(redirect_due_date=due(121 + 120))
    command("authorize", payment=late.payment_id)
    command("advance", seconds=200)
    command("pay", payment=late.payment_id)
    same(client.get_state(late.payment_id).status.value, "AUTHORIZED", "what was in work may end later")
    command("advance", seconds=-321)


def cancellations_close():
    made = order()
    same(client.cancel(made.payment_id).status.value, "CANCELED", "cancelled while new")
    refused("4", client.cancel, made.payment_id)
    same(fails("pay", payment=made.payment_id), 409, "it takes no money")
    shown = order()
    command("show", payment=shown.payment_id)
    command("settings", cancel_shown="refused")
    refused("8", client.cancel, shown.payment_id)
    command("settings", cancel_shown="closes")
    same(client.cancel(shown.payment_id).status.value, "CANCELED", "cancelled")
    paid = order(pay_type="O")
    command("pay", payment=paid.payment_id)
    same(client.cancel(paid.payment_id).status.value, "REFUNDED", "a cancellation too late is a refund")


def receipt(*lines, ffd="1.2", **more):
    """A receipt of lines: name, price in kopecks, quantity, and how it is paid."""
    unit = {"measurement_unit": "шт"} if ffd == "1.2" else {}
    items = [
        models.ReceiptItem(
            name=name, price=price, quantity=quantity, amount=round(price * quantity), tax="vat22", payment_method=method,
            payment_object="commodity", **unit,
        )
        for name, price, quantity, method in lines
    ]  # fmt: skip
    return models.Receipt(**{"taxation": "osn", "email": "ann@mail.example", "ffd_version": ffd, "items": items} | more)


def the_client_sends_receipts():
    command("settings", till="1.2")
    refused("309", order)
    atlas, packing = ("Атлас", 54_500, 2, "full_prepayment"), ("Упаковка", 40_000, 1, "full_payment")
    made = order(receipt=receipt(atlas, packing))
    command("pay", payment=made.payment_id)
    client.confirm(made.payment_id)
    refused("309", client.cancel, made.payment_id, 54_500)
    part = receipt(("Атлас", 54_500, 1, "full_prepayment")).model_dump(by_alias=True, exclude_none=True, mode="json")
    wrong = code("Cancel", PaymentId=made.payment_id, Amount=54_501, Receipt=part)
    same(wrong, "334", "the sum of the refund")
    same(code("Cancel", PaymentId=made.payment_id, Amount=54_500, Receipt=part), "0", "a part goes back")
    same(code("Cancel", PaymentId=made.payment_id, Amount=149_000, Receipt=part), "201", "a whole refund has none")
    # The client knows the call under the path of the others.
    till = AcquiringClient(TERMINAL, PASSWORD, base_url=f"{api}/cashbox")
    refused("201", client.send_closing_receipt, made.payment_id, receipt(("Атлас", 54_500, 1, "full_payment")))
    refused("201", till.send_closing_receipt, made.payment_id, receipt(("Атлас", 54_500, 1, "advance")))
    closed = till.send_closing_receipt(made.payment_id, receipt(("Атлас", 54_500, 1, "full_payment")))
    same(closed.success, True, "handed over")
    refused("4", till.send_closing_receipt, made.payment_id, receipt(("Атлас", 54_500, 1, "full_payment")))
    kinds = [(one["type"], one["amount"]) for one in look("truth")["receipts"]]
    same(kinds, [("Income", 149_000), ("IncomeReturn", 54_500), ("Income", 54_500)], "what the till got")
    for wanted, given in [
        ("334", receipt(atlas)),
        ("329", receipt(atlas, packing, email=None)),
        ("329", receipt(atlas, packing, phone="79000000000")),
        ("329", receipt(atlas, packing, email="a" * 60 + "@mail.example")),
        ("310", receipt(("Атлас", 149_000, 1.0001, "full_payment"))),
        ("201", receipt(("А" * 129, 149_000, 1, "full_payment"))),
        ("201", receipt(("Атлас", 149_000, 1, "full_payment"), ffd="1.05", customer="Ann")),
        ("201", receipt()),
    ]:
        refused(wanted, lambda given=given: order(receipt=given))
    half = receipt(("Атлас", 149_000, 0.5, "full_payment"), ("Атлас", 74_500, 1, "full_payment"))
    same(order(receipt=half).success, True, "a part of one")
    command("settings", till=None)


def wrong_requests_are_refused():
    made = order()
    same(raw("GetState", signed(PaymentId=made.payment_id) | {"Token": "0" * 64})[1]["ErrorCode"], "204", "a wrong token")
    same(raw("GetState", {"TerminalKey": TERMINAL, "PaymentId": made.payment_id})[1]["ErrorCode"], "204", "no token")
    same(raw("GetState", signed(PaymentId="1") | {"Token": "0"})[1]["ErrorCode"], "255", "the payment comes first")
    same(raw("GetState", signed(PaymentId=made.payment_id, TerminalKey="other"))[1]["ErrorCode"], "205", "a terminal")
    same(raw("GetState", b"{")[1]["ErrorCode"], "201", "no JSON")
    same(raw("GetState", signed(PaymentId=made.payment_id), kind="text/plain")[1]["ErrorCode"], "201", "a type")
    same(code("GetState", PaymentId=made.payment_id, Surprise=1), "201", "an unknown member")
    same(code("Nothing"), "201", "an unknown method")
    right = {"Amount": 149_000, "OrderId": "o-1", "RedirectDueDate": due(300)}
    for name, value, wanted in [
        ("Amount", "149000", "206"), ("Amount", 1490.5, "206"), ("Amount", 0, "206"), ("Amount", 99, "251"),
        ("Amount", None, "206"), ("Amount", 10_000_000_000, "206"), ("OrderId", "x" * 37, "212"), ("OrderId", None, "212"),
        ("OrderId", 5, "212"), ("Description", "x" * 141, "214"), ("PayType", "X", "250"), ("Language", "de", "230"),
        ("SuccessURL", "ftp://a/", "240"), ("DATA", {"x": 1}, "243"), ("DATA", {"x" * 21: ""}, "243"),
        ("RedirectDueDate", due(50), "3017"), ("RedirectDueDate", due(91 * 86_400), "3017"),
        ("RedirectDueDate", "2026-11-16T12:28:00Z", "12"), ("RedirectDueDate", "tomorrow", "12"),
    ]:  # fmt: skip
        same(code("Init", **right | {name: value}), wanted, f"{name} {value!r}")
    same(code("Init", **right), "0", "the right one")
    same(code("GetQr", PaymentId=order().payment_id), "3013", "SBP in two stages")
    same(code("GetQr", PaymentId=order(pay_type="O", amount=999).payment_id), "3016", "too little for SBP")
    command("settings", sbp=False)
    same(code("GetQr", PaymentId=order(pay_type="O").payment_id), "3001", "without SBP")
    command("settings", sbp=True)


def faults_do_what_they_say():
    before = len(look("truth")["payments"])
    for kind, made in (("500_before", 0), ("500_after", 1), ("code_999_before", 1), ("code_999_after", 2)):
        command("fault", on="Init", kind=kind)
        status, answer = raw("Init", signed(Amount=149_000, OrderId=kind))
        same(status == 500 or answer["ErrorCode"] == "999", True, kind)
        same(len(look("truth")["payments"]) - before, made, kind)
    command("fault", on="GetState", kind="429_before", wait=7)
    same(raw("GetState", signed(PaymentId="1"))[0], 429, "429")


def notices_are_verified_by_the_client():
    got = []

    class Shop(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            text = b"OK" if len(got) != 1 else b'{"status":"ok"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    command("notify", url=f"http://127.0.0.1:{shop.server_address[1]}/")
    made = order()
    command("pay", payment=made.payment_id)
    until = time.time() + 5
    while len(got) < 2 and time.time() < until:
        time.sleep(0.05)
    same([notice["Status"] for notice in got], ["AUTHORIZED"] * 2, "without OK it comes again")
    command("notify", mode="held")
    client.confirm(made.payment_id)
    client.cancel(made.payment_id, 100)
    command("release", order="reversed", copies=2)
    same([notice["Status"] for notice in got[2:]], ["PARTIAL_REFUNDED", "CONFIRMED"] * 2, "in another order, twice")
    for notice in got:
        same(verify_notification(notice, PASSWORD), True, "the token")
        same(build_token(notice, PASSWORD), notice["Token"], "the token, made again")
        same(str(parse_notification(notice).payment_id), made.payment_id, "the payment")
    del got[:]
    command("notify", mode="held")
    command("settings", till="1.2")
    for ffd, failed in (("1.2", False), ("1.05", True)):
        sold = order(pay_type="O", receipt=receipt(("Атлас", 149_000, 1, "full_payment"), ffd=ffd))
        command("pay", payment=sold.payment_id)
        command("release")
        told = got[-1]
        same((told["Status"], told["Type"], told["Amount"]), ("RECEIPT", "Income", 149_000), "a receipt")
        same(("FnNumber" in told, told["ErrorCode"] == "0"), (not failed, not failed), "a till of the other version")
        same(verify_notification(told, PASSWORD), True, "the token of a receipt")
    command("settings", till=None)
    command("forge", members={"PaymentId": 1, "Status": "CONFIRMED"}, signed=False)
    same(verify_notification(got[-1], PASSWORD), False, "a forged one")
    command("notify", mode="off")


try:
    for check in (
        the_client_takes_a_card,
        the_client_takes_sbp,
        a_request_id_protects_a_card,
        orders_are_found,
        due_dates_end_payments,
        cancellations_close,
        the_client_sends_receipts,
        wrong_requests_are_refused,
        faults_do_what_they_say,
        notices_are_verified_by_the_client,
    ):
        check()
        print(f"-- {check.__name__.replace('_', ' ')}")
finally:
    fake.terminate()
    fake.wait()
print(f"{checks} checks")
