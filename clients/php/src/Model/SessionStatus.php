<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use DateTimeImmutable;
use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A session's status.
 */
final class SessionStatus
{
    /**
     * @param string $sessionId The session's id.
     * @param string $status `pending`, or one of the final `paid`, `failed` and `expired`.
     * @param string $productName The name of the item.
     * @param string $price The amount, with the digits you sent.
     * @param string $currency ISO 4217.
     * @param DateTimeImmutable $createdAt When the session was created, UTC.
     * @param DateTimeImmutable $updatedAt When the status last changed, UTC.
     * @param string $orderId Your order identifier, exactly as sent.
     * @param ?array<string, string> $metadata Your own data, if you sent any.
     * @param ?string $receiptStatus The registration of the fiscal receipt, if there is one; `none`
     *     while no till has it.
     */
    public function __construct(
        public readonly string $sessionId,
        public readonly string $status,
        public readonly string $productName,
        public readonly string $price,
        public readonly string $currency,
        public readonly DateTimeImmutable $createdAt,
        public readonly DateTimeImmutable $updatedAt,
        public readonly string $orderId,
        public readonly ?array $metadata = null,
        public readonly ?string $receiptStatus = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            sessionId: $fields->string('sessionId'),
            status: $fields->string('status'),
            productName: $fields->string('productName'),
            price: $fields->string('price'),
            currency: $fields->string('currency'),
            createdAt: $fields->time('createdAt'),
            updatedAt: $fields->time('updatedAt'),
            orderId: $fields->string('orderId'),
            metadata: $fields->optionalMap('metadata'),
            receiptStatus: $fields->optionalString('receiptStatus'),
        );
    }
}
