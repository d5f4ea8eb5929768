//! The reference page.
//!
//! Operations and fields are read from the OpenAPI document. Only the sections around them are written here,
//! in [`ERRORS`] and in the template.

use super::{
    errors::{ERRORS, ErrorCode},
    example,
    frame::{ContentsEntry, DocsFrame},
    library::{Audience, REFERENCE},
    operations::{self, Operation},
    prose::{self, Span},
    samples::SampleLanguage,
    schema::{self, Table, text},
};
use askama::Template;
use serde_json::{Value, json};
use till_domain::request::KEY_REMEMBERED_FOR;
use till_service::{limits::Rate, settings::SETTINGS, web::assets};

/// Renders the page of a document, with examples in the chosen language.
#[must_use]
pub fn render(document: &Value, chosen: Option<SampleLanguage>, base_url: &str) -> String {
    let operations = operations::read(document, base_url);
    let problem = json!({ "$ref": "#/components/schemas/Problem" });
    let page = ReferencePage {
        frame: DocsFrame::new(REFERENCE, contents(&operations)),
        title: text(&document["info"]["title"]),
        version: text(&document["info"]["version"]),
        intro: prose::parse(text(&document["info"]["description"])),
        base_url,
        environments: environments(document),
        steps: steps(&operations),
        problem: schema::tables(document, &problem),
        problem_example: example::answer(document, &problem),
        errors: ERRORS.iter().map(ErrorRow::new).collect(),
        rates: RATES.iter().filter_map(RateRow::new).collect(),
        key_hours: KEY_REMEMBERED_FOR.as_secs() / 3600,
        operations,
        chosen,
    };
    page.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
}

#[derive(Template)]
#[template(path = "docs/reference.html")]
struct ReferencePage<'a> {
    frame: DocsFrame<'a>,
    title: &'a str,
    version: &'a str,
    intro: Vec<Span>,
    base_url: &'a str,
    environments: Vec<EnvironmentRow<'a>>,
    steps: Vec<QuickStartStep>,
    operations: Vec<Operation>,
    problem: Vec<Table>,
    problem_example: String,
    errors: Vec<ErrorRow>,
    rates: Vec<RateRow>,
    key_hours: u64,
    /// The language in which the reader wants examples.
    chosen: Option<SampleLanguage>,
}

impl ReferencePage<'_> {
    /// The languages of an operation's examples: their names, their addresses, and whether they are shown.
    fn switch(&self, operation: &Operation) -> Vec<(&'static str, String, bool)> {
        let Some(endpoint) = operation.endpoints.first() else { return Vec::new() };
        let shown = endpoint.sample(self.chosen).0;
        let anchor = format!("{}-example", operation.id);
        let languages = endpoint.samples.iter().map(|(language, _)| *language);
        languages.map(|language| (language.name(), language.href(&anchor), language == shown)).collect()
    }
}

fn contents(operations: &[Operation]) -> Vec<ContentsEntry> {
    let entry = |(id, title): (&str, &str)| ContentsEntry::new(id, title);
    let calls = operations.iter().map(|operation| entry((&operation.id, &operation.title)));
    std::iter::once(entry(("quick-start", "Quick start")))
        .chain(calls)
        .chain(RULES.map(|(id, title, _)| entry((id, title))))
        .collect()
}

/// The sections about every call: their anchors, titles, and words for the search.
pub const RULES: [(&str, &str, &str); 3] = [
    ("errors", "Errors", "Every error is a problem document (RFC 9457) with a code, a status and a detail."),
    (
        "rate-limits",
        "Rate limits",
        "How many calls you can send: the steady rate and the burst, by default. The headers RateLimit-Limit, \
         RateLimit-Remaining, RateLimit-Reset and Retry-After.",
    ),
    (
        "idempotency",
        "Idempotency",
        "Send each create request with an Idempotency-Key, and retry it with the same key until you get a response.",
    ),
];

struct EnvironmentRow<'a> {
    name: &'a str,
    description: Vec<Span>,
}

fn environments(document: &Value) -> Vec<EnvironmentRow<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| EnvironmentRow {
        name: text(&tag["name"]),
        description: prose::parse(text(&tag["description"])),
    })
    .collect()
}

/// A step of the quick start.
struct QuickStartStep {
    title: &'static str,
    hint: Vec<Span>,
    curl: String,
}

