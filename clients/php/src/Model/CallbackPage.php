<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A page of callbacks.
 */
final class CallbackPage
{
    /**
     * @param list<FetchedCallback> $callbacks The callbacks after the cursor, oldest first; empty if
     *     there are none yet.
     * @param string $next The cursor for the next call: send it as `after`. Save it after you have
     *     processed the page.
     * @param bool $hasMore Whether more callbacks are available now.
     */
    public function __construct(
        public readonly array $callbacks,
        public readonly string $next,
        public readonly bool $hasMore,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            callbacks: $fields->list('callbacks', FetchedCallback::fromArray(...)),
            next: $fields->string('next'),
            hasMore: $fields->bool('has_more'),
        );
    }
}
