import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { TillCallbackError, verifyCallback, type Till, type VerifyOptions } from "till-checkout";
import { TillDemo } from "till-checkout/testing";
import { newOrder, Receiver, type Received } from "./support.js";

interface Vector {
  name: string;
  secret: string;
  body: string;
  xSignature: string;
  valid: boolean;
  webhookId?: string;
  webhookTimestamp?: string;
  webhookSignature?: string;
}

const { vectors } = JSON.parse(await readFile("../../docs/callbacks/vectors.json", "utf8")) as {
  vectors: Vector[];
};

let demo: TillDemo;
let till: Till;
let receiver: Receiver;
let secret: string;
let received: Received;
before(async () => {
  demo = await TillDemo.start();
  till = demo.client();
  receiver = await Receiver.start();
  secret = demo.sandbox.clientSecret;
  await simulatePaid();
  received = await receiver.next();
});
after(async () => {
  await receiver.stop();
  await demo.stop();
});

async function simulatePaid(): Promise<string> {
  const order = newOrder({ callback_url: receiver.url, metadata: { cart: "C-77" } });
  const { session_id } = await till.sessions.create(order);
  await till.sessions.simulate(session_id, { outcome: "paid" });
  return session_id;
}

function verify({ body, headers }: Received, options: Partial<VerifyOptions> = {}) {
  return verifyCallback(body, headers, { secret, environment: "sandbox", ...options });
}

function refused(reason: TillCallbackError["reason"], run: () => unknown): void {
  assert.throws(run, (error) => error instanceof TillCallbackError && error.reason === reason, reason);
}

function withHeaders(changes: Record<string, string | undefined>, from = received): Received {
  return { body: from.body, headers: { ...from.headers, ...changes } };
}

/** Signs a body as Till does, with all secrets. */
function signed(body: string, secrets: string[], timestamp = Math.floor(Date.now() / 1000)): Received {
  const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest();
  const [first = "", second = ""] = secrets.map((secret) => hmac(secret, body).toString("hex"));
  const standard = secrets.map(
    (secret) => `v1,${hmac(secret, `id.${timestamp}.${body}`).toString("base64")}`,
  );
  return {
    body: Buffer.from(body),
    headers: {
      "x-signature": first,
      ...(second ? { "x-signature-alternate": second } : {}),
      "x-environment": "sandbox",
      "webhook-id": "id",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": standard.join(" "),
    },
  };
}

test("a real callback is verified", () => {
  const event = verify(received);
  assert.ok(event.event === "session.paid");
  assert.equal(event.status, "paid");
  assert.deepEqual([event.price, event.currency, event.metadata], ["49.90", "EUR", { cart: "C-77" }]);
  assert.equal(event.eventId, received.headers["webhook-id"]);
});

test("a refund and a dispute call back too", async () => {
  const sessionId = await simulatePaid();
  await receiver.next();
  const { refundId } = await till.refunds.create(sessionId, { amount: "10.00" });
  const refund = verify(await receiver.next());
  assert.ok(refund.event === "refund.succeeded");
  assert.deepEqual(
    [refund.refundId, refund.refundAmount, refund.refundedTotal],
    [refundId, "10.00", "10.00"],
  );

  await till.sessions.simulate(sessionId, { event: "dispute.opened" });
  const dispute = verify(await receiver.next());
  assert.ok(dispute.event === "dispute.opened");
  assert.equal(dispute.amount, "39.90");
});

test("header names are read in any case, from objects and from Headers", () => {
  const entries = Object.entries(received.headers).map(([name, value]) => [name, String(value)] as const);
  const upper = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]));
  const fetched = new Headers(entries.map(([name, value]) => [name, value]));
  for (const headers of [upper, fetched]) {
    const options = { secret, environment: "sandbox" } as const;
    assert.equal(verifyCallback(received.body, headers, options).event, "session.paid");
  }
});

test("a changed body is refused", () => {
  const body = Buffer.from(received.body.toString().replace("49.90", "49.91"));
  refused("invalid_signature", () => verify({ ...received, body }));
});

test("a wrong secret is refused, and so is none", () => {
  refused("invalid_signature", () => verify(received, { secret: "sk_sandbox_other" }));
  refused("no_secret", () => verify(received, { secret: "" }));
  refused("no_secret", () => verify(received, { secret: undefined as unknown as string }));
  refused("no_secret", () => verify(received, { secret: [] }));
  refused("no_secret", () => verify(received, { secret: ["", ""] }));
});

test("a callback without a signature is refused", () => {
  refused("missing_signature", () => verify(withHeaders({ "x-signature": undefined })));
});

