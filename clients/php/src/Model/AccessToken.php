<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

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
        public readonly string $accessToken,
        public readonly string $tokenType,
        public readonly int $expiresIn,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(array $data): self
    {
        $fields = new Fields($data);
        return new self(
            accessToken: $fields->string('access_token'),
            tokenType: $fields->string('token_type'),
            expiresIn: $fields->int('expires_in'),
        );
    }
}
