<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use DateInterval;
use DateTimeImmutable;
use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use LogicException;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Till\Checkout\Callback\CallbackVerifier;
use Till\Checkout\Callback\Refusal;
use Till\Checkout\Environment;
use Till\Checkout\Exception\CallbackVerificationException;
use Till\Checkout\Model\CreateSession;
use Till\Checkout\Model\Simulate;
use Till\Checkout\Testing\Demo;
use Till\Checkout\Tests\Support\Server;
use Till\Checkout\Till;

/** A demo with a seed and a manual clock. */
final class ClockTest extends TestCase
{
    private const START = '2026-03-01T12:00:00.000Z';
    private static ?Demo $demo = null;

    public static function setUpBeforeClass(): void
    {
        $start = new DateTimeImmutable(self::START);
        self::$demo = Demo::start(seed: 7, clock: 'manual', clockStart: $start);
    }

    public static function tearDownAfterClass(): void
    {
        self::$demo?->stop();
        self::$demo = null;
    }

    public function testItStandsStillUntilItIsMoved(): void
    {
        $start = self::$demo->now();
        self::assertSame('2026-03-01T12:00:00.000', $start->format('Y-m-d\TH:i:s.v'));
        $moved = self::$demo->advance(DateInterval::createFromDateString('1500 milliseconds'));
        self::assertSame('2026-03-01T12:00:01.500', $moved->format('Y-m-d\TH:i:s.v'));
        self::assertEquals($moved, self::$demo->runDue());
        self::assertEquals($moved, self::$demo->now());
    }

    public function testASessionExpiresOnTheWay(): void
    {
        $receiver = Server::receiver();
        $till = self::till();
        $expiry = self::$demo->now()->add(new DateInterval('PT15M'));
        $session = $till->sessions->create(self::order("http://$receiver->address/callbacks"));
        self::$demo->advance(new DateInterval('PT14M'));
        self::assertSame('pending', $till->sessions->retrieve($session->sessionId)->status);
        self::$demo->advance(new DateInterval('PT3M'));
        self::assertSame('expired', $till->sessions->retrieve($session->sessionId)->status);

        [$callback] = $receiver->requests();
        $verifier = new CallbackVerifier(self::$demo->sandbox->clientSecret, Environment::Sandbox);
        $event = $verifier->verify($callback['body'], $callback['headers'], self::$demo->now()->getTimestamp());
        self::assertSame('session.expired', $event->event);
        self::assertEquals($expiry, new DateTimeImmutable($event->data['occurredAt']));
        self::assertSame((string) $expiry->getTimestamp(), $callback['headers']['webhook-timestamp']);
        try {
            $verifier->verify($callback['body'], $callback['headers']);
            self::fail('The time of this machine was accepted.');
        } catch (CallbackVerificationException $exception) {
            self::assertSame(Refusal::TimestampTooOld, $exception->reason);
        }
    }

    public function testWhatIsDueNowHasHappened(): void
    {
        $receiver = Server::receiver();
        $till = self::till();
        $session = $till->sessions->create(self::order("http://$receiver->address/callbacks"));
        $till->sessions->simulate($session->sessionId, new Simulate(outcome: 'paid'));
        self::assertSame([], $receiver->requests());
        self::$demo->runDue();
        self::assertCount(1, $receiver->requests());
    }

    public function testTimeDoesNotRunBackwards(): void
    {
        $this->expectException(RuntimeException::class);
        self::$demo->advance(DateInterval::createFromDateString('-1 second'));
    }

    public function testIdsAndSecretsAreThoseOfTheSeed(): void
    {
        $again = Demo::start(seed: 7, clock: 'manual');
        $other = Demo::start(seed: 8, clock: 'manual');
        self::assertEquals([self::$demo->sandbox, self::$demo->live], [$again->sandbox, $again->live]);
        self::assertNotEquals(self::$demo->sandbox->clientSecret, $other->sandbox->clientSecret);
    }

    public function testItListensOnThePortThatItIsGiven(): void
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($socket, false);
        fclose($socket);
        $demo = Demo::start(port: (int) substr(strrchr($address, ':'), 1));
        self::assertSame("http://$address", $demo->baseUrl);
    }

    public function testWithoutAManualClockTheTimeCannotBeMoved(): void
    {
        $demo = Demo::start();
        $this->expectException(LogicException::class);
        $this->expectExceptionMessage("no manual clock: start it with Demo::start(clock: 'manual')");
        $demo->advance(new DateInterval('PT1M'));
    }

    private static function order(string $callbackUrl): CreateSession
    {
        return new CreateSession('A-1', 'Atlas', '49.90', 'EUR', callbackUrl: $callbackUrl);
    }

    private static function till(): Till
    {
        $factory = new HttpFactory();
        ['clientId' => $id, 'clientSecret' => $secret] = get_object_vars(self::$demo->sandbox);
        $http = new Client(['timeout' => 10]);
        return new Till(self::$demo->baseUrl, $id, $secret, $http, $factory, $factory, Environment::Sandbox);
    }
}