/// A call of the quick start.
struct QuickStartCall {
    operation: &'static str,
    title: &'static str,
    hint: &'static str,
    /// The field of the response that the next commands read from a shell variable, and the variable.
    saves: Option<(&'static str, &'static str)>,
}

const QUICK_START: [QuickStartCall; 4] = [
    QuickStartCall {
        operation: "obtainToken",
        title: "Get a token",
        hint: "Set the shell variables `TILL_CLIENT_ID` and `TILL_CLIENT_SECRET` to your sandbox credentials. The \
         last line saves the access_token in `TOKEN`.",
        saves: Some(("access_token", "TOKEN")),
    },
    QuickStartCall {
        operation: "createSession",
        title: "Create a session",
        hint: "The customer pays at the session_url in the response. The last line saves the session_id in \
         `SESSION_ID`.",
        saves: Some(("session_id", "SESSION_ID")),
    },
    QuickStartCall {
        operation: "simulate",
        title: "Choose the outcome",
        hint: "In the sandbox, you choose how the payment ends. This is how to do it from a test.",
        saves: None,
    },
    QuickStartCall {
        operation: "getSession",
        title: "Get its status",
        hint: "The status is final now. Your server checks it if no callback arrives.",
        saves: None,
    },
];

fn steps(operations: &[Operation]) -> Vec<QuickStartStep> {
    let step = |call: &QuickStartCall| {
        let operation = operations.iter().find(|operation| operation.id == call.operation)?;
        let endpoint = operation.endpoints.iter().find(|endpoint| endpoint.environment == "sandbox")?;
        let curl = match call.saves {
            Some((field, variable)) => example::saving(endpoint.curl(), field, variable),
            None => endpoint.curl().to_owned(),
        };
        Some(QuickStartStep { title: call.title, hint: prose::parse(call.hint), curl })
    };
    QUICK_START.iter().filter_map(step).collect()
}

struct ErrorRow {
    code: &'static str,
    status: u16,
    when: Vec<Span>,
    remedy: Vec<Span>,
}

impl ErrorRow {
    fn new(error: &ErrorCode) -> Self {
        Self {
            code: error.code,
            status: error.status,
            when: prose::parse(error.when),
            remedy: prose::parse(error.remedy),
        }
    }
}

/// The rate limits: the calls, their setting, and the callers that share a limit.
const RATES: [(&str, &str, &str); 4] = [
    ("Create a session, or choose its outcome", "rate_limit_create", "vendor and environment"),
    ("Get a session's status, or fetch callbacks", "rate_limit_status", "vendor and environment"),
    ("Obtain a token", "rate_limit_token", "client ID"),
    ("Check your endpoint", "rate_limit_endpoint_checks", "vendor"),
];

struct RateRow {
    calls: &'static str,
    rate: String,
    burst: u32,
    per: &'static str,
}

impl RateRow {
    /// The default of the setting.
    fn new((calls, key, per): &(&'static str, &'static str, &'static str)) -> Option<Self> {
        let setting = SETTINGS.iter().find(|setting| setting.key == *key)?;
        let rate = Rate::parse(setting.default?)?;
        let period = match rate.per.as_secs() {
            1 => "second",
            60 => "minute",
            _ => "hour",
        };
        Some(Self { calls, rate: format!("{} per {period}", rate.count), burst: rate.burst, per })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;

    const BASE_URL: &str = "https://pay.example.com";

    fn page() -> String {
        render(&openapi::document(BASE_URL), None, BASE_URL)
    }

    fn count(page: &str, part: &str) -> usize {
        page.matches(part).count()
    }

    /// The content of every tag.
    fn tags(page: &str) -> impl Iterator<Item = &str> {
        page.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0))
    }

    #[test]
    fn every_path_and_operation_is_there() {
        let (document, page) = (openapi::document(BASE_URL), page());
        for (path, item) in document["paths"].as_object().expect("paths") {
            assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
            for operation in item.as_object().expect("operations").values() {
                let id = operation["operationId"].as_str().expect("an id");
                assert!(page.contains(&format!("<code>{id}</code>")), "{id}");
            }
        }
        for operation in operations::read(&document, BASE_URL) {
            assert_eq!(count(&page, &format!("id=\"{}\"", operation.id)), 1, "{}", operation.id);
            let heading = format!(">{}</a></h2>", operation.title.replace('\'', "&#39;"));
            assert_eq!(count(&page, &heading), 1, "{heading}");
        }
    }

