<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use InvalidArgumentException;
use Till\Checkout\Exception\ApiException;
use Till\Checkout\Exception\ConnectionException;
use Till\Checkout\Exception\UnexpectedDataException;
use Till\Checkout\Model\CreateRefund;
use Till\Checkout\Model\Simulate;
use Till\Checkout\Resource\SessionFilter;
use Till\Checkout\RetryPolicy;
use Till\Checkout\Tests\Support\ManualClock;
use Till\Checkout\Tests\Support\Server;
use Till\Checkout\Tests\Support\ServiceTestCase;
use Till\Checkout\Till;

final class RetryTest extends ServiceTestCase
{
    private const CREATE = '/^POST .*checkout-session /';
    private const LIST = '/^GET .*checkout-session /';

    private Server $proxy;
    private ManualClock $clock;
    private Till $till;

    protected function setUp(): void
    {
        $this->proxy = Server::proxy(self::demo()->baseUrl);
        $this->clock = new ManualClock();
        $retries = new RetryPolicy();
        $this->till = self::till("http://{$this->proxy->address}", retries: $retries, clock: $this->clock);
    }

    public function testACreateWhoseResponseIsLostMakesOneSession(): void
    {
        $this->proxy->loseResponse(self::CREATE);
        $order = self::order();

        $created = $this->till->sessions->create($order);

        $requests = $this->proxy->requests(self::CREATE);
        $keys = array_map(static fn (array $request) => $request['headers']['idempotency-key'], $requests);
        self::assertCount(2, $keys);
        self::assertSame($keys[0], $keys[1]);
        $sessions = $this->till->sessions->list(new SessionFilter($order->orderId))->sessions;
        self::assertSame([$created->sessionId], array_column($sessions, 'sessionId'));
    }

    public function testARefundWhoseResponseIsLostIsMadeOnce(): void
    {
        $session = self::paidSession($this->till);
        $this->proxy->loseResponse('/^POST .*refunds /');

        $refund = $this->till->refunds->create($session->sessionId, new CreateRefund(amount: '10.00'));

        $refunds = $this->till->refunds->list($session->sessionId)->refunds;
        self::assertSame([$refund->refundId], array_column($refunds, 'refundId'));
    }

    public function testACreateThatTimesOutIsRepeated(): void
    {
        $this->proxy->delayResponse(self::CREATE);
        $till = self::till("http://{$this->proxy->address}", timeout: 0.5);
        $order = self::order();

        $till->sessions->create($order);

        self::assertCount(2, $this->proxy->requests(self::CREATE));
        self::assertCount(1, $this->till->sessions->list(new SessionFilter($order->orderId))->sessions);
    }

    public function testAKeyOfTheCallerReturnsTheFirstResponseAgain(): void
    {
        $order = self::order();
        $key = "$order->orderId-1";
        $first = $this->till->sessions->create($order, $key);

        self::assertEquals($first, $this->till->sessions->create($order, $key));
        self::assertNotEquals($first, $this->till->sessions->create($order, "$order->orderId-2"));
    }

