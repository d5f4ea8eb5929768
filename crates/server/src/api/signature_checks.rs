//! The signature doctor. Sandbox only.

use super::{
    call::{authorized, bearer, read_json},
    wire::{SignatureDiagnosis, SignatureVerdict},
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::sync::Arc;
use till_domain::{
    rejection::{FieldProblem, Problems, Rejection},
    request::SignatureRequest,
};
use till_service::{
    callbacks::signature_check::{SignatureReport, VendorSignature},
    environment::Environment,
    web::{language::Language, words::Words},
};

/// `POST /api/sandbox/vendor/signature-checks`
pub async fn check(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, request| async move {
        let token = bearer(request.headers()).map(str::to_owned);
        let mut body = read_json(request).await?;
        let (signature, body) = read(&SignatureRequest::from_fields(|name| body.take(name)))?;
        let asked = VendorSignature { vendor: call.vendor.id, signature, body, token };
        Ok(Json(SignatureVerdict::from(asked.check(environment).await?)).into_response())
    })
    .await
}

/// The signature and the bytes of the body.
fn read(asked: &SignatureRequest) -> Result<(String, Vec<u8>), Rejection> {
    let mut problems = Problems::default();
    let encoding = match asked.body_encoding.text() {
        Ok(None | Some("utf8")) => Ok(false),
        Ok(Some("base64")) => Ok(true),
        Ok(Some(_)) => Err(FieldProblem::NotOneOf("utf8, base64")),
        Err(problem) => Err(problem),
    };
    let in_base64 = encoding.clone().unwrap_or_default();
    let body = asked.body.required_text().and_then(|text| match in_base64 {
        true => BASE64_STANDARD.decode(text).map_err(|_| FieldProblem::WrongType("base64 with padding")),
        false => Ok(text.as_bytes().to_vec()),
    });
    let body = problems.take("body", body);
    let signature = problems.take("signature", asked.signature.required_text());
    problems.take("body_encoding", encoding);
    problems.finish()?;
    Ok((signature.unwrap_or_default().to_owned(), body.unwrap_or_default()))
}

impl From<SignatureReport> for SignatureVerdict {
    fn from(report: SignatureReport) -> Self {
        let english = Words { language: Language::English };
        let diagnosis = report.diagnoses.iter().map(|found| SignatureDiagnosis {
            code: found.mistake.code(),
            says: found.says(&english),
            client_id: found.client_id.clone(),
        });
        Self { right: report.right, diagnosis: diagnosis.collect() }
    }
}
