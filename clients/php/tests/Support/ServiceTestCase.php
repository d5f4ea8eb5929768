<?php

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use PHPUnit\Framework\TestCase;
use Psr\SimpleCache\CacheInterface;
use Till\Checkout\Clock;
use Till\Checkout\Environment;
use Till\Checkout\Model\CreateSession;
use Till\Checkout\Model\SessionStatus;
use Till\Checkout\Model\Simulate;
use Till\Checkout\RetryPolicy;
use Till\Checkout\SystemClock;
use Till\Checkout\Testing\Credentials;
use Till\Checkout\Testing\Demo;
use Till\Checkout\Till;

/** A test against a running service, which all tests share. */
abstract class ServiceTestCase extends TestCase
{
    private static ?Demo $demo = null;

    protected static function demo(): Demo
    {
        return self::$demo ??= Demo::start();
    }

    protected static function till(
        ?string $baseUrl = null,
        Environment $environment = Environment::Sandbox,
        ?Credentials $credentials = null,
        RetryPolicy $retries = new RetryPolicy(firstDelay: 0.01),
        ?CacheInterface $cache = null,
        Clock $clock = new SystemClock(),
        float $timeout = 10,
    ): Till {
        $factory = new HttpFactory();
        $live = $environment === Environment::Live;
        $credentials ??= $live ? self::demo()->live : self::demo()->sandbox;
        return new Till(
            $baseUrl ?? self::demo()->baseUrl,
            $credentials->clientId,
            $credentials->clientSecret,
            new Client(['timeout' => $timeout]),
            $factory,
            $factory,
            $environment,
            $retries,
            $cache,
            $clock,
        );
    }

    protected static function order(?string $orderId = null, ?string $callbackUrl = null): CreateSession
    {
        return new CreateSession(
            orderId: $orderId ?? self::orderId(),
            productName: 'Atlas',
            price: '49.90',
            currency: 'EUR',
            callbackUrl: $callbackUrl,
        );
    }

    protected static function orderId(): string
    {
        return 'A-' . bin2hex(random_bytes(8));
    }

    protected static function paidSession(Till $till): SessionStatus
    {
        $session = $till->sessions->create(self::order());
        return $till->sessions->simulate($session->sessionId, new Simulate(outcome: 'paid'));
    }
}
