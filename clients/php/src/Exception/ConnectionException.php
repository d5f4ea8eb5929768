<?php

declare(strict_types=1);

namespace Till\Checkout\Exception;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Message\RequestInterface;
use RuntimeException;

/** No response: no connection, a timeout, or a connection that broke. The request may have had its effect. */
final class ConnectionException extends RuntimeException implements TillException
{
    /** @internal */
    public static function of(RequestInterface $request, ClientExceptionInterface $cause): self
    {
        $target = $request->getMethod() . ' ' . $request->getUri()->getPath();
        return new self("$target: {$cause->getMessage()}", previous: $cause);
    }
}
