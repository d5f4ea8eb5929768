import type { Api, CallOptions } from "./api.js";
import type { CallbackPage, CallbackQuery } from "./types.js";

/** The longest time for which Till keeps a call with `wait` open. */
const LONGEST_WAIT_MS = 30_000;

/** The feed of events, for a server without a public URL, or one that missed callbacks. */
export class Callbacks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * One page of callbacks, oldest first. Verify each with `verifyCallback`, process it, then store `next` and
   * send it as `after`. With `wait`, such as `"30s"`, the call stays open until there is a callback.
   */
  list(query: CallbackQuery = {}, options: CallOptions = {}): Promise<CallbackPage> {
    const extraTimeMs = query.wait === undefined ? 0 : LONGEST_WAIT_MS;
    return this.#api.get(this.#api.paths.callbacks, options, { query, extraTimeMs });
  }
}
