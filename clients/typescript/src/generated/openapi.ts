// Generated from Till's OpenAPI document by clients/typescript/generate. Do not edit.

export interface paths {
  "/api/callbacks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch callbacks
     * @description For a server without a public address, or one that was down for longer than Till retries callbacks: your events with the body and headers of their callbacks, oldest first. Treat each like a callback: verify its signature and ignore duplicates by event_id. Unknown parameters are ignored; a parameter sent twice is rejected.
     */
    get: operations["fetchCallbacks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List sessions
     * @description Your sessions, newest first, by order, status and time. A session is on exactly one page, no matter how many are created while you read. Unknown parameters are rejected, so that a typing error does not list everything.
     */
    get: operations["listSessions"];
    put?: never;
    /**
     * Create a payment session
     * @description Redirect the customer to the session_url in the response. A repeated request with the same Idempotency-Key and body returns the first response again, with Idempotent-Replayed: true.
     */
    post: operations["createSession"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session/{session_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a session's status
     * @description For reconciliation, if a callback did not arrive. Rely on the callback to learn of a payment.
     */
    get: operations["getSession"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session/{session_id}/expire": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Expire a session
     * @description Ends a pending session now, so that it can no longer be paid: for an order that was changed or canceled. The payment is closed at the provider first; where a provider cannot close it, money that still arrives is reported as late. A session that has expired already is returned as it is. The body is empty or `{}`.
     */
    post: operations["expireSession"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session/{session_id}/receipts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close a prepayment
     * @description What the customer paid before has been handed over: makes the closing fiscal receipt (54-FZ) of a paid session whose receipt has a prepayment. A session has one; a second call returns the first one again.
     */
    post: operations["createReceipt"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session/{session_id}/refunds": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List a session's refunds
     * @description All refunds of a session, in any status.
     */
    get: operations["listRefunds"];
    put?: never;
    /**
     * Refund a payment
     * @description Refunds a paid session in full or in part. In live, the amount leaves your balance at once and returns if the provider declines; in the sandbox, no money moves and the simulated bank responds. The session stays paid. A repeated request with the same Idempotency-Key and body does not create a second refund.
     */
    post: operations["createRefund"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/product/session/{session_id}/refunds/{refund_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a refund's status
     * @description For reconciliation, if a callback did not arrive.
     */
    get: operations["getRefund"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/callbacks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch callbacks
     * @description For a server without a public address, or one that was down for longer than Till retries callbacks: your events with the body and headers of their callbacks, oldest first. Treat each like a callback: verify its signature and ignore duplicates by event_id. Unknown parameters are ignored; a parameter sent twice is rejected.
     */
    get: operations["fetchCallbacksSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List sessions
     * @description Your sessions, newest first, by order, status and time. A session is on exactly one page, no matter how many are created while you read. Unknown parameters are rejected, so that a typing error does not list everything.
     */
    get: operations["listSessionsSandbox"];
    put?: never;
    /**
     * Create a payment session
     * @description Redirect the customer to the session_url in the response. A repeated request with the same Idempotency-Key and body returns the first response again, with Idempotent-Replayed: true.
     */
    post: operations["createSessionSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a session's status
     * @description For reconciliation, if a callback did not arrive. Rely on the callback to learn of a payment.
     */
    get: operations["getSessionSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}/expire": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Expire a session
     * @description Ends a pending session now, so that it can no longer be paid: for an order that was changed or canceled. The payment is closed at the provider first; where a provider cannot close it, money that still arrives is reported as late. A session that has expired already is returned as it is. The body is empty or `{}`.
     */
    post: operations["expireSessionSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}/receipts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close a prepayment
     * @description What the customer paid before has been handed over: makes the closing fiscal receipt (54-FZ) of a paid session whose receipt has a prepayment. A session has one; a second call returns the first one again.
     */
    post: operations["createReceiptSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}/refunds": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List a session's refunds
     * @description All refunds of a session, in any status.
     */
    get: operations["listRefundsSandbox"];
    put?: never;
    /**
     * Refund a payment
     * @description Refunds a paid session in full or in part. In live, the amount leaves your balance at once and returns if the provider declines; in the sandbox, no money moves and the simulated bank responds. The session stays paid. A repeated request with the same Idempotency-Key and body does not create a second refund.
     */
    post: operations["createRefundSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}/refunds/{refund_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a refund's status
     * @description For reconciliation, if a callback did not arrive.
     */
    get: operations["getRefundSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/checkout-session/{session_id}/simulate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Choose a sandbox session's outcome or event
     * @description For automated tests. With after_ms, the outcome is scheduled and the response shows the current status; a later call replaces it, and an earlier deadline takes precedence. With event, something happens to the money of a session that has ended, and your server gets the same callback as in live; the session's status does not change.
     */
    post: operations["simulateSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/endpoint-checks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check your callback endpoint
     * @description Plays a fixed script of callbacks, right and wrong, against your endpoint, with real sandbox sessions of an order that begins with till-check-, and says whether it is ready for real payments. One check runs at a time.
     */
    post: operations["checkEndpointSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/endpoint-checks/{check_id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an endpoint check
     * @description Repeat the request until state is done. The last 50 checks are kept.
     */
    get: operations["getEndpointCheckSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/signature-checks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Find the mistake in a signature
     * @description Send the raw body of a callback and the signature that your code computed over it. The response says whether it is right and, if not, which mistake leads to it: another secret, another algorithm, another encoding, or a body that was changed before it was signed. Nothing is sent anywhere, nothing is kept, and no secret is shown.
     */
    post: operations["checkSignatureSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/tokens": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Obtain a token
     * @description Exchanges a client id and secret for a Bearer token. Credentials work only in their own environment.
     */
    post: operations["obtainTokenSandbox"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sandbox/vendor/transactions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List transactions
     * @description The movements of your customers' money, newest first: payments, refunds that succeeded, reversals and lost disputes, by session, order, type and time. A transaction is on exactly one page. Unknown parameters are rejected.
     */
    get: operations["listTransactionsSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tokens": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Obtain a token
     * @description Exchanges a client id and secret for a Bearer token. Credentials work only in their own environment.
     */
    post: operations["obtainToken"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/transactions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List transactions
     * @description The movements of your customers' money, newest first: payments, refunds that succeeded, reversals and lost disputes, by session, order, type and time. A transaction is on exactly one page. Unknown parameters are rejected.
     */
    get: operations["listTransactions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/wallet": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get your balances
     * @description What the operator currently holds for you. The panel shows every entry behind it, with a statement for each month. Live only: the sandbox moves no money.
     */
    get: operations["getWallet"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description A Bearer token. */
    AccessToken: {
      /**
       * @description Send it as `Authorization: Bearer <access_token>`.
       * @example till_sandbox_AQEBmpMl…
       */
      access_token: string;
      /**
       * Format: int64
       * @description The token's lifetime in seconds.
       * @example 3600
       */
      expires_in: number;
      /**
       * @description Always `Bearer`.
       * @example Bearer
       */
      token_type: string;
    };
    /** @description A page of callbacks. */
    CallbackPage: {
      /** @description The callbacks after the cursor, oldest first; empty if there are none yet. */
      callbacks: components["schemas"]["FetchedCallback"][];
      /**
       * @description Whether more callbacks are available now.
       * @example false
       */
      has_more: boolean;
      /**
       * @description The cursor for the next call: send it as `after`. Save it after you have processed the page.
       * @example 20
       */
      next: string;
    };
    CheckEndpoint: {
      /**
       * Format: uri
       * @description The URL to check; the Callback URL of your settings if omitted.
       */
      callback_url?: string | null;
    };
    CheckSignature: {
      /**
       * @description The raw body of the callback, as your server received it.
       * @example {"event":"session.paid","status":"paid"}
       */
      body: string;
      /**
       * @description How body is written: utf8 if omitted, base64 for bytes that JSON cannot carry, such as a byte order mark that your editor hides.
       * @enum {string|null}
       */
      body_encoding?: "utf8" | "base64" | null;
      /**
       * @description The signature that your code computed, as it is written there.
       * @example DeEbOrnBJlpR6MdwjDLjg+7nSDPJF1Q8SrBPcokZ5Mk=
       */
      signature: string;
    };
    /** @description An endpoint check that was started. */
    CheckStarted: {
      /**
       * @description The id of the check. Get the check to see how far it is.
       * @example 0199a8f2-5c1e-7a44-b0a3-1f0f4e0b9d10
       */
      check_id: string;
    };
    /** @description A fiscal receipt of a session besides that of its payment. */
    ClosingReceipt: {
      /**
       * Format: uuid
       * @description The receipt's id.
       * @example 01932c61-02ab-7c11-9a52-3f0c5b7e21d4
       */
      receiptId: string;
      /**
       * @description The state of its registration.
       * @example pending
       */
      status: string;
      /**
       * @description `closing`.
       * @example closing
       */
      type: string;
    };
    /** @description Unknown fields are rejected; null counts as absent. */
    CreateReceipt: {
      /** @description What was handed over. If omitted, all prepaid items that were not refunded, with the mode full_payment and the plain VAT rate. Required if a refund was not of whole items. They add up to what is left. */
      items?: components["schemas"]["ReceiptItem"][] | null;
      /**
       * @description Always closing.
       * @enum {string}
       */
      type: "closing";
    };
    /** @description Unknown fields are ignored; null counts as absent. */
    CreateRefund: {
      /**
       * @description The amount to refund, in the session's currency, written like a price. The full remaining amount if omitted.
       * @example 10.00
       */
      amount?: string | number | null;
      /**
       * @description Optional; must be the session's currency.
       * @example RUB
       */
      currency?: string | null;
      /**
       * @description The reason, for people. 1 to 255 characters after trimming; no control characters or bidirectional overrides.
       * @example wrong size
       */
      reason?: string | null;
      /** @description The fiscal receipt of what comes back; its items add up to the amount. Required for a partial refund of a payment that has a receipt. */
      receipt?: components["schemas"]["Receipt"];
    };
    /** @description Describe the item with product_name, price and currency; in live, you can send the product_id of a product in your catalog instead. Unknown fields are ignored; null counts as absent. */
    CreateSession: {
      /**
       * @description The methods to offer, at least one of yours. In the sandbox, any texts: they are stored and have no effect.
       * @example [
       *       "card",
       *       "sbp"
       *     ]
       */
      availablePaymentMethods?: string[] | null;
      /**
       * Format: uri
       * @description The callback URL for this session, instead of the one in your settings.
       * @example https://shop.example.com/callback
       */
      callback_url?: string | null;
      /**
       * @description A category in your catalog; with product_id, it must be that product's. Rejected in the sandbox.
       * @example cat_07aa
       */
      category_id?: string | null;
      /**
       * @description An active ISO 4217 code, any case. Required with price.
       * @example RUB
       */
      currency?: string | null;
      /**
       * Format: email
       * @description The customer's email address. It prefills the field on the live checkout page and gets the receipt. It is never in a callback.
       * @example ann@mail.example
       */
      customer_email?: string | null;
      /**
       * @description The method to start with: `card`, `crypto` or `sbp`, one of those offered. In the sandbox, any text: it is stored and has no effect.
       * @example card
       */
      defaultPaymentMethod?: string | null;
      /**
       * @description How long the session can be paid, in seconds: 60 up to the longest lifetime of a payment method. The lifetime of the chosen method still applies if it ends earlier.
       * @example 600
       */
      expires_in?: number | null;
      /**
       * @description A BCP 47 language tag. The page opens in the nearest available language, unless the customer chose another one.
       * @example ru-RU
       */
      locale?: string | null;
      /**
       * @description Your own data, up to 20 keys and 8 KiB in all. Returned in the status, the list and the callbacks of the session. No control characters except newline and tab.
       * @example {
       *       "cart": "7f31"
       *     }
       */
      metadata?: {
        [key: string]: string;
      } | null;
      /**
       * @description Your own order identifier, returned exactly as sent. Not unique: a new session for the same order is a new attempt. No control characters.
       * @example A-1042
       */
      order_id: string;
      /**
       * @description The amount, greater than 0, as a decimal string or a number. At most 12 digits before the point, and no more decimals than the currency has. Responses repeat it digit for digit.
       * @example 4990.00
       * @example 49.9
       */
      price?: string | number | null;
      /**
       * @description A product in your catalog, whose name, price and currency are copied. Cannot be combined with product_name, price or currency. Rejected in the sandbox.
       * @example prd_9f31
       */
      product_id?: string | null;
      /**
       * @description What the customer pays for. Required unless product_id is given. 1 to 255 characters after trimming; no control characters or bidirectional overrides.
       * @example Atlas of Northern Light
       */
      product_name?: string | null;
      /** @description A fiscal receipt (54-FZ), if you are a Russian vendor with a till. */
      receipt?: components["schemas"]["Receipt"];
      /**
       * Format: uri
       * @description The return URL for this session, instead of the one in your settings. {SESSION_ID} and {ORDER_ID} are filled in.
       * @example https://shop.example.com/thanks?order={ORDER_ID}
       */
      return_url?: string | null;
    };
    /** @description A check of your callback endpoint. */
    EndpointCheck: {
      /**
       * @description The URL that is checked.
       * @example https://shop.example.com/till
       */
      callback_url: string;
      /**
       * @description The id of the check.
       * @example 0199a8f2-5c1e-7a44-b0a3-1f0f4e0b9d10
       */
      check_id: string;
      /**
       * Format: date-time
       * @description When the check was started.
       * @example 2026-11-15T09:30:00.000Z
       */
      started_at: string;
      /**
       * @description running or done.
       * @example done
       */
      state: string;
      /** @description The steps so far, in their order. */
      steps: components["schemas"]["EndpointCheckStep"][];
      /**
       * @description ready if every step passed whose level is must, otherwise not_ready. null while the check is running.
       * @example ready
       */
      verdict: string | null;
    };
    /** @description A step of an endpoint check. */
    EndpointCheckStep: {
      /**
       * @description The line of code to add, if your programming language is known from your User-Agent.
       * @example if (!hash_equals($expected, $signature)) { http_response_code(401); exit; }
       */
      code?: string | null;
      /**
       * Format: int64
       * @description How long the requests of the step took, in milliseconds.
       * @example 48
       */
      duration_ms: number;
      /**
       * @description The response that came.
       * @example 200
       */
      got: string;
      /**
       * @description must or should. A should is good advice, and does not change the verdict.
       * @example must
       */
      level: string;
      /**
       * @description A name that does not change.
       * @example wrong_signature
       */
      name: string;
      /** @description True if the endpoint did what was wanted. */
      passed: boolean;
      /**
       * @description What to change, if the step did not pass.
       * @example Compare the signature in constant time, and answer 401 if it differs.
       */
      repair?: string | null;
      /**
       * @description The response that a correct endpoint gives.
       * @example A 4xx response
       */
      wanted: string;
      /**
       * @description Why it matters.
       * @example Anyone who knows your URL can send a request to it. Without this check, a forged callback ships goods that nobody paid for.
       */
      why: string;
    };
    /** @description A callback, as Till sends it to a callback URL. */
    FetchedCallback: {
      /**
       * @description The raw body of the callback: verify the signature over exactly these bytes, in UTF-8.
       * @example {"event":"session.paid","eventId":"01963f2a-9d40-7c11-9a52-3f0c5b7e21d4","occurredAt":"2026-11-15T09:31:30.000Z","sessionId":"01963f2a-7b1c-7def-8123-456789abcdef","status":"paid","productName":"Atlas","price":"49.90","currency":"RUB","createdAt":"2026-11-15T09:30:00.000Z","updatedAt":"2026-11-15T09:31:30.000Z","orderId":"A-1001","paymentMethod":"card"}
       */
      body: string;
      /**
       * Format: uuid
       * @description The event's id, for ignoring duplicates.
       * @example 01963f2a-9d40-7c11-9a52-3f0c5b7e21d4
       */
      event_id: string;
      /** @description The headers of the callback, with names in lower case, signed now. */
      headers: {
        [key: string]: string;
      };
    };
    /** @description One invalid field. */
    FieldError: {
      /**
       * @description The stable error code of the field, for programs.
       * @example too_many_decimals
       */
      code: string;
      /**
       * @description The field's name in the request.
       * @example price
       */
      field: string;
      /**
       * @description What is wrong with it, for people.
       * @example price has 3 decimals but RUB allows 2
       */
      message: string;
    };
    /** @description The body of every error: RFC 9457, `application/problem+json`. */
    Problem: {
      /**
       * @description The stable error code, for programs.
       * @example invalid_request
       */
      code: string;
      /**
       * @description What is wrong and what to do about it, for people.
       * @example price has 3 decimals but RUB allows 2
       */
      detail: string;
      /** @description Every invalid field; empty if the error is not about a field. */
      errors: components["schemas"]["FieldError"][];
      /**
       * @description The request's id; include it when you contact support.
       * @example req_019a8b2c3d4e9fd736ad88ea
       */
      request_id: string;
      /**
       * Format: int32
       * @description The HTTP status.
       * @example 422
       */
      status: number;
      /**
       * @description The HTTP status in words.
       * @example Unprocessable Entity
       */
      title: string;
      /**
       * Format: uri
       * @description A link to the description of this error.
       * @example https://pay.example.com/docs#problem-invalid_request
       */
      type: string;
    };
    /** @description A fiscal receipt (54-FZ), only in roubles and only if fiscal receipts are on in your settings. Unknown fields are rejected, unlike elsewhere: a misspelled one would change what is taxed. null counts as absent. */
    Receipt: {
      /** @description The customer. Without email and phone, customer_email is used. */
      customer?: {
        /**
         * Format: email
         * @description At most 64 characters.
         * @example ann@mail.example
         */
        email?: string | null;
        /**
         * @description The name of a company or a person, at most 256 characters.
         * @example ООО «Ромашка»
         */
        full_name?: string | null;
        /**
         * @description The taxpayer number (INN): 10 or 12 digits.
         * @example 7712345678
         */
        inn?: string | null;
        /**
         * @description With a plus sign and the country code, in digits.
         * @example +79000000000
         */
        phone?: string | null;
      } | null;
      /** @description The lines. Their totals add up to the price, to the kopeck. At most 100, or the limit in your settings. */
      items: components["schemas"]["ReceiptItem"][];
      /**
       * @description Your tax system; the one in your settings if omitted.
       * @enum {string|null}
       */
      tax_system?: "osn" | "usn_income" | "usn_income_outcome" | "esn" | "patent" | null;
    } | null;
    /** @description A line of a fiscal receipt. */
    ReceiptItem: {
      /**
       * @description The total of the line, to have it checked: price times quantity, rounded half up to a kopeck.
       * @example 1090.00
       */
      amount?: string | number | null;
      /**
       * @description The unit of the quantity; piece if omitted.
       * @enum {string|null}
       */
      measure?:
        | "piece"
        | "gram"
        | "kilogram"
        | "ton"
        | "centimeter"
        | "decimeter"
        | "meter"
        | "square_centimeter"
        | "square_decimeter"
        | "square_meter"
        | "milliliter"
        | "liter"
        | "cubic_meter"
        | "kilowatt_hour"
        | "gigacalorie"
        | "day"
        | "hour"
        | "minute"
        | "second"
        | "kilobyte"
        | "megabyte"
        | "gigabyte"
        | "terabyte"
        | "another"
        | null;
      /**
       * @description Whether the goods are handed over with the payment (full_payment) or later; the default in your settings, or full_payment.
       * @enum {string|null}
       */
      mode?:
        | "full_prepayment"
        | "partial_prepayment"
        | "advance"
        | "full_payment"
        | "partial_payment"
        | "credit"
        | "credit_payment"
        | null;
      /**
       * @description 1 to 128 characters after trimming; no control characters or bidirectional overrides.
       * @example Atlas of Northern Light
       */
      name: string;
      /**
       * @description The price of one, written like the price of a session.
       * @example 545.00
       */
      price: string | number;
      /**
       * @description At most 99999.999, with at most 3 decimals; 1 if omitted.
       * @example 2
       */
      quantity?: string | number | null;
      /**
       * @description What is paid for; the default in your settings, or commodity.
       * @enum {string|null}
       */
      subject?:
        | "commodity"
        | "excise"
        | "job"
        | "service"
        | "intellectual_activity"
        | "payment"
        | "agent_commission"
        | "another"
        | "gambling_bet"
        | "gambling_prize"
        | "lottery"
        | "lottery_prize"
        | null;
      /**
       * @description The VAT rate; none if you pay no VAT. The forms with a slash are for prepayments and advances. 20 and 20/120 are for refunds of what was sold before 2026.
       * @example 22
       * @enum {string|number}
       */
      vat:
        | "none"
        | "0"
        | "5"
        | "7"
        | "10"
        | "20"
        | "22"
        | "5/105"
        | "7/107"
        | "10/110"
        | "20/120"
        | "22/122"
        | 0
        | 5
        | 7
        | 10
        | 20
        | 22;
    };
    /** @description A refund. */
    Refund: {
      /**
       * @description The amount refunded.
       * @example 10.00
       */
      amount: string;
      /**
       * Format: date-time
       * @description When the refund was requested, UTC.
       * @example 2026-11-15T09:40:00.000Z
       */
      createdAt: string;
      /**
       * @description ISO 4217: the currency of the session.
       * @example RUB
       */
      currency: string;
      /**
       * @description The reason for the failure, for people; only for `failed`.
       * @example the customer's bank declined the refund
       */
      failureReason?: string | null;
      /**
       * @description The reason, as you sent it.
       * @example wrong size
       */
      reason?: string | null;
      /**
       * Format: uuid
       * @description The refund's id.
       * @example 01932c61-02ab-7c11-9a52-3f0c5b7e21d4
       */
      refundId: string;
      /**
       * Format: uuid
       * @description The session that was paid.
       * @example 01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2
       */
      sessionId: string;
      /**
       * @description `pending`, or one of the final `succeeded` and `failed`.
       * @example pending
       */
      status: string;
      /**
       * Format: date-time
       * @description When the refund last changed, UTC.
       * @example 2026-11-15T09:40:03.120Z
       */
      updatedAt: string;
    };
    /** @description The refunds of a session. */
    RefundList: {
      /** @description All of them, oldest first. */
      refunds: components["schemas"]["Refund"][];
    };
    /** @description A new session. */
    SessionCreated: {
      /**
       * @description Your order identifier, exactly as sent.
       * @example A-1042
       */
      order_id: string;
      /**
       * Format: uuid
       * @description The session's id.
       * @example 01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2
       */
      session_id: string;
      /**
       * Format: uri
       * @description Redirect the customer to this URL.
       * @example https://pay.example.com/session/01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2
       */
      session_url: string;
      /**
       * @description Always `pending`.
       * @example pending
       */
      status: string;
    };
    /** @description A page of sessions. */
    SessionList: {
      /** @description True while the service is on hold after a restore: sessions past their deadline are left out. */
      held?: boolean;
      /**
       * @description Send it as `cursor` to get the next page; null on the last one.
       * @example AQGTLFp8HntqmlEPa18McdI1zKq3n0dRWA
       */
      next_cursor: string | null;
      /** @description The sessions, newest first. */
      sessions: components["schemas"]["SessionStatus"][];
    };
    /** @description A session's status. */
    SessionStatus: {
      /**
       * Format: date-time
       * @description When the session was created, UTC.
       * @example 2026-11-15T09:30:00.000Z
       */
      createdAt: string;
      /**
       * @description ISO 4217.
       * @example RUB
       */
      currency: string;
      /** @description Your own data, if you sent any. */
      metadata?: {
        [key: string]: string;
      };
      /**
       * @description Your order identifier, exactly as sent.
       * @example A-1042
       */
      orderId: string;
      /**
       * @description The amount, with the digits you sent.
       * @example 4990.00
       */
      price: string;
      /**
       * @description The name of the item.
       * @example Atlas of Northern Light
       */
      productName: string;
      /**
       * @description The registration of the fiscal receipt, if there is one; `none` while no till has it.
       * @example registered
       */
      receiptStatus?: string | null;
      /**
       * Format: uuid
       * @description The session's id.
       * @example 01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2
       */
      sessionId: string;
      /**
       * @description `pending`, or one of the final `paid`, `failed` and `expired`.
       * @example paid
       */
      status: string;
      /**
       * Format: date-time
       * @description When the status last changed, UTC.
       * @example 2026-11-15T09:31:12.345Z
       */
      updatedAt: string;
    };
    /** @description A mistake in a signature. */
    SignatureDiagnosis: {
      /**
       * @description The client id of the pair whose secret was used, if another secret of yours was.
       * @example sandbox_d3f1c0a94be27716f0a3c9e2
       */
      client_id?: string | null;
      /**
       * @description A code that does not change.
       * @example base64
       */
      code: string;
      /**
       * @description What is wrong, and what to do.
       * @example It is written in base64. X-Signature has 64 lower-case hex digits.
       */
      says: string;
    };
    /** @description What the signature doctor found. */
    SignatureVerdict: {
      /** @description What is wrong, or that nothing is. Several mistakes that were made together are all listed. */
      diagnosis: components["schemas"]["SignatureDiagnosis"][];
      /** @description True if Till signs this body with this signature now. */
      right: boolean;
    };
    /** @description Send the outcome of a pending session, an event about the money of a session that has ended, or the registration of the fiscal receipt. Unknown fields are ignored; null counts as absent. */
    Simulate: {
      /** @description Milliseconds to wait; 0 if omitted. */
      after_ms?: number | null;
      /**
       * @description The amount of the event, written like a price. If omitted: the price for payment.late, half of it for payment.partial, a tenth of it (the excess) for payment.over, and everything that is not refunded for dispute.opened.
       * @example 10.00
       */
      amount?: string | number | null;
      /** @description How the callback is delivered; the vendor's default if omitted. Whatever the fault, the event itself arrives afterward, correctly signed. */
      callback?: {
        /** @description For delay and slow: how many milliseconds; 5000 if omitted. */
        delay_ms?: number | null;
        /**
         * @description none delivers it correctly. drop: the first attempt is never sent. delay: it is made later. slow: its bytes arrive slowly. duplicate: it is sent twice. reorder: an older event of the order follows it. The others send a wrong request first: bad_signature, wrong_secret, old_timestamp, changed_body (after signing), truncated, wrong_environment (the header alone), unknown_event, unknown_field.
         * @enum {string}
         */
        fault:
          | "none"
          | "drop"
          | "delay"
          | "duplicate"
          | "reorder"
          | "bad_signature"
          | "wrong_secret"
          | "old_timestamp"
          | "changed_body"
          | "truncated"
          | "wrong_environment"
          | "slow"
          | "unknown_event"
          | "unknown_field";
      } | null;
      /**
       * @description The event, instead of an outcome. payment.late needs an expired or failed session, payment.partial an expired one, payment.over and dispute.opened a paid one; dispute.won and dispute.lost end the open dispute, and payment.resolved decides the oldest open payment event.
       * @enum {string|null}
       */
      event?:
        | "payment.late"
        | "payment.partial"
        | "payment.over"
        | "payment.resolved"
        | "dispute.opened"
        | "dispute.won"
        | "dispute.lost"
        | null;
      /**
       * @description The reason for the failure; card_declined if omitted. Used only when the outcome is failed.
       * @enum {string|null}
       */
      failure_reason?:
        | "card_declined"
        | "insufficient_funds"
        | "card_expired"
        | "three_ds_failed"
        | "canceled_by_customer"
        | "provider_error"
        | "unconfirmed"
        | null;
      /**
       * @description The outcome. by_price takes the one that the last two digits of the price stand for, in a currency with two decimals: 01 card_declined, 02 insufficient_funds, 03 three_ds_failed, 04 provider_error, 05 paid after 10 seconds, 06 expired; with others the session stays pending.
       * @enum {string|null}
       */
      outcome?: "paid" | "failed" | "expired" | "by_price" | null;
      /**
       * @description What becomes of the fiscal receipt once the session is paid, or now if it is; registered if you never say. Alone, or with an outcome.
       * @enum {string|null}
       */
      receipt?: "pending" | "registered" | "failed" | null;
      /**
       * @description Required with payment.resolved: what becomes of the money.
       * @enum {string|null}
       */
      resolution?: "accepted" | "refunded" | null;
    };
    TokenRequest: {
      /**
       * @description Your client id, `live_…` or `sandbox_…`.
       * @example sandbox_5f0c71d2a9
       */
      client_id: string;
      /** @description Its secret, `sk_live_…` or `sk_sandbox_…`. */
      client_secret: string;
    };
    /** @description A movement of money. */
    Transaction: {
      /**
       * @description The amount, always positive.
       * @example 4990.00
       */
      amount: string;
      /**
       * @description The coin, for crypto.
       * @example USDC
       */
      coin?: string | null;
      /**
       * @description The number of coins, for crypto.
       * @example 54.28
       */
      coinAmount?: string | null;
      /**
       * Format: date-time
       * @description When the money moved, UTC.
       * @example 2026-11-15T09:31:12.345Z
       */
      createdAt: string;
      /**
       * @description ISO 4217: the currency of the session.
       * @example RUB
       */
      currency: string;
      /**
       * Format: uuid
       * @description The dispute, for a dispute.
       * @example 01932c61-02ab-7c11-9a52-3f0c5b7e21d4
       */
      disputeId?: string | null;
      /**
       * @description Present if true: the money came after the session was final.
       * @example true
       */
      late?: boolean;
      /**
       * @description `card`, `sbp` or `crypto`.
       * @example card
       */
      method: string;
      /**
       * @description Your order identifier, exactly as sent.
       * @example A-1042
       */
      orderId: string;
      /**
       * @description Present if true: the money was more than the price.
       * @example true
       */
      over?: boolean;
      /**
       * @description Present if true: the money was less than the price.
       * @example true
       */
      partial?: boolean;
      /**
       * Format: uuid
       * @description The refund, for a refund of the payment. A refund of money that the session does not cover has none.
       * @example 01932c61-02ab-7c11-9a52-3f0c5b7e21d4
       */
      refundId?: string | null;
      /**
       * Format: uuid
       * @description The session that it belongs to.
       * @example 01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2
       */
      sessionId: string;
      /**
       * Format: uuid
       * @description The transaction's id.
       * @example 01932c61-02ab-7c11-9a52-3f0c5b7e21d4
       */
      transactionId: string;
      /**
       * @description `payment`, or money that leaves: `refund`, `reversal` or `dispute` (a lost one).
       * @example payment
       */
      type: string;
    };
    /** @description A page of transactions. */
    TransactionList: {
      /**
       * @description Send it as `cursor` to get the next page; null on the last one.
       * @example AQGTLFp8HntqmlEPa18McdI1zKq3n0dRWA
       */
      next_cursor: string | null;
      /** @description The transactions, newest first. */
      transactions: components["schemas"]["Transaction"][];
    };
    /** @description A vendor's balances. */
    Wallet: {
      /** @description One balance for each currency in which you have received a payment. */
      balances: components["schemas"]["WalletBalance"][];
    };
    /** @description A vendor's balance in one currency. Amounts have the currency's number of decimals. */
    WalletBalance: {
      /**
       * @description The amount that can be paid out to you.
       * @example 970.00
       */
      available: string;
      /**
       * @description ISO 4217.
       * @example RUB
       */
      currency: string;
      /**
       * @description The amount being paid out to you.
       * @example 0.00
       */
      payouts: string;
      /**
       * @description The amount that is yours and cannot be paid out yet.
       * @example 120.00
       */
      pending: string;
      /**
       * @description The amount being refunded to customers.
       * @example 0.00
       */
      refunds: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  fetchCallbacks: {
    parameters: {
      query?: {
        /** @description The cursor: the next value of the previous page. A cursor that Till never returned is rejected with 422. Without it, the page starts with your oldest event. */
        after?: string;
        /** @description The maximum number of callbacks. */
        limit?: number;
        /** @description How long to keep the call open while there are no callbacks, at most 30s. Without it, Till responds at once. */
        wait?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The callbacks after the cursor. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CallbackPage"];
        };
      };
    };
  };
  listSessions: {
    parameters: {
      query?: {
        /** @description Only sessions created at this time or later: RFC 3339 with at most milliseconds, or a date, which is its midnight in UTC. */
        created_from?: string;
        /** @description Only sessions created before this time, in the same formats. */
        created_to?: string;
        /** @description The next_cursor of the previous page. The filters must be the same; with others, or damaged, it is rejected with 422 invalid_cursor. */
        cursor?: string;
        /** @description The maximum number of sessions. It may differ between pages. */
        limit?: number;
        /** @description Only sessions of this order. */
        order_id?: string;
        /** @description Only sessions with this status. */
        status?: "pending" | "paid" | "failed" | "expired";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of sessions, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionList"];
        };
      };
    };
  };
  createSession: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes retries safe: for 24 hours, the same key and body return the first response again. The same key with a different body is rejected with 422 idempotency_key_reused. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateSession"];
      };
    };
    responses: {
      /** @description The new session. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionCreated"];
        };
      };
    };
  };
  getSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session's status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionStatus"];
        };
      };
    };
  };
  expireSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": Record<string, never>;
      };
    };
    responses: {
      /** @description The session's status: expired. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionStatus"];
        };
      };
    };
  };
  createReceipt: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateReceipt"];
      };
    };
    responses: {
      /** @description The receipt that the session had before. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClosingReceipt"];
        };
      };
      /** @description The receipt. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClosingReceipt"];
        };
      };
    };
  };
  listRefunds: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The refunds, oldest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefundList"];
        };
      };
    };
  };
  createRefund: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes retries safe: for 24 hours, the same key and body return the first response again. The same key with a different body is rejected with 422 idempotency_key_reused. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateRefund"];
      };
    };
    responses: {
      /** @description The refund. A callback reports its final status. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Refund"];
        };
      };
    };
  };
  getRefund: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The refund's id. */
        refund_id: string;
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The refund's status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Refund"];
        };
      };
    };
  };
  fetchCallbacksSandbox: {
    parameters: {
      query?: {
        /** @description The cursor: the next value of the previous page. A cursor that Till never returned is rejected with 422. Without it, the page starts with your oldest event. */
        after?: string;
        /** @description The maximum number of callbacks. */
        limit?: number;
        /** @description How long to keep the call open while there are no callbacks, at most 30s. Without it, Till responds at once. */
        wait?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The callbacks after the cursor. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CallbackPage"];
        };
      };
    };
  };
  listSessionsSandbox: {
    parameters: {
      query?: {
        /** @description Only sessions created at this time or later: RFC 3339 with at most milliseconds, or a date, which is its midnight in UTC. */
        created_from?: string;
        /** @description Only sessions created before this time, in the same formats. */
        created_to?: string;
        /** @description The next_cursor of the previous page. The filters must be the same; with others, or damaged, it is rejected with 422 invalid_cursor. */
        cursor?: string;
        /** @description The maximum number of sessions. It may differ between pages. */
        limit?: number;
        /** @description Only sessions of this order. */
        order_id?: string;
        /** @description Only sessions with this status. */
        status?: "pending" | "paid" | "failed" | "expired";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of sessions, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionList"];
        };
      };
    };
  };
  createSessionSandbox: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes retries safe: for 24 hours, the same key and body return the first response again. The same key with a different body is rejected with 422 idempotency_key_reused. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateSession"];
      };
    };
    responses: {
      /** @description The new session. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionCreated"];
        };
      };
    };
  };
  getSessionSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session's status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionStatus"];
        };
      };
    };
  };
  expireSessionSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": Record<string, never>;
      };
    };
    responses: {
      /** @description The session's status: expired. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionStatus"];
        };
      };
    };
  };
  createReceiptSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateReceipt"];
      };
    };
    responses: {
      /** @description The receipt that the session had before. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClosingReceipt"];
        };
      };
      /** @description The receipt. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClosingReceipt"];
        };
      };
    };
  };
  listRefundsSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The refunds, oldest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefundList"];
        };
      };
    };
  };
  createRefundSandbox: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes retries safe: for 24 hours, the same key and body return the first response again. The same key with a different body is rejected with 422 idempotency_key_reused. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateRefund"];
      };
    };
    responses: {
      /** @description The refund. A callback reports its final status. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Refund"];
        };
      };
    };
  };
  getRefundSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The refund's id. */
        refund_id: string;
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The refund's status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Refund"];
        };
      };
    };
  };
  simulateSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session's id. */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Simulate"];
      };
    };
    responses: {
      /** @description The session's status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionStatus"];
        };
      };
    };
  };
  checkEndpointSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CheckEndpoint"];
      };
    };
    responses: {
      /** @description The check was started. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CheckStarted"];
        };
      };
    };
  };
  getEndpointCheckSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The check's id. */
        check_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The check, with the steps so far. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointCheck"];
        };
      };
    };
  };
  checkSignatureSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckSignature"];
      };
    };
    responses: {
      /** @description What was found. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SignatureVerdict"];
        };
      };
    };
  };
  obtainTokenSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TokenRequest"];
      };
    };
    responses: {
      /** @description The token. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccessToken"];
        };
      };
    };
  };
  listTransactionsSandbox: {
    parameters: {
      query?: {
        /** @description Only transactions created at this time or later: RFC 3339 with at most milliseconds, or a date, which is its midnight in UTC. */
        created_from?: string;
        /** @description Only transactions created before this time, in the same formats. */
        created_to?: string;
        /** @description The next_cursor of the previous page. The filters must be the same; with others, or damaged, it is rejected with 422 invalid_cursor. */
        cursor?: string;
        /** @description The maximum number of transactions. It may differ between pages. */
        limit?: number;
        /** @description Only transactions of this order. */
        order_id?: string;
        /** @description Only transactions of this session. */
        session_id?: string;
        /** @description Only transactions of this type. */
        type?: "payment" | "refund" | "reversal" | "dispute";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of transactions, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TransactionList"];
        };
      };
    };
  };
  obtainToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TokenRequest"];
      };
    };
    responses: {
      /** @description The token. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccessToken"];
        };
      };
    };
  };
  listTransactions: {
    parameters: {
      query?: {
        /** @description Only transactions created at this time or later: RFC 3339 with at most milliseconds, or a date, which is its midnight in UTC. */
        created_from?: string;
        /** @description Only transactions created before this time, in the same formats. */
        created_to?: string;
        /** @description The next_cursor of the previous page. The filters must be the same; with others, or damaged, it is rejected with 422 invalid_cursor. */
        cursor?: string;
        /** @description The maximum number of transactions. It may differ between pages. */
        limit?: number;
        /** @description Only transactions of this order. */
        order_id?: string;
        /** @description Only transactions of this session. */
        session_id?: string;
        /** @description Only transactions of this type. */
        type?: "payment" | "refund" | "reversal" | "dispute";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of transactions, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TransactionList"];
        };
      };
    };
  };
  getWallet: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Your balances, by currency. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Wallet"];
        };
      };
    };
  };
}
