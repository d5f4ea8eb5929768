"""Makes the vectors of signatures: headers by the official SDK, and its verdict on each.

    .tools/stripe/bin/python tests/providers/stripe/vectors.py > tests/providers/stripe/vectors.json
"""

import json
from unittest import mock

from stripe import SignatureVerificationError, WebhookSignature

AT = 1_794_000_000
BODY = '{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","object":"payment_intent"}}}'
OLD, NEW = "whsec_the_old_one", "whsec_the_new_one"


def made(body=BODY, secret=NEW, at=AT):
    return WebhookSignature.generate_signature_header(body, secret, at)


def verified(body, header, secret, now):
    try:
        with mock.patch("time.time", return_value=now):
            return bool(WebhookSignature.verify_header(body, header, secret, 300))
    except SignatureVerificationError:
        return False


def cases():
    mac = made().split("v1=")[1]
    old = made(secret=OLD).split("v1=")[1]
    yield "as it is sent", BODY, made(), AT
    yield "with a space and a letter beyond ASCII", ' {"x": "жук"}\n', made(' {"x": "жук"}\n'), AT
    yield "an empty body", "", made(""), AT
    yield "five minutes old", BODY, made(), AT + 300
    yield "a second too old", BODY, made(), AT + 301
    yield "from a clock that is ahead", BODY, made(), AT - 100
    yield "by both secrets of a rotation", BODY, f"t={AT},v1={old},v1={mac}", AT
    yield "by the other secret only", BODY, made(secret=OLD), AT
    yield "with another scheme beside it", BODY, f"t={AT},v0={'0' * 64},v1={mac}", AT
    yield "another scheme only", BODY, f"t={AT},v0={mac}", AT
    yield "another body", BODY.replace("pi_1", "pi_2"), made(), AT
    yield "another time", BODY, made().replace(f"t={AT}", f"t={AT + 1}"), AT
    yield "half a signature", BODY, f"t={AT},v1={mac[:32]}", AT
    yield "a signature and more", BODY, f"t={AT},v1={mac}00", AT
    yield "no signature", BODY, f"t={AT}", AT
    yield "no time", BODY, f"v1={mac}", AT
    yield "a time that is none", BODY, f"t=now,v1={mac}", AT
    yield "capital letters", BODY, f"t={AT},v1={mac.upper()}", AT
    yield "nothing", BODY, "", AT


def main():
    vectors = [
        {"name": name, "body": body, "header": header, "now": now, "secret": NEW, "good": verified(body, header, NEW, now)}
        for name, body, header, now in cases()
    ]
    print(json.dumps(vectors, indent=1, ensure_ascii=False))


main()
