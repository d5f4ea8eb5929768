<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;
use SensitiveParameter;

final class TokenRequest implements JsonSerializable
{
    /**
     * @param string $clientId Your client id, `live_…` or `sandbox_…`.
     * @param string $clientSecret Its secret, `sk_live_…` or `sk_sandbox_…`.
     */
    public function __construct(
        public readonly string $clientId,
        #[SensitiveParameter] public readonly string $clientSecret,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'client_id' => $this->clientId,
            'client_secret' => $this->clientSecret,
        ], static fn (mixed $value) => $value !== null);
    }

    /** @return array<string, mixed> Without the secret, for dumps. */
    public function __debugInfo(): array
    {
        return [
            'clientId' => $this->clientId,
        ];
    }
}
