<?php

declare(strict_types=1);

namespace Till\Checkout\Testing;

final class Credentials
{
    public function __construct(public readonly string $clientId, public readonly string $clientSecret)
    {
    }
}
