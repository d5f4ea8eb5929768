import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { TillDemo } from "till-checkout/testing";
import { responds, until } from "./support.js";

test("a demo is ready when it has started, and does not respond once it was stopped", async () => {
  const demo = await TillDemo.start();
  assert.ok(await responds(demo.baseUrl));
  assert.match(demo.sandbox.clientId, /^sandbox_/);
  assert.match(demo.live.clientSecret, /^sk_live_/);
  await demo.stop();
  assert.ok(!(await responds(demo.baseUrl)));
  await demo.stop();
});

test("the binary is the argument, else TILL_BINARY", async () => {
  const binary = process.env["TILL_BINARY"] ?? "";
  process.env["TILL_BINARY"] = "/no/such/program";
  try {
    await assert.rejects(TillDemo.start(), /ended before it was ready[^]*\/no\/such\/program/);
    const demo = await TillDemo.start({ binary });
    await demo.stop();
  } finally {
    process.env["TILL_BINARY"] = binary;
  }
});

test("settings of another Till do not reach a demo", async () => {
  process.env["TILL_LISTEN"] = "not an address";
  process.env["TILL_TOKEN_LIFETIME"] = "not a time";
  try {
    const demo = await TillDemo.start();
    await demo.client().sessions.list();
    await demo.stop();
  } finally {
    delete process.env["TILL_LISTEN"];
    delete process.env["TILL_TOKEN_LIFETIME"];
  }
});

test("a demo that does not start in time is stopped", async () => {
  await assert.rejects(TillDemo.start({ timeoutMs: 1 }), /not ready in time/);
});

for (const [how, end] of Object.entries({
  "is killed": "process.kill(process.pid, 'SIGKILL');",
  throws: "throw new Error('on purpose');",
  "ends without stopping it": "",
})) {
  test(`a demo ends when the process that started it ${how}`, async () => {
    const program = `
      const { TillDemo } = await import("till-checkout/testing");
      const demo = await TillDemo.start();
      await new Promise((written) => process.stdout.write(demo.baseUrl, written));
      ${end}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    let url = "";
    child.stdout.on("data", (text: Buffer) => (url += text));
    await once(child, "close");
    assert.match(url, /^http:/);
    await until(async () => !(await responds(url)), "the demo ended");
  });
}
