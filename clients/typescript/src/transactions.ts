import type { Api, CallOptions } from "./api.js";
import { followCursor } from "./pages.js";
import type { Transaction, TransactionFilters, TransactionPage } from "./types.js";

export class Transactions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** One page of transactions, newest first. Its `next_cursor` is the `cursor` of the next page. */
  list(filters: TransactionFilters = {}, options: CallOptions = {}): Promise<TransactionPage> {
    return this.#api.get(this.#api.paths.transactions, options, { query: filters });
  }

  /** All transactions, newest first. `limit` is the size of the pages that are fetched. */
  async *iterate(
    filters: TransactionFilters = {},
    options: CallOptions = {},
  ): AsyncGenerator<Transaction, void> {
    for await (const page of followCursor((cursor) => this.list({ ...filters, ...cursor }, options))) {
      yield* page.transactions;
    }
  }
}
