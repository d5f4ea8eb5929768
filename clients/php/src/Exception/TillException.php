<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use Throwable;

/** Every exception of this library, other than those about wrong use of it. */
interface TillException extends Throwable
{
}
