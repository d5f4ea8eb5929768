<?php

declare(strict_types=1);

namespace Till\Checkout\Callback;

use DateTimeImmutable;
use SensitiveParameter;
use Till\Checkout\Exception\UnexpectedDataException;
use Till\Checkout\Internal\Fields;

/**
 * A verified event. Which fields it has depends on `event`. Ignore events that you do not know.
 *
 * Amounts are decimal strings in the session's currency: compare them as decimals, never as floats.
 */
final class CallbackEvent
{
    public const SESSION_PAID = 'session.paid';
    public const SESSION_FAILED = 'session.failed';
    public const SESSION_EXPIRED = 'session.expired';
    public const REFUND_SUCCEEDED = 'refund.succeeded';
    public const REFUND_FAILED = 'refund.failed';
    public const PAYMENT_LATE = 'payment.late';
    public const PAYMENT_PARTIAL = 'payment.partial';
    public const PAYMENT_OVER = 'payment.over';
    public const PAYMENT_RESOLVED = 'payment.resolved';
    public const DISPUTE_OPENED = 'dispute.opened';
    public const DISPUTE_WON = 'dispute.won';
    public const DISPUTE_LOST = 'dispute.lost';
    public const TEST_PING = 'test.ping';

    /**
     * @param string $event What happened, such as `session.paid`.
     * @param string $eventId The same when the event is sent again: store it to ignore duplicates.
     * @param ?string $status The session's status.
     * @param ?array<string, string> $metadata Your own data of the session.
     * @param ?string $resolution `accepted` or `refunded`, in `payment.resolved`.
     * @param ?DateTimeImmutable $answerBy The last moment for evidence, in `dispute.opened`.
     * @param array<mixed> $data The whole body, with fields that this version does not know.
     */
    private function __construct(
        public readonly string $event,
        public readonly string $eventId,
        public readonly ?DateTimeImmutable $occurredAt,
        public readonly ?string $sessionId,
        public readonly ?string $status,
        public readonly ?string $productName,
        public readonly ?string $price,
        public readonly ?string $currency,
        public readonly ?DateTimeImmutable $createdAt,
        public readonly ?DateTimeImmutable $updatedAt,
        public readonly ?string $orderId,
        public readonly ?string $paymentMethod,
        public readonly ?string $failureReason,
        public readonly ?array $metadata,
        public readonly ?string $refundId,
        public readonly ?string $refundAmount,
        public readonly ?string $refundStatus,
        public readonly ?string $refundedTotal,
        public readonly ?string $refundFailureReason,
        public readonly ?string $transactionId,
        public readonly ?string $amount,
        public readonly ?string $coin,
        public readonly ?string $coinAmount,
        public readonly ?string $resolution,
        public readonly ?string $disputeId,
        public readonly ?DateTimeImmutable $answerBy,
        public readonly array $data,
    ) {
    }

    /**
     * @internal Use CallbackVerifier: nothing is verified here.
     * @param array<mixed> $data
     * @throws UnexpectedDataException
     */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            event: $fields->string('event'),
            eventId: $fields->string('eventId'),
            occurredAt: $fields->optionalTime('occurredAt'),
            sessionId: $fields->optionalString('sessionId'),
            status: $fields->optionalString('status'),
            productName: $fields->optionalString('productName'),
            price: $fields->optionalString('price'),
            currency: $fields->optionalString('currency'),
            createdAt: $fields->optionalTime('createdAt'),
            updatedAt: $fields->optionalTime('updatedAt'),
            orderId: $fields->optionalString('orderId'),
            paymentMethod: $fields->optionalString('paymentMethod'),
            failureReason: $fields->optionalString('failureReason'),
            metadata: $fields->optionalMap('metadata'),
            refundId: $fields->optionalString('refundId'),
            refundAmount: $fields->optionalString('refundAmount'),
            refundStatus: $fields->optionalString('refundStatus'),
            refundedTotal: $fields->optionalString('refundedTotal'),
            refundFailureReason: $fields->optionalString('refundFailureReason'),
            transactionId: $fields->optionalString('transactionId'),
            amount: $fields->optionalString('amount'),
            coin: $fields->optionalString('coin'),
            coinAmount: $fields->optionalString('coinAmount'),
            resolution: $fields->optionalString('resolution'),
            disputeId: $fields->optionalString('disputeId'),
            answerBy: $fields->optionalTime('answerBy'),
            data: $data,
        );
    }
}
