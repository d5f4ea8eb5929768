"""The validation of requests to the fake, in the order of the documentation."""

import json
import re
import uuid

import receipts

KEY_REMEMBERED = 24 * 60 * 60
CURRENCIES = {"RUB", "EUR", "USD", "KZT", "BYN", "UAH", "UZS", "TRY", "INR", "MDL", "AZN", "AMD"}
# In minor units of roubles; the service publishes none for other currencies.
LIMITS = {"bank_card": (100, 35_000_000), "sbp": (100, 70_000_000)}
PAYMENT_FILTERS = {"created_at", "captured_at", "payment_method", "status"}
REFUND_FILTERS = {"created_at", "payment_id", "status"}
RECEIPT_FILTERS = {"created_at", "payment_id", "refund_id", "status"}


class Refused(Exception):
    """An error in the official shape."""

    def __init__(self, status, code, description, parameter=None):
        super().__init__(description)
        self.status, self.code, self.description, self.parameter = status, code, description, parameter
        self.number = str(uuid.uuid4())

    def shape(self):
        shape = {"type": "error", "id": self.number, "code": self.code, "description": self.description}
        return shape | ({"parameter": self.parameter} if self.parameter else {})


def trouble(code, description, **more):
    return {"type": "error", "id": str(uuid.uuid4()), "code": code, "description": description, **more}


# The answers of faults, which do not depend on the request.
TROUBLE = {
    202: {"type": "processing", "description": "The request is being processed.", "retry_after": 1800},
    401: trouble("invalid_credentials", "Error in shopId or secret key."),
    403: trouble("forbidden", "The operation is not allowed for this shop."),
    404: trouble("not_found", "There is no such object."),
    429: trouble("too_many_requests", "Too many requests.", retry_after=1800),
    500: trouble("internal_server_error", "Something went wrong. CANARY-of-the-service"),
    503: trouble("internal_server_error", "The service is not available."),
}


def bad(description, parameter=None):
    return Refused(400, "invalid_request", description, parameter)


def key(value):
    if value is None:
        raise bad("Idempotence-Key is missing.", "Idempotence-Key")
    if not re.fullmatch(r"[0-9a-zA-Z+\-_.]{1,64}", value):
        raise bad("Idempotence-Key must be 1 to 64 of 0-9 a-z A-Z + - _ .", "Idempotence-Key")


def document(headers, body):
    if not body:
        return {}
    if not (headers.get("Content-Type") or "").lower().startswith("application/json"):
        raise bad("Content-Type must be application/json.")
    try:
        value = json.loads(body)
    except ValueError:
        raise bad("The body is not JSON.") from None
    if not isinstance(value, dict):
        raise bad("The body is not an object.")
    return value


def only(given, known, where=""):
    for name in given:
        if name not in known:
            raise bad(f"Unknown parameter {where}{name}.", where + name)


def text(value, most, name):
    if not isinstance(value, str) or not 0 < len(value) <= most:
        raise bad(f"{name} must be a string of at most {most} characters.", name)


def amount(value, name="amount"):
    """Minor units and the currency."""
    if not isinstance(value, dict):
        raise bad(f"{name} is missing.", name)
    only(value, {"value", "currency"}, f"{name}.")
    digits, currency = value.get("value"), value.get("currency")
    if currency not in CURRENCIES:
        raise bad("Unknown currency.", f"{name}.currency")
    if not isinstance(digits, str) or not re.fullmatch(r"(0|[1-9][0-9]{0,11})\.[0-9]{2}", digits):
        raise bad("The value must be a string with two digits after the point.", f"{name}.value")
    minor = int(digits.replace(".", ""))
    if minor == 0:
        raise bad("The value must be more than zero.", f"{name}.value")
    return minor, currency


def metadata(value):
    if not isinstance(value, dict) or len(value) > 16:
        raise bad("metadata must have at most 16 keys.", "metadata")
    for name, content in value.items():
        if len(name) > 32 or not isinstance(content, str) or len(content) > 512:
            raise bad("metadata: keys of at most 32, strings of at most 512 characters.", "metadata")


PAYMENT_FIELDS = {
    "amount", "capture", "confirmation", "payment_method_data", "description", "metadata", "client_ip", "receipt",
    "merchant_customer_id", "recipient", "save_payment_method", "payment_token", "payment_method_id",
}  # fmt: skip


