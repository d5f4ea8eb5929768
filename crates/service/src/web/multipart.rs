//! Parses a form with a file: `multipart/form-data` (RFC 7578), whole and in memory, as the limit of bodies allows.

use axum::body::Bytes;
use futures_util::stream;
use multer::Multipart;
use std::convert::Infallible;

/// The most parts of a form.
const MAX_PARTS: usize = 100;

/// A part of a form.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of its field.
    pub name: String,
    /// True if it is a chosen file, rather than a text.
    pub is_file: bool,
    pub content: Bytes,
}

/// The boundary in a `content-type`, if it is that of such a form.
#[must_use]
pub fn boundary(content_type: &str) -> Option<String> {
    let boundary = multer::parse_boundary(content_type).ok()?;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// The parts of a form; none of one that is malformed or cut off.
pub async fn parts(body: Bytes, boundary: &str) -> Vec<Part> {
    read(body, boundary).await.unwrap_or_default()
}

async fn read(body: Bytes, boundary: &str) -> multer::Result<Vec<Part>> {
    let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await? {
        if parts.len() == MAX_PARTS {
            break;
        }
        let (name, file) = (field.name().map(str::to_owned), field.file_name().map(str::is_empty));
        let content = field.bytes().await?;
        // The field of a file that was not chosen has an empty file name.
        if let (Some(name), None | Some(false)) = (name, file) {
            parts.push(Part { name, is_file: file.is_some(), content });
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use till_testing::fuzz::{bytes_target, text_target};

    fn found(body: &[u8], boundary: &str) -> Vec<Part> {
        parts(Bytes::copy_from_slice(body), boundary).now_or_never().expect("it is all there")
    }

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
        let parts = found(body.as_bytes(), "xX");
        let short: Vec<_> =
            parts.iter().map(|part| (part.name.as_str(), part.is_file, &part.content[..])).collect();
        let expected: [(&str, bool, &[u8]); 3] =
            [("csrf", false, b"k3s9"), ("file", true, b"a\r\n--x\r\n\r\nb"), ("text", false, b"")];
        assert_eq!(short, expected);
    }

    #[test]
    fn what_is_cut_off_or_something_else_has_no_part_that_is_not_whole() {
        let whole = form(&[("name=\"a\"", "1"), ("name=\"b\"", "2")]);
        for end in 0..whole.len() {
            let some = found(whole.as_bytes().get(..end).expect("ASCII"), "xX");
            let whole =
                |part: &Part| matches!((part.name.as_str(), &part.content[..]), ("a", b"1") | ("b", b"2"));
            assert!(some.iter().all(whole), "{some:?}");
        }
        for body in
            ["", "--", "--xX", "--xX--", "a=1&b=2", "--xX\r\n\r\n--xX", "--xX\r\nname\r\n\r\n1\r\n--xX--"]
        {
            assert_eq!(found(body.as_bytes(), "xX"), [], "{body:?}");
        }
    }

    #[test]
    fn only_such_forms_have_a_boundary() {
        assert_eq!(boundary("multipart/form-data; boundary=----WebKit7").as_deref(), Some("----WebKit7"));
        assert_eq!(boundary("Multipart/Form-Data;charset=x; Boundary=\"a b\"").as_deref(), Some("a b"));
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
            let found = found(body, "xX");
            assert!(found.len() <= MAX_PARTS);
            let ends = |part: &Part| !part.content.windows(6).any(|bytes| bytes == b"\r\n--xX");
            assert!(found.iter().all(ends), "a part ends at the boundary: {found:?}");
            let length: usize = found.iter().map(|part| part.content.len()).sum();
            assert!(length <= body.len(), "no byte is in two parts");
        });
    }

    #[test]
    fn f26_multipart_boundary() {
        let seeds =
            ["multipart/form-data; boundary=xX", "multipart/form-data; charset=utf-8; boundary=\"a b\""];
        text_target(&seeds, &["boundary", ";", "=", "\"", "multipart/form-data"], |text| {
            if let Some(boundary) = boundary(text) {
                assert!((1..=70).contains(&boundary.len()));
                let _ = found(text.as_bytes(), &boundary);
            }
        });
    }
}
