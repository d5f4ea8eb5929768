//! CSRF protection: the origin of a form, by the headers that browsers send.

use axum::http::HeaderMap;

/// True if a form comes from a page of this host.
#[must_use]
pub fn from_here(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site == "same-origin",
        // A browser without `Sec-Fetch-Site` still sends `Origin`.
        (None, Some(origin)) => {
            let authority = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            authority.is_some() && authority == text("host")
        }
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn t18_a_form_from_elsewhere_is_not_from_here() {
        let check = |pairs: &[(&'static str, &'static str)], expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("till.example:8080"));
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(from_here(&headers), expected, "{pairs:?}");
        };
        check(&[("sec-fetch-site", "same-origin")], true);
        for site in ["cross-site", "same-site", "none", ""] {
            check(&[("sec-fetch-site", site), ("origin", "http://till.example:8080")], false);
        }
        check(&[("origin", "http://till.example:8080")], true);
        check(&[("origin", "https://till.example:8080")], true);
        for origin in ["http://evil.example", "http://till.example", "null", "", "till.example:8080"] {
            check(&[("origin", origin)], false);
        }
        check(&[], false);
    }
}
