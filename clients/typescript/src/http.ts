// Sends requests: one attempt with a timeout, and retries of requests that are safe to repeat.
import { setTimeout as wait } from "node:timers/promises";
import { parseObject, TillApiError, TillConnectionError } from "./errors.js";
import { retryDelayMs, type RetrySettings } from "./retry.js";
import { VERSION } from "./version.js";

export interface HttpSettings {
  baseUrl: string;
  timeoutMs: number;
  retries: RetrySettings;
  fetch: typeof fetch;
}

export interface HttpRequest {
  method: "GET" | "POST";
  path: string;
  query?: object;
  headers?: Record<string, string>;
  body?: object;
  /** Whether the request can be sent twice without having its effect twice. */
  repeatable: boolean;
  /** How much longer than usual the response may take. */
  extraTimeMs?: number;
  signal?: AbortSignal | undefined;
  /** Whether a successful response has what is needed of it. */
  isExpected?: (result: object) => boolean;
}

export class HttpClient {
  readonly #settings: HttpSettings;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
  }

  async send(request: HttpRequest): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(request);
      } catch (error) {
        const delayMs = retryDelayMs(attempt, error, this.#settings.retries);
        if (!request.repeatable || delayMs === undefined) throw error;
        await pause(delayMs, request.signal);
      }
    }
  }

  async #attempt(request: HttpRequest): Promise<unknown> {
    const { response, body } = await this.#exchange(request);
    if (!response.ok) throw TillApiError.fromResponse(response, body);
    const result = parseObject(body);
    if (!result || request.isExpected?.(result) === false) throw TillApiError.fromResponse(response, body);
    return result;
  }

  async #exchange(request: HttpRequest): Promise<{ response: Response; body: string }> {
    const timeout = AbortSignal.timeout(this.#settings.timeoutMs + (request.extraTimeMs ?? 0));
    try {
      const response = await this.#settings.fetch(
        this.#settings.baseUrl + request.path + queryString(request),
        {
          method: request.method,
          headers: headersOf(request),
          body: request.body ? JSON.stringify(request.body) : null,
          // Till does not redirect, and credentials must not follow a redirect.
          redirect: "manual",
          signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
        },
      );
      return { response, body: await response.text() };
    } catch (error) {
      request.signal?.throwIfAborted();
      const reason = timeout.aborted ? "timeout" : "network";
      const detail = timeout.aborted ? "no response in time" : rootMessage(error);
      throw new TillConnectionError(`${request.method} ${request.path}: ${detail}`, reason, error);
    }
  }
}

function headersOf(request: HttpRequest): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": `till-checkout-typescript/${VERSION}`,
    ...(request.body ? { "content-type": "application/json" } : {}),
    ...request.headers,
  };
}

function queryString({ query = {} }: HttpRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) {
      parameters.set(name, value instanceof Date ? value.toISOString() : String(value));
    }
  }
  return parameters.size > 0 ? `?${parameters}` : "";
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}

/** fetch fails with a general message; its cause says what happened. */
function rootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (!(root instanceof Error)) return String(root);
  return root.message || ("code" in root ? String(root.code) : root.name);
}
