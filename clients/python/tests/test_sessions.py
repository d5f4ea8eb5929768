from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

from orders import create_session
from proxy import Proxy, lose_answer, respond
from till_checkout import Till, TillApiError, TillError
from till_checkout.testing import TillDemo


def test_a_session_from_creation_to_payment(till: Till) -> None:
    created = till.sessions.create(
        product_name="Atlas",
        price=Decimal("49.90"),
        currency="EUR",
        order_id="A-1",
        metadata={"cart": "C-77"},
        customer_email="ann@mail.example",
        locale="en-GB",
        expires_in=600,
    )
    assert created.status == "pending"
    assert created.session_id in created.session_url
    session = till.sessions.retrieve(created.session_id)
    assert (session.order_id, session.price, session.currency) == ("A-1", "49.90", "EUR")
    assert session.metadata == {"cart": "C-77"}
    assert abs(datetime.now(timezone.utc) - session.created_at) < timedelta(minutes=1)
    assert till.sessions.simulate(created.session_id, outcome="paid").status == "paid"
    assert till.sessions.retrieve(created.session_id).status == "paid"


def test_fields_are_sent_under_the_names_of_the_api(till: Till, proxy: Proxy) -> None:
    till.sessions.create(
        product_name="Atlas",
        price=50,
        currency="EUR",
        order_id="A-2",
        default_payment_method="card",
        available_payment_methods=("card", "sbp"),
        callback_url=None,
    )
    [request] = proxy.find("POST", "/checkout-session")
    assert json.loads(request.body) == {
        "product_name": "Atlas",
        "price": 50,
        "currency": "EUR",
        "order_id": "A-2",
        "defaultPaymentMethod": "card",
        "availablePaymentMethods": ["card", "sbp"],
    }


def test_an_error_names_every_invalid_field(till: Till) -> None:
    with pytest.raises(TillApiError) as caught:
        till.sessions.create(product_name="Atlas", price="1.001", currency="EUR", order_id="")
    error = caught.value
    assert (error.status, error.code) == (422, "invalid_request")
    assert {each.field: each.code for each in error.errors} == {
        "price": "too_many_decimals",
        "order_id": "empty",
    }
    assert error.request_id
    assert error.request_id.startswith("req_")
    assert "422 invalid_request" in str(error)
    assert error.request_id in str(error)


def test_iterating_follows_the_cursor(till: Till, proxy: Proxy) -> None:
    order_id = str(uuid.uuid4())
    created = [create_session(till, order_id).session_id for _ in range(5)]
    listed = [session.session_id for session in till.sessions.iterate(order_id=order_id, limit=2)]
    assert listed == created[::-1]
    assert sum(request.method == "GET" for request in proxy.requests) == 3


def test_one_page_at_a_time(till: Till) -> None:
    order_id = str(uuid.uuid4())
    create_session(till, order_id)
    create_session(till, order_id)
    first = till.sessions.list(order_id=order_id, limit=1)
    second = till.sessions.list(order_id=order_id, limit=1, cursor=first.next_cursor)
    assert len(first.sessions) == len(second.sessions) == 1
    assert second.next_cursor is None


def test_filters_by_time_and_status(till: Till) -> None:
    order_id = str(uuid.uuid4())
    session = till.sessions.retrieve(create_session(till, order_id).session_id)
    day = timedelta(days=1)
    filters = [
        ({"created_from": session.created_at}, 1),
        ({"created_from": session.created_at + day}, 0),
        ({"created_from": session.created_at.date(), "created_to": session.created_at.date() + day}, 1),
        ({"created_to": session.created_at.astimezone(timezone(timedelta(hours=3)))}, 0),
        ({"status": "pending"}, 1),
        ({"status": "paid"}, 0),
    ]
    for given, expected in filters:
        assert len(till.sessions.list(order_id=order_id, **given).sessions) == expected, given  # type: ignore[arg-type]


def test_a_time_without_a_zone_is_refused(till: Till) -> None:
    with pytest.raises(ValueError, match="time zone"):
        till.sessions.list(created_from=datetime(2026, 11, 15))


def test_expiring_is_safe_to_repeat(till: Till, proxy: Proxy) -> None:
    session_id = create_session(till).session_id
    proxy.on("POST", "/expire", lose_answer)
    assert till.sessions.expire(session_id).status == "expired"
    assert proxy.count("POST", "/expire") == 2


def test_ids_are_one_segment_of_the_path(till: Till, proxy: Proxy) -> None:
    with pytest.raises(TillApiError) as caught:
        till.sessions.retrieve("a/../b?c")
    assert caught.value.code == "session_not_found"
    assert proxy.requests[-1].path.endswith("/checkout-session/a%2F..%2Fb%3Fc")
    for wrong in ("", ".", ".."):
        with pytest.raises(ValueError, match="not an id"):
            till.sessions.retrieve(wrong)


def test_a_response_that_is_not_from_till_is_an_error(till: Till, proxy: Proxy) -> None:
    proxy.on("GET", "/checkout-session", respond(200, X_Request_Id="req_1"))
    with pytest.raises(TillApiError) as caught:
        till.sessions.list()
    assert (caught.value.code, caught.value.request_id) == ("unexpected_response", "req_1")
    assert "17 bytes, no content type" in caught.value.message


def test_live_has_its_own_paths(demo: TillDemo) -> None:
    with demo.client("live") as till:
        session_id = create_session(till).session_id
        assert till.sessions.retrieve(session_id).status == "pending"
        assert till.wallet.retrieve().balances == ()
        with pytest.raises(TillError, match="only in sandbox"):
            till.sessions.simulate(session_id, outcome="paid")
        with pytest.raises(TillError, match="only in sandbox"):
            till.signatures.check(body=b"{}", signature="")
    with demo.client() as till, pytest.raises(TillError, match="only in live"):
        till.wallet.retrieve()


@pytest.mark.parametrize(
    "arguments",
    [
        {"base_url": "127.0.0.1:8080"},
        {"base_url": "https://user:password@pay.example.com"},
        {"client_id": ""},
        {"client_secret": ""},
        {"environment": "production"},
    ],
)
def test_wrong_settings_are_refused_at_once(arguments: dict[str, str]) -> None:
    settings = {"base_url": "https://pay.example.com", "client_id": "id", "client_secret": "secret"}
    with pytest.raises(ValueError, match=r"must|live or sandbox"):
        Till(**(settings | arguments))  # type: ignore[arg-type]
