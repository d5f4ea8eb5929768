// Verifies callbacks. X-Signature proves who sent the body; webhook-signature also proves when.
import { createHmac, timingSafeEqual } from "node:crypto";
import { TillCallbackError } from "./errors.js";
import type { CallbackEvent } from "./events.js";
import type { Environment } from "./types.js";

export interface VerifyOptions {
  /** The client secret, or several while a rotation overlaps. */
  secret: string | readonly string[];
  /**
   * How far `webhook-timestamp` may be off the clock, in both directions; 300 s by default. The `webhook-…`
   * headers must then be there: without them, a recorded callback could be sent again at any time. With
   * `null`, they are verified when they are there, and the time does not matter.
   */
  toleranceSeconds?: number | null;
  /** The environment that the callback must be from. Secrets of the other one are then not used. */
  environment?: Environment;
  /** The time to compare `webhook-timestamp` with, instead of now. */
  now?: Date;
}

/** Headers of a request: those of Fetch, or an object such as that of `node:http`. Names in any case. */
export type CallbackHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event of a callback, or throws a `TillCallbackError`.
 *
 * @param rawBody the bytes as received; a string only if it is the body of a callback from the feed
 */
export function verifyCallback(
  rawBody: Uint8Array | string,
  headers: CallbackHeaders,
  options: VerifyOptions,
): CallbackEvent {
  const secrets = usableSecrets(options);
  const header = headerReader(headers);
  verifyBodySignature(rawBody, header, secrets);
  verifyTimestamp(rawBody, header, secrets, options);
  const { environment } = options;
  if (environment && header("x-environment") !== environment) refuseEnvironment(environment);
  return parseEvent(rawBody);
}

type HeaderReader = (name: string) => string | undefined;

/** X-Environment is not signed. What tells the environments apart is the secret, which names its own. */
function usableSecrets({ secret, environment }: VerifyOptions): string[] {
  const given = [secret].flat().filter(Boolean);
  if (given.length === 0) refuse("no_secret", "there is no secret to verify the callback with");
  const other = environment === "live" ? "sk_sandbox_" : "sk_live_";
  const usable = environment ? given.filter((secret) => !secret.startsWith(other)) : given;
  return usable.length > 0 ? usable : refuseEnvironment(environment);
}

function verifyBodySignature(body: Uint8Array | string, header: HeaderReader, secrets: string[]): void {
  const given = [header("x-signature"), header("x-signature-alternate")].filter(
    (value) => value !== undefined,
  );
  if (given.length === 0) refuse("missing_signature", "the header X-Signature is missing");
  const isRight = secrets.some((secret) => isOneOf(hmac(secret, body).toString("hex"), given));
  if (!isRight) refuse("invalid_signature", "X-Signature does not match");
}

function verifyTimestamp(
  body: Uint8Array | string,
  header: HeaderReader,
  secrets: string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions,
): void {
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature");
  const isAbsent = id === undefined && timestamp === undefined && signatures === undefined;
  if (isAbsent && toleranceSeconds === null) return;
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    return refuse("missing_timestamp", "webhook-id, webhook-timestamp or webhook-signature is missing");
  }

  const given = signatures.split(" ");
  const prefix = `${id}.${timestamp}.`;
  const isRight = secrets.some((secret) =>
    isOneOf(`v1,${hmac(secret, prefix, body).toString("base64")}`, given),
  );
  if (!isRight) refuse("invalid_signature", "webhook-signature does not match");

  if (toleranceSeconds === null) return;
  if (!/^\d{1,15}$/.test(timestamp)) refuse("invalid_timestamp", "webhook-timestamp is not a number");
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!(age <= toleranceSeconds)) refuse("timestamp_too_old", "the callback was sent too long ago");
  if (!(age >= -toleranceSeconds)) refuse("timestamp_too_new", "webhook-timestamp is in the future");
}

function parseEvent(body: Uint8Array | string): CallbackEvent {
  let event: unknown;
  try {
    event = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return refuse("invalid_body", "the body is not JSON");
  }
  const { event: name, eventId } = (event ?? {}) as Partial<CallbackEvent>;
  if (typeof name !== "string" || typeof eventId !== "string") {
    return refuse("invalid_body", "the body has no event and eventId");
  }
  return event as CallbackEvent;
}

function hmac(secret: string, ...parts: (Uint8Array | string)[]): Buffer {
  const mac = createHmac("sha256", secret);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** Compares in constant time. */
function isOneOf(expected: string, given: string[]): boolean {
  const right = Buffer.from(expected);
  return given.map((text) => isEqual(right, Buffer.from(text))).includes(true);
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function headerReader(headers: CallbackHeaders): HeaderReader {
  const { get } = headers;
  if (typeof get === "function") return (name) => get.call(headers, name) ?? undefined;
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return Array.isArray(value) ? value.join(", ") : value;
  };
}

function refuseEnvironment(expected: Environment | undefined): never {
  return refuse("wrong_environment", `the callback is not from the ${expected} environment`);
}

function refuse(reason: TillCallbackError["reason"], message: string): never {
  throw new TillCallbackError(reason, message);
}
