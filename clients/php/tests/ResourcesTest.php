<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use DateTimeImmutable;
use InvalidArgumentException;
use LogicException;
use Till\Checkout\Environment;
use Till\Checkout\Exception\ApiException;
use Till\Checkout\Exception\UnexpectedDataException;
use Till\Checkout\Model\AccessToken;
use Till\Checkout\Model\CallbackPage;
use Till\Checkout\Model\CreateRefund;
use Till\Checkout\Model\CreateSession;
use Till\Checkout\Model\FetchedCallback;
use Till\Checkout\Model\Simulate;
use Till\Checkout\Model\Wallet;
use Till\Checkout\Model\WalletBalance;
use Till\Checkout\Resource\SessionFilter;
use Till\Checkout\Resource\TransactionFilter;
use Till\Checkout\Tests\Support\Server;
use Till\Checkout\Tests\Support\ServiceTestCase;

final class ResourcesTest extends ServiceTestCase
{
    public function testASessionIsCreatedAndRetrieved(): void
    {
        $till = self::till();
        $created = $till->sessions->create(new CreateSession(
            orderId: 'Заказ № 7 ☕',
            productName: 'Atlas',
            price: '49.90',
            currency: 'EUR',
            metadata: ['0' => 'zero', 'cart' => 'C-77'],
        ));
        self::assertSame('Заказ № 7 ☕', $created->orderId);
        self::assertStringContainsString("/sandbox/session/$created->sessionId", $created->sessionUrl);

        $session = $till->sessions->retrieve($created->sessionId);
        self::assertSame(['pending', '49.90', 'EUR'], [$session->status, $session->price, $session->currency]);
        self::assertEquals(['0' => 'zero', 'cart' => 'C-77'], $session->metadata);
        self::assertLessThan(60, abs($session->createdAt->getTimestamp() - time()));
    }

    public function testLiveHasItsOwnPathsAndAWallet(): void
    {
        $till = self::till(environment: Environment::Live);
        $created = $till->sessions->create(new CreateSession('L-1', 'Atlas', '490.00', 'RUB'));
        self::assertStringNotContainsString('sandbox', $created->sessionUrl);
        self::assertSame('pending', $till->sessions->retrieve($created->sessionId)->status);
        foreach ($till->wallet()->balances as $balance) {
            self::assertMatchesRegularExpression('/^[A-Z]{3}$/', $balance->currency);
        }

        $this->expectException(LogicException::class);
        $till->sessions->simulate($created->sessionId, new Simulate(outcome: 'paid'));
    }

    public function testTheSandboxHasNoWallet(): void
    {
        $this->expectException(LogicException::class);
        self::till()->wallet();
    }

    public function testEverySessionIsListedOnceOverSeveralPages(): void
    {
        $proxy = Server::proxy(self::demo()->baseUrl);
        $till = self::till("http://$proxy->address");
        $orderId = self::orderId();
        $created = [];
        for ($count = 0; $count < 5; $count++) {
            $created[] = $till->sessions->create(self::order($orderId))->sessionId;
        }

        $listed = iterator_to_array($till->sessions->all(new SessionFilter(orderId: $orderId), pageSize: 2));

        self::assertSame(array_reverse($created), array_column($listed, 'sessionId'));
        self::assertCount(3, $proxy->requests('/^GET/'));
        $page = $till->sessions->list(new SessionFilter(orderId: $orderId), limit: 3);
        self::assertCount(3, $page->sessions);
        self::assertNotNull($page->nextCursor);
    }

    public function testSessionsAreFilteredByStatusAndTime(): void
    {
        $till = self::till();
        $session = self::paidSession($till);
        $filter = static fn (?string $status, string $from, string $to) => new SessionFilter(
            $session->orderId,
            $status,
            new DateTimeImmutable($from),
            new DateTimeImmutable($to),
        );

        self::assertCount(1, $till->sessions->list($filter('paid', '-1 hour', '+1 hour'))->sessions);
        self::assertCount(0, $till->sessions->list($filter('failed', '-1 hour', '+1 hour'))->sessions);
        self::assertCount(0, $till->sessions->list($filter(null, '-2 hours', '-1 hour'))->sessions);
    }

