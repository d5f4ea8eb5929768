import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { Till, TillApiError, verifyCallback, type Session } from "till-checkout";
import { TillDemo } from "till-checkout/testing";
import { FAST, freePort, newOrder } from "./support.js";

let demo: TillDemo;
let till: Till;
before(async () => {
  demo = await TillDemo.start();
  till = demo.client();
});
after(() => demo.stop());

async function paidSession(more: object = {}): Promise<Session> {
  const { session_id } = await till.sessions.create(newOrder(more));
  return await till.sessions.simulate(session_id, { outcome: "paid" });
}

test("a session is created, retrieved and expired", async () => {
  const order = newOrder({ metadata: { cart: "C-77" } });
  const created = await till.sessions.create(order);
  assert.equal(created.status, "pending");
  assert.equal(created.order_id, order.order_id);
  assert.match(created.session_url, new RegExp(`^${demo.baseUrl}/sandbox/session/`));

  const session = await till.sessions.retrieve(created.session_id);
  assert.deepEqual([session.status, session.price, session.metadata], ["pending", "49.90", { cart: "C-77" }]);

  assert.equal((await till.sessions.expire(created.session_id)).status, "expired");
});

test("live has its own paths and credentials", async () => {
  const live = demo.client({ environment: "live" });
  const created = await live.sessions.create(newOrder());
  assert.match(created.session_url, new RegExp(`^${demo.baseUrl}/session/`));
  assert.equal((await live.sessions.retrieve(created.session_id)).status, "pending");
  assert.equal((await live.sessions.list()).sessions.length, 1);
  assert.deepEqual((await live.transactions.list()).transactions, []);
  assert.deepEqual((await live.callbacks.list()).callbacks, []);
  assert.deepEqual(await live.wallet(), { balances: [] });
  await assert.rejects(live.sessions.simulate(created.session_id, { outcome: "paid" }), /only in sandbox/);
  await assert.rejects(till.wallet(), /only in live/);
  await assert.rejects(till.sessions.retrieve(created.session_id), {
    status: 404,
    code: "session_not_found",
  });
});

test("live is the default environment", () => {
  const { environment } = new Till({ baseUrl: demo.baseUrl, ...demo.live });
  assert.equal(environment, "live");
});

test("sessions are listed page by page, with filters", async () => {
  const order_id = "several attempts";
  const created: string[] = [];
  for (let i = 0; i < 7; i++)
    created.unshift((await till.sessions.create(newOrder({ order_id }))).session_id);
  await till.sessions.expire(created[6] ?? "");

  const page = await till.sessions.list({ order_id, limit: 3 });
  assert.deepEqual(idsOf(page.sessions), created.slice(0, 3));
  assert.notEqual(page.next_cursor, null);

  const all = await collect(till.sessions.iterate({ order_id, limit: 3 }));
  assert.deepEqual(idsOf(all), created);

  const expired = await collect(till.sessions.iterate({ order_id, status: "expired" }));
  assert.deepEqual(idsOf(expired), created.slice(6));

  const tomorrow = new Date(Date.now() + 86_400_000);
  assert.deepEqual((await till.sessions.list({ created_from: tomorrow })).sessions, []);
  assert.equal((await till.sessions.list({ order_id, created_to: tomorrow })).sessions.length, 7);
});

test("an iteration that is left early fetches no more pages", async () => {
  let calls = 0;
  const counting = demo.client({
    fetch: (...request) => {
      calls++;
      return fetch(...request);
    },
  });
  for await (const session of counting.sessions.iterate({ limit: 1 })) {
    assert.ok(session.sessionId);
    break;
  }
  assert.equal(calls, 2, "a token and a page");
});

test("a payment is refunded in part, then in full", async () => {
  const { sessionId } = await paidSession();
  const refund = await till.refunds.create(sessionId, { amount: "10.00", reason: "wrong size" });
  assert.deepEqual([refund.amount, refund.currency, refund.reason], ["10.00", "EUR", "wrong size"]);
  const rest = await till.refunds.create(sessionId);
  assert.equal(rest.amount, "39.90");

  assert.equal((await till.refunds.retrieve(sessionId, refund.refundId)).refundId, refund.refundId);
  const refunds = await till.refunds.list(sessionId);
  assert.deepEqual(
    refunds.map(({ refundId }) => refundId),
    [refund.refundId, rest.refundId],
  );
  await assert.rejects(till.refunds.create(sessionId), { status: 422, code: "nothing_to_refund" });
});

test("transactions are listed page by page, with filters", async () => {
  const order_id = "paid three times";
  for (let i = 0; i < 3; i++) await paidSession({ order_id });
  const { transactions, next_cursor } = await till.transactions.list({ order_id, limit: 2 });
  assert.deepEqual(
    transactions.map(({ type, amount }) => [type, amount]),
    [
      ["payment", "49.90"],
      ["payment", "49.90"],
    ],
  );
  assert.notEqual(next_cursor, null);
  assert.equal((await collect(till.transactions.iterate({ order_id, limit: 2 }))).length, 3);
  assert.equal((await collect(till.transactions.iterate({ order_id, type: "refund" }))).length, 0);
});

