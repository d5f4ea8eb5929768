<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use RuntimeException;
use Till\Checkout\Callback\Refusal;

/** A callback that must not be believed. Respond with 401 and change nothing. */
final class CallbackVerificationException extends RuntimeException implements TillException
{
    public function __construct(public readonly Refusal $reason)
    {
        parent::__construct($reason->message());
    }
}
