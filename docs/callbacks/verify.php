<?php

function verify(string $secret, string $rawBody, ?string $xSignature): bool
{
    return $secret !== '' && hash_equals(hash_hmac('sha256', $rawBody, $secret), $xSignature ?? '');
}
