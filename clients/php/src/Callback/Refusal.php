<?php

declare(strict_types=1);

namespace Till\Checkout\Callback;

/** Why a callback was refused. */
enum Refusal: string
{
    case NoSecret = 'no_secret';
    case MissingSignature = 'missing_signature';
    case InvalidSignature = 'invalid_signature';
    case TimestampOutOfTolerance = 'timestamp_out_of_tolerance';
    case WrongEnvironment = 'wrong_environment';
    case InvalidBody = 'invalid_body';

    public function message(): string
    {
        return match ($this) {
            self::NoSecret => 'No secret is configured, so no signature can be right.',
            self::MissingSignature => 'A signature header is missing.',
            self::InvalidSignature => 'No secret matches the signature.',
            self::TimestampOutOfTolerance => 'The callback is too old or from the future.',
            self::WrongEnvironment => 'The callback is from another environment.',
            self::InvalidBody => 'The body is signed but is not an event.',
        };
    }
}
