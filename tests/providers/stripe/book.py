"""The fake's record: intents, charges, refunds, disputes and events, and every rule about them.

This is the fake's own record of the money. It is written from the service's public description and shares nothing with the
adapter that is tested against it. Nothing here speaks HTTP; see fake.py.
"""

import random
import string
import threading
import time

VERSION = "2026-10-28.endive"

# In whole units. ISK and UGX are in hundredths that must be 00; the dinars in thousandths ending in 0.
ZERO_DECIMAL = set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split())
WHOLE_HUNDREDTHS = {"isk", "ugx"}
THREE_DECIMAL = {"bhd", "jod", "kwd", "omr", "tnd"}
TWO_DECIMAL = set("usd eur gbp chf sek nok dkk pln czk huf ron try aed aud cad nzd sgd hkd inr brl mxn zar ils thb".split())
CURRENCIES = ZERO_DECIMAL | WHOLE_HUNDREDTHS | THREE_DECIMAL | TWO_DECIMAL

CANCEL_REASONS = {"duplicate", "fraudulent", "requested_by_customer", "abandoned"}
CANCELABLE = {"requires_payment_method", "requires_capture", "requires_confirmation", "requires_action"}
REFUND_REASONS = {"duplicate", "fraudulent", "requested_by_customer"}
REFUND_FAILURES = {
    "lost_or_stolen_card", "expired_or_canceled_card", "charge_for_pending_refund_disputed", "insufficient_funds",
    "declined", "merchant_request", "unknown",
}

# The behaviour of each test card: (code, decline_code) of a refusal, or a word.
CARDS = {
    "4242424242424242": "succeed",
    "5555555555554444": "succeed",
    "378282246310005": "succeed",
    "4000000000000002": ("card_declined", "generic_decline"),
    "4000000000009995": ("card_declined", "insufficient_funds"),
    "4000000000009987": ("card_declined", "lost_card"),
    "4000000000009979": ("card_declined", "stolen_card"),
    "4000000000000069": ("expired_card", None),
    "4000000000000127": ("incorrect_cvc", None),
    "4000000000000119": ("processing_error", None),
    "4000000000000341": ("card_declined", "generic_decline"),
    "4000002500003155": "three_ds",
    "4000002760003184": "three_ds",
    "4000000000003220": "three_ds",
    "4000008260003178": ("three_ds", "insufficient_funds"),
    "4000008400001629": ("three_ds", "generic_decline"),
    "4000000000000259": "dispute",
}
METHODS = {
    "pm_card_visa": "4242424242424242",
    "pm_card_mastercard": "5555555555554444",
    "pm_card_chargeDeclined": "4000000000000002",
    "pm_card_chargeDeclinedInsufficientFunds": "4000000000009995",
    "pm_card_chargeDeclinedExpiredCard": "4000000000000069",
    "pm_card_threeDSecure2Required": "4000000000003220",
    "pm_card_createDispute": "4000000000000259",
}
WORDS = {
    "card_declined": "Your card was declined.",
    "expired_card": "Your card has expired.",
    "incorrect_cvc": "Your card's security code is incorrect.",
    "processing_error": "An error occurred while processing your card. Try again in a little bit.",
    "incorrect_number": "Your card number is incorrect.",
    "payment_intent_authentication_failure": "We are unable to authenticate your payment method.",
}


class Refused(Exception):
    """A refusal of the service. `stored` is true if the idempotency layer remembers it."""

    def __init__(self, status, kind, message, code=None, param=None, stored=False, headers=None, **more):
        super().__init__(message)
        error = {"type": kind, "message": message, "code": code, "param": param, **more}
        error["doc_url"] = f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}" if code else None
        error["request_log_url"] = "https://dashboard.stripe.com/test/logs/req_fake"
        self.status, self.stored, self.headers = status, stored, headers or {}
        self.body = {"error": {key: value for key, value in error.items() if value is not None}}


def invalid(message, code=None, param=None, **more):
    return Refused(400, "invalid_request_error", message, code, param, **more)


