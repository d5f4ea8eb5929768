"""The fake's books: payments, their states, and where each kopeck is."""

import secrets
import time

from receipts import Till
from rules import LEAST_BY_SBP, MOST_BY_SBP, Refused, wrong_state

OPEN = ("NEW", "FORM_SHOWED")
IN_WORK = ("AUTHORIZING", "3DS_CHECKING")


class Books:
    def __init__(self, terminal):
        self.terminal = terminal
        self.payments, self.shift, self.till = {}, 0.0, Till()
        self.settings = {
            "sbp": True,
            # A second payment of an order: "refuse" (error 20) or "accept".
            "duplicates": "refuse",
            # CheckOrder shows only the last payment of an order.
            "last_only": False,
            # Cancel of a payment whose form or code was shown: "closes" or "refused".
            "cancel_shown": "closes",
            # How long after its due date a payment is marked as expired, in seconds.
            "lag": 0.0,
            # GetState has the code of a decline: "none", "code", or "failed" (Success is false).
            "state_codes": "none",
            # The Amount of a refunded payment: "whole" or "left".
            "amount_after": "whole",
            # The result of refunds by card: "now" or an error code; by SBP also "async".
            "card_refunds": "now",
            "sbp_refunds": "async",
            # The amounts in the answer to a repeated refund: of the "first" answer, or of "now".
            "repeated_refund": "first",
            # The till: none, or the version of its format. What becomes of receipts: "registered", "failed",
            # "unconnected" (a notice without a document) or "silent".
            "till": None,
            "registration": "registered",
            "page": "https://pay.tbank.ru/new/{id}",
            "code": "https://qr.nspk.ru/{qrc}",
        }

    def now(self):
        return time.time() + self.shift

    def pass_time(self):
        """Payments expire silently: no notice says so."""
        for payment in self.payments.values():
            if payment["status"] in OPEN + ("3DS_CHECKING",) and self.now() >= payment["due"] + self.settings["lag"]:
                payment["status"] = "DEADLINE_EXPIRED"

    # Calls of the API. Each returns the answer and the notices that follow.

    def init(self, asked):
        same = [p for p in self.payments.values() if p["order"] == asked["order"]]
        if same and self.settings["duplicates"] == "refuse":
            raise Refused(20, "Повторный идентификатор заказа.")
        payment = {
            "id": str(3_000_000_000 + secrets.randbelow(999_999_999)),
            "status": "NEW",
            "kind": None,
            "code": None,
            "error": "0",
            "held": 0,
            "taken": 0,
            "returned": 0,
            "going": 0,
            "before": None,
            "qr_error": ("", ""),
            "requests": {},
            "busy": False,
            "receipt": None,
            "returning": None,
            "closed": False,
            **asked,
        }
        self.payments[payment["id"]] = payment
        url = self.settings["page"].format(id=payment["id"])
        return self.shown(payment) | {"PaymentURL": url}, []

    def known(self, number):
        if str(number) not in self.payments:
            raise Refused(255, "Операция не найдена.")
        return self.payments[str(number)]

    def state(self, payment):
        shown = self.shown(payment) | {"Params": [{"Key": "Route", "Value": "ACQ"}], "Unknown": {"ignore": ["me"]}}
        if payment["error"] != "0" and self.settings["state_codes"] != "none":
            failed = self.settings["state_codes"] == "failed"
            shown |= {"ErrorCode": payment["error"], "Success": not failed}
        if payment["returned"] and self.settings["amount_after"] == "left":
            shown["Amount"] = payment["taken"] - payment["returned"]
        return shown, []

    def qr(self, payment, kind):
        if not self.settings["sbp"]:
            raise Refused(3001, "Оплата через СБП не подключена.")
        if payment["two_stage"]:
            raise Refused(3013, "СБП не поддерживает двухстадийную оплату.")
        if payment["status"] not in OPEN:
            raise wrong_state()
        if not LEAST_BY_SBP <= payment["minor"] <= MOST_BY_SBP:
            raise Refused(3016, "Сумма вне допустимых границ.")
        payment.update(status="FORM_SHOWED", kind="sbp")
        if payment["code"] is None:
            payment["code"] = self.settings["code"].format(qrc="AD10" + secrets.token_hex(14).upper(), id=payment["id"])
        data = payment["code"] if kind == "PAYLOAD" else "<svg/>"
        answer = {"Success": True, "ErrorCode": "0", "TerminalKey": self.terminal, "OrderId": payment["order"]}
        return answer | {"PaymentId": int(payment["id"]), "Data": data}, []

    def qr_state(self, payment):
        code, message = payment["qr_error"]
        answer = self.shown(payment)
        return answer | ({"QrCancelCode": code, "QrCancelMessage": message} if code else {}), []

    def confirm(self, payment, minor):
        if payment["status"] != "AUTHORIZED":
            raise wrong_state()
        minor = payment["held"] if minor is None else minor
        if minor > payment["held"]:
            raise Refused(330, "Сумма больше удержанной.")
        payment.update(status="CONFIRMED", taken=minor, held=0)
        return self.shown(payment), [self.notice(payment), *self.sold(payment)]

    def sold(self, payment):
        return self.till.register(self.settings, self.head(payment), payment["receipt"], "Income", payment["taken"])

    def close(self, payment, given):
        minor = self.till.close(payment, given)
        payment["closed"] = True
        answer = {"Success": True, "ErrorCode": "0", "Message": None}
        return answer, self.till.register(self.settings, self.head(payment), given, "Income", minor)

    def check_order(self, order):
        found = [p for p in self.payments.values() if p["order"] == order]
        if not found:
            raise Refused(335, "Заказ не найден.")
        found = found[-1:] if self.settings["last_only"] else found
        shown = [{"PaymentId": p["id"], "Amount": p["minor"], "Status": p["status"], "Success": p["error"] == "0",
                  "ErrorCode": p["error"], "Message": "", "RRN": None} for p in found]  # fmt: skip
        return {"Success": True, "ErrorCode": "0", "TerminalKey": self.terminal, "OrderId": order, "Payments": shown}, []

    def cancel(self, payment, minor, request, receipt=None):
        """Cancels, releases or refunds, whatever the payment's state allows."""
        original = payment["held"] or payment["taken"] - payment["returned"] or payment["minor"]
        if request and request in payment["requests"] and payment["kind"] != "sbp":
            was = payment["requests"][request] if self.settings["repeated_refund"] == "first" else {}
            return self.cancelled(payment, original, request) | was, []
        if payment["busy"]:
            raise wrong_state()
        self.check_returned(payment, minor, receipt)
        notices = self.undo(payment, minor)
        answer = self.cancelled(payment, original, request)
        payment["requests"][request] = {name: answer[name] for name in ("OriginalAmount", "NewAmount")}
        return answer, notices

    def check_returned(self, payment, minor, receipt):
        """A partial refund has a receipt of its own; a whole one and a release have none."""
        part = payment["taken"] and minor is not None and minor < payment["taken"]
        if receipt is not None and not part:
            raise Refused(201, details="Receipt")
        needed = bool(part and payment["receipt"])
        payment["returning"] = self.till.check(self.settings, receipt, minor, needed) or payment["receipt"]

    def undo(self, payment, minor):
        status = payment["status"]
        if status == "NEW" or (status == "FORM_SHOWED" and self.settings["cancel_shown"] == "closes"):
            payment["status"] = "CANCELED"
        elif status == "FORM_SHOWED":
            raise Refused(8, "Статус не позволяет отменить.")
        elif status in ("AUTHORIZED", "PARTIAL_REVERSED"):
            self.release(payment, minor)
        elif status in ("CONFIRMED", "PARTIAL_REFUNDED"):
            return self.give_back(payment, minor)
        else:
            raise wrong_state()
        return [self.notice(payment)]

    def release(self, payment, minor):
        minor = payment["held"] if minor is None else minor
        if minor > payment["held"]:
            raise Refused(330, "Сумма больше удержанной.")
        payment["held"] -= minor
        payment["status"] = "PARTIAL_REVERSED" if payment["held"] else "REVERSED"

    def give_back(self, payment, minor):
        left = payment["taken"] - payment["returned"]
        minor = left if minor is None else minor
        if minor > left:
            raise Refused(1202, "Сумма возврата больше остатка.")
        result = self.settings["sbp_refunds" if payment["kind"] == "sbp" else "card_refunds"]
        if result not in ("now", "async"):
            raise Refused(result, "Возврат невозможен.")
        payment.update(before=payment["status"], going=minor, status="ASYNC_REFUNDING", qr_error=("", ""))
        return [] if result == "async" else self.finish_refund(payment, done=True)

    def finish_refund(self, payment, done, code="I05043"):
        """The end of a refund: made, or undone without a notice."""
        if payment["status"] != "ASYNC_REFUNDING":
            raise wrong_state()
        minor, payment["going"] = payment["going"], 0
        if not done:
            payment.update(status=payment["before"], qr_error=(code, "Банк плательщика отклонил возврат."))
            return []
        payment["returned"] += minor
        whole = payment["returned"] == payment["taken"]
        payment["status"] = "REFUNDED" if whole else "PARTIAL_REFUNDED"
        returned = self.till.register(self.settings, self.head(payment), payment["returning"], "IncomeReturn", minor)
        return [self.notice(payment), *returned]

    def cancelled(self, payment, original, request):
        left = payment["held"] + payment["taken"] - payment["returned"] - payment["going"]
        answer = self.shown(payment) | {"OriginalAmount": original, "NewAmount": left}
        del answer["Amount"]
        return answer | ({"ExternalRequestId": request} if request else {})

    # Acts of customers and banks.

    def show(self, payment):
        if payment["status"] == "NEW":
            payment["status"] = "FORM_SHOWED"
        return []

    def authorize(self, payment, status="AUTHORIZING"):
        self.payable(payment)
        payment["status"] = status
        return []

    def payable(self, payment):
        """A link or code is dead at its due date, whatever the payment's status says."""
        if payment["status"] not in OPEN + IN_WORK:
            raise Refused(4, f"The payment is {payment['status']}.")
        if payment["status"] in OPEN and self.now() >= payment["due"]:
            raise Refused(4, "The link is dead.")

    def pay(self, payment):
        self.payable(payment)
        payment["kind"] = payment["kind"] or "card"
        if payment["two_stage"] and payment["kind"] == "card":
            payment.update(status="AUTHORIZED", held=payment["minor"])
            return [self.notice(payment)]
        payment.update(status="CONFIRMED", taken=payment["minor"])
        # Both at the same time.
        return [self.notice(payment, "AUTHORIZED"), self.notice(payment), *self.sold(payment)]

    def decline(self, payment, code="1051", status="REJECTED"):
        if payment["status"] not in OPEN + IN_WORK:
            raise Refused(4, f"The payment is {payment['status']}.")
        payment.update(status=status, error=str(code))
        return [self.notice(payment)] if status == "REJECTED" else []

    # The JSON objects of the API.

    def shown(self, payment):
        return {
            "Success": True,
            "ErrorCode": "0",
            "TerminalKey": self.terminal,
            "Status": payment["status"],
            "PaymentId": payment["id"],
            "OrderId": payment["order"],
            "Amount": payment["minor"],
        }

    def head(self, payment):
        """What every notice has."""
        return {"TerminalKey": self.terminal, "OrderId": payment["order"], "PaymentId": int(payment["id"])}

    def notice(self, payment, status=None):
        status = status or payment["status"]
        pan = {"Pan": "+7 (***) ***-**-67"} if payment["kind"] == "sbp" else {"Pan": "430000******0777", "CardId": 1}
        return self.head(payment) | {
            "Success": payment["error"] == "0",
            "Status": status,
            "ErrorCode": payment["error"],
            "Amount": payment["minor"],
            **pan,
            "Data": {"Source": "qrsbp" if payment["kind"] == "sbp" else "cards"},
        }

    def truth(self):
        """Payments, and the sums of the money by state, in kopecks."""
        names = ("id", "order", "status", "kind", "minor", "due", "held", "taken", "returned", "going", "receipt", "back")
        payments = [{name: payment[name] for name in names} for payment in self.payments.values()]
        totals = {name: sum(payment[name] for payment in payments) for name in ("held", "taken", "returned")}
        return {"payments": payments, "receipts": self.till.made, **totals}
