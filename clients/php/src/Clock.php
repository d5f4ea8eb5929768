<?php

declare(strict_types=1);

namespace Till\Checkout;

/** The time, and how to wait. Replace it in tests or in an event loop. */
interface Clock
{
    /** Unix time in seconds. */
    public function now(): int;

    public function sleep(float $seconds): void;
}
