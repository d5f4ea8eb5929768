<?php

declare(strict_types=1);

namespace Till\Checkout\Testing;

use DateInterval;
use DateTimeImmutable;
use DateTimeInterface;
use LogicException;
use RuntimeException;
use Till\Checkout\Internal\Times;

/**
 * A disposable Till for tests: a real service whose store is deleted when it stops.
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
    private readonly ?ManualClock $clock;

    /** @param list<string> $arguments */
    private function __construct(string $binary, array $arguments, float $timeout)
    {
        $errors = tmpfile() ?: throw new RuntimeException('No temporary file can be created.');
        [$this->process, $output] = self::startService([$binary, ...$arguments], $errors);
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
        $this->clock = isset($ready['clock_url']) ? new ManualClock($ready['clock_url']) : null;
    }

    /**
     * Starts a service and waits until it is ready.
     *
     * @param ?string $binary The program; else the one that TILL_BINARY names, else `till` on the PATH.
     * @param float $timeout Seconds until it must be ready.
     * @param int $port The port to listen on; 0 for a free one.
     * @param ?int $seed Makes every id and secret the same in every run with this seed.
     * @param ?string $clock With 'manual', time stands still until `advance()` moves it.
     * @param ?DateTimeInterface $clockStart When a manual clock starts; else at 2026-01-01 00:00 UTC.
     */
    public static function start(
        ?string $binary = null,
        float $timeout = 20.0,
        int $port = 0,
        ?int $seed = null,
        ?string $clock = null,
        ?DateTimeInterface $clockStart = null,
    ): self {
        $options = ['--seed' => $seed, '--clock' => $clock, '--clock-start' => Times::format($clockStart)];
        $arguments = ['demo', '--ephemeral', '--json', '--port', (string) $port];
        foreach (array_filter($options, static fn ($value) => $value !== null) as $name => $value) {
            array_push($arguments, $name, (string) $value);
        }
        return new self($binary ?? (getenv('TILL_BINARY') ?: 'till'), $arguments, $timeout);
    }

    /** The time of the manual clock: pass `now()->getTimestamp()` as `now` to `CallbackVerifier::verify()`. */
    public function now(): DateTimeImmutable
    {
        return $this->manualClock()->now();
    }

    /**
     * Moves the manual clock forward, and returns its new time.
     *
     * Everything that becomes due on the way happens at its own time before this returns: sessions expire,
     * callbacks are sent and retried, refunds end.
     */
    public function advance(DateInterval $duration): DateTimeImmutable
    {
        $now = $this->now();
        $milliseconds = static fn (DateTimeImmutable $time): int => (int) $time->format('Uv');
        return $this->manualClock()->advance($milliseconds($now->add($duration)) - $milliseconds($now));
    }

    /** Does what is due now, such as sending the callback after `simulate`, and waits until it is done. */
    public function runDue(): DateTimeImmutable
    {
        return $this->manualClock()->advance(0);
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

    private function manualClock(): ManualClock
    {
        $advice = "The demo has no manual clock: start it with Demo::start(clock: 'manual').";
        return $this->clock ?? throw new LogicException($advice);
    }

    /**
     * @param list<string> $command
     * @param resource $errors
     * @return array{resource, resource} The process and its standard output.
     */
    private static function startService(array $command, $errors): array
    {
        // Settings of another Till must not reach the demo.
        $isOther = static fn (string $name): bool => !str_starts_with($name, 'TILL_');
        $environment = array_filter(getenv(), $isOther, ARRAY_FILTER_USE_KEY);
        $descriptors = [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors];
        $process = @proc_open($command, $descriptors, $pipes, null, $environment);
        if ($process === false) {
            throw new RuntimeException("$command[0] cannot be started.");
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
