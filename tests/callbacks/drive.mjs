// Prints the answers of docs/callbacks/verify.mjs to the vectors.

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { verify } from "../../docs/callbacks/verify.mjs";

const { vectors } = JSON.parse(readFileSync("docs/callbacks/vectors.json", "utf8"));
for (const { name, secret, body, xSignature } of vectors) {
  console.log(`${name}\t${verify(secret, Buffer.from(body), xSignature)}`);
}
const [{ secret, body }] = vectors;
assert.strictEqual(verify(secret, Buffer.from(body), undefined), false, "a missing header is refused");