test("the feed has the callbacks, and waits for the next one", async () => {
  const order_id = "from the feed";
  let page = await till.callbacks.list({ limit: 100 });
  while (page.has_more) page = await till.callbacks.list({ limit: 100, after: page.next });

  const { clientSecret: secret } = demo.sandbox;
  const options = { secret, environment: "sandbox" } as const;
  let waiting = till.callbacks.list({ after: page.next, wait: "30s" });
  await paidSession({ order_id });
  // A late event of an earlier test may come first.
  for (;;) {
    const { callbacks, next } = await waiting;
    assert.notEqual(callbacks.length, 0, "the call waits for the next event");
    const events = callbacks.map((callback) => {
      const event = verifyCallback(callback.body, callback.headers, options);
      assert.equal(event.eventId, callback.event_id);
      return event;
    });
    if (events.some((event) => event.event === "session.paid" && event.orderId === order_id)) break;
    waiting = till.callbacks.list({ after: next, wait: "30s" });
  }
});

test("the mistake in a signature is found, also over bytes that are not text", async () => {
  const { clientSecret } = demo.sandbox;
  for (const body of ["{}", new Uint8Array([0xef, 0xbb, 0xbf, 0xff, 0x00])]) {
    const right = createHmac("sha256", clientSecret).update(body).digest();
    const { right: isRight } = await till.signatures.check({ body, signature: right.toString("hex") });
    assert.equal(isRight, true);

    const verdict = await till.signatures.check({ body, signature: right.toString("base64") });
    assert.equal(verdict.right, false);
    assert.deepEqual(
      verdict.diagnosis.map(({ code }) => code),
      ["base64"],
    );
  }
  const live = demo.client({ environment: "live" });
  await assert.rejects(live.signatures.check({ body: "{}", signature: "" }), /only in sandbox/);
});

test("an error has its status, code, fields and request", async () => {
  const order = newOrder({ price: "1.001", product_name: "" });
  const error = await till.sessions.create(order).catch((caught: unknown) => caught);
  assert.ok(error instanceof TillApiError);
  assert.deepEqual([error.status, error.code], [422, "invalid_request"]);
  assert.deepEqual(
    error.errors.map(({ field, code }) => [field, code]),
    [
      ["product_name", "empty"],
      ["price", "too_many_decimals"],
    ],
  );
  assert.match(String(error.requestId), /^req_/);
  assert.match(error.message, /2 fields .*\(HTTP 422, invalid_request, request req_/);
});

test("a path parameter cannot leave its path", async () => {
  await assert.rejects(till.sessions.retrieve("x/../../transactions"), { status: 404 });
  for (const wrong of ["", ".", ".."]) {
    await assert.rejects(async () => till.sessions.retrieve(wrong), TypeError);
    await assert.rejects(async () => till.refunds.retrieve("x", wrong), TypeError);
  }
});

test("a trailing slash of the base URL does not matter, and other protocols are refused", async () => {
  await demo.client({ baseUrl: `${demo.baseUrl}/` }).sessions.list();
  assert.throws(() => demo.client({ baseUrl: "ftp://127.0.0.1" }), TypeError);
  assert.throws(() => demo.client({ clientSecret: "" }), TypeError);
  assert.throws(
    () => demo.client({ baseUrl: "http://user:hidden@127.0.0.1" }),
    (error: Error) => error instanceof TypeError && !error.message.includes("hidden"),
  );
});

test("what is printed or written as JSON shows neither secret nor token", async () => {
  await till.sessions.list();
  const unreachable = demo.client({ baseUrl: `http://127.0.0.1:${await freePort()}`, retries: FAST });
  const errors = await Promise.all(
    [
      unreachable.sessions.list(),
      till.sessions.retrieve("unknown"),
      demo.client({ clientSecret: "sk_sandbox_wrong" }).sessions.list(),
      demo.client({ fetch: async () => new Response("{}") }).sessions.list(),
    ].map((call) => call.catch((caught: unknown) => caught)),
  );
  for (const shown of [till, demo, demo.sandbox, demo.live, ...errors]) {
    const text = [
      inspect(shown, { depth: 10, showHidden: true }),
      JSON.stringify(shown),
      String(shown),
    ].join();
    assert.doesNotMatch(text, /sk_(sandbox|live)_|till_sandbox_/);
  }
  assert.match(inspect(demo.sandbox), /sandbox_/, "the client id is no secret");
});

test("the user agent has the version of the package", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  let agent: string | null = null;
  const till = demo.client({
    fetch: (url, init) => {
      agent = new Headers(init?.headers).get("user-agent");
      return fetch(url, init);
    },
  });
  await till.sessions.list();
  assert.equal(agent, `till-checkout-typescript/${version}`);
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function idsOf(sessions: Session[]): string[] {
  return sessions.map(({ sessionId }) => sessionId);
}
