//! The panel's lists: every filter, page by page in both directions, compared with a plain scan over all
//! rows.

use crate::fixture::{
    Backend, Kind, Shop, commit, good_request, minutes, on_both_engines, start, text, vendor_id,
};
use std::{collections::BTreeSet, fmt::Debug, time::Duration};
use till_domain::{
    change::Change,
    delivery::{self, AttemptResult, DeliveryState, Schedule},
    id::{EventId, SessionId, VendorId},
    method::Method,
    session::{self, Creation, FailureReason, Outcome, Session, State, Status},
    time::Timestamp,
    transaction::{Action, ActionKind, Mark, Marks, Transaction},
    vendor::Vendor,
};
use till_store::{
    AllSessions, AllTransactions, DeliveryFilter, EventFilter, MoneyKind, Payments, SessionFilter, Span,
    TransactionFilter, Turn,
};

const SESSIONS: u64 = 60;

/// The creation time of a session: one every ten minutes.
fn moment(number: u64) -> Timestamp {
    start().plus(minutes(10 * number))
}

fn entropy(number: u64) -> [u8; 10] {
    let mut entropy = [7; 10];
    // Not in the order of the numbers.
    entropy[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    entropy
}

fn shop(number: u64) -> Shop {
    let mut shop = Shop::live();
    shop.vendor = Vendor { id: vendor_id(1 + number % 2), ..shop.vendor };
    if number.is_multiple_of(7) {
        shop.vendor.settings.callback_url = None;
    }
    shop
}

fn outcome(number: u64) -> Option<Outcome> {
    match number % 5 {
        0 => None,
        1 | 2 => Some(Outcome::Paid),
        3 => Some(Outcome::Failed(FailureReason::CardDeclined)),
        _ => Some(Outcome::Expired),
    }
}

/// Creates the session with this number, and stores all that happens to it.
async fn play(payments: &Payments, number: u64) -> Session {
    let (shop, now) = (shop(number), moment(number));
    let method = Method::ALL[usize::try_from(number / 5 % 3).expect("small")];
    let mut request = good_request();
    request.default_method = text(method.as_str());
    request.order_id = text(&format!("A-{}", number % 9));
    let creation = Creation {
        rules: &shop.rules,
        vendor: &shop.vendor,
        catalog: &session::Catalog::default(),
        now,
        id: SessionId::new(now, &entropy(number)),
        request_id: &format!("req-{number}"),
    };
    let (session, changes) = session::create(&request, &creation).expect("a good request");
    commit(payments, &changes).await;
    let Some(outcome) = outcome(number) else { return session };
    let at = now.plus(Duration::from_secs(1));
    let event = EventId::new(at, &entropy(number + 1_000));
    let (session, mut changes) =
        session::finish(&session, outcome, at, &shop.vendor.settings, event).expect("it is pending");
    for change in &mut changes {
        if let Change::RecordTransaction(money) = change {
            money.marks = marks(number);
        }
    }
    commit(payments, &changes).await;
    send(payments, session.vendor, number, at).await;
    session
}

fn marks(number: u64) -> Marks {
    let number = number / 2;
    match number % 4 {
        0 => Marks { late: true, ..Marks::default() },
        1 => Marks { partial: true, over: number.is_multiple_of(3), ..Marks::default() },
        2 => Marks { reversed: number.is_multiple_of(3), ..Marks::default() },
        _ => Marks::default(),
    }
}

/// Some callbacks are delivered, some fail, some are still to be sent.
async fn send(payments: &Payments, vendor: VendorId, number: u64, at: Timestamp) {
    let (due, _) = payments.due_callbacks(vendor, at, 100, &[]).await.expect("a read");
    let Some(event) = due.into_iter().find(|event| event.attempts == 0 && number % 4 != 3) else { return };
    let schedule = Schedule::new(vec![Duration::from_secs(1)]).expect("it rises");
    let (changes, attempt) = delivery::begin(&event, at, &schedule, Duration::from_secs(30));
    commit(payments, &changes).await;
    let Some(attempt) = attempt else { return };
    let result =
        if number.is_multiple_of(4) { AttemptResult::Status(500) } else { AttemptResult::Delivered(200) };
    let only = Schedule::new(vec![]).expect("nothing");
    let ended = delivery::end(&attempt, result, Duration::from_millis(70), at, &only);
    commit(payments, &ended).await;
}

/// Pages through a list to the oldest row and back, and returns the rows on which both directions agree.
async fn walk<Id: Copy + Ord + Debug>(read: impl AsyncFn(Turn<Id>) -> Vec<Id>) -> Vec<Id> {
    let mut down: Vec<Id> = Vec::new();
    let mut page = read(Turn::Newest).await;
    while let Some(last) = page.last().copied() {
        down.extend(&page);
        page = read(Turn::Older(last)).await;
    }
    let mut up: Vec<Id> = down.last().copied().into_iter().collect();
    while let Some(first) = up.first().copied() {
        let page = read(Turn::Newer(first)).await;
        if page.is_empty() {
            break;
        }
        up.splice(0..0, page);
    }
    assert_eq!(down, up, "there and back");
    assert!(down.is_sorted_by(|a, b| a > b), "newest first, each once");
    down
}

fn spans() -> [Span; 4] {
    let span = |since: Option<u64>, until: Option<u64>| Span {
        since: since.map(moment),
        until: until.map(|number| moment(number).plus(Duration::from_secs(1))),
    };
    [span(None, None), span(Some(10), None), span(None, Some(20)), span(Some(15), Some(40))]
}

fn within(span: Span, at: Timestamp) -> bool {
    span.since.is_none_or(|since| at >= since) && span.until.is_none_or(|until| at < until)
}

/// Every value of a filter, and none.
fn each<T: Copy>(all: &[T]) -> Vec<Option<T>> {
    all.iter().copied().map(Some).chain([None]).collect()
}

async fn story(kind: Kind) -> (Backend, Vec<Session>) {
    let backend = Backend::new(kind).await;
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        sessions.push(play(&backend.stores.live, number).await);
    }
    sessions.reverse();
    (backend, sessions)
}

