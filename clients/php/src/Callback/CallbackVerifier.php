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
     * @param ?Environment $environment Refuses callbacks that name another one. This finds a wrong setting; what
     *     keeps live and sandbox apart is the secret, because the header is not signed.
     * @param int $tolerance How many seconds `webhook-timestamp` may be off your clock.
     * @param bool $requireTimestamp Refuses callbacks without the signed time. Till always sends it; without this
     *     option, someone who recorded a callback can leave it out.
     */
    public function __construct(
        #[SensitiveParameter] string|array $secrets,
        private readonly ?Environment $environment = null,
        private readonly int $tolerance = 300,
        private readonly bool $requireTimestamp = false,
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
        $this->secrets !== [] || throw new CallbackVerificationException(Refusal::NoSecret);
        $this->checkBody($rawBody, $headers);
        $this->checkTime($rawBody, $headers, $now ?? time());
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

    /** @param array<string, string> $headers */
    private function checkBody(string $rawBody, array $headers): void
    {
        $given = array_intersect_key($headers, ['x-signature' => true, 'x-signature-alternate' => true]);
        $given !== [] || throw new CallbackVerificationException(Refusal::MissingSignature);
        $this->expectMatch($given, static fn (string $secret) => hash_hmac('sha256', $rawBody, $secret));
    }

    /** @param array<string, string> $headers */
    private function checkTime(string $rawBody, array $headers, int $now): void
    {
        $id = $headers['webhook-id'] ?? null;
        $timestamp = $headers['webhook-timestamp'] ?? null;
        $signatures = $headers['webhook-signature'] ?? null;
        if (!$this->requireTimestamp && $id === null && $timestamp === null && $signatures === null) {
            return;
        }
        if ($id === null || $timestamp === null || $signatures === null) {
            throw new CallbackVerificationException(Refusal::MissingSignature);
        }
        $signed = "$id.$timestamp.$rawBody";
        $sign = static fn (string $secret) => base64_encode(hash_hmac('sha256', $signed, $secret, true));
        $this->expectMatch(explode(' ', $signatures), static fn (string $secret) => 'v1,' . $sign($secret));
        if (!ctype_digit($timestamp) || abs($now - (int) $timestamp) > $this->tolerance) {
            throw new CallbackVerificationException(Refusal::TimestampOutOfTolerance);
        }
    }

    /**
     * @param array<string> $given
     * @param callable(string): string $sign Makes the signature with a secret.
     */
    private function expectMatch(array $given, callable $sign): void
    {
        foreach ($this->secrets as $secret) {
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
