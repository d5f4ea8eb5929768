"""Checks with the Standard Webhooks library what docs/callbacks.md says about its headers: the key, and both signatures
of an overlap."""

import base64
import json
import time
from datetime import datetime, timedelta, timezone

from standardwebhooks import Webhook, WebhookVerificationError


def webhook(secret):
    return Webhook("whsec_" + base64.b64encode(secret.encode()).decode())


with open("docs/callbacks/vectors.json", encoding="utf-8") as file:
    vectors = [vector for vector in json.load(file)["vectors"] if vector["valid"]]
assert vectors
for vector in vectors:
    moment = datetime.fromtimestamp(int(vector["webhookTimestamp"]), timezone.utc)
    signature = webhook(vector["secret"]).sign(vector["webhookId"], moment, vector["body"])
    assert signature == vector["webhookSignature"], f"{vector['name']}: the library makes {signature}"
    assert vector["webhookId"] == json.loads(vector["body"])["eventId"], vector["name"]

body, secrets = vectors[0]["body"], ["the old secret", "the new secret"]
now = datetime.fromtimestamp(int(time.time()), timezone.utc)
signatures = [webhook(secret).sign("an-id", now, body) for secret in secrets]
for order in (signatures, signatures[::-1]):
    headers = {
        "webhook-id": "an-id",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(order),
    }
    for secret in secrets:
        webhook(secret).verify(body, headers)


# T5: a recorded callback cannot be sent again later, neither as it was nor with a new time.
def refused(moment, shown):
    headers = {"webhook-id": "an-id", "webhook-timestamp": str(int(shown.timestamp())),
               "webhook-signature": webhook(secrets[0]).sign("an-id", moment, body)}
    try:
        webhook(secrets[0]).verify(body, headers)
    except WebhookVerificationError:
        return True
    return False


recorded = now - timedelta(minutes=6)
assert not refused(now, now), "a fresh callback is accepted"
assert refused(recorded, recorded), "six minutes old"
assert refused(recorded, now), "with another time than the signed one"
