<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

final class CheckSignature implements JsonSerializable
{
    /**
     * @param string $body The raw body of the callback, as your server received it.
     * @param string $signature The signature that your code computed, as it is written there.
     * @param 'utf8'|'base64'|null $bodyEncoding How body is written: utf8 if omitted, base64 for bytes
     *     that JSON cannot carry, such as a byte order mark that your editor hides.
     */
    public function __construct(
        public readonly string $body,
        public readonly string $signature,
        public readonly ?string $bodyEncoding = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'body' => $this->body,
            'signature' => $this->signature,
            'body_encoding' => $this->bodyEncoding,
        ], static fn (mixed $value) => $value !== null);
    }
}
