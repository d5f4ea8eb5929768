import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Till, TillApiError } from "till-checkout";
import { TillDemo } from "till-checkout/testing";
import { FAST, newOrder, Proxy } from "./support.js";

const TOKENS = /\/tokens$/;

let demo: TillDemo;
let proxy: Proxy;
before(async () => {
  demo = await TillDemo.start({ env: { TILL_TOKEN_LIFETIME: "1s" } });
  proxy = await Proxy.start(demo.baseUrl);
});
after(async () => {
  await proxy.stop();
  await demo.stop();
});
beforeEach(() => {
  proxy.exchanges.length = 0;
});

function client(): Till {
  return demo.client({ baseUrl: proxy.url, retries: FAST });
}

/** Tells the client that a token lives for an hour. It does not. */
function claimLongLife(): void {
  const response = (body: string) => body.replace(/"expires_in":\d+/, '"expires_in":3600');
  proxy.breakNext(TOKENS, { kind: "change", response });
}

test("calls share one token, those at the same time too", async () => {
  const lasting = await TillDemo.start();
  const counting = await Proxy.start(lasting.baseUrl);
  try {
    const till = lasting.client({ baseUrl: counting.url });
    await Promise.all(Array.from({ length: 10 }, () => till.sessions.list()));
    await till.sessions.list();
    await till.transactions.list();
    assert.equal(counting.to(TOKENS).length, 1);
    assert.equal(counting.exchanges.length, 13);
  } finally {
    await counting.stop();
    await lasting.stop();
  }
});

test("a token is renewed before it expires", async () => {
  const till = client();
  await till.sessions.list();
  await wait(950);
  await till.sessions.list();
  assert.equal(proxy.to(TOKENS).length, 2);
  assert.equal(proxy.exchanges.length, 4, "no call was rejected");
});

test("calls whose token has expired obtain one new token and are repeated once", async () => {
  claimLongLife();
  const till = client();
  await till.sessions.list();
  await wait(1_100);
  const created = await Promise.all([1, 2, 3].map(() => till.sessions.create(newOrder())));
  assert.equal(new Set(created.map((session) => session.session_id)).size, 3);
  assert.equal(proxy.to(TOKENS).length, 2);
  assert.equal(proxy.to(/session$/).length, 1 + 3 + 3);
});

test("a call that is rejected twice fails", async () => {
  const till = client();
  for (let i = 0; i < 2; i++) {
    proxy.breakNext(/session$/, { kind: "change", request: { authorization: "Bearer till_sandbox_wrong" } });
  }
  await assert.rejects(till.sessions.list(), { name: "TillApiError", status: 401, code: "invalid_token" });
  assert.equal(proxy.exchanges.length, 4);
});

test("a 401 that is not Till's is an error at once", async () => {
  proxy.breakNext(/session$/, { kind: "respond", status: 401, body: "<html>" });
  await assert.rejects(client().sessions.list(), { status: 401, code: "unexpected_response" });
  assert.equal(proxy.to(/session$/).length, 1);
});

test("a token response that is not Till's is an error, and no token", async () => {
  for (const body of ["null", "{}", '{"access_token":"x"}', '{"access_token":1,"expires_in":60}']) {
    proxy.breakNext(TOKENS, { kind: "respond", status: 200, body });
    await assert.rejects(client().sessions.list(), { name: "TillApiError", code: "unexpected_response" });
  }
  assert.equal(proxy.to(/session$/).length, 0);
});

test("a call that waits for a token can be canceled", { timeout: 5_000 }, async () => {
  proxy.breakNext(TOKENS, { kind: "hang" });
  const reason = new Error("the customer left");
  const controller = new AbortController();
  const call = client().sessions.list({}, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 100);
  await assert.rejects(call, reason);
  await assert.rejects(client().sessions.list({}, { signal: AbortSignal.abort(reason) }), reason);
});

test("wrong credentials are an error at once, and not remembered", async () => {
  const till = demo.client({ baseUrl: proxy.url, retries: FAST, clientSecret: "sk_sandbox_wrong" });
  for (let i = 0; i < 2; i++) {
    const error = await till.sessions.list().catch((caught: unknown) => caught);
    assert.ok(error instanceof TillApiError);
    assert.deepEqual([error.status, error.code], [401, "invalid_client"]);
    assert.ok(!error.message.includes("sk_sandbox_wrong"));
  }
  assert.equal(proxy.exchanges.length, 2);
});

test("a token request is retried", async () => {
  proxy.breakNext(TOKENS, { kind: "lose response" });
  proxy.breakNext(TOKENS, { kind: "respond", status: 503, headers: { "retry-after": "0" } });
  await client().sessions.list();
  assert.equal(proxy.to(TOKENS).length, 3);
});
