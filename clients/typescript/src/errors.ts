import type { FieldError, Problem } from "./types.js";

/** What all errors of this library have in common. */
export class TillError extends Error {
  override name = "TillError";
}

/** Till responded with an error. Decide by `code`; show `message` to developers; log `requestId`. */
export class TillApiError extends TillError {
  override name = "TillApiError";

  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
    /** The stable code, such as `invalid_request`; `unexpected_response` if the response is not Till's. */
    readonly code: string,
    /** Every invalid field; empty if the error is not about fields. */
    readonly errors: readonly FieldError[],
    /** Identifies the request when you contact the operator. */
    readonly requestId: string | undefined,
    /** Seconds after which Till asks to try again, from `Retry-After`. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }

  /** The error in a response that is not successful, or that has no JSON although it is. */
  static fromResponse(response: Response, body: string): TillApiError {
    const { status, headers } = response;
    const problem = parseProblem(body);
    const code = problem?.code ?? "unexpected_response";
    const requestId = problem?.request_id ?? headers.get("x-request-id") ?? undefined;
    const detail = problem?.detail ?? "the response is not Till's";
    const message = `${detail} (HTTP ${status}, ${code}${requestId ? `, request ${requestId}` : ""})`;
    const retryAfter = parseRetryAfter(headers.get("retry-after"));
    return new TillApiError(message, status, code, problem?.errors ?? [], requestId, retryAfter);
  }
}

/** No complete response arrived. If the request was a change, it may have been carried out. */
export class TillConnectionError extends TillError {
  override name = "TillConnectionError";

  constructor(
    message: string,
    readonly reason: "timeout" | "network",
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

export type CallbackErrorReason =
  | "no_secret"
  | "missing_signature"
  | "invalid_signature"
  | "missing_timestamp"
  | "invalid_timestamp"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "wrong_environment"
  | "invalid_body";

/** A callback was refused. Respond with 401 and do nothing else. */
export class TillCallbackError extends TillError {
  override name = "TillCallbackError";

  constructor(
    readonly reason: CallbackErrorReason,
    message: string,
  ) {
    super(message);
  }
}

/** The object that a body has as JSON, if it has one. */
export function parseObject(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseProblem(body: string): Problem | undefined {
  const problem: Partial<Problem> = parseObject(body) ?? {};
  const isProblem =
    typeof problem.code === "string" &&
    typeof problem.detail === "string" &&
    Array.isArray(problem.errors ?? []);
  return isProblem ? (problem as Problem) : undefined;
}

/** `Retry-After` is a number of seconds, or a date if a proxy sent it. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
