<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * A fiscal receipt (54-FZ), only in roubles and only if fiscal receipts are on in your settings. Unknown
 * fields are rejected, unlike elsewhere: a misspelled one would change what is taxed. null counts as absent.
 */
final class Receipt implements JsonSerializable
{
    /**
     * @param list<ReceiptItem> $items The lines. Their totals add up to the price, to the kopeck. At
     *     most 100, or the limit in your settings.
     * @param ?array{email?: string, phone?: string, full_name?: string, inn?: string} $customer The
     *     customer. Without email and phone, customer_email is used.
     * @param 'osn'|'usn_income'|'usn_income_outcome'|'esn'|'patent'|null $taxSystem Your tax system; the
     *     one in your settings if omitted.
     */
    public function __construct(
        public readonly array $items,
        public readonly ?array $customer = null,
        public readonly ?string $taxSystem = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'items' => $this->items,
            'customer' => $this->customer,
            'tax_system' => $this->taxSystem,
        ], static fn (mixed $value) => $value !== null);
    }
}
