import { Api, PATHS, type CallOptions } from "./api.js";
import { Callbacks } from "./callbacks.js";
import { HttpClient } from "./http.js";
import { Refunds } from "./refunds.js";
import { retrySettings, type RetryOptions } from "./retry.js";
import { Sessions } from "./sessions.js";
import { Signatures } from "./signatures.js";
import { TokenCache, type Credentials } from "./tokens.js";
import { Transactions } from "./transactions.js";
import type { Environment, Wallet } from "./types.js";

export interface TillOptions extends Credentials {
  /** The address of the service, such as `https://pay.example.com`. */
  baseUrl: string;
  /** `live` by default. The sandbox has its own credentials. */
  environment?: Environment;
  /** How long one attempt may take; 30 s by default. */
  timeoutMs?: number;
  retries?: RetryOptions;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** A client of one vendor in one environment. Create it once and share it: it keeps the token. */
export class Till {
  readonly environment: Environment;
  readonly sessions: Sessions;
  readonly refunds: Refunds;
  readonly transactions: Transactions;
  readonly callbacks: Callbacks;
  readonly signatures: Signatures;
  readonly #api: Api;

  constructor(options: TillOptions) {
    const { clientId, clientSecret, environment = "live", timeoutMs = 30_000 } = options;
    if (!clientId || !clientSecret) throw new TypeError("clientId and clientSecret are required");
    const http = new HttpClient({
      baseUrl: checkedUrl(options.baseUrl),
      timeoutMs,
      retries: retrySettings(options.retries),
      fetch: options.fetch ?? fetch,
    });
    const tokens = new TokenCache(http, PATHS[environment].tokens, { clientId, clientSecret });
    this.environment = environment;
    this.#api = new Api(environment, http, tokens);
    this.sessions = new Sessions(this.#api);
    this.refunds = new Refunds(this.#api);
    this.transactions = new Transactions(this.#api);
    this.callbacks = new Callbacks(this.#api);
    this.signatures = new Signatures(this.#api);
  }

  /** What the operator holds for you, in each currency. Only in live. */
  async wallet(options: CallOptions = {}): Promise<Wallet> {
    this.#api.requireEnvironment("live", "wallet");
    return await this.#api.get("/api/wallet", options);
  }
}

function checkedUrl(baseUrl: string): string {
  const { protocol, username, password } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol)) throw new TypeError("baseUrl is not an http or https URL");
  if (username || password) throw new TypeError("baseUrl must not contain credentials");
  return baseUrl.replace(/\/+$/, "");
}
