<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * Unknown fields are ignored; null counts as absent.
 */
final class CreateRefund implements JsonSerializable
{
    /**
     * @param ?string $amount The amount to refund, in the session's currency, written like a price. The
     *     full remaining amount if omitted.
     * @param ?string $currency Optional; must be the session's currency.
     * @param ?Receipt $receipt The fiscal receipt of what comes back; its items add up to the amount.
     *     Required for a partial refund of a payment that has a receipt.
     * @param ?string $reason The reason, for people. 1 to 255 characters after trimming; no control
     *     characters or bidirectional overrides.
     */
    public function __construct(
        public readonly ?string $amount = null,
        public readonly ?string $currency = null,
        public readonly ?Receipt $receipt = null,
        public readonly ?string $reason = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'amount' => $this->amount,
            'currency' => $this->currency,
            'receipt' => $this->receipt,
            'reason' => $this->reason,
        ], static fn (mixed $value) => $value !== null);
    }
}
