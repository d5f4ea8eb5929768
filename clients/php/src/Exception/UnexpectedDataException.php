<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use UnexpectedValueException;

/** A successful response that is not what the API describes, for example a page of a proxy. */
final class UnexpectedDataException extends UnexpectedValueException implements TillException
{
}
