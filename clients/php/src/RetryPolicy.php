<?php

declare(strict_types=1);

namespace Till\Checkout;

/**
 * How often a request that is safe to repeat is retried, and how long to wait before it. Times are in seconds.
 */
final class RetryPolicy
{
    /**
     * @param int $maxRetries 0 turns retries off.
     * @param float $firstDelay The wait before the first retry; it doubles with each further one.
     * @param float $maxDelay The longest of these waits.
     * @param float $maxRetryAfter The longest `Retry-After` to wait for; one that is longer is an error at once.
     */
    public function __construct(
        public readonly int $maxRetries = 3,
        public readonly float $firstDelay = 0.5,
        public readonly float $maxDelay = 8.0,
        public readonly float $maxRetryAfter = 30.0,
    ) {
    }

    /**
     * The wait before a retry, in seconds; null if the request is not repeated.
     *
     * @internal
     * @param int $retry 0 for the first one.
     */
    public function delay(int $retry, ?float $retryAfter): ?float
    {
        if ($retry >= $this->maxRetries || $retryAfter > $this->maxRetryAfter) {
            return null;
        }
        $delay = min($this->firstDelay * 2 ** $retry, $this->maxDelay);
        // Between half of the delay and all of it, so that clients do not return at the same moment.
        return max($delay * random_int(500, 1000) / 1000, $retryAfter ?? 0.0);
    }
}
