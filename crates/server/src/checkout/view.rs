//! Makes the view of a session's page from the store.

use super::{
    CheckoutState,
    answer::{Visit, Wants},
    forms::BY_PRICE,
    pages::{
        Address, AlreadyPaid, Bank, Body, CheckoutPage, CoinChoice, Coins, Confirming, Countdown, Embedded,
        Expired, Failed, Frame, LeaveQuestion, Methods, MissingCoins, Order, Paid, Panel, PanelState,
        Partial, Problem, Qr, ReceiptMail, Shop, Targets, TestOutcome, Waiting,
    },
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::{Attempt, AttemptState, Instructions, Quantity},
    change::VisitKind,
    dispatch::DispatchKind,
    fiscal,
    id::{SessionId, VendorId},
    method::Method,
    misdelivery::DeliveryChoice,
    receipt::ReceiptKind,
    session::{self, Session, State},
    time::Timestamp,
    vendor::Vendor,
    weburl::WebUrl,
};
use till_providers::Label;
use till_service::{cashier::ProviderHandle, environment::receipt_path, mail};
use till_store::StoreError;

/// How long a payment that has just become paid is shown before the customer is taken back to the shop.
const RETURN_IN: Duration = Duration::from_secs(5);

/// How long after it became paid a payment counts as paid in front of the customer: the time to come back
/// from the bank's page.
const FRESH: Duration = Duration::from_secs(30);

/// A session with everything that its page depends on.
pub(super) struct SessionView {
    pub(super) session: Session,
    pub(super) vendor: Arc<Vendor>,
    pub(super) attempt: Option<Attempt>,
    /// A transfer of an attempt that the customer left for another method, and that the session waits for.
    pub(super) transfer: Option<Attempt>,
    now: Timestamp,
}

/// The form input that was refused, with the reason.
#[derive(Debug, Clone, Default)]
pub(super) struct RefusedForm {
    pub(super) problem: Option<Problem>,
    /// The e-mail address as it was typed.
    pub(super) email: Option<String>,
    pub(super) method: Option<Method>,
    pub(super) choice: Option<String>,
    pub(super) delivery: Option<DeliveryChoice>,
}

impl CheckoutState {
    /// Reads a session; `None` if it does not exist.
    pub(super) async fn session_view(&self, id: SessionId) -> Result<Option<SessionView>, StoreError> {
        let environment = self.cashier.environment();
        let Some(session) = environment.page_session(id).await? else { return Ok(None) };
        let Some(vendor) = environment.directory.vendor(session.vendor).await? else { return Ok(None) };
        let attempts = environment.store.attempts_of(id).await?;
        let attempt = Attempt::newest(&attempts).cloned();
        let mut transfers = attempts.into_iter().filter(Attempt::holds_though_left);
        let transfer = transfers.next().filter(|_| session.state == State::Pending);
        Ok(Some(SessionView { session, vendor, attempt, transfer, now: environment.now() }))
    }

    pub(super) fn path(&self, id: SessionId) -> String {
        format!("{}/session/{id}", self.prefix)
    }

    pub(super) async fn page(
        &self,
        session_view: &SessionView,
        visit: &Visit,
        refused: &RefusedForm,
    ) -> Result<CheckoutPage, StoreError> {
        let body = self.body(session_view, visit.wants(), refused).await?;
        Ok(CheckoutPage { frame: self.frame(session_view, visit), body })
    }

    fn frame(&self, session_view: &SessionView, visit: &Visit) -> Frame {
        let session = &session_view.session;
        let can_return = session.return_url.is_some() || session_view.vendor.settings.return_url.is_some();
        let shop = Shop {
            name: session_view.vendor.display_name().to_owned(),
            contact: session_view.vendor.settings.contact_email.clone(),
            can_return,
        };
        Frame {
            language: visit.language_of(session, &session_view.vendor),
            path: self.path(session.id),
            banner: self.banner(),
            shop: Some(shop),
            live: session.state == State::Pending,
            from_bank: visit.wants().from_bank,
            operator: self.operator.clone(),
        }
    }

