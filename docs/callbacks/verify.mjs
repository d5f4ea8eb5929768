import { createHmac, timingSafeEqual } from "node:crypto";

export function verify(secret, rawBody, xSignature) {
  const expected = Buffer.from(createHmac("sha256", secret).update(rawBody).digest("hex"));
  const given = Buffer.from(xSignature ?? "");
  return secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}
