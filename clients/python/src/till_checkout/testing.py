"""A real Till for your automated tests: a disposable demo with sandbox and live credentials."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from till_checkout._clock import ManualClock, advance_clock, encode_start, read_clock
from till_checkout._operations import Environment
from till_checkout.async_client import AsyncTill
from till_checkout.client import Till

# Stops the demo when standard input closes, which also happens when the process that holds it dies.
GUARD = '"$@" </dev/null & exec >&-; read -r _; kill $!; wait $!'
STOP_TIMEOUT = 30.0


@dataclass(frozen=True)
class Credentials:
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True)
class TillDemo:
    """A running demo. No money moves, not even in live, where a simulated bank responds."""

    base_url: str
    sandbox: Credentials
    """The sandbox credentials of the demo's vendor."""

    live: Credentials
    """The live credentials of another vendor, whose payments go to a simulated bank."""

    clock_url: str | None = None
    """The URL of the manual clock; None if time passes as usual."""

    def client(self, environment: Environment = "sandbox") -> Till:
        """A client with the demo's credentials."""
        pair = self._credentials(environment)
        return Till(self.base_url, pair.client_id, pair.client_secret, environment=environment)

    def async_client(self, environment: Environment = "sandbox") -> AsyncTill:
        """A client with the demo's credentials, for asyncio."""
        pair = self._credentials(environment)
        return AsyncTill(self.base_url, pair.client_id, pair.client_secret, environment=environment)

    def now(self) -> datetime:
        """The time of the manual clock: pass `now().timestamp()` as `now` to `verify_callback`."""
        return self._clock().send(read_clock())

    def advance(self, duration: timedelta) -> datetime:
        """Moves the manual clock forward, and returns its new time.

        Everything that becomes due on the way happens at its own time before this returns: sessions expire,
        callbacks are sent and retried, refunds end.
        """
        return self._clock().send(advance_clock(duration))

    def run_due(self) -> datetime:
        """Does what is due now, such as sending the callback after `simulate`, and waits until it is done."""
        return self.advance(timedelta())

    async def async_now(self) -> datetime:
        """`now` for asyncio."""
        return await self._clock().send_async(read_clock())

    async def async_advance(self, duration: timedelta) -> datetime:
        """`advance` for asyncio, which lets an endpoint in the same event loop receive callbacks."""
        return await self._clock().send_async(advance_clock(duration))

    async def async_run_due(self) -> datetime:
        """`run_due` for asyncio."""
        return await self.async_advance(timedelta())

    def _clock(self) -> ManualClock:
        if self.clock_url is None:
            raise RuntimeError('the demo has no manual clock: start it with till_demo(clock="manual")')
        return ManualClock(self.clock_url)

    def _credentials(self, environment: Environment) -> Credentials:
        return self.sandbox if environment == "sandbox" else self.live


@contextmanager
def till_demo(
    binary: str | None = None,
    *,
    timeout: float = 30.0,
    port: int = 0,
    seed: int | None = None,
    clock: Literal["manual"] | None = None,
    clock_start: datetime | None = None,
) -> Iterator[TillDemo]:
    """Starts a demo and stops it at the end, also if this process dies.

    `binary` is the path of Till; without it, the environment variable TILL_BINARY, else `till` on the PATH.
    `timeout` is how many seconds the start may take. `port` is the port to listen on, 0 for a free one.

    With `seed`, every id and secret is the same in every run with that seed. With `clock="manual"`, time
    stands still until `advance` moves it; it starts at `clock_start`, or at 2026-01-01 00:00 UTC.
    """
    program = binary or os.environ.get("TILL_BINARY") or "till"
    demo = [program, "demo", "--ephemeral", "--json", "--port", str(port)]
    demo += [] if seed is None else ["--seed", str(seed)]
    demo += [] if clock is None else ["--clock", clock]
    demo += [] if clock_start is None else ["--clock-start", encode_start(clock_start)]
    # Settings of another Till must not reach the demo.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILL_")}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "till-demo", *demo],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
        try:
            line = _first_line(process, timeout)
            if not line:
                log.seek(0)
                said = log.read().decode(errors="replace").strip()
                raise RuntimeError(f"{program} did not start: {said}")
            yield _read(line)
        finally:
            _stop(process)


def _first_line(process: subprocess.Popen[bytes], timeout: float) -> bytes:
    """The line that the demo prints when it is ready; empty if it ends or takes too long."""
    assert process.stdin
    assert process.stdout
    timer = threading.Timer(timeout, process.stdin.close)
    timer.start()
    try:
        return process.stdout.readline()
    finally:
        timer.cancel()


def _read(line: bytes) -> TillDemo:
    facts = json.loads(line)
    return TillDemo(
        base_url=facts["base_url"],
        sandbox=Credentials(**facts["vendor"]["sandbox"]),
        live=Credentials(**facts["live_vendor"]["live"]),
        clock_url=facts.get("clock_url"),
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    assert process.stdout
    process.stdin.close()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    process.stdout.close()
