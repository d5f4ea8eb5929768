<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A Bearer token.
 */
final class AccessToken
{
    /**
     * @param string $accessToken Send it as `Authorization: Bearer <access_token>`.
     * @param string $tokenType Always `Bearer`.
     * @param int $expiresIn The token's lifetime in seconds.
     */
    public function __construct(
        #[SensitiveParameter] public readonly string $accessToken,
        public readonly string $tokenType,
        public readonly int $expiresIn,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            accessToken: $fields->string('access_token'),
            tokenType: $fields->string('token_type'),
            expiresIn: $fields->int('expires_in'),
        );
    }

    /** @return array<string, mixed> Without the secret, for dumps. */
    public function __debugInfo(): array
    {
        return [
            'tokenType' => $this->tokenType,
            'expiresIn' => $this->expiresIn,
        ];
    }
}
