<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * An endpoint check that was started.
 */
final class CheckStarted
{
    /**
     * @param string $checkId The id of the check. Get the check to see how far it is.
     */
    public function __construct(
        public readonly string $checkId,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            checkId: $fields->string('check_id'),
        );
    }
}
