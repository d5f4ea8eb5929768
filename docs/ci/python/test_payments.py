"""The payments of the shop, with a real Till. Every run has the same ids, times and signatures."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from shop import Shop, serve
from till_checkout.testing import TillDemo, till_demo

DEMO_PORT = int(os.environ.get("DEMO_PORT", "8080"))
SHOP_PORT = int(os.environ.get("SHOP_PORT", "3000"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://127.0.0.1:{SHOP_PORT}")


@pytest.fixture(scope="module")
def demo() -> Iterator[TillDemo]:
    with till_demo(seed=7, clock="manual", port=DEMO_PORT) as demo:
        yield demo


@pytest.fixture
def shop(demo: TillDemo, tmp_path: Path) -> Iterator[Shop]:
    with demo.client() as till:
        shop = Shop(till, demo.sandbox.client_secret, SHOP_URL, tmp_path / "shop.db", now=demo.now)
        with serve(shop, SHOP_PORT):
            yield shop


def test_ids_times_and_signatures_are_the_same_in_every_run(demo: TillDemo, shop: Shop) -> None:
    # Ids contain the time: this test is the first, before time is moved.
    session = shop.check_out("A-1", "49.90")
    shop.till.sessions.simulate(session.session_id, outcome="paid")
    demo.run_due()
    [callback] = shop.till.callbacks.fetch().callbacks
    event, signature = json.loads(callback.body), callback.headers["x-signature"]
    assert session.session_id == "019b76da-a800-7001-9679-7cd1a2a2cef3"
    assert event["eventId"] == "019b76da-a800-7001-9c5e-3825c9db4919"
    assert event["occurredAt"] == "2026-01-01T00:00:00.000Z"
    assert signature == "3e1f38b38c64b47d1e63957e8e8ec984748740ed5810b8e04492fc2a0ba13045"


def test_a_paid_order_ships_once(demo: TillDemo, shop: Shop) -> None:
    session = shop.check_out("A-2", "49.90")
    shop.till.sessions.simulate(session.session_id, outcome="paid", callback={"fault": "duplicate"})
    demo.run_due()
    assert (shop.status("A-2"), shop.shipments("A-2")) == ("shipped", 1)


def test_a_declined_card_fails_the_order(demo: TillDemo, shop: Shop) -> None:
    session = shop.check_out("A-3", "49.90")
    shop.till.sessions.simulate(session.session_id, outcome="failed", failure_reason="card_declined")
    demo.run_due()
    assert (shop.status("A-3"), shop.shipments("A-3")) == ("failed", 0)


def test_an_order_that_is_not_paid_is_canceled_after_15_minutes(demo: TillDemo, shop: Shop) -> None:
    shop.check_out("A-4", "49.90")
    demo.advance(timedelta(minutes=15) - timedelta(milliseconds=1))
    assert shop.status("A-4") == "pending"
    demo.advance(timedelta(milliseconds=1))
    assert shop.status("A-4") == "canceled"


def test_a_callback_is_retried_after_an_error(
    demo: TillDemo, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = shop.check_out("A-5", "49.90")
    with monkeypatch.context() as broken:
        broken.setattr(shop, "database", Path("/no/such/database"))
        shop.till.sessions.simulate(session.session_id, outcome="paid")
        demo.run_due()  # the shop responds with 500
    demo.advance(timedelta(seconds=29))
    assert shop.status("A-5") == "pending"
    demo.advance(timedelta(seconds=1))
    assert (shop.status("A-5"), shop.shipments("A-5")) == ("shipped", 1)