def missing(what, id):
    return Refused(404, "invalid_request_error", f"No such {what}: '{id}'", "resource_missing", "id")


def luhn(number):
    digits = [int(c) for c in reversed(number)]
    return sum(d if i % 2 == 0 else sum(divmod(d * 2, 10)) for i, d in enumerate(digits)) % 10 == 0


def check_amount(text, currency):
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise invalid(f"Invalid integer: {text}", "parameter_invalid_integer", "amount")
    amount = int(text)
    if amount < 1:
        raise invalid("This value must be greater than or equal to 1.", "parameter_invalid_integer", "amount")
    if amount > 99_999_999:
        raise invalid("Amount must be no more than 8 digits.", "amount_too_large", "amount")
    if currency in THREE_DECIMAL and amount % 10:
        raise invalid(f"Invalid amount: {currency} needs a 0 as its last digit.", "parameter_invalid_integer", "amount")
    if currency in WHOLE_HUNDREDTHS and amount % 100:
        raise invalid(f"Invalid amount: {currency} needs 00 as its last digits.", "parameter_invalid_integer", "amount")
    return amount


def check_currency(text):
    if not isinstance(text, str) or text != text.lower() or text not in CURRENCIES:
        raise invalid(f"Invalid currency: {text}.", None, "currency")
    return text


def check_metadata(given):
    if not isinstance(given, dict) or len(given) > 50:
        raise invalid("Invalid metadata", "parameter_invalid", "metadata")
    for key, value in given.items():
        if len(key) > 40 or not isinstance(value, str) or len(value) > 500:
            raise invalid(f"Metadata {key} is too long", "parameter_invalid", "metadata")
    return {key: value for key, value in given.items() if value != ""}


def only(params, allowed):
    for name in params:
        if name not in allowed:
            raise invalid(f"Received unknown parameter: {name}", "parameter_unknown", name)


def as_list(value, param):
    if isinstance(value, dict) and list(value) == [str(i) for i in range(len(value))]:
        value = list(value.values())
    if not isinstance(value, list):
        raise invalid("Invalid array", "parameter_invalid", param)
    return value


