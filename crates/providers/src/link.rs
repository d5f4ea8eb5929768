//! Checks links before a customer gets them: they may lead only to hosts of the provider and its banks, so that a
//! customer cannot be led elsewhere.

use crate::document::is_loopback;
use url::Url;

/// The longest link, in bytes.
const MAX_LINK: usize = 2_048;

/// True if a customer may be given this link. It is passed on as it came.
pub(crate) fn is_allowed(link: &str, hosts: &[String]) -> bool {
    let clean = link.len() <= MAX_LINK && link.bytes().all(|b| b.is_ascii_graphic());
    let Ok(url) = Url::parse(link) else { return false };
    // A browser must read the link the same way as it was judged here.
    let bare = url.username().is_empty() && url.password().is_none() && !link.contains('\\');
    let secure = url.scheme() == "https" && url.port().is_none() && link.starts_with("https://");
    let own = is_loopback(&url) && matches!(url.scheme(), "http" | "https");
    let known = url.host_str().is_some_and(|host| hosts.iter().any(|known| known == host));
    clean && bare && (secure || own) && known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_are_linked_to() {
        let hosts = ["yoomoney.ru".to_owned(), "qr.nspk.ru".to_owned()];
        let allowed = |link: &str| is_allowed(link, &hosts);
        assert!(allowed("https://yoomoney.ru/checkout/payments/v2/contract?orderId=1"));
        assert!(allowed(
            "https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&sum=1&cur=RUB&crc=AB75"
        ));
        assert!(allowed("https://YOOMONEY.RU/x"), "a host has no case");
        for link in [
            "http://yoomoney.ru/x",
            "https://yoomoney.ru.evil.example/x",
            "https://evil.example/yoomoney.ru",
            "https://evilyoomoney.ru/",
            "https://sub.yoomoney.ru/",
            "https://yoomoney.ru@evil.example/",
            "https://user@yoomoney.ru/",
            "https://yoomoney.ru:8443/",
            "https://yoomoney.ru\\@evil.example/",
            "https:yoomoney.ru/",
            "//yoomoney.ru/",
            "javascript:alert(1)//yoomoney.ru",
            "https://yoomoney.ru/\nx",
            "https://yoomoney.ru/ x",
            "https://127.0.0.1/",
            "",
        ] {
            assert!(!allowed(link), "{link:?}");
        }
        assert!(!allowed(&format!("https://yoomoney.ru/{}", "x".repeat(2_048))));
        assert!(
            is_allowed("http://127.0.0.1:9/x", &["127.0.0.1".to_owned()]),
            "for tests, if it is set up so"
        );
    }
}
