<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use Till\Checkout\Environment;
use Till\Checkout\Internal\Api;
use Till\Checkout\Model\CreateRefund;
use Till\Checkout\Model\Refund;
use Till\Checkout\Model\RefundList;

/** Refunds of paid sessions. */
final class Refunds
{
    /** @internal */
    public function __construct(private readonly Api $api, private readonly Environment $environment)
    {
    }

    /**
     * Refunds a paid session: all that is left, or the given amount. A callback reports the outcome.
     *
     * @param ?string $idempotencyKey As for a session. One is generated if you give none.
     */
    public function create(
        string $sessionId,
        CreateRefund $refund = new CreateRefund(),
        ?string $idempotencyKey = null,
    ): Refund {
        return Refund::fromArray($this->api->create($this->path($sessionId), $refund, $idempotencyKey));
    }

    public function retrieve(string $sessionId, string $refundId): Refund
    {
        return Refund::fromArray($this->api->get($this->path($sessionId) . '/' . Api::id($refundId)));
    }

    /** All refunds of a session, oldest first. */
    public function list(string $sessionId): RefundList
    {
        return RefundList::fromArray($this->api->get($this->path($sessionId)));
    }

    private function path(string $sessionId): string
    {
        return $this->environment->sessionsPath() . '/' . Api::id($sessionId) . '/refunds';
    }
}
