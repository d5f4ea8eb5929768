<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A vendor's balances.
 */
final class Wallet
{
    /**
     * @param list<WalletBalance> $balances One balance for each currency in which you have received a
     *     payment.
     */
    public function __construct(
        public readonly array $balances,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            balances: $fields->list('balances', WalletBalance::fromArray(...)),
        );
    }
}
