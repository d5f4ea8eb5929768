//! Parts that every answer shares: a request id, security headers, and errors as problem documents; and parts
//! that pages share: assets, languages, texts, times, links and QR codes.

mod address;
pub mod assets;
mod body;
mod headers;
pub mod language;
pub mod links;
pub mod moments;
pub mod multipart;
mod origin;
mod problem;
pub mod qr;
pub mod words;

pub use address::client_address;
pub use body::{Bodies, BodyNotRead, MAX_BODY, MAX_RECEIPT, MAX_UPLOAD};
pub use headers::{Finish, MAX_HEAD, finish, refuse_ambiguous};
pub use origin::from_here;
pub use problem::{FieldOfProblem, Problem, ProblemDocument, log_store_trouble};
