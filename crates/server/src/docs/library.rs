//! The documents that are served: the pages, with the files of this repository that they are made of, and the files
//! that they offer for download.

/// The reader that a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    Vendors,
    Operators,
}

impl Audience {
    pub const ALL: [Self; 2] = [Self::Vendors, Self::Operators];

    /// The heading of its pages in the navigation.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Vendors => "For vendors",
            Self::Operators => "For operators",
        }
    }

    pub fn pages(self) -> impl Iterator<Item = &'static DocsPage> {
        PAGES.iter().filter(move |page| page.audience == self)
    }
}

/// A page below `/docs`.
#[derive(Debug)]
pub struct DocsPage {
    pub path: &'static str,
    /// Its name in the navigation.
    pub name: &'static str,
    /// Its content in one line.
    pub about: &'static str,
    pub audience: Audience,
    pub source: PageSource,
}

/// What a page is made of.
#[derive(Debug)]
pub enum PageSource {
    /// The OpenAPI document.
    OpenApi,
    /// The table of settings.
    Settings,
    Markdown(MarkdownFile),
}

impl DocsPage {
    /// The file that it shows, by its path from the `docs` folder.
    pub fn file(&self) -> Option<&'static str> {
        match &self.source {
            PageSource::OpenApi => None,
            PageSource::Settings => Some(EXAMPLE_FILE),
            PageSource::Markdown(source) => Some(source.file),
        }
    }
}

/// A document of this repository.
#[derive(Debug)]
pub struct MarkdownFile {
    /// Its path in the `docs` folder.
    pub file: &'static str,
    pub text: &'static str,
}

/// A file that pages link to, served as it is.
#[derive(Debug)]
pub struct DocsFile {
    /// Its path from the `docs` folder.
    pub file: &'static str,
    pub path: &'static str,
    pub text: &'static str,
}

impl DocsFile {
    pub fn content_type(&self) -> &'static str {
        if self.path.ends_with(".json") { "application/json" } else { "text/plain; charset=utf-8" }
    }
}

macro_rules! document {
    ($file:literal) => {
        PageSource::Markdown(MarkdownFile {
            file: $file,
            text: include_str!(concat!("../../../../docs/", $file)),
        })
    };
}

macro_rules! download {
    ($file:literal) => {
        DocsFile {
            file: $file,
            path: concat!("/docs/", $file),
            text: include_str!(concat!("../../../../docs/", $file)),
        }
    };
}

/// The path of the reference.
pub const REFERENCE: &str = "/docs";

/// Every page, in the order of the navigation.
pub const PAGES: [DocsPage; 15] = [
    DocsPage {
        path: REFERENCE,
        name: "API reference",
        about: "Every call with its fields, errors and examples",
        audience: Audience::Vendors,
        source: PageSource::OpenApi,
    },
    DocsPage {
        path: "/docs/integration",
        name: "Integration guide",
        about: "From an empty project to a verified callback, with complete programs",
        audience: Audience::Vendors,
        source: document!("integration.md"),
    },
    DocsPage {
        path: "/docs/callbacks",
        name: "Callbacks",
        about: "How to receive and verify callbacks, and how they are retried",
        audience: Audience::Vendors,
        source: document!("callbacks.md"),
    },
    DocsPage {
        path: "/docs/api",
        name: "The session API",
        about: "Prices, retries, statuses, refunds: details beyond the reference",
        audience: Audience::Vendors,
        source: document!("api.md"),
    },
    DocsPage {
        path: "/docs/install",
        name: "Install",
        about: "Debian package, container or binary: install, upgrade, uninstall",
        audience: Audience::Operators,
        source: document!("install.md"),
    },
    DocsPage {
        path: "/docs/operations",
        name: "Operations",
        about: "Settings, commands, going to production, backups, monitoring",
        audience: Audience::Operators,
        source: document!("operations.md"),
    },
    DocsPage {
        path: "/docs/metrics",
        name: "Metrics and alerts",
        about: "What each metric means and what to do, alert by alert",
        audience: Audience::Operators,
        source: document!("metrics.md"),
    },
    DocsPage {
        path: "/docs/settings",
        name: "Settings",
        about: "Every setting with its default",
        audience: Audience::Operators,
        source: PageSource::Settings,
    },
    DocsPage {
        path: "/docs/security",
        name: "Security",
        about: "The security model, keys, roles, limits, and OWASP ASVS 5.0",
        audience: Audience::Operators,
        source: document!("security.md"),
    },
    DocsPage {
        path: "/docs/reliability",
        name: "Reliability",
        about: "What is promised when something fails, and what was measured",
        audience: Audience::Operators,
        source: document!("reliability.md"),
    },
    DocsPage {
        path: "/docs/performance",
        name: "Performance",
        about: "Benchmarks, and how to run them",
        audience: Audience::Operators,
        source: document!("performance.md"),
    },
    DocsPage {
        path: "/docs/providers/stripe",
        name: "Stripe",
        about: "Cards by Stripe: how to set it up, and what to test first",
        audience: Audience::Operators,
        source: document!("providers/stripe.md"),
    },
    DocsPage {
        path: "/docs/providers/yookassa",
        name: "YooKassa",
        about: "Cards and SBP by YooKassa: how to set it up, and what to test first",
        audience: Audience::Operators,
        source: document!("providers/yookassa.md"),
    },
    DocsPage {
        path: "/docs/providers/tbank",
        name: "T-Bank",
        about: "Cards and SBP by T-Bank: how to set it up, and what to test first",
        audience: Audience::Operators,
        source: document!("providers/tbank.md"),
    },
    DocsPage {
        path: "/docs/providers/evm",
        name: "Crypto",
        about: "Ethereum and chains like it: wallet, setup, sweeping",
        audience: Audience::Operators,
        source: document!("providers/evm.md"),
    },
];

