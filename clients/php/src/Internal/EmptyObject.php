<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use JsonSerializable;

/**
 * The body of a request that has no fields.
 *
 * @internal
 */
final class EmptyObject implements JsonSerializable
{
    public function jsonSerialize(): object
    {
        return (object) [];
    }
}