    /// The page that asks whether the customer wants to leave; `None` if there is nothing left to pay.
    pub(super) async fn leave_page(
        &self,
        session_view: &SessionView,
        visit: &Visit,
        target: &str,
    ) -> Result<Option<CheckoutPage>, StoreError> {
        if session_view.session.state != State::Pending || self.paid_before(session_view).await?.is_some() {
            return Ok(None);
        }
        let url = url::Url::parse(target).ok();
        let host = url.as_ref().and_then(|url| url.host_str().map(str::to_owned));
        let origin = url.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let is_in_flight = |attempt: &Attempt| attempt.state == AttemptState::InFlight;
        let under_way =
            session_view.transfer.is_some() || session_view.attempt.as_ref().is_some_and(is_in_flight);
        let leave = LeaveQuestion { host: host.unwrap_or_else(|| target.to_owned()), origin, under_way };
        // The page does not change by itself.
        let frame = Frame { live: false, ..self.frame(session_view, visit) };
        Ok(Some(CheckoutPage { frame, body: Body::Leave(leave) }))
    }

    /// The content of a session's page.
    pub(super) async fn body(
        &self,
        session_view: &SessionView,
        wants: Wants,
        refused: &RefusedForm,
    ) -> Result<Body, StoreError> {
        if session_view.session.state != State::Pending {
            return self.result(session_view).await;
        }
        // A transfer that is being confirmed is shown before any form, whichever method was chosen since.
        if let Some(confirming) =
            session_view.transfer.as_ref().and_then(|left| session_view.confirming(left))
        {
            return Ok(Body::Confirming(Confirming { left: true, ..confirming }));
        }
        let active = session_view.attempt.as_ref().filter(|attempt| attempt.state.is_active());
        let in_flight = active.is_some_and(|attempt| attempt.state == AttemptState::InFlight);
        if !in_flight && let Some(paid) = self.paid_before(session_view).await? {
            return Ok(Body::AlreadyPaid(paid));
        }
        // While a payment is in flight no other method can be chosen, unless the provider's page only waits
        // for the customer.
        let at_the_bank = active.is_some_and(|attempt| {
            matches!(
                attempt.instructions,
                Some(Instructions::Redirect { .. } | Instructions::Embedded { .. })
            )
        });
        let choose = (wants.methods || refused.problem.is_some()) && (!in_flight || at_the_bank);
        Ok(match active {
            Some(attempt) if !choose => self.waiting(session_view, attempt, wants.from_bank)?,
            _ => {
                let targets = self.targets(session_view, refused).await?;
                Body::Methods(self.methods(session_view, refused, targets))
            }
        })
    }

    /// The page while an attempt is active. A provider's form stays even while the payment is in flight: it
    /// may still ask the customer something.
    fn waiting(
        &self,
        session_view: &SessionView,
        attempt: &Attempt,
        from_bank: bool,
    ) -> Result<Body, StoreError> {
        let Some(Instructions::Embedded { origins, values }) = &attempt.instructions else {
            let simulated = self.is_at_simulated_bank(attempt);
            return Ok(session_view.waiting(attempt, simulated, from_bank));
        };
        Ok(Body::Embedded(Embedded {
            order: session_view.order(),
            method: attempt.method,
            clock: session_view.clock(),
            script: format!("{}/elements/{}", self.prefix, attempt.provider),
            origins: origins.clone(),
            values: self.cashier.open_values(attempt.id, (origins, values))?,
            in_flight: attempt.state == AttemptState::InFlight,
        }))
    }

