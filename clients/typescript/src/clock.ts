// The manual clock of a demo: time stands still until a test moves it.
import { HttpClient } from "./http.js";
import { retrySettings } from "./retry.js";

/** Deliveries on the way may take up to 10 s each, in real time. */
const TIMEOUT_MS = 660_000;

export class ManualClock {
  readonly #http: HttpClient;

  constructor(url: string) {
    const retries = retrySettings({ maxRetries: 0 });
    this.#http = new HttpClient({ baseUrl: url, timeoutMs: TIMEOUT_MS, retries, fetch });
  }

  async now(): Promise<Date> {
    return await this.#send("GET");
  }

  async advance(ms: number): Promise<Date> {
    return await this.#send("POST", { advance_ms: ms });
  }

  async #send(method: "GET" | "POST", body?: object): Promise<Date> {
    const isExpected = (result: object) => "now_ms" in result && typeof result.now_ms === "number";
    const request = { method, path: "", repeatable: false, isExpected, ...(body ? { body } : {}) };
    const { now_ms } = (await this.#http.send(request)) as { now_ms: number };
    return new Date(now_ms);
  }
}
