<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;

/** @internal */
final class Times
{
    /** A time as the API takes it: in UTC, with milliseconds. */
    public static function format(?DateTimeInterface $time): ?string
    {
        if ($time === null) {
            return null;
        }
        return DateTimeImmutable::createFromInterface($time)
            ->setTimezone(new DateTimeZone('UTC'))
            ->format('Y-m-d\TH:i:s.v\Z');
    }
}
