<?php

declare(strict_types=1);

namespace Till\Checkout\Tests;

use GuzzleHttp\Client;
use Till\Checkout\Model\Simulate;
use Till\Checkout\Tests\Support\ServiceTestCase;

/** Runs the programs that README.md shows, each in the file that its comment names. */
final class ReadmeTest extends ServiceTestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/till-readme-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/vendor", recursive: true);
        $bootstrap = var_export(__DIR__ . '/bootstrap.php', true);
        file_put_contents("$this->folder/vendor/autoload.php", "<?php require_once $bootstrap;");
        foreach (self::programs() as $name => $code) {
            file_put_contents("$this->folder/$name", $code);
        }
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), [...glob("$this->folder/*.php"), "$this->folder/vendor/autoload.php"]);
        rmdir("$this->folder/vendor");
        rmdir($this->folder);
    }

    public function testEveryProgramIsRunHere(): void
    {
        $run = ['till', 'pay', 'callbacks', 'fetch', 'orders', 'errors', 'CheckoutTest', 'ExpiryTest'];
        self::assertSame(array_map(static fn (string $name) => "$name.php", $run), array_keys(self::programs()));
    }

    public function testTheFirstPayment(): void
    {
        self::assertSame('', $this->output('pay.php'));
        self::assertSame('', $this->output('pay.php'), 'the same key returns the same session');
    }

    public function testOrders(): void
    {
        $output = $this->output('orders.php');
        self::assertMatchesRegularExpression('/^paid\n10\.00\nA-1002 49\.90 EUR\n(.*\n)*1\nexpired\n$/', $output);
    }

    public function testErrors(): void
    {
        self::assertStringStartsWith("422 invalid_request\nprice: ", $this->output('errors.php'));
    }

    public function testTheTests(): void
    {
        $options = ['--no-configuration', '--do-not-cache-result', '--bootstrap', 'vendor/autoload.php'];
        foreach (['CheckoutTest.php', 'ExpiryTest.php'] as $test) {
            $output = $this->execute(['phpunit', ...$options, $test]);
            self::assertStringContainsString('OK (1 test, 1 assertion)', $output);
        }
    }

    public function testCallbacksAreReceivedAndFetched(): void
    {
        $port = self::freePort();
        $command = [PHP_BINARY, '-S', "127.0.0.1:$port", 'callbacks.php'];
        $descriptors = [1 => ['pipe', 'w'], 2 => ['pipe', 'w']];
        $server = proc_open($command, $descriptors, $pipes, $this->folder, self::environment());
        try {
            self::assertStringContainsString('started', fgets($pipes[2]));
            $till = self::till();
            $session = $till->sessions->create(self::order(callbackUrl: "http://127.0.0.1:$port/"));
            $till->sessions->simulate($session->sessionId, new Simulate(outcome: 'paid'));
            self::assertStringEndsWith("order $session->orderId is paid\n", self::nextMessage($pipes[2]));
            (new Client(['http_errors' => false]))->post("http://127.0.0.1:$port/", ['body' => '{}']);
            self::assertStringEndsWith("callback refused: missing_signature\n", self::nextMessage($pipes[2]));
        } finally {
            proc_terminate($server);
            proc_close($server);
        }
        self::assertStringContainsString("session.paid $session->orderId\n", $this->output('fetch.php'));
    }

    /** @return array<string, string> */
    private static function programs(): array
    {
        preg_match_all('/^```php\n(<\?php\n\/\/ (\S+)\n.*?)^```$/ms', self::readme(), $matches);
        self::assertSame(substr_count(self::readme(), '```php'), count($matches[0]));
        return array_combine($matches[2], $matches[1]);
    }

    private static function readme(): string
    {
        return file_get_contents(__DIR__ . '/../README.md');
    }

    private function output(string $program): string
    {
        return $this->execute([PHP_BINARY, '-d', 'error_log=/dev/null', '-d', 'error_reporting=-1', $program]);
    }

    /** @param list<string> $command */
    private function execute(array $command): string
    {
        $descriptors = [1 => ['pipe', 'w'], 2 => STDERR];
        $process = proc_open($command, $descriptors, $pipes, $this->folder, self::environment());
        $output = stream_get_contents($pipes[1]);
        self::assertSame(0, proc_close($process), $output);
        return $output;
    }

    /** @return array<string, string> */
    private static function environment(): array
    {
        $settings = [
            'TILL_URL' => self::demo()->baseUrl,
            'TILL_CLIENT_ID' => self::demo()->sandbox->clientId,
            'TILL_CLIENT_SECRET' => self::demo()->sandbox->clientSecret,
            'DEMO_PORT' => (string) self::freePort(),
        ];
        return [...getenv(), ...$settings];
    }

    private static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $name = stream_socket_get_name($socket, false);
        fclose($socket);
        return (int) substr(strrchr($name, ':'), 1);
    }

    /**
     * The next line that the program wrote, without those of the web server.
     *
     * @param resource $stream
     */
    private static function nextMessage($stream): string
    {
        do {
            $ready = [$stream];
            $none = null;
            self::assertSame(1, stream_select($ready, $none, $none, 10), 'The program wrote nothing.');
            $line = (string) fgets($stream);
        } while (preg_match('/ (Accepted|Closing|\[\d+\]: .*)$/', rtrim($line)) === 1);
        return $line;
    }
}
