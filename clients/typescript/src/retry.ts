// Which failures are worth another attempt, and how long to wait before it.
import { TillApiError, TillConnectionError } from "./errors.js";

export interface RetryOptions {
  /** Attempts after the first one; 3 by default, 0 for none. */
  retries?: number;
  /** The wait before the first retry, which doubles with every further one; 500 ms by default. */
  baseDelayMs?: number;
  /** The longest wait, even if `Retry-After` asks for more; 30 s by default. */
  maxDelayMs?: number;
}

export type RetrySettings = Required<RetryOptions>;

export function retrySettings(options: RetryOptions = {}): RetrySettings {
  const { retries = 3, baseDelayMs = 500, maxDelayMs = 30_000 } = options;
  return { retries, baseDelayMs, maxDelayMs };
}

const RETRYABLE_STATUSES = new Set([408, 429, 502, 503, 504]);
const RETRYABLE_CODES = new Set(["idempotency_in_progress"]);

export function isRetryable(error: unknown): boolean {
  if (error instanceof TillConnectionError) return true;
  if (!(error instanceof TillApiError)) return false;
  return RETRYABLE_STATUSES.has(error.status) || RETRYABLE_CODES.has(error.code);
}

/** The wait after a failed attempt, the first of which is 0. */
export function retryDelayMs(attempt: number, error: unknown, settings: RetrySettings): number {
  const jitter = 0.5 + Math.random() / 2;
  const backoff = settings.baseDelayMs * 2 ** attempt * jitter;
  const asked = error instanceof TillApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.min(Math.max(backoff, asked), settings.maxDelayMs);
}