    /// What testers see of a session; nothing in live.
    async fn targets(
        &self,
        session_view: &SessionView,
        refused: &RefusedForm,
    ) -> Result<Option<Targets>, StoreError> {
        let Some(faults) = &self.faults else { return Ok(None) };
        let (session, settings) = (&session_view.session, &session_view.vendor.settings);
        let first = |own: &Option<WebUrl>, other: &Option<WebUrl>| {
            own.as_ref().or(other.as_ref()).map(|url| url.as_str().to_owned())
        };
        let delivery = match refused.problem {
            Some(_) => refused.delivery,
            None => faults.chosen(session.id).await?,
        };
        Ok(Some(Targets {
            callback: first(&session.callback_url, &settings.callback_url),
            ret: first(&session.return_url, &settings.return_url),
            customer: session.customer.email.clone(),
            delivery: delivery.map_or("", DeliveryChoice::word),
            default_delivery: self.default_delivery(session_view.vendor.id).await?,
        }))
    }

    /// The word of the vendor's default delivery of sandbox callbacks.
    pub(super) async fn default_delivery(&self, vendor: VendorId) -> Result<&'static str, StoreError> {
        match &self.faults {
            Some(faults) => Ok(faults.default_of(vendor).await?.word()),
            None => Ok(DeliveryChoice::NONE),
        }
    }

    fn methods(
        &self,
        session_view: &SessionView,
        refused: &RefusedForm,
        targets: Option<Targets>,
    ) -> Methods {
        let session = &session_view.session;
        let offered = session.methods.offered.iter();
        let panels: Vec<Panel> = offered.map(|method| self.panel(session_view, *method, refused)).collect();
        // An address that the page would refuse is not proposed.
        let for_till = panels.iter().any(|panel| panel.needs_email);
        let known = session_view.customer_email().filter(|email| !for_till || fiscal::fits_receipt(email));
        Methods {
            order: session_view.order(),
            clock: session_view.clock(),
            panels,
            open: refused.method.unwrap_or(session.methods.chosen),
            problem: refused.problem,
            email: refused.email.clone().or(known).unwrap_or_default(),
            receipts: self.mails(),
            targets,
        }
    }

    fn panel(&self, session_view: &SessionView, method: Method, refused: &RefusedForm) -> Panel {
        let environment = self.cashier.environment();
        let handle = self.cashier.handle(&session_view.session, method);
        let money = session_view.session.item.price.money();
        let can_take = |handle: &ProviderHandle| self.cashier.can_take(handle, &session_view.session, method);
        let down = !handle.as_ref().is_some_and(can_take);
        let timed_out =
            session_view.session.methods.clocks.of(method).is_some_and(|end| end <= session_view.now);
        let offered =
            handle.map(|handle| handle.provider.choices(method, money.currency)).unwrap_or_default();
        let before = session_view.attempt.as_ref().and_then(|attempt| attempt.choice.as_deref());
        let (mut choices, coins) = choices(offered, refused.choice.as_deref().or(before));
        // Where the tester chooses, a price that stands for an outcome is the default.
        if let Some((outcome, _)) = session::price::outcome(money).filter(|_| !choices.is_empty()) {
            let ends = State::from(outcome).status();
            choices.insert(0, TestOutcome { value: BY_PRICE.to_owned(), ends });
        }
        Panel {
            method,
            state: match (timed_out, down) {
                (true, _) => PanelState::TimedOut,
                (false, true) => PanelState::Down,
                (false, false) => PanelState::Ready,
            },
            minutes: session_view.time_for(environment.rules().lifetimes.of(method)).as_secs().div_ceil(60),
            choices,
            needs_email: self.cashier.needs_email(&session_view.session, method),
            coins,
        }
    }

    /// The earlier payment of the same order, if there is one.
    async fn paid_before(&self, session_view: &SessionView) -> Result<Option<AlreadyPaid>, StoreError> {
        let Some(paid) = self.cashier.earlier_payment(&session_view.session).await? else { return Ok(None) };
        Ok(Some(AlreadyPaid {
            order: order_of(&paid),
            method: paid.methods.chosen,
            paid_at: paid.updated_at,
            reference: paid.id.reference(),
        }))
    }

    async fn result(&self, session_view: &SessionView) -> Result<Body, StoreError> {
        let store = &self.cashier.environment().store;
        let session = &session_view.session;
        let (order, at) = (session_view.order(), session.updated_at);
        let money = store.transactions_of(session.id).await?;
        let attempts = store.attempts_of(session.id).await?;
        // Only a provider's answer proves that nothing was charged.
        let closed =
            |attempt: &Attempt| matches!(attempt.state, AttemptState::Closed | AttemptState::Declined(_));
        let charged_nothing = money.is_empty() && attempts.iter().all(closed);
        let bank = self.simulated_bank(&attempts).await;
        Ok(match session.state {
            State::Paid => {
                let payer = attempts.iter().find(|attempt| attempt.state == AttemptState::Paid);
                let over = payer.and_then(|payer| {
                    let excess = payer.received.checked_sub(payer.charge.atoms).filter(|atoms| *atoms > 0)?;
                    Some(coins(&payer.charge.with(excess)))
                });
                let method = payer.map_or(session.methods.chosen, |payer| payer.method);
                let (receipt, receipt_url) = self.receipt(session.id).await?;
                let exact = over.is_none() && payer.is_none_or(|payer| payer.received == payer.charge.atoms);
                let return_in =
                    if exact && self.is_fresh(session_view).await? { Some(RETURN_IN) } else { None };
                let reference = session.id.reference();
                Body::Paid(Paid {
                    order,
                    method,
                    paid_at: at,
                    reference,
                    receipt,
                    receipt_url,
                    over,
                    return_in,
                    bank,
                })
            }
            State::Failed(reason) => Body::Failed(Failed {
                order,
                method: session.methods.chosen,
                reason,
                charged_nothing,
                at,
                reference: session.id.reference(),
            }),
            State::Expired | State::Pending => Body::Expired(Expired {
                order,
                at,
                minutes: at.since(session.created_at).as_secs().div_ceil(60),
                charged_nothing,
                partial: money.iter().find(|t| t.marks.partial).map(|t| coins(&t.received)),
                reference: session.id.reference(),
                bank,
            }),
        })
    }
}

