//! The titles of the pages. They begin with the state, because a tab shows little more than that.

use super::{Body, Challenge, Methods, Order};
use till_service::web::words::Words;

pub(super) fn title(body: &Body, t: &Words, shop: &str) -> String {
    let paying = |key: &str, order: &Order| {
        let amount = t.money(&order.amount);
        t.with_two(key, ("amount", &amount), ("shop", shop))
    };
    match body {
        Body::Methods(view) => of_methods(view, t, shop),
        Body::Preparing(view) => paying("preparing-title", &view.order),
        Body::Processing(view) => paying("processing-title", &view.order),
        Body::Bank(view) => paying("bank-title", &view.order),
        Body::Embedded(view) => paying("embedded-title", &view.order),
        Body::Qr(view) => paying("qr-title", &view.order),
        Body::Address(view) => t.with_two("address-title", ("coins", &t.coins(&view.due())), ("shop", shop)),
        Body::Confirming(view) => t.fill(
            "confirming-title",
            [("seen", view.seen.into()), ("needed", view.needed.into()), ("shop", shop.into())],
        ),
        Body::Paid(view) => paying("paid-title", &view.order),
        Body::AlreadyPaid(view) => paying("already-title", &view.order),
        Body::Leave(_) => t.with("leave-title", "shop", shop),
        Body::Failed(_) => t.with("failed-title", "shop", shop),
        Body::Expired(_) => t.with("expired-title", "shop", shop),
        Body::Receipt(_) => t.with("receipt-title", "shop", shop),
        Body::NotFound => t.text("not-found-title"),
        Body::NoReceipt => t.text("no-receipt-title"),
        Body::NoPage => t.text("no-page-title"),
        Body::SandboxOff { .. } => t.text("sandbox-off-title"),
        Body::Error { .. } => t.text("error-title"),
        Body::Forbidden => t.text("forbidden-title"),
        Body::Challenge(view) => of_challenge(view, t, shop),
    }
}

fn of_methods(view: &Methods, t: &Words, shop: &str) -> String {
    let key = if view.is_test() { "test-title" } else { "methods-title" };
    let title = t.with_two(key, ("amount", &t.money(&view.order.amount)), ("shop", shop));
    if view.problem.is_some() { t.with("error-prefix", "title", &title) } else { title }
}

fn of_challenge(view: &Challenge, t: &Words, shop: &str) -> String {
    t.with(if view.is_three_ds() { "challenge-title" } else { "simulated-title" }, "shop", shop)
}
