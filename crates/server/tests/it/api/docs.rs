//! Tests of the documentation as a reader gets it: links, headers, the choice of a language, the search.

use crate::support::Server;
use reqwest::{Client, Response, redirect::Policy};
use scraper::{Html, Selector};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A reader without cookies.
struct Reader {
    client: Client,
    url: String,
}

impl Reader {
    async fn at(server: &Server) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().expect("a client");
        Self { client, url: server.url.clone() }
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.expect("an answer")
    }

    async fn text(&self, path: &str) -> String {
        let response = self.get(path, &[]).await;
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.expect("a text")
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn all(page: &str, selector: &str, attribute: &str) -> Vec<String> {
    let page = Html::parse_document(page);
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).filter_map(|element| element.attr(attribute)).map(str::to_owned).collect()
}

fn texts(page: &str, selector: &str) -> Vec<String> {
    let page = Html::parse_document(page);
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).map(|element| element.text().collect()).collect()
}

/// The address without its fragment that a link on a page leads to, and the fragment.
fn resolve(page: &str, href: &str) -> (String, String) {
    let (address, fragment) = href.split_once('#').unwrap_or((href, ""));
    let path = page.split('?').next().unwrap_or(page);
    let address = match address {
        "" => page.to_owned(),
        query if query.starts_with('?') => format!("{path}{query}"),
        address => address.to_owned(),
    };
    (address, fragment.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_and_anchor_of_the_documents_leads_somewhere() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut links: Vec<(String, String, String)> = Vec::new();
    let mut waiting = VecDeque::from(["/docs".to_owned(), "/docs/search?q=callback".to_owned()]);
    while let Some(address) = waiting.pop_front() {
        if ids.contains_key(&address) {
            continue;
        }
        let response = reader.get(&address, &[]).await;
        let status = response.status().as_u16();
        let outside = !address.starts_with("/docs") && !address.starts_with("/assets/");
        assert!(status == 200 || outside && (status == 303 || status == 308), "{address}: {status}");
        let is_page = header(&response, "content-type") == Some("text/html; charset=utf-8") && !outside;
        let body = response.text().await.expect("a text");
        ids.insert(address.clone(), all(&body, "[id]", "id").into_iter().collect());
        if !is_page {
            continue;
        }
        for href in [all(&body, "a", "href"), all(&body, "link[rel=stylesheet]", "href")].concat() {
            if href.starts_with("https://") {
                continue;
            }
            let (target, fragment) = resolve(&address, &href);
            waiting.push_back(target.clone());
            links.push((address.clone(), target, fragment));
        }
    }
    for (from, to, fragment) in &links {
        assert!(fragment.is_empty() || ids[to].contains(fragment), "{from} links to {to}#{fragment}");
    }
    for path in ["/docs/operations", "/docs/providers/stripe", "/docs/integration?code=php", "/docs/settings"]
    {
        assert!(ids.contains_key(path), "{path}");
    }
    assert!(links.len() > 1000, "{}", links.len());
}

/// The addresses that a Markdown text links to.
fn links_of(text: &str) -> Vec<String> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link.to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_find_every_page_as_markdown() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    let list = reader.get("/llms.txt", &[]).await;
    assert_eq!(header(&list, "content-type"), Some("text/plain; charset=utf-8"));
    let list = list.text().await.expect("a text");
    assert!(list.starts_with("# Till\n\n> A hosted payment checkout"), "{list}");
    let listed: BTreeSet<String> = links_of(&list).into_iter().collect();
    let html = reader.text("/docs").await;
    let pages = all(&html, "nav a", "href").into_iter().filter(|href| href.starts_with("/docs"));
    let pages: BTreeSet<String> = pages.map(|href| href.split('#').next().unwrap_or("").to_owned()).collect();
    assert!(pages.len() >= 13, "{pages:?}");
    for page in &pages {
        let path = format!("{page}.md");
        assert!(listed.iter().any(|link| link.ends_with(&path)), "{path} is listed");
        let markdown = reader.get(&path, &[]).await;
        assert_eq!(
            (markdown.status().as_u16(), header(&markdown, "content-type")),
            (200, Some("text/markdown; charset=utf-8"))
        );
        let markdown = markdown.text().await.expect("a text");
        let html = reader.text(page).await;
        assert_eq!(all(&html, "link[rel=alternate]", "href").join(" "), path);
        for title in texts(&html, "main h2") {
            assert!(markdown.contains(&format!("# {}", title.trim())) || page == "/docs", "{path}: {title}");
        }
        for link in links_of(&markdown).iter().filter(|link| link.starts_with('/')) {
            let target = link.split('#').next().unwrap_or("");
            let status = reader.get(target, &[]).await.status().as_u16();
            assert!([200, 303, 308].contains(&status), "{path} links to {link}: {status}");
        }
    }
    let reference = reader.text("/docs.md").await;
    for part in
        ["`POST /api/sandbox/vendor/signature-checks`", "- `price` (", "| `invalid_token` | 401 |", "curl "]
    {
        assert!(reference.contains(part), "{part}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_compressed_and_confirmed_and_has_the_headers_of_every_page() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    for path in
        ["/docs", "/docs/operations", "/docs/integration", "/docs/callbacks/vectors.json", "/openapi.json"]
    {
        let first = reader.get(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(first.status(), 200, "{path}");
        assert_eq!(header(&first, "content-encoding"), Some("gzip"), "{path}");
        assert_eq!(header(&first, "cache-control"), Some("no-cache"), "{path}");
        assert_eq!(header(&first, "x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(header(&first, "referrer-policy"), Some("no-referrer"), "{path}");
        let policy = header(&first, "content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        let tag = header(&first, "etag").expect("a tag").to_owned();
        let again = reader.get(path, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status().as_u16(), header(&again, "etag")), (304, Some(tag.as_str())), "{path}");
        assert!(again.bytes().await.expect("a body").is_empty(), "{path}");
    }
    let search = reader.get("/docs/search?q=refund", &[("accept-encoding", "gzip")]).await;
    assert_eq!(header(&search, "content-encoding"), Some("gzip"));
    assert_eq!(header(&search, "cache-control"), Some("no-store"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_language_of_samples_is_kept_from_page_to_page() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    let chosen = reader.get("/docs/callbacks?code=php", &[]).await;
    let cookie = header(&chosen, "set-cookie").expect("a cookie").to_owned();
    let vary: Vec<_> =
        chosen.headers().get_all("vary").iter().map(|value| value.to_str().expect("text")).collect();
    assert_eq!(vary, ["accept-encoding", "cookie"]);
    let pair = cookie.split(';').next().expect("a pair");
    let other = reader.get("/docs/integration", &[("cookie", pair)]).await;
    assert_eq!(header(&other, "set-cookie"), None);
    let tag = header(&other, "etag").map(str::to_owned);
    let page = other.text().await.expect("a page");
    assert!(texts(&page, ".langs [aria-current]").iter().all(|name| name == "PHP"));
    assert!(page.contains("&#60;?php"));
    let unchosen = reader.get("/docs/integration", &[]).await;
    assert_ne!(header(&unchosen, "etag").map(str::to_owned), tag);
    let first = texts(&unchosen.text().await.expect("a page"), ".langs [aria-current]");
    assert!(first.len() > 5 && first.iter().all(|name| name == "Shell"), "{first:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_search_finds_sections_of_all_documents() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    for (query, first) in [
        ("rotation", "/docs/callbacks#rotation"),
        ("create a session", "/docs/integration#2-create-a-session"),
        ("createSession", "/docs#createSession"),
        ("rate_limited", "/docs#problem-rate_limited"),
        ("TILL_TRUSTED_PROXIES", "/docs/settings#trusted_proxies"),
        ("failover", "/docs/operations#failover"),
        ("sweeping gap limit", "/docs/providers/evm#sweeping-and-the-gap-limit"),
        ("disputes stripe", "/docs/providers/stripe#disputes-returned-refunds-and-reconciliation"),
    ] {
        let page = reader.text(&format!("/docs/search?q={}", query.replace(' ', "+"))).await;
        let hits = all(&page, ".hits h2 a", "href");
        assert_eq!(hits.first().map(String::as_str), Some(first), "{query}: {hits:?}");
        assert!(hits.len() <= 20 && !texts(&page, ".hits mark").is_empty(), "{query}: {hits:?}");
        assert_eq!(all(&page, "main input", "value"), [query]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t6_the_search_takes_any_input() {
    let server = Server::start().await;
    let reader = Reader::at(&server).await;
    let long = format!("/docs/search?q={}", "refund+%F0%9F%98%80".repeat(1500));
    for path in [
        "/docs/search",
        "/docs/search?",
        "/docs/search?q=",
        "/docs/search?q=%20%20",
        "/docs/search?q=%ff%00%0d%0a",
        "/docs/search?q=zzzzqqqq",
        "/docs/search?q[]=1&q=2&q=3",
        "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22%3E%3Cimg%20onload=x%3E",
        &long,
    ] {
        let page = reader.text(path).await;
        assert!(!page.contains("<script>") && !page.contains("<img"), "{path}");
        assert!(page.len() < 100_000, "{path}: {}", page.len());
        assert_eq!(texts(&page, "h1"), ["Search the documentation"], "{path}");
    }
    let nothing = reader.text("/docs/search?q=zzzzqqqq").await;
    assert!(texts(&nothing, "[role=status]")[0].starts_with("Nothing found."));
    assert!(all(&nothing, "main a", "href").contains(&"/docs/operations".to_owned()));
}
