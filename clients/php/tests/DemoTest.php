<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use PHPUnit\Framework\TestCase;
use RuntimeException;
use Till\Checkout\Testing\Demo;
use Till\Checkout\Till;

final class DemoTest extends TestCase
{
    public function testItRunsUntilItIsStopped(): void
    {
        $demo = Demo::start();
        self::assertTrue(self::responds($demo->baseUrl));
        self::assertStringStartsWith('sandbox_', $demo->sandbox->clientId);
        self::assertStringStartsWith('live_', $demo->live->clientId);
        $demo->stop();
        self::assertFalse(self::responds($demo->baseUrl));
    }

    public function testItEndsWithAProcessThatIsKilled(): void
    {
        $script = 'require $argv[1]; $demo = Till\Checkout\Testing\Demo::start();'
            . ' echo "$demo->baseUrl\n"; sleep(60);';
        $command = [PHP_BINARY, '-r', $script, '--', __DIR__ . '/bootstrap.php'];
        $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        $baseUrl = trim(fgets($pipes[1]));
        self::assertTrue(self::responds($baseUrl));
        proc_terminate($process, 9);

        $deadline = microtime(true) + 10;
        while (self::responds($baseUrl) && microtime(true) < $deadline) {
            usleep(20_000);
        }
        self::assertFalse(self::responds($baseUrl));
    }

    public function testAProgramThatDoesNotStartIsAnError(): void
    {
        foreach (['/no/such/program', '/bin/false'] as $binary) {
            try {
                Demo::start($binary);
                self::fail('started');
            } catch (RuntimeException $exception) {
                self::assertStringContainsString($binary, $exception->getMessage());
            }
        }
    }

    public function testTheVersionIsThatOfThePackage(): void
    {
        $package = json_decode(file_get_contents(__DIR__ . '/../composer.json'), true);
        self::assertSame($package['version'], Till::VERSION);
    }

    private static function responds(string $baseUrl): bool
    {
        return @file_get_contents("$baseUrl/openapi.json") !== false;
    }
}
