<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use DateTimeImmutable;
use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A check of your callback endpoint.
 */
final class EndpointCheck
{
    /**
     * @param string $checkId The id of the check.
     * @param string $callbackUrl The URL that is checked.
     * @param DateTimeImmutable $startedAt When the check was started.
     * @param string $state running or done.
     * @param ?string $verdict ready if every step passed whose level is must, otherwise not_ready. null
     *     while the check is running.
     * @param list<EndpointCheckStep> $steps The steps so far, in their order.
     */
    public function __construct(
        public readonly string $checkId,
        public readonly string $callbackUrl,
        public readonly DateTimeImmutable $startedAt,
        public readonly string $state,
        public readonly ?string $verdict = null,
        public readonly array $steps,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            checkId: $fields->string('check_id'),
            callbackUrl: $fields->string('callback_url'),
            startedAt: $fields->time('started_at'),
            state: $fields->string('state'),
            verdict: $fields->optionalString('verdict'),
            steps: $fields->list('steps', EndpointCheckStep::fromArray(...)),
        );
    }
}
