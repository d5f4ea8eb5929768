<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use Till\Checkout\Callback\CallbackVerifier;
use Till\Checkout\Exception\ApiException;
use Till\Checkout\Testing\Credentials;
use Till\Checkout\Tests\Support\ArrayCache;
use Till\Checkout\Tests\Support\ManualClock;
use Till\Checkout\Tests\Support\Server;
use Till\Checkout\Tests\Support\ServiceTestCase;

final class TokenTest extends ServiceTestCase
{
    private Server $proxy;

    protected function setUp(): void
    {
        $this->proxy = Server::proxy(self::demo()->baseUrl);
    }

    public function testManyCallsShareOneToken(): void
    {
        $till = self::till("http://{$this->proxy->address}");
        $till->sessions->list();
        $till->transactions->list();
        $till->sessions->create(self::order());

        self::assertCount(1, $this->tokenRequests());
    }

    public function testATokenIsReplacedShortlyBeforeItExpires(): void
    {
        $clock = new ManualClock();
        $till = self::till("http://{$this->proxy->address}", clock: $clock);
        $till->sessions->list();
        $clock->now += 3600 - 61;
        $till->sessions->list();
        self::assertCount(1, $this->tokenRequests());
        $clock->now += 1;
        $till->sessions->list();

        self::assertCount(2, $this->tokenRequests());
    }

    public function testProcessesShareATokenThroughACache(): void
    {
        $cache = new ArrayCache();
        self::till("http://{$this->proxy->address}", cache: $cache)->sessions->list();
        self::till("http://{$this->proxy->address}", cache: $cache)->sessions->list();

        self::assertCount(1, $this->tokenRequests());
    }

    public function testARejectedTokenIsReplacedOnceAndTheRequestRepeated(): void
    {
        $cache = new ArrayCache();
        self::till("http://{$this->proxy->address}", cache: $cache)->sessions->list();
        $key = array_key_first($cache->entries);
        $cache->entries[$key]['token'] = 'till_sandbox_revoked';

        $created = self::till("http://{$this->proxy->address}", cache: $cache)->sessions->create(self::order());

        self::assertSame('pending', $created->status);
        self::assertCount(2, $this->tokenRequests());
        self::assertCount(2, $this->proxy->requests('/^POST .*checkout-session /'));
        self::assertStringStartsWith('till_sandbox_', $cache->entries[$key]['token']);
        self::assertNotSame('till_sandbox_revoked', $cache->entries[$key]['token']);
    }

    public function testASecondRejectionIsAnError(): void
    {
        $till = self::till("http://{$this->proxy->address}");
        $this->proxy->respond('/^GET/', 401);
        $this->proxy->respond('/^GET/', 401);

        try {
            $till->sessions->list();
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame(401, $exception->status);
        }
        self::assertCount(2, $this->tokenRequests());
        self::assertCount(2, $this->proxy->requests('/^GET/'));
    }

    public function testAWrongSecretIsAnErrorWithoutRetries(): void
    {
        $wrong = new Credentials(self::demo()->sandbox->clientId, 'sk_sandbox_wrong');
        $till = self::till("http://{$this->proxy->address}", credentials: $wrong);

        try {
            $till->sessions->list();
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame([401, 'invalid_client'], [$exception->status, $exception->errorCode]);
        }
        self::assertCount(1, $this->proxy->requests());
    }

    public function testADumpShowsNeitherSecretNorToken(): void
    {
        $till = self::till();
        $till->sessions->list();
        $dump = print_r([$till, new CallbackVerifier(self::demo()->sandbox->clientSecret)], true);

        self::assertStringNotContainsString(self::demo()->sandbox->clientSecret, $dump);
        self::assertStringNotContainsString('till_sandbox_', $dump);
    }

    /** @return list<array<string, mixed>> */
    private function tokenRequests(): array
    {
        return $this->proxy->requests('/^POST .*tokens /');
    }
}
