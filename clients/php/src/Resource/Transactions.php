<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use Generator;
use Till\Checkout\Environment;
use Till\Checkout\Internal\Api;
use Till\Checkout\Internal\Pages;
use Till\Checkout\Model\Transaction;
use Till\Checkout\Model\TransactionList;

/** The movements of your customers' money. */
final class Transactions
{
    /** @internal */
    public function __construct(private readonly Api $api, private readonly Environment $environment)
    {
    }

    /** One page, newest first. Pass `nextCursor` as the cursor, with the same filter, to get the next one. */
    public function list(
        TransactionFilter $filter = new TransactionFilter(),
        ?int $limit = null,
        ?string $cursor = null,
    ): TransactionList {
        $query = [...$filter->query(), 'limit' => $limit, 'cursor' => $cursor];
        $path = $this->environment->apiPath() . '/transactions';
        return TransactionList::fromArray($this->api->get($path, $query));
    }

    /**
     * Every transaction, newest first. Pages are fetched as you iterate.
     *
     * @return Generator<int, Transaction>
     */
    public function all(TransactionFilter $filter = new TransactionFilter(), int $pageSize = 100): Generator
    {
        return Pages::items(function (?string $cursor) use ($filter, $pageSize): array {
            $page = $this->list($filter, $pageSize, $cursor);
            return [$page->transactions, $page->nextCursor];
        });
    }
}
