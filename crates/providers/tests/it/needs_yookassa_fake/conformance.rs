//! YooKassa in the conformance suite. Its notices (webhooks) have no signature, so `notices.rs` tests them
//! instead of the suite's cases for signed ones.

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

fn lose(fake: &Fake, call: &str, when: When) {
    let kind = if when == When::Before { "hang_up_before" } else { "hang_up_after" };
    let body = json!({ "on": call, "kind": kind }).to_string();
    let length = body.len();
    let head = format!(
        "POST /fault HTTP/1.1\r\nHost: fake\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    at_once(fake, &(head + &body));
}

/// The attempt with this number: the same at every call.
fn numbered(number: u32, method: Method) -> Attempt {
    let mut id = [7; 16];
    id[..4].copy_from_slice(&number.to_be_bytes());
    Attempt { id: AttemptId::from_bytes(id), session: SessionId::from_bytes(id), ..new_attempt(method) }
}

macro_rules! yookassa {
    ($name:ident, $method:expr) => {
        struct $name(Fake);

        impl Default for $name {
            fn default() -> Self {
                Self(Fake::new())
            }
        }

        impl World for $name {
            const CAN: &'static [Can] = &[Can::Decline, Can::PayLate, Can::Refunds, Can::StartAgain];

            fn provider(&self) -> &dyn Provider {
                &self.0.shop
            }

            fn attempt(&self, number: u32) -> Attempt {
                numbered(number, $method)
            }

            fn amount(&self) -> Money {
                money(149_000, "RUB")
            }

            fn opened(&self, attempt: &Attempt) -> usize {
                let truth = truth(&self.0);
                let of = |payment: &&Value| payment["metadata"]["attempt"] == attempt.id.to_string().as_str();
                truth["payments"].as_array().expect("payments").iter().filter(of).count()
            }

            /// A card payment that is only authorised is not final: a check has to capture it while the
            /// session is open.
            async fn pay(&self, attempt: &Attempt, _tenths: u128) -> bool {
                let payment = json!({ "payment": attempt.reference });
                let paid = self.0.happens("pay", payment).await == 200;
                if paid && attempt.method == Method::Card {
                    self.0.check(attempt).await;
                }
                paid
            }

            async fn decline(&self, attempt: &Attempt) -> bool {
                self.0.happens("decline", json!({ "payment": attempt.reference })).await == 200
            }

            fn lose(&self, question: Question, when: When) {
                let call = if question == Question::Start { "create" } else { "payment" };
                lose(&self.0, call, when);
            }

            fn refund(&self, attempt: &Attempt, number: u8, minor: i64) -> Option<Refund> {
                Some(Refund { id: RefundId::from_bytes([number; 16]), ..new_refund(attempt, minor) })
            }

            fn lose_refund(&self, when: When) {
                lose(&self.0, "refund_create", when);
            }

            fn sent_back(&self) -> i64 {
                truth(&self.0)["returned"].as_i64().expect("a sum")
            }
        }
    };
}

yookassa!(Card, Method::Card);
yookassa!(Sbp, Method::Sbp);

#[tokio::test]
async fn a_card_passes_the_suite() {
    assert_eq!(run_all(&Card::default()).await, 24);
}

#[tokio::test]
async fn sbp_passes_the_suite() {
    assert_eq!(run_all(&Sbp::default()).await, 24);
}

#[test]
fn what_is_left_out() {
    let left = [
        "what_is_closed_takes_no_money",
        "f20_less_is_partial_until_the_rest_comes",
        "f20_more_is_paid_with_all_of_it",
        "f20_what_is_taken_back_is_said",
        "what_cannot_be_chosen_is_refused_and_opens_nothing",
        "f19_a_close_that_was_not_heard_closes_nothing",
        "f19_a_close_whose_answer_is_lost_has_closed",
        "f17_a_notice_is_believed_only_that_one_should_ask",
        "f17_notices_that_are_repeated_and_shuffled_change_nothing",
        "f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money",
        "of_many_who_start_at_once_one_at_most_can_be_paid",
    ];
    assert_eq!(left_out::<Card>(), left);
    assert_eq!(left_out::<Sbp>(), left);
}
