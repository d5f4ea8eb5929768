<?php

declare(strict_types=1);

namespace Till\Checkout\Testing;

use JsonSerializable;
use SensitiveParameter;

final class Credentials implements JsonSerializable
{
    public function __construct(
        public readonly string $clientId,
        #[SensitiveParameter] public readonly string $clientSecret,
    ) {
    }

    /** @return array<string, string> Without the secret, for dumps. */
    public function __debugInfo(): array
    {
        return ['clientId' => $this->clientId];
    }

    /** @return array<string, string> Without the secret. */
    public function jsonSerialize(): array
    {
        return $this->__debugInfo();
    }
}
