//! Stripe in the conformance suite: a world in which the fake plays the customer and the faults.

use super::{Scene, now, price, refund_of};
use crate::conformance::{Can, Question, World};
use crate::doubles::When;
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};
use till_domain::{
    attempt::Attempt,
    id::{AttemptId, SessionId},
    money::Money,
    refund::Refund,
};
use till_providers::{Provider, SignedNotice};

pub(crate) struct StripeCards(Scene);

impl Default for StripeCards {
    fn default() -> Self {
        Self(Scene::begin("webhook_secrets = [\"whsec_fake\"]"))
    }
}

impl StripeCards {
    /// A blocking request to the fake: the suite's questions about a world are not async functions.
    fn control(&self, path: &str, wish: &Value) -> Value {
        let body = wish.to_string();
        let mut stream = TcpStream::connect(&self.0.fake.control).expect("the fake");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: fake\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("the fake");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the fake's answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("the fake's answer");
        serde_json::from_str(body).expect("the fake's answer")
    }

    fn lose(&self, method: &str, path: &str, when: When) {
        let kind = match when {
            When::Before => "drop_before",
            When::After => "drop_after",
        };
        self.control("/fault", &json!({ "method": method, "path": path, "kind": kind }));
    }

    async fn card(&self, attempt: &Attempt, card: &str) -> Value {
        self.0.control("/customer", json!({ "intent": attempt.reference, "card": card })).await
    }
}

impl World for StripeCards {
    const CAN: &'static [Can] = &[Can::Decline, Can::Close, Can::Notices, Can::Refunds, Can::StartAgain];

    fn provider(&self) -> &dyn Provider {
        &self.0.stripe
    }

    fn attempt(&self, number: u32) -> Attempt {
        let mut bytes = [7; 16];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        let (id, session) = (AttemptId::from_bytes(bytes), SessionId::from_bytes(bytes));
        Attempt { id, session, started_at: now(), ..super::attempt(1) }
    }

    fn amount(&self) -> Money {
        price()
    }

    fn opened(&self, attempt: &Attempt) -> usize {
        let truth = self.control("/truth", &json!({}));
        let intents = truth["intents"].as_object().expect("intents");
        let id = attempt.id.to_string();
        intents.values().filter(|intent| intent["metadata"]["attempt_id"] == id.as_str()).count()
    }

    async fn pay(&self, attempt: &Attempt, tenths: u128) -> bool {
        assert_eq!(tenths, 10, "a card is charged exactly what was asked for");
        self.card(attempt, "4242424242424242").await.get("refused").is_none()
    }

    async fn decline(&self, attempt: &Attempt) -> bool {
        self.card(attempt, "4000000000000002").await["refused"] == "card_declined"
    }

    fn lose(&self, question: Question, when: When) {
        match question {
            Question::Start => self.lose("POST", "/v1/payment_intents", when),
            Question::Check => self.lose("GET", "/v1/payment_intents", when),
            Question::Close => self.lose("POST", "/cancel", when),
        }
    }

    fn notices(&self, attempt: &Attempt) -> Vec<SignedNotice> {
        let events = self.control("/signed", &json!({}));
        let reference = attempt.reference.as_deref().expect("a payment");
        let text = |event: &Value, name: &str| event[name].as_str().expect("a text").to_owned();
        let all = events.as_array().expect("events").iter();
        let ours = all.filter(|event| text(event, "body").contains(reference));
        let signed = |event| SignedNotice {
            body: text(event, "body").into_bytes(),
            signature: text(event, "signature"),
        };
        ours.map(signed).collect()
    }

    fn refund(&self, attempt: &Attempt, number: u8, minor: i64) -> Option<Refund> {
        Some(refund_of(attempt, number, minor))
    }

    fn lose_refund(&self, when: When) {
        self.lose("POST", "/v1/refunds", when);
    }

    fn sent_back(&self) -> i64 {
        self.control("/truth", &json!({}))["totals"]["usd"]["refunded"].as_i64().unwrap_or(0)
    }
}
