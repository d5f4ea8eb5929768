<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use Till\Checkout\Environment;
use Till\Checkout\Internal\Api;
use Till\Checkout\Model\CallbackPage;

/** The feed of callbacks, for a server that has no public address or was down. */
final class Callbacks
{
    /** @internal */
    public function __construct(private readonly Api $api, private readonly Environment $environment)
    {
    }

    /**
     * The callbacks after a cursor, oldest first. Verify each one like a callback that was sent to you.
     *
     * @param ?string $after The `next` of the page before. Without it, the page starts with your oldest event.
     * @param ?int $waitSeconds Keeps the call open until there is a callback, for up to 30 seconds. The timeout of
     *     your HTTP client must be longer.
     */
    public function fetch(?string $after = null, ?int $limit = null, ?int $waitSeconds = null): CallbackPage
    {
        $wait = $waitSeconds === null ? null : "{$waitSeconds}s";
        $query = ['after' => $after, 'limit' => $limit, 'wait' => $wait];
        $path = $this->environment->apiPath() . '/callbacks';
        return CallbackPage::fromArray($this->api->get($path, $query));
    }
}
