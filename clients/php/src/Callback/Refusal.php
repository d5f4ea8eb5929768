<?php

declare(strict_types=1);

namespace Till\Checkout\Callback;

/** Why a callback was refused. */
enum Refusal: string
{
    case NoSecret = 'no_secret';
    case MissingSignature = 'missing_signature';
    case InvalidSignature = 'invalid_signature';
    case MissingTimestamp = 'missing_timestamp';
    case InvalidTimestamp = 'invalid_timestamp';
    case TimestampTooOld = 'timestamp_too_old';
    case TimestampTooNew = 'timestamp_too_new';
    case WrongEnvironment = 'wrong_environment';
    case InvalidBody = 'invalid_body';

    public function message(): string
    {
        return match ($this) {
            self::NoSecret => 'No secret is configured, so no signature can be right.',
            self::MissingSignature => 'The header X-Signature is missing.',
            self::InvalidSignature => 'No secret matches the signature.',
            self::MissingTimestamp => 'webhook-id, webhook-timestamp or webhook-signature is missing.',
            self::InvalidTimestamp => 'webhook-timestamp is not a number.',
            self::TimestampTooOld => 'The callback was sent too long ago.',
            self::TimestampTooNew => 'webhook-timestamp is in the future.',
            self::WrongEnvironment => 'The callback, or the secret, is of the other environment.',
            self::InvalidBody => 'The body is signed but is not an event.',
        };
    }
}
