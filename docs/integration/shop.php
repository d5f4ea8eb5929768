<?php

// A shop in one file: an order, its payment, and the callback that confirms it.

$names = ['TILL_API', 'TILL_SESSIONS', 'TILL_CLIENT_ID', 'TILL_CLIENT_SECRET', 'SHOP_URL'];
[$api, $sessions, $clientId, $secret, $shop] = array_map(getenv(...), $names);

function verify(string $secret, string $rawBody, ?string $xSignature): bool
{
    return $secret !== '' && hash_equals(hash_hmac('sha256', $rawBody, $secret), $xSignature ?? '');
}

// Changes the order. In your shop: a transaction of its database.
function change(callable $change): array
{
    flock($file = fopen(getenv('SHOP_ORDER'), 'r+'), LOCK_EX);
    $order = $change(json_decode(stream_get_contents($file), true));
    ftruncate($file, 0) && rewind($file) && fwrite($file, json_encode($order));
    return $order;
}

// Responds to a callback: PHP's web server runs this file for each request.
if (PHP_SAPI === 'cli-server') {
    $rawBody = file_get_contents('php://input');
    if (!verify($secret, $rawBody, $_SERVER['HTTP_X_SIGNATURE'] ?? null)) {
        file_put_contents('php://stderr', "refused: the signature is wrong\n");
        return http_response_code(401);
    }
    $event = json_decode($rawBody, true);
    if (!in_array($event['event'], ['session.paid', 'session.failed', 'session.expired'], true)) {
        return http_response_code(204); // unknown to this shop, or a test.ping
    }
    change(function ($order) use ($event) {
        // A callback can arrive before the response to the create: then take the session from it.
        if ([$event['orderId'], $event['sessionId']] !== [$order['id'], $order['session'] ?? $event['sessionId']]) {
            file_put_contents('php://stderr', "not a pending order, needs review: $event[eventId]\n");
        } elseif (!in_array($event['eventId'], $order['seen'], true)) {
            $right = [$event['price'], $event['currency']] === [$order['price'], $order['currency']];
            $order['told'] = $right ? $event['status'] : 'refused: this is not what was ordered';
            [$order['session'], $order['seen'][]] = [$event['sessionId'], $event['eventId']];
            file_put_contents('php://stdout', "callback: $order[told]\n");
        }
        return $order;
    });
    return http_response_code(204);
}

function call(string $url, array $headers = [], ?array $body = null): array
{
    $request = ['method' => $body ? 'POST' : 'GET', 'content' => $body ? json_encode($body) : '', 'timeout' => 30];
    $request['header'] = ['Content-Type: application/json', ...$headers];
    return json_decode(file_get_contents($url, false, stream_context_create(['http' => $request])) ?: exit(1), true);
}

$order = ['id' => 'A-' . bin2hex(random_bytes(8)), 'price' => '49.90', 'currency' => 'EUR', 'seen' => []];
$cart = 'C-77';
putenv('SHOP_ORDER=' . $file = tempnam(sys_get_temp_dir(), 'shop'));
file_put_contents($file, json_encode($order));
$port = getenv('SHOP_PORT') ?: 3000;
$server = proc_open([PHP_BINARY, '-q', '-S', "0.0.0.0:$port", __FILE__], [], $pipes);
register_shutdown_function(fn() => proc_terminate($server) && unlink($file));
for (; !@fsockopen('127.0.0.1', $port); usleep(20_000));
$token = call("$api/tokens", [], ['client_id' => $clientId, 'client_secret' => $secret])['access_token'];
$auth = "Authorization: Bearer $token";
$session = call($sessions, [$auth, "Idempotency-Key: $order[id]"], [
    'product_name' => 'Atlas', 'price' => $order['price'], 'currency' => $order['currency'],
    'order_id' => $order['id'], 'metadata' => ['cart' => $cart], // comes back in status, lists and callbacks
    'callback_url' => "$shop/callbacks", 'return_url' => "$shop/thanks?order={ORDER_ID}",
]);
change(fn($order) => ['session' => $session['session_id']] + $order);
echo "pay at $session[session_url]\n";
if (str_contains($sessions, '/sandbox/')) { // in the sandbox, simulate the payment
    call("$sessions/$session[session_id]/simulate", [$auth], ['outcome' => 'paid']);
}
for (; !$told = change(fn($order) => $order)['told'] ?? null; usleep(20_000));
echo 'status: ', $status = call("$sessions/$session[session_id]", [$auth])['status'], "\n";
$listed = call("$sessions?order_id=$order[id]", [$auth])['sessions'];
echo 'cart: ', $carts = implode(' ', array_column(array_column($listed, 'metadata'), 'cart')), "\n";
exit($told === 'paid' && $status === 'paid' && $carts === $cart ? 0 : 1);