async fn sessions_are_listed_by_every_filter_both_ways(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    let mut found = 0;
    for status in each(&Status::ALL) {
        for method in each(&Method::ALL) {
            for span in spans() {
                let filter = SessionFilter { vendor: vendor_id(1), status, method, span };
                let listed = walk(async |turn| {
                    let page = live.sessions(&filter, turn, 3).await.expect("a read");
                    page.iter().map(|session| session.id).collect()
                })
                .await;
                let wanted = sessions.iter().filter(|session| {
                    session.vendor == vendor_id(1)
                        && status.is_none_or(|status| session.state.status() == status)
                        && method.is_none_or(|method| session.methods.chosen == method)
                        && within(span, session.created_at)
                });
                assert_eq!(listed, wanted.map(|session| session.id).collect::<Vec<_>>(), "{filter:?}");
                found += listed.len();
                let filter = AllSessions { status, method, span };
                let listed = walk(async |turn| {
                    let page = live.all_sessions(&filter, turn, 7).await.expect("a read");
                    page.iter().map(|session| session.id).collect()
                })
                .await;
                let wanted = sessions.iter().filter(|session| {
                    status.is_none_or(|status| session.state.status() == status)
                        && method.is_none_or(|method| session.methods.chosen == method)
                        && within(span, session.created_at)
                });
                assert_eq!(listed, wanted.map(|session| session.id).collect::<Vec<_>>(), "{filter:?}");
            }
        }
    }
    assert!(found > 100, "the story has something to find, not {found}");
}

async fn an_order_is_found_with_all_its_sessions(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    for order in 0..9 {
        let order = format!("A-{order}");
        let found = live.sessions_of_order(vendor_id(1), &order, 50).await.expect("a read");
        let wanted: Vec<&Session> =
            sessions.iter().filter(|s| s.vendor == vendor_id(1) && s.order_id == order).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "{order}");
        let newest = live.sessions_of_order(vendor_id(1), &order, 2).await.expect("a read");
        assert_eq!(newest.iter().collect::<Vec<_>>(), wanted[..2], "{order}");
        for since in [start(), start().plus(Duration::from_secs(60))] {
            let paid = wanted.iter().filter(|s| s.state == State::Paid && s.updated_at >= since);
            let found = live.paid_sessions_of_order(vendor_id(1), &order, since).await.expect("a read");
            assert_eq!(found.iter().collect::<Vec<_>>(), paid.copied().collect::<Vec<_>>(), "{order}");
        }
    }
    let open = live.pending_sessions_of_order(vendor_id(1), "A-1").await.expect("a read");
    let wanted = sessions.iter().filter(|s| s.vendor == vendor_id(1) && s.order_id == "A-1");
    let mut wanted: Vec<_> = wanted.filter(|s| s.state == State::Pending).map(|s| s.id).take(20).collect();
    let mut found: Vec<_> = open.iter().map(|s| s.id).collect();
    wanted.sort();
    found.sort();
    assert!(!found.is_empty() && found == wanted, "{found:?}, not {wanted:?}");
    assert_eq!(live.sessions_of_order(vendor_id(1), "A-10", 50).await.expect("a read"), []);
    let pending = sessions.iter().filter(|s| s.vendor == vendor_id(2) && s.state == State::Pending).count();
    let counted = live.pending_sessions(Some(vendor_id(2)), 1_000).await.expect("a read");
    assert_eq!(usize::try_from(counted).expect("small"), pending);
    let all = sessions.iter().filter(|s| s.state == State::Pending).count();
    let counted = live.pending_sessions(None, 1_000).await.expect("a read");
    assert_eq!(usize::try_from(counted).expect("small"), all);
    assert_eq!(live.pending_sessions(None, 3).await.expect("a read"), 3, "no more are counted");
    assert_eq!(live.pending_sessions(Some(vendor_id(2)), 2).await.expect("a read"), 2);
}

