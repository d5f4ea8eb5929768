//! Refunds from the page of a session: first the amount, then the confirmation, then the refund is started.
//! The same for a vendor's admin and for the operator.

use crate::{
    Panel,
    pages::{
        FlashMessage, NavItem, Question,
        refund::{RefundCost, RefundForm, RefundItem, RefundLine, RefundLines, RefundProblem},
    },
    visit::{Answer, Refused, Visit, done},
};
use till_domain::{
    environment::EnvironmentName,
    fiscal::{FiscalItem, ItemQuantity, refund_body},
    money::{Digits, Money, plain_digits},
    refund::{Refund, RefundedPart},
    rejection::Rejection,
    request::{FieldValue, RefundRequest},
    session::{Session, State},
};
use till_service::{
    admin::{self, RefundError, RefundOrder, Refunder},
    environment::Environment,
};
use till_store::StoreError;

/// The context of a refund: the visit, the session, and its page.
pub(super) struct RefundContext<'a> {
    pub panel: &'a Panel,
    pub visit: &'a Visit,
    pub environment: &'a Environment,
    pub session: &'a Session,
    /// The page of the session.
    pub back: String,
    pub place: NavItem,
}

impl RefundContext<'_> {
    /// The form, prefilled with all that can still be refunded.
    pub(super) async fn ask(&self) -> Answer {
        let left = left(self.environment, self.session).await?.ok_or(Refused::NotFound)?;
        let lines = RefundLines::read(self.environment, self.session).await?.of_all();
        Ok(self.show(RefundForm { amount: left.digits(), lines, ..self.form(left) }))
    }

    /// Handles the submitted form: shows the confirmation, or starts the refund.
    pub(super) async fn take(&self) -> Answer {
        let left = left(self.environment, self.session).await?.ok_or(Refused::NotFound)?;
        let (amount, reason) = (self.visit.form.get("amount"), self.visit.form.get("reason"));
        let lines = RefundLines::read(self.environment, self.session).await?;
        // The fields are named by the places of the lines.
        if !lines.items.is_empty() && lines.mark != self.visit.form.get("lines") {
            return self.changed(self.form(left)).await;
        }
        let lines = lines.typed(|field| self.visit.form.get(field).to_owned());
        let form =
            RefundForm { amount: amount.to_owned(), reason: reason.to_owned(), lines, ..self.form(left) };
        let request = match typed_request(&form) {
            Ok(request) => request,
            Err(problem) => return Ok(self.show(RefundForm { problem: Some(problem), ..form })),
        };
        let actor = self.visit.actor();
        let vendor = self.environment.directory.vendor(self.session.vendor).await?;
        let facts = vendor.map(|vendor| (vendor.terms.clone(), vendor.settings.fiscal));
        let (terms, fiscal) = facts.unwrap_or_default();
        let once = self.key();
        let key = once.as_deref().map(|once| (once, [0; 32]));
        let (session, terms, fiscal, by) = (self.session, &terms, &fiscal, actor.name.as_str());
        let mark = form.lines.mark.clone();
        let lines = (!form.lines.items.is_empty()).then_some(mark.as_str());
        let asking = RefundOrder { session, terms, fiscal, request: &request, lines, by, key };
        let refunder = Refunder { store: &self.environment.store };
        if self.visit.form.get("sure") != "on" {
            return match refunder.decide(&asking).await {
                Ok((refund, _)) => Ok(self.show(RefundForm { cost: Some(cost(&refund)), ..form })),
                Err(RefundError::LinesChanged) => self.changed(form).await,
                Err(error) => self.refuse(form, error),
            };
        }
        match refunder.request_by(&self.panel.admin.accounts, &actor, &asking).await {
            Ok(_) => Ok(done(&self.back, FlashMessage::Refunded)),
            Err(RefundError::KeyTaken) => Ok(done(&self.back, FlashMessage::Repeated)),
            Err(RefundError::LinesChanged) => self.changed(form).await,
            Err(error) => self.refuse(form, error),
        }
    }

    /// The form again, with the lines as they are now; unless it was its own refund that changed them.
    async fn changed(&self, form: RefundForm) -> Answer {
        let refunder = Refunder { store: &self.environment.store };
        if let Some(key) = self.key()
            && refunder.was_made(self.session.vendor, &key).await?
        {
            return Ok(done(&self.back, FlashMessage::Repeated));
        }
        let lines = RefundLines::read(self.environment, self.session).await?.of_all();
        Ok(self.show(RefundForm { lines, problem: Some(RefundProblem::Changed), ..form }))
    }

    /// A form counts once: its id is used as an idempotency key that no API caller can send.
    fn key(&self) -> Option<String> {
        self.visit.actor().form.map(|form| format!("\u{2}{form}"))
    }

    fn form(&self, left: Money) -> RefundForm {
        RefundForm {
            back: self.back.clone(),
            left,
            amount: String::new(),
            lines: RefundLines::default(),
            reason: String::new(),
            problem: None,
            cost: None,
            sandbox: self.environment.name == EnvironmentName::Sandbox,
        }
    }

    fn show(&self, form: RefundForm) -> axum::response::Response {
        let wrong = form.problem.is_some();
        let body = Question::Refund(Box::new(form));
        let place = Some(self.place);
        if wrong {
            self.visit.again(self.panel, place, body)
        } else {
            self.visit.page(self.panel, place, body)
        }
    }

    fn refuse(&self, form: RefundForm, error: RefundError) -> Answer {
        let rejection = match error {
            RefundError::Rejected(rejection) => rejection,
            RefundError::KeyTaken => return Err(Refused::Repeated),
            RefundError::LinesChanged => unreachable!("the form is shown again"),
            RefundError::Store(error) => return Err(error.into()),
        };
        Ok(self.show(RefundForm { problem: Some(problem(&rejection)), ..form }))
    }
}

