<?php

declare(strict_types=1);

namespace Till\Checkout\Testing;

use RuntimeException;

/**
 * A disposable Till for tests: a real service on a free port, whose store is deleted when it stops.
 *
 * It stops with `stop()`, when the object is destroyed, and when this process ends, even if it is killed.
 */
final class Demo
{
    public readonly string $baseUrl;
    /** The sandbox credentials of the demo's vendor. */
    public readonly Credentials $sandbox;
    /** The live credentials of another vendor, whose payments go to a simulated bank. */
    public readonly Credentials $live;

    /** @var resource */
    private $process;
    /** @var resource */
    private $watchdog;
    /** @var resource The standard input of the watchdog. */
    private $watchdogInput;

    private function __construct(string $binary, float $timeout)
    {
        $errors = tmpfile() ?: throw new RuntimeException('No temporary file can be created.');
        [$this->process, $output] = self::startService($binary, $errors);
        [$this->watchdog, $this->watchdogInput] = self::startWatchdog(proc_get_status($this->process)['pid']);
        $ready = json_decode(self::readLine($output, $timeout), true);
        if (!is_array($ready)) {
            $this->stop();
            rewind($errors);
            throw new RuntimeException("$binary is not ready: " . stream_get_contents($errors));
        }
        $this->baseUrl = $ready['base_url'];
        $this->sandbox = self::credentials($ready['vendor']['sandbox']);
        $this->live = self::credentials($ready['live_vendor']['live']);
    }

    /**
     * Starts a service and waits until it is ready.
     *
     * @param ?string $binary The program; else the one that TILL_BINARY names, else `till` on the PATH.
     * @param float $timeout Seconds until it must be ready.
     */
    public static function start(?string $binary = null, float $timeout = 20.0): self
    {
        return new self($binary ?? (getenv('TILL_BINARY') ?: 'till'), $timeout);
    }

    public function stop(): void
    {
        if (!is_resource($this->process)) {
            return;
        }
        // The watchdog first: the id of an ended process may be given to another.
        proc_terminate($this->watchdog);
        fclose($this->watchdogInput);
        proc_close($this->watchdog);
        proc_terminate($this->process);
        proc_close($this->process);
    }

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * @param resource $errors
     * @return array{resource, resource} The process and its standard output.
     */
    private static function startService(string $binary, $errors): array
    {
        $command = [$binary, 'demo', '--ephemeral', '--port', '0', '--json'];
        // Settings of another Till must not reach the demo.
        $isOther = static fn (string $name): bool => !str_starts_with($name, 'TILL_');
        $environment = array_filter(getenv(), $isOther, ARRAY_FILTER_USE_KEY);
        $descriptors = [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors];
        $process = @proc_open($command, $descriptors, $pipes, null, $environment);
        if ($process === false) {
            throw new RuntimeException("$binary cannot be started.");
        }
        return [$process, $pipes[1]];
    }

    /**
     * Starts a process that ends the service when this process has ended: then its standard input is closed.
     *
     * @return array{resource, resource} The process and its standard input.
     */
    private static function startWatchdog(int $pid): array
    {
        $command = ['sh', '-c', 'read -r _; kill "$1"', 'watchdog', (string) $pid];
        $descriptors = [['pipe', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']];
        $process = proc_open($command, $descriptors, $pipes);
        if ($process === false) {
            throw new RuntimeException('sh cannot be started.');
        }
        return [$process, $pipes[0]];
    }

    /** @param array{client_id: string, client_secret: string} $pair */
    private static function credentials(array $pair): Credentials
    {
        return new Credentials($pair['client_id'], $pair['client_secret']);
    }

    /**
     * What arrives until the end of a line, of the stream or of the time.
     *
     * @param resource $stream
     */
    private static function readLine($stream, float $timeout): string
    {
        stream_set_blocking($stream, false);
        $line = '';
        $deadline = microtime(true) + $timeout;
        while (!str_ends_with($line, "\n") && !feof($stream) && microtime(true) < $deadline) {
            $read = [$stream];
            $none = null;
            stream_select($read, $none, $none, 0, 100_000);
            $line .= fgets($stream);
        }
        return $line;
    }
}
