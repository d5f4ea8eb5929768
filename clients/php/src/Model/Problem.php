<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * The body of every error: RFC 9457, `application/problem+json`.
 */
final class Problem
{
    /**
     * @param string $type A link to the description of this error.
     * @param string $title The HTTP status in words.
     * @param int $status The HTTP status.
     * @param string $detail What is wrong and what to do about it, for people.
     * @param string $code The stable error code, for programs.
     * @param list<FieldError> $errors Every invalid field; empty if the error is not about a field.
     * @param string $requestId The request's id; include it when you contact support.
     */
    public function __construct(
        public readonly string $type,
        public readonly string $title,
        public readonly int $status,
        public readonly string $detail,
        public readonly string $code,
        public readonly array $errors,
        public readonly string $requestId,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            type: $fields->string('type'),
            title: $fields->string('title'),
            status: $fields->int('status'),
            detail: $fields->string('detail'),
            code: $fields->string('code'),
            errors: $fields->list('errors', FieldError::fromArray(...)),
            requestId: $fields->string('request_id'),
        );
    }
}