/// The file with all settings, which has a page, and its address for download.
const EXAMPLE_FILE: &str = "../config.example.toml";
pub const EXAMPLE_FILE_PATH: &str = "/docs/config.example.toml";

/// Every file that pages offer for download.
pub const FILES: [DocsFile; 22] = [
    DocsFile {
        file: "config.example.toml",
        path: EXAMPLE_FILE_PATH,
        text: include_str!("../../../../config.example.toml"),
    },
    download!("callbacks/example.json"),
    download!("callbacks/replay.sh"),
    download!("callbacks/vectors.json"),
    download!("callbacks/verify.go"),
    download!("callbacks/verify.mjs"),
    download!("callbacks/verify.php"),
    download!("callbacks/verify.py"),
    download!("callbacks/verify.rb"),
    download!("callbacks/verify.rs"),
    download!("callbacks/verify.sh"),
    download!("ci/javascript/payments.test.mjs"),
    download!("ci/javascript/shop.mjs"),
    download!("ci/payments.yml"),
    download!("ci/python/shop.py"),
    download!("ci/python/test_payments.py"),
    download!("integration/shop.go"),
    download!("integration/shop.mjs"),
    download!("integration/shop.php"),
    download!("integration/shop.py"),
    download!("integration/shop.rb"),
    download!("integration/shop.sh"),
];

/// The address of what a document links to, relative to its own file; `None` for files that are not served.
pub fn target(from: &str, href: &str) -> Option<String> {
    if href.starts_with('#') || href.starts_with("https://") {
        return Some(href.to_owned());
    }
    let (file, fragment) = href.split_once('#').unwrap_or((href, ""));
    let file = resolve(from, file);
    let page = PAGES.iter().find(|page| page.file() == Some(file.as_str()));
    let Some(page) = page else {
        return FILES.iter().find(|served| served.file == file).map(|served| served.path.to_owned());
    };
    Some(if fragment.is_empty() { page.path.to_owned() } else { format!("{}#{fragment}", page.path) })
}

/// The path in the `docs` folder of a file that is named relative to another one.
fn resolve(from: &str, file: &str) -> String {
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    for part in file.split('/') {
        match part {
            ".." if folders.last().is_some_and(|last| *last != "..") => {
                folders.pop();
            }
            "." => {}
            part => folders.push(part),
        }
    }
    folders.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    /// Documents for people who change the code, which are not served.
    const NOT_SERVED: [&str; 2] = ["decisions/", "walkthroughs.md"];

    fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                documents(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_document_has_a_page() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
        let mut found = Vec::new();
        documents(root, &mut found);
        assert!(found.len() > 10, "{found:?}");
        for path in found {
            let file = path.strip_prefix(root).expect("below docs").to_str().expect("a name");
            let served = PAGES.iter().any(|page| page.file() == Some(file));
            let left_out = NOT_SERVED.iter().any(|start| file.starts_with(start));
            assert!(served != left_out, "docs/{file} needs a page in PAGES, or a line in NOT_SERVED");
        }
    }

    #[test]
    fn a_link_leads_to_the_page_or_file_that_is_served() {
        for (from, href, expected) in [
            ("integration.md", "callbacks.md#the-feed", Some("/docs/callbacks#the-feed")),
            ("providers/stripe.md", "../operations.md", Some("/docs/operations")),
            ("operations.md", "providers/evm.md", Some("/docs/providers/evm")),
            ("providers/evm.md", "stripe.md#set-up", Some("/docs/providers/stripe#set-up")),
            ("operations.md", "../config.example.toml", Some("/docs/settings")),
            ("callbacks.md", "callbacks/vectors.json", Some("/docs/callbacks/vectors.json")),
            ("callbacks.md", "#rotation", Some("#rotation")),
            ("callbacks.md", "https://www.standardwebhooks.com", Some("https://www.standardwebhooks.com")),
            ("security.md", "decisions/0010-egress.md", None),
            ("security.md", "../ARCHITECTURE.md", None),
            ("security.md", "../../../etc/passwd", None),
            ("security.md", "javascript:alert(1)", None),
            ("security.md", "", None),
        ] {
            assert_eq!(target(from, href).as_deref(), expected, "{from}: {href}");
        }
    }
}
