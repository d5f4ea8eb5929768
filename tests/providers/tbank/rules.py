"""What the fake refuses, by the documentation: tokens, members, types, lengths and limits."""

import datetime
import hashlib
import hmac
import json
import re

MEMBERS = {
    "Init": {
        "Amount", "OrderId", "Description", "PayType", "Language", "NotificationURL", "SuccessURL", "FailURL",
        "RedirectDueDate", "DATA", "CustomerKey", "Recurrent", "IP", "Receipt",
    },
    "GetState": {"PaymentId", "IP"},
    "GetQr": {"PaymentId", "DataType", "BankId"},
    "GetQrState": {"PaymentId"},
    "Confirm": {"PaymentId", "Amount", "IP"},
    "Cancel": {"PaymentId", "Amount", "ExternalRequestId", "QrMemberId", "IP", "Receipt"},
    "SendClosingReceipt": {"PaymentId", "Receipt"},
    "CheckOrder": {"OrderId"},
}  # fmt: skip
LEAST, LEAST_BY_SBP, MOST_BY_SBP = 100, 1_000, 100_000_000
# A due date is refused that is nearer or further than this; a call takes a while.
NEAREST, FURTHEST, A_WHILE = 60, 90 * 24 * 3600, 1.0


class Refused(Exception):
    """A refusal with T-Bank's code."""

    def __init__(self, code, message="Неверные параметры.", details=""):
        super().__init__(f"{code} {message} {details}")
        self.code, self.message, self.details = str(code), message, details

    def shape(self):
        return {"Success": False, "ErrorCode": self.code, "Message": self.message, "Details": self.details}


def wrong_state(details="Изменение статуса недопустимо."):
    return Refused(4, "Запрашиваемое состояние транзакции является неверным.", details)


def token(members, password):
    """The signature: written again from the documentation, not from the adapter."""
    plain = {}
    for name, value in members.items():
        if name == "Token" or value is None or isinstance(value, (dict, list)):
            continue
        plain[name] = value if isinstance(value, str) else json.dumps(value)
    plain["Password"] = password
    return hashlib.sha256("".join(plain[name] for name in sorted(plain)).encode()).hexdigest()


def document(headers, body):
    if headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
        raise Refused(201, details="Content-Type")
    try:
        members = json.loads(body)
    except ValueError:
        raise Refused(201, details="JSON") from None
    if not isinstance(members, dict):
        raise Refused(201, details="JSON")
    return members


def signed(members, password):
    given = members.get("Token")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), token(members, password).encode()):
        raise Refused(204, details="Неверный токен. Проверьте пару TerminalKey/SecretKey.")


def only(method, members):
    unknown = set(members) - MEMBERS[method] - {"TerminalKey", "Token"}
    if unknown:
        raise Refused(201, details=", ".join(sorted(unknown)))


def text(members, name, most, code, needed=False):
    value = members.get(name)
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= most:
        raise Refused(code, details=f"{name}: {value!r}")
    return value


def amount(members, needed):
    value = members.get("Amount")
    if value is None and not needed:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= 9_999_999_999:
        raise Refused(206, details=f"Amount: {value!r}")
    return value


def due_date(members, now):
    value = text(members, "RedirectDueDate", 40, 12)
    if value is None:
        return now + 24 * 3600
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00", value):
        raise Refused(12, details="RedirectDueDate")
    due = datetime.datetime.fromisoformat(value).timestamp()
    if not NEAREST - A_WHILE <= due - now <= FURTHEST:
        raise Refused(3017, "Недопустимый срок.", f"{due - now:.1f} s")
    return due


def is_key(name):
    """The documentation names one key itself that is longer than it allows."""
    return len(name) <= 20 or name == "OperationInitiatorType"


def init(members, now):
    for name in ("SuccessURL", "FailURL", "NotificationURL"):
        url = text(members, name, 250, 240)
        if url is not None and not re.match(r"https?://[^/]+/", url):
            raise Refused(240, details=name)
    text(members, "Description", 140, 214)
    if members.get("PayType", "O") not in ("O", "T"):
        raise Refused(250, details="PayType")
    if members.get("Language", "ru") not in ("ru", "en"):
        raise Refused(230, details="Language")
    data = members.get("DATA", {})
    small = isinstance(data, dict) and len(data) <= 20
    if not small or not all(isinstance(v, str) and is_key(k) and len(v) <= 100 for k, v in data.items()):
        raise Refused(243, details="DATA")
    minor = amount(members, needed=True)
    if minor < LEAST:
        raise Refused(251, "Неверная сумма.")
    return {
        "order": text(members, "OrderId", 36, 212, needed=True),
        "minor": minor,
        "two_stage": members.get("PayType", "O") == "T",
        "due": due_date(members, now),
        "back": members.get("SuccessURL", "https://shop.example/"),
    }
