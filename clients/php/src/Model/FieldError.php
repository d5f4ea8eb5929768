<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * One invalid field.
 */
final class FieldError
{
    /**
     * @param string $field The field's name in the request.
     * @param string $code The stable error code of the field, for programs.
     * @param string $message What is wrong with it, for people.
     */
    public function __construct(
        public readonly string $field,
        public readonly string $code,
        public readonly string $message,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            field: $fields->string('field'),
            code: $fields->string('code'),
            message: $fields->string('message'),
        );
    }
}
