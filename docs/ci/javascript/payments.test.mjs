// The payments of the shop, with a real Till. Every run has the same ids, times and signatures.
import { TillDemo } from "till-checkout/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Shop } from "./shop.mjs";

const { DEMO_PORT = "8080", SHOP_PORT = "3000", SHOP_URL = `http://127.0.0.1:${SHOP_PORT}` } = process.env;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

let demo, till, shop, server;
beforeAll(async () => {
  demo = await TillDemo.start({ seed: 7, clock: "manual", port: Number(DEMO_PORT) });
  till = demo.client();
  shop = new Shop({ till, secret: demo.sandbox.clientSecret, url: SHOP_URL, now: () => demo.now() });
  server = await shop.listen(Number(SHOP_PORT));
}, 30_000);
afterAll(async () => {
  await demo.stop();
  server.close();
});

test("ids, times and signatures are the same in every run", async () => {
  // Ids contain the time: this test is the first, before time is moved.
  const { session_id } = await shop.checkOut("A-1", "49.90");
  await till.sessions.simulate(session_id, { outcome: "paid" });
  await demo.runDue();
  const [{ body, headers }] = (await till.callbacks.list()).callbacks;
  const { eventId, occurredAt } = JSON.parse(body);
  expect(session_id).toBe("019b76da-a800-7001-9679-7cd1a2a2cef3");
  expect(eventId).toBe("019b76da-a800-7001-9c5e-3825c9db4919");
  expect(occurredAt).toBe("2026-01-01T00:00:00.000Z");
  expect(headers["x-signature"]).toBe("3e1f38b38c64b47d1e63957e8e8ec984748740ed5810b8e04492fc2a0ba13045");
});

test("a paid order ships once", async () => {
  const { session_id } = await shop.checkOut("A-2", "49.90");
  await till.sessions.simulate(session_id, { outcome: "paid", callback: { fault: "duplicate" } });
  await demo.runDue();
  expect(shop.shipments.filter((id) => id === "A-2")).toHaveLength(1);
});

test("a declined card fails the order", async () => {
  const { session_id } = await shop.checkOut("A-3", "49.90");
  await till.sessions.simulate(session_id, { outcome: "failed", failure_reason: "card_declined" });
  await demo.runDue();
  expect(shop.orders.get("A-3").status).toBe("failed");
});

test("an order that is not paid is canceled after 15 minutes", async () => {
  await shop.checkOut("A-4", "49.90");
  await demo.advance(15 * MINUTE - 1);
  expect(shop.orders.get("A-4").status).toBe("pending");
  await demo.advance(1);
  expect(shop.orders.get("A-4").status).toBe("canceled");
});

test("a callback is retried after an error", async () => {
  const { session_id } = await shop.checkOut("A-5", "49.90");
  vi.spyOn(shop, "record").mockRejectedValueOnce(new Error("the database is down"));
  await till.sessions.simulate(session_id, { outcome: "paid" });
  await demo.runDue(); // the shop responds with 500
  await demo.advance(29 * SECOND);
  expect(shop.orders.get("A-5").status).toBe("pending");
  await demo.advance(1 * SECOND);
  expect(shop.orders.get("A-5").status).toBe("shipped");
});
