<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use InvalidArgumentException;
use JsonSerializable;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\StreamFactoryInterface;
use SensitiveParameter;
use Till\Checkout\Till;

/**
 * Builds requests.
 *
 * @internal
 */
final class Messages
{
    public function __construct(
        public readonly string $baseUrl,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    /** @param array<string, string|int|null> $query Null values are left out. */
    public function get(string $path, array $query = []): RequestInterface
    {
        $encoded = http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        return $this->request('GET', $path . ($encoded === '' ? '' : "?$encoded"));
    }

    public function post(string $path, #[SensitiveParameter] JsonSerializable $body): RequestInterface
    {
        $json = json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        if ($json === false) {
            // JSON_THROW_ON_ERROR would show the body, which can have the client secret, in the trace.
            throw new InvalidArgumentException('The request cannot be written as JSON: ' . json_last_error_msg());
        }
        return $this->request('POST', $path)
            ->withHeader('Content-Type', 'application/json')
            ->withBody($this->streams->createStream($json));
    }

    private function request(string $method, string $path): RequestInterface
    {
        return $this->requests->createRequest($method, $this->baseUrl . $path)
            ->withHeader('Accept', 'application/json, application/problem+json')
            ->withHeader('User-Agent', 'till-checkout-php/' . Till::VERSION);
    }
}
