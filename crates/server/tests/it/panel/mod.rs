//! The panel and the operator's console, as people use them: who gets where, forms, cookies, guessing.

mod detail;
mod door;
mod export;
mod lists;
mod matrix;
mod operator;
mod vendor;
