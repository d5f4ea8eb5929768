<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A fiscal receipt of a session besides that of its payment.
 */
final class ClosingReceipt
{
    /**
     * @param string $receiptId The receipt's id.
     * @param string $type `closing`.
     * @param string $status The state of its registration.
     */
    public function __construct(
        public readonly string $receiptId,
        public readonly string $type,
        public readonly string $status,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            receiptId: $fields->string('receiptId'),
            type: $fields->string('type'),
            status: $fields->string('status'),
        );
    }
}
