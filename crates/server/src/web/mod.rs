//! What every answer has in common: a request id, security headers, and errors as problem documents;
//! and the files that pages load.

mod address;
pub mod assets;
mod body;
mod headers;
mod problem;

pub use address::client_address;
pub use body::{BodyNotRead, MAX_BODY, take_body};
pub use headers::{RequestId, finish};
pub use problem::{FieldOfProblem, Problem, ProblemDocument};
