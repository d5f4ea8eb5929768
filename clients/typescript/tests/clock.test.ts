import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TillApiError, verifyCallback } from "till-checkout";
import { TillDemo, type TillDemoOptions } from "till-checkout/testing";
import { freePort, newOrder, Receiver } from "./support.js";

const MINUTE_MS = 60_000;

let demo: TillDemo;
let receiver: Receiver;
before(async () => {
  const clockStart = new Date("2026-03-01T12:00:00Z");
  demo = await TillDemo.start({ seed: 7, clock: "manual", clockStart });
  receiver = await Receiver.start();
});
after(async () => {
  await demo.stop();
  await receiver.stop();
});

/** Starts a demo, and stops it. */
async function started(options: TillDemoOptions): Promise<TillDemo> {
  const demo = await TillDemo.start(options);
  await demo.stop();
  return demo;
}

test("a manual clock stands still until it is moved", async () => {
  assert.equal((await demo.now()).toISOString(), "2026-03-01T12:00:00.000Z");
  assert.equal((await demo.advance(1_500)).toISOString(), "2026-03-01T12:00:01.500Z");
  assert.equal((await demo.runDue()).toISOString(), "2026-03-01T12:00:01.500Z");
  assert.equal((await demo.now()).toISOString(), "2026-03-01T12:00:01.500Z");
});

test("a session expires on the way, and its callback has the time at which it was sent", async () => {
  const till = demo.client();
  const start = await demo.now();
  const { session_id } = await till.sessions.create(newOrder({ callback_url: receiver.url }));
  await demo.advance(14 * MINUTE_MS);
  assert.equal((await till.sessions.retrieve(session_id)).status, "pending");
  await demo.advance(3 * MINUTE_MS);
  assert.equal((await till.sessions.retrieve(session_id)).status, "expired");

  const { body, headers } = await receiver.next();
  const options = { secret: demo.sandbox.clientSecret, environment: "sandbox" } as const;
  const event = verifyCallback(body, headers, { ...options, now: await demo.now() });
  assert.equal(event.event, "session.expired");
  assert.equal(Date.parse(event.occurredAt), start.getTime() + 15 * MINUTE_MS);
  assert.equal(Number(headers["webhook-timestamp"]), Math.floor(Date.parse(event.occurredAt) / 1000));
  assert.throws(() => verifyCallback(body, headers, options), { reason: "timestamp_too_old" });
});

test("what is due now has happened after runDue", async () => {
  const till = demo.client();
  const { session_id } = await till.sessions.create(newOrder({ callback_url: receiver.url }));
  await till.sessions.simulate(session_id, { outcome: "paid" });
  await demo.runDue();
  const { headers } = await receiver.next();
  assert.equal(headers["x-attempt"], "1");
});

test("time does not run backwards", async () => {
  await assert.rejects(demo.advance(-1), TillApiError);
});

test("ids and secrets are those of the seed", async () => {
  const again = await started({ seed: 7, clock: "manual" });
  const other = await started({ seed: 8n, clock: "manual" });
  assert.deepEqual({ ...again.sandbox }, { ...demo.sandbox });
  assert.deepEqual({ ...again.live }, { ...demo.live });
  assert.notEqual(other.sandbox.clientSecret, demo.sandbox.clientSecret);
});

test("a demo listens on the port that it is given", async () => {
  const port = await freePort();
  assert.equal((await started({ port })).baseUrl, `http://127.0.0.1:${port}`);
});

test("without a manual clock, the time cannot be moved", async () => {
  const demo = await started({});
  for (const call of [() => demo.now(), () => demo.advance(1), () => demo.runDue()]) {
    await assert.rejects(call, /no manual clock: start it with \{ clock: "manual" \}/);
  }
});
