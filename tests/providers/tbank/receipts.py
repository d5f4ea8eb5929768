"""The validation of fiscal receipts (54-FZ), as the documentation describes it, and the till that registers them."""

import re
from decimal import ROUND_HALF_UP, Decimal

from rules import Refused

TAXATIONS = {"osn", "usn_income", "usn_income_outcome", "esn", "patent"}
TAXES = {
    "none", "vat0", "vat5", "vat7", "vat10", "vat20", "vat22", "vat105", "vat107", "vat110", "vat120", "vat122",
}  # fmt: skip
METHODS = {"full_prepayment", "prepayment", "advance", "full_payment", "partial_payment", "credit", "credit_payment"}
OBJECTS = {
    "commodity", "excise", "job", "service", "gambling_bet", "gambling_prize", "lottery", "lottery_prize",
    "intellectual_activity", "payment", "agent_commission", "another",
}  # fmt: skip
PREPAID = {"full_prepayment", "prepayment", "advance"}
MEMBERS = {"FfdVersion", "Email", "Phone", "Taxation", "Items"}
LINE = {"Name", "Price", "Quantity", "Amount", "Tax", "PaymentMethod", "PaymentObject"}


def wrong(what, code=201):
    return Refused(code, details=f"Receipt: {what}")


def receipt(given, minor):
    """Validates a receipt, and its sum if that is known. Returns the sum."""
    if not isinstance(given, dict):
        raise Refused(309, "Неверные параметры.", "{request.validate.expected.receipt}")
    ffd = given.get("FfdVersion", "1.05")
    if ffd not in ("1.05", "1.2"):
        raise wrong("FfdVersion")
    unknown = set(given) - MEMBERS - ({"Customer", "CustomerInn"} if ffd == "1.2" else set())
    if unknown:
        raise wrong(", ".join(sorted(unknown)))
    if given.get("Taxation") not in TAXATIONS:
        raise wrong("Taxation")
    contact(given)
    lines = given.get("Items")
    if not isinstance(lines, list) or not 1 <= len(lines) <= 100:
        raise wrong("Items")
    total = sum(line(one, ffd) for one in lines)
    if minor is not None and total != minor:
        raise wrong(f"the sum of the items is {total}, not {minor}", 334)
    return total


def contact(given):
    email, phone = given.get("Email"), given.get("Phone")
    if email is None and phone is None:
        raise wrong("neither Email nor Phone", 329)
    if email is not None and not (isinstance(email, str) and email.count("@") == 1 and len(email) <= 64):
        raise wrong("Email", 329)
    if phone is not None and not (isinstance(phone, str) and re.fullmatch(r"\+\d{5,20}", phone)):
        raise wrong("Phone", 329)


def line(given, ffd):
    """The total of a line in kopecks."""
    members = LINE | ({"MeasurementUnit"} if ffd == "1.2" else set())
    if not isinstance(given, dict) or set(given) != members:
        raise wrong(f"the members of an item are {sorted(members)}")
    name, unit = given["Name"], given.get("MeasurementUnit", "шт")
    if not (isinstance(name, str) and 1 <= len(name) <= 128 and isinstance(unit, str) and unit):
        raise wrong("Name or MeasurementUnit")
    for member, words in (("Tax", TAXES), ("PaymentMethod", METHODS), ("PaymentObject", OBJECTS)):
        if given[member] not in words:
            raise wrong(f"{member}: {given[member]!r}")
    price, amount, quantity = given["Price"], given["Amount"], given["Quantity"]
    if any(isinstance(n, bool) or not isinstance(n, int) or n <= 0 for n in (price, amount)):
        raise wrong("Price or Amount")
    if isinstance(quantity, bool) or not isinstance(quantity, (int, float)):
        raise wrong("Quantity", 310)
    exact = Decimal(repr(quantity))
    if not 0 < exact <= Decimal("99999.999") or exact != round(exact, 3):
        raise wrong("Quantity", 310)
    if int((Decimal(price) * exact).quantize(Decimal(1), ROUND_HALF_UP)) != amount:
        raise wrong("Amount is not Price times Quantity", 308)
    return amount


class Till:
    """The till behind a terminal. It gets receipts as soon as their money has moved, and reports what became of them."""

    def __init__(self):
        self.made = []

    def check(self, settings, given, minor, needed):
        """Validates the receipt of a call; one is needed where a till is attached."""
        if given is None and not (needed and settings["till"]):
            return None
        receipt(given, minor)
        return given

    def close(self, payment, given):
        """Validates the receipt of a hand-over, and returns its sum."""
        total = receipt(given, None)
        first = payment["receipt"]
        modes = {one["PaymentMethod"] for one in first["Items"]} if first else set()
        if payment["status"] not in ("CONFIRMED", "PARTIAL_REFUNDED") or not modes & PREPAID or payment["closed"]:
            raise Refused(4, "Закрывающий чек невозможен.")
        if PREPAID & {one["PaymentMethod"] for one in given["Items"]}:
            raise wrong("a hand-over is no prepayment")
        return total

    def register(self, settings, head, given, kind, minor):
        """Registers a receipt; returns the notices about it."""
        if not settings["till"] or given is None:
            return []
        self.made.append({"payment": head["PaymentId"], "type": kind, "amount": minor, "receipt": given})
        state, number = settings["registration"], len(self.made)
        if state == "silent":
            return []
        # The version is not checked before.
        if given.get("FfdVersion", "1.05") != settings["till"]:
            state = "failed"
        said = {"Status": "RECEIPT", "Type": kind, "Amount": minor, "Success": state != "failed", "ErrorCode": "0"}
        if state == "failed":
            said |= {"ErrorCode": "REGISTRATION_REQUEST_FAILED", "ErrorMessage": "Чек не зарегистрирован."}
        elif state == "registered":
            said |= {"FiscalNumber": number, "ShiftNumber": 56, "ReceiptDatetime": "2026-11-16T12:27:00+03:00",
                     "FnNumber": "8710000101855975", "EcrRegNumber": "0001785103056432",
                     "FiscalDocumentNumber": 100 + number, "FiscalDocumentAttribute": 173423614}  # fmt: skip
        return [head | said | {"Receipt": given}]
