//! The cookies of the panel: log-in, pending second factor, known browser, unsaved form, confirmed password.

use axum::http::{HeaderMap, HeaderValue, header};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use std::time::Duration;
use subtle::ConstantTimeEq as _;
use till_domain::{
    id::{LoginId, UserId},
    time::Timestamp,
    user::LONGEST,
};
use till_service::vault::Vault;
use till_store::KnownUser;

/// The time limit for the second factor.
const HALF_WAY: Duration = Duration::from_secs(10 * 60);

/// The lifetime of the cookie that marks a browser as known to its user.
const KNOWN: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The lifetime of an unsaved form while the user logs in.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// How long a password that was typed again counts.
pub(super) const CONFIRMED: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cookie {
    /// The browser is logged in.
    Login,
    /// The password was right, and the code of the second factor is missing.
    Half,
    /// A user logged in with this browser before.
    Known,
    /// The fields of a form that could not be saved.
    Kept,
    /// A logged-in user typed the password again.
    Confirmed,
}

impl Cookie {
    /// The name of the cookie. Over https, the `__Host-` prefix makes browsers accept it only from this host,
    /// for all paths, and encrypted.
    fn name(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Self::Login, true) => "__Host-till-login",
            (Self::Half, true) => "__Host-till-half",
            (Self::Known, true) => "__Host-till-known",
            (Self::Kept, true) => "__Host-till-kept",
            (Self::Confirmed, true) => "__Host-till-confirmed",
            (Self::Login, false) => "till-login",
            (Self::Half, false) => "till-half",
            (Self::Known, false) => "till-known",
            (Self::Kept, false) => "till-kept",
            (Self::Confirmed, false) => "till-confirmed",
        }
    }

    fn lasts(self) -> Duration {
        match self {
            Self::Login => LONGEST,
            Self::Half => HALF_WAY,
            Self::Known => KNOWN,
            Self::Kept => KEPT,
            Self::Confirmed => CONFIRMED,
        }
    }

    /// Its value in a request.
    pub(super) fn of(self, headers: &HeaderMap, secure: bool) -> Option<&str> {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name(secure)).map(|(_, value)| value)
    }

    /// The header that sets it.
    pub(super) fn set(self, value: &str, secure: bool) -> HeaderValue {
        self.header(value, self.lasts(), secure)
    }

    /// The header that deletes it.
    pub(super) fn clear(self, secure: bool) -> HeaderValue {
        self.header("", Duration::ZERO, secure)
    }

    fn header(self, value: &str, lasts: Duration, secure: bool) -> HeaderValue {
        let (name, seconds) = (self.name(secure), lasts.as_secs());
        let secure = if secure { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; SameSite=Lax; HttpOnly{secure}");
        HeaderValue::from_str(&text).unwrap_or_else(|_| unreachable!("our values are plain ASCII"))
    }
}

/// A signed value saying that this user typed the right password just now. It becomes invalid once the
/// password changes or a code is used.
pub(super) fn half(vault: &Vault, user: &KnownUser, now: Timestamp) -> String {
    signed(vault, "half", user.user.id, now.plus(HALF_WAY), &state(user))
}

/// The user that the value claims, not verified.
pub(super) fn claimed_half(text: &str) -> Option<UserId> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    Some(UserId::from_bytes(bytes.get(..16)?.try_into().ok()?))
}

/// Returns true when the value is valid and recent for this user in their current state.
pub(super) fn is_half(vault: &Vault, text: &str, user: &KnownUser, now: Timestamp) -> bool {
    read(vault, "half", text, now, &state(user)) == Some(user.user.id)
}

/// The user's data that must not change between the two steps.
fn state(user: &KnownUser) -> Vec<u8> {
    let step = user.factor_step.unwrap_or(-1).to_be_bytes();
    [step.as_slice(), user.password.as_deref().unwrap_or_default().as_bytes()].concat()
}

/// A signed value saying that this user logged in with this browser.
pub(super) fn known(vault: &Vault, user: UserId, now: Timestamp) -> String {
    signed(vault, "known", user, now.plus(KNOWN), &[])
}

/// The user who logged in with this browser, if the value is valid.
pub(super) fn read_known(vault: &Vault, text: &str, now: Timestamp) -> Option<UserId> {
    read(vault, "known", text, now, &[])
}

/// A signed value saying that this user typed the password again during this log-in.
pub(super) fn confirmed(vault: &Vault, (user, login): (UserId, LoginId), now: Timestamp) -> String {
    signed(vault, "confirmed", user, now.plus(CONFIRMED), login.as_bytes())
}

/// Returns true when this user typed the password again recently during this log-in.
pub(super) fn is_confirmed(
    vault: &Vault,
    text: &str,
    (user, login): (UserId, LoginId),
    now: Timestamp,
) -> bool {
    read(vault, "confirmed", text, now, login.as_bytes()) == Some(user)
}

fn signed(vault: &Vault, kind: &str, user: UserId, until: Timestamp, more: &[u8]) -> String {
    let bytes = [user.as_bytes().as_slice(), &until.as_ms().to_be_bytes()].concat();
    let mac = vault.browser_token_check(kind, &[bytes.as_slice(), more].concat());
    BASE64_URL_SAFE_NO_PAD.encode([bytes.as_slice(), &mac].concat())
}

