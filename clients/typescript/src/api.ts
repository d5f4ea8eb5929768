// Calls with a token, and a new token when one is rejected.
import { TillApiError, TillError } from "./errors.js";
import type { HttpClient, HttpRequest } from "./http.js";
import type { TokenCache } from "./tokens.js";
import type { Environment } from "./types.js";

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /**
   * Identifies this creation: for 24 hours, the same key returns the same result. Generated if you give none,
   * which makes the retries of this call safe, but not a second call.
   */
  idempotencyKey?: string | undefined;
}

/** The paths of an environment. */
export interface Paths {
  tokens: string;
  sessions: string;
  callbacks: string;
  transactions: string;
  signatureChecks: string;
}

export const PATHS: Record<Environment, Paths> = {
  live: pathsUnder("/api", "product/session"),
  sandbox: pathsUnder("/api/sandbox/vendor", "checkout-session"),
};

function pathsUnder(prefix: string, sessions: string): Paths {
  return {
    tokens: `${prefix}/tokens`,
    sessions: `${prefix}/${sessions}`,
    callbacks: `${prefix}/callbacks`,
    transactions: `${prefix}/transactions`,
    signatureChecks: `${prefix}/signature-checks`,
  };
}

/** An id as one segment of a path. */
export function segment(id: string): string {
  if (["", ".", ".."].includes(id)) throw new TypeError(`not an id: "${id}"`);
  return encodeURIComponent(id);
}

export class Api {
  readonly #http: HttpClient;
  readonly #tokens: TokenCache;

  constructor(
    readonly environment: Environment,
    http: HttpClient,
    tokens: TokenCache,
  ) {
    this.#http = http;
    this.#tokens = tokens;
  }

  get paths(): Paths {
    return PATHS[this.environment];
  }

  requireEnvironment(environment: Environment, method: string): void {
    if (this.environment !== environment) throw new TillError(`${method} exists only in ${environment}`);
  }

  get<Result>(path: string, options: CallOptions, more?: { query?: object; extraTimeMs?: number }) {
    return this.#call<Result>({ method: "GET", path, repeatable: true, signal: options.signal, ...more });
  }

  post<Result>(path: string, body: object, options: CallOptions, { repeatable }: { repeatable: boolean }) {
    return this.#call<Result>({ method: "POST", path, body, repeatable, signal: options.signal });
  }

  /** A post that Till carries out once for each key, so that it can be repeated. */
  create<Result>(path: string, body: object, { idempotencyKey, signal }: CreateOptions) {
    const headers = { "idempotency-key": idempotencyKey ?? crypto.randomUUID() };
    return this.#call<Result>({ method: "POST", path, body, headers, repeatable: true, signal });
  }

  async #call<Result>(request: HttpRequest): Promise<Result> {
    request.signal?.throwIfAborted();
    const token = await unlessAborted(this.#tokens.get(), request.signal);
    try {
      return await this.#send<Result>(request, token);
    } catch (error) {
      // Till has not carried out such a request, so any can be repeated with a new token, once.
      const isRejected =
        error instanceof TillApiError && error.status === 401 && error.code === "invalid_token";
      if (!isRejected) throw error;
      this.#tokens.reject(token);
      return await this.#send<Result>(request, await unlessAborted(this.#tokens.get(), request.signal));
    }
  }

  async #send<Result>(request: HttpRequest, token: string): Promise<Result> {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    return (await this.#http.send({ ...request, headers })) as Result;
  }
}

/** Calls share the request for a token, so that one call that is canceled must not end it for the others. */
async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return await value;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
