<?php

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

use RuntimeException;

/** One of the servers in this folder, in a process of its own. It ends with the tests. */
final class Server
{
    public readonly string $address;
    private readonly string $log;
    private readonly string $plan;
    /** @var resource */
    private $process;
    /** @var array<resource> */
    private array $pipes = [];

    private function __construct(string $script, string ...$arguments)
    {
        $this->log = tempnam(sys_get_temp_dir(), 'till-log');
        $this->plan = tempnam(sys_get_temp_dir(), 'till-plan');
        file_put_contents($this->plan, '[]');
        $command = [PHP_BINARY, __DIR__ . "/$script", ...$arguments, $this->log, $this->plan];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        $this->address = '127.0.0.1:' . trim(fgets($this->pipes[1]));
    }

    /** In front of a service: counts requests and lets some go wrong. */
    public static function proxy(string $baseUrl): self
    {
        return new self('proxy.php', substr($baseUrl, strlen('http://')));
    }

    /** Accepts callbacks. */
    public static function receiver(): self
    {
        return new self('receiver.php');
    }

    /** The service acts, but its response does not arrive. */
    public function loseResponse(string $request): void
    {
        $this->plan(['request' => $request, 'kind' => 'lost']);
    }

    /** The service acts, but its response does not arrive in time. */
    public function delayResponse(string $request): void
    {
        $this->plan(['request' => $request, 'kind' => 'slow']);
    }

    /** The service does not get the request. */
    public function respond(string $request, int $status, string $header = 'X-Test: 1', string $body = ''): void
    {
        $head = ["HTTP/1.1 $status Test", $header, 'Content-Length: ' . strlen($body), 'Connection: close'];
        $this->plan(['request' => $request, 'response' => implode("\r\n", [...$head, '', $body])]);
    }

    /** @return list<array{start: string, headers: array<string, string>, body: string}> */
    public function requests(string $pattern = '//'): array
    {
        $requests = array_map(static fn (string $line) => json_decode($line, true), file($this->log));
        $matches = static fn (array $request) => preg_match($pattern, $request['start']) === 1;
        return array_values(array_filter($requests, $matches));
    }

    /**
     * Waits for a request.
     *
     * @return array{start: string, headers: array<string, string>, body: string}
     */
    public function await(float $timeout = 10.0): array
    {
        for ($end = microtime(true) + $timeout; microtime(true) < $end; usleep(10_000)) {
            $requests = $this->requests();
            if ($requests !== []) {
                return $requests[0];
            }
        }
        throw new RuntimeException('No request arrived.');
    }

    public function __destruct()
    {
        array_map(fclose(...), $this->pipes);
        proc_terminate($this->process);
        proc_close($this->process);
        unlink($this->log);
        unlink($this->plan);
    }

    /** @param array<string, string> $fault */
    private function plan(array $fault): void
    {
        $faults = json_decode(file_get_contents($this->plan), true);
        file_put_contents($this->plan, json_encode([...$faults, $fault]));
    }
}
