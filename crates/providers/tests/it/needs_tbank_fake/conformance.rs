//! T-Bank in the conformance suite. The proof of its notices (webhooks) is in their body, so `notices.rs` tests
//! them instead of the suite's cases for signatures in a header.

use super::{World as Fake, attempt as new_attempt, money, refund as new_refund};
use crate::conformance::{Can, Question, World, left_out, run_all};
use crate::doubles::When;
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};
use till_domain::{
    attempt::Attempt,
    id::{AttemptId, RefundId, SessionId},
    method::Method,
    money::Money,
    refund::Refund,
    time::Timestamp,
};
use till_providers::Provider;

/// A blocking request to the fake: some functions of the suite are not async.
fn at_once(fake: &Fake, request: &str) -> Value {
    let mut stream = TcpStream::connect(fake.control.trim_start_matches("http://")).expect("the fake");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

fn truth(fake: &Fake) -> Value {
    at_once(fake, "GET /truth HTTP/1.1\r\nHost: fake\r\nConnection: close\r\n\r\n")
}

fn post(fake: &Fake, command: &str, arguments: &Value) {
    let body = arguments.to_string();
    let length = body.len();
    let head = format!(
        "POST /{command} HTTP/1.1\r\nHost: fake\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    at_once(fake, &(head + &body));
}

fn set(fake: &Fake, settings: Value) {
    post(fake, "settings", &settings);
}

fn lose(fake: &Fake, call: &str, when: When) {
    let kind = if when == When::Before { "hang_up_before" } else { "hang_up_after" };
    post(fake, "fault", &json!({ "on": call, "kind": kind }));
}

/// The attempt with this number: the same at every call.
fn numbered(number: u32, method: Method) -> Attempt {
    let mut id = [7; 16];
    id[..4].copy_from_slice(&number.to_be_bytes());
    Attempt { id: AttemptId::from_bytes(id), session: SessionId::from_bytes(id), ..new_attempt(method) }
}

macro_rules! tbank {
    ($name:ident, $method:expr, $again:expr) => {
        struct $name(Fake);

        impl Default for $name {
            fn default() -> Self {
                let fake = Fake::new();
                set(&fake, json!({ "sbp_refunds": "now" }));
                Self(fake)
            }
        }

        impl World for $name {
            const CAN: &'static [Can] = &[Can::Decline, Can::Close, Can::Refunds, $again];

            fn provider(&self) -> &dyn Provider {
                &self.0.tbank
            }

            fn attempt(&self, number: u32) -> Attempt {
                numbered(number, $method)
            }

            fn amount(&self) -> Money {
                money(149_000)
            }

            fn opened(&self, attempt: &Attempt) -> usize {
                let truth = truth(&self.0);
                let of = |payment: &&Value| payment["order"] == attempt.id.to_string().as_str();
                truth["payments"].as_array().expect("payments").iter().filter(of).count()
            }

            /// A card payment that is only authorised is not final: a check has to confirm it while the
            /// session is open.
            async fn pay(&self, attempt: &Attempt, _tenths: u128) -> bool {
                let Some(payment) = &attempt.reference else { return false };
                let paid = self.0.happens("pay", json!({ "payment": payment })).await == 200;
                if paid && attempt.method == Method::Card {
                    self.0.check(attempt).await;
                }
                paid
            }

            async fn decline(&self, attempt: &Attempt) -> bool {
                self.0.happens("decline", json!({ "payment": attempt.reference })).await == 200
            }

            fn lose(&self, question: Question, when: When) {
                let call = match question {
                    Question::Start => "Init",
                    Question::Check => "GetState",
                    Question::Close => "Cancel",
                };
                lose(&self.0, call, when);
            }

            /// The last digit is the refund's number among those of its payment. The first of them may have
            /// been sent before.
            fn refund(&self, attempt: &Attempt, number: u8, minor: i64) -> Option<Refund> {
                let place = i64::from(number % 10);
                let attempts = if place == 1 { 2 } else { 1 };
                // Long enough ago that one by SBP may be sent again.
                let silent_since = (attempts > 1).then(|| Timestamp::from_ms(1));
                let id = RefundId::from_bytes([number; 16]);
                Some(Refund { id, number: place, attempts, silent_since, ..new_refund(attempt, minor) })
            }

            /// The amounts of a refund by card are in the answer to its repetition alone.
            fn finds_refunds(&self) -> bool {
                $method != Method::Card
            }

            fn lose_refund(&self, when: When) {
                lose(&self.0, "Cancel", when);
            }

            fn sent_back(&self) -> i64 {
                truth(&self.0)["returned"].as_i64().expect("a sum")
            }
        }
    };
}

tbank!(Card, Method::Card, Can::StartOver);
tbank!(Sbp, Method::Sbp, Can::StartAgain);

#[tokio::test]
async fn a_card_passes_the_suite() {
    assert_eq!(run_all(&Card::default()).await, 25);
}

#[tokio::test]
async fn sbp_passes_the_suite() {
    assert_eq!(run_all(&Sbp::default()).await, 26);
}

#[test]
fn what_is_left_out() {
    let left = [
        "what_cannot_be_closed_says_so_and_takes_money_late",
        "f20_less_is_partial_until_the_rest_comes",
        "f20_more_is_paid_with_all_of_it",
        "f20_what_is_taken_back_is_said",
        "what_cannot_be_chosen_is_refused_and_opens_nothing",
    ];
    let notices = [
        "f17_a_notice_is_believed_only_that_one_should_ask",
        "f17_notices_that_are_repeated_and_shuffled_change_nothing",
    ];
    let lost = [
        "f16_a_start_whose_answer_is_lost_opens_one_payment",
        "f16_a_start_whose_answer_is_lost_is_paid_once",
        "of_many_who_start_at_once_all_get_the_same",
    ];
    let closed = [
        "f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money",
        "of_many_who_start_at_once_one_at_most_can_be_paid",
    ];
    assert_eq!(left_out::<Card>(), [&left[..], &lost, &notices].concat());
    assert_eq!(left_out::<Sbp>(), [&left[..], &notices, &closed].concat());
}
