//! Decides which addresses may become links. The only place where data turns into an `href`.

/// A contact for help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The shown text.
    pub text: String,
    /// The link, if it is an address.
    pub href: Option<String>,
}

impl Contact {
    /// An e-mail address becomes a `mailto:` link, a web address a link, anything else stays text.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let href = if is_web(text) {
            Some(text.to_owned())
        } else {
            is_email(text).then(|| format!("mailto:{text}"))
        };
        Self { text: text.to_owned(), href }
    }
}

/// A page to redirect to: a web address or a path of ours.
pub fn page(url: &str) -> Option<&str> {
    let is_path = url.starts_with('/') && !url.starts_with("//") && !url.starts_with("/\\");
    (is_path || is_web(url)).then_some(url)
}

/// A link that opens an app: a web address, or the scheme of a wallet or an SBP bank.
pub fn app(url: &str) -> Option<&str> {
    let scheme = url.split(':').next().unwrap_or_default();
    let bank = scheme.strip_prefix("bank").is_some_and(is_digits);
    let known = bank || scheme == "ethereum";
    (is_plain(url) && known || is_web(url)).then_some(url)
}

fn is_web(url: &str) -> bool {
    is_plain(url) && (url.starts_with("https://") || url.starts_with("http://"))
}

/// True for a plain e-mail address: it has no character that a `mailto:` link would interpret.
fn is_email(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    match text.split_once('@') {
        Some((name, host)) => {
            !name.is_empty() && !host.is_empty() && name.chars().all(plain) && host.chars().all(plain)
        }
        None => false,
    }
}

fn is_plain(url: &str) -> bool {
    !url.chars().any(|c| c.is_control() || c.is_whitespace())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
