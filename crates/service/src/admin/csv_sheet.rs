//! Parses CSV tables as spreadsheets write them: a header line with the names of the columns, then one row
//! per item.
//!
//! The text is UTF-8, with or without a byte order mark; fields are separated by commas, semicolons or tabs,
//! as the header line shows. Nothing is stored here: [`super::catalog`] imports the rows.

use csv::{ReaderBuilder, StringRecord};
use std::{borrow::Cow, collections::HashMap, fmt};
use till_domain::rejection::FieldError;

/// A column of the table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    /// True if every table must have it.
    pub required: bool,
}

/// The reason why a table cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetProblem {
    /// Not a text in UTF-8.
    NotUtf8,
    /// The header has an unknown column.
    UnknownColumn {
        name: String,
        /// The known columns.
        known: String,
    },
    /// The header has a column twice.
    RepeatedColumn(&'static str),
    /// The header lacks a required column.
    MissingColumn {
        name: &'static str,
        /// The known columns.
        known: String,
    },
}

impl fmt::Display for SheetProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the first line must name the columns, in UTF-8"),
            Self::UnknownColumn { name, known } => {
                write!(f, "column {name:?} is not known; the columns are {known}")
            }
            Self::RepeatedColumn(name) => write!(f, "column {name:?} appears twice"),
            Self::MissingColumn { name, known } => {
                write!(f, "column {name:?} is missing; the columns are {known}")
            }
        }
    }
}

impl std::error::Error for SheetProblem {}

/// An error of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowProblem {
    /// Too many fields, or too few.
    FieldCount {
        found: usize,
        wanted: usize,
    },
    /// Not a text in UTF-8.
    NotUtf8,
    /// An id that is on an earlier line too.
    Repeated {
        /// The column of the id.
        column: &'static str,
        id: String,
        first: u64,
    },
    Field(FieldError),
}

impl RowProblem {
    /// The column with the error; empty if the error concerns the whole row.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Self::FieldCount { .. } | Self::NotUtf8 | Self::Repeated { .. } => "",
            Self::Field(error) => &error.field,
        }
    }

    /// The machine-readable error code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::FieldCount { .. } | Self::NotUtf8 => "bad_row",
            Self::Repeated { .. } => "repeated",
            Self::Field(error) => error.problem.code(),
        }
    }
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldCount { found, wanted } => {
                write!(f, "the row has {found} fields instead of {wanted}; is a quote left open?")
            }
            Self::NotUtf8 => f.write_str("the row is not UTF-8"),
            Self::Repeated { column, id, first } => write!(f, "{column} {id} is already on line {first}"),
            Self::Field(error) => f.write_str(&error.message()),
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    /// The line on which it starts.
    pub line: u64,
    /// Its text, as it was written.
    pub text: String,
    record: Result<StringRecord, RowProblem>,
}

/// A parsed table.
#[derive(Debug)]
pub struct Sheet {
    rows: Vec<Row>,
    positions: HashMap<&'static str, usize>,
    /// The header line, as it was written.
    pub head: String,
    delimiter: u8,
}

impl Sheet {
    /// Reads a table whose first line names its columns.
    pub fn read(file: &[u8], columns: &[Column]) -> Result<Self, SheetProblem> {
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let delimiter = delimiter(file);
        let mut reader = ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(file);
        let heads = reader.headers().map_err(|_| SheetProblem::NotUtf8)?.clone();
        let positions = find_columns(&heads, columns)?;
        let head = written(file, 0, reader.position().byte());
        let (mut rows, mut record) = (Vec::new(), StringRecord::new());
        loop {
            let (line, from) = (line_after(file, reader.position()), reader.position().byte());
            let read = reader.read_record(&mut record);
            let text = written(file, from, reader.position().byte());
            let record = match read {
                Ok(false) => break,
                Ok(true) if record.len() == heads.len() => Ok(record.clone()),
                Ok(true) => Err(RowProblem::FieldCount { found: record.len(), wanted: heads.len() }),
                // Reading from memory has no other error.
                Err(_) => Err(RowProblem::NotUtf8),
            };
            rows.push(Row { line, text, record });
        }
        Ok(Self { rows, positions, head, delimiter })
    }

    /// Number of rows, valid or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Each row with its fields, or with the error of the whole row.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, Result<Fields<'_>, RowProblem>)> {
        self.rows.iter().map(|row| {
            let fields = row.record.as_ref().map(|record| Fields { record, sheet: self });
            (row, fields.map_err(Clone::clone))
        })
    }
}

/// The delimiter: comma, semicolon or tab, whichever the header line has most of.
fn delimiter(file: &[u8]) -> u8 {
    let first = file.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let count = |mark: u8| first.iter().filter(|byte| **byte == mark).count();
    let more = |best: u8, mark: u8| if count(mark) > count(best) { mark } else { best };
    [b';', b'\t'].into_iter().fold(b',', more)
}

fn find_columns(
    heads: &StringRecord,
    columns: &[Column],
) -> Result<HashMap<&'static str, usize>, SheetProblem> {
    let mut positions = HashMap::new();
    for (position, head) in heads.iter().enumerate() {
        let name = head.trim();
        let Some(column) = columns.iter().find(|column| column.name == name) else {
            return Err(SheetProblem::UnknownColumn { name: name.to_owned(), known: names(columns) });
        };
        if positions.insert(column.name, position).is_some() {
            return Err(SheetProblem::RepeatedColumn(column.name));
        }
    }
    match columns.iter().find(|column| column.required && !positions.contains_key(column.name)) {
        Some(column) => Err(SheetProblem::MissingColumn { name: column.name, known: names(columns) }),
        None => Ok(positions),
    }
}