async fn transactions_are_listed_by_every_filter_both_ways(kind: Kind) {
    let (backend, _) = story(kind).await;
    let live = &backend.stores.live;
    let all = live.all_transactions(&AllTransactions::default(), Turn::Newest, 1_000).await.expect("a read");
    let mut marks = BTreeSet::new();
    for mark in each(&Mark::ALL) {
        for method in each(&Method::ALL) {
            for span in spans() {
                let kind = mark.map(MoneyKind::Is);
                let filter = TransactionFilter { vendor: vendor_id(1), kind, method, span };
                let listed = walk(async |turn| {
                    let page = live.transactions(&filter, turn, 2).await.expect("a read");
                    page.iter().map(|money| money.id).collect()
                })
                .await;
                let is = |money: &Transaction, mark| match mark {
                    Mark::Plain => money.marks == Marks::default(),
                    Mark::Late => money.marks.late,
                    Mark::Partial => money.marks.partial,
                    Mark::Over => money.marks.over,
                    Mark::Reversed => money.marks.reversed,
                };
                let fitting = all.iter().filter(|money| {
                    mark.is_none_or(|mark| is(money, mark))
                        && method.is_none_or(|method| money.method == method)
                        && within(span, money.at)
                });
                let of_vendor = fitting.clone().filter(|money| money.vendor == vendor_id(1));
                assert_eq!(listed, of_vendor.map(|money| money.id).collect::<Vec<_>>(), "{filter:?}");
                let filter = AllTransactions { kind, method, span };
                let of_all = walk(async |turn| {
                    let page = live.all_transactions(&filter, turn, 3).await.expect("a read");
                    page.iter().map(|money| money.id).collect()
                })
                .await;
                assert_eq!(of_all, fitting.map(|money| money.id).collect::<Vec<_>>(), "{filter:?}");
                if !listed.is_empty() {
                    marks.insert(mark.map_or("", Mark::as_str));
                }
            }
        }
    }
    assert_eq!(marks.len(), 6, "every mark is found somewhere, not only {marks:?}");
}

async fn callbacks_are_listed_by_every_filter_both_ways(kind: Kind) {
    let (backend, _) = story(kind).await;
    let live = &backend.stores.live;
    let all = live.events(&EventFilter::default(), Turn::Newest, 1_000).await.expect("a read");
    let mut standings: Vec<DeliveryFilter> = DeliveryState::ALL.map(DeliveryFilter::Is).to_vec();
    standings.push(DeliveryFilter::OnItsWay);
    for vendor in [Some(vendor_id(1)), None] {
        for standing in each(&standings) {
            for method in each(&Method::ALL) {
                for span in spans() {
                    let filter = EventFilter { vendor, standing, method, span };
                    let listed = walk(async |turn| {
                        let page = live.events(&filter, turn, 3).await.expect("a read");
                        page.iter().map(|event| event.id).collect()
                    })
                    .await;
                    let stands = |state| match standing {
                        None => true,
                        Some(DeliveryFilter::Is(asked)) => state == asked,
                        Some(DeliveryFilter::OnItsWay) => {
                            matches!(state, DeliveryState::Queued | DeliveryState::Sending)
                        }
                    };
                    let wanted = all.iter().filter(|event| {
                        vendor.is_none_or(|vendor| event.vendor == vendor)
                            && stands(event.state)
                            && method.is_none_or(|method| event.method == method)
                            && within(span, event.created_at)
                    });
                    assert_eq!(listed, wanted.map(|event| event.id).collect::<Vec<_>>(), "{filter:?}");
                }
            }
        }
    }
    let states: BTreeSet<&str> = all.iter().map(|event| event.state.as_str()).collect();
    assert_eq!(states.len(), 4, "delivered, undelivered, queued and without an address, not only {states:?}");
}

