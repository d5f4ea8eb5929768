import { segment, type Api, type CallOptions, type CreateOptions } from "./api.js";
import { followCursor } from "./pages.js";
import type {
  CreatedSession,
  CreateSessionParams,
  Session,
  SessionFilters,
  SessionPage,
  SimulateParams,
} from "./types.js";

export class Sessions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates a payment session. Redirect the customer to its `session_url`. */
  create(params: CreateSessionParams, options: CreateOptions = {}): Promise<CreatedSession> {
    return this.#api.create(this.#api.paths.sessions, params, options);
  }

  /** A session with its status. */
  retrieve(sessionId: string, options: CallOptions = {}): Promise<Session> {
    return this.#api.get(this.#path(sessionId), options);
  }

  /** One page of sessions, newest first. Its `next_cursor` is the `cursor` of the next page. */
  list(filters: SessionFilters = {}, options: CallOptions = {}): Promise<SessionPage> {
    return this.#api.get(this.#api.paths.sessions, options, { query: filters });
  }

  /** All sessions, newest first. `limit` is the size of the pages that are fetched. */
  async *iterate(filters: SessionFilters = {}, options: CallOptions = {}): AsyncGenerator<Session, void> {
    for await (const page of followCursor((cursor) => this.list({ ...filters, ...cursor }, options))) {
      yield* page.sessions;
    }
  }

  /** Ends a pending session now, so that it can no longer be paid. */
  expire(sessionId: string, options: CallOptions = {}): Promise<Session> {
    // Expiring an expired session changes nothing.
    return this.#api.post(`${this.#path(sessionId)}/expire`, {}, options, { repeatable: true });
  }

  /** Chooses what happens to a session. Only in the sandbox. */
  async simulate(sessionId: string, params: SimulateParams, options: CallOptions = {}): Promise<Session> {
    this.#api.requireEnvironment("sandbox", "simulate");
    return await this.#api.post(`${this.#path(sessionId)}/simulate`, params, options, { repeatable: false });
  }

  #path(sessionId: string): string {
    return `${this.#api.paths.sessions}/${segment(sessionId)}`;
  }
}