fn names(columns: &[Column]) -> String {
    let name = |column: &Column| match column.required {
        true => column.name.to_owned(),
        false => format!("{} (optional)", column.name),
    };
    columns.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A part of the file as text.
fn written(file: &[u8], from: u64, to: u64) -> String {
    let place = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
    let part = file.get(place(from)..place(to)).unwrap_or_default();
    String::from_utf8_lossy(part).trim_matches(['\r', '\n']).to_owned()
}

/// The line on which the next row starts. The reader stops before line ends that it has yet to skip.
fn line_after(file: &[u8], position: &csv::Position) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let ahead = file.get(start..).unwrap_or_default();
    let skipped = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

/// The fields of one row.
#[derive(Debug)]
pub struct Fields<'a> {
    record: &'a StringRecord,
    sheet: &'a Sheet,
}

impl<'a> Fields<'a> {
    /// A field, trimmed; empty if its column is not there.
    #[must_use]
    pub fn get(&self, name: &str) -> &'a str {
        let position = self.sheet.positions.get(name);
        position.and_then(|position| self.record.get(*position)).unwrap_or("").trim()
    }

    /// A decimal number. Where the delimiter is not a comma, spreadsheets write `4990,00`. Three digits after
    /// the comma may be thousands, so they are left for the price's own validation to refuse.
    #[must_use]
    pub fn decimal(&self, name: &str) -> Cow<'a, str> {
        let text = self.get(name);
        match text.split_once(',') {
            Some((whole, rest)) if self.sheet.delimiter != b',' && matches!(rest.len(), 1 | 2) => {
                format!("{whole}.{rest}").into()
            }
            _ => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::bytes_target;

    const COLUMNS: &[Column] =
        &[Column { name: "name", required: true }, Column { name: "price", required: false }];

    fn read(file: &str) -> Vec<(u64, String, String)> {
        let sheet = Sheet::read(file.as_bytes(), COLUMNS).expect("a table");
        let row = |(row, fields): (&Row, Result<Fields<'_>, RowProblem>)| {
            let fields = fields.expect("a good row");
            (row.line, fields.get("name").to_owned(), fields.decimal("price").into_owned())
        };
        sheet.rows().map(row).collect()
    }

    #[test]
    fn whatever_parts_the_fields_the_rows_are_the_same() {
        let expected =
            [(2, "Atlas".to_owned(), "4990.00".to_owned()), (3, "Глобус".to_owned(), "1".to_owned())];
        for (mark, price) in [(",", "4990.00"), (",", "\"4990.00\""), (";", "4990,00"), ("\t", "4990,00")] {
            for (start, end) in [("", "\n"), ("\u{feff}", "\r\n")] {
                let file = format!("{start}name{mark}price{end}Atlas{mark}{price}{end}Глобус{mark}1{end}");
                assert_eq!(read(&file), expected, "{file:?}");
            }
        }
    }

    #[test]
    fn a_comma_that_may_part_thousands_is_no_decimal_point() {
        for price in ["1,234", "1,", ",5,5", "1,234,567"] {
            let row = read(&format!("name;price\nAtlas;{price}\n")).remove(0);
            assert_eq!(row.2, price);
        }
    }

    #[test]
    fn a_bad_row_keeps_its_text() {
        let sheet =
            Sheet::read(b"name;price\r\n\r\nAtlas;1;2\r\n\"two\nlines\";1\r\n", COLUMNS).expect("a table");
        let rows: Vec<_> =
            sheet.rows().map(|(row, fields)| (row.line, row.text.as_str(), fields.is_ok())).collect();
        assert_eq!(rows, [(3, "Atlas;1;2", false), (4, "\"two\nlines\";1", true)]);
        assert_eq!(sheet.head, "name;price");
    }

    #[test]
    fn what_is_no_table_says_why() {
        let problem = |file: &[u8]| Sheet::read(file, COLUMNS).expect_err("no table");
        assert_eq!(problem(b"\xff\xfen\0a\0m\0e\0"), SheetProblem::NotUtf8, "UTF-16");
        assert_eq!(problem(b"PK\x03\x04\x80"), SheetProblem::NotUtf8, "a workbook");
        assert!(matches!(problem(b""), SheetProblem::MissingColumn { name: "name", .. }));
        assert!(
            matches!(problem(b"name;Price"), SheetProblem::UnknownColumn { name, .. } if name == "Price")
        );
        assert_eq!(problem(b"name\tname"), SheetProblem::RepeatedColumn("name"));
    }

    #[test]
    fn f26_csv_import() {
        let seeds = [
            "name,price\nAtlas,4990.00\nGlobe,1\n",
            "\u{feff}name;price\r\n\"two\r\nlines\";4990,00\r\n\"a \"\"quote\"\"\";1\r\n",
            "name\tprice\n\tx\n",
        ];
        bytes_target(&seeds, &["\"", "\"\"", ";", ",", "\r\n", "\n\n", "name", "=cmd()"], |file| {
            let Ok(sheet) = Sheet::read(file, COLUMNS) else { return };
            let lines = file.split(|byte| *byte == b'\n').count() as u64;
            let mut last = 1;
            for (row, fields) in sheet.rows() {
                assert!(row.line >= last && row.line <= lines, "line {} of {lines}, after {last}", row.line);
                last = row.line;
                match fields {
                    Ok(fields) => {
                        let _ = (fields.get("name"), fields.decimal("price"));
                    }
                    Err(problem) => assert!(!problem.to_string().is_empty()),
                }
            }
        });
    }
}