def payment(given, settings):
    """Validates a new payment."""
    given = without_nothing(given, ("statements", "transfers"))
    only(given, PAYMENT_FIELDS)
    if settings["status"] != "enabled":
        raise Refused(403, "forbidden", "The shop is disabled.")
    minor, currency = amount(given.get("amount"))
    if currency != settings["currency"]:
        raise bad("The currency is not the shop's.", "amount.currency")
    ways = [name for name in ("payment_token", "payment_method_id", "payment_method_data") if name in given]
    if len(ways) > 1:
        raise bad("payment_token, payment_method_id and payment_method_data exclude each other.", ways[1])
    if ways and ways != ["payment_method_data"]:
        raise bad("The fake knows no tokens and no saved methods.", ways[0])
    kind = method(given.get("payment_method_data"), settings)
    least, most = LIMITS.get(kind, LIMITS["bank_card"])
    if currency == "RUB" and not least <= minor <= most:
        raise bad("The amount is outside of the limits of the method.", "amount.value")
    if not isinstance(given.get("capture", False), bool):
        raise bad("capture must be true or false.", "capture")
    if kind == "sbp" and given.get("capture") is not True:
        raise bad("SBP has no two-stage payments.", "capture")
    if kind == "sbp" and currency != "RUB":
        raise bad("SBP takes roubles only.", "amount.currency")
    confirmation(given.get("confirmation"), kind, settings)
    if "description" in given:
        text(given["description"], 128, "description")
    if "merchant_customer_id" in given:
        text(given["merchant_customer_id"], 200, "merchant_customer_id")
    metadata(given.get("metadata", {}))
    if settings["fiscalization"] and "receipt" not in given:
        raise bad("Receipt is missing or illegal", "receipt")
    if "receipt" in given:
        receipts.receipt(given["receipt"], minor, settings)
    return {**given, "minor": minor, "kind": kind}


def method(given, settings):
    if given is None:
        return None
    if not isinstance(given, dict) or given.get("type") not in ("bank_card", "sbp"):
        raise bad("Unknown type of payment method.", "payment_method_data.type")
    only(given, {"type"}, "payment_method_data.")
    if given["type"] not in settings["payment_methods"]:
        raise Refused(403, "forbidden", "The payment method is not enabled.", "payment_method_data.type")
    return given["type"]


def confirmation(given, kind, settings):
    if not isinstance(given, dict):
        raise bad("confirmation is missing.", "confirmation")
    if given.get("type") == "redirect":
        only(given, {"type", "return_url", "locale", "enforce"}, "confirmation.")
        if "return_url" not in given:
            raise bad("return_url is missing.", "confirmation.return_url")
    elif given.get("type") == "qr":
        only(given, {"type", "return_url", "locale"}, "confirmation.")
        if kind != "sbp":
            raise bad("qr is only for SBP.", "confirmation.type")
        if not settings["qr"]:
            raise bad("Confirmation type is not available.", "confirmation.type")
    else:
        raise bad("Unknown type of confirmation.", "confirmation.type")
    url = given.get("return_url")
    if url is not None:
        text(url, 2048, "confirmation.return_url")
        if not re.match(r"[a-z][a-z0-9+.-]*://", url):
            raise bad("return_url must be an address.", "confirmation.return_url")
    if given.get("locale", "ru_RU") not in ("ru_RU", "en_US"):
        raise bad("locale must be ru_RU or en_US.", "confirmation.locale")


def capture(given):
    only(given, {"amount", "receipt"})
    return amount(given["amount"]) if "amount" in given else None


def without_nothing(given, names):
    """The official SDK sends some lists even when there is nothing in them."""
    return {name: value for name, value in given.items() if name not in names or value}


def refund(given, settings):
    given = without_nothing(given, ("sources",))
    only(given, {"payment_id", "amount", "description", "receipt", "metadata"})
    if not isinstance(given.get("payment_id"), str):
        raise bad("payment_id is missing.", "payment_id")
    minor, currency = amount(given.get("amount"))
    if "description" in given:
        text(given["description"], 250, "description")
    metadata(given.get("metadata", {}))
    if "receipt" in given:
        receipts.receipt(given["receipt"], minor, settings)
    return {**given, "minor": minor, "currency": currency}
