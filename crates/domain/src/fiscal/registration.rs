//! From a receipt that no till has to one that is registered, or never will be.

use super::{FiscalReceipt, ReceiptStatus};
use crate::{
    change::Change,
    id::{FiscalReceiptId, SessionId},
    rejection::{FieldProblem, Problems, Rejection},
    request::{FieldValue, SimulateRequest},
    session::{Session, Status},
    time::Timestamp,
};

/// A receipt that a till has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiscalSending {
    pub id: FiscalReceiptId,
    pub status: ReceiptStatus,
    pub provider: Option<String>,
    /// The provider's reference of the payment or the refund.
    pub reference: Option<String>,
    /// Why it is not registered, if that is known already.
    pub failure: Option<String>,
    /// The address that the customer typed, if the receipt has no contact.
    pub email: Option<String>,
    /// When the provider is asked about its registration.
    pub check_at: Option<Timestamp>,
    pub at: Timestamp,
}

impl FiscalSending {
    /// The change that stores it. It changes nothing where there is no such receipt, or where it was sent before.
    #[must_use]
    pub fn change(self) -> Change {
        Change::SendFiscalReceipt(Box::new(self))
    }
}

/// The receipt of a second payment: a till has got the receipt of its session once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondReceipt {
    pub session: SessionId,
    pub sending: FiscalSending,
}

impl SecondReceipt {
    /// The change that stores it. It changes nothing where the session has no receipt, or where none has been sent with another
    /// payment.
    #[must_use]
    pub fn change(self) -> Change {
        Change::InsertSecondReceipt(Box::new(self))
    }
}

/// A receipt that went to the till of a provider with the payment or the refund.
#[must_use]
pub fn taken_along(id: FiscalReceiptId, provider: &str, reference: &str, at: Timestamp) -> FiscalSending {
    FiscalSending {
        id,
        status: ReceiptStatus::Pending,
        provider: Some(provider.to_owned()),
        reference: Some(reference.to_owned()),
        failure: None,
        email: None,
        check_at: Some(at),
        at,
    }
}

/// Plays the registration for a session that has just been paid, where there is no till.
#[must_use]
pub fn play(paid: &mut Session) -> Option<Change> {
    let fiscal = paid.fiscal.as_mut()?;
    fiscal.status = fiscal.plan;
    Some(played_for(paid.id.into(), fiscal.plan, paid.updated_at).change())
}

/// What the sandbox plays for a receipt.
#[must_use]
pub fn played_for(id: FiscalReceiptId, status: ReceiptStatus, at: Timestamp) -> FiscalSending {
    FiscalSending {
        id,
        status,
        provider: None,
        reference: None,
        failure: None,
        email: None,
        check_at: None,
        at,
    }
}

/// The status that a tester wants a receipt to have.
pub fn read_wish(value: &FieldValue, problems: &mut Problems) -> Option<ReceiptStatus> {
    let word = problems.take("receipt", value.text()).flatten()?;
    let status = ReceiptStatus::parse(word).filter(|status| *status != ReceiptStatus::None);
    problems.take("receipt", status.ok_or(FieldProblem::NotOneOf("pending, registered, failed")))
}

/// Lets the receipt of a session have this status: now if it is paid, otherwise once it is paid.
pub fn wish(session: &Session, plan: ReceiptStatus, at: Timestamp) -> Result<(Session, Change), Rejection> {
    let fiscal = session.fiscal.ok_or(Rejection::NotPossibleNow)?;
    let status = match session.state.status() {
        Status::Pending => fiscal.status,
        Status::Paid => plan,
        Status::Failed | Status::Expired => return Err(Rejection::NotPossibleNow),
    };
    let fiscal = Some(super::SessionFiscal { status, plan, ..fiscal });
    let change = Change::PlanFiscalReceipt { id: session.id.into(), plan, at };
    Ok((Session { fiscal, ..session.clone() }, change))
}

/// Applies a request of a tester that is about the receipt alone.
pub fn simulate(
    session: &Session,
    request: &SimulateRequest,
    at: Timestamp,
) -> Result<(Session, Change), Rejection> {
    let SimulateRequest { failure_reason, after_ms, amount, resolution, callback, .. } = request;
    let mut problems = Problems::default();
    let of_outcome = [
        ("failure_reason", failure_reason),
        ("after_ms", after_ms),
        ("amount", amount),
        ("resolution", resolution),
        ("callback", callback),
    ];
    for (name, _) in of_outcome.into_iter().filter(|(_, value)| value.is_present()) {
        problems.add(name, FieldProblem::OnlyWith("outcome or event"));
    }
    let plan = read_wish(&request.receipt, &mut problems);
    problems.finish()?;
    wish(session, plan.unwrap_or_else(|| unreachable!("the field is there")), at)
}

/// The change that stores a new receipt.
#[must_use]
pub fn inserted(receipt: FiscalReceipt) -> Change {
    Change::InsertFiscalReceipt(Box::new(receipt))
}
