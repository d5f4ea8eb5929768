//! The panel and the operator's console, as people use them: who gets where, forms, cookies, guessing.

mod door;
mod matrix;
mod operator;
mod vendor;
