//! The endpoint check: plays a fixed script of sandbox callbacks, right and wrong, against a vendor's receiver, and says
//! whether it is ready for real payments.
//!
//! The requests go through the same guard as every callback, one after another and one check at a time for each vendor, so a
//! check is no scanner of networks. [`script`] makes the requests, [`report`] explains their results.

mod code_lines;
mod report;
mod script;

pub use code_lines::CodeLanguage;
pub use report::{CheckReport, StepReport};

use crate::{environment::Environment, outbound::Outbound, random, telemetry::explain};
use std::{sync::Arc, time::Duration};
use till_domain::{
    endpoint_check::{CheckStep, CheckVerdict},
    id::{CheckId, VendorId},
    rejection::{FieldProblem, Problems, Rejection},
    request::FieldValue,
    vendor::Vendor,
    weburl::WebUrl,
};
use till_store::{EndpointChecks, KEPT_CHECKS, NewCheck, StoreError, StoredCheck};

/// The lease of a check beyond the timeouts of a step's requests.
const LEASE: Duration = Duration::from_secs(30);

/// Most requests of one step.
const REQUESTS: u32 = 2;

/// The author of a check that was started by a call of the API.
pub const BY_API: &str = "api";

/// Checks the endpoints of vendors.
#[derive(Debug)]
pub struct EndpointChecker {
    sandbox: Arc<Environment>,
    outbound: Outbound,
    checks: EndpointChecks,
}

/// A request for a check.
#[derive(Debug)]
pub struct CheckOrder<'a> {
    pub vendor: &'a Arc<Vendor>,
    /// The URL to check; that of the vendor's settings if it is absent.
    pub callback_url: FieldValue,
    /// The user's address, or [`BY_API`].
    pub by: &'a str,
    /// The programming language that the vendor seems to use.
    pub code_language: Option<CodeLanguage>,
}

/// The reason why a check did not begin.
#[derive(Debug, thiserror::Error)]
pub enum CheckRefusal {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The limit of checks was reached; the wait.
    #[error("too many endpoint checks")]
    TooMany(Duration),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EndpointChecker {
    #[must_use]
    pub fn new(sandbox: Arc<Environment>, outbound: Outbound, checks: EndpointChecks) -> Arc<Self> {
        Arc::new(Self { sandbox, outbound, checks })
    }

    /// The environment whose sessions the checks make.
    #[must_use]
    pub fn environment(&self) -> &Arc<Environment> {
        &self.sandbox
    }

    /// Begins a check; it continues after this returns.
    pub async fn start(self: &Arc<Self>, order: &CheckOrder<'_>) -> Result<CheckId, CheckRefusal> {
        let (sandbox, vendor) = (&self.sandbox, order.vendor);
        sandbox.store.hold.check()?;
        let target = self.target(order)?;
        let newest = self.checks.checks_of(vendor.id, 1).await?;
        if newest.iter().any(|check| check.verdict(sandbox.now()).is_none()) {
            return Err(Rejection::CheckRunning.into());
        }
        let quota = sandbox.limits.checks.peek(&vendor.id, sandbox.uptime());
        if let Some(wait) = quota.and_then(|quota| quota.retry_after) {
            return Err(CheckRefusal::TooMany(wait));
        }
        let now = sandbox.now();
        let check = NewCheck {
            id: random::id::<CheckId>(now),
            vendor: vendor.id,
            target,
            requested_by: order.by.to_owned(),
            code_language: order.code_language.map(|language| language.as_str().to_owned()),
            started_at: now,
        };
        if !self.checks.begin(&check, now.plus(self.lease())).await? {
            return Err(Rejection::CheckRunning.into());
        }
        let _ = sandbox.limits.checks.take(&vendor.id, sandbox.uptime());
        let (checker, vendor, id) = (Arc::clone(self), Arc::clone(vendor), check.id);
        tokio::spawn(async move {
            if let Err(error) = checker.run(&check, &vendor).await {
                tracing::error!(check = %check.id, "an endpoint check was broken off: {}", explain(&error));
                // If this fails too, the lease ends it.
                let _ = checker.checks.end(check.id, CheckVerdict::NotReady, checker.sandbox.now()).await;
            }
        });
        Ok(id)
    }

    /// The URL to check.
    fn target(&self, order: &CheckOrder<'_>) -> Result<WebUrl, Rejection> {
        let allow_private = self.sandbox.rules().private_callbacks;
        let read = || match order.callback_url.text()? {
            Some(text) => WebUrl::parse_callback(text, allow_private).map_err(FieldProblem::from),
            None => order.vendor.settings.callback_url.clone().ok_or(FieldProblem::Required),
        };
        let mut problems = Problems::default();
        let target = problems.take("callback_url", read());
        problems.finish()?;
        Ok(target.unwrap_or_else(|| unreachable!("a missing URL was noted as a problem")))
    }

    fn lease(&self) -> Duration {
        self.outbound.timeout() * REQUESTS + LEASE
    }

    /// A vendor's check with all that is known of its steps.
    pub async fn report(&self, id: CheckId, vendor: VendorId) -> Result<Option<CheckReport>, StoreError> {
        let Some(check) = self.checks.check(id, vendor).await? else { return Ok(None) };
        let steps = self.checks.steps(id).await?;
        Ok(Some(CheckReport::new(check, steps, self.sandbox.now())))
    }

    /// The newest checks of a vendor, newest first.
    pub async fn history(&self, vendor: VendorId, limit: u32) -> Result<Vec<StoredCheck>, StoreError> {
        self.checks.checks_of(vendor, limit).await
    }

    /// The newest check of a vendor that has ended.
    pub async fn last(&self, vendor: VendorId) -> Result<Option<StoredCheck>, StoreError> {
        self.checks.last_ended(vendor, self.sandbox.now()).await
    }

    /// The steps that passed in any check of a vendor that is kept, whichever endpoint was checked.
    pub async fn passed_steps(&self, vendor: VendorId) -> Result<Vec<CheckStep>, StoreError> {
        self.checks.passed_steps(vendor).await
    }

    /// True if any check of a vendor that is kept found its endpoint ready.
    pub async fn was_ready(&self, vendor: VendorId) -> Result<bool, StoreError> {
        let (all, now) = (self.checks.checks_of(vendor, KEPT_CHECKS).await?, self.sandbox.now());
        Ok(all.iter().any(|check| check.verdict(now) == Some(CheckVerdict::Ready)))
    }

    /// True if the newest check of the endpoint that the vendor uses found it ready. A vendor without a Callback URL sends
    /// one with each session, so that any endpoint counts.
    pub async fn is_ready(&self, vendor: &Vendor) -> Result<bool, StoreError> {
        let (all, now) = (self.checks.checks_of(vendor.id, KEPT_CHECKS).await?, self.sandbox.now());
        let in_use = |check: &&StoredCheck| {
            let url = vendor.settings.callback_url.as_ref();
            check.verdict(now).is_some() && url.is_none_or(|url| *url == check.target)
        };
        Ok(all.iter().find(in_use).and_then(|check| check.verdict(now)) == Some(CheckVerdict::Ready))
    }
}
