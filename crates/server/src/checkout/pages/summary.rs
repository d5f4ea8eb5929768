//! The order summary beside every page on which the customer still has to act or wait: item, amount, time
//! left.

use super::{Body, Order, figures::ClockFace};
use till_service::web::words::Words;

/// The summary for the template.
#[derive(Debug)]
pub(super) struct OrderSummary<'a> {
    pub order: &'a Order,
    /// The status as text.
    pub status: String,
    /// The rate of the coin, if one is paid with.
    pub rate: Option<String>,
    /// The countdown, if it is running.
    pub face: Option<ClockFace>,
    pub face_label: String,
}

impl<'a> OrderSummary<'a> {
    /// The summary, if the page has one.
    pub fn new(body: &'a Body, t: &Words) -> Option<Self> {
        let stub = |order, face, label: &str| Self {
            order,
            status: t.text("status-pending"),
            rate: None,
            face,
            face_label: t.text(label),
        };
        Some(match body {
            Body::Methods(view) => stub(&view.order, Some(view.clock.face()), "time-left-to-pay"),
            Body::Preparing(view) | Body::Processing(view) => {
                stub(&view.order, view.clock.map(|clock| clock.face()), "time-left-to-pay")
            }
            Body::Bank(view) => stub(&view.order, Some(view.clock.face()), "time-left-to-pay"),
            Body::Embedded(view) => stub(&view.order, Some(view.clock.face()), "time-left-to-pay"),
            Body::Qr(view) => stub(&view.order, Some(view.clock.face()), "code-valid-for"),
            Body::Address(view) => Self {
                rate: view.rate.as_ref().map(|price| t.rate(&view.coins.unit, price, &view.order.amount)),
                ..stub(&view.order, Some(view.clock.face()), "rate-held-for")
            },
            Body::Confirming(view) => Self {
                status: t.text("status-confirming"),
                rate: view.rate.as_ref().map(|price| t.rate(&view.received.unit, price, &view.order.amount)),
                ..stub(&view.order, None, "time-left-to-pay")
            },
            _ => return None,
        })
    }
}