/// The request that was typed: an amount, or quantities of the receipt's lines, whose sum is the amount.
fn typed_request(form: &RefundForm) -> Result<RefundRequest, RefundProblem> {
    if form.lines.items.is_empty() {
        return Ok(RefundRequest::typed(&plain_digits(&form.amount), &form.reason));
    }
    let read: Vec<_> = form.lines.items.iter().map(typed_quantity).collect();
    let wrong: Vec<usize> = (0..read.len()).filter(|index| read[*index].is_err()).collect();
    if !wrong.is_empty() {
        return Err(RefundProblem::Quantities(wrong));
    }
    let quantities = read.into_iter().flatten();
    let returned = form.lines.items.iter().zip(quantities);
    let returned =
        returned.filter_map(|(line, quantity)| Some(FiscalItem { quantity: quantity?, ..line.item.clone() }));
    let returned: Vec<FiscalItem> = returned.filter(|item| item.total() > 0).collect();
    if returned.is_empty() {
        return Err(RefundProblem::NoItems);
    }
    let minor = returned.iter().map(FiscalItem::total).sum();
    let amount = Money { minor, ..form.left };
    let receipt = refund_body(&returned, amount);
    let amount = FieldValue::Text(amount.digits());
    Ok(RefundRequest { amount, receipt, ..RefundRequest::typed("", &form.reason) })
}

/// How many of a line come back; `None` if none of it does.
fn typed_quantity(line: &RefundItem) -> Result<Option<ItemQuantity>, ()> {
    // Thousands of items are not grouped: a comma is a decimal mark.
    let digits = plain_digits(&line.typed.replace(',', "."));
    if digits.chars().all(|c| matches!(c, '0' | '.')) {
        return Ok(None);
    }
    let quantity = Digits::from_text(&digits).ok().as_ref().and_then(ItemQuantity::new).ok_or(())?;
    let is_left = line.left.is_some_and(|left| quantity.thousandths() <= left.thousandths());
    is_left.then_some(Some(quantity)).ok_or(())
}

impl RefundLines {
    /// The lines of a session's fiscal receipt, with what is left of each; empty if it has none.
    async fn read(environment: &Environment, session: &Session) -> Result<Self, StoreError> {
        if session.fiscal.is_none() {
            return Ok(Self::default());
        }
        let receipts = environment.store.fiscal_receipts_of(session.id).await?;
        let refunds = environment.store.refunds().of_session(session.id).await?;
        let lines = admin::lines_left(&receipts, &refunds);
        let mark = admin::lines_mark(&lines);
        let line = |(item, left)| RefundItem { item, left, typed: String::new() };
        Ok(Self { items: lines.into_iter().map(line).collect(), mark })
    }
}

fn problem(rejection: &Rejection) -> RefundProblem {
    match rejection {
        Rejection::Invalid(fields) if fields.iter().any(|error| error.field == "receipt.customer") => {
            RefundProblem::Customer
        }
        Rejection::Invalid(fields) if fields.iter().any(|error| error.field == "reason") => {
            RefundProblem::Reason
        }
        Rejection::Invalid(_) if rejection.code() == "amount_too_large" => RefundProblem::TooMuch,
        Rejection::Invalid(_) => RefundProblem::Amount,
        Rejection::NothingToRefund => RefundProblem::Nothing,
        Rejection::InsufficientBalance { needed, available } => {
            RefundProblem::Balance { needed: *needed, available: *available }
        }
        _ => RefundProblem::Unable,
    }
}

fn cost(refund: &Refund) -> RefundCost {
    let money = |minor| Money { minor, ..refund.amount };
    RefundCost { amount: refund.amount, own: money(refund.of_vendor()), fee: money(refund.fee()) }
}

/// The amount that can still be refunded; `None` if the session cannot be refunded at all.
pub(super) async fn left(environment: &Environment, session: &Session) -> Result<Option<Money>, StoreError> {
    let refunds = environment.store.refunds();
    if session.state != State::Paid {
        return Ok(None);
    }
    let all = refunds.of_session(session.id).await?;
    let Some(paid) = refunds.paid_with(session.id, &all).await? else { return Ok(None) };
    let able = environment.rules().refunding.contains(&paid.money.provider.as_str());
    Ok(able.then(|| admin::payment(&paid).left(&all)))
}

/// The part of a session's price that was refunded.
pub(super) async fn part(environment: &Environment, session: &Session) -> Result<RefundedPart, StoreError> {
    let refunds = environment.store.refunds();
    if session.state != State::Paid {
        return Ok(RefundedPart::Nothing);
    }
    Ok(RefundedPart::of(session.item.price.money(), &refunds.of_session(session.id).await?))
}

/// The display data of a session's refunds.
pub(super) async fn lines(
    environment: &Environment,
    session: &Session,
) -> Result<Vec<RefundLine>, StoreError> {
    let all = environment.store.refunds().of_session(session.id).await?;
    let line = |refund: Refund| RefundLine {
        id: refund.id,
        amount: refund.amount,
        status: refund.state.status(),
        by_hand: refund.manual.is_some(),
        failure: refund.state.failure().map(str::to_owned),
        reason: refund.reason,
        by: refund.requested_by,
        asked_at: refund.created_at,
        ended_at: refund.state.is_final().then_some(refund.updated_at),
    };
    Ok(all.into_iter().map(line).collect())
}
