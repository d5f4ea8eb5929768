"""The fake's books: payments, refunds, and where each kopeck is."""

import datetime
import secrets
import time

from rules import Refused, bad

TERM = 60 * 60
HOLD = 7 * 24 * 60 * 60
REFUNDED_WITHIN = 3 * 365 * 24 * 60 * 60


def digits(minor):
    return f"{minor // 100}.{minor % 100:02}"


def moment(seconds):
    at = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def number():
    return f"{secrets.token_hex(4)}-000f-5000-{secrets.choice('89ab')}000-{secrets.token_hex(6)}"


class Books:
    def __init__(self, shop, test):
        self.shop = shop
        self.payments, self.refunds, self.receipts = {}, {}, {}
        self.shift = 0.0
        self.settings = {
            "test": test,
            "currency": "RUB",
            "qr": True,
            "fiscalization": False,
            # The most items of a receipt, and whether only an e-mail address is a contact.
            "receipt_items": 80,
            "receipt_needs_email": True,
            # What becomes of new receipts: succeeded, pending or canceled.
            "registration": "succeeded",
            "status": "enabled",
            "payment_methods": ["bank_card", "sbp"],
            # The result of new refunds, and the reason if they are refused.
            "refunds": "succeeded",
            "refund_reason": "insufficient_funds",
            # The URLs that customers are sent to.
            "page": "https://yoomoney.ru/checkout/payments/v2/contract?orderId={id}",
            "code": "https://qr.nspk.ru/{qrc}?type=02&bank=100000000022&sum={minor}&cur=RUB&crc=AB75",
        }

    def now(self):
        return time.time() + self.shift

    def pass_time(self):
        """Applies the changes of payments by time alone."""
        now = self.now()
        for payment in self.payments.values():
            if payment["status"] == "pending" and now - payment["at"] >= TERM:
                self.end(payment, "yoo_money", "expired_on_confirmation")
            if payment["status"] == "waiting_for_capture" and now >= payment["hold_until"]:
                self.end(payment, "yoo_money", "expired_on_capture")

    # Calls of the API.

    def create(self, asked):
        payment = {
            "id": number(),
            "status": "pending",
            "minor": asked["minor"],
            "currency": asked["amount"]["currency"],
            "kind": asked["kind"],
            "two_stage": not asked.get("capture", False),
            "asked": {name: asked[name] for name in ("description", "metadata") if name in asked},
            "at": self.now(),
            "method": number(),
            "receipt": asked.get("receipt"),
            "registration": self.settings["registration"] if self.settings["fiscalization"] else None,
            "authorised": 0,
            "held": 0,
            "taken": 0,
            "returned": 0,
        }
        payment["confirmation"] = self.confirmation(payment, asked["confirmation"])
        self.payments[payment["id"]] = payment
        return self.shown(payment)

    def confirmation(self, payment, asked):
        if asked["type"] == "qr":
            qrc = "AD10" + secrets.token_hex(14).upper()
            data = self.settings["code"].format(qrc=qrc, minor=payment["minor"])
            return {"type": "qr", "confirmation_data": data}
        url = self.settings["page"].format(id=payment["id"])
        return {"type": "redirect", "return_url": asked["return_url"], "confirmation_url": url}

    def known(self, number):
        if number not in self.payments:
            raise Refused(404, "not_found", "Payment doesn't exist or access denied.", "payment_id")
        return self.payments[number]

    def payment(self, number):
        return self.shown(self.known(number))

    def refund(self, number):
        if number not in self.refunds:
            raise Refused(404, "not_found", "Refund doesn't exist or access denied.", "refund_id")
        return self.shown_refund(self.refunds[number])

    def capture(self, number, amount):
        payment = self.known(number)
        if payment["status"] != "waiting_for_capture":
            raise bad("Payment must be in status waiting_for_capture.", "payment_id")
        minor, currency = amount or (payment["held"], payment["currency"])
        if currency != payment["currency"] or minor > payment["held"]:
            raise bad("More than is held cannot be captured.", "amount")
        payment.update(status="succeeded", taken=minor, minor=minor, held=0, captured_at=self.now())
        return self.shown(payment), ("payment.succeeded", self.shown(payment))

    def cancel(self, number):
        payment = self.known(number)
        if payment["status"] != "waiting_for_capture":
            raise bad("Payment must be in status waiting_for_capture.", "payment_id")
        event = self.end(payment, "merchant", "canceled_by_merchant")
        return self.shown(payment), event

    def give_back(self, asked):
        payment = self.known(asked["payment_id"])
        if payment["status"] != "succeeded":
            raise bad("Only a succeeded payment can be refunded.", "payment_id")
        if self.now() - payment["at"] > REFUNDED_WITHIN:
            raise bad("The payment is too old to be refunded.", "payment_id")
        if asked["currency"] != payment["currency"]:
            raise bad("The currency is not that of the payment.", "amount.currency")
        if asked["minor"] > payment["taken"] - payment["returned"] - self.on_the_way(payment):
            raise bad("The amount is more than what is left of the payment.", "amount.value")
        part = asked["minor"] < payment["taken"]
        if payment["registration"] and part and "receipt" not in asked:
            raise bad("Receipt is missing or illegal", "receipt")
        refund = {
            "id": number(),
            "receipt": asked.get("receipt"),
            "registration": payment["registration"] and self.settings["registration"],
            "payment": payment["id"],
            "minor": asked["minor"],
            "currency": payment["currency"],
            "asked": {name: asked[name] for name in ("description", "metadata") if name in asked},
            "at": self.now(),
            "status": "pending",
        }
        self.refunds[refund["id"]] = refund
        event = self.finish_refund(refund, self.settings["refunds"], self.settings["refund_reason"])
        return self.shown_refund(refund), event

    def close(self, asked):
        """Makes the receipt of what was paid before and is handed over now."""
        payment = self.known(asked["payment_id"])
        if not self.settings["fiscalization"]:
            raise Refused(403, "forbidden", "The shop makes no receipts.")
        if payment["status"] != "succeeded":
            raise bad("Only of a succeeded payment there is a receipt.", "payment_id")
        if any(item.get("payment_mode") != "full_payment" for item in asked["items"]):
            raise bad("A closing receipt has full payments.", "items.payment_mode")
        receipt = {"id": number(), "asked": asked, "registration": self.settings["registration"], "at": self.now()}
        self.receipts[receipt["id"]] = receipt
        return self.shown_receipt(receipt)

    def all_receipts(self):
        """Those that were made with a payment, too."""
        found = dict(self.receipts)
        for payment in self.payments.values():
            if payment["status"] == "succeeded" and payment["receipt"]:
                settled = [{"type": "cashless", "amount": {"value": digits(payment["minor"]), "currency": payment["currency"]}}]
                asked = {"payment_id": payment["id"], "items": payment["receipt"]["items"], "settlements": settled}
                number = "rt-" + payment["id"]
                found[number] = {
                    "id": number,
                    "asked": asked,
                    "registration": payment["registration"],
                    "at": payment["at"],
                }
        return found

    def receipt(self, number):
        if number not in self.receipts:
            raise Refused(404, "not_found", "Receipt doesn't exist or access denied.", "receipt_id")
        return self.shown_receipt(self.receipts[number])

    def shown_receipt(self, receipt):
        names = ("payment_id", "items", "settlements")
        shown = {"id": receipt["id"], "type": "payment", "status": receipt["registration"]}
        return shown | {name: receipt["asked"][name] for name in names}

    def register(self, number, status):
        """The till has registered a receipt, or has given up."""
        for things in (self.payments, self.refunds, self.receipts):
            if number in things:
                things[number]["registration"] = status
                return None
        raise ValueError("there is no such receipt")

    def on_the_way(self, payment):
        mine = [r for r in self.refunds.values() if r["payment"] == payment["id"] and r["status"] == "pending"]
        return sum(refund["minor"] for refund in mine)

    def finish_refund(self, refund, status, reason):
        if refund["status"] != "pending" or status == "pending":
            return None
        refund["status"] = status
        if status == "canceled":
            refund["cancellation_details"] = {"party": "yoo_money", "reason": reason}
            return None
        self.payments[refund["payment"]]["returned"] += refund["minor"]
        return "refund.succeeded", self.shown_refund(refund)

    def page(self, objects, query, filters):
        shown = {id(self.payments): self.shown, id(self.refunds): self.shown_refund}.get(id(objects), self.shown_receipt)
        found = [shown(thing) | {"at": thing["at"]} for thing in objects.values()]
        limit, cursor = 10, None
        for name, value in query.items():
            field, _, comparison = name.partition(".")
            if name == "limit":
                limit = int(value) if value.isdigit() else 0
            elif name == "cursor":
                cursor = value
            elif field in filters and comparison in ("gte", "gt", "lte", "lt") and field.endswith("_at"):
                compare = {
                    "gte": lambda a, b: a >= b,
                    "gt": lambda a, b: a > b,
                    "lte": lambda a, b: a <= b,
                    "lt": lambda a, b: a < b,
                }[comparison]
                bound = parse_moment(value, name)
                found = [t for t in found if field in t and compare(parse_moment(t[field], name), bound)]
            elif name in filters and not name.endswith("_at"):
                key = (lambda t: t["payment_method"]["type"]) if name == "payment_method" else (lambda t: t[name])
                found = [thing for thing in found if key(thing) == value]
            else:
                raise bad(f"Unknown parameter {name}.", name)
        if not 1 <= limit <= 100:
            raise bad("limit must be from 1 to 100.", "limit")
        found.sort(key=lambda thing: (thing.pop("at"), thing["id"]), reverse=True)
        if cursor is not None:
            ids = [thing["id"] for thing in found]
            if cursor not in ids:
                raise bad("Unknown cursor.", "cursor")
            found = found[ids.index(cursor) :]
        answer = {"type": "list", "items": found[:limit]}
        return answer | ({"next_cursor": found[limit]["id"]} if len(found) > limit else {})

    def account(self):
        settings = self.settings
        shown = {
            "account_id": self.shop,
            "status": settings["status"],
            "test": self.settings["test"],
            "fiscalization_enabled": settings["fiscalization"],
            "payment_methods": settings["payment_methods"],
            "itn": "123456789012",
        }
        fiscal = {"fiscalization": {"enabled": True, "provider": "avanpost"}} if settings["fiscalization"] else {}
        return shown | fiscal

    # Acts of customers and banks.

    def pay(self, number):
        payment = self.known(number)
        if payment["status"] != "pending":
            raise bad(f"The payment is {payment['status']}.")
        payment["kind"] = payment["kind"] or "bank_card"
        payment["authorised"] = payment["minor"]
        if payment["two_stage"]:
            payment.update(status="waiting_for_capture", held=payment["minor"], hold_until=self.now() + HOLD)
        else:
            payment.update(status="succeeded", taken=payment["minor"], captured_at=self.now())
        return f"payment.{payment['status']}", self.shown(payment)

    def decline(self, number, party, reason):
        payment = self.known(number)
        if payment["status"] != "pending":
            raise bad(f"The payment is {payment['status']}.")
        return self.end(payment, party, reason)

    def expire(self, number):
        payment = self.known(number)
        reasons = {"pending": "expired_on_confirmation", "waiting_for_capture": "expired_on_capture"}
        if payment["status"] not in reasons:
            raise bad(f"The payment is {payment['status']}.")
        return self.end(payment, "yoo_money", reasons[payment["status"]])

    def end(self, payment, party, reason):
        payment.update(status="canceled", held=0, cancellation_details={"party": party, "reason": reason})
        return "payment.canceled", self.shown(payment)

    # The JSON objects of the API.

    def shown(self, payment):
        paid = payment["status"] in ("waiting_for_capture", "succeeded")
        shown = {
            "id": payment["id"],
            "status": payment["status"],
            "amount": {"value": digits(payment["minor"]), "currency": payment["currency"]},
            **payment["asked"],
            "recipient": {"account_id": self.shop, "gateway_id": "100700"},
            "created_at": moment(payment["at"]),
            "test": self.settings["test"],
            "paid": paid,
            "refundable": payment["status"] == "succeeded" and payment["taken"] > payment["returned"],
            "metadata": payment["asked"].get("metadata", {}),
            "undocumented_field": {"ignore": ["me"]},
        }
        if payment["kind"]:
            shown["payment_method"] = self.shown_method(payment, paid)
        if payment["status"] == "pending":
            shown["confirmation"] = payment["confirmation"]
        if payment["status"] == "waiting_for_capture":
            shown["expires_at"] = moment(payment["hold_until"])
        if payment["status"] == "succeeded":
            shown["captured_at"] = moment(payment["captured_at"])
            fee = payment["taken"] * 35 // 1000
            shown["income_amount"] = {"value": digits(payment["taken"] - fee), "currency": payment["currency"]}
            shown["refunded_amount"] = {"value": digits(payment["returned"]), "currency": payment["currency"]}
        if payment["status"] == "canceled":
            shown["cancellation_details"] = payment["cancellation_details"]
        if paid and payment["registration"] and payment["receipt"]:
            shown["receipt_registration"] = payment["registration"]
        return shown

    def shown_method(self, payment, paid):
        method = {"type": payment["kind"], "id": payment["method"], "saved": False, "status": "inactive"}
        if paid and payment["kind"] == "bank_card":
            card = {"first6": "555555", "last4": "4444", "expiry_month": "07", "expiry_year": "2030"}
            method |= {"title": "Bank card *4444", "card": card | {"card_type": "MasterCard", "issuer_country": "RU"}}
        if payment["status"] == "succeeded" and payment["kind"] == "sbp":
            method["sbp_operation_id"] = payment["id"].replace("-", "").upper()
            method["payer_bank_details"] = {"bank_id": "100000000111", "bic": "044525225"}
        return method

    def shown_refund(self, refund):
        shown = {
            "id": refund["id"],
            "payment_id": refund["payment"],
            "status": refund["status"],
            "created_at": moment(refund["at"]),
            "amount": {"value": digits(refund["minor"]), "currency": refund["currency"]},
            **refund["asked"],
        }
        if refund["registration"] and refund["status"] != "canceled":
            shown["receipt_registration"] = refund["registration"]
        details = refund.get("cancellation_details")
        return shown | ({"cancellation_details": details} if details else {})

    def truth(self):
        """Payments, refunds, and the sums of the money by state, in minor units."""
        names = ("id", "status", "kind", "minor", "currency", "authorised", "held", "taken", "returned")
        names += ("receipt", "registration")
        payments = [{n: p[n] for n in names} | {"metadata": p["asked"].get("metadata", {})} for p in
                    self.payments.values()]  # fmt: skip
        names = ("id", "payment", "status", "minor", "receipt", "registration")
        refunds = [{n: r[n] for n in names} | {"metadata": r["asked"].get("metadata", {})} for r in
                   self.refunds.values()]  # fmt: skip
        receipts = [self.shown_receipt(receipt) for receipt in self.receipts.values()]
        totals = {name: sum(payment[name] for payment in payments) for name in ("held", "taken", "returned")}
        return {"payments": payments, "refunds": refunds, "receipts": receipts, **totals}


def parse_moment(text, name):
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise bad("The time must be ISO 8601.", name) from None
