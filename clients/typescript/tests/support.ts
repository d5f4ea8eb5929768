// What the tests put around a real Till: a proxy that breaks connections, and a receiver of callbacks.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CreateSessionParams } from "till-checkout";

export const FAST = { firstDelayMs: 10 };

let orders = 0;

export function newOrder(more: Partial<CreateSessionParams> = {}): CreateSessionParams {
  const order = { order_id: `A-${++orders}`, product_name: "Atlas", price: "49.90", currency: "EUR" };
  return { ...order, ...more } as CreateSessionParams;
}

export interface Exchange {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** What the proxy does with one request instead of passing it on. */
export type Fault =
  | { kind: "lose response" }
  | { kind: "hang" }
  | { kind: "respond"; status: number; headers?: Record<string, string>; body?: string }
  | { kind: "change"; request?: Record<string, string>; response?: (body: string) => string };

/** Passes requests on to Till and records them. */
export class Proxy {
  readonly exchanges: Exchange[] = [];
  readonly #server: Server;
  #faults: { path: RegExp; fault: Fault }[] = [];

  private constructor(readonly target: string) {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(target: string): Promise<Proxy> {
    const proxy = new Proxy(target);
    await listen(proxy.#server);
    return proxy;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  /** Breaks the next request to this path; several calls break as many requests. */
  breakNext(path: RegExp, fault: Fault): void {
    this.#faults.push({ path, fault });
  }

  to(path: RegExp): Exchange[] {
    return this.exchanges.filter((exchange) => path.test(exchange.path));
  }

  async stop(): Promise<void> {
    await close(this.#server);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await read(request);
    this.exchanges.push({ method, path, headers, body });
    const found = this.#faults.findIndex((fault) => fault.path.test(path));
    const fault = found < 0 ? undefined : this.#faults.splice(found, 1)[0]?.fault;

    if (fault?.kind === "hang") return;
    if (fault?.kind === "respond") {
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    }

    const passed = {
      ...(headers as Record<string, string>),
      ...(fault?.kind === "change" ? fault.request : {}),
    };
    for (const name of ["connection", "content-length", "host"]) delete passed[name];
    const answer = await fetch(this.target + path, {
      method,
      headers: passed,
      body: method === "GET" ? null : new Uint8Array(body),
    });
    const text = await answer.text();
    if (fault?.kind === "lose response") return void request.socket.destroy();
    const change = (fault?.kind === "change" && fault.response) || ((unchanged: string) => unchanged);
    const retryAfter = answer.headers.get("retry-after");
    response
      .writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
        ...(retryAfter ? { "retry-after": retryAfter } : {}),
      })
      .end(change(text));
  }
}

export interface Received {
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A vendor's endpoint: accepts every callback, and returns them in order. */
export class Receiver {
  readonly #server: Server;
  readonly #received: Received[] = [];

  private constructor() {
    this.#server = createServer(async (request, response) => {
      this.#received.push({ headers: request.headers, body: await read(request) });
      response.writeHead(204).end();
      this.#server.emit("received");
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await listen(receiver.#server);
    return receiver;
  }

  get url(): string {
    return `${urlOf(this.#server)}/callbacks`;
  }

  async next(): Promise<Received> {
    const signal = AbortSignal.timeout(10_000);
    for (;;) {
      const received = this.#received.shift();
      if (received) return received;
      await once(this.#server, "received", { signal });
    }
  }

  async stop(): Promise<void> {
    await close(this.#server);
  }
}

/** Waits until a condition is true, by asking again and again. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function responds(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => true,
    () => false,
  );
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server);
  const { port } = server.address() as AddressInfo;
  await close(server);
  return port;
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
