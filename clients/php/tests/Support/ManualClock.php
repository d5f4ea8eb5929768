<?php

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

use Till\Checkout\Clock;

/** Its time changes only when something sleeps, or when a test sets it. */
final class ManualClock implements Clock
{
    /** @var list<float> */
    public array $sleeps = [];

    public function __construct(public int $now = 1_800_000_000)
    {
    }

    public function now(): int
    {
        return $this->now;
    }

    public function sleep(float $seconds): void
    {
        $this->sleeps[] = $seconds;
        $this->now += (int) ceil($seconds);
    }
}
