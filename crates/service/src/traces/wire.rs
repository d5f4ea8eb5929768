//! Spans as OTLP writes them in JSON: ids in hex digits, numbers of 64 bits as texts.

use super::{AttributeValue, FinishedSpan, SpanKind};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportRequest<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource<'a>,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource<'a> {
    attributes: Vec<Attribute<'a>>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: Vec<WireSpan<'a>>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSpan<'a> {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: &'a str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<WireStatus<'a>>,
}

#[derive(Serialize)]
struct WireStatus<'a> {
    code: u8,
    message: &'a str,
}

#[derive(Serialize)]
struct Attribute<'a> {
    key: &'a str,
    value: WireValue<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum WireValue<'a> {
    StringValue(&'a str),
    IntValue(String),
}

/// The code of a status that is an error.
const ERROR: u8 = 2;

/// The body of an export.
pub(super) fn body(resource: &[(&'static str, String)], spans: &[FinishedSpan]) -> Vec<u8> {
    let attributes =
        resource.iter().map(|(key, value)| Attribute { key, value: WireValue::StringValue(value) });
    let request = ExportRequest {
        resource_spans: [ResourceSpans {
            resource: Resource { attributes: attributes.collect() },
            scope_spans: [ScopeSpans {
                scope: Scope { name: "till", version: env!("CARGO_PKG_VERSION") },
                spans: spans.iter().map(wire_span).collect(),
            }],
        }],
    };
    serde_json::to_vec(&request).unwrap_or_else(|_| unreachable!("strings always serialize"))
}

fn wire_span(finished: &FinishedSpan) -> WireSpan<'_> {
    let span = &finished.span;
    WireSpan {
        trace_id: hex::encode(finished.trace),
        span_id: hex::encode(span.id),
        parent_span_id: finished.parent.map(hex::encode),
        name: &span.name,
        kind: match span.kind {
            SpanKind::Internal => 1,
            SpanKind::Server => 2,
            SpanKind::Client => 3,
        },
        start_time_unix_nano: nanoseconds(span.started),
        end_time_unix_nano: nanoseconds(finished.ended),
        attributes: span
            .attributes
            .iter()
            .map(|(key, value)| Attribute { key, value: wire_value(value) })
            .collect(),
        status: span.error.as_deref().map(|message| WireStatus { code: ERROR, message }),
    }
}

fn wire_value(value: &AttributeValue) -> WireValue<'_> {
    match value {
        AttributeValue::Text(text) => WireValue::StringValue(text),
        AttributeValue::Number(number) => WireValue::IntValue(number.to_string()),
    }
}

fn nanoseconds(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
