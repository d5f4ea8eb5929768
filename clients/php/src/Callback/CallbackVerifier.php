<?php

declare(strict_types=1);

namespace Till\Checkout\Callback;

use JsonException;
use Psr\Http\Message\MessageInterface;
use SensitiveParameter;
use Till\Checkout\Environment;
use Till\Checkout\Exception\CallbackVerificationException;
use Till\Checkout\Exception\UnexpectedDataException;

/**
 * Verifies callbacks. `X-Signature` proves who wrote the body; `webhook-signature` also proves when it was sent.
 */
final class CallbackVerifier
{
    /** @var list<string> */
    private readonly array $secrets;

    /**
     * @param string|list<string> $secrets The client secret, or several during a rotation. An empty one is
     *     ignored.
     * @param ?Environment $environment Refuses callbacks that name another one. Secrets of the other one are then
     *     not used, because the header is not signed: what tells the environments apart is the secret.
     * @param ?int $tolerance How many seconds `webhook-timestamp` may be off your clock. The `webhook-…` headers
     *     must then be there: without them, a recorded callback could be sent again at any time. With null, they
     *     are verified when they are there, and the time does not matter.
     */
    public function __construct(
        #[SensitiveParameter] string|array $secrets,
        private readonly ?Environment $environment = null,
        private readonly ?int $tolerance = 300,
    ) {
        $this->secrets = array_values(array_filter((array) $secrets, static fn (string $one) => $one !== ''));
    }

    /**
     * @param string $rawBody The bytes as received, before any parsing.
     * @param array<string, string|array<string>> $headers In any case, such as from `getallheaders()`.
     * @param ?int $now Unix time, if not that of the system.
     * @throws CallbackVerificationException
     */
    public function verify(string $rawBody, array $headers, ?int $now = null): CallbackEvent
    {
        $headers = self::normalize($headers);
        $secrets = $this->usableSecrets();
        self::checkBody($rawBody, $headers, $secrets);
        $this->checkTime($rawBody, $headers, $secrets, $now ?? time());
        if ($this->environment !== null && ($headers['x-environment'] ?? null) !== $this->environment->value) {
            throw new CallbackVerificationException(Refusal::WrongEnvironment);
        }
        return self::parse($rawBody);
    }

    /** @throws CallbackVerificationException */
    public function verifyRequest(MessageInterface $request, ?int $now = null): CallbackEvent
    {
        return $this->verify((string) $request->getBody(), $request->getHeaders(), $now);
    }

    /** @return array<string, mixed> Without the secrets, for dumps. */
    public function __debugInfo(): array
    {
        return ['environment' => $this->environment, 'tolerance' => $this->tolerance];
    }

    /** @return list<string> */
    private function usableSecrets(): array
    {
        $this->secrets !== [] || throw new CallbackVerificationException(Refusal::NoSecret);
        $other = match ($this->environment) {
            Environment::Live => 'sk_sandbox_',
            Environment::Sandbox => 'sk_live_',
            null => null,
        };
        $isUsable = static fn (string $secret) => $other === null || !str_starts_with($secret, $other);
        $usable = array_values(array_filter($this->secrets, $isUsable));
        return $usable ?: throw new CallbackVerificationException(Refusal::WrongEnvironment);
    }

    /**
     * @param array<string, string> $headers
     * @param list<string> $secrets
     */
    private static function checkBody(
        string $rawBody,
        array $headers,
        #[SensitiveParameter] array $secrets,
    ): void {
        $given = array_intersect_key($headers, ['x-signature' => true, 'x-signature-alternate' => true]);
        $given !== [] || throw new CallbackVerificationException(Refusal::MissingSignature);
        $sign = static fn (#[SensitiveParameter] string $secret) => hash_hmac('sha256', $rawBody, $secret);
        self::expectMatch($given, $secrets, $sign);
    }

    /**
     * @param array<string, string> $headers
     * @param list<string> $secrets
     */
    private function checkTime(
        string $rawBody,
        array $headers,
        #[SensitiveParameter] array $secrets,
        int $now,
    ): void {
        $id = $headers['webhook-id'] ?? null;
        $timestamp = $headers['webhook-timestamp'] ?? null;
        $signatures = $headers['webhook-signature'] ?? null;
        if ($this->tolerance === null && $id === null && $timestamp === null && $signatures === null) {
            return;
        }
        if ($id === null || $timestamp === null || $signatures === null) {
            throw new CallbackVerificationException(Refusal::MissingTimestamp);
        }
        $signed = "$id.$timestamp.$rawBody";
        $sign = static fn (#[SensitiveParameter] string $secret) =>
            'v1,' . base64_encode(hash_hmac('sha256', $signed, $secret, true));
        self::expectMatch(explode(' ', $signatures), $secrets, $sign);
        if ($this->tolerance !== null) {
            self::checkAge($timestamp, $this->tolerance, $now);
        }
    }

    private static function checkAge(string $timestamp, int $tolerance, int $now): void
    {
        if (preg_match('/^[0-9]{1,15}$/D', $timestamp) !== 1) {
            throw new CallbackVerificationException(Refusal::InvalidTimestamp);
        }
        $age = $now - (int) $timestamp;
        if ($age > $tolerance) {
            throw new CallbackVerificationException(Refusal::TimestampTooOld);
        }
        if ($age < -$tolerance) {
            throw new CallbackVerificationException(Refusal::TimestampTooNew);
        }
    }

    /**
     * @param array<string> $given
     * @param list<string> $secrets
     * @param callable(string): string $sign Makes the signature with a secret.
     */
    private static function expectMatch(
        array $given,
        #[SensitiveParameter] array $secrets,
        callable $sign,
    ): void {
        foreach ($secrets as $secret) {
            foreach ($given as $signature) {
                if (hash_equals($sign($secret), $signature)) {
                    return;
                }
            }
        }
        throw new CallbackVerificationException(Refusal::InvalidSignature);
    }

    private static function parse(string $rawBody): CallbackEvent
    {
        try {
            $data = json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
            return is_array($data) ? CallbackEvent::fromArray($data) : throw new UnexpectedDataException();
        } catch (JsonException | UnexpectedDataException) {
            throw new CallbackVerificationException(Refusal::InvalidBody);
        }
    }

    /**
     * @param array<string, string|array<string>> $headers
     * @return array<string, string>
     */
    private static function normalize(array $headers): array
    {
        $normalized = [];
        foreach ($headers as $name => $value) {
            $normalized[strtolower((string) $name)][] = implode(', ', (array) $value);
        }
        return array_map(static fn (array $values) => implode(', ', $values), $normalized);
    }
}