async fn an_order_is_paged_both_ways_by_every_filter(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let mut found = [0; 3];
    for order in ["A-1", "A-4", "A-7"] {
        let counted = page_order(&backend, &sessions, order).await;
        found.iter_mut().zip(counted).for_each(|(found, counted)| *found += counted);
    }
    assert!(found.iter().all(|found| *found > 4), "the story has something to find, not {found:?}");
}

/// Compares every page of an order, and returns the numbers of rows.
async fn page_order(backend: &Backend, sessions: &[Session], order: &str) -> [usize; 3] {
    let live = &backend.stores.live;
    let money =
        live.all_transactions(&AllTransactions::default(), Turn::Newest, 1_000).await.expect("a read");
    let told = live.events(&EventFilter::default(), Turn::Newest, 1_000).await.expect("a read");
    let mine = |id: SessionId| {
        sessions.iter().any(|s| s.id == id && s.vendor == vendor_id(1) && s.order_id == order)
    };
    let vendor = vendor_id(1);
    let mut found = [0; 3];
    for status in each(&Status::ALL) {
        for method in each(&Method::ALL) {
            for span in spans() {
                let filter = SessionFilter { vendor, status, method, span };
                let listed = walk(async |turn| {
                    let page = live.order_sessions(order, &filter, turn, 2).await.expect("a read");
                    page.iter().map(|session| session.id).collect()
                })
                .await;
                let wanted = sessions.iter().filter(|session| {
                    mine(session.id)
                        && status.is_none_or(|status| session.state.status() == status)
                        && method.is_none_or(|method| session.methods.chosen == method)
                        && within(span, session.created_at)
                });
                assert_eq!(listed, wanted.map(|session| session.id).collect::<Vec<_>>(), "{filter:?}");
                found[0] += listed.len();
            }
        }
    }
    for late in [None, Some(MoneyKind::Is(Mark::Late)), Some(MoneyKind::Is(Mark::Plain))] {
        let filter = TransactionFilter { vendor, kind: late, method: None, span: Span::default() };
        let listed = walk(async |turn| {
            let page = live.order_transactions(order, &filter, turn, 1).await.expect("a read");
            page.iter().map(|money| money.id).collect()
        })
        .await;
        let is = |money: &Transaction| match late {
            None => true,
            Some(MoneyKind::Is(Mark::Late)) => money.marks.late,
            Some(_) => money.marks == Marks::default(),
        };
        let wanted = money.iter().filter(|money| mine(money.session) && is(money));
        assert_eq!(listed, wanted.map(|money| money.id).collect::<Vec<_>>(), "{filter:?}");
        found[1] += listed.len();
    }
    for standing in [None, Some(DeliveryFilter::Is(DeliveryState::Delivered)), Some(DeliveryFilter::OnItsWay)]
    {
        let filter = EventFilter { vendor: Some(vendor), standing, ..EventFilter::default() };
        let listed = walk(async |turn| {
            let page = live.order_events(vendor, order, &filter, turn, 1).await.expect("a read");
            page.iter().map(|event| event.id).collect()
        })
        .await;
        let stands = |state| match standing {
            None => true,
            Some(DeliveryFilter::Is(asked)) => state == asked,
            Some(DeliveryFilter::OnItsWay) => matches!(state, DeliveryState::Queued | DeliveryState::Sending),
        };
        let wanted = told.iter().filter(|event| mine(event.session) && stands(event.state));
        assert_eq!(listed, wanted.map(|event| event.id).collect::<Vec<_>>(), "{filter:?}");
        found[2] += listed.len();
    }
    found
}

async fn a_session_is_found_by_its_request_near_its_moment(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    for number in [0, 7, 30, SESSIONS - 1] {
        let wanted = sessions.iter().rev().nth(usize::try_from(number).expect("small"));
        let (request, at) = (format!("req-{number}"), moment(number));
        let (before, after) = (at.minus(minutes(1)), at.plus(minutes(1)));
        let find = async |since, until| {
            let span = Span { since: Some(since), until: Some(until) };
            live.session_of_request(&request, span).await.expect("a read")
        };
        assert_eq!(find(before, after).await.as_ref(), wanted);
        assert_eq!(find(at, after).await.as_ref(), wanted, "the moment itself is in it");
        assert_eq!(find(before, at).await, None);
        assert_eq!(find(after, after.plus(minutes(60))).await, None);
    }
}

