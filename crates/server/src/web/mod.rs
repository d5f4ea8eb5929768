//! What every answer has in common: a request id, security headers, and errors as problem documents.

mod address;
mod body;
mod headers;
mod problem;

pub use address::client_address;
pub use body::{BodyNotRead, MAX_BODY, take_body};
pub use headers::{RequestId, finish};
pub use problem::{FieldOfProblem, Problem, ProblemDocument};
