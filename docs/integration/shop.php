<?php

// A shop in one file: an order, its payment, and the callback that says it is paid.

[$api, $sessions, $clientId, $secret, $shop, $store] = array_map(
    getenv(...),
    ['TILL_API', 'TILL_SESSIONS', 'TILL_CLIENT_ID', 'TILL_CLIENT_SECRET', 'SHOP_URL', 'SHOP_STORE']
);

function verify(string $secret, string $rawBody, ?string $xSignature): bool
{
    return $secret !== '' && hash_equals(hash_hmac('sha256', $rawBody, $secret), $xSignature ?? '');
}

// What a callback is answered: PHP's web server runs this file for each request.
if (PHP_SAPI === 'cli-server') {
    $rawBody = file_get_contents('php://input');
    if (!verify($secret, $rawBody, $_SERVER['HTTP_X_SIGNATURE'] ?? null)) {
        file_put_contents("$store/outcome", 'refused: the signature is wrong');
        return http_response_code(401);
    }
    $event = json_decode($rawBody, true);
    $order = json_decode(file_get_contents("$store/order"), true);
    $isNew = @fopen("$store/$event[eventId]", 'x'); // in your shop: a unique key of its database
    if ($isNew && $event['sessionId'] === $order['session']) {
        $asked = [$order['id'], $order['price'], $order['currency']];
        $right = [$event['orderId'], $event['price'], $event['currency']] === $asked;
        file_put_contents("$store/outcome", $right ? $event['status'] : 'refused: this is not what was ordered');
    }
    return http_response_code(204);
}

function call(string $url, array $headers = [], ?array $body = null): array
{
    $headers[] = 'Content-Type: application/json';
    $request = ['method' => $body ? 'POST' : 'GET', 'header' => $headers, 'timeout' => 30];
    $context = stream_context_create(['http' => $request + ['content' => $body ? json_encode($body) : '']]);
    return json_decode(file_get_contents($url, false, $context) ?: exit(1), true);
}

putenv('SHOP_STORE=' . $store = sys_get_temp_dir() . '/shop-' . bin2hex(random_bytes(8)));
mkdir($store, 0700);
['host' => $host, 'port' => $port] = parse_url($shop);
$server = proc_open([PHP_BINARY, '-q', '-S', "$host:$port", __FILE__], [], $pipes);
register_shutdown_function(function () use ($server, $store) {
    proc_terminate($server);
    array_map(unlink(...), glob("$store/*"));
    rmdir($store);
});
while (!@fsockopen($host, $port)) {
    usleep(20_000);
}

$order = ['id' => 'A-' . bin2hex(random_bytes(8)), 'price' => '49.90', 'currency' => 'EUR'];
$token = call("$api/tokens", [], ['client_id' => $clientId, 'client_secret' => $secret])['access_token'];
$auth = "Authorization: Bearer $token";
$session = call($sessions, [$auth, "Idempotency-Key: $order[id]"], [
    'product_name' => 'Atlas', 'price' => $order['price'], 'currency' => $order['currency'],
    'order_id' => $order['id'], 'callback_url' => "$shop/callbacks", 'return_url' => "$shop/thanks?order={ORDER_ID}",
]);
file_put_contents("$store/order", json_encode($order + ['session' => $session['session_id']]));
echo "pay at $session[session_url]\n";
if (str_contains($sessions, '/sandbox/')) { // nobody has to pay by hand in the sandbox
    call("$sessions/$session[session_id]/simulate", [$auth], ['outcome' => 'paid']);
}
while (!$outcome = @file_get_contents("$store/outcome")) {
    usleep(20_000);
}
echo "callback: $outcome\n";
$status = call("$sessions/$session[session_id]", [$auth])['status'];
echo "status: $status\n";
exit($outcome === 'paid' && $status === 'paid' ? 0 : 1);
