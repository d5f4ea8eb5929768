<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A page of sessions.
 */
final class SessionList
{
    /**
     * @param list<SessionStatus> $sessions The sessions, newest first.
     * @param ?string $nextCursor Send it as `cursor` to get the next page; null on the last one.
     * @param bool $held True while the service is on hold after a restore: sessions past their deadline
     *     are left out.
     */
    public function __construct(
        public readonly array $sessions,
        public readonly ?string $nextCursor = null,
        public readonly bool $held = false,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            sessions: $fields->list('sessions', SessionStatus::fromArray(...)),
            nextCursor: $fields->optionalString('next_cursor'),
            held: $fields->flag('held'),
        );
    }
}
