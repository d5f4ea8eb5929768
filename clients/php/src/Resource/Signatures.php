<?php

declare(strict_types=1);

namespace Till\Checkout\Resource;

use LogicException;
use Till\Checkout\Environment;
use Till\Checkout\Internal\Api;
use Till\Checkout\Model\CheckSignature;
use Till\Checkout\Model\SignatureVerdict;

/** Finds the mistake in your own verification. Only in the sandbox. */
final class Signatures
{
    /** @internal */
    public function __construct(private readonly Api $api, private readonly Environment $environment)
    {
    }

    /**
     * Whether a signature is right and, if not, which mistake leads to it. Till keeps nothing of it.
     *
     * @param string $body The raw body of a callback, as your server received it.
     * @param string $signature What your code computed over it.
     */
    public function check(string $body, string $signature): SignatureVerdict
    {
        if ($this->environment !== Environment::Sandbox) {
            throw new LogicException('Signatures can be checked only in the sandbox.');
        }
        // In base64, no byte of the body can change on the way.
        $asked = new CheckSignature(base64_encode($body), $signature, 'base64');
        $path = $this->environment->apiPath() . '/signature-checks';
        return SignatureVerdict::fromArray($this->api->post($path, $asked, repeatable: true));
    }
}
