"""When a failed request is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from till_checkout.errors import TillApiError, TillConnectionError, TillError

RETRYABLE_STATUSES = frozenset({408, 429, 502, 503, 504})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how fast a request that is safe to repeat is sent again."""

    max_retries: int = 3
    first_delay: float = 0.5
    """Seconds before the first retry; each further delay is twice as long, and all are randomized."""
    max_delay: float = 8.0
    max_retry_after: float = 30.0
    """The longest `Retry-After` to wait for, in seconds; if Till asks for more, the error is raised."""

    def delay(self, retries: int) -> float:
        longest = min(self.max_delay, self.first_delay * 2.0**retries)
        return random.uniform(longest / 2, longest)


class Attempts:
    """Decides what follows the failed attempts of one request."""

    def __init__(self, policy: RetryPolicy, *, repeatable: bool) -> None:
        self._policy = policy
        self._repeatable = repeatable
        self._retries = 0
        self._token_renewed = False

    def renews_token(self, error: TillError) -> bool:
        """True, once, if the token is no longer valid. Till has not carried out such a request."""
        refused = isinstance(error, TillApiError) and (error.status, error.code) == (401, "invalid_token")
        renews = refused and not self._token_renewed
        self._token_renewed |= refused
        return renews

    def pause_after(self, error: TillError) -> float:
        """The seconds to wait before the next attempt. Raises the error if there is none."""
        if not (self._repeatable and self._retries < self._policy.max_retries and _is_temporary(error)):
            raise error
        pause = self._policy.delay(self._retries)
        if isinstance(error, TillApiError) and error.retry_after is not None:
            if error.retry_after > self._policy.max_retry_after:
                raise error
            pause = max(pause, error.retry_after)
        self._retries += 1
        return pause


def _is_temporary(error: TillError) -> bool:
    if isinstance(error, TillApiError):
        in_progress = (error.status, error.code) == (409, "idempotency_in_progress")
        return in_progress or error.status in RETRYABLE_STATUSES
    return isinstance(error, TillConnectionError)
