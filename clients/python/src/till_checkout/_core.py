"""What the two clients share: settings, the token cache, and requests. Does no I/O."""

from __future__ import annotations

from typing import TypedDict, TypeVar

import httpx

from till_checkout._operations import Environment, Operation, Operations
from till_checkout._tokens import TokenCache
from till_checkout.errors import TillConnectionError
from till_checkout.retries import Attempts, RetryPolicy
from till_checkout.types import AccessToken, TokenRequest

T = TypeVar("T")
DEFAULT_TIMEOUT = 30.0


class _SendOptions(TypedDict):
    auth: None
    follow_redirects: bool


# Whatever the settings of the caller's HTTP client are: Till does not redirect, credentials must not follow a
# redirect, and the token is not replaced by other credentials.
SEND_OPTIONS = _SendOptions(auth=None, follow_redirects=False)


class Core:
    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        environment: Environment,
        timeout: float,
        retries: RetryPolicy | None,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must start with https:// or http://")
        if "@" in base_url:
            raise ValueError("base_url must not contain credentials")
        if not (client_id and client_secret):
            raise ValueError("client_id and client_secret must not be empty")
        self.operations = Operations(environment)
        self.tokens = TokenCache()
        self._base_url = base_url.rstrip("/")
        self._credentials = TokenRequest(client_id=client_id, client_secret=client_secret)
        self._timeout = timeout
        self._retries = retries or RetryPolicy()

    def obtain_token(self) -> Operation[AccessToken]:
        return self.operations.obtain_token(self._credentials)

    def attempts(self, operation: Operation[T]) -> Attempts:
        return Attempts(self._retries, repeatable=operation.repeatable)

    def request(
        self, http: httpx.Client | httpx.AsyncClient, operation: Operation[T], token: str | None
    ) -> httpx.Request:
        return http.build_request(
            operation.method,
            self._base_url + operation.path,
            params=operation.query or None,
            content=operation.body,
            headers=operation.headers(token),
            timeout=self._timeout + operation.waits,
        )


def connection_error(error: httpx.RequestError) -> TillConnectionError:
    return TillConnectionError(f"no response from Till: {str(error) or type(error).__name__}")
