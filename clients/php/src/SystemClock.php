<?php

declare(strict_types=1);

namespace Till\Checkout;

final class SystemClock implements Clock
{
    public function now(): int
    {
        return time();
    }

    public function sleep(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }
}