    public function testAnEmptyKeyIsAnError(): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->till->sessions->create(self::order(), '');
    }

    /** @dataProvider retryAfters */
    public function testRetryAfterIsObeyed(string $value, float $shortest, float $longest): void
    {
        $this->proxy->respond(self::LIST, 503, "Retry-After: $value");

        $this->till->sessions->list();

        self::assertCount(1, $this->clock->sleeps);
        self::assertGreaterThanOrEqual($shortest, $this->clock->sleeps[0]);
        self::assertLessThanOrEqual($longest, $this->clock->sleeps[0]);
    }

    public function testARetryAfterThatIsTooLongIsAnErrorAtOnce(): void
    {
        $date = gmdate('D, d M Y H:i:s', $this->clock->now + 3600) . ' GMT';
        foreach (['31', '99999999999999999999', $date] as $value) {
            $this->proxy->respond(self::LIST, 503, "Retry-After: $value");
            try {
                $this->till->sessions->list();
                self::fail('accepted');
            } catch (ApiException $exception) {
                self::assertGreaterThan(30.0, $exception->retryAfter);
            }
        }
        self::assertCount(3, $this->proxy->requests(self::LIST));
        self::assertSame([], $this->clock->sleeps);
    }

    /** @return array<string, array{string, float, float}> */
    public function retryAfters(): array
    {
        return [
            'seconds' => ['2', 2.0, 2.0],
            'the longest' => ['30', 30.0, 30.0],
            'a date' => [gmdate('D, d M Y H:i:s', (new ManualClock())->now + 7) . ' GMT', 7.0, 7.0],
            'less than the wait without it' => ['0', 0.25, 0.5],
            'a date in the past' => ['Wed, 01 Jan 2020 00:00:00 GMT', 0.25, 0.5],
        ];
    }

    public function testDelaysGrowAndVary(): void
    {
        foreach ([429, 502, 504] as $status) {
            $this->proxy->respond(self::LIST, $status);
        }

        $this->till->sessions->list();

        self::assertCount(3, $this->clock->sleeps);
        foreach ([0.5, 1.0, 2.0] as $index => $delay) {
            self::assertGreaterThanOrEqual($delay / 2, $this->clock->sleeps[$index]);
            self::assertLessThanOrEqual($delay, $this->clock->sleeps[$index]);
        }
    }

    public function testAfterThreeRetriesTheErrorIsThrown(): void
    {
        foreach (range(1, 5) as $ignored) {
            $this->proxy->respond(self::LIST, 503, body: '<h1>busy</h1>');
        }

        try {
            $this->till->sessions->list();
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame([503, 'unexpected_response'], [$exception->status, $exception->errorCode]);
        }
        self::assertCount(4, $this->proxy->requests(self::LIST));
    }

    public function testATokenRequestIsRepeated(): void
    {
        $this->proxy->loseResponse('/^POST .*tokens /');
        $this->till->sessions->list();

        self::assertCount(2, $this->proxy->requests('/^POST .*tokens /'));
    }

    public function testAKeyInUseIsRepeated(): void
    {
        $strings = array_fill_keys(['type', 'title', 'detail', 'request_id'], '');
        $problem = ['code' => 'idempotency_in_progress', 'status' => 409, 'errors' => [], ...$strings];
        $body = json_encode($problem, JSON_THROW_ON_ERROR);
        $this->proxy->respond(self::CREATE, 409, body: $body);

        self::assertSame('pending', $this->till->sessions->create(self::order())->status);

        $this->proxy->respond(self::CREATE, 500, body: $body);
        $this->expectExceptionCode(500);
        $this->till->sessions->create(self::order());
    }

    /** @dataProvider finalStatuses */
    public function testOtherErrorsAreNotRepeated(int $status): void
    {
        $this->proxy->respond(self::CREATE, $status);
        try {
            $this->till->sessions->create(self::order());
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame($status, $exception->status);
        }
        self::assertCount(1, $this->proxy->requests(self::CREATE));
        self::assertSame([], $this->clock->sleeps);
    }

    /** @return list<array{int}> */
    public function finalStatuses(): array
    {
        return [[400], [404], [409], [422], [500], [501], [302]];
    }

    public function testASimulationIsNotRepeated(): void
    {
        $session = $this->till->sessions->create(self::order());
        $this->proxy->loseResponse('/simulate /');
        try {
            $this->till->sessions->simulate($session->sessionId, new Simulate(outcome: 'paid'));
            self::fail('accepted');
        } catch (ConnectionException) {
            self::assertCount(1, $this->proxy->requests('/simulate /'));
        }
    }

    public function testRetriesCanBeTurnedOff(): void
    {
        $till = self::till("http://{$this->proxy->address}", retries: new RetryPolicy(maxRetries: 0));
        $this->proxy->loseResponse(self::CREATE);

        $this->expectException(ConnectionException::class);
        $till->sessions->create(self::order());
    }

    public function testAServiceThatIsDownIsAConnectionError(): void
    {
        $till = self::till('http://127.0.0.1:1', clock: $this->clock);
        try {
            $till->sessions->list();
            self::fail('accepted');
        } catch (ConnectionException $exception) {
            self::assertStringContainsString('/api/sandbox/vendor/tokens', $exception->getMessage());
        }
        self::assertCount(3, $this->clock->sleeps);
    }

    public function testAPageInsteadOfAResponseIsAnError(): void
    {
        $this->proxy->respond(self::LIST, 200, body: '<h1>Welcome</h1>');

        $this->expectException(UnexpectedDataException::class);
        $this->till->sessions->list();
    }
}
