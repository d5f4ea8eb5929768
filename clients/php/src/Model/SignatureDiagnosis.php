<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use SensitiveParameter;
use Till\Checkout\Internal\Fields;

/**
 * A mistake in a signature.
 */
final class SignatureDiagnosis
{
    /**
     * @param string $code A code that does not change.
     * @param string $says What is wrong, and what to do.
     * @param ?string $clientId The client id of the pair whose secret was used, if another secret of
     *     yours was.
     */
    public function __construct(
        public readonly string $code,
        public readonly string $says,
        public readonly ?string $clientId = null,
    ) {
    }

    /** @param array<mixed> $data */
    public static function fromArray(#[SensitiveParameter] array $data): self
    {
        $fields = new Fields($data);
        return new self(
            code: $fields->string('code'),
            says: $fields->string('says'),
            clientId: $fields->optionalString('client_id'),
        );
    }
}
