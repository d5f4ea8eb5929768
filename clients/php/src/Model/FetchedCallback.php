<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A callback, as Till sends it to a callback URL.
 */
final class FetchedCallback
{
    /**
     * @param string $eventId The event's id, for ignoring duplicates.
     * @param array<string, string> $headers The headers of the callback, with names in lower case,
     *     signed now.
     * @param string $body The raw body of the callback: verify the signature over exactly these bytes,
     *     in UTF-8.
     */
    public function __construct(
        public readonly string $eventId,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            eventId: $fields->string('event_id'),
            headers: $fields->map('headers'),
            body: $fields->string('body'),
        );
    }
}
