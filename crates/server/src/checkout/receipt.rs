//! `GET /receipt/{link}`: a receipt, for every holder of its link. The link reveals nothing about the
//! session, and the page is read-only.

use super::{
    CheckoutState,
    answer::{self, Visit},
    pages::{Body, CheckoutPage, Frame, Order, ReceiptView, Shop},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use std::sync::Arc;
use till_domain::{
    id::SessionId,
    money::Money,
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    refund,
    vendor::Vendor,
};
use till_service::{
    environment::{Environment, receipt_path},
    web::moments::Zone,
};
use till_store::{Payments, StoreError};

/// `GET /receipt/{link}`
pub(super) async fn show(
    State(checkout): State<Arc<CheckoutState>>,
    Path(link): Path<String>,
    visit: Visit,
) -> Response {
    let environment = checkout.cashier.environment();
    let found = match ReceiptLink::parse(&link) {
        Some(link) => find(environment, link).await,
        None => Ok(None),
    };
    let (link, slip, vendor) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return visit.plain(&checkout, StatusCode::NOT_FOUND, Body::NoReceipt),
        Err(error) => return visit.trouble(&checkout, &error),
    };
    if let Some(language) = visit.chosen {
        return answer::go_in_language(&checkout, &receipt_path(&link), language);
    }
    let shop = Shop {
        name: vendor.display_name().to_owned(),
        contact: vendor.settings.contact_email.clone(),
        can_return: false,
    };
    let frame = Frame {
        language: visit.language(vendor.settings.language.as_deref()),
        path: receipt_path(&link),
        banner: checkout.banner(),
        shop: Some(shop),
        live: false,
        from_bank: false,
        operator: checkout.operator.clone(),
    };
    visit.page(StatusCode::OK, &CheckoutPage { frame, body: Body::Receipt(slip) })
}

async fn find(
    environment: &Environment,
    link: ReceiptLink,
) -> Result<Option<(ReceiptLink, ReceiptView, Arc<Vendor>)>, StoreError> {
    let Some(receipt) = environment.store.receipt_by_link(link).await? else { return Ok(None) };
    let found = slip(environment, &receipt).await?;
    Ok(found.map(|(slip, vendor)| (link, slip, vendor)))
}

/// The refunded part of a session's price, in minor units.
async fn refunded(store: &Payments, session: SessionId) -> Result<i64, StoreError> {
    Ok(refund::refunded(&store.refunds().of_session(session).await?))
}

/// The number of a receipt: the payment's reference, and for a refund its place among the session's refunds in
/// the order of their requests. It never changes, in whichever order they succeed.
async fn number(store: &Payments, receipt: &Receipt) -> Result<String, StoreError> {
    let reference = receipt.session.reference();
    if receipt.kind == ReceiptKind::Paid {
        return Ok(reference);
    }
    let mut refunds = store.refunds().of_session(receipt.session).await?;
    refunds.sort_by_key(|refund| (refund.created_at, refund.number));
    let before = refunds.iter().take_while(|refund| refund.id.as_bytes() != receipt.id.as_bytes()).count();
    Ok(format!("{reference}-R{}", before + 1))
}

/// The content of a receipt, and its vendor.
pub(crate) async fn slip(
    environment: &Environment,
    receipt: &Receipt,
) -> Result<Option<(ReceiptView, Arc<Vendor>)>, StoreError> {
    let store = &environment.store;
    let Some(session) = store.page_session(receipt.session).await? else { return Ok(None) };
    let Some(vendor) = environment.directory.vendor(receipt.vendor).await? else { return Ok(None) };
    let money = store.transactions_of(session.id).await?;
    let paid = money.iter().find(|money| money.id.as_bytes() == receipt.id.as_bytes());
    let paid = paid.or_else(|| {
        money.iter().find(|money| !money.marks.late && !money.marks.partial && !money.marks.reversed)
    });
    let refunded = refunded(store, session.id).await?;
    let zone = vendor.settings.time_zone.clone().map_or(Zone::UTC, Zone::named);
    let slip = ReceiptView {
        order: Order {
            amount: session.item.price.money(),
            item: session.item.name.clone(),
            order_id: session.order_id.clone(),
        },
        kind: receipt.kind,
        amount: receipt.amount,
        refunded: (refunded > 0).then_some(Money { minor: refunded, ..receipt.amount }),
        method: paid.map_or(session.methods.chosen, |money| money.method),
        at: receipt.at,
        zone,
        number: number(store, receipt).await?,
        contact: vendor.settings.contact_email.clone(),
        provider_reference: paid.map(|money| money.reference.clone()).unwrap_or_default(),
    };
    Ok(Some((slip, vendor)))
}
