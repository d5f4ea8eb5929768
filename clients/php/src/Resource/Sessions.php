<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use Generator;
use LogicException;
use Till\Checkout\Environment;
use Till\Checkout\Internal\Api;
use Till\Checkout\Internal\EmptyObject;
use Till\Checkout\Internal\Pages;
use Till\Checkout\Model\CreateSession;
use Till\Checkout\Model\SessionCreated;
use Till\Checkout\Model\SessionList;
use Till\Checkout\Model\SessionStatus;
use Till\Checkout\Model\Simulate;

/** Payment sessions: each is one attempt to pay for one order. */
final class Sessions
{
    /** @internal */
    public function __construct(private readonly Api $api, private readonly Environment $environment)
    {
    }

    /**
     * Creates a session. Redirect the customer to its `sessionUrl`.
     *
     * @param ?string $idempotencyKey Identifies this attempt, also in another process: the same key and session
     *     return the first response again for 24 hours. One is generated if you give none.
     */
    public function create(CreateSession $session, ?string $idempotencyKey = null): SessionCreated
    {
        $created = $this->api->create($this->environment->sessionsPath(), $session, $idempotencyKey);
        return SessionCreated::fromArray($created);
    }

    public function retrieve(string $sessionId): SessionStatus
    {
        return SessionStatus::fromArray($this->api->get($this->path($sessionId)));
    }

    /** One page, newest first. Pass `nextCursor` as the cursor, with the same filter, to get the next one. */
    public function list(
        SessionFilter $filter = new SessionFilter(),
        ?int $limit = null,
        ?string $cursor = null,
    ): SessionList {
        $query = [...$filter->query(), 'limit' => $limit, 'cursor' => $cursor];
        return SessionList::fromArray($this->api->get($this->environment->sessionsPath(), $query));
    }

    /**
     * Every session, newest first. Pages are fetched as you iterate.
     *
     * @return Generator<int, SessionStatus>
     */
    public function all(SessionFilter $filter = new SessionFilter(), int $pageSize = 100): Generator
    {
        return Pages::items(function (?string $cursor) use ($filter, $pageSize): array {
            $page = $this->list($filter, $pageSize, $cursor);
            return [$page->sessions, $page->nextCursor];
        });
    }

    /** Ends a pending session now. One that has expired stays expired, so this is safe to repeat. */
    public function expire(string $sessionId): SessionStatus
    {
        $path = $this->path($sessionId) . '/expire';
        return SessionStatus::fromArray($this->api->post($path, new EmptyObject(), repeatable: true));
    }

    /** Makes a payment, or something later that concerns its money, happen in the sandbox. Never retried. */
    public function simulate(string $sessionId, Simulate $simulation): SessionStatus
    {
        if ($this->environment !== Environment::Sandbox) {
            throw new LogicException('Payments can be simulated only in the sandbox.');
        }
        $path = $this->path($sessionId) . '/simulate';
        return SessionStatus::fromArray($this->api->post($path, $simulation, repeatable: false));
    }

    private function path(string $sessionId): string
    {
        return $this->environment->sessionsPath() . '/' . Api::id($sessionId);
    }
}
