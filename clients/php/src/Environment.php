<?php

declare(strict_types=1);

namespace Till\Checkout;

/** Live moves money, the sandbox does not. Each has its own credentials and paths. */
enum Environment: string
{
    case Live = 'live';
    case Sandbox = 'sandbox';

    /** @internal */
    public function apiPath(): string
    {
        return match ($this) {
            self::Live => '/api',
            self::Sandbox => '/api/sandbox/vendor',
        };
    }

    /** @internal */
    public function sessionsPath(): string
    {
        return match ($this) {
            self::Live => '/api/product/session',
            self::Sandbox => '/api/sandbox/vendor/checkout-session',
        };
    }
}
