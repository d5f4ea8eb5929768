<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use Psr\Http\Message\RequestInterface;
use RuntimeException;
use SensitiveParameter;
use Throwable;

/** No response: no connection, a timeout, or a connection that broke. The request may have had its effect. */
final class ConnectionException extends RuntimeException implements TillException
{
    /**
     * The cause is not the previous exception: it has the request, and a dump of it would show the token.
     *
     * @internal
     */
    public static function of(
        #[SensitiveParameter] RequestInterface $request,
        #[SensitiveParameter] Throwable $cause,
    ): self {
        $target = $request->getMethod() . ' ' . $request->getUri()->getPath();
        return new self("$target: " . $cause::class . ": {$cause->getMessage()}");
    }
}
