<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A page of transactions.
 */
final class TransactionList
{
    /**
     * @param list<Transaction> $transactions The transactions, newest first.
     * @param ?string $nextCursor Send it as `cursor` to get the next page; null on the last one.
     */
    public function __construct(
        public readonly array $transactions,
        public readonly ?string $nextCursor = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            transactions: $fields->list('transactions', Transaction::fromArray(...)),
            nextCursor: $fields->optionalString('next_cursor'),
        );
    }
}