test("a callback outside the time window is refused", () => {
  const sent = Number(received.headers["webhook-timestamp"]) * 1000;
  const at = (seconds: number) => ({ now: new Date(sent + seconds * 1000) });
  refused("timestamp_too_old", () => verify(received, at(301)));
  refused("timestamp_too_new", () => verify(received, at(-301)));
  verify(received, at(300));
  verify(received, at(-300));
  refused("timestamp_too_old", () => verify(received, { ...at(11), toleranceSeconds: 10 }));
  verify(received, { ...at(1e6), toleranceSeconds: null });
  refused("timestamp_too_old", () => verify(received, { toleranceSeconds: NaN }));
});

test("a renewed timestamp or id does not match the signature", () => {
  const now = String(Number(received.headers["webhook-timestamp"]) + 1);
  refused("invalid_signature", () => verify(withHeaders({ "webhook-timestamp": now })));
  refused("invalid_signature", () => verify(withHeaders({ "webhook-id": "other" })));
});

test("the webhook headers are required, unless no time window is wanted", () => {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  for (const name of names) {
    refused("missing_timestamp", () => verify(withHeaders({ [name]: undefined })));
    refused("missing_timestamp", () =>
      verify(withHeaders({ [name]: undefined }), { toleranceSeconds: null }),
    );
  }
  const without = withHeaders(Object.fromEntries(names.map((name) => [name, undefined])));
  refused("missing_timestamp", () => verify(without));
  assert.equal(verify(without, { toleranceSeconds: null }).event, "session.paid");
  const changed = withHeaders({ "webhook-id": "other" });
  refused("invalid_signature", () => verify(changed, { toleranceSeconds: null }));
});

test("a timestamp that is not a number is refused, even if it is signed", () => {
  const body = received.body.toString();
  refused("invalid_timestamp", () => verify(signed(body, [secret], NaN)));
});

test("another environment is refused, and so is the other environment's secret", () => {
  refused("wrong_environment", () => verify(received, { environment: "live" }));
  const forged = withHeaders({ "x-environment": "live" });
  refused("wrong_environment", () => verify(forged, { environment: "live" }));
  const both = [secret, "sk_live_secret"];
  refused("invalid_signature", () => verify(forged, { environment: "live", secret: both }));
  refused("wrong_environment", () => verify(withHeaders({ "x-environment": undefined })));
});

test("while a rotation overlaps, either secret verifies, in either header", () => {
  const body = received.body.toString();
  const both = signed(body, ["sk_sandbox_old", "sk_sandbox_new"]);
  for (const secret of ["sk_sandbox_old", "sk_sandbox_new", ["sk_sandbox_new", "sk_sandbox_unused"]]) {
    assert.equal(verify(both, { secret }).event, "session.paid");
  }
  refused("invalid_signature", () => verify(both, { secret: ["sk_sandbox_unused"] }));
  const oldOnly = signed(body, ["sk_sandbox_old"]);
  verify(oldOnly, { secret: ["sk_sandbox_new", "sk_sandbox_old"] });
});

test("an event and fields that are not known are accepted", () => {
  const body = '{"event":"moon.rose","eventId":"e-1","occurredAt":"2026-11-15T09:31:30.000Z","phase":"full"}';
  assert.deepEqual(verify(signed(body, [secret])), JSON.parse(body));
});

test("a body that is no event is refused, even if it is signed", () => {
  for (const body of ["", "null", "[]", "{}", "not JSON", '{"event":1,"eventId":"e-1"}']) {
    refused("invalid_body", () => verify(signed(body, [secret])));
  }
});

for (const vector of vectors) {
  test(`vector: ${vector.name}`, () => {
    const { webhookId, webhookTimestamp, webhookSignature } = vector;
    const headers = {
      "X-Signature": vector.xSignature,
      "webhook-id": webhookId,
      "webhook-timestamp": webhookTimestamp,
      "webhook-signature": webhookSignature,
    };
    const options = { secret: vector.secret, now: new Date(Number(webhookTimestamp ?? 0) * 1000) };
    const run = () => verifyCallback(Buffer.from(vector.body), headers, options);
    if (vector.valid) {
      assert.deepEqual(run(), JSON.parse(vector.body));
    } else {
      refused(vector.secret ? "invalid_signature" : "no_secret", run);
    }
  });
}

test("there are vectors of both kinds, with the signature that covers the time", () => {
  const right = vectors.filter(({ valid }) => valid);
  assert.ok(right.length > 0 && right.length < vectors.length);
  assert.ok(right.every(({ webhookSignature }) => webhookSignature));
});