    public function testASessionIsExpired(): void
    {
        $till = self::till();
        $session = $till->sessions->create(self::order());

        self::assertSame('expired', $till->sessions->expire($session->sessionId)->status);
        self::assertSame('expired', $till->sessions->expire($session->sessionId)->status);
    }

    public function testARefundIsATransaction(): void
    {
        $till = self::till();
        $session = self::paidSession($till);
        $refund = $till->refunds->create($session->sessionId, new CreateRefund('10.00', reason: 'wrong size'));
        self::assertSame(['10.00', 'wrong size'], [$refund->amount, $refund->reason]);
        $deadline = microtime(true) + 10;
        while ($refund->status === 'pending' && microtime(true) < $deadline) {
            usleep(20_000);
            $refund = $till->refunds->retrieve($session->sessionId, $refund->refundId);
        }
        self::assertSame('succeeded', $refund->status);
        self::assertEquals([$refund], $till->refunds->list($session->sessionId)->refunds);

        $filter = new TransactionFilter(sessionId: $session->sessionId);
        $transactions = iterator_to_array($till->transactions->all($filter, pageSize: 1));
        self::assertSame(['refund', 'payment'], array_column($transactions, 'type'));
        self::assertSame(['10.00', '49.90'], array_column($transactions, 'amount'));
        self::assertSame([$refund->refundId, null], array_column($transactions, 'refundId'));
        self::assertFalse($transactions[0]->late);

        self::assertSame('39.90', $till->refunds->create($session->sessionId)->amount);
    }

    public function testAnErrorNamesEveryInvalidField(): void
    {
        try {
            self::till()->sessions->create(new CreateSession('A-1', 'Atlas', '1.234', 'EURO'));
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame([422, 'invalid_request'], [$exception->status, $exception->errorCode]);
            self::assertContains('currency', array_column($exception->fieldErrors, 'field'));
            self::assertNotSame('', $exception->fieldErrors[0]->message);
            self::assertNotSame('', $exception->getMessage());
            self::assertStringStartsWith('req_', (string) $exception->requestId);
        }
    }

    public function testAnUnknownSessionIsAnError(): void
    {
        try {
            self::till()->sessions->retrieve('01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2');
            self::fail('accepted');
        } catch (ApiException $exception) {
            self::assertSame([404, 'session_not_found'], [$exception->status, $exception->errorCode]);
            self::assertSame([], $exception->fieldErrors);
        }
    }

    public function testAResponseWithAWrongTypeIsAnError(): void
    {
        $balance = ['currency' => 'RUB', 'available' => '9.70', 'pending' => '0.00', 'refunds' => '0.00'];
        self::assertSame('9.70', WalletBalance::fromArray([...$balance, 'payouts' => '0.00'])->available);
        $wrong = [
            static fn () => WalletBalance::fromArray($balance),
            static fn () => WalletBalance::fromArray([...$balance, 'payouts' => 0]),
            static fn () => Wallet::fromArray(['balances' => ['none']]),
            static fn () => AccessToken::fromArray(['access_token' => '', 'token_type' => '', 'expires_in' => '']),
            static fn () => CallbackPage::fromArray(['callbacks' => [], 'next' => '1', 'has_more' => 1]),
            static fn () => FetchedCallback::fromArray(['event_id' => '', 'headers' => ['a' => 1], 'body' => '']),
        ];
        foreach ($wrong as $read) {
            try {
                $read();
                self::fail('accepted');
            } catch (UnexpectedDataException $exception) {
                self::assertStringContainsString('is missing or not', $exception->getMessage());
            }
        }
    }

    public function testAnIdCannotLeaveItsPath(): void
    {
        foreach (['', '..', 'a/b', "a\n"] as $id) {
            try {
                self::till()->sessions->retrieve($id);
                self::fail('accepted');
            } catch (InvalidArgumentException $exception) {
                self::assertStringContainsString('Not an id', $exception->getMessage());
            }
        }
    }
}
