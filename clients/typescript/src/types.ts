// The API's objects: as generated, made more precise where the OpenAPI document only has patterns.
import type { components, operations } from "./generated/openapi.js";

type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = OrUndefined<
  NonNullable<operations[Operation]["parameters"]["query"]>
>;
/** A parameter that is undefined is not sent. */
type OrUndefined<Type> = { [Name in keyof Type]: Type[Name] | undefined };
type Replace<Type, Changes> = Omit<Type, keyof Changes> & Changes;

export type Environment = "live" | "sandbox";

export type SessionStatus = "pending" | "paid" | "failed" | "expired";
export type RefundStatus = "pending" | "succeeded" | "failed";
export type TransactionType = "payment" | "refund" | "reversal" | "dispute";

interface DescribedItem {
  product_name: string;
  /** A decimal string with exact digits, such as `"49.90"`; never a float. */
  price: string;
  currency: string;
  product_id?: null;
}

interface CatalogItem {
  /** A product of your catalog; only in live. */
  product_id: string;
  product_name?: null;
  price?: null;
  currency?: null;
}

export type CreateSessionParams = Omit<Schemas["CreateSession"], keyof DescribedItem> &
  (DescribedItem | CatalogItem);
export type CreatedSession = Replace<Schemas["SessionCreated"], { status: SessionStatus }>;
export type Session = Replace<Schemas["SessionStatus"], { status: SessionStatus }>;
export type SessionPage = Replace<Schemas["SessionList"], { sessions: Session[] }>;

export type SimulateParams = Replace<Schemas["Simulate"], { amount?: string | null }>;

export type CreateRefundParams = Replace<Schemas["CreateRefund"], { amount?: string | null }>;
export type Refund = Replace<Schemas["Refund"], { status: RefundStatus }>;

export type Transaction = Replace<Schemas["Transaction"], { type: TransactionType }>;
export type TransactionPage = Replace<Schemas["TransactionList"], { transactions: Transaction[] }>;

/** Created at `created_from` or later, and before `created_to`. */
interface CreatedBetween {
  created_from?: string | Date | undefined;
  created_to?: string | Date | undefined;
}
export type SessionFilters = Replace<Query<"listSessions">, CreatedBetween>;
export type TransactionFilters = Replace<Query<"listTransactions">, CreatedBetween>;

export type FetchedCallback = Schemas["FetchedCallback"];
export type CallbackPage = Schemas["CallbackPage"];
export type CallbackQuery = Query<"fetchCallbacks">;

export type SignatureVerdict = Schemas["SignatureVerdict"];
export type SignatureDiagnosis = Schemas["SignatureDiagnosis"];

export type Wallet = Schemas["Wallet"];
export type WalletBalance = Schemas["WalletBalance"];

export type AccessToken = Schemas["AccessToken"];
export type Problem = Schemas["Problem"];
export type FieldError = Schemas["FieldError"];
