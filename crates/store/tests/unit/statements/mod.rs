//! Tests of the SQL statements against the schemas of today and of the previous version.

mod prepare;
mod upgrade;