impl CheckoutState {
    /// Whether the session became paid in front of this customer, who has not returned to the shop yet.
    async fn is_fresh(&self, session_view: &SessionView) -> Result<bool, StoreError> {
        let session = &session_view.session;
        if session_view.now.since(session.updated_at) >= FRESH || self.visits.has_returned(session.id) {
            return Ok(false);
        }
        let visits = self.cashier.environment().store.visits(session.id).await?;
        Ok(!visits.iter().any(|(_, kind)| *kind == VisitKind::Returned))
    }

    /// Whether the links of an attempt lead to the simulated bank.
    fn is_at_simulated_bank(&self, attempt: &Attempt) -> bool {
        let url = match &attempt.instructions {
            Some(Instructions::Qr { app_url, .. }) => app_url,
            Some(Instructions::Address { wallet_url, .. }) => wallet_url,
            _ => return false,
        };
        self.bank.as_ref().is_some_and(|bank| bank.page_of(attempt.id) == *url)
    }

    /// The page of the simulated bank, if it plays what can happen after the payment.
    async fn simulated_bank(&self, attempts: &[Attempt]) -> Option<String> {
        let bank = self.bank.as_ref()?;
        let attempt = attempts.last()?;
        let entry = bank.entry(attempt.id).await.ok().flatten()?;
        (!bank.decisions(&entry).is_empty()).then(|| format!("{}/bank/{}", self.prefix, attempt.id))
    }

