<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A vendor's balance in one currency. Amounts have the currency's number of decimals.
 */
final class WalletBalance
{
    /**
     * @param string $currency ISO 4217.
     * @param string $available The amount that can be paid out to you.
     * @param string $pending The amount that is yours and cannot be paid out yet.
     * @param string $refunds The amount being refunded to customers.
     * @param string $payouts The amount being paid out to you.
     */
    public function __construct(
        public readonly string $currency,
        public readonly string $available,
        public readonly string $pending,
        public readonly string $refunds,
        public readonly string $payouts,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            currency: $fields->string('currency'),
            available: $fields->string('available'),
            pending: $fields->string('pending'),
            refunds: $fields->string('refunds'),
            payouts: $fields->string('payouts'),
        );
    }
}
