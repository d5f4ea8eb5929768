<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use DateTimeInterface;
use Till\Checkout\Internal\Times;

/** Which transactions to list. */
final class TransactionFilter
{
    /**
     * @param 'payment'|'refund'|'reversal'|'dispute'|null $type
     * @param ?DateTimeInterface $createdFrom Moved at this time or later.
     * @param ?DateTimeInterface $createdTo Moved before this time.
     */
    public function __construct(
        public readonly ?string $sessionId = null,
        public readonly ?string $orderId = null,
        public readonly ?string $type = null,
        public readonly ?DateTimeInterface $createdFrom = null,
        public readonly ?DateTimeInterface $createdTo = null,
    ) {
    }

    /**
     * @internal
     * @return array<string, ?string>
     */
    public function query(): array
    {
        return [
            'session_id' => $this->sessionId,
            'order_id' => $this->orderId,
            'type' => $this->type,
            'created_from' => Times::format($this->createdFrom),
            'created_to' => Times::format($this->createdTo),
        ];
    }
}
