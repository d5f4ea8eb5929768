// A small shop: its orders, a checkout with Till, and the endpoint that receives Till's callbacks.
import { once } from "node:events";
import { createServer } from "node:http";
import { TillCallbackError, verifyCallback } from "till-checkout";

const ORDER_STATUS = { "session.paid": "shipped", "session.failed": "failed", "session.expired": "canceled" };

export class Shop {
  // In your shop: tables of its database.
  orders = new Map();
  shipments = [];
  #events = new Set();
  #options;

  /** `url` is where Till reaches the shop; `now` is the time that callbacks are compared with. */
  constructor({ till, secret, url, now = () => new Date() }) {
    this.#options = { till, secret, url, now };
  }

  /** Stores an order, and creates the session in which the customer pays for it. */
  async checkOut(id, price) {
    const order = { id, price, currency: "EUR", status: "pending" };
    this.orders.set(id, order);
    const { till, url } = this.#options;
    const session = await till.sessions.create(
      { product_name: "Atlas", price, currency: "EUR", order_id: id, callback_url: `${url}/callbacks` },
      { idempotencyKey: `${id}-1` },
    );
    order.sessionId = session.session_id;
    return session;
  }

  /** Verifies a callback, and records what it reports. */
  async receive(rawBody, headers) {
    const { secret, now } = this.#options;
    const event = verifyCallback(rawBody, headers, { secret, environment: "sandbox", now: await now() });
    if (event.event in ORDER_STATUS) await this.record(event);
  }

  /** Records the outcome of a session, once; ships only what was ordered. In your shop: one transaction. */
  async record({ event, eventId, orderId, sessionId, price, currency }) {
    if (this.#events.has(eventId)) return;
    this.#events.add(eventId);
    const order = this.orders.get(orderId);
    if (order?.status !== "pending" || order.price !== price || order.currency !== currency) return;
    if ((order.sessionId ?? sessionId) !== sessionId) return;
    order.status = ORDER_STATUS[event];
    if (event === "session.paid") this.shipments.push(orderId);
  }

  /** Listens for callbacks. */
  async listen(port) {
    const server = createServer(async (request, response) => {
      // Without a Date header, the response is the same in every run.
      response.sendDate = false;
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      try {
        await this.receive(Buffer.concat(chunks), request.headers);
        response.writeHead(204).end();
      } catch (error) {
        response.writeHead(error instanceof TillCallbackError ? 401 : 500).end(); // after 500, Till tries again
      }
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    return server;
  }
}