    /// The mail with a session's receipt, and the address of the receipt.
    async fn receipt(&self, id: SessionId) -> Result<(Option<ReceiptMail>, Option<String>), StoreError> {
        let environment = self.cashier.environment();
        if !environment.rules().receipts {
            return Ok((None, None));
        }
        let receipts = environment.store.receipts_of(id).await?;
        let Some(paid) = receipts.iter().find(|receipt| receipt.kind == ReceiptKind::Paid) else {
            return Ok((None, None));
        };
        let mails = environment.store.dispatches_of(id).await?;
        let mail = mails.into_iter().find(|mail| {
            let dispatch = &mail.due.dispatch;
            dispatch.kind == DispatchKind::Receipt && dispatch.about == *paid.id.as_bytes()
        });
        // The recipient of a mail that ended long ago is cleared.
        let known = mail.filter(|mail| !mail.due.dispatch.recipient.is_empty());
        let promised =
            known.map(|mail| ReceiptMail { email: mail.due.dispatch.recipient, state: mail.state });
        Ok((promised, Some(receipt_path(&paid.link))))
    }
}

/// The outcomes for a tester and the coins for a customer. The coin chosen before is preselected, or else the
/// first.
fn choices(
    offered: Vec<till_providers::CustomerChoice>,
    before: Option<&str>,
) -> (Vec<TestOutcome>, Vec<CoinChoice>) {
    let (mut outcomes, mut coins) = (Vec::new(), Vec::new());
    for till_providers::CustomerChoice { value, label } in offered {
        match label {
            Label::Outcome { ends } => outcomes.push(TestOutcome { value, ends }),
            Label::Coin { symbol, network } => {
                let chosen = before == Some(value.as_str());
                coins.push(CoinChoice { value, symbol, network, chosen });
            }
        }
    }
    if !coins.iter().any(|coin| coin.chosen)
        && let Some(first) = coins.first_mut()
    {
        first.chosen = true;
    }
    (outcomes, coins)
}

fn order_of(session: &Session) -> Order {
    Order {
        amount: session.item.price.money(),
        item: session.item.name.clone(),
        order_id: session.order_id.clone(),
    }
}

fn coins(quantity: &Quantity) -> Coins {
    Coins { amount: quantity.digits(), unit: quantity.unit.clone() }
}

impl SessionView {
    pub(super) fn is_pending(&self) -> bool {
        self.session.state == State::Pending
    }

    /// The address that the vendor gave, unless no mail server would take it: the customer could not correct it on a
    /// page without the field.
    pub(super) fn customer_email(&self) -> Option<String> {
        self.session.customer.email.as_deref().and_then(|email| mail::address(email).ok())
    }

    pub(super) fn order(&self) -> Order {
        order_of(&self.session)
    }

    /// The time for a method that is chosen now.
    fn time_for(&self, lifetime: Duration) -> Duration {
        self.session.closes_at.map_or(lifetime, |closes_at| closes_at.since(self.now).min(lifetime))
    }

    /// The time left of the chosen method.
    pub(super) fn clock(&self) -> Countdown {
        let deadline = self.session.deadline();
        let method = self.session.methods.chosen;
        // The clock of a method that was chosen later started later.
        let started = self.attempt.as_ref().filter(|a| a.method == method).map(|a| a.started_at);
        let started = started.unwrap_or(self.session.created_at);
        Countdown { left: deadline.since(self.now), total: deadline.since(started), ends_at: deadline }
    }

    /// The confirmations of a transfer that is in a block, or is about to be.
    fn confirming(&self, attempt: &Attempt) -> Option<Confirming> {
        let confirmations = attempt.confirmations?;
        let (network, rate) = match &attempt.instructions {
            Some(Instructions::Address { network, rate, .. }) => (network.clone(), rate.clone()),
            _ => (String::new(), None),
        };
        Some(Confirming {
            order: self.order(),
            seen: confirmations.seen.into(),
            needed: confirmations.needed.into(),
            received: coins(&attempt.charge.with(confirmations.atoms)),
            missing: missing(attempt, confirmations.atoms),
            network,
            seen_at: attempt.in_flight_since.unwrap_or(attempt.updated_at),
            rate,
            left: false,
        })
    }

