// Runs the programs of README.md, which ./test has compiled in a project that installed the package.
// README_PROGRAMS is their folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TillDemo } from "till-checkout/testing";
import { freePort, newOrder, responds, until } from "./support.js";

const folder = process.env["README_PROGRAMS"] ?? "";

let demo: TillDemo;
before(async () => {
  demo = await TillDemo.start();
});
after(() => demo.stop());

function start(program: string, env: Record<string, string> = {}) {
  const { clientId, clientSecret } = demo.sandbox;
  const settings = { TILL_URL: demo.baseUrl, TILL_CLIENT_ID: clientId, TILL_CLIENT_SECRET: clientSecret };
  const child = spawn(process.execPath, [join(folder, `${program}.js`)], {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...settings, ...env },
  });
  const run = { child, output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (run.output += text));
  return run;
}

async function outputOf(program: string, env: Record<string, string> = {}): Promise<string> {
  const run = start(program, env);
  const [status] = (await once(run.child, "close")) as [number];
  assert.equal(status, 0, run.output);
  return run.output;
}

test("first payment, the feed, lists and refunds", async () => {
  assert.match(
    await outputOf("first-payment"),
    /^Redirect .* http:.*\/sandbox\/session\/.*\nThe session is paid\n$/,
  );
  assert.match(await outputOf("verify-a-callback-2"), /^missed: session.paid [0-9a-f-]{36}\n$/);
  assert.match(await outputOf("lists-and-refunds"), /^A-1001 49.90 EUR\nrefund: 10.00 \w+\n$/);
});

test("verify a callback", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/callbacks`;
  const run = start("verify-a-callback", { PORT: String(port) });
  try {
    await until(() => responds(url), "the program listens");
    const till = demo.client();
    const { session_id } = await till.sessions.create(newOrder({ order_id: "A-7", callback_url: url }));
    await till.sessions.simulate(session_id, { outcome: "paid" });
    await until(async () => run.output.includes("order A-7 is paid: 49.90 EUR"), "the callback");

    const forged = await fetch(url, {
      method: "POST",
      body: "{}",
      headers: { "x-signature": "0".repeat(64) },
    });
    assert.equal(forged.status, 401);
    await until(async () => run.output.includes("refused: invalid_signature"), "the refusal");
  } finally {
    run.child.kill();
    await once(run.child, "close");
  }
});

test("errors and retries", async () => {
  assert.equal(await outputOf("errors-and-retries"), "price: price has 3 decimals but EUR allows 2\n");
});

test("test your integration", async () => {
  assert.match(await outputOf("test-your-integration"), /pass 1\n/);
  const env = { DEMO_PORT: String(await freePort()) };
  assert.match(await outputOf("test-your-integration-2", env), /pass 1\n/);
});

test("every program is run", async () => {
  const programs = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  assert.deepEqual(programs.sort(), [
    "errors-and-retries.js",
    "first-payment.js",
    "lists-and-refunds.js",
    "test-your-integration-2.js",
    "test-your-integration.js",
    "verify-a-callback-2.js",
    "verify-a-callback.js",
  ]);
});
