<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use GuzzleHttp\Psr7\ServerRequest;
use LogicException;
use Till\Checkout\Callback\CallbackEvent;
use Till\Checkout\Callback\CallbackVerifier;
use Till\Checkout\Callback\Refusal;
use Till\Checkout\Environment;
use Till\Checkout\Exception\CallbackVerificationException;
use Till\Checkout\Model\Simulate;
use Till\Checkout\Tests\Support\Server;
use Till\Checkout\Tests\Support\ServiceTestCase;

final class CallbackTest extends ServiceTestCase
{
    private const SECRET = 'sk_sandbox_secret';
    private const NOW = 1_800_000_000;
    private const BODY = '{"event":"session.paid","eventId":"e-1"}';

    public function testARealCallbackIsVerified(): void
    {
        $receiver = Server::receiver();
        $till = self::till();
        $session = $till->sessions->create(self::order(callbackUrl: "http://$receiver->address/callbacks"));
        $till->sessions->simulate($session->sessionId, new Simulate(outcome: 'paid'));
        $callback = $receiver->await();

        $secrets = ['sk_sandbox_of_the_next_pair', self::demo()->sandbox->clientSecret];
        $verifier = new CallbackVerifier($secrets, Environment::Sandbox);
        $event = $verifier->verify($callback['body'], $callback['headers']);

        self::assertSame(CallbackEvent::SESSION_PAID, $event->event);
        self::assertSame([$session->sessionId, $session->orderId], [$event->sessionId, $event->orderId]);
        self::assertSame(['paid', '49.90', 'EUR'], [$event->status, $event->price, $event->currency]);
        self::assertSame($callback['headers']['webhook-id'], $event->eventId);

        $live = new CallbackVerifier(self::demo()->live->clientSecret);
        self::assertRefused(Refusal::InvalidSignature, $live, $callback['body'], $callback['headers']);
        $tampered = str_replace('49.90', '49.91', $callback['body']);
        self::assertRefused(Refusal::InvalidSignature, $verifier, $tampered, $callback['headers']);
        $late = Refusal::TimestampTooOld;
        self::assertRefused($late, $verifier, $callback['body'], $callback['headers'], time() + 301);
        $other = new CallbackVerifier(self::demo()->sandbox->clientSecret, Environment::Live);
        self::assertRefused(Refusal::WrongEnvironment, $other, $callback['body'], $callback['headers']);
    }

    public function testAFetchedCallbackIsVerified(): void
    {
        $till = self::till();
        $session = $till->sessions->create(self::order());
        $failure = new Simulate('failed', 'insufficient_funds');
        $till->sessions->simulate($session->sessionId, $failure);
        $verifier = new CallbackVerifier(self::demo()->sandbox->clientSecret, Environment::Sandbox);
        $reasons = [];
        $after = null;
        do {
            $page = $till->callbacks->fetch($after, limit: 2, waitSeconds: 5);
            foreach ($page->callbacks as $callback) {
                $event = $verifier->verify($callback->body, $callback->headers);
                self::assertSame($callback->eventId, $event->eventId);
                $reasons[$event->sessionId] = $event->failureReason;
            }
            $after = $page->next;
        } while (!isset($reasons[$session->sessionId]) && $page->callbacks !== []);

        self::assertSame('insufficient_funds', $reasons[$session->sessionId] ?? null);
    }

    public function testTheMistakeInASignatureIsFound(): void
    {
        $secret = self::demo()->sandbox->clientSecret;
        foreach (['{}', "\xef\xbb\xbf\xff\x00"] as $body) {
            $right = hash_hmac('sha256', $body, $secret, true);
            self::assertTrue(self::till()->signatures->check($body, bin2hex($right))->right);
            $verdict = self::till()->signatures->check($body, base64_encode($right));
            self::assertFalse($verdict->right);
            self::assertSame(['base64'], array_column($verdict->diagnosis, 'code'));
        }
        $this->expectException(LogicException::class);
        self::till(environment: Environment::Live)->signatures->check('{}', '');
    }

