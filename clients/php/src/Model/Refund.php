<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use DateTimeImmutable;
use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A refund.
 */
final class Refund
{
    /**
     * @param string $refundId The refund's id.
     * @param string $sessionId The session that was paid.
     * @param string $amount The amount refunded.
     * @param string $currency ISO 4217: the currency of the session.
     * @param string $status `pending`, or one of the final `succeeded` and `failed`.
     * @param DateTimeImmutable $createdAt When the refund was requested, UTC.
     * @param DateTimeImmutable $updatedAt When the refund last changed, UTC.
     * @param ?string $failureReason The reason for the failure, for people; only for `failed`.
     * @param ?string $reason The reason, as you sent it.
     */
    public function __construct(
        public readonly string $refundId,
        public readonly string $sessionId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly DateTimeImmutable $createdAt,
        public readonly DateTimeImmutable $updatedAt,
        public readonly ?string $failureReason = null,
        public readonly ?string $reason = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            refundId: $fields->string('refundId'),
            sessionId: $fields->string('sessionId'),
            amount: $fields->string('amount'),
            currency: $fields->string('currency'),
            status: $fields->string('status'),
            createdAt: $fields->time('createdAt'),
            updatedAt: $fields->time('updatedAt'),
            failureReason: $fields->optionalString('failureReason'),
            reason: $fields->optionalString('reason'),
        );
    }
}
