<?php

declare(strict_types=1);

namespace Till\Checkout\Internal;

use Closure;
use Generator;

/** @internal */
final class Pages
{
    /**
     * Every item of a list, from page to page.
     *
     * @template T
     * @param Closure(?string): array{list<T>, ?string} $fetch Takes a cursor; returns items and the next one.
     * @return Generator<int, T>
     */
    public static function items(Closure $fetch): Generator
    {
        $cursor = null;
        do {
            [$items, $cursor] = $fetch($cursor);
            foreach ($items as $item) {
                yield $item;
            }
        } while ($cursor !== null);
    }
}
