//! The integration: place an order, open its payment session, query its status.

use crate::{
    Shop, address,
    api::now_ms,
    catalog::{Currency, Item},
    environment::Environment,
    order::{self, Disagreement, Order, Status, TroubleKind},
    pages::Language,
};
use std::time::Duration;

/// What a customer orders, and in which currency and environment.
#[derive(Debug, Clone, Copy)]
pub struct OrderForm {
    pub item: &'static Item,
    pub currency: Currency,
    pub environment: Environment,
}

impl Shop {
    /// Stores the order before any other party hears of it, and returns its number.
    pub(crate) async fn place(&self, order_form: OrderForm, language: Language) -> anyhow::Result<String> {
        let now = now_ms();
        let order = Order {
            id: order::new_id((self.config.random)()),
            environment: order_form.environment,
            item: order_form.item.word.to_owned(),
            product_name: order_form.item.name(&language).to_owned(),
            price: order_form.item.price(&order_form.currency).to_owned(),
            currency: order_form.currency.code().to_owned(),
            status: Status::New,
            reason: None,
            method: None,
            session_id: None,
            session_url: None,
            trouble: None,
            confirmed: false,
            called_back: false,
            asked_at_ms: 0,
            created_at_ms: now,
            updated_at_ms: now,
            refunded: None,
        };
        let id = order.id.clone();
        self.orders.add(order).await?;
        Ok(id)
    }

    /// Opens the payment session of an order that has none. Returns the page where the customer pays; `None`
    /// if the session could not be opened, or the order is paid already or in doubt, and the order then says
    /// why.
    pub(crate) async fn open(&self, order: &Order) -> anyhow::Result<Option<String>> {
        if order.status != Status::New {
            return Ok(self.pay_page(order));
        }
        let mut outcome = self.till.create(order).await;
        let opened = match outcome.result {
            Ok(opened) => opened,
            Err(trouble) => {
                self.orders.note(&order.id, outcome.entries).await?;
                self.orders.change(&order.id, |order| order.trouble = Some(trouble)).await?;
                return Ok(None);
            }
        };
        let stored = move |order: &mut Order| {
            // A callback may have been faster; if it named another session, a person has to look.
            if order.session_id.get_or_insert_with(|| opened.session_id.clone()) != &opened.session_id {
                return Err(Disagreement::Session);
            }
            order.session_url = Some(opened.session_url);
            if order.status == Status::New {
                order.status = Status::Pending;
                order.updated_at_ms = now_ms();
            }
            order.trouble = None;
            Ok(order.clone())
        };
        let stored = self.orders.change(&order.id, stored).await?;
        if let (Some(Err(disagreement)), Some(entry)) = (&stored, outcome.entries.last_mut()) {
            tracing::warn!("a callback named another session for order {} than the API", order.id);
            entry.note = Some(format!("doubt-{}", disagreement.word()));
        }
        self.orders.note(&order.id, outcome.entries).await?;
        Ok(stored.and_then(Result::ok).and_then(|order| self.pay_page(&order)))
    }

    /// The page where an order can be paid now, if it can.
    fn pay_page(&self, order: &Order) -> Option<String> {
        let url = order.session_url.as_ref().filter(|_| order.status == Status::Pending)?;
        Some(address::moved(url, &self.config.checkout_url))
    }

    /// Queries the status of an order from the API, unless the API has named the final status or was queried
    /// a moment ago.
    pub(crate) async fn ask(&self, id: &str, at_most_every: Duration) -> anyhow::Result<()> {
        let now = now_ms();
        let every = i64::try_from(at_most_every.as_millis()).unwrap_or(i64::MAX);
        let due = move |order: &mut Order| {
            let due = !order.confirmed && now.saturating_sub(order.asked_at_ms) >= every;
            if due {
                order.asked_at_ms = now;
            }
            order.session_id.clone().filter(|_| due).map(|session| (order.environment, session))
        };
        let Some(Some((environment, session))) = self.orders.change(id, due).await? else { return Ok(()) };
        let mut outcome = self.till.status(environment, &session).await;
        // Invalid credentials are shown, since they stay so until the demo is restarted; any other query is
        // retried soon.
        let credentials =
            outcome.result.as_ref().err().filter(|trouble| trouble.kind == TroubleKind::Credentials).cloned();
        if outcome.result.is_ok() || credentials.is_some() {
            self.orders.change(id, move |order| order.trouble = credentials).await?;
        }
        if let Ok(report) = outcome.result {
            let believe = move |order: &mut Order| {
                let believed = order.believe(&report, now_ms());
                order.confirmed |= believed.is_ok() && report.status.is_final();
                believed
            };
            let believed = self.orders.change(id, believe).await?;
            if let (Some(Err(disagreement)), Some(entry)) = (believed, outcome.entries.last_mut()) {
                tracing::warn!(
                    "the status of the session of order {id} is about another {}",
                    disagreement.word()
                );
                entry.note = Some(format!("doubt-{}", disagreement.word()));
            }
        }
        self.orders.note(id, outcome.entries).await
    }
}
