<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use InvalidArgumentException;
use JsonSerializable;
use Psr\Http\Message\RequestInterface;
use SensitiveParameter;
use Till\Checkout\Exception\ApiException;

/**
 * Authenticated calls.
 *
 * @internal
 */
final class Api
{
    public function __construct(
        private readonly Messages $messages,
        private readonly Sender $sender,
        private readonly Tokens $tokens,
    ) {
    }

    /**
     * @param array<string, string|int|null> $query
     * @return array<mixed>
     */
    public function get(string $path, array $query = []): array
    {
        return $this->send($this->messages->get($path, $query), repeatable: true);
    }

    /**
     * A post that the key makes safe to repeat.
     *
     * @return array<mixed>
     */
    public function create(string $path, JsonSerializable $body, ?string $idempotencyKey): array
    {
        if ($idempotencyKey === '') {
            throw new InvalidArgumentException('The idempotency key is empty.');
        }
        $key = $idempotencyKey ?? bin2hex(random_bytes(16));
        $request = $this->messages->post($path, $body)->withHeader('Idempotency-Key', $key);
        return $this->send($request, repeatable: true);
    }

    /** @return array<mixed> */
    public function post(string $path, JsonSerializable $body, bool $repeatable): array
    {
        return $this->send($this->messages->post($path, $body), $repeatable);
    }

    /** Returns the id for use in a path. */
    public static function id(string $id): string
    {
        if (preg_match('/^[0-9A-Za-z-]+$/D', $id) !== 1) {
            throw new InvalidArgumentException("Not an id: '$id'");
        }
        return $id;
    }

    /** @return array<mixed> */
    private function send(RequestInterface $request, bool $repeatable): array
    {
        $token = $this->tokens->current();
        try {
            return $this->sender->send(self::withToken($request, $token), $repeatable);
        } catch (ApiException $exception) {
            if ($exception->status !== 401 || $exception->errorCode !== 'invalid_token') {
                throw $exception;
            }
        }
        // Till has not carried out such a request, so any can be repeated with a new token, once.
        $this->tokens->forget($token);
        return $this->sender->send(self::withToken($request, $this->tokens->current()), $repeatable);
    }

    private static function withToken(
        RequestInterface $request,
        #[SensitiveParameter] string $token,
    ): RequestInterface {
        return $request->withHeader('Authorization', "Bearer $token");
    }
}
