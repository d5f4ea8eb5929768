// Checked by the compiler: what must not compile is marked, and a mark without an error is one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallbackEvent, CreateSessionParams, Session, Till } from "till-checkout";

/** Never called: it only has to compile. */
export async function calls(till: Till): Promise<void> {
  const item = { product_name: "Atlas", price: "49.90", currency: "EUR" };
  await till.sessions.create({ order_id: "A-1", ...item });
  await till.sessions.create({ order_id: "A-1", product_id: "prd_9f31" });
  // @ts-expect-error A price is a string.
  await till.sessions.create({ order_id: "A-1", ...item, price: 49.9 });
  // @ts-expect-error The order is missing.
  await till.sessions.create({ ...item });
  // @ts-expect-error The currency is missing.
  await till.sessions.create({ order_id: "A-1", product_name: "Atlas", price: "49.90" });
  // @ts-expect-error An item is described, or from the catalog.
  await till.sessions.create({ order_id: "A-1", product_id: "prd_9f31", ...item });
  // @ts-expect-error There is no such status.
  await till.sessions.list({ status: "done" });
  // @ts-expect-error There is no such filter.
  await till.sessions.list({ order: "A-1" });
  // @ts-expect-error There is no such outcome.
  await till.sessions.simulate("…", { outcome: "won" });
  const { status } = await till.sessions.retrieve("…");
  // @ts-expect-error There is no such status.
  assert.ok(status !== "done");
  status satisfies Session["status"];
}

function describe(event: CallbackEvent): string {
  switch (event.event) {
    case "session.paid":
      event.status satisfies "paid";
      return `${event.orderId} is paid`;
    case "session.failed":
      return `${event.orderId} failed: ${event.failureReason}`;
    case "refund.failed":
      return `refund ${event.refundId} failed: ${event.refundFailureReason ?? "no reason"}`;
    case "payment.resolved":
      return `${event.amount} ${event.resolution}`;
    case "dispute.opened":
      return `dispute ${event.disputeId}, answer by ${event.answerBy ?? "any time"}`;
    case "test.ping":
      // @ts-expect-error A ping is about no session.
      return event.orderId;
    default:
      return `ignored: ${event.event}`;
  }
}

test("the name of an event narrows its type", () => {
  const unknown = { event: "moon.rose", eventId: "e-1" } as unknown as CallbackEvent;
  assert.equal(describe(unknown), "ignored: moon.rose");
});

test("parameters that were built before are accepted", () => {
  const params: CreateSessionParams = {
    order_id: "A-1",
    product_name: "Atlas",
    price: "49.90",
    currency: "EUR",
    metadata: { cart: "C-77" },
    expires_in: 600,
  };
  assert.ok(params);
});
