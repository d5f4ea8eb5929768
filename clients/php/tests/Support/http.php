<?php

// Functions of the servers that tests run in processes of their own.

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

/**
 * Serves connections one after the other, until standard input is closed.
 *
 * @param callable(resource): void $serve
 */
function serve(callable $serve): void
{
    $server = stream_socket_server('tcp://127.0.0.1:0');
    echo substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";
    while (true) {
        $ready = [$server, STDIN];
        $none = null;
        stream_select($ready, $none, $none, null);
        if (in_array(STDIN, $ready, true)) {
            return;
        }
        $connection = stream_socket_accept($server);
        $serve($connection);
        is_resource($connection) && fclose($connection);
    }
}

/**
 * Reads a request or a response.
 *
 * @param resource $connection
 * @return ?array{start: string, headers: array<string, string>, body: string, raw: string}
 */
function readMessage($connection): ?array
{
    $raw = $start = (string) fgets($connection);
    $headers = [];
    while (($line = fgets($connection)) !== false) {
        $raw .= $line;
        if (rtrim($line) === '') {
            $length = (int) ($headers['content-length'] ?? 0);
            $body = $length > 0 ? (string) stream_get_contents($connection, $length) : '';
            return ['start' => rtrim($start), 'headers' => $headers, 'body' => $body, 'raw' => $raw . $body];
        }
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = trim($value);
    }
    return null;
}
