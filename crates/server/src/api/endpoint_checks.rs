//! Checks of the vendor's endpoint. Sandbox only.

use super::{
    call::{CheckInPath, authorized, read_optional_json},
    wire::{CheckStarted, EndpointCheck, EndpointCheckStep},
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::sync::Arc;
use till_domain::{id::CheckId, rejection::Rejection, request::EndpointCheckRequest};
use till_service::{
    callbacks::endpoint_check::{
        BY_API, CheckOrder, CheckRefusal, CheckReport, CodeLanguage, EndpointChecker, StepReport,
    },
    web::{Problem, language::Language, words::Words},
};

/// `POST /api/sandbox/vendor/endpoint-checks`
pub async fn start(State(checker): State<Arc<EndpointChecker>>, request: Request) -> Response {
    let (checker, environment) = (&checker, &**checker.environment());
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        let code_language = code_language(request.headers());
        let mut body = read_optional_json(request).await?;
        let EndpointCheckRequest { callback_url } = EndpointCheckRequest::from_fields(|name| body.take(name));
        let order = CheckOrder { vendor: &call.vendor, callback_url, by: BY_API, code_language };
        let id = checker.start(&order).await.map_err(|refusal| match refusal {
            CheckRefusal::Rejected(rejection) => rejection.into(),
            CheckRefusal::TooMany(wait) => Problem::rate_limited(wait),
            CheckRefusal::Store(error) => Problem::from(error),
        })?;
        let started = CheckStarted { check_id: id.to_string() };
        Ok((StatusCode::ACCEPTED, Json(started)).into_response())
    })
    .await
}

/// `GET /api/sandbox/vendor/endpoint-checks/{check_id}`
pub async fn show(
    State(checker): State<Arc<EndpointChecker>>,
    CheckInPath(id): CheckInPath,
    request: Request,
) -> Response {
    let (checker, environment) = (&checker, &**checker.environment());
    authorized(environment, &environment.limits.status, request, |call, _| async move {
        let id = CheckId::parse(&id).ok_or(Rejection::CheckNotFound)?;
        let report = checker.report(id, call.vendor.id).await?.ok_or(Rejection::CheckNotFound)?;
        Ok(Json(EndpointCheck::from(&report)).into_response())
    })
    .await
}

/// The programming language of the caller, if its `User-Agent` tells.
fn code_language(headers: &HeaderMap) -> Option<CodeLanguage> {
    let agent = headers.get(header::USER_AGENT)?.to_str().ok()?;
    CodeLanguage::of_user_agent(agent)
}

impl From<&CheckReport> for EndpointCheck {
    fn from(report: &CheckReport) -> Self {
        let own = report.own_language();
        Self {
            check_id: report.check.id.to_string(),
            callback_url: report.check.target.as_str().to_owned(),
            started_at: report.check.started_at.to_string(),
            state: if report.verdict.is_some() { "done" } else { "running" },
            verdict: report.verdict.map(|verdict| verdict.as_str()),
            steps: report.steps.iter().map(|step| EndpointCheckStep::new(step, own)).collect(),
        }
    }
}

impl EndpointCheckStep {
    fn new(report: &StepReport, own: Option<CodeLanguage>) -> Self {
        let english = Words { language: Language::English };
        Self {
            name: report.step.as_str(),
            level: report.level.as_str(),
            wanted: report.wanted(&english),
            got: report.got(&english),
            passed: report.passed,
            why: report.why(&english),
            repair: report.repair(&english),
            code: own.and_then(|language| report.code(language)),
            duration_ms: report.took.as_millis().try_into().unwrap_or(u64::MAX),
        }
    }
}
