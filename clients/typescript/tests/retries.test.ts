import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { TillApiError, TillConnectionError } from "till-checkout";
import { TillDemo } from "till-checkout/testing";
import { FAST, freePort, newOrder, Proxy } from "./support.js";

const SESSIONS = /checkout-session$/;

let demo: TillDemo;
let proxy: Proxy;
before(async () => {
  demo = await TillDemo.start();
  proxy = await Proxy.start(demo.baseUrl);
});
after(async () => {
  await proxy.stop();
  await demo.stop();
});
beforeEach(() => {
  proxy.exchanges.length = 0;
});

function client(more: object = {}) {
  return demo.client({ baseUrl: proxy.url, retries: FAST, ...more });
}

test("a create whose response is lost makes one session", async () => {
  const till = client();
  const order = newOrder();
  proxy.breakNext(SESSIONS, { kind: "lose response" });
  const created = await till.sessions.create(order);

  const [first, second, ...others] = proxy.to(SESSIONS);
  assert.deepEqual(others, []);
  assert.match(String(first?.headers["idempotency-key"]), /^[0-9a-f-]{36}$/);
  assert.equal(second?.headers["idempotency-key"], first?.headers["idempotency-key"]);
  const { sessions } = await till.sessions.list({ order_id: order.order_id });
  assert.deepEqual(
    sessions.map((session) => session.sessionId),
    [created.session_id],
  );
});

test("a refund whose response is lost is made once", async () => {
  const till = client();
  const { session_id } = await till.sessions.create(newOrder());
  await till.sessions.simulate(session_id, { outcome: "paid" });
  proxy.breakNext(/refunds$/, { kind: "lose response" });
  const refund = await till.refunds.create(session_id, { amount: "10.00" });
  const refunds = await till.refunds.list(session_id);
  assert.deepEqual(
    refunds.map(({ refundId }) => refundId),
    [refund.refundId],
  );
});

test("the caller's key is sent, and returns the same session to a second call", async () => {
  const till = client();
  const order = newOrder();
  const options = { idempotencyKey: `${order.order_id}-1` };
  const first = await till.sessions.create(order, options);
  const second = await till.sessions.create(order, options);
  assert.equal(proxy.to(SESSIONS)[0]?.headers["idempotency-key"], options.idempotencyKey);
  assert.equal(second.session_id, first.session_id);
  await assert.rejects(till.sessions.create({ ...newOrder(), price: "1.00" } as typeof order, options), {
    status: 422,
    code: "idempotency_key_reused",
  });
});

test("calls without a key use different ones", async () => {
  const till = client();
  const order = newOrder();
  const created = [await till.sessions.create(order), await till.sessions.create(order)];
  assert.notEqual(created[0]?.session_id, created[1]?.session_id);
});

test("a 503 is repeated after the time in Retry-After", async () => {
  proxy.breakNext(SESSIONS, { kind: "respond", status: 503, headers: { "retry-after": "1" } });
  const began = performance.now();
  await client().sessions.create(newOrder());
  const took = performance.now() - began;
  assert.ok(took >= 990 && took < 3_000, `it took ${took} ms`);
  assert.equal(proxy.to(SESSIONS).length, 2);
});

for (const [retryAfter, what] of [
  ["31", "a number"],
  [new Date(Date.now() + 86_400_000).toUTCString(), "a date"],
] as const) {
  test(`a Retry-After that is too long, as ${what}, is an error at once`, async () => {
    proxy.breakNext(SESSIONS, { kind: "respond", status: 503, headers: { "retry-after": retryAfter } });
    const error = await client()
      .sessions.list()
      .catch((caught: unknown) => caught);
    assert.ok(error instanceof TillApiError);
    assert.ok(error.retryAfter !== undefined && error.retryAfter > 30);
    assert.equal(proxy.to(SESSIONS).length, 1);
  });
}

test("the longest Retry-After is a setting, and a short one does not shorten the wait", async () => {
  const respond = { kind: "respond", status: 503, headers: { "retry-after": "1" } } as const;
  proxy.breakNext(SESSIONS, respond);
  await assert.rejects(client({ retries: { maxRetryAfterMs: 500 } }).sessions.list(), { status: 503 });
  proxy.breakNext(SESSIONS, { ...respond, headers: { "retry-after": "0" } });
  const began = performance.now();
  await client({ retries: { firstDelayMs: 400 } }).sessions.list();
  assert.ok(performance.now() - began >= 200);
});

