<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use JsonException;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use RuntimeException;
use SensitiveParameter;
use Till\Checkout\Clock;
use Till\Checkout\Exception\ApiException;
use Till\Checkout\Exception\ConnectionException;
use Till\Checkout\Exception\UnexpectedDataException;
use Till\Checkout\RetryPolicy;

/**
 * Sends requests and decodes responses, with retries.
 *
 * @internal
 */
final class Sender
{
    private const RETRYABLE_STATUSES = [408, 429, 502, 503, 504];

    public function __construct(
        private readonly ClientInterface $http,
        private readonly RetryPolicy $retries,
        private readonly Clock $clock,
    ) {
    }

    /**
     * @param bool $repeatable Whether the request can be sent again without a second effect.
     * @return array<mixed>
     */
    public function send(#[SensitiveParameter] RequestInterface $request, bool $repeatable): array
    {
        for ($retry = 0;; $retry++) {
            try {
                return $this->sendOnce($request);
            } catch (ApiException | ConnectionException $exception) {
                $retryAfter = $exception instanceof ApiException ? $exception->retryAfter : null;
                $delay = $this->retries->delay($retry, $retryAfter);
                if (!$repeatable || $delay === null || !self::isTemporary($exception)) {
                    throw $exception;
                }
            }
            $this->clock->sleep($delay);
        }
    }

    /** @return array<mixed> */
    private function sendOnce(#[SensitiveParameter] RequestInterface $request): array
    {
        $request->getBody()->rewind();
        try {
            $response = $this->http->sendRequest($request);
            $body = (string) $response->getBody();
        } catch (ClientExceptionInterface | RuntimeException $exception) {
            // All kinds: some clients report a connection that was reset as a RequestExceptionInterface, and a
            // body that is read from the connection throws a RuntimeException when that breaks.
            throw ConnectionException::of($request, $exception);
        }
        if ($response->getStatusCode() < 200 || $response->getStatusCode() > 299) {
            throw ApiException::fromResponse($response, $body, $this->clock->now());
        }
        return self::decode($body);
    }

    /** @return array<mixed> */
    private static function decode(#[SensitiveParameter] string $body): array
    {
        try {
            $data = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new UnexpectedDataException('The response is not JSON.');
        }
        return is_array($data) ? $data : throw new UnexpectedDataException('The response is not an object.');
    }

    private static function isTemporary(ApiException|ConnectionException $exception): bool
    {
        return $exception instanceof ConnectionException
            || in_array($exception->status, self::RETRYABLE_STATUSES, true)
            || ($exception->status === 409 && $exception->errorCode === 'idempotency_in_progress');
    }
}
