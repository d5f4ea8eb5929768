"""Runs the official SDK against the fake: it must accept the fake's objects, errors and signatures as the real ones.

    .tools/stripe/bin/python tests/providers/stripe/sdk.py
"""

import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

import stripe

HERE = pathlib.Path(__file__).parent
SECRET, PUBLISHABLE = "sk_test_sdk", "pk_test_sdk"


class Running:
    """The fake as a process of its own."""

    def __init__(self):
        command = [sys.executable, str(HERE / "fake.py"), "--secret-key", SECRET, "--publishable-key", PUBLISHABLE]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ports = json.loads(self.process.stdout.readline())
        self.api = f"http://127.0.0.1:{self.ports['api']}"

    def control(self, at, /, **wish):
        url = f"http://127.0.0.1:{self.ports['control']}{at}"
        data = json.dumps(wish).encode() if wish or not at.startswith(("/truth", "/signed")) else None
        with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
            return json.load(answer)

    def raw(self, path, body="", key="k", version=stripe.api_version, auth=f"Bearer {SECRET}",
            kind="application/x-www-form-urlencoded", method="POST"):
        headers = {"Authorization": auth, "Stripe-Version": version, "Content-Type": kind, "Idempotency-Key": key}
        headers = {name: value for name, value in headers.items() if value}
        request = urllib.request.Request(self.api + path, body.encode() if method == "POST" else None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


class WithFake(unittest.TestCase):
    def setUp(self):
        self.fake = Running()
        self.addCleanup(self.fake.stop)
        self.client = stripe.StripeClient(SECRET, base_addresses={"api": self.fake.api}, max_network_retries=0)
        self.intents, self.refunds = self.client.v1.payment_intents, self.client.v1.refunds

    def create(self, **more):
        params = {"amount": 4990, "currency": "usd", "allowed_payment_method_types": ["card"], "metadata": {"session_id": "s"}}
        return self.intents.create({**params, **more})

    def pay(self, method="pm_card_visa", **more):
        return self.intents.confirm(self.create(**more).id, {"payment_method": method, "return_url": "https://shop.example"})

    def test_the_pinned_version_is_the_sdks_own(self):
        self.assertEqual(stripe.api_version, "2026-10-28.endive")

    def test_a_payment_from_creation_to_refund(self):
        intent = self.create()
        self.assertEqual((intent.object, intent.status, intent.payment_method_types), ("payment_intent", "requires_payment_method", ["card"]))
        self.assertTrue(intent.client_secret.startswith(intent.id + "_secret_"))
        paid = self.intents.confirm(intent.id, {"payment_method": "pm_card_visa"})
        self.assertEqual((paid.status, paid.amount_received), ("succeeded", 4990))
        read = self.intents.retrieve(intent.id, {"expand": ["latest_charge"]})
        self.assertIsInstance(read.latest_charge, stripe.Charge)
        self.assertEqual(read.latest_charge.payment_method_details.card.last4, "4242")
        part = self.refunds.create({"payment_intent": intent.id, "amount": 990, "reason": "requested_by_customer"})
        self.assertEqual((part.object, part.status, part.amount), ("refund", "succeeded", 990))
        with self.assertRaises(stripe.InvalidRequestError):
            self.refunds.create({"payment_intent": intent.id, "amount": 4001})
        self.assertEqual(self.refunds.create({"payment_intent": intent.id}).amount, 4000, "the rest")
        with self.assertRaises(stripe.InvalidRequestError) as over:
            self.refunds.create({"payment_intent": intent.id})
        self.assertEqual(over.exception.code, "charge_already_refunded")
        self.assertEqual(self.fake.control("/truth")["totals"], {"usd": {"received": 4990, "refunded": 4990, "disputed": 0}})
        self.assertEqual([r.amount for r in self.refunds.list({"payment_intent": intent.id}).data], [4000, 990])

    def test_a_decline_says_why_and_leaves_the_intent_open(self):
        intent = self.create()
        with self.assertRaises(stripe.CardError) as declined:
            self.intents.confirm(intent.id, {"payment_method": "pm_card_chargeDeclinedInsufficientFunds"})
        error = declined.exception
        self.assertEqual((error.http_status, error.code, error.error.decline_code), (402, "card_declined", "insufficient_funds"))
        self.assertEqual(error.error.payment_intent.status, "requires_payment_method")
        read = self.intents.retrieve(intent.id)
        self.assertEqual(read.last_payment_error.decline_code, "insufficient_funds")

    def test_cancelling_keeps_to_the_states_and_reasons(self):
        intent = self.create()
        with self.assertRaises(stripe.InvalidRequestError):
            self.intents.cancel(intent.id, {"cancellation_reason": "expired"})
        closed = self.intents.cancel(intent.id, {"cancellation_reason": "abandoned"})
        self.assertEqual((closed.status, closed.cancellation_reason), ("canceled", "abandoned"))
        for status in (intent.id, self.pay().id):
            with self.assertRaises(stripe.InvalidRequestError) as late:
                self.intents.cancel(status)
            self.assertEqual(late.exception.code, "payment_intent_unexpected_state")
        with self.assertRaises(stripe.InvalidRequestError):
            self.intents.confirm(intent.id, {"payment_method": "pm_card_visa"})

    def test_three_d_secure_is_answered_by_the_customer(self):
        for outcome, status in (("confirm", "succeeded"), ("refuse", "requires_payment_method")):
            intent = self.pay("pm_card_threeDSecure2Required")
            self.assertEqual((intent.status, intent.next_action.type), ("requires_action", "use_stripe_sdk"))
            self.fake.control("/customer", intent=intent.id, three_ds=outcome)
            self.assertEqual(self.intents.retrieve(intent.id).status, status)

    def test_a_key_is_used_once(self):
        params = {"amount": 500, "currency": "usd", "allowed_payment_method_types": ["card"]}
        first = self.intents.create(params, {"idempotency_key": "one"})
        self.assertEqual(self.intents.create(params, {"idempotency_key": "one"}).id, first.id)
        with self.assertRaises(stripe.IdempotencyError):
            self.intents.create({**params, "amount": 501}, {"idempotency_key": "one"})
        # A request that failed validation is not remembered; one that was executed is, its failure too.
        with self.assertRaises(stripe.InvalidRequestError):
            self.intents.create({**params, "amount": 1}, {"idempotency_key": "two"})
        self.intents.create(params, {"idempotency_key": "two"})
        self.intents.confirm(first.id, {"payment_method": "pm_card_visa"})
        for _ in range(2):
            with self.assertRaises(stripe.InvalidRequestError):
                self.intents.cancel(first.id, {}, {"idempotency_key": "three"})
        self.assertEqual(len(self.fake.control("/truth")["intents"]), 2)

    def test_what_the_service_refuses_is_refused(self):
        good = "amount=500&currency=usd&allowed_payment_method_types[0]=card"
        def code(**how):
            how.setdefault("body", good)
            return self.fake.raw("/v1/payment_intents", **how)
        self.assertEqual(code(key="a")[0], 200)
        self.assertEqual(code(key="b", auth="Basic c2tfdGVzdF9zZGs6")[0], 200)
        self.assertEqual(code(key=None)[0], 400)
        self.assertEqual(code(key="x" * 256)[0], 400)
        self.assertEqual(code(version="2025-01-27.acacia")[0], 400)
        self.assertEqual(code(version=None)[0], 400)
        for auth in (None, "Bearer sk_test_other", "Bearer", "Basic c2tfdGVzdF9zZGs6eA=="):
            self.assertEqual(code(auth=auth)[0], 401, auth)
        self.assertEqual(code(auth=f"Bearer {PUBLISHABLE}")[0], 403)
        self.assertEqual(code(kind="application/json", body='{"amount":500}')[0], 400)
        refused = {
            "amount=500&currency=usd&payment_method_types[0]=card": "payment_method_types_no_longer_supported",
            good + "&automatic_payment_methods[enabled]=true": None,
            good + "&surprise=1": "parameter_unknown",
            "amount=5.00&currency=usd": "parameter_invalid_integer", "amount=49&currency=usd": "amount_too_small",
            "amount=100000000&currency=usd": "amount_too_large", "amount=500&currency=USD": None,
            "amount=500&currency=zzz": None, "amount=1235&currency=kwd": "parameter_invalid_integer",
            "amount=550&currency=isk": "parameter_invalid_integer", "currency=usd": "parameter_missing",
        }
        for number, (body, expected) in enumerate(refused.items()):
            status, answer = code(key=f"r{number}", body=body)
            self.assertEqual((status, answer["error"].get("code")), (400, expected), body)
        self.assertEqual(code(key="z", body="amount=1230&currency=kwd")[0], 200)

    def test_the_browser_may_only_confirm_what_it_has_the_secret_of(self):
        intent, other = self.create(), self.create()
        card = "payment_method_data[type]=card&payment_method_data[card][number]=4242424242424242" \
            "&payment_method_data[card][exp_month]=12&payment_method_data[card][exp_year]=34&return_url=https://shop.example"
        def confirm(secret, form=card):
            return self.fake.raw(f"/v1/payment_intents/{intent.id}/confirm", f"key={PUBLISHABLE}&client_secret={secret}&{form}",
                                 key=None, version=None, auth=None)
        self.assertEqual(confirm(other.client_secret)[0], 400)
        self.assertEqual(confirm(intent.client_secret, card.replace("4242&", "4241&"))[1]["error"]["code"], "incorrect_number")
        self.assertEqual(confirm(intent.client_secret)[1]["status"], "succeeded")
        self.assertEqual(self.fake.raw(f"/v1/payment_intents/{intent.id}/cancel", f"key={PUBLISHABLE}&client_secret="
                                       f"{intent.client_secret}", key="c", version=None, auth=None)[0], 403)

    def test_faults_are_what_the_sdk_takes_them_for(self):
        for kind, error in (("drop_before", stripe.APIConnectionError), ("malformed", stripe.APIError),
                            ("error_before", stripe.APIError), ("rate", stripe.RateLimitError)):
            self.fake.control("/fault", path="/v1/balance", kind=kind)
            with self.assertRaises(error):
                self.client.v1.balance.retrieve()
        patient = stripe.StripeClient(SECRET, base_addresses={"api": self.fake.api}, max_network_retries=2)
        self.fake.control("/fault", path="/v1/payment_intents", kind="drop_after")
        self.fake.control("/fault", path="/v1/payment_intents", kind="conflict")
        patient.v1.payment_intents.create({"amount": 500, "currency": "usd"})
        self.assertEqual(len(self.fake.control("/truth")["intents"]), 1, "three calls, one intent")

    def test_signatures_are_what_the_sdk_verifies(self):
        self.pay("pm_card_createDispute")
        self.fake.control("/endpoint", secrets=["whsec_old", "whsec_new"])
        events = self.fake.control("/signed")
        self.assertIn("charge.dispute.created", [event["type"] for event in events])
        for event in events:
            for secret in ("whsec_old", "whsec_new"):
                built = stripe.Webhook.construct_event(event["body"], event["signature"], secret)
                self.assertEqual((built.id, built.api_version), (event["id"], stripe.api_version))
            with self.assertRaises(stripe.SignatureVerificationError):
                stripe.Webhook.construct_event(event["body"], event["signature"], "whsec_other")
        for how in ("age=301", "forge=secret", "forge=body", "forge=scheme", "forge=unsigned"):
            for event in self.fake.control(f"/signed?{how}"):
                with self.assertRaises(stripe.SignatureVerificationError):
                    stripe.Webhook.construct_event(event["body"], event["signature"], "whsec_old")

    def test_events_are_delivered_and_on_command_again_in_another_order_and_forged(self):
        got = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                try:
                    event = stripe.Webhook.construct_event(body, self.headers["stripe-signature"], "whsec_fake")
                    got.append(event.type)
                    self.send_response(200)
                except stripe.SignatureVerificationError:
                    got.append("forged")
                    self.send_response(400)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.fake.control("/endpoint", url=f"http://127.0.0.1:{server.server_port}/")
        self.pay()
        for _ in range(100):
            if len(got) == 3:
                break
            time.sleep(0.05)
        self.assertEqual(sorted(got), ["charge.succeeded", "payment_intent.created", "payment_intent.succeeded"])
        got.clear()
        self.fake.control("/deliver", order="reverse", times=2)
        self.assertEqual(got, ["charge.succeeded", "payment_intent.succeeded", "payment_intent.created"] * 2)
        got.clear()
        self.fake.control("/deliver", forge="secret")
        self.fake.control("/deliver", age=400)
        self.assertEqual(set(got), {"forged"})

    def test_refunds_may_fail_later_and_disputes_may_be_won(self):
        intent = self.pay()
        self.fake.control("/refunds", next=["pending"])
        refund = self.refunds.create({"payment_intent": intent.id, "amount": 4990})
        self.assertEqual((refund.status, refund.pending_reason), ("pending", "processing"))
        self.fake.control("/refund", id=refund.id, status="failed", failure="expired_or_canceled_card")
        read = self.refunds.retrieve(refund.id)
        self.assertEqual((read.status, read.failure_reason), ("failed", "expired_or_canceled_card"))
        self.assertEqual(self.fake.control("/truth")["totals"]["usd"]["refunded"], 0)
        dispute = self.fake.control("/dispute", intent=intent.id)
        with self.assertRaises(stripe.InvalidRequestError) as refused:
            self.refunds.create({"payment_intent": intent.id})
        self.assertEqual(refused.exception.code, "charge_disputed")
        self.fake.control("/dispute/close", id=dispute["id"], won=True)
        self.assertEqual(self.client.v1.disputes.retrieve(dispute["id"]).status, "won")


if __name__ == "__main__":
    unittest.main()