test("a limited create waits and succeeds", async () => {
  const limited = await TillDemo.start({ env: { TILL_RATE_LIMIT_CREATE: "1/s burst 1" } });
  try {
    const till = limited.client({ retries: FAST });
    await till.sessions.create(newOrder());
    await till.sessions.create(newOrder());

    const withoutRetries = limited.client({ retries: { maxRetries: 0 } });
    const error = await withoutRetries.sessions.create(newOrder()).catch((caught: unknown) => caught);
    assert.ok(error instanceof TillApiError);
    assert.deepEqual([error.status, error.code, error.retryAfter], [429, "rate_limited", 1]);
  } finally {
    await limited.stop();
  }
});

for (const status of [408, 429, 502, 503, 504]) {
  test(`${status} is retried, three times and no more`, async () => {
    for (let i = 0; i < 4; i++) proxy.breakNext(SESSIONS, { kind: "respond", status, body: "<html>" });
    const error = await client()
      .sessions.list()
      .catch((caught: unknown) => caught);
    assert.ok(error instanceof TillApiError);
    assert.deepEqual([error.status, error.code], [status, "unexpected_response"]);
    assert.equal(proxy.to(SESSIONS).length, 4);
  });
}

test("a key that is in use is retried, if the status is 409", async () => {
  const body = JSON.stringify({ code: "idempotency_in_progress", detail: "still in progress" });
  proxy.breakNext(SESSIONS, { kind: "respond", status: 500, body });
  await assert.rejects(client().sessions.create(newOrder()), { status: 500 });
  proxy.exchanges.length = 0;
  proxy.breakNext(SESSIONS, { kind: "respond", status: 409, body });
  await client().sessions.create(newOrder());
  assert.equal(proxy.to(SESSIONS).length, 2);
});

for (const status of [301, 400, 403, 404, 409, 422, 500, 501]) {
  test(`${status} is not retried`, async () => {
    const headers = { location: `${proxy.target}/elsewhere` };
    proxy.breakNext(SESSIONS, { kind: "respond", status, headers });
    await assert.rejects(client().sessions.list(), { name: "TillApiError", status });
    assert.equal(proxy.to(SESSIONS).length, 1);
  });
}

test("a successful response without JSON is an error, and is not retried", async () => {
  proxy.breakNext(SESSIONS, { kind: "respond", status: 200, body: "<html>" });
  await assert.rejects(client().sessions.list(), { code: "unexpected_response", status: 200 });
  assert.equal(proxy.to(SESSIONS).length, 1);
});

test("an error with fields of the wrong type is not Till's", async () => {
  for (const body of [
    '{"code":1,"detail":"d"}',
    '{"code":"c","detail":null}',
    '{"code":"c","detail":"d","errors":1}',
  ]) {
    proxy.breakNext(SESSIONS, { kind: "respond", status: 400, body });
    await assert.rejects(client().sessions.list(), { code: "unexpected_response", errors: [] });
  }
});

test("what is not safe to repeat is sent once", async () => {
  const till = client();
  const { session_id } = await till.sessions.create(newOrder());
  proxy.breakNext(/simulate$/, { kind: "lose response" });
  await assert.rejects(till.sessions.simulate(session_id, { outcome: "paid" }), {
    name: "TillConnectionError",
    reason: "network",
  });
  assert.equal(proxy.to(/simulate$/).length, 1);
  assert.equal((await till.sessions.retrieve(session_id)).status, "paid");
});

test("expiring is safe to repeat", async () => {
  const till = client();
  const { session_id } = await till.sessions.create(newOrder());
  proxy.breakNext(/expire$/, { kind: "lose response" });
  assert.equal((await till.sessions.expire(session_id)).status, "expired");
  assert.equal(proxy.to(/expire$/).length, 2);
});

test("an attempt without a response times out, and is repeated", async () => {
  const till = client({ timeoutMs: 500 });
  proxy.breakNext(SESSIONS, { kind: "hang" });
  await till.sessions.list();
  assert.equal(proxy.to(SESSIONS).length, 2);

  proxy.breakNext(SESSIONS, { kind: "hang" });
  await assert.rejects(client({ timeoutMs: 500, retries: { maxRetries: 0 } }).sessions.list(), {
    name: "TillConnectionError",
    reason: "timeout",
  });
});

test("the error of a service that does not run has its cause", async () => {
  const till = client({ baseUrl: `http://127.0.0.1:${await freePort()}` });
  const error = await till.sessions.list().catch((caught: unknown) => caught);
  assert.ok(error instanceof TillConnectionError);
  assert.match(error.message, /^POST \/api\/sandbox\/vendor\/tokens: .*ECONNREFUSED/);
});

test("a canceled call ends at once, with the caller's reason, while it waits for a retry too", async () => {
  const till = client();
  const reason = new Error("the customer left");
  for (const fault of [
    { kind: "hang" },
    { kind: "respond", status: 503, headers: { "retry-after": "5" } },
  ] as const) {
    proxy.breakNext(SESSIONS, fault);
    const controller = new AbortController();
    const call = till.sessions.list({}, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(call, reason);
  }
});
