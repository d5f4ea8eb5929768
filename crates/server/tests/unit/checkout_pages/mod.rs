//! Tests of the pages: their words, their structure, hostile texts, figures and codes.

mod codes;
mod figures;
mod fixture;
mod gallery;
mod hostile;
mod structure;
mod words;
