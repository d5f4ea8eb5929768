<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use InvalidArgumentException;
use Till\Checkout\Callback\CallbackVerifier;
use Till\Checkout\Exception\ApiException;
use Till\Checkout\Exception\TillException;
use Till\Checkout\Model\AccessToken;
use Till\Checkout\Model\TokenRequest;
use Till\Checkout\RetryPolicy;
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
        $strings = array_fill_keys(['type', 'title', 'detail', 'request_id'], '');
        $problem = ['code' => 'invalid_token', 'status' => 401, 'errors' => [], ...$strings];
        $this->proxy->respond('/^GET/', 401, body: json_encode($problem, JSON_THROW_ON_ERROR));
        $this->proxy->respond('/^GET/', 401, body: json_encode($problem, JSON_THROW_ON_ERROR));

        try {
            $till->sessions->list();
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame(401, $exception->status);
        }
        self::assertCount(2, $this->tokenRequests());
        self::assertCount(2, $this->proxy->requests('/^GET/'));
    }

    public function testARejectionThatIsNotTillsIsAnErrorAtOnce(): void
    {
        $this->proxy->respond('/^GET/', 401, body: '<h1>Log in</h1>');
        try {
            self::till("http://{$this->proxy->address}")->sessions->list();
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame('unexpected_response', $exception->errorCode);
        }
        self::assertCount(1, $this->proxy->requests('/^GET/'));
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
        $secret = self::demo()->sandbox->clientSecret;
        $token = AccessToken::fromArray(
            ['access_token' => 'till_sandbox_1', 'token_type' => 'Bearer', 'expires_in' => 1],
        );
        $request = new TokenRequest('sandbox_1', $secret);
        $shown = [$till, new CallbackVerifier($secret), self::demo(), self::demo()->sandbox, $token, $request];

        self::assertShowsNoSecret(print_r($shown, true) . json_encode([$till, self::demo(), self::demo()->live]));
        self::assertStringContainsString('sandbox_', print_r(self::demo()->sandbox, true));
    }

    /** @dataProvider failures */
    public function testAnExceptionShowsNeitherSecretNorToken(string $request, string $fault): void
    {
        $till = self::till("http://{$this->proxy->address}", retries: new RetryPolicy(maxRetries: 0));
        match ($fault) {
            'lost' => $this->proxy->loseResponse($request),
            'page' => $this->proxy->respond($request, 200, body: '<h1>till_sandbox_1</h1>'),
            'shape' => $this->proxy->respond($request, 200, body: '{"access_token":"till_sandbox_1"}'),
            'error' => $this->proxy->respond($request, 500, body: '{"access_token":"till_sandbox_1"}'),
        };
        try {
            $till->sessions->create(self::order());
            self::fail('accepted');
        } catch (TillException $exception) {
            // Only the frames of the library: the tests' own calls have the secret as an argument.
            $frames = array_filter(
                $exception->getTrace(),
                static fn (array $frame) => !str_contains($frame['class'] ?? '', 'PHPUnit'),
            );
            self::assertNull($exception->getPrevious());
            self::assertShowsNoSecret("$exception" . print_r($frames, true));
        }
    }

    /** @return iterable<string, array{string, string}> */
    public function failures(): iterable
    {
        foreach (['/^POST .*tokens /', '/^POST .*checkout-session /'] as $request) {
            foreach (['lost', 'page', 'shape', 'error'] as $fault) {
                yield "$request $fault" => [$request, $fault];
            }
        }
    }

    public function testASecretThatCannotBeSentIsNotInTheException(): void
    {
        $credentials = new Credentials('sandbox_1', "sk_sandbox_\xff");
        try {
            self::till(credentials: $credentials)->sessions->list();
            self::fail('accepted');
        } catch (InvalidArgumentException $exception) {
            self::assertShowsNoSecret("$exception");
        }
    }

    public function testWrongSettingsAreRefusedAtOnce(): void
    {
        foreach (
            [
                ['127.0.0.1:8080', 'id', 'secret'],
                ['ftp://127.0.0.1', 'id', 'secret'],
                ['https://user:password@pay.example.com', 'id', 'secret'],
                ['https://pay.example.com', '', 'secret'],
                ['https://pay.example.com', 'id', ''],
            ] as [$baseUrl, $clientId, $secret]
        ) {
            try {
                self::till($baseUrl, credentials: new Credentials($clientId, $secret));
                self::fail("accepted: $baseUrl");
            } catch (InvalidArgumentException $exception) {
                self::assertStringNotContainsString('password', $exception->getMessage());
            }
        }
    }

    private static function assertShowsNoSecret(string $text): void
    {
        self::assertDoesNotMatchRegularExpression('/sk_(sandbox|live)_|till_sandbox_/', $text);
    }

    /** @return list<array<string, mixed>> */
    private function tokenRequests(): array
    {
        return $this->proxy->requests('/^POST .*tokens /');
    }
}
