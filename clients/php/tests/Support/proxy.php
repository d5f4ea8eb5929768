<?php

// Forwards requests to the service at argv[1] and writes them to the file argv[2]. The file argv[3] lists what
// goes wrong.

declare(strict_types=1);

namespace Till\Checkout\Tests\Support;

require __DIR__ . '/http.php';

[, $upstream, $log, $plan] = $argv;

/** Takes the next fault that is planned for a request. */
$takeFault = static function (string $start) use ($plan): ?array {
    $faults = json_decode(file_get_contents($plan), true);
    foreach ($faults as $index => $fault) {
        if (preg_match($fault['request'], $start) === 1) {
            unset($faults[$index]);
            file_put_contents($plan, json_encode($faults));
            return $fault;
        }
    }
    return null;
};

serve(static function ($connection) use ($upstream, $log, $takeFault): void {
    $request = readMessage($connection);
    if ($request === null) {
        return;
    }
    file_put_contents($log, json_encode($request) . "\n", FILE_APPEND);
    $fault = $takeFault($request['start']);
    if (isset($fault['response'])) {
        fwrite($connection, $fault['response']);
        return;
    }
    $service = stream_socket_client("tcp://$upstream");
    fwrite($service, preg_replace('/\r\n/', "\r\nConnection: close\r\n", $request['raw'], 1));
    $response = stream_get_contents($service);
    match ($fault['kind'] ?? 'none') {
        'none' => fwrite($connection, $response),
        'lost' => null,
        'slow' => fread($connection, 1), // until the client gives up
    };
});
