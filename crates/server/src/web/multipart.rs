//! Parses a form with a file: `multipart/form-data` (RFC 7578), whole and in memory, as the limit of bodies
//! allows. Only what browsers send: no nesting, no transfer encodings.

/// The most parts of a form.
const MAX_PARTS: usize = 100;

/// A part of a form.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The name of its field.
    pub name: String,
    /// True if it is a chosen file, rather than a text.
    pub is_file: bool,
    pub content: &'a [u8],
}

/// The boundary in a `content-type`, if it is that of such a form.
#[must_use]
pub fn boundary(content_type: &str) -> Option<&str> {
    let mut words = content_type.split(';').map(str::trim);
    if !words.next()?.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = words.find_map(|word| {
        let (name, value) = word.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// The parts of a form, up to the first incomplete one.
#[must_use]
pub fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<Part<'a>> {
    let (first, next) = (format!("--{boundary}"), format!("\r\n--{boundary}"));
    let mut rest = body.strip_prefix(first.as_bytes()).unwrap_or_default();
    let mut found = Vec::new();
    while let Some(after) = rest.strip_prefix(b"\r\n") {
        let Some(end) = find(after, next.as_bytes()) else { break };
        let (part, following) = after.split_at(end);
        found.extend(read(part));
        rest = following.get(next.len()..).unwrap_or_default();
        if found.len() >= MAX_PARTS {
            break;
        }
    }
    found
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn read(part: &[u8]) -> Option<Part<'_>> {
    let end = find(part, b"\r\n\r\n")?;
    let (head, content) = (part.get(..end)?, part.get(end + 4..)?);
    let head = String::from_utf8_lossy(head);
    let disposition = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then(|| value.trim().to_owned())
    })?;
    // An empty file field has an empty file name.
    let is_file = parameter(&disposition, "filename").is_some_and(|name| !name.is_empty());
    if !is_file && parameter(&disposition, "filename").is_some() {
        return None;
    }
    Some(Part { name: parameter(&disposition, "name")?, is_file, content })
}

/// A quoted parameter. Browsers write `%22` for a quote within it, so the next quote ends it.
fn parameter(disposition: &str, name: &str) -> Option<String> {
    let start = format!("; {name}=\"");
    let (_, value) = disposition.split_once(&start)?;
    value.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::{bytes_target, text_target};

    fn form(parts: &[(&str, &str)]) -> String {
        let part = |(head, content): &(&str, &str)| {
            format!("--xX\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
        };
        parts.iter().map(part).collect::<String>() + "--xX--\r\n"
    }

    #[test]
    fn texts_and_files_come_as_they_were_sent() {
        let body = form(&[
            ("name=\"csrf\"", "k3s9"),
            ("name=\"file\"; filename=\"a;b=\u{436}.csv\"\r\nContent-Type: text/csv", "a\r\n--x\r\n\r\nb"),
            ("name=\"none\"; filename=\"\"", ""),
            ("name=\"text\"", ""),
        ]);
        let parts = parts(body.as_bytes(), "xX");
        let short: Vec<_> =
            parts.iter().map(|part| (part.name.as_str(), part.is_file, part.content)).collect();
        let expected: [(&str, bool, &[u8]); 3] =
            [("csrf", false, b"k3s9"), ("file", true, b"a\r\n--x\r\n\r\nb"), ("text", false, b"")];
        assert_eq!(short, expected);
    }

    #[test]
    fn what_is_cut_off_or_something_else_has_no_part_that_is_not_whole() {
        let whole = form(&[("name=\"a\"", "1"), ("name=\"b\"", "2")]);
        for end in 0..whole.len() {
            for part in parts(whole.as_bytes().get(..end).expect("ASCII"), "xX") {
                assert!(matches!((part.name.as_str(), part.content), ("a", b"1") | ("b", b"2")), "{part:?}");
            }
        }
        for body in
            ["", "--", "--xX", "--xX--", "a=1&b=2", "--xX\r\n\r\n--xX", "--xX\r\nname\r\n\r\n1\r\n--xX--"]
        {
            assert_eq!(parts(body.as_bytes(), "xX"), [], "{body:?}");
        }
    }

    #[test]
    fn only_such_forms_have_a_boundary() {
        assert_eq!(boundary("multipart/form-data; boundary=----WebKit7"), Some("----WebKit7"));
        assert_eq!(boundary("Multipart/Form-Data;charset=x; Boundary=\"a b\""), Some("a b"));
        for other in
            ["", "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=x"]
        {
            assert_eq!(boundary(other), None, "{other}");
        }
    }

    #[test]
    fn f26_multipart() {
        let body = form(&[
            ("name=\"csrf\"", "k3s9"),
            ("name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv", "name,price\r\nAtlas,1\r\n"),
            ("name=\"none\"; filename=\"\"", ""),
        ]);
        let words =
            ["--xX", "--xX--", "\r\n", "\r\n\r\n", "; name=\"", "; filename=\"", "Content-Disposition:"];
        bytes_target(&[body], &words, |body| {
            let found = parts(body, "xX");
            assert!(found.len() <= MAX_PARTS);
            for part in &found {
                assert!(find(part.content, b"\r\n--xX").is_none(), "a part ends at the boundary: {part:?}");
            }
            let ranges: Vec<_> = found.iter().map(|part| part.content.as_ptr_range()).collect();
            assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "no byte is in two parts");
        });
    }

    #[test]
    fn f26_multipart_boundary() {
        let seeds =
            ["multipart/form-data; boundary=xX", "multipart/form-data; charset=utf-8; boundary=\"a b\""];
        text_target(&seeds, &["boundary", ";", "=", "\"", "multipart/form-data"], |text| {
            if let Some(boundary) = boundary(text) {
                assert!((1..=70).contains(&boundary.len()) && text.contains(boundary));
                let _ = parts(text.as_bytes(), boundary);
            }
        });
    }
}
