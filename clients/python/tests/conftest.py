"""One demo for all tests. A test that takes `till` runs with the synchronous and the asynchronous client."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from blocking import Blocking
from proxy import Proxy
from receiver import Receiver
from till_checkout import AsyncTill, RetryPolicy, Till
from till_checkout.testing import TillDemo, till_demo

FAST = RetryPolicy(first_delay=0.01)
CERTIFICATES = httpx.create_ssl_context()  # read once, because that takes time


@pytest.fixture(scope="session")
def demo() -> Iterator[TillDemo]:
    with till_demo() as demo:
        yield demo


@pytest.fixture
def proxy(demo: TillDemo) -> Iterator[Proxy]:
    with Proxy(demo.base_url) as proxy:
        yield proxy


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(params=["sync", "async"])
def till(request: pytest.FixtureRequest, demo: TillDemo, proxy: Proxy) -> Iterator[Till]:
    """A client for the sandbox, which connects through the proxy."""
    arguments = (proxy.url, demo.sandbox.client_id, demo.sandbox.client_secret)
    if request.param == "sync":
        with httpx.Client(verify=CERTIFICATES) as http:
            yield Till(*arguments, environment="sandbox", retries=FAST, http_client=http)
    else:
        async_http = httpx.AsyncClient(verify=CERTIFICATES)
        till = AsyncTill(*arguments, environment="sandbox", retries=FAST, http_client=async_http)
        with Blocking(till, async_http) as blocking:
            yield blocking.as_till()
