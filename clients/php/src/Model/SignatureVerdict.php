<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * What the signature doctor found.
 */
final class SignatureVerdict
{
    /**
     * @param bool $right True if Till signs this body with this signature now.
     * @param list<SignatureDiagnosis> $diagnosis What is wrong, or that nothing is. Several mistakes
     *     that were made together are all listed.
     */
    public function __construct(
        public readonly bool $right,
        public readonly array $diagnosis,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            right: $fields->bool('right'),
            diagnosis: $fields->list('diagnosis', SignatureDiagnosis::fromArray(...)),
        );
    }
}
