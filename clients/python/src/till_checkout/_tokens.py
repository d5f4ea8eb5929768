"""The cache of the access token. Times are of the monotonic clock."""

from __future__ import annotations

from till_checkout.types import AccessToken

# Seconds before its end at which a token is replaced, so that it does not expire on the way.
MARGIN = 60.0


class TokenCache:
    def __init__(self) -> None:
        self._token: str | None = None
        self._usable_until = 0.0

    def get(self, now: float) -> str | None:
        return self._token if now < self._usable_until else None

    def put(self, token: AccessToken, requested_at: float) -> str:
        self._usable_until = requested_at + token.expires_in - min(MARGIN, token.expires_in / 10)
        self._token = token.access_token
        return token.access_token

    def discard(self, token: str | None) -> None:
        """Forgets a token that Till refused, unless another caller has replaced it already."""
        if self._token == token:
            self._token = None
