<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use DateTimeInterface;
use Till\Checkout\Internal\Times;

/** Which sessions to list. */
final class SessionFilter
{
    /**
     * @param 'pending'|'paid'|'failed'|'expired'|null $status
     * @param ?DateTimeInterface $createdFrom Created at this time or later.
     * @param ?DateTimeInterface $createdTo Created before this time.
     */
    public function __construct(
        public readonly ?string $orderId = null,
        public readonly ?string $status = null,
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
            'order_id' => $this->orderId,
            'status' => $this->status,
            'created_from' => Times::format($this->createdFrom),
            'created_to' => Times::format($this->createdTo),
        ];
    }
}
