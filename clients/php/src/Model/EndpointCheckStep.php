<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A step of an endpoint check.
 */
final class EndpointCheckStep
{
    /**
     * @param string $name A name that does not change.
     * @param string $level must or should. A should is good advice, and does not change the verdict.
     * @param string $wanted The response that a correct endpoint gives.
     * @param string $got The response that came.
     * @param bool $passed True if the endpoint did what was wanted.
     * @param string $why Why it matters.
     * @param int $durationMs How long the requests of the step took, in milliseconds.
     * @param ?string $code The line of code to add, if your programming language is known from your
     *     User-Agent.
     * @param ?string $repair What to change, if the step did not pass.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $level,
        public readonly string $wanted,
        public readonly string $got,
        public readonly bool $passed,
        public readonly string $why,
        public readonly int $durationMs,
        public readonly ?string $code = null,
        public readonly ?string $repair = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            name: $fields->string('name'),
            level: $fields->string('level'),
            wanted: $fields->string('wanted'),
            got: $fields->string('got'),
            passed: $fields->bool('passed'),
            why: $fields->string('why'),
            durationMs: $fields->int('duration_ms'),
            code: $fields->optionalString('code'),
            repair: $fields->optionalString('repair'),
        );
    }
}
