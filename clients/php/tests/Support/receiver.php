<?php

// Accepts every callback and writes it to the file argv[1].

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

require __DIR__ . '/http.php';

serve(static function ($connection) use ($argv): void {
    $request = readMessage($connection);
    if ($request !== null) {
        file_put_contents($argv[1], json_encode($request) . "\n", FILE_APPEND);
        fwrite($connection, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    }
});
