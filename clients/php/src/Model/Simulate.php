<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * Send the outcome of a pending session, an event about the money of a session that has ended, or the
 * registration of the fiscal receipt. Unknown fields are ignored; null counts as absent.
 */
final class Simulate implements JsonSerializable
{
    /**
     * @param 'paid'|'failed'|'expired'|'by_price'|null $outcome The outcome. by_price takes the one that
     *     the last two digits of the price stand for, in a currency with two decimals: 01 card_declined, 02
     *     insufficient_funds, 03 three_ds_failed, 04 provider_error, 05 paid after 10 seconds, 06 expired;
     *     with others the session stays pending.
     * @param
     *     'card_declined'|'insufficient_funds'|'card_expired'|'three_ds_failed'|'canceled_by_customer'|'provider_error'|'unconfirmed'|null
     *     $failureReason The reason for the failure; card_declined if omitted. Used only when the outcome is
     *     failed.
     * @param ?int $afterMs Milliseconds to wait; 0 if omitted.
     * @param
     *     'payment.late'|'payment.partial'|'payment.over'|'payment.resolved'|'dispute.opened'|'dispute.won'|'dispute.lost'|null
     *     $event The event, instead of an outcome. payment.late needs an expired or failed session,
     *     payment.partial an expired one, payment.over and dispute.opened a paid one; dispute.won and
     *     dispute.lost end the open dispute, and payment.resolved decides the oldest open payment event.
     * @param ?string $amount The amount of the event, written like a price. If omitted: the price for
     *     payment.late, half of it for payment.partial, a tenth of it (the excess) for payment.over, and
     *     everything that is not refunded for dispute.opened.
     * @param 'accepted'|'refunded'|null $resolution Required with payment.resolved: what becomes of the
     *     money.
     * @param 'pending'|'registered'|'failed'|null $receipt What becomes of the fiscal receipt once the
     *     session is paid, or now if it is; registered if you never say. Alone, or with an outcome.
     * @param ?array{fault: string, delay_ms?: int} $callback How the callback is delivered; the vendor's
     *     default if omitted. Whatever the fault, the event itself arrives afterward, correctly signed.
     */
    public function __construct(
        public readonly ?string $outcome = null,
        public readonly ?string $failureReason = null,
        public readonly ?int $afterMs = null,
        public readonly ?string $event = null,
        public readonly ?string $amount = null,
        public readonly ?string $resolution = null,
        public readonly ?string $receipt = null,
        public readonly ?array $callback = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'outcome' => $this->outcome,
            'failure_reason' => $this->failureReason,
            'after_ms' => $this->afterMs,
            'event' => $this->event,
            'amount' => $this->amount,
            'resolution' => $this->resolution,
            'receipt' => $this->receipt,
            'callback' => $this->callback,
        ], static fn (mixed $value) => $value !== null);
    }
}
