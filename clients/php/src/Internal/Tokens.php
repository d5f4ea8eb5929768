<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use Psr\SimpleCache\CacheInterface;
use SensitiveParameter;
use Till\Checkout\Clock;
use Till\Checkout\Environment;
use Till\Checkout\Model\AccessToken;
use Till\Checkout\Model\TokenRequest;

/**
 * Obtains access tokens, and keeps the current one until shortly before it expires.
 *
 * @internal
 */
final class Tokens
{
    private const MARGIN_SECONDS = 60;

    /** @var ?array{token: string, usableUntil: int} */
    private ?array $kept = null;
    private readonly string $cacheKey;

    public function __construct(
        private readonly Messages $messages,
        private readonly Sender $sender,
        private readonly Environment $environment,
        private readonly string $clientId,
        #[SensitiveParameter] private readonly string $clientSecret,
        private readonly ?CacheInterface $cache,
        private readonly Clock $clock,
    ) {
        // The secret is part of the key, so that a client with a wrong secret finds no token.
        $identity = implode("\n", [$messages->baseUrl, $environment->value, $clientId, $clientSecret]);
        $this->cacheKey = 'till.token.' . substr(hash('sha256', $identity), 0, 40);
    }

    public function current(): string
    {
        $this->kept = $this->usable($this->kept) ?? $this->cached() ?? $this->obtain();
        return $this->kept['token'];
    }

    /** Call it when the service rejects the token. */
    public function forget(#[SensitiveParameter] string $token): void
    {
        if (($this->kept['token'] ?? null) === $token) {
            $this->kept = null;
        }
        // Another process may have stored a new token already.
        if (($this->cached()['token'] ?? null) === $token) {
            $this->cache?->delete($this->cacheKey);
        }
    }

    /** @return ?array{token: string, usableUntil: int} */
    private function cached(): ?array
    {
        return $this->usable($this->cache?->get($this->cacheKey));
    }

    /**
     * The entry itself, or null if it is none or about to expire.
     *
     * @return ?array{token: string, usableUntil: int}
     */
    private function usable(#[SensitiveParameter] mixed $entry): ?array
    {
        $token = $entry['token'] ?? null;
        $usableUntil = $entry['usableUntil'] ?? null;
        $usable = is_string($token) && is_int($usableUntil) && $usableUntil > $this->clock->now();
        return $usable ? ['token' => $token, 'usableUntil' => $usableUntil] : null;
    }

    /** @return array{token: string, usableUntil: int} */
    private function obtain(): array
    {
        $body = new TokenRequest($this->clientId, $this->clientSecret);
        $request = $this->messages->post($this->environment->apiPath() . '/tokens', $body);
        $token = AccessToken::fromArray($this->sender->send($request, repeatable: true));
        $lifetime = $token->expiresIn - min(self::MARGIN_SECONDS, intdiv($token->expiresIn, 10));
        $entry = ['token' => $token->accessToken, 'usableUntil' => $this->clock->now() + $lifetime];
        $this->cache?->set($this->cacheKey, $entry, $lifetime);
        return $entry;
    }

    /** @return array<string, string> Without the secret and the token, for dumps. */
    public function __debugInfo(): array
    {
        return ['environment' => $this->environment->value, 'clientId' => $this->clientId];
    }
}
