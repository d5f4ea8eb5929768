from __future__ import annotations

import uuid

from till_checkout import SessionCreated, Till


def create_session(
    till: Till,
    order_id: str | None = None,
    *,
    callback_url: str | None = None,
    idempotency_key: str | None = None,
) -> SessionCreated:
    return till.sessions.create(
        product_name="Atlas",
        price="49.90",
        currency="EUR",
        order_id=order_id or str(uuid.uuid4()),
        callback_url=callback_url,
        idempotency_key=idempotency_key,
    )
