<?php

declare(strict_types=1);

namespace Till\Checkout;

use InvalidArgumentException;
use LogicException;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\SimpleCache\CacheInterface;
use SensitiveParameter;
use Till\Checkout\Internal\Api;
use Till\Checkout\Internal\Messages;
use Till\Checkout\Internal\Sender;
use Till\Checkout\Internal\Tokens;
use Till\Checkout\Model\Wallet;
use Till\Checkout\Resource\Callbacks;
use Till\Checkout\Resource\Refunds;
use Till\Checkout\Resource\Sessions;
use Till\Checkout\Resource\Signatures;
use Till\Checkout\Resource\Transactions;

/**
 * The client of a vendor's server. It obtains access tokens and retries requests that are safe to repeat.
 */
final class Till
{
    public const VERSION = '0.1.0';

    public readonly Sessions $sessions;
    public readonly Refunds $refunds;
    public readonly Transactions $transactions;
    public readonly Callbacks $callbacks;
    public readonly Signatures $signatures;
    private readonly Api $api;

    /**
     * @param string $baseUrl The address of the service, such as `https://pay.example.com`.
     * @param ClientInterface $http Set the timeout on this client: PSR-18 has none.
     * @param ?CacheInterface $cache Keeps the access token between processes; else it is kept in memory.
     */
    public function __construct(
        string $baseUrl,
        string $clientId,
        #[SensitiveParameter] string $clientSecret,
        ClientInterface $http,
        RequestFactoryInterface $requestFactory,
        StreamFactoryInterface $streamFactory,
        public readonly Environment $environment = Environment::Live,
        RetryPolicy $retries = new RetryPolicy(),
        ?CacheInterface $cache = null,
        Clock $clock = new SystemClock(),
    ) {
        self::checkSettings($baseUrl, $clientId, $clientSecret);
        $messages = new Messages(rtrim($baseUrl, '/'), $requestFactory, $streamFactory);
        $sender = new Sender($http, $retries, $clock);
        $tokens = new Tokens($messages, $sender, $environment, $clientId, $clientSecret, $cache, $clock);
        $this->api = new Api($messages, $sender, $tokens);
        $this->sessions = new Sessions($this->api, $environment);
        $this->refunds = new Refunds($this->api, $environment);
        $this->transactions = new Transactions($this->api, $environment);
        $this->callbacks = new Callbacks($this->api, $environment);
        $this->signatures = new Signatures($this->api, $environment);
    }

    private static function checkSettings(
        string $baseUrl,
        string $clientId,
        #[SensitiveParameter] string $clientSecret,
    ): void {
        if (preg_match('~^https?://[^/@]+(/[^@]*)?$~iD', $baseUrl) !== 1) {
            throw new InvalidArgumentException('The base URL must be an http or https URL without credentials.');
        }
        if ($clientId === '' || $clientSecret === '') {
            throw new InvalidArgumentException('The client id and the client secret must not be empty.');
        }
    }

    /** Your balances. The sandbox has none. */
    public function wallet(): Wallet
    {
        if ($this->environment !== Environment::Live) {
            throw new LogicException('The wallet exists only in live.');
        }
        return Wallet::fromArray($this->api->get($this->environment->apiPath() . '/wallet'));
    }
}
