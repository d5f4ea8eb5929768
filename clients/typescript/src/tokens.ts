import type { HttpClient } from "./http.js";
import type { AccessToken } from "./types.js";

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** A token is renewed a minute before it expires; one with a short life, after nine tenths of it. */
const MARGIN_MS = 60_000;

interface CachedToken {
  value: string;
  renewAt: number;
}

/** Obtains a token when one is needed, and shares it between calls until shortly before it expires. */
export class TokenCache {
  readonly #http: HttpClient;
  readonly #path: string;
  readonly #credentials: Credentials;
  #cached: CachedToken | undefined;
  #renewal: Promise<CachedToken> | undefined;

  constructor(http: HttpClient, path: string, credentials: Credentials) {
    this.#http = http;
    this.#path = path;
    this.#credentials = credentials;
  }

  async get(): Promise<string> {
    if (this.#cached && performance.now() < this.#cached.renewAt) return this.#cached.value;
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return (await this.#renewal).value;
  }

  /** Drops a token that was rejected, unless another call has renewed it already. */
  reject(token: string): void {
    if (this.#cached?.value === token) this.#cached = undefined;
  }

  async #renew(): Promise<CachedToken> {
    const askedAt = performance.now();
    const token = (await this.#http.send({
      method: "POST",
      path: this.#path,
      body: { client_id: this.#credentials.clientId, client_secret: this.#credentials.clientSecret },
      repeatable: true,
      isExpected: isToken,
    })) as AccessToken;
    const lifetimeMs = token.expires_in * 1000;
    const renewAt = askedAt + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 10);
    return (this.#cached = { value: token.access_token, renewAt });
  }
}

function isToken(result: Partial<AccessToken>): boolean {
  return typeof result.access_token === "string" && typeof result.expires_in === "number";
}