    #[test]
    fn every_field_of_every_schema_is_there() {
        let (document, page) = (openapi::document(BASE_URL), page());
        for (schema, object) in document["components"]["schemas"].as_object().expect("schemas") {
            for field in object["properties"].as_object().expect("properties").keys() {
                assert!(page.contains(&format!("<code class=\"name\">{field}</code>")), "{schema}.{field}");
            }
        }
    }

    #[test]
    fn every_error_code_has_its_anchor_once() {
        let page = page();
        for error in ERRORS {
            assert_eq!(count(&page, &format!("id=\"problem-{}\"", error.code)), 1, "{}", error.code);
        }
        assert_eq!(count(&page, "id=\"problem-"), ERRORS.len());
    }

    #[test]
    fn every_id_is_there_once_and_every_link_inside_the_page_leads_to_one() {
        let page = page();
        let mut ids: Vec<&str> =
            page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(ids.contains(&target), "#{target}");
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn the_quick_start_uses_the_real_address() {
        let steps = steps(&operations::read(&openapi::document(BASE_URL), BASE_URL));
        assert_eq!(steps.len(), QUICK_START.len());
        assert!(steps.iter().all(|step| step.curl.contains(&format!("{BASE_URL}/api/sandbox/"))));
        for field in ["product_name", "price", "currency", "order_id"] {
            assert!(steps[1].curl.contains(field), "{field}");
        }
        assert!(!steps[1].curl.contains("product_id"));
        for (step, variable) in [(0, "TOKEN=$("), (1, "SESSION_ID=$(")] {
            assert!(
                steps[step].curl.lines().last().is_some_and(|line| line.starts_with(variable)),
                "{variable}"
            );
        }
    }

    #[test]
    fn examples_are_in_the_chosen_language() {
        for (chosen, mark, other) in [
            (None, "curl -X POST", "stream_context_create"),
            (Some(SampleLanguage::Php), "stream_context_create", "await fetch"),
            (Some(SampleLanguage::JavaScript), "await fetch", "urlopen"),
            (Some(SampleLanguage::Python), "urlopen", "stream_context_create"),
            (Some(SampleLanguage::Rust), "curl -X POST", "await fetch"),
        ] {
            let page = render(&openapi::document(BASE_URL), chosen, BASE_URL);
            assert!(page.contains(mark) && !page.contains(other), "{chosen:?}");
        }
    }

    /// The programs write no nested values.
    #[test]
    fn bodies_of_examples_are_flat() {
        for operation in operations::read(&openapi::document(BASE_URL), BASE_URL) {
            for (language, text) in operation.endpoints.iter().flat_map(|endpoint| &endpoint.samples) {
                assert!(!text.contains(": {\n") && !text.contains(": [\n"), "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn every_rate_has_a_default() {
        let rates: Vec<RateRow> = RATES.iter().filter_map(RateRow::new).collect();
        let listed: Vec<(&str, u32)> = rates.iter().map(|row| (row.rate.as_str(), row.burst)).collect();
        assert_eq!(
            listed,
            [("100 per second", 200), ("300 per second", 600), ("10 per second", 30), ("10 per hour", 10)]
        );
    }

    #[test]
    fn nothing_is_inline() {
        let page = page();
        for tag in tags(&page) {
            for attribute in tag.split_ascii_whitespace().skip(1) {
                let name = attribute.split('=').next().unwrap_or_default();
                assert!(name != "style" && !name.starts_with("on"), "<{tag}>");
            }
            assert!(!tag.starts_with("style"), "<{tag}>");
            assert!(!tag.starts_with("script") || tag.contains(" src=\"/assets/"), "<{tag}>");
        }
    }

    #[test]
    fn hostile_text_comes_out_escaped() {
        let mut document = openapi::document(BASE_URL);
        spoil(&mut document);
        let page = render(&document, None, "https://\"><script>alert(1)</script>");
        assert!(page.contains("&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#62;&#60;img"));
        for raw in ["<script>", "<img", "alert(1)</", "\"&#62;"] {
            assert!(!page.contains(raw), "{raw}");
        }
    }

    /// Puts markup into every text of the document that does not control how it is read.
    fn spoil(value: &mut Value) {
        const HOSTILE: &str = "<script>alert(1)</script>\"><img onload='x'>";
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    match (name.as_str(), field) {
                        ("$ref" | "tags" | "type", _) => {}
                        (_, Value::String(text)) => *text = HOSTILE.to_owned(),
                        (_, field) => spoil(field),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(spoil),
            _ => {}
        }
    }
}
