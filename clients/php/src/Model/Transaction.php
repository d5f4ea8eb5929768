<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use DateTimeImmutable;
use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A movement of money.
 */
final class Transaction
{
    /**
     * @param string $transactionId The transaction's id.
     * @param string $sessionId The session that it belongs to.
     * @param string $orderId Your order identifier, exactly as sent.
     * @param string $type `payment`, or money that leaves: `refund`, `reversal` or `dispute` (a lost
     *     one).
     * @param string $amount The amount, always positive.
     * @param string $currency ISO 4217: the currency of the session.
     * @param string $method `card`, `sbp` or `crypto`.
     * @param DateTimeImmutable $createdAt When the money moved, UTC.
     * @param ?string $coin The coin, for crypto.
     * @param ?string $coinAmount The number of coins, for crypto.
     * @param ?string $disputeId The dispute, for a dispute.
     * @param bool $late Present if true: the money came after the session was final.
     * @param bool $over Present if true: the money was more than the price.
     * @param bool $partial Present if true: the money was less than the price.
     * @param ?string $refundId The refund, for a refund of the payment. A refund of money that the
     *     session does not cover has none.
     */
    public function __construct(
        public readonly string $transactionId,
        public readonly string $sessionId,
        public readonly string $orderId,
        public readonly string $type,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $method,
        public readonly DateTimeImmutable $createdAt,
        public readonly ?string $coin = null,
        public readonly ?string $coinAmount = null,
        public readonly ?string $disputeId = null,
        public readonly bool $late = false,
        public readonly bool $over = false,
        public readonly bool $partial = false,
        public readonly ?string $refundId = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            transactionId: $fields->string('transactionId'),
            sessionId: $fields->string('sessionId'),
            orderId: $fields->string('orderId'),
            type: $fields->string('type'),
            amount: $fields->string('amount'),
            currency: $fields->string('currency'),
            method: $fields->string('method'),
            createdAt: $fields->time('createdAt'),
            coin: $fields->optionalString('coin'),
            coinAmount: $fields->optionalString('coinAmount'),
            disputeId: $fields->optionalString('disputeId'),
            late: $fields->flag('late'),
            over: $fields->flag('over'),
            partial: $fields->flag('partial'),
            refundId: $fields->optionalString('refundId'),
        );
    }
}