fn read(vault: &Vault, kind: &str, text: &str, now: Timestamp, more: &[u8]) -> Option<UserId> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (said, mac) = bytes.split_at_checked(24)?;
    let signed = [said, more].concat();
    if !vault.keys().any(|keys| bool::from(keys.browser_token_check(kind, &signed).ct_eq(mac))) {
        return None;
    }
    let (user, until) = said.split_at(16);
    let until = Timestamp::from_ms(i64::from_be_bytes(until.try_into().ok()?));
    let user = UserId::from_bytes(user.try_into().ok()?);
    (now < until).then_some(user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::user::{Role, User};
    use till_service::{vault::MasterKey, web::language::Language};
    use till_testing::fuzz::bytes_target;

    fn vault(digit: &str) -> Vault {
        Vault::new(&MasterKey::parse(&digit.repeat(64)).expect("a key"))
    }

    #[test]
    fn t18_a_cookie_is_for_this_host_only_and_hidden_from_scripts() {
        let text = Cookie::Login.set("abc", true);
        let expected = "__Host-till-login=abc; Path=/; Max-Age=604800; SameSite=Lax; HttpOnly; Secure";
        assert_eq!(text.to_str().ok(), Some(expected));
        let plain = Cookie::Login.set("abc", false);
        assert_eq!(
            plain.to_str().ok(),
            Some("till-login=abc; Path=/; Max-Age=604800; SameSite=Lax; HttpOnly")
        );
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; till-login=abc;till-known=x"));
        assert_eq!(Cookie::Login.of(&headers, false), Some("abc"));
        assert_eq!(Cookie::Known.of(&headers, false), Some("x"));
        assert_eq!(Cookie::Login.of(&headers, true), None, "over https the other name counts");
    }

    fn user(password: &str, factor_step: Option<i64>) -> KnownUser {
        let now = Timestamp::from_ms(1_000_000);
        let user = User {
            id: UserId::new(now, &[7; 10]),
            email: "ada@shop.example".to_owned(),
            role: Role::Operator,
            vendor: None,
            disabled: false,
            has_password: true,
            has_factor: true,
            created_at: now,
            seen_at: None,
            time_zone: None,
        };
        KnownUser {
            user,
            password: Some(password.to_owned()),
            factor: None,
            factor_pending: None,
            factor_step,
        }
    }

    #[test]
    fn what_a_cookie_says_is_believed_from_us_in_time_and_for_its_purpose() {
        let (ours, now, ada) = (vault("1"), Timestamp::from_ms(1_000_000), user("hash", None));
        let text = half(&ours, &ada, now);
        assert_eq!(claimed_half(&text), Some(ada.user.id));
        assert!(is_half(&ours, &text, &ada, now));
        assert!(!is_half(&ours, &text, &ada, now.plus(HALF_WAY)));
        assert!(!is_half(&vault("2"), &text, &ada, now));
        assert_eq!(read_known(&ours, &text, now), None);
        let flipped = text.replacen(&text[..1], if text.starts_with('A') { "B" } else { "A" }, 1);
        for wrong in [flipped.as_str(), &text[1..], "", "AAAA", "not base64!"] {
            assert!(!is_half(&ours, wrong, &ada, now), "{wrong}");
        }
    }

    #[test]
    fn t16_half_way_is_nothing_after_a_new_password_or_a_used_code() {
        let (ours, now) = (vault("1"), Timestamp::from_ms(1_000_000));
        let text = half(&ours, &user("hash", Some(5)), now);
        assert!(is_half(&ours, &text, &user("hash", Some(5)), now));
        assert!(!is_half(&ours, &text, &user("another", Some(5)), now));
        assert!(!is_half(&ours, &text, &user("hash", Some(6)), now));
    }

    #[test]
    fn f26_cookies() {
        let (ours, now, ada) = (vault("1"), Timestamp::from_ms(1_000_000), user("hash", None));
        let login = LoginId::new(now, &[9; 10]);
        let good = [
            half(&ours, &ada, now),
            known(&ours, ada.user.id, now),
            confirmed(&ours, (ada.user.id, login), now),
        ];
        let [half, known, confirmed] = &good;
        let line = |value: &String| {
            format!("a=b; till-half={value}; till-known={value};till-confirmed={value}; lang=ru")
        };
        let words = [";", "=", "; ", "till-known=", "till-half=", "lang=", "==", "%3D"];
        bytes_target(&good.each_ref().map(line), &words, |bytes| {
            let Ok(value) = HeaderValue::from_bytes(bytes) else { return };
            let _ = value.to_str().ok().and_then(Language::from_cookies);
            let headers = HeaderMap::from_iter([(header::COOKIE, value)]);
            let value = |cookie: Cookie| cookie.of(&headers, false).unwrap_or_default();
            let _ = claimed_half(value(Cookie::Half));
            assert_eq!(is_half(&ours, value(Cookie::Half), &ada, now), value(Cookie::Half) == half);
            assert_eq!(read_known(&ours, value(Cookie::Known), now).is_some(), value(Cookie::Known) == known);
            let is_confirmed = is_confirmed(&ours, value(Cookie::Confirmed), (ada.user.id, login), now);
            assert_eq!(is_confirmed, value(Cookie::Confirmed) == confirmed);
        });
    }
}
