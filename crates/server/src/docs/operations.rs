//! Collects the operations of the document. An operation that both environments have is described once, with
//! both its paths.

use super::{
    example,
    prose::{self, Span},
    samples::SampleLanguage,
    schema::{self, Field, Table, text},
};
use axum::http::StatusCode;
use serde_json::Value;
use std::collections::BTreeMap;

/// One operation, in every environment that has it.
#[derive(Debug)]
pub struct Operation {
    /// Its id without the environment; the anchor on the page.
    pub id: String,
    pub title: String,
    pub description: Vec<Span>,
    /// Its paths, in the document's order of environments.
    pub endpoints: Vec<Endpoint>,
    /// The environment, if only one has it.
    pub only_in: Option<String>,
    /// The required authentication, if any.
    pub auth: Option<Auth>,
    /// Path, query and header parameters.
    pub parameters: Vec<Parameter>,
    /// The fields of the request body.
    pub body: Vec<Table>,
    /// The answers on success.
    pub answers: Vec<ResponseDoc>,
    /// The errors.
    pub problems: Vec<ErrorDoc>,
}

/// An operation in one environment.
#[derive(Debug)]
pub struct Endpoint {
    pub environment: String,
    /// The HTTP method, in capitals.
    pub method: String,
    pub path: String,
    /// The operation's id in this environment.
    pub operation_id: String,
    /// The example in each language; the curl command is the first.
    pub samples: Vec<(SampleLanguage, String)>,
}

impl Endpoint {
    /// The example as a curl command.
    pub fn curl(&self) -> &str {
        self.samples.first().map_or("", |(_, text)| text)
    }

    /// The example in the chosen language, or the first.
    pub fn sample(&self, chosen: Option<SampleLanguage>) -> (SampleLanguage, &str) {
        let wanted = self.samples.iter().find(|(language, _)| Some(*language) == chosen);
        let found = wanted.or_else(|| self.samples.first());
        found.map_or((SampleLanguage::Shell, ""), |(language, text)| (*language, text))
    }
}

/// The authentication that a call needs.
#[derive(Debug)]
pub struct Auth {
    pub name: String,
    pub description: Vec<Span>,
}

/// A parameter and its place.
#[derive(Debug)]
pub struct Parameter {
    /// `path`, `query` or `header`.
    pub place: String,
    /// Its name, type and description.
    pub field: Field,
}

#[derive(Debug)]
pub struct ResponseDoc {
    /// The HTTP status with its name.
    pub status: String,
    pub description: Vec<Span>,
    pub tables: Vec<Table>,
    pub example: String,
}

#[derive(Debug)]
pub struct ErrorDoc {
    /// The HTTP status with its name.
    pub status: String,
    pub description: Vec<Span>,
}

/// Every operation of the document. Those without a token come first: there a caller starts.
pub fn read(document: &Value, base_url: &str) -> Vec<Operation> {
    let mut by_id: BTreeMap<String, Vec<OperationPlace<'_>>> = BTreeMap::new();
    for place in places(document) {
        by_id.entry(place.shared_id()).or_default().push(place);
    }
    let order = environments(document);
    let mut operations: Vec<Operation> = by_id
        .into_iter()
        .map(|(id, mut places)| {
            places.sort_by_key(|place| order.iter().position(|name| *name == place.environment()));
            let only_in = places.len() < order.len();
            let mut operation = describe(document, base_url, id, &places);
            operation.only_in = only_in.then(|| places[0].environment().to_owned());
            operation
        })
        .collect();
    // A path sorts before the longer ones below it, so creating a session comes before reading it. Operations
    // that need real money follow those that can be tried out. Lists come last: they show the results of the
    // rest.
    operations.sort_by_cached_key(|operation| {
        let last = operation.endpoints.last().map(|endpoint| endpoint.path.clone());
        let list = operation.parameters.iter().any(|parameter| parameter.place == "query");
        let live_only = operation.only_in.as_deref() == Some("live");
        (operation.auth.is_some(), list, live_only, last)
    });
    operations
}

/// The HTTP status with its name, such as `201 Created`.
fn status_words(status: &str) -> String {
    let known = status.parse().ok().and_then(|code: u16| StatusCode::from_u16(code).ok());
    match known.and_then(|code| code.canonical_reason()) {
        Some(reason) => format!("{status} {reason}"),
        None => status.to_owned(),
    }
}

/// One method of one path.
struct OperationPlace<'a> {
    path: &'a str,
    method: &'a str,
    operation: &'a Value,
}

impl OperationPlace<'_> {
    fn environment(&self) -> &str {
        text(&self.operation["tags"][0])
    }

    fn operation_id(&self) -> &str {
        text(&self.operation["operationId"])
    }

    /// The id that the environments share: `getSession` of `getSessionSandbox`.
    fn shared_id(&self) -> String {
        let id = self.operation_id();
        let mut suffix = self.environment().to_owned();
        if let Some(first) = suffix.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        id.strip_suffix(&suffix).filter(|rest| !rest.is_empty()).unwrap_or(id).to_owned()
    }
}

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn places(document: &Value) -> impl Iterator<Item = OperationPlace<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        METHODS
            .iter()
            .filter_map(move |method| Some(OperationPlace { path, method, operation: item.get(method)? }))
    })
}

fn environments(document: &Value) -> Vec<&str> {
    document["tags"].as_array().into_iter().flatten().map(|tag| text(&tag["name"])).collect()
}