    /**
     * @dataProvider vectors
     * @param array<string, mixed> $vector
     */
    public function testEveryVector(array $vector): void
    {
        $verifier = new CallbackVerifier($vector['secret']);
        $headers = ['X-Signature' => $vector['xSignature']];
        if (!$vector['valid']) {
            $reason = $vector['secret'] === '' ? Refusal::NoSecret : Refusal::InvalidSignature;
            self::assertRefused($reason, $verifier, $vector['body'], $headers);
            return;
        }
        $event = (new CallbackVerifier($vector['secret'], tolerance: null))->verify($vector['body'], $headers);
        self::assertSame(json_decode($vector['body'], true), $event->data);
        $now = (int) $vector['webhookTimestamp'];
        $headers += [
            'webhook-id' => $vector['webhookId'],
            'webhook-timestamp' => $vector['webhookTimestamp'],
            'webhook-signature' => $vector['webhookSignature'],
        ];
        self::assertSame($vector['webhookId'], $verifier->verify($vector['body'], $headers, $now)->eventId);
        $headers['webhook-timestamp'] = (string) ($now + 1);
        self::assertRefused(Refusal::InvalidSignature, $verifier, $vector['body'], $headers, $now);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public function vectors(): iterable
    {
        $file = __DIR__ . '/../../../docs/callbacks/vectors.json';
        $content = json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
        foreach ($content['vectors'] as $vector) {
            yield $vector['name'] => [$vector];
        }
    }

    public function testHeaderNamesMayBeInAnyCaseAndOfAPsr7Request(): void
    {
        $verifier = new CallbackVerifier(self::SECRET);
        $headers = array_change_key_case(self::headers(), CASE_UPPER);
        self::assertSame('e-1', $verifier->verify(self::BODY, $headers, self::NOW)->eventId);
        $request = new ServerRequest('POST', '/callbacks', self::headers(), self::BODY);
        self::assertSame('e-1', $verifier->verifyRequest($request, self::NOW)->eventId);
    }

    public function testDuringARotationEitherSecretAndEitherHeaderIsEnough(): void
    {
        $old = self::headers(secret: 'old');
        $new = self::headers(secret: 'new');
        $headers = [
            ...$old,
            'X-Signature-Alternate' => $new['X-Signature'],
            'webhook-signature' => "v2,unknown {$old['webhook-signature']} {$new['webhook-signature']}",
        ];
        foreach ([['old'], ['new'], ['new', 'old'], ['', 'new']] as $secrets) {
            $event = (new CallbackVerifier($secrets))->verify(self::BODY, $headers, self::NOW);
            self::assertSame('e-1', $event->eventId);
        }
        self::assertRefused(Refusal::InvalidSignature, new CallbackVerifier('third'), self::BODY, $headers);
    }

    public function testTheTimeMustBeWithinTheTolerance(): void
    {
        $verifier = new CallbackVerifier(self::SECRET);
        foreach ([-300, 0, 300] as $offset) {
            $event = $verifier->verify(self::BODY, self::headers(), self::NOW + $offset);
            self::assertSame('e-1', $event->eventId);
        }
        $headers = self::headers();
        self::assertRefused(Refusal::TimestampTooNew, $verifier, self::BODY, $headers, self::NOW - 301);
        self::assertRefused(Refusal::TimestampTooOld, $verifier, self::BODY, $headers, self::NOW + 301);
        foreach (['1e9', '', '-1', "1800000000\n", str_repeat('9', 16)] as $timestamp) {
            $headers = self::headers(timestamp: $timestamp);
            self::assertRefused(Refusal::InvalidTimestamp, $verifier, self::BODY, $headers);
        }
        $wide = new CallbackVerifier(self::SECRET, tolerance: 1000);
        self::assertSame('e-1', $wide->verify(self::BODY, self::headers(), self::NOW + 1000)->eventId);
    }

    public function testEachWrongOrMissingHeaderIsRefused(): void
    {
        $verifier = new CallbackVerifier(self::SECRET, Environment::Sandbox);
        $withoutWindow = new CallbackVerifier(self::SECRET, Environment::Sandbox, null);
        foreach (['X-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            $headers = self::headers();
            unset($headers[$name]);
            $reason = $name === 'X-Signature' ? Refusal::MissingSignature : Refusal::MissingTimestamp;
            self::assertRefused($reason, $verifier, self::BODY, $headers);
            self::assertRefused($reason, $withoutWindow, self::BODY, $headers);
            $headers = [...self::headers(), $name => '1'];
            self::assertRefused(Refusal::InvalidSignature, $verifier, self::BODY, $headers);
            $headers = [...self::headers(), strtoupper($name) => '1', $name => self::headers()[$name]];
            self::assertRefused(Refusal::InvalidSignature, $verifier, self::BODY, $headers);
        }
        $headers = self::headers();
        unset($headers['X-Environment']);
        self::assertRefused(Refusal::WrongEnvironment, $verifier, self::BODY, $headers);
    }

    public function testTheSignedTimeIsRequiredUnlessNoWindowIsWanted(): void
    {
        $headers = ['X-Signature' => self::headers()['X-Signature']];
        self::assertRefused(Refusal::MissingTimestamp, new CallbackVerifier(self::SECRET), self::BODY, $headers);
        $withoutWindow = new CallbackVerifier(self::SECRET, tolerance: null);
        self::assertSame('e-1', $withoutWindow->verify(self::BODY, $headers)->eventId);
        self::assertSame('e-1', $withoutWindow->verify(self::BODY, self::headers(), 1)->eventId);
        $changed = [...self::headers(), 'webhook-id' => 'e-2'];
        self::assertRefused(Refusal::InvalidSignature, $withoutWindow, self::BODY, $changed);
    }

    public function testASecretOfTheOtherEnvironmentIsNotUsed(): void
    {
        $forged = [...self::headers(), 'X-Environment' => 'live'];
        $sandboxOnly = new CallbackVerifier(self::SECRET, Environment::Live);
        self::assertRefused(Refusal::WrongEnvironment, $sandboxOnly, self::BODY, $forged);
        $both = new CallbackVerifier([self::SECRET, 'sk_live_secret'], Environment::Live);
        self::assertRefused(Refusal::InvalidSignature, $both, self::BODY, $forged);
    }

    public function testUnknownEventsAndFieldsAreAccepted(): void
    {
        $body = '{"event":"parcel.sent","eventId":"e-2","carrier":{"name":"Post"}}';
        $event = (new CallbackVerifier(self::SECRET))->verify($body, self::headers($body), self::NOW);

        self::assertSame('parcel.sent', $event->event);
        self::assertNull($event->sessionId);
        self::assertSame(['name' => 'Post'], $event->data['carrier']);
    }

    public function testASignedBodyThatIsNoEventIsRefused(): void
    {
        $verifier = new CallbackVerifier(self::SECRET);
        foreach (['', 'null', '[]', '{"event":"session.paid"}', '{"event":1,"eventId":"e-1"}'] as $body) {
            self::assertRefused(Refusal::InvalidBody, $verifier, $body, self::headers($body));
        }
    }

    public function testWithoutASecretEverythingIsRefused(): void
    {
        foreach (['', [], ['']] as $secrets) {
            $verifier = new CallbackVerifier($secrets);
            self::assertRefused(Refusal::NoSecret, $verifier, self::BODY, self::headers(secret: ''));
        }
    }

    /** @return array<string, string> */
    private static function headers(
        string $body = self::BODY,
        string $secret = self::SECRET,
        string $timestamp = '1800000000',
    ): array {
        $signature = hash_hmac('sha256', "e-1.$timestamp.$body", $secret, true);
        return [
            'X-Signature' => hash_hmac('sha256', $body, $secret),
            'X-Environment' => 'sandbox',
            'webhook-id' => 'e-1',
            'webhook-timestamp' => $timestamp,
            'webhook-signature' => 'v1,' . base64_encode($signature),
        ];
    }

    /** @param array<string, string> $headers */
    private static function assertRefused(
        Refusal $reason,
        CallbackVerifier $verifier,
        string $body,
        array $headers,
        ?int $now = null,
    ): void {
        $now ??= isset($headers['x-attempt']) ? null : self::NOW;
        try {
            $verifier->verify($body, $headers, $now);
            self::fail('accepted');
        } catch (CallbackVerificationException $exception) {
            self::assertSame($reason, $exception->reason);
        }
    }
}
