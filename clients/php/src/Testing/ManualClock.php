<?php

declare(strict_types=1);

namespace Till\Checkout\Testing;

use DateTimeImmutable;
use RuntimeException;

/**
 * The manual clock of a demo: asks for its time, and moves it.
 *
 * @internal
 */
final class ManualClock
{
    /** Seconds. Deliveries on the way may take up to 10 seconds each, in real time. */
    private const TIMEOUT = 660;

    public function __construct(private readonly string $url)
    {
    }

    public function now(): DateTimeImmutable
    {
        return $this->send(['method' => 'GET']);
    }

    public function advance(int $milliseconds): DateTimeImmutable
    {
        return $this->send([
            'method' => 'POST',
            'header' => 'Content-Type: application/json',
            'content' => json_encode(['advance_ms' => $milliseconds]),
        ]);
    }

    /** @param array<string, string> $request */
    private function send(array $request): DateTimeImmutable
    {
        $request += ['timeout' => self::TIMEOUT, 'ignore_errors' => true];
        $body = @file_get_contents($this->url, false, stream_context_create(['http' => $request]));
        $fields = json_decode((string) $body, true);
        if (!is_string($fields['now'] ?? null)) {
            throw new RuntimeException('The clock does not respond with a time: ' . ($fields['detail'] ?? $body));
        }
        return new DateTimeImmutable($fields['now']);
    }
}