    /// The page while an attempt is active.
    fn waiting(&self, attempt: &Attempt, simulated: bool, from_bank: bool) -> Body {
        let (order, clock, method) = (self.order(), self.clock(), attempt.method);
        let in_flight = attempt.state == AttemptState::InFlight;
        if let Some(confirming) = self.confirming(attempt).filter(|_| in_flight) {
            return Body::Confirming(confirming);
        }
        match &attempt.instructions {
            None => Body::Preparing(Waiting { order, method, clock: Some(clock), bank: None }),
            // The customer was there: the page must not read as if nothing had been paid.
            Some(Instructions::Redirect { url }) if from_bank || in_flight => {
                Body::Processing(Waiting { order, method, clock: Some(clock), bank: Some(url.clone()) })
            }
            Some(Instructions::Redirect { url }) => {
                Body::Bank(Bank { order, method, clock, url: url.clone() })
            }
            Some(Instructions::Qr { .. } | Instructions::Address { .. }) if in_flight => {
                Body::Processing(Waiting { order, method, clock: None, bank: None })
            }
            Some(Instructions::Qr { payload, app_url }) => Body::Qr(Qr {
                order,
                clock,
                payload: payload.clone(),
                app_url: app_url.clone(),
                simulated,
                banks: Vec::new(),
            }),
            Some(Instructions::Address { network, address, uri, wallet_url, rate }) => {
                Body::Address(Address {
                    order,
                    clock,
                    coins: coins(&attempt.charge),
                    network: network.clone(),
                    address: address.clone(),
                    payload: for_the_rest(uri, attempt),
                    wallet_url: for_the_rest(wallet_url, attempt),
                    simulated,
                    rate: rate.clone(),
                    partial: partial(attempt),
                })
            }
            Some(Instructions::Nothing | Instructions::Embedded { .. }) => {
                Body::Processing(Waiting { order, method, clock: None, bank: None })
            }
        }
    }
}

/// The partial payment, if some money arrived but not enough.
fn partial(attempt: &Attempt) -> Option<Partial> {
    let missing = attempt.charge.atoms.checked_sub(attempt.received)?;
    (attempt.received > 0 && missing > 0).then(|| Partial {
        received: attempt.charge.with(attempt.received).digits(),
        missing: attempt.charge.with(missing).digits(),
    })
}

/// What is still to be sent, and where to, if a transfer that confirms is too little.
fn missing(attempt: &Attempt, confirming: u128) -> Option<MissingCoins> {
    let rest = attempt.charge.atoms.checked_sub(confirming).filter(|atoms| *atoms > 0)?;
    let Some(Instructions::Address { address, .. }) = &attempt.instructions else { return None };
    Some(MissingCoins { coins: coins(&attempt.charge.with(rest)), address: address.clone() })
}

/// Changes a link that asks for the whole amount (EIP-681) to ask for what is still missing.
fn for_the_rest(link: &str, attempt: &Attempt) -> String {
    let missing = attempt.charge.atoms.saturating_sub(attempt.received);
    rewritten(link, &attempt.charge.atoms.to_string(), &missing.to_string())
}

fn rewritten(link: &str, whole: &str, rest: &str) -> String {
    let Some((start, query)) = link.split_once('?') else { return link.to_owned() };
    let parameter = |text: &str| match text.split_once('=') {
        Some((name @ ("uint256" | "value"), amount)) if amount == whole => format!("{name}={rest}"),
        _ => text.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(parameter).collect();
    format!("{start}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn a_code_asks_for_what_is_missing() {
        let cases = [
            (
                "ethereum:0xa0b8@1/transfer?address=0x5100&uint256=5100",
                "ethereum:0xa0b8@1/transfer?address=0x5100&uint256=42",
            ),
            ("ethereum:0x5100@1?value=5100&gas=5100", "ethereum:0x5100@1?value=42&gas=5100"),
            ("https://bank.example/5100", "https://bank.example/5100"),
            ("ethereum:0x5100?uint256=51000", "ethereum:0x5100?uint256=51000"),
        ];
        for (whole, rest) in cases {
            assert_eq!(rewritten(whole, "5100", "42"), rest);
        }
    }
}