async fn money_that_no_attempt_knows_is_found_by_its_reference(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    let claim = async |number: u64, kind, reference: &str| {
        let event = EventId::new(moment(number), &entropy(5_000 + number));
        let like = Transaction::by_tester(&sessions[0], moment(number), event);
        let money = Transaction { reference: reference.to_owned(), ..like };
        let action = Action {
            kind,
            transaction: Some(money.id),
            ..Action::unreachable(&sessions[0], money.at, event)
        };
        let changes =
            [Change::RecordTransaction(Box::new(money.clone())), Change::NeedAction(Box::new(action))];
        commit(live, &changes).await;
        money
    };
    let first = claim(1, ActionKind::Mismatch, "claim-1").await;
    let second = claim(2, ActionKind::Mismatch, "claim-1").await;
    claim(3, ActionKind::Mismatch, "claim-2").await;
    claim(4, ActionKind::Late, "claim-1").await;
    assert_eq!(live.claimed("claim-1", 9).await.expect("a read"), [second.clone(), first]);
    assert_eq!(live.claimed("claim-1", 1).await.expect("a read"), [second]);
    assert_eq!(live.claimed("claim-%", 9).await.expect("a read"), []);
    // All four wait for a decision, whatever their kind; with a method filter only those of that method are
    // listed.
    let (vendor, order) = (sessions[0].vendor, sessions[0].order_id.as_str());
    for (method, count) in [(None, 4), (Some(sessions[0].methods.chosen), 4), (Some(Method::Sbp), 0)] {
        let filter =
            TransactionFilter { vendor, kind: Some(MoneyKind::ToDecide), method, span: Span::default() };
        let listed = walk(async |turn| {
            let page = live.transactions(&filter, turn, 3).await.expect("a read");
            page.iter().map(|money| money.id).collect()
        })
        .await;
        assert_eq!(listed.len(), count, "{method:?}");
        let all = AllTransactions { kind: filter.kind, method, span: filter.span };
        let of_all = walk(async |turn| {
            let page = live.all_transactions(&all, turn, 3).await.expect("a read");
            page.iter().map(|money| money.id).collect()
        })
        .await;
        assert_eq!(of_all, listed);
        let ordered = live.order_transactions(order, &filter, Turn::Newest, 9).await.expect("a read");
        assert_eq!(ordered.iter().map(|money| money.id).collect::<Vec<_>>(), listed);
    }
    assert_eq!(live.to_decide(vendor).await.expect("a read"), 4);
    let other = if vendor == vendor_id(1) { vendor_id(2) } else { vendor_id(1) };
    assert_eq!(live.to_decide(other).await.expect("a read"), 0);
}

async fn what_needs_a_look_is_counted(kind: Kind) {
    let (backend, _) = story(kind).await;
    let live = &backend.stores.live;
    let events = live.events(&EventFilter::default(), Turn::Newest, 1_000).await.expect("a read");
    for since in [None, Some(moment(20)), Some(moment(1_000))] {
        let wanted = events.iter().filter(|event| {
            event.vendor == vendor_id(1)
                && event.state == DeliveryState::Undelivered
                && since.is_none_or(|since| event.created_at >= since)
        });
        let wanted = u64::try_from(wanted.count()).expect("small");
        assert_eq!(live.undelivered(vendor_id(1), since).await.expect("a read"), wanted, "{since:?}");
        assert_eq!(since == Some(moment(1_000)), wanted == 0);
    }
    let all = live.undelivered(vendor_id(1), None).await.expect("a read");
    for most in [1, u32::try_from(all).expect("small"), 1_000] {
        let counted = live.undelivered_up_to(vendor_id(1), most).await.expect("a read");
        assert_eq!(counted, all.min(most.into()), "no more than {most} are counted");
    }
    assert_eq!(live.to_decide(vendor_id(1)).await.expect("a read"), 0);
    for (vendor, expected) in [(vendor_id(1), true), (vendor_id(77), false)] {
        assert_eq!(live.has_sessions(vendor).await.expect("a read"), expected);
    }
    assert!(!backend.stores.sandbox.has_sessions(vendor_id(1)).await.expect("a read"));
}

on_both_engines!(
    an_order_is_paged_both_ways_by_every_filter,
    a_session_is_found_by_its_request_near_its_moment,
    money_that_no_attempt_knows_is_found_by_its_reference,
    what_needs_a_look_is_counted,
    sessions_are_listed_by_every_filter_both_ways,
    an_order_is_found_with_all_its_sessions,
    transactions_are_listed_by_every_filter_both_ways,
    callbacks_are_listed_by_every_filter_both_ways,
);
