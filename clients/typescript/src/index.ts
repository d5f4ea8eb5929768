export type { CallOptions, CreateOptions } from "./api.js";
export { Till, type TillOptions } from "./client.js";
export {
  TillApiError,
  TillCallbackError,
  TillConnectionError,
  TillError,
  type CallbackErrorReason,
} from "./errors.js";
export type * from "./events.js";
export type { RetryOptions } from "./retry.js";
export type { SignatureCheckParams } from "./signatures.js";
export type { Credentials } from "./tokens.js";
export type * from "./types.js";
export { verifyCallback, type CallbackHeaders, type VerifyOptions } from "./verify.js";
