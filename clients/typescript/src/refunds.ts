import { segment, type Api, type CallOptions, type CreateOptions } from "./api.js";
import type { CreateRefundParams, Refund } from "./types.js";

export class Refunds {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Refunds a paid session: `amount`, or all that is left. A callback reports how it ended. */
  create(sessionId: string, params: CreateRefundParams = {}, options: CreateOptions = {}): Promise<Refund> {
    return this.#api.create(this.#path(sessionId), params, options);
  }

  retrieve(sessionId: string, refundId: string, options: CallOptions = {}): Promise<Refund> {
    return this.#api.get(`${this.#path(sessionId)}/${segment(refundId)}`, options);
  }

  /** All refunds of a session, oldest first. */
  async list(sessionId: string, options: CallOptions = {}): Promise<Refund[]> {
    const { refunds } = await this.#api.get<{ refunds: Refund[] }>(this.#path(sessionId), options);
    return refunds;
  }

  #path(sessionId: string): string {
    return `${this.#api.paths.sessions}/${segment(sessionId)}/refunds`;
  }
}
