import type { Api, CallOptions } from "./api.js";
import type { SignatureVerdict } from "./types.js";

export interface SignatureCheckParams {
  /** The raw body of a callback, as your server received it. */
  body: Uint8Array | string;
  /** The signature that your code computed over it. */
  signature: string;
}

/** Finds the mistake in your own verification. Only in the sandbox. */
export class Signatures {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Whether a signature is right and, if not, which mistake leads to it. Till keeps nothing of it. */
  async check(params: SignatureCheckParams, options: CallOptions = {}): Promise<SignatureVerdict> {
    this.#api.requireEnvironment("sandbox", "signatures.check");
    // In base64, no byte of the body can change on the way.
    const body = Buffer.from(params.body as Uint8Array).toString("base64");
    const asked = { body, body_encoding: "base64", signature: params.signature };
    return await this.#api.post(this.#api.paths.signatureChecks, asked, options, { repeatable: true });
  }
}
