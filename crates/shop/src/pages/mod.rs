//! The shop's pages. Every step is a link, or a form that is answered with a redirect; the script is
//! optional.

mod figures;
mod language;
mod views;
mod words;

pub use language::Language;
pub use words::Words;

use crate::{
    Shop,
    catalog::{Currency, Item},
    environment::Environment,
    flow::OrderForm,
    visit::{self, Visit},
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use std::{sync::Arc, time::Duration};
use views::{Catalogue, List, MessagePage, OrderPage};

/// Minimum interval between status queries when a visitor opens the page again and again.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Minimum interval between status queries for an open page that waits for a callback.
const ASK_WHILE_WAITING: Duration = Duration::from_secs(10);

/// `GET /shop`
pub(crate) async fn catalogue(State(shop): State<Arc<Shop>>, visit: Visit) -> Response {
    if let Some(language) = visit.chosen {
        return visit::remember(&visit.path, language);
    }
    let environment =
        visit.query_value("environment").and_then(Environment::parse).unwrap_or(Environment::Sandbox);
    let currency = visit.query_value("currency").and_then(Currency::parse).unwrap_or(Currency::Rub);
    show(&shop, &visit, StatusCode::OK, Catalogue::new(&visit, environment, currency).write())
}

/// `GET /shop/orders`
pub(crate) async fn list(State(shop): State<Arc<Shop>>, visit: Visit) -> Response {
    if let Some(language) = visit.chosen {
        return visit::remember(&visit.path, language);
    }
    match shop.orders.recent().await {
        Ok(orders) => show(&shop, &visit, StatusCode::OK, List::new(&visit, orders).write()),
        Err(error) => trouble(&shop, &visit, &error),
    }
}

/// `POST /shop/orders`
pub(crate) async fn buy(State(shop): State<Arc<Shop>>, visit: Visit, form: Bytes) -> Response {
    if visit.foreign {
        return notice(&shop, &visit, StatusCode::FORBIDDEN, "foreign");
    }
    let Some(order_form) = read_order_form(&form) else {
        return notice(&shop, &visit, StatusCode::UNPROCESSABLE_ENTITY, "unknown-item");
    };
    let placed = shop.place(order_form, visit.language).await;
    match placed {
        Ok(id) => go_to_checkout(&shop, &visit, &id).await,
        Err(error) => trouble(&shop, &visit, &error),
    }
}

/// `POST /shop/orders/{id}/start`: tries again to open the session of an order.
pub(crate) async fn start(State(shop): State<Arc<Shop>>, Path(id): Path<String>, visit: Visit) -> Response {
    if visit.foreign {
        return notice(&shop, &visit, StatusCode::FORBIDDEN, "foreign");
    }
    go_to_checkout(&shop, &visit, &id).await
}

/// `POST /shop/orders/{id}/check`: queries the status now.
pub(crate) async fn check(State(shop): State<Arc<Shop>>, Path(id): Path<String>, visit: Visit) -> Response {
    if visit.foreign {
        return notice(&shop, &visit, StatusCode::FORBIDDEN, "foreign");
    }
    // The order's page makes the query.
    visit::go(&format!("/shop/orders/{id}"))
}

/// `GET …/start` and `GET …/check`: the visitor reloaded or typed the address of a form.
pub(crate) async fn back_to_order(Path(id): Path<String>) -> Response {
    visit::go(&format!("/shop/orders/{id}"))
}

/// `GET /shop/orders/{id}`: the order, and the page that the checkout returns the customer to. That the
/// customer came back proves nothing, so the status is queried first.
pub(crate) async fn order(State(shop): State<Arc<Shop>>, Path(id): Path<String>, visit: Visit) -> Response {
    if let Some(language) = visit.chosen {
        return visit::remember(&visit.path, language);
    }
    if let Err(error) = shop.ask(&id, ASK_EVERY).await {
        return trouble(&shop, &visit, &error);
    }
    match order_page(&shop, &visit, &id).await {
        Ok(Some(page)) => show(&shop, &visit, StatusCode::OK, page.write()),
        Ok(None) => notice(&shop, &visit, StatusCode::NOT_FOUND, "no-order"),
        Err(error) => trouble(&shop, &visit, &error),
    }
}

/// `GET /shop/orders/{id}/news?state=…`: the page, if it would show something else than `state`; else 204.
pub(crate) async fn news(State(shop): State<Arc<Shop>>, Path(id): Path<String>, visit: Visit) -> Response {
    if let Err(error) = shop.ask(&id, ASK_WHILE_WAITING).await {
        return trouble(&shop, &visit, &error);
    }
    match order_page(&shop, &visit, &id).await {
        Ok(Some(page)) if visit.query_value("state") == Some(&page.state) => {
            StatusCode::NO_CONTENT.into_response()
        }
        Ok(Some(page)) => show(&shop, &visit, StatusCode::OK, page.write()),
        Ok(None) => notice(&shop, &visit, StatusCode::NOT_FOUND, "no-order"),
        Err(error) => trouble(&shop, &visit, &error),
    }
}

/// `GET /shop/…`: any path that does not exist.
pub(crate) async fn nowhere(State(shop): State<Arc<Shop>>, visit: Visit) -> Response {
    notice(&shop, &visit, StatusCode::NOT_FOUND, "nowhere")
}

/// The answer to a request for a host that is not the shop's.
pub(crate) fn elsewhere(shop: &Shop, visit: &Visit) -> Response {
    notice(shop, visit, StatusCode::MISDIRECTED_REQUEST, "elsewhere")
}

/// Opens the session and redirects the customer to it; if that fails, to the order, which says why.
async fn go_to_checkout(shop: &Shop, visit: &Visit, id: &str) -> Response {
    let opened = match shop.orders.find(id).await {
        Ok(Some(order)) => shop.open(&order).await,
        Ok(None) => return notice(shop, visit, StatusCode::NOT_FOUND, "no-order"),
        Err(error) => Err(error),
    };
    match opened {
        Ok(Some(url)) => visit::go(&url),
        Ok(None) => visit::go(&format!("/shop/orders/{id}")),
        Err(error) => trouble(shop, visit, &error),
    }
}

pub(crate) async fn order_page(shop: &Shop, visit: &Visit, id: &str) -> anyhow::Result<Option<OrderPage>> {
    let Some(order) = shop.orders.find(id).await? else { return Ok(None) };
    let journal = shop.orders.journal(id).await?;
    Ok(Some(OrderPage::new(visit, &shop.config, order, &journal)))
}

fn read_order_form(form: &[u8]) -> Option<OrderForm> {
    let fields: Vec<_> = url::form_urlencoded::parse(form).collect();
    let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref());
    Some(OrderForm {
        item: Item::find(field("item")?)?,
        currency: Currency::parse(field("currency")?)?,
        environment: Environment::parse(field("environment")?)?,
    })
}

fn show(shop: &Shop, visit: &Visit, status: StatusCode, html: String) -> Response {
    visit::page(shop, visit.language, status, html)
}

fn notice(shop: &Shop, visit: &Visit, status: StatusCode, key: &'static str) -> Response {
    show(shop, visit, status, MessagePage::new(visit, key).write())
}

/// An internal error, shown without any detail.
fn trouble(shop: &Shop, visit: &Visit, error: &anyhow::Error) -> Response {
    tracing::error!("a page of the shop failed: {error:#}");
    notice(shop, visit, StatusCode::INTERNAL_SERVER_ERROR, "trouble")
}