fn describe(document: &Value, base_url: &str, id: String, places: &[OperationPlace<'_>]) -> Operation {
    let operation = places[0].operation;
    let responses = || operation["responses"].as_object().into_iter().flatten();
    let good = |status: &&String| status.starts_with('2');
    Operation {
        id,
        title: text(&operation["summary"]).to_owned(),
        description: prose::parse(text(&operation["description"])),
        endpoints: places.iter().map(|place| endpoint(document, base_url, place)).collect(),
        only_in: None,
        auth: auth(document, operation),
        parameters: operation["parameters"].as_array().into_iter().flatten().map(parameter).collect(),
        body: body(operation).map(|schema| schema::tables(document, schema)).unwrap_or_default(),
        answers: responses()
            .filter(|(status, _)| good(status))
            .map(|(status, response)| answer(document, status, response))
            .collect(),
        problems: responses()
            .filter(|(status, _)| !good(status))
            .map(|(status, response)| refusal(status, response))
            .collect(),
    }
}

fn endpoint(document: &Value, base_url: &str, place: &OperationPlace<'_>) -> Endpoint {
    let method = place.method.to_ascii_uppercase();
    let request = example::Request {
        method: &method,
        base_url,
        path: place.path,
        bearer: scheme(place.operation).is_some(),
        body: body(place.operation),
    };
    Endpoint {
        samples: request.samples(document),
        environment: place.environment().to_owned(),
        path: place.path.to_owned(),
        operation_id: place.operation_id().to_owned(),
        method,
    }
}

/// The name of the security scheme of an operation.
fn scheme(operation: &Value) -> Option<&String> {
    operation["security"].get(0)?.as_object()?.keys().next()
}

fn auth(document: &Value, operation: &Value) -> Option<Auth> {
    let name = scheme(operation)?;
    let described = &document["components"]["securitySchemes"][name];
    let words = if described["scheme"] == "bearer" { "Bearer token" } else { name };
    Some(Auth { name: words.to_owned(), description: prose::parse(text(&described["description"])) })
}

fn parameter(parameter: &Value) -> Parameter {
    let mut field = Field::new(text(&parameter["name"]), &parameter["schema"], parameter["required"] == true);
    field.description = prose::parse(text(&parameter["description"]));
    Parameter { place: text(&parameter["in"]).to_owned(), field }
}

fn body(operation: &Value) -> Option<&Value> {
    operation["requestBody"]["content"]["application/json"].get("schema")
}

fn refusal(status: &str, response: &Value) -> ErrorDoc {
    let description = text(&response["description"]);
    // The column already says that these are codes.
    let codes = description.strip_prefix("Code: ").and_then(|codes| codes.strip_suffix('.'));
    ErrorDoc { status: status_words(status), description: prose::parse_problem(codes.unwrap_or(description)) }
}

fn answer(document: &Value, status: &str, response: &Value) -> ResponseDoc {
    let schema = &response["content"]["application/json"]["schema"];
    ResponseDoc {
        status: status_words(status),
        description: prose::parse(text(&response["description"])),
        tables: schema::tables(document, schema),
        example: example::answer(document, schema),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::openapi, docs::errors::ERRORS};

    const BASE_URL: &str = "https://pay.example.com";

    #[test]
    fn operations_are_in_the_order_of_use_and_described_once() {
        let operations = read(&openapi::document(BASE_URL), BASE_URL);
        let ids: Vec<&str> = operations.iter().map(|operation| operation.id.as_str()).collect();
        let refunds = ["createRefund", "listRefunds", "getRefund"];
        let sessions = ["obtainToken", "createSession", "getSession", "expireSession"];
        assert_eq!(
            ids,
            [
                &sessions[..],
                &["createReceipt"],
                &refunds,
                &["simulate", "checkEndpoint", "getEndpointCheck", "checkSignature", "getWallet"],
                &["fetchCallbacks", "listSessions", "listTransactions"],
            ]
            .concat()
        );
        let only: Vec<Option<&str>> =
            operations.iter().map(|operation| operation.only_in.as_deref()).collect();
        assert_eq!(only, [&[None; 8][..], &[Some("sandbox"); 4], &[Some("live")], &[None; 3]].concat());
    }

    /// The page shows the first environment's description for both.
    #[test]
    fn both_environments_describe_an_operation_alike() {
        let document = openapi::document(BASE_URL);
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for place in places(&document) {
            let id = place.shared_id();
            let mut operation = describe(&document, BASE_URL, id.clone(), &[place]);
            operation.endpoints.clear();
            let text = format!("{operation:?}");
            assert_eq!(seen.entry(id).or_insert_with(|| text.clone()), &text);
        }
    }

    #[test]
    fn every_problem_names_a_code_of_its_status() {
        for operation in read(&openapi::document(BASE_URL), BASE_URL) {
            for problem in operation.problems {
                let codes = problem.description.iter().filter_map(|span| match span {
                    Span::Problem(code) => ERRORS.iter().find(|error| error.code == code),
                    _ => None,
                });
                let statuses: Vec<String> = codes.map(|error| error.status.to_string()).collect();
                assert!(!statuses.is_empty(), "{} {}", operation.id, problem.status);
                assert!(
                    statuses.iter().all(|status| problem.status.starts_with(status)),
                    "{}",
                    problem.status
                );
            }
        }
    }

    #[test]
    fn an_operation_of_one_environment_keeps_its_own_name() {
        let shared = |id: &str, tag: &str| {
            let operation = serde_json::json!({ "operationId": id, "tags": [tag] });
            OperationPlace { path: "/", method: "get", operation: &operation }.shared_id()
        };
        assert_eq!(shared("getSessionSandbox", "sandbox"), "getSession");
        assert_eq!(shared("getSession", "live"), "getSession");
        assert_eq!(shared("Sandbox", "sandbox"), "Sandbox");
    }
}
