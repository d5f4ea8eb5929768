<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * Describe the item with product_name, price and currency; in live, you can send the product_id of a product
 * in your catalog instead. Unknown fields are ignored; null counts as absent.
 */
final class CreateSession implements JsonSerializable
{
    /**
     * @param string $orderId Your own order identifier, returned exactly as sent. Not unique: a new
     *     session for the same order is a new attempt. No control characters.
     * @param ?string $productName What the customer pays for. Required unless product_id is given. 1 to
     *     255 characters after trimming; no control characters or bidirectional overrides.
     * @param ?string $price The amount, greater than 0, as a decimal string or a number. At most 12
     *     digits before the point, and no more decimals than the currency has. Responses repeat it digit for
     *     digit.
     * @param ?string $currency An active ISO 4217 code, any case. Required with price.
     * @param ?string $callbackUrl The callback URL for this session, instead of the one in your
     *     settings.
     * @param ?string $returnUrl The return URL for this session, instead of the one in your settings.
     *     {SESSION_ID} and {ORDER_ID} are filled in.
     * @param ?string $defaultPaymentMethod The method to start with: `card`, `crypto` or `sbp`, one of
     *     those offered. In the sandbox, any text: it is stored and has no effect.
     * @param ?list<string> $availablePaymentMethods The methods to offer, at least one of yours. In the
     *     sandbox, any texts: they are stored and have no effect.
     * @param ?array<string, string> $metadata Your own data, up to 20 keys and 8 KiB in all. Returned in
     *     the status, the list and the callbacks of the session. No control characters except newline and
     *     tab.
     * @param ?string $customerEmail The customer's email address. It prefills the field on the live
     *     checkout page and gets the receipt. It is never in a callback.
     * @param ?string $locale A BCP 47 language tag. The page opens in the nearest available language,
     *     unless the customer chose another one.
     * @param ?int $expiresIn How long the session can be paid, in seconds: 60 up to the longest lifetime
     *     of a payment method. The lifetime of the chosen method still applies if it ends earlier.
     * @param ?Receipt $receipt A fiscal receipt (54-FZ), if you are a Russian vendor with a till.
     * @param ?string $productId A product in your catalog, whose name, price and currency are copied.
     *     Cannot be combined with product_name, price or currency. Rejected in the sandbox.
     * @param ?string $categoryId A category in your catalog; with product_id, it must be that product's.
     *     Rejected in the sandbox.
     */
    public function __construct(
        public readonly string $orderId,
        public readonly ?string $productName = null,
        public readonly ?string $price = null,
        public readonly ?string $currency = null,
        public readonly ?string $callbackUrl = null,
        public readonly ?string $returnUrl = null,
        public readonly ?string $defaultPaymentMethod = null,
        public readonly ?array $availablePaymentMethods = null,
        public readonly ?array $metadata = null,
        public readonly ?string $customerEmail = null,
        public readonly ?string $locale = null,
        public readonly ?int $expiresIn = null,
        public readonly ?Receipt $receipt = null,
        public readonly ?string $productId = null,
        public readonly ?string $categoryId = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'order_id' => $this->orderId,
            'product_name' => $this->productName,
            'price' => $this->price,
            'currency' => $this->currency,
            'callback_url' => $this->callbackUrl,
            'return_url' => $this->returnUrl,
            'defaultPaymentMethod' => $this->defaultPaymentMethod,
            'availablePaymentMethods' => $this->availablePaymentMethods,
            'metadata' => $this->metadata === null ? null : (object) $this->metadata,
            'customer_email' => $this->customerEmail,
            'locale' => $this->locale,
            'expires_in' => $this->expiresIn,
            'receipt' => $this->receipt,
            'product_id' => $this->productId,
            'category_id' => $this->categoryId,
        ], static fn (mixed $value) => $value !== null);
    }
}
