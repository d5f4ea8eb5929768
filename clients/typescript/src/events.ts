// The bodies of callbacks. Till can add fields and events at any time.
import type { SessionStatus } from "./types.js";

interface EventFields<Name extends string> {
  event: Name;
  /** Store it under a unique key: an event can arrive more than once. */
  eventId: string;
  occurredAt: string;
}

interface SessionEventFields<Name extends string> extends EventFields<Name> {
  sessionId: string;
  status: SessionStatus;
  productName: string;
  /** The digits that you sent. */
  price: string;
  currency: string;
  createdAt: string;
  updatedAt: string;
  orderId: string;
  paymentMethod: string;
  /** Why the session failed, such as `card_declined`. */
  failureReason?: string;
  /** Your own data, if you sent any and it was not erased since. */
  metadata?: Record<string, string>;
}

export interface SessionPaidEvent extends SessionEventFields<"session.paid"> {
  status: "paid";
}

export interface SessionFailedEvent extends SessionEventFields<"session.failed"> {
  status: "failed";
  failureReason: string;
}

export interface SessionExpiredEvent extends SessionEventFields<"session.expired"> {
  status: "expired";
}

interface RefundEventFields<Name extends string> extends SessionEventFields<Name> {
  refundId: string;
  refundAmount: string;
  /** The total refunded for the session, including this refund if it succeeded. */
  refundedTotal: string;
}

export interface RefundSucceededEvent extends RefundEventFields<"refund.succeeded"> {
  refundStatus: "succeeded";
}

export interface RefundFailedEvent extends RefundEventFields<"refund.failed"> {
  refundStatus: "failed";
  /** For people. */
  refundFailureReason?: string;
}

/** Money that the session does not cover. Do not ship because of it: wait for `payment.resolved`. */
export interface OtherPaymentEvent extends SessionEventFields<
  "payment.late" | "payment.partial" | "payment.over"
> {
  transactionId: string;
  amount: string;
  coin?: string;
  coinAmount?: string;
}

export interface PaymentResolvedEvent extends SessionEventFields<"payment.resolved"> {
  transactionId: string;
  amount: string;
  /** `accepted`: the money is yours; `refunded`: the customer gets it back. */
  resolution: "accepted" | "refunded";
}

interface DisputeEventFields<Name extends string> extends SessionEventFields<Name> {
  disputeId: string;
  transactionId: string;
  amount: string;
}

export interface DisputeOpenedEvent extends DisputeEventFields<"dispute.opened"> {
  /** The last moment for evidence, if there is one. */
  answerBy?: string;
}

export type DisputeEndedEvent = DisputeEventFields<"dispute.won" | "dispute.lost">;

/** A test from the panel. It is about no session. */
export interface TestPingEvent extends EventFields<"test.ping"> {
  test: true;
}

export type KnownEvent =
  | SessionPaidEvent
  | SessionFailedEvent
  | SessionExpiredEvent
  | RefundSucceededEvent
  | RefundFailedEvent
  | OtherPaymentEvent
  | PaymentResolvedEvent
  | DisputeOpenedEvent
  | DisputeEndedEvent
  | TestPingEvent;

/**
 * An event that this version of the library does not know: ignore it, and respond with 2xx. Its name is the
 * one that Till sent; the type stands for all other names, so that the compiler can tell them from known ones.
 */
export interface UnknownEvent extends EventFields<"(any other event)"> {
  [field: string]: unknown;
}

/** Comparing `event` with the name of a known event narrows the type to that event. */
export type CallbackEvent = KnownEvent | UnknownEvent;
