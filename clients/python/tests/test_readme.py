"""Runs every program of README.md."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from werkzeug.serving import make_server

from orders import create_session
from ports import free_port
from readme import programs
from till_checkout.testing import TillDemo

PROGRAMS = programs()


@pytest.fixture
def environment(demo: TillDemo) -> dict[str, str]:
    return {
        "TILL_URL": demo.base_url,
        "TILL_CLIENT_ID": demo.sandbox.client_id,
        "TILL_CLIENT_SECRET": demo.sandbox.client_secret,
        "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
    }


def run(program: list[str], environment: dict[str, str]) -> str:
    result = subprocess.run(
        [sys.executable, *program], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_every_program_is_run_here() -> None:
    numbers = {heading: len(texts) for heading, texts in PROGRAMS.items()}
    assert numbers == {
        "Take a payment": 2,
        "Verify a callback": 1,
        "Errors and retries": 1,
        "Test your shop": 2,
    }


def test_take_a_payment(environment: dict[str, str]) -> None:
    first, second = PROGRAMS["Take a payment"]
    output = run(["-c", first], environment)
    assert f"send the customer to {environment['TILL_URL']}/sandbox/session/" in output
    assert output.endswith("the session is paid\n")
    assert " paid " in run(["-c", second], environment)


def test_errors_and_retries(environment: dict[str, str]) -> None:
    output = run(["-c", PROGRAMS["Errors and retries"][0]], environment)
    assert output.startswith("422 invalid_request req_")
    assert "price too_many_decimals" in output


@pytest.mark.parametrize("text", PROGRAMS["Test your shop"])
def test_test_your_shop(text: str, environment: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "test_shop.py"
    program.write_text(text, "utf-8")
    environment["DEMO_PORT"] = str(free_port())
    assert "1 passed" in run(["-m", "pytest", "-q", "-p", "no:cacheprovider", str(program)], environment)


def test_verify_a_callback(
    environment: dict[str, str], demo: TillDemo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILL_CLIENT_SECRET", demo.sandbox.client_secret)
    shop: dict[str, Any] = {"__name__": "shop"}
    exec(PROGRAMS["Verify a callback"][0], shop)
    answered = threading.Event()
    responses = []

    @shop["app"].after_request  # type: ignore[untyped-decorator]
    def note(response: Any) -> Any:
        responses.append(response.status_code)
        answered.set()
        return response

    server = make_server("127.0.0.1", 0, shop["app"])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        with demo.client() as till:
            url = f"http://127.0.0.1:{server.port}/callbacks"
            session_id = create_session(till, "A-1001", callback_url=url).session_id
            till.sessions.simulate(session_id, outcome="paid")
            assert answered.wait(10)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert responses == [204]
    assert shop["orders"]["A-1001"]["paid"]
    forged = shop["app"].test_client().post("/callbacks", data=b"{}", headers={"X-Signature": "0" * 64})
    assert forged.status_code == 401
