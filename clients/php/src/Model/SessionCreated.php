<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A new session.
 */
final class SessionCreated
{
    /**
     * @param string $status Always `pending`.
     * @param string $orderId Your order identifier, exactly as sent.
     * @param string $sessionId The session's id.
     * @param string $sessionUrl Redirect the customer to this URL.
     */
    public function __construct(
        public readonly string $status,
        public readonly string $orderId,
        public readonly string $sessionId,
        public readonly string $sessionUrl,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            status: $fields->string('status'),
            orderId: $fields->string('order_id'),
            sessionId: $fields->string('session_id'),
            sessionUrl: $fields->string('session_url'),
        );
    }
}
