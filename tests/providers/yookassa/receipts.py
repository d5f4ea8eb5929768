"""The validation of fiscal receipts (54-FZ), as the documentation describes it: codes, limits, and the sum to the kopeck."""

from decimal import ROUND_HALF_UP, Decimal

import rules

MODES = {
    "full_prepayment", "partial_prepayment", "advance", "full_payment", "partial_payment", "credit", "credit_payment",
}  # fmt: skip
SUBJECTS = {
    "commodity", "excise", "job", "service", "gambling_bet", "gambling_prize", "lottery", "lottery_prize",
    "intellectual_activity", "payment", "agent_commission", "property_right", "non_operating_gain", "insurance_premium",
    "sales_tax", "resort_fee", "composite", "another",
}  # fmt: skip
MEASURES = {
    "piece", "gram", "kilogram", "ton", "centimeter", "decimeter", "meter", "square_centimeter", "square_decimeter",
    "square_meter", "milliliter", "liter", "cubic_meter", "kilowatt_hour", "gigacalorie", "day", "hour", "minute",
    "second", "kilobyte", "megabyte", "gigabyte", "terabyte", "another",
}  # fmt: skip
FIELDS = {"customer", "items", "internet", "tax_system_code"}


def receipt(given, minor, settings):
    """Validates the receipt of a payment or refund of this amount."""
    if not isinstance(given, dict):
        raise rules.bad("Receipt is missing or illegal", "receipt")
    rules.only(given, FIELDS, "receipt.")
    customer(given.get("customer"), settings, "receipt.customer")
    codes(given, "receipt.")
    total = lines(given.get("items"), settings, "receipt.items")
    if total != minor:
        raise rules.bad(f"The sum of the items is {total}, not {minor}.", "receipt.items")


def closing(given, settings):
    """Validates a receipt that is made after its payment, and returns its sum."""
    rules.only(given, FIELDS | {"type", "payment_id", "send", "settlements"})
    if given.get("type") != "payment" or not isinstance(given.get("payment_id"), str):
        raise rules.bad("type must be payment, with a payment_id.", "type")
    if given.get("send") is not True:
        raise rules.bad("send must be true.", "send")
    customer(given.get("customer"), settings, "customer")
    codes(given, "")
    total = lines(given.get("items"), settings, "items")
    settled = 0
    for one in given.get("settlements") or [{}]:
        rules.only(one, {"type", "amount"}, "settlements.")
        if one.get("type") not in ("cashless", "prepayment", "postpayment", "consideration"):
            raise rules.bad("Unknown type of settlement.", "settlements.type")
        settled += rules.amount(one.get("amount"), "settlements.amount")[0]
    if settled != total:
        raise rules.bad("The settlements are not the sum of the items.", "settlements")
    return total


def codes(given, place):
    if "tax_system_code" in given and given["tax_system_code"] not in (1, 2, 3, 4, 5, 6):
        raise rules.bad("Unknown tax system.", f"{place}tax_system_code")
    if not isinstance(given.get("internet", True), bool):
        raise rules.bad("internet must be true or false.", f"{place}internet")


def customer(given, settings, place):
    if not isinstance(given, dict):
        raise rules.bad("The customer is missing.", place)
    rules.only(given, {"email", "phone", "full_name", "inn"}, f"{place}.")
    email, phone = given.get("email"), given.get("phone")
    # The service's own receipts go by e-mail alone.
    if email is None and (phone is None or settings["receipt_needs_email"]):
        raise rules.bad("The customer's contact is missing.", f"{place}.email")
    if email is not None and (not isinstance(email, str) or email.count("@") != 1 or len(email) > 254):
        raise rules.bad("Not an e-mail address.", f"{place}.email")
    if phone is not None and not (isinstance(phone, str) and phone.isascii() and phone.isdigit() and len(phone) <= 15):
        raise rules.bad("The phone must be digits.", f"{place}.phone")
    if "full_name" in given:
        rules.text(given["full_name"], 256, f"{place}.full_name")
    inn = given.get("inn")
    if inn is not None and not (isinstance(inn, str) and inn.isdigit() and len(inn) in (10, 12)):
        raise rules.bad("The INN must be 10 or 12 digits.", f"{place}.inn")


def lines(given, settings, place):
    """The sum in minor units: unit price times quantity, each line rounded half up."""
    if not isinstance(given, list) or not 1 <= len(given) <= settings["receipt_items"]:
        raise rules.bad(f"There must be 1 to {settings['receipt_items']} items.", place)
    return sum(line(one, f"{place}") for one in given)


def line(given, place):
    fields = {"description", "quantity", "amount", "vat_code", "payment_mode", "payment_subject", "measure"}
    if not isinstance(given, dict):
        raise rules.bad("An item must be an object.", place)
    rules.only(given, fields, f"{place}.")
    rules.text(given.get("description"), 128, f"{place}.description")
    quantity = given.get("quantity")
    if isinstance(quantity, bool) or not isinstance(quantity, (int, float)):
        raise rules.bad("The quantity must be a number.", f"{place}.quantity")
    exact = Decimal(repr(quantity))
    if not 0 < exact <= Decimal("99999.999") or exact != round(exact, 3):
        raise rules.bad("The quantity is out of range.", f"{place}.quantity")
    minor, currency = rules.amount(given.get("amount"), f"{place}.amount")
    if currency != "RUB":
        raise rules.bad("Receipts are in roubles.", f"{place}.amount.currency")
    vat = given.get("vat_code")
    if isinstance(vat, bool) or not isinstance(vat, int) or not 1 <= vat <= 12:
        raise rules.bad("Unknown VAT code.", f"{place}.vat_code")
    for name, words in (("payment_mode", MODES), ("payment_subject", SUBJECTS), ("measure", MEASURES)):
        if name in given and given[name] not in words:
            raise rules.bad(f"Unknown {name}.", f"{place}.{name}")
    return int((Decimal(minor) * exact).quantize(Decimal(1), ROUND_HALF_UP))
