<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use JsonException;
use Psr\Http\Message\ResponseInterface;
use RuntimeException;
use SensitiveParameter;
use Till\Checkout\Model\FieldError;
use Till\Checkout\Model\Problem;

/** A response with an error status. The message is for developers; branch on `errorCode`. */
final class ApiException extends RuntimeException implements TillException
{
    /** The `errorCode` of an error that does not come from Till, for example of a proxy. */
    public const UNEXPECTED_RESPONSE = 'unexpected_response';

    /**
     * @param list<FieldError> $fieldErrors Every invalid field; empty if the error is not about a field.
     * @param ?string $requestId Include it when you contact the operator.
     * @param ?float $retryAfter Seconds to wait before a retry, if the response has them.
     */
    private function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly array $fieldErrors,
        public readonly ?string $requestId,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct($message, $status);
    }

    /** @internal */
    public static function fromResponse(
        ResponseInterface $response,
        #[SensitiveParameter] string $body,
        int $now,
    ): self {
        $status = $response->getStatusCode();
        $retryAfter = self::seconds($response->getHeaderLine('Retry-After'), $now);
        $problem = self::problem($body);
        if ($problem === null) {
            $requestId = $response->getHeaderLine('X-Request-Id') ?: null;
            $message = "The response is not Till's (HTTP status $status).";
            return new self($status, self::UNEXPECTED_RESPONSE, $message, [], $requestId, $retryAfter);
        }
        return new self(
            $status,
            $problem->code,
            $problem->detail,
            $problem->errors,
            $problem->requestId,
            $retryAfter,
        );
    }

    private static function problem(#[SensitiveParameter] string $body): ?Problem
    {
        try {
            $data = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
            return is_array($data) ? Problem::fromArray($data) : null;
        } catch (JsonException | UnexpectedDataException) {
            return null;
        }
    }

    /** Reads `Retry-After`, which is a number of seconds or a date. */
    private static function seconds(string $retryAfter, int $now): ?float
    {
        if (ctype_digit($retryAfter)) {
            return (float) $retryAfter;
        }
        $time = $retryAfter === '' ? false : strtotime($retryAfter);
        return $time === false ? null : (float) max(0, $time - $now);
    }
}