class Book:
    """The whole record, behind one lock."""

    ahead = 0  # seconds by which a test has moved the clock

    def now(self):
        return int(time.time() + self.ahead)

    def __init__(self, livemode=False):
        self.lock = threading.RLock()
        self.livemode = livemode
        self.intents, self.charges, self.refunds, self.disputes, self.cards = {}, {}, {}, {}, {}
        self.events = []
        self.plans = {}  # intent -> the result of its next confirmation
        self.refund_plan = []  # the statuses of the next refunds
        self.keeps_error = True  # true if a cancelled intent still has the error of its last attempt
        self.on_event = lambda event: None
        self.random = random.Random(time.time_ns())

    # Helpers

    def id(self, prefix, length=24):
        letters = string.ascii_letters + string.digits
        return prefix + "".join(self.random.choice(letters) for _ in range(length))

    def tell(self, kind, thing, request=None):
        event = {
            "id": self.id("evt_"), "object": "event", "api_version": VERSION, "created": self.now(),
            "data": {"object": dict(thing)}, "livemode": self.livemode, "pending_webhooks": 1,
            "request": {"id": self.id("req_", 14), "idempotency_key": request}, "type": kind,
        }
        self.events.append(event)
        self.on_event(event)

    def intent(self, id):
        if id not in self.intents:
            raise missing("payment_intent", id)
        return self.intents[id]

    def unexpected(self, intent, doing):
        return invalid(
            f"You cannot {doing} this PaymentIntent because it has a status of {intent['status']}.",
            "payment_intent_unexpected_state", payment_intent=dict(intent), stored=True,
        )

    # Intents. Each operation has a validation and an execution: only the execution is remembered under an
    # idempotency key.

    CREATE = {
        "amount", "currency", "allowed_payment_method_types", "automatic_payment_methods",
        "excluded_payment_method_types", "payment_method_configuration", "capture_method", "description", "metadata",
        "receipt_email", "statement_descriptor_suffix", "payment_method_options", "payment_method", "confirm",
        "return_url", "off_session", "expand",
    }

    def check_types(self, params):
        if "payment_method_types" in params:
            raise invalid(
                "payment_method_types is no longer supported: use allowed_payment_method_types.",
                "payment_method_types_no_longer_supported", "payment_method_types",
            )
        exclusive = [
            name for name in ("allowed_payment_method_types", "excluded_payment_method_types",
                              "automatic_payment_methods", "payment_method_configuration") if name in params
        ]
        if len(exclusive) > 1:
            raise invalid(f"You may only specify one of these parameters: {', '.join(exclusive)}.", None, exclusive[0])
        allowed = params.get("allowed_payment_method_types")
        types = as_list(allowed, "allowed_payment_method_types") if allowed is not None else ["card"]
        if any(t not in ("card", "link", "klarna", "paypal") for t in types) or not types:
            raise invalid("Invalid payment method type", None, "allowed_payment_method_types")
        return [t for t in types if t in ("card", "link")]

    def create(self, params, key):
        types = self.check_types(params)
        only(params, self.CREATE)
        for name in ("amount", "currency"):
            if name not in params:
                raise invalid(f"Missing required param: {name}.", "parameter_missing", name)
        currency = check_currency(params["currency"])
        amount = check_amount(params["amount"], currency)
        metadata = check_metadata(params.get("metadata", {}))
        capture = params.get("capture_method", "automatic_async")
        if capture not in ("automatic", "automatic_async", "manual"):
            raise invalid("Invalid capture_method", None, "capture_method")
        if len(params.get("statement_descriptor_suffix", "")) > 22:
            raise invalid("The statement descriptor suffix is too long", None, "statement_descriptor_suffix")
        if amount < 50:
            raise invalid("Amount must be at least 50.", "amount_too_small", "amount")

        def execute():
            id = self.id("pi_3")
            intent = {
                "id": id, "object": "payment_intent", "amount": amount, "amount_capturable": 0,
                "amount_details": {"tip": {}}, "amount_received": 0, "application": None,
                "application_fee_amount": None, "automatic_payment_methods": None, "canceled_at": None,
                "cancellation_reason": None, "capture_method": capture, "client_secret": f"{id}_secret_{self.id('', 25)}",
                "confirmation_method": "automatic", "created": self.now(), "currency": currency,
                "customer": None, "description": params.get("description"), "last_payment_error": None,
                "latest_charge": None, "livemode": self.livemode, "metadata": metadata, "next_action": None,
                "on_behalf_of": None, "payment_method": None, "payment_method_options": {"card": {}},
                "payment_method_types": types, "processing": None, "receipt_email": params.get("receipt_email"),
                "setup_future_usage": None, "shipping": None, "source": None, "statement_descriptor": None,
                "statement_descriptor_suffix": params.get("statement_descriptor_suffix"),
                "status": "requires_payment_method", "transfer_data": None, "transfer_group": None,
            }
            self.intents[id] = intent
            self.tell("payment_intent.created", intent, key)
            if params.get("confirm") == "true":
                self.confirm_with(intent, self.number(params.get("payment_method")), key)
            return intent

        return execute

    def update(self, id, params, key):
        intent = self.intent(id)
        self.check_types(params)
        only(params, {"description", "metadata", "receipt_email", "expand"})
        metadata = check_metadata(params.get("metadata", {}))

        def execute():
            if intent["status"] in ("succeeded", "canceled") and set(params) - {"metadata", "description"}:
                raise self.unexpected(intent, "update")
            intent["metadata"].update(metadata)
            intent["last_payment_error"] = None  # "cleared if the PaymentIntent is later updated for any reason"
            intent["description"] = params.get("description", intent["description"])
            return intent

        return execute

    def number(self, method):
        if method in METHODS:
            return METHODS[method]
        if method in self.cards:
            return self.cards[method]
        raise invalid(f"No such PaymentMethod: '{method}'", "resource_missing", "payment_method")

    def card(self, data):
        """Stores the card of a form under an id of ours; its number is never shown again."""
        card = data.get("card", {}) if isinstance(data, dict) else {}
        number = str(card.get("number", "")).replace(" ", "")
        if data.get("type") != "card" or not number.isdigit() or not 12 <= len(number) <= 19:
            raise invalid("Your card number is incomplete.", "incomplete_number", "number")
        if not luhn(number):
            raise Refused(402, "card_error", WORDS["incorrect_number"], "incorrect_number", "number")
        year, month = int(card.get("exp_year", 0) or 0), int(card.get("exp_month", 0) or 0)
        year += 2000 if year < 100 else 0
        now = time.gmtime()
        if not 1 <= month <= 12 or (year, month) < (now.tm_year, now.tm_mon):
            raise Refused(402, "card_error", "Your card's expiration date is in the past.", "invalid_expiry_year", "exp_year")
        if number not in CARDS:
            raise Refused(402, "card_error", "Your card was declined. Your request was in test mode, but used a non test "
                          "card.", "card_declined", decline_code="test_mode_live_card")
        method = self.id("pm_1")
        self.cards[method] = number
        return method

    def confirm(self, id, params, key):
        intent = self.intent(id)
        self.check_types(params)
        only(params, {"payment_method", "payment_method_data", "return_url", "client_secret", "expand", "key",
                      "use_stripe_sdk", "_stripe_version"})
        method = params.get("payment_method") or intent["payment_method"]
        if "payment_method_data" in params:
            method = self.card(params["payment_method_data"])
        if not method:
            raise invalid("You cannot confirm this PaymentIntent because it's missing a payment method.",
                          "payment_intent_unexpected_state")
        number = self.number(method)

        def execute():
            if intent["status"] not in ("requires_payment_method", "requires_confirmation"):
                raise self.unexpected(intent, "confirm")
            self.confirm_with(intent, number, key, method)
            return intent

        return execute

    def confirm_with(self, intent, number, key=None, method=None):
        intent["payment_method"] = method or self.id("pm_1")
        intent["last_payment_error"] = None
        plan = self.plans.pop(intent["id"], None)
        does = CARDS[number]
        if plan == "processing":
            intent["status"] = "processing"
            intent["processing"] = {"type": "card", "card": {}}
            self.tell("payment_intent.processing", intent, key)
        elif does == "three_ds" or does[0] == "three_ds":
            intent["status"] = "requires_action"
            intent["next_action"] = {"type": "use_stripe_sdk",
                                     "use_stripe_sdk": {"type": "three_d_secure_redirect", "source": self.id("payatt_")}}
            self.plans[intent["id"]] = does[1] if does[0] == "three_ds" else None
            self.tell("payment_intent.requires_action", intent, key)
        elif isinstance(does, tuple):
            self.decline(intent, number, *does, key=key)
        else:
            self.succeed(intent, number, key)
            if does == "dispute":
                self.dispute(intent["id"])

    def charge(self, intent, number, status, code=None, decline=None):
        brand = {"3": "amex", "4": "visa", "5": "mastercard"}[number[0]]
        charge = {
            "id": self.id("ch_3"), "object": "charge", "amount": intent["amount"],
            "amount_captured": intent["amount"] if status == "succeeded" else 0, "amount_refunded": 0,
            "application_fee_amount": None, "balance_transaction": self.id("txn_3") if status == "succeeded" else None,
            "billing_details": {"address": {}, "email": None, "name": None, "phone": None}, "captured": status == "succeeded",
            "created": self.now(), "currency": intent["currency"], "customer": None,
            "description": intent["description"], "disputed": False, "failure_code": code,
            "failure_message": WORDS.get(code), "livemode": self.livemode, "metadata": dict(intent["metadata"]),
            "outcome": {
                "network_status": "approved_by_network" if status == "succeeded" else "declined_by_network",
                "reason": decline, "risk_level": "normal", "seller_message": "Payment complete.",
                "type": "authorized" if status == "succeeded" else "issuer_declined",
            },
            "paid": status == "succeeded", "payment_intent": intent["id"], "payment_method": intent["payment_method"],
            "payment_method_details": {"type": "card", "card": {
                "brand": brand, "last4": number[-4:], "exp_month": 12, "exp_year": 2034, "country": "US",
                "funding": "credit", "three_d_secure": None}},
            "receipt_email": None, "receipt_url": "https://pay.stripe.com/receipts/fake", "refunded": False,
            "status": status,
        }
        self.charges[charge["id"]] = charge
        intent["latest_charge"] = charge["id"]
        return charge

    def decline(self, intent, number, code, decline=None, key=None):
        charge = self.charge(intent, number, "failed", code, decline)
        error = {
            "type": "card_error", "code": code, "message": WORDS[code], "charge": charge["id"],
            "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}",
            "payment_method": {"id": intent["payment_method"], "object": "payment_method", "type": "card"},
        }
        if decline:
            error["decline_code"] = decline
        self.fail(intent, error, key)
        self.tell("charge.failed", charge, key)
        raise Refused(402, "card_error", WORDS[code], code, stored=True, decline_code=decline, charge=charge["id"],
                      payment_intent=dict(intent), payment_method=error["payment_method"])

    def fail(self, intent, error, key=None):
        intent.update(status="requires_payment_method", next_action=None, last_payment_error=error, payment_method=None,
                      processing=None)
        self.tell("payment_intent.payment_failed", intent, key)

    def succeed(self, intent, number, key=None):
        manual = intent["capture_method"] == "manual"
        charge = self.charge(intent, number, "succeeded")
        intent.update(next_action=None, processing=None, last_payment_error=None)
        if manual:
            charge.update(captured=False, amount_captured=0)
            intent.update(status="requires_capture", amount_capturable=intent["amount"])
            self.tell("payment_intent.amount_capturable_updated", intent, key)
            return
        intent.update(status="succeeded", amount_received=intent["amount"])
        self.tell("payment_intent.succeeded", intent, key)
        self.tell("charge.succeeded", charge, key)

    def authenticate(self, id, outcome):
        """The customer's answer to 3-D Secure."""
        intent = self.intent(id)
        if intent["status"] != "requires_action" or outcome not in ("confirm", "refuse"):
            raise self.unexpected(intent, "authenticate")
        after = self.plans.pop(id, None)
        number = "4000000000003220"
        if outcome == "confirm" and after is None:
            self.succeed(intent, number)
        elif outcome == "confirm":
            try:
                self.decline(intent, number, "card_declined", after)
            except Refused:
                pass  # the customer's browser gets the error, not the caller that confirmed
        else:
            code = "payment_intent_authentication_failure"
            self.fail(intent, {"type": "invalid_request_error", "code": code, "message": WORDS[code]})
        return intent

    def settle(self, id, outcome):
        """Ends a payment that was processing."""
        intent = self.intent(id)
        if intent["status"] != "processing":
            raise self.unexpected(intent, "settle")
        if outcome == "succeed":
            self.succeed(intent, "4242424242424242")
            return intent
        try:
            self.decline(intent, "4242424242424242", "card_declined", "generic_decline")
        except Refused:
            pass
        return intent

    def cancel(self, id, params, key):
        intent = self.intent(id)
        only(params, {"cancellation_reason", "expand"})
        reason = params.get("cancellation_reason")
        if reason is not None and reason not in CANCEL_REASONS:
            raise invalid(f"Invalid cancellation_reason: must be one of {', '.join(sorted(CANCEL_REASONS))}", None,
                          "cancellation_reason")

        def execute():
            if intent["status"] not in CANCELABLE:
                raise self.unexpected(intent, "cancel")
            self.end(intent, reason, key)
            return intent

        return execute

    def end(self, intent, reason, key=None):
        intent.update(status="canceled", cancellation_reason=reason, canceled_at=self.now(), next_action=None,
                      amount_capturable=0)
        if not self.keeps_error:
            intent["last_payment_error"] = None
        self.tell("payment_intent.canceled", intent, key)

    def capture(self, id, params, key):
        intent = self.intent(id)
        only(params, {"amount_to_capture", "expand"})

        def execute():
            if intent["status"] != "requires_capture":
                raise self.unexpected(intent, "capture")
            amount = int(params.get("amount_to_capture", intent["amount_capturable"]))
            if not 0 < amount <= intent["amount_capturable"]:
                raise invalid("The amount to capture is greater than what is held.", "amount_too_large")
            self.charges[intent["latest_charge"]].update(captured=True, amount_captured=amount)
            intent.update(status="succeeded", amount_received=amount, amount_capturable=0)
            self.tell("payment_intent.succeeded", intent, key)
            return intent

        return execute

    # Refunds

    def refund(self, params, key):
        only(params, {"payment_intent", "charge", "amount", "reason", "metadata", "expand"})
        if ("payment_intent" in params) == ("charge" in params):
            raise invalid("One of the following params should be provided: payment_intent or charge.", "parameter_missing")
        reason = params.get("reason")
        if reason is not None and reason not in REFUND_REASONS:
            raise invalid("Invalid reason", None, "reason")
        metadata = check_metadata(params.get("metadata", {}))
        if "payment_intent" in params:
            intent = self.intent(params["payment_intent"])
            charge = self.charges.get(intent["latest_charge"])
        else:
            charge = self.charges.get(params["charge"])
            if charge is None:
                raise missing("charge", params["charge"])
        amount = params.get("amount")
        if amount is not None:
            amount = check_amount(amount, charge["currency"] if charge else "usd")

        def execute():
            if charge is None or charge["status"] != "succeeded" or not charge["captured"]:
                raise invalid("This PaymentIntent does not have a successful charge to refund.",
                              "charge_not_refundable" if charge else None, stored=True)
            if charge["disputed"]:
                raise invalid("This charge has been charged back.", "charge_disputed", stored=True)
            left = charge["amount_captured"] - charge["amount_refunded"]
            if left == 0:
                raise invalid(f"Charge {charge['id']} has already been refunded.", "charge_already_refunded", stored=True)
            wanted = left if amount is None else amount
            if wanted > left:
                raise invalid(f"Refund amount ({wanted}) is greater than unrefunded amount on charge ({left})", None,
                              "amount", stored=True)
            status = self.refund_plan.pop(0) if self.refund_plan else "succeeded"
            refund = {
                "id": self.id("re_3"), "object": "refund", "amount": wanted, "balance_transaction": self.id("txn_3"),
                "charge": charge["id"], "created": self.now(), "currency": charge["currency"],
                "destination_details": {"type": "card", "card": {"type": "refund"}}, "metadata": metadata,
                "payment_intent": charge["payment_intent"], "reason": reason, "receipt_number": None,
                "source_transfer_reversal": None, "status": status, "transfer_reversal": None,
            }
            if status == "pending":
                refund["pending_reason"] = "processing"
            self.refunds[refund["id"]] = refund
            self.count_refunds(charge)
            self.tell("refund.created", refund, key)
            self.tell("charge.refunded", charge, key)
            if status == "failed":
                self.move_refund(refund["id"], "failed", "expired_or_canceled_card")
            return refund

        return execute

    def count_refunds(self, charge):
        gone = [r["amount"] for r in self.refunds.values()
                if r["charge"] == charge["id"] and r["status"] not in ("failed", "canceled")]
        charge["amount_refunded"] = sum(gone)
        charge["refunded"] = sum(gone) == charge["amount_captured"]

    def move_refund(self, id, status, failure=None):
        """A later result of a refund; a refund that succeeded can still fail."""
        refund = self.refunds[id]
        assert status in ("succeeded", "failed", "canceled", "pending", "requires_action")
        assert failure is None or failure in REFUND_FAILURES
        refund["status"] = status
        refund.pop("pending_reason", None)
        if status == "failed":
            refund["failure_reason"] = failure or "unknown"
            refund["failure_balance_transaction"] = self.id("txn_3")
        self.count_refunds(self.charges[refund["charge"]])
        self.tell("refund.failed" if status == "failed" else "refund.updated", refund)
        return refund

    # Disputes

    def dispute(self, intent_id, reason="fraudulent"):
        intent = self.intent(intent_id)
        charge = self.charges[intent["latest_charge"]]
        dispute = {
            "id": self.id("du_1"), "object": "dispute", "amount": charge["amount"] - charge["amount_refunded"],
            "balance_transactions": [], "charge": charge["id"], "created": self.now(),
            "currency": charge["currency"], "evidence": {}, "enhanced_eligibility_types": [],
            "evidence_details": {"due_by": self.now() + 7 * 86400, "has_evidence": False, "past_due": False,
                                 "submission_count": 0, "enhanced_eligibility": {}},
            "is_charge_refundable": False, "livemode": self.livemode, "metadata": {}, "payment_intent": intent_id,
            "payment_method_details": {"type": "card", "card": {"brand": "visa", "case_type": "chargeback",
                                                                "network_reason_code": "83"}},
            "reason": reason, "status": "needs_response",
        }
        charge["disputed"] = True
        self.disputes[dispute["id"]] = dispute
        self.tell("charge.dispute.created", dispute)
        self.tell("charge.dispute.funds_withdrawn", dispute)
        return dispute

    def close_dispute(self, id, won):
        dispute = self.disputes[id]
        dispute["status"] = "won" if won else "lost"
        self.tell("charge.dispute.closed", dispute)
        if won:
            self.tell("charge.dispute.funds_reinstated", dispute)
        return dispute

    # Lists

    def page(self, things, params, filters=()):
        allowed = {"limit", "starting_after", "ending_before", "created", "expand", *filters}
        only(params, allowed)
        limit = params.get("limit", "10")
        if not limit.isdigit() or not 1 <= int(limit) <= 100:
            raise invalid("Invalid limit: must be between 1 and 100", None, "limit")
        created = params.get("created", {})
        created = created if isinstance(created, dict) else {"gte": created, "lte": created}
        tests = {"gt": lambda a, b: a > b, "gte": lambda a, b: a >= b, "lt": lambda a, b: a < b, "lte": lambda a, b: a <= b}
        for name, value in created.items():
            if name not in tests or not str(value).isdigit():
                raise invalid(f"Invalid created: {name}", "parameter_unknown", "created")
            things = [thing for thing in things if tests[name](thing["created"], int(value))]
        for name in filters:
            if name in params:
                things = [thing for thing in things if thing.get(name) == params[name]]
        things = list(reversed(things))  # the newest first
        if "starting_after" in params:
            places = [i for i, thing in enumerate(things) if thing["id"] == params["starting_after"]]
            if not places:
                raise missing("object", params["starting_after"])
            things = things[places[0] + 1:]
        return {"object": "list", "data": things[:int(limit)], "has_more": len(things) > int(limit)}

    def balance(self):
        return {
            "object": "balance", "available": [{"amount": 0, "currency": "usd", "source_types": {"card": 0}}],
            "connect_reserved": [], "livemode": self.livemode,
            "pending": [{"amount": self.totals()["usd"]["received"], "currency": "usd", "source_types": {"card": 0}}],
        }

    def totals(self):
        """By currency: the sums received, refunded and disputed."""
        totals = {currency: {"received": 0, "refunded": 0, "disputed": 0} for currency in CURRENCIES}
        for charge in self.charges.values():
            totals[charge["currency"]]["received"] += charge["amount_captured"] if charge["status"] == "succeeded" else 0
        for refund in self.refunds.values():
            if refund["status"] not in ("failed", "canceled"):
                totals[refund["currency"]]["refunded"] += refund["amount"]
        for dispute in self.disputes.values():
            totals[dispute["currency"]]["disputed"] += dispute["amount"]
        return totals
