from __future__ import annotations

import asyncio
import traceback
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from proxy import Proxy, respond, send_revoked_token
from till_checkout import AsyncTill, RetryPolicy, Till, TillApiError, TillConnectionError
from till_checkout._tokens import MARGIN, TokenCache
from till_checkout.testing import TillDemo
from till_checkout.types import AccessToken


def test_one_token_serves_all_calls(till: Till, proxy: Proxy) -> None:
    for _ in range(3):
        till.sessions.list()
    assert proxy.count("POST", "/tokens") == 1
    assert proxy.count("GET", "/checkout-session") == 3


def test_threads_obtain_one_token(demo: TillDemo, proxy: Proxy) -> None:
    pair = demo.sandbox
    till = Till(proxy.url, pair.client_id, pair.client_secret, environment="sandbox")
    with till, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: till.sessions.list(), range(16)))
    assert proxy.count("POST", "/tokens") == 1


def test_tasks_obtain_one_token(demo: TillDemo, proxy: Proxy) -> None:
    async def run() -> None:
        pair = demo.sandbox
        async with AsyncTill(proxy.url, pair.client_id, pair.client_secret, environment="sandbox") as till:
            await asyncio.gather(*(till.sessions.list() for _ in range(16)))

    asyncio.run(run())
    assert proxy.count("POST", "/tokens") == 1


def test_a_revoked_token_is_replaced_once(till: Till, proxy: Proxy) -> None:
    till.sessions.list()
    proxy.on("GET", "/checkout-session", send_revoked_token)
    till.sessions.list()
    assert proxy.count("POST", "/tokens") == 2
    assert proxy.count("GET", "/checkout-session") == 3


def test_a_token_that_is_refused_again_is_an_error(till: Till, proxy: Proxy) -> None:
    proxy.on("GET", "/checkout-session", send_revoked_token, send_revoked_token)
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert (caught.value.status, caught.value.code) == (401, "invalid_token")
    assert proxy.count("GET", "/checkout-session") == 2


def test_a_token_is_replaced_shortly_before_it_expires() -> None:
    cache = TokenCache()
    cache.put(AccessToken(access_token="one", token_type="Bearer", expires_in=3600), requested_at=1000)
    assert cache.get(1000 + 3600 - MARGIN - 1) == "one"
    assert cache.get(1000 + 3600 - MARGIN) is None


def test_a_newer_token_is_not_discarded() -> None:
    cache = TokenCache()
    cache.put(AccessToken(access_token="new", token_type="Bearer", expires_in=3600), requested_at=1000)
    cache.discard("old")
    assert cache.get(1000) == "new"


def test_a_401_that_is_not_from_till_is_an_error_at_once(till: Till, proxy: Proxy) -> None:
    proxy.on("GET", "/checkout-session", respond(401))
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert caught.value.code == "unexpected_response"
    assert proxy.count("GET", "/checkout-session") == 1


def test_credentials_do_not_follow_a_redirect(demo: TillDemo, proxy: Proxy) -> None:
    with Proxy(demo.base_url) as other, httpx.Client(follow_redirects=True, auth=("user", "hidden")) as http:
        proxy.on("POST", "/tokens", respond(307, Location=f"{other.url}/api/sandbox/vendor/tokens"))
        pair = demo.sandbox
        till = Till(proxy.url, pair.client_id, pair.client_secret, environment="sandbox", http_client=http)
        with pytest.raises(TillApiError) as caught:
            till.sessions.list()
        assert caught.value.status == 307
        assert other.requests == []
        till.sessions.list()
    assert proxy.requests[-1].headers["Authorization"].startswith("Bearer ")


def test_nothing_that_is_printed_shows_a_secret_or_a_token(demo: TillDemo) -> None:
    pair = demo.sandbox
    till = Till(demo.base_url, pair.client_id, pair.client_secret, environment="sandbox")
    with till:
        page = till.sessions.list()
        token = till._run(till._core.obtain_token())
        with pytest.raises(TillApiError) as unknown:
            till.sessions.retrieve("unknown")
        till._core._base_url = "http://127.0.0.1:1"
        till._core._retries = RetryPolicy(max_retries=0)
        with pytest.raises(TillConnectionError) as unreachable:
            till.sessions.list()
    shown = [till, till._core, till._core.obtain_token(), till._core.tokens, token, page, demo, pair]
    texts = [
        format(each) for error in (unknown, unreachable) for each in traceback.format_exception(error.value)
    ]
    texts += [repr(each) + str(each) for each in [*shown, unknown.value, unreachable.value]]
    for text in texts:
        assert pair.client_secret not in text
        assert token.access_token not in text


def test_wrong_credentials_are_an_error(demo: TillDemo) -> None:
    till = Till(demo.base_url, demo.sandbox.client_id, "wrong", environment="sandbox")
    with till, pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert (caught.value.status, caught.value.code) == (401, "invalid_client")
