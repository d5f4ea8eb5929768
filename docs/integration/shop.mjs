// A shop in one file: an order, its payment, and the callback that confirms it.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import http from "node:http";

const { TILL_API, TILL_SESSIONS, TILL_CLIENT_ID, TILL_CLIENT_SECRET, SHOP_URL, SHOP_PORT } = process.env;
const order = { id: `A-${randomUUID()}`, price: "49.90", currency: "EUR", cart: "C-77" };
const seen = new Set(); // in your shop: tables of its database
let tell;
const outcome = new Promise((resolve) => (tell = resolve));

function verify(secret, rawBody, xSignature) {
  const expected = Buffer.from(createHmac("sha256", secret).update(rawBody).digest("hex"));
  const given = Buffer.from(xSignature ?? "");
  return secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

// Responds to a callback.
function receive(rawBody, xSignature) {
  if (!verify(TILL_CLIENT_SECRET, rawBody, xSignature)) {
    console.error("refused: the signature is wrong");
    return 401;
  }
  const event = JSON.parse(rawBody);
  if (!["session.paid", "session.failed", "session.expired"].includes(event.event)) {
    return 204; // unknown to this shop, or a test.ping
  }
  // A callback can arrive before the response to the create: then take the session from it.
  if (event.orderId !== order.id || event.sessionId !== (order.session ?? event.sessionId)) {
    console.error("not a pending order, needs review:", event.eventId);
  } else if (!seen.has(event.eventId)) { // in your shop: from here on one transaction
    const right = event.price === order.price && event.currency === order.currency;
    const told = right ? event.status : "refused: this is not what was ordered";
    order.session = event.sessionId;
    seen.add(event.eventId);
    console.log("callback:", told);
    tell(told);
  }
  return 204;
}

const server = http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  response.writeHead(receive(Buffer.concat(parts), request.headers["x-signature"])).end();
});
await new Promise((ready) => server.listen(SHOP_PORT ?? 3000, ready));

async function call(url, headers, body) {
  const answer = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { "Content-Type": "application/json", ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const keys = { client_id: TILL_CLIENT_ID, client_secret: TILL_CLIENT_SECRET };
const auth = { Authorization: `Bearer ${(await call(`${TILL_API}/tokens`, {}, keys)).access_token}` };
const session = await call(TILL_SESSIONS, { ...auth, "Idempotency-Key": order.id }, {
  product_name: "Atlas", price: order.price, currency: order.currency, order_id: order.id,
  metadata: { cart: order.cart }, // comes back in status, lists and callbacks
  callback_url: `${SHOP_URL}/callbacks`, return_url: `${SHOP_URL}/thanks?order={ORDER_ID}`,
});
order.session = session.session_id;
console.log("pay at", session.session_url);
if (TILL_SESSIONS.includes("/sandbox/")) { // in the sandbox, simulate the payment
  await call(`${TILL_SESSIONS}/${order.session}/simulate`, auth, { outcome: "paid" });
}
const told = await outcome;
const { status } = await call(`${TILL_SESSIONS}/${order.session}`, auth);
console.log("status:", status);
const { sessions } = await call(`${TILL_SESSIONS}?order_id=${order.id}`, auth);
const carts = sessions.map((found) => found.metadata.cart).join();
console.log("cart:", carts);
process.exit(told === "paid" && status === "paid" && carts === order.cart ? 0 : 1);
