<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * The refunds of a session.
 */
final class RefundList
{
    /**
     * @param list<Refund> $refunds All of them, oldest first.
     */
    public function __construct(
        public readonly array $refunds,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            refunds: $fields->list('refunds', Refund::fromArray(...)),
        );
    }
}
