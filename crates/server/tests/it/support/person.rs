//! A user of the panel with a browser: logs in, opens pages, sends their forms.

use super::{Answer, Customer, Server, entry, process::MASTER_KEY};
use scraper::{Html, Selector};
use secrecy::SecretString;
use till_domain::{
    id::{LoginId, UserId, VendorId},
    user::Role,
};
use till_service::{
    access::{password::Passwords, queue::Caller},
    admin::new_token,
    random,
    vault::{MasterKey, Vault},
};
use till_store::{Login, NewUser};

/// The password of every user who has one.
pub const PASSWORD: &str = "correct horse battery staple";

/// A browser and its user.
#[derive(Debug, Clone)]
pub struct Person {
    pub browser: Customer,
    pub id: UserId,
    pub email: String,
    /// All cookies, as the browser sends them.
    pub cookies: String,
}

impl Server {
    /// A user with a password, who has not logged in.
    pub async fn user(&self, name: &str, role: Role, vendor: Option<VendorId>) -> Person {
        let id = random::id::<UserId>(self.clock.now());
        let email = format!("{name}@shop.example");
        let password =
            Passwords::new(1).hash(Caller::Shell, &SecretString::from(PASSWORD)).await.expect("a hash");
        let new = NewUser { id, email: email.clone(), role, vendor, password: Some(password) };
        assert!(self.accounts.add_user(new, None, &entry()).await.expect("stored"));
        Person { browser: self.customer(), id, email, cookies: String::new() }
    }

    /// A user who is logged in, without the cost of checking a password.
    pub async fn person(&self, name: &str, role: Role, vendor: Option<VendorId>) -> Person {
        let id = random::id::<UserId>(self.clock.now());
        let email = format!("{name}@shop.example");
        let new = NewUser { id, email: email.clone(), role, vendor, password: None };
        assert!(self.accounts.add_user(new, None, &entry()).await.expect("stored"));
        let mut person = Person { browser: self.customer(), id, email, cookies: String::new() };
        self.open_browser(&mut person).await;
        person
    }

    /// Logs a user in as if they had typed their password.
    pub async fn open_browser(&self, person: &mut Person) {
        let vault = Vault::new(&MasterKey::parse(MASTER_KEY).expect("a key"));
        let (token, now) = (new_token(), self.clock.now());
        let login = Login {
            id: random::id::<LoginId>(now),
            user: person.id,
            address: "127.0.0.1".to_owned(),
            agent: "a test".to_owned(),
            created_at: now,
            seen_at: now,
        };
        let check = vault.browser_token_check("login", token.as_bytes());
        let seen = self.accounts.user(person.id).await.expect("a read").expect("a user");
        assert!(self.accounts.open_login(&login, &check, &seen, &entry()).await.expect("stored"));
        person.cookies = format!("till-login={token}");
    }
}

impl Person {
    pub async fn get(&self, path: &str) -> Answer {
        self.browser.get(path, &[("cookie", &self.cookies)]).await
    }

    /// Sends a form from its page, with that page's CSRF token.
    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        let csrf = self.csrf().await;
        self.post_with(path, &[&[("csrf", csrf.as_str())], form].concat(), &[]).await
    }

    /// Sends a form without adding a CSRF token.
    pub async fn post_with(&self, path: &str, form: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let usual = [("cookie", self.cookies.as_str()), ("origin", self.browser.url.as_str())];
        let kept = usual.iter().filter(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        let all: Vec<_> =
            kept.copied().chain(headers.iter().copied().filter(|(_, value)| !value.is_empty())).collect();
        self.browser.post_as_is(path, form, &all).await
    }

    /// The CSRF token that the pages put into every form.
    pub async fn csrf(&self) -> String {
        let page = Html::parse_document(&self.get("/panel/account").await.body);
        let field = Selector::parse("input[name=csrf]").expect("a selector");
        page.select(&field).next().and_then(|input| input.attr("value")).unwrap_or_default().to_owned()
    }

    /// Logs in with the password; returns the answer of the last step.
    pub async fn log_in(&mut self, password: &str) -> Answer {
        let form = [("email", self.email.as_str()), ("password", password)];
        let answer = self.post_with("/panel/login", &form, &[]).await;
        self.take_cookies(&answer);
        answer
    }

    /// Stores the cookies that an answer sets.
    pub fn take_cookies(&mut self, answer: &Answer) {
        let mut kept: Vec<(String, String)> = self
            .cookies
            .split("; ")
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        for line in answer.headers.get_all("set-cookie") {
            let pair = line.to_str().expect("text").split(';').next().expect("a pair");
            let (name, value) = pair.split_once('=').expect("a pair");
            kept.retain(|(known, _)| known != name);
            if !value.is_empty() {
                kept.push((name.to_owned(), value.to_owned()));
            }
        }
        self.cookies =
            kept.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    }
}
