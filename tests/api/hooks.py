"""Lets part of the generated requests go through: JSON Schema cannot say which currencies exist, which fields belong
together or which credentials are right, so hardly any generated body would be accepted without help. Two of three
well-formed bodies get what is missing; the third, and every malformed one, is sent as generated."""

import json
import os
import re

import schemathesis

CREDENTIALS = json.load(open(os.environ["TILL_FUZZ_VENDOR"]))
CURRENCIES = [("RUB", "4990.00"), ("jpy", 100), ("KWD", "1.001"), ("USD", 49.9)]


@schemathesis.hook
def before_call(context, case, kwargs):
    mode = case.meta.generation.mode if case.meta else None
    # The fuzzer need not sit out every wait that the document allows.
    if re.fullmatch("([12]?[0-9]|30)s|([12]?[0-9]{1,4}|30000)ms", str((case.query or {}).get("wait"))):
        case.query["wait"] = "5ms"
    if mode is None or not mode.is_positive or not isinstance(case.body, dict):
        return
    turn = len(json.dumps(case.body, default=str))
    if turn % 3 == 0:
        return
    environment = "sandbox" if case.path.startswith("/api/sandbox") else "live"
    if case.path.endswith("/tokens"):
        case.body.update(CREDENTIALS[environment])
    elif case.path.endswith("session"):
        for name in ("product_id", "category_id", "defaultPaymentMethod", "availablePaymentMethods", "callback_url"):
            case.body.pop(name, None)
        currency, price = CURRENCIES[turn % len(CURRENCIES)]
        case.body.update(product_name="Atlas", currency=currency, price=price)
