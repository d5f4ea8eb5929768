<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

final class CheckEndpoint implements JsonSerializable
{
    /**
     * @param ?string $callbackUrl The URL to check; the Callback URL of your settings if omitted.
     */
    public function __construct(
        public readonly ?string $callbackUrl = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'callback_url' => $this->callbackUrl,
        ], static fn (mixed $value) => $value !== null);
    }
}
