"""The helper that starts a demo."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import httpx
import pytest

from till_checkout.testing import till_demo


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/openapi.json", timeout=5).is_success
    except httpx.TransportError:
        return False


def test_it_starts_and_stops() -> None:
    with till_demo(os.environ["TILL_BINARY"]) as demo:
        assert is_up(demo.base_url)
        assert demo.sandbox.client_secret not in repr(demo)
        assert demo.sandbox.client_id.startswith("sandbox_")
        assert demo.live.client_id.startswith("live_")
    assert not is_up(demo.base_url)


def test_it_stops_when_the_test_process_is_killed() -> None:
    program = (
        "from till_checkout.testing import till_demo\n"
        "import time\n"
        "with till_demo() as demo:\n"
        "    print(demo.base_url, flush=True)\n"
        "    time.sleep(60)\n"
    )
    path = os.pathsep.join(each for each in sys.path if each)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        assert process.stdout
        url = process.stdout.readline().decode().strip()
        assert is_up(url)
        process.kill()
    deadline = time.monotonic() + 10
    while is_up(url):
        assert time.monotonic() < deadline, "the demo still runs"
        time.sleep(0.02)


def test_settings_of_another_till_do_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILL_LISTEN", "not an address")
    monkeypatch.setenv("TILL_TOKEN_LIFETIME", "not a time")
    with till_demo() as demo:
        assert is_up(demo.base_url)


def test_a_missing_program_is_an_error() -> None:
    with (
        pytest.raises(RuntimeError, match=r"no-such-till did not start.*not found"),
        till_demo("no-such-till"),
    ):
        pass


def test_a_program_that_ends_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="false did not start"), till_demo("false"):
        pass
