//! Callback events: the exact bytes that a vendor receives (decisions §6), and the URL they are sent to.

use crate::fixture::{Shop, after, event_id, minutes};
use proptest::prelude::*;
use till_domain::{
    callback::{self, CallbackEvent},
    change::Change,
    session::{self, FailureReason, Outcome, Session, State},
    vendor::Settings,
    weburl::WebUrl,
};

/// Creates a session with these fields, gives it this state after 90 seconds, and returns its event.
fn event(fields: &str, state: State, settings: &Settings) -> CallbackEvent {
    let session = Session { state, updated_at: after(90_000), ..Shop::live().session(fields) };
    callback::event(&session, session.methods.chosen, settings, event_id()).expect("the state is final")
}

/// Compares an event's bytes with this text.
fn check_bytes(state: State, name: &str, expected: &str) {
    let event = event(r#"{"price":49.90,"order_id":"A/1"}"#, state, &Settings::default());
    assert_eq!(event.kind.as_str(), name);
    assert_eq!(event.at, after(90_000));
    assert_eq!(String::from_utf8(event.body).expect("UTF-8"), expected);
}

#[test]
fn a_paid_session_sends_exactly_these_bytes() {
    check_bytes(
        State::Paid,
        "session.paid",
        concat!(
            r#"{"event":"session.paid","eventId":"01963f2a-0000-7def-8123-0000000000e1","#,
            r#""occurredAt":"2025-11-15T00:01:30.000Z","sessionId":"01963f2a-7b1c-7def-8123-456789abcdef","#,
            r#""status":"paid","productName":"Atlas","price":"49.90","currency":"RUB","#,
            r#""createdAt":"2025-11-15T00:00:00.000Z","updatedAt":"2025-11-15T00:01:30.000Z","#,
            r#""orderId":"A/1","paymentMethod":"card"}"#,
        ),
    );
}

#[test]
fn a_failed_session_sends_its_reason_last() {
    for reason in FailureReason::ALL {
        let expected = concat!(
            r#"{"event":"session.failed","eventId":"01963f2a-0000-7def-8123-0000000000e1","#,
            r#""occurredAt":"2025-11-15T00:01:30.000Z","sessionId":"01963f2a-7b1c-7def-8123-456789abcdef","#,
            r#""status":"failed","productName":"Atlas","price":"49.90","currency":"RUB","#,
            r#""createdAt":"2025-11-15T00:00:00.000Z","updatedAt":"2025-11-15T00:01:30.000Z","#,
            r#""orderId":"A/1","paymentMethod":"card","failureReason":"REASON"}"#,
        );
        check_bytes(State::Failed(reason), "session.failed", &expected.replace("REASON", reason.as_str()));
    }
}

#[test]
fn an_expired_session_sends_exactly_these_bytes() {
    check_bytes(
        State::Expired,
        "session.expired",
        concat!(
            r#"{"event":"session.expired","eventId":"01963f2a-0000-7def-8123-0000000000e1","#,
            r#""occurredAt":"2025-11-15T00:01:30.000Z","sessionId":"01963f2a-7b1c-7def-8123-456789abcdef","#,
            r#""status":"expired","productName":"Atlas","price":"49.90","currency":"RUB","#,
            r#""createdAt":"2025-11-15T00:00:00.000Z","updatedAt":"2025-11-15T00:01:30.000Z","#,
            r#""orderId":"A/1","paymentMethod":"card"}"#,
        ),
    );
}

#[test]
fn live_and_sandbox_send_the_same_bytes() {
    let [live, sandbox] = Shop::both().map(|shop| {
        let (_, changes) = finish(&shop.session("{}"), Outcome::Paid, &shop.vendor.settings);
        queued(&changes).body.clone()
    });
    assert_eq!(live, sandbox);
}

#[test]
fn the_method_is_the_one_that_counted_last() {
    let event = event(r#"{"defaultPaymentMethod":"sbp"}"#, State::Paid, &Settings::default());
    assert_eq!(read(&event)["paymentMethod"], "sbp");
}

#[test]
fn a_pending_session_has_no_event() {
    let session = Shop::live().session("{}");
    assert_eq!(callback::event(&session, session.methods.chosen, &Settings::default(), event_id()), None);
}

#[test]
fn finishing_queues_the_event_of_the_finished_session() {
    let settings = Settings { callback_url: Some(url("https://shop.example/cb")), ..Settings::default() };
    let session = Shop::live().session("{}");
    for outcome in [Outcome::Paid, Outcome::Failed(FailureReason::CardExpired), Outcome::Expired] {
        let (finished, changes) = finish(&session, outcome, &settings);
        let event = queued(&changes);
        assert_eq!(
            Some(event),
            callback::event(&finished, finished.methods.chosen, &settings, event_id()).as_ref()
        );
        assert_eq!((event.id, event.session, event.vendor), (event_id(), session.id, session.vendor));
        assert_eq!(event.at, after(minutes(1)));
    }
}

fn finish(session: &Session, outcome: Outcome, settings: &Settings) -> (Session, Vec<Change>) {
    session::finish(session, outcome, after(minutes(1)), settings, event_id()).expect("it is pending")
}

fn queued(changes: &[Change]) -> &CallbackEvent {
    let events = changes.iter().filter_map(|c| if let Change::QueueCallback(e) = c { Some(e) } else { None });
    let events: Vec<_> = events.collect();
    assert_eq!(events.len(), 1, "one callback for one final status");
    events[0]
}

fn url(text: &str) -> WebUrl {
    WebUrl::parse(text).expect("a good URL")
}

#[test]
fn the_sessions_address_wins_over_the_settings() {
    let own = r#"{"callback_url":"https://own.example/cb"}"#;
    for (fields, of_settings, expected) in [
        (own, Some("https://shop.example/cb"), Some("https://own.example/cb")),
        (own, None, Some("https://own.example/cb")),
        ("{}", Some("https://shop.example/cb"), Some("https://shop.example/cb")),
        ("{}", None, None),
        // The return URL is for the customer's browser, never for callbacks.
        (r#"{"return_url":"https://own.example/thanks"}"#, None, None),
    ] {
        let return_url = Some(url("https://shop.example/thanks"));
        let settings = Settings { callback_url: of_settings.map(url), return_url, ..Settings::default() };
        let target = event(fields, State::Paid, &settings).target;
        assert_eq!(target.as_ref().map(WebUrl::as_str), expected, "{fields} {of_settings:?}");
    }
}

fn read(event: &CallbackEvent) -> serde_json::Value {
    serde_json::from_slice(&event.body).expect("the body is JSON")
}

/// Makes the event of a session with these texts, and reads the texts back from its bytes.
fn check_texts(name: &str, order_id: &str) {
    let mut session = Shop::live().session("{}");
    session.item.name = name.to_owned();
    session.order_id = order_id.to_owned();
    session.state = State::Paid;
    let event = callback::event(&session, session.methods.chosen, &Settings::default(), event_id())
        .expect("the state is final");
    let body = read(&event);
    assert_eq!(body["productName"], name);
    assert_eq!(body["orderId"], order_id);
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(12));
    let raw_controls = event.body.iter().filter(|b| **b < 0x20).count();
    assert_eq!(raw_controls, 0, "a log line or a header cannot be broken by a body");
}

#[test]
fn any_text_comes_through_as_valid_json() {
    for text in [
        r#"12" Atlas"#,
        r"C:\maps\",
        "Атлас мира 🗺",
        "line\u{2028}and\u{2029}paragraph",
        r#"","status":"failed","x":""#,
        "</script><!--",
        "e\u{301}\u{0}\u{1f}\n\u{7f}",
    ] {
        check_texts(text, text);
    }
}

proptest! {
    #[test]
    fn no_text_can_change_the_rest_of_the_body(name in any::<String>(), order_id in any::<String>()) {
        check_texts(&name, &order_id);
    }
}
