// Which failures are worth another attempt, and how long to wait before it.
import { TillApiError, TillConnectionError } from "./errors.js";

export interface RetryOptions {
  /** Attempts after the first one; 3 by default, 0 for none. */
  maxRetries?: number;
  /** The wait before the first retry, which doubles with every further one; 500 ms by default. */
  firstDelayMs?: number;
  /** The longest of these waits; 8 s by default. */
  maxDelayMs?: number;
  /** The longest `Retry-After` to wait for; 30 s by default. If Till asks for more, the error is thrown. */
  maxRetryAfterMs?: number;
}

export type RetrySettings = Required<RetryOptions>;

export function retrySettings(options: RetryOptions = {}): RetrySettings {
  const { maxRetries = 3, firstDelayMs = 500, maxDelayMs = 8_000, maxRetryAfterMs = 30_000 } = options;
  return { maxRetries, firstDelayMs, maxDelayMs, maxRetryAfterMs };
}

const RETRYABLE_STATUSES = new Set([408, 429, 502, 503, 504]);

function isTemporary(error: unknown): boolean {
  if (error instanceof TillConnectionError) return true;
  if (!(error instanceof TillApiError)) return false;
  const isInProgress = error.status === 409 && error.code === "idempotency_in_progress";
  return isInProgress || RETRYABLE_STATUSES.has(error.status);
}

/** The wait after a failed attempt, the first of which is 0; undefined if there is no other attempt. */
export function retryDelayMs(attempt: number, error: unknown, settings: RetrySettings): number | undefined {
  const asked = error instanceof TillApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  if (attempt >= settings.maxRetries || !isTemporary(error) || asked > settings.maxRetryAfterMs) {
    return undefined;
  }
  const jitter = 0.5 + Math.random() / 2;
  const backoff = Math.min(settings.firstDelayMs * 2 ** attempt, settings.maxDelayMs) * jitter;
  return Math.max(backoff, asked);
}
