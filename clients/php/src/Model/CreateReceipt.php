<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * Unknown fields are rejected; null counts as absent.
 */
final class CreateReceipt implements JsonSerializable
{
    /**
     * @param 'closing' $type Always closing.
     * @param ?list<ReceiptItem> $items What was handed over. If omitted, all prepaid items that were not
     *     refunded, with the mode full_payment and the plain VAT rate. Required if a refund was not of whole
     *     items. They add up to what is left.
     */
    public function __construct(
        public readonly string $type,
        public readonly ?array $items = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'type' => $this->type,
            'items' => $this->items,
        ], static fn (mixed $value) => $value !== null);
    }
}
