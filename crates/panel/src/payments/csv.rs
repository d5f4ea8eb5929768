//! CSV files for spreadsheets: RFC 4180 with a byte order mark, and safe against CSV injection (formulas in
//! cells).

use till_domain::time::Timestamp;

/// The byte order mark, so that spreadsheets read the file as UTF-8.
pub(super) const BOM: &str = "\u{feff}";

/// The last line of a file that had to stop before its end. No other line begins like this; `panel.js`
/// recognizes it.
pub(super) const BROKEN: &str =
    "\"ERROR: the export broke off here. This file is not whole; download it again.\"\r\n";

/// Adds a line to a file.
pub(crate) fn line<'a>(file: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            file.push(',');
        }
        add(file, cell);
    }
    file.push_str("\r\n");
}

fn add(file: &mut String, cell: &str) {
    let safe = defused(cell);
    let quoted = safe != cell || cell.contains([',', ';', '"', '\t', '\r', '\n']) || cell != cell.trim();
    if !quoted {
        return file.push_str(cell);
    }
    file.push('"');
    file.push_str(&safe.replace('"', "\"\""));
    file.push('"');
}

/// Puts an apostrophe before each character that could begin a formula: at the start of the cell, and after
/// each separator that a spreadsheet of another locale takes for the end of a cell, quoted or not.
fn defused(cell: &str) -> String {
    let mut safe = String::with_capacity(cell.len());
    let mut begins = true;
    for character in cell.chars() {
        if begins && is_harmful(character) {
            safe.push('\'');
        }
        safe.push(character);
        begins = matches!(character, ';' | '\t' | '\r' | '\n' | '"');
    }
    safe
}

/// True for a character that a spreadsheet may take for the start of a formula, also in its full-width form,
/// or may skip to find one.
fn is_harmful(first: char) -> bool {
    matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\0' | '＝' | '＋' | '－' | '＠')
}

/// A moment, or an empty cell.
pub(super) fn moment(at: Option<Timestamp>, zone: &till_service::web::moments::Zone) -> String {
    at.map(|at| zone.exact(at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::hostile::HOSTILE;

    const FORMULAS: [&str; 18] = [
        "a;=1+1",
        "a\t=1+1",
        "a\n=1+1",
        "a\";=1+1",
        "=1+1",
        "=HYPERLINK(\"http://evil.example\",\"x\")",
        "=cmd|' /C calc'!A0",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\0=1",
        "＝1",
        "＠x",
        "-",
        "'=1",
    ];

    fn read(file: &str) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file.as_bytes());
        let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect());
        rows.collect()
    }

    #[test]
    fn t9_no_cell_is_a_formula_and_every_value_comes_back() {
        let usual = ["", "plain", "a,b", "a\"b", "a\nb", " spaces ", "Ёлка, «да»", "4990.00", "1-2", "a=b"];
        let all = HOSTILE.iter().chain(&FORMULAS).chain(&usual);
        for text in all {
            for cells in [[*text, "x"], ["x", *text]] {
                let mut file = String::new();
                line(&mut file, cells);
                let rows = read(&file);
                assert_eq!(rows.len(), 1, "{text:?}: {file:?}");
                for (cell, value) in rows[0].iter().zip(cells) {
                    assert!(!cell.starts_with(is_harmful), "{text:?}: {cell:?}");
                    assert_eq!(*cell, defused(value));
                    // No formula begins after any other character that may be taken for the end of a cell.
                    for other in [';', '\t', '\n', '\r', '"'] {
                        for part in cell.split(other) {
                            assert!(!part.starts_with(['=', '+', '-', '@']), "{text:?}: {part:?}");
                        }
                    }
                    let plain = !value.contains(['=', '+', '-', '@', '＝', '＠', '\t', '\r', '\n', '\0']);
                    assert!(!plain || cell == value, "{value:?} became {cell:?}");
                }
                assert!(file.ends_with("\r\n"));
            }
        }
    }

    #[test]
    fn a_file_that_broke_off_says_so_in_a_line_of_its_own() {
        let mut file = String::new();
        line(&mut file, ["a", "b"]);
        file.push_str(BROKEN);
        let rows: Vec<_> = file.lines().collect();
        assert_eq!(rows.len(), 2);
        assert!(rows[1].starts_with("\"ERROR: "));
        assert!(include_str!("../../../service/assets/panel.js").contains(r#"/\n"ERROR: [^\n]*\n$/"#));
        assert!(BROKEN.len() < 200, "the script keeps that much of a file's end");
    }

    #[test]
    fn no_cell_looks_like_a_file_that_broke_off() {
        let mut file = String::new();
        for text in [BROKEN, "x\r\n\"ERROR: y\"\r\n", "\nERROR: y", "\n", "ERROR: y"] {
            line(&mut file, ["01963f2a", text]);
            line(&mut file, ["01963f2a", text, "\"ERROR: y"]);
        }
        assert!(!file.contains("\n\"ERROR: "), "{file}");
    }
}
