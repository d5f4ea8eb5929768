//! The work on actions: due times, assignees, notes, filters and figures, on both engines, and what a database
//! shell cannot change about them.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, read, session_id, start, vendor_id},
    refunds, shell,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::{Change, Guard},
    finding::{self, Dispute, DisputeState, Finding},
    id::{ActionId, FormId, NoteId},
    session::Outcome,
    time::Timestamp,
    transaction::{Action, ActionKind, ActionNote, Resolution, Transaction},
};
use till_store::{
    ActionFigures, ActionFilter, ActionsShown, AssigneeFilter, Committed, Payments, StoredAction,
};
use tokio::{sync::Barrier, task::JoinSet};

const HOUR: Duration = Duration::from_secs(3_600);
const ANN: &str = "ann@till.example";
const BOB: &str = "bob@till.example";

fn later(hours: u32) -> Timestamp {
    start().plus(HOUR * hours)
}

fn action_id(number: u64) -> ActionId {
    event_id(number).into()
}

fn assign(number: u64, to: Option<&str>, was: Option<&str>) -> Change {
    Change::AssignAction { id: action_id(number), to: to.map(str::to_owned), was: was.map(str::to_owned) }
}

fn resolve_at(number: u64, at: Timestamp, by: &str) -> Change {
    let (id, resolution) = (action_id(number), Resolution::Dismiss);
    Change::ResolveAction { id, resolution, at, by: by.to_owned() }
}

fn note(number: u64, on: u64, text: &str) -> ActionNote {
    let form = FormId::new(later(1), &[u8::try_from(number).expect("small"); 10]);
    let (at, by) = (later(1), ANN.to_owned());
    ActionNote { id: NoteId::from(form), action: action_id(on), at, by, text: text.to_owned() }
}

/// An action that a session ended while its provider could not be reached.
async fn unreachable(payments: &Payments, shop: &Shop, number: u64) {
    let session = shop.store(payments, number, start()).await;
    let action = Action::unreachable(&session, start(), event_id(number));
    commit(payments, &[Change::NeedAction(Box::new(action))]).await;
}

async fn stored(payments: &Payments, number: u64) -> StoredAction {
    payments.action(action_id(number)).await.expect("a read").expect("an action")
}

fn dispute(payment: &Transaction, id: &str, answer_by: Option<Timestamp>) -> Dispute {
    Dispute {
        id: id.to_owned(),
        payment: Some(payment.reference.clone()),
        amount: payment.received.clone(),
        reason: "fraudulent".to_owned(),
        state: DisputeState::NeedsResponse,
        status: "needs_response".to_owned(),
        answer_by,
    }
}

async fn disputes_are_listed_by_the_time_until_which_they_must_be_answered(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let payment = live.transactions_of(session.id).await.expect("a read").remove(0);
    for (number, due) in [(100, Some(later(50))), (101, Some(later(9))), (102, None), (103, Some(later(9)))] {
        let dispute = dispute(&payment, &format!("du_{number}"), due);
        let entered = finding::enter_dispute(&dispute, &payment, None, start(), event_id(number));
        commit(live, &entered.expect("something to decide")).await;
        assert_eq!(stored(live, number).await.action.due_at(), due);
    }
    let list = async |before: Option<u64>, limit| {
        let before = before.map(action_id);
        let filter = ActionFilter { shown: ActionsShown::Due, before, ..ActionFilter::default() };
        let found = live.actions(&filter, limit).await.expect("a read");
        found.iter().map(|stored| stored.action.id).collect::<Vec<_>>()
    };
    let ids = |numbers: &[u64]| numbers.iter().map(|n| action_id(*n)).collect::<Vec<_>>();
    assert_eq!(list(None, 9).await, ids(&[101, 103, 100]), "the earliest first, and none without a date");
    assert_eq!(list(None, 1).await, ids(&[101]));
    assert_eq!(list(Some(101), 1).await, ids(&[103]), "two of the same moment are not mixed up");
    assert_eq!(list(Some(103), 9).await, ids(&[100]));
    // The provider gives more time, and closes another.
    let open = stored(live, 101).await.action;
    let more = dispute(&payment, "du_101", Some(later(90)));
    commit(live, &[finding::dispute_news(&open, &more, &payment).expect("news")]).await;
    assert_eq!(list(None, 9).await, ids(&[103, 100, 101]));
    let open = stored(live, 101).await.action;
    assert!(finding::dispute_news(&open, &more, &payment).is_none());
    let won = Dispute { state: DisputeState::Won, status: "won".to_owned(), ..more };
    commit(live, &[finding::dispute_news(&open, &won, &payment).expect("news")]).await;
    assert_eq!(list(None, 9).await, ids(&[103, 100]), "there is nothing to answer");
    commit(live, &[resolve_at(103, later(2), "ops")]).await;
    assert_eq!(list(None, 9).await, ids(&[100]));
}

async fn of_operators_who_take_an_action_at_once_one_has_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    unreachable(live, &shop, 1).await;
    let barrier = Arc::new(Barrier::new(8));
    let mut takers = JoinSet::new();
    for number in 0..8 {
        let (stores, barrier) = (backend.again().await, Arc::clone(&barrier));
        takers.spawn(async move {
            barrier.wait().await;
            let email = format!("op{number}@till.example");
            (stores.live.commit(&[assign(1, Some(&email), None)]).await.expect("a commit"), email)
        });
    }
    let takers = takers.join_all().await;
    let lost = Committed::Lost(Guard::ActionMoved);
    let winners: Vec<_> = takers.iter().filter(|(committed, _)| *committed != lost).collect();
    let [(Committed::Done, winner)] = winners[..] else { panic!("{takers:?}") };
    assert_eq!(stored(live, 1).await.assignee.as_ref(), Some(winner));
    // It is given to another by what was read, and released.
    assert_eq!(live.commit(&[assign(1, Some(ANN), Some(BOB))]).await.expect("an answer"), lost);
    commit(live, &[assign(1, Some(ANN), Some(winner))]).await;
    commit(live, &[assign(1, None, Some(ANN))]).await;
    assert_eq!(stored(live, 1).await.assignee, None);
    commit(live, &[assign(1, Some(BOB), None), resolve_at(1, later(2), ANN)]).await;
    for (to, was) in [(None, Some(BOB)), (Some(ANN), Some(BOB)), (Some(ANN), None)] {
        assert_eq!(live.commit(&[assign(1, to, was)]).await.expect("an answer"), lost, "it is decided");
    }
    let kept = stored(live, 1).await;
    assert_eq!((kept.assignee.as_deref(), kept.decided.is_some()), (Some(BOB), true));
}

async fn notes_are_added_once_and_only_before_the_decision(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    unreachable(live, &shop, 1).await;
    unreachable(live, &shop, 2).await;
    let first = note(1, 1, "asked the bank\n<b>twice</b> 'quoted' \"ж\"");
    let add = |note: &ActionNote| [Change::AddActionNote(Box::new(note.clone()))];
    commit(live, &add(&first)).await;
    let again = live.commit(&add(&first)).await.expect("an answer");
    assert_eq!(again, Committed::Lost(Guard::Resolved), "the same form is one note");
    let second = note(2, 1, &"ж".repeat(1_000));
    commit(live, &add(&second)).await;
    commit(live, &add(&note(3, 2, "of another"))).await;
    assert_eq!(live.notes_on(action_id(1)).await.expect("a read"), [first.clone(), second.clone()]);
    commit(live, &[resolve_at(1, later(2), ANN)]).await;
    let late = live.commit(&add(&note(4, 1, "too late"))).await.expect("an answer");
    assert_eq!(late, Committed::Lost(Guard::Resolved));
    let nowhere = live.commit(&add(&note(5, 9, "about nothing"))).await;
    assert!(!matches!(nowhere, Ok(Committed::Done)), "{nowhere:?}");
    assert_eq!(live.notes_on(action_id(1)).await.expect("a read"), [first, second]);
}

/// Notes and a decision at the same moment: each note is either before the decision or refused.
async fn a_note_and_a_decision_at_once_are_one_after_the_other(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    unreachable(live, &shop, 1).await;
    let barrier = Arc::new(Barrier::new(8));
    let mut writers = JoinSet::new();
    for number in 0..8 {
        let (stores, barrier) = (backend.again().await, Arc::clone(&barrier));
        writers.spawn(async move {
            let change = match number {
                0 => resolve_at(1, later(2), ANN),
                _ => Change::AddActionNote(Box::new(note(number, 1, "a note"))),
            };
            barrier.wait().await;
            (number, stores.live.commit(&[change]).await.expect("a commit"))
        });
    }
    let written = writers.join_all().await;
    let done = written.iter().filter(|(number, c)| *number > 0 && *c == Committed::Done).count();
    assert_eq!(live.notes_on(action_id(1)).await.expect("a read").len(), done, "{written:?}");
    assert!(stored(live, 1).await.decided.is_some());
}

async fn the_work_on_actions_is_closed_to_a_shell(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, refunds::shop());
    let session = refunds::paid(live, &shop, 1).await;
    let finding = Finding::new("bank:po_1", "12.00 RUB", None);
    let whose = Some((session.id, session.vendor));
    commit(live, &finding::differs(finding, whose, start(), event_id(100))).await;
    commit(live, &[Change::AddActionNote(Box::new(note(1, 100, "kept")))]).await;
    let shell = backend.shell("live").await;
    for change in ["due_at = 1", "assignee = ''", "kind = 'disputed'"] {
        assert!(shell.run(&format!("UPDATE actions SET {change}")).await.is_err(), "{change}");
    }
    let untouched = "UPDATE action_notes SET body = 'other'";
    for (statement, said) in [
        (untouched, "never changed"),
        ("UPDATE action_notes SET author = 'eve'", "never changed"),
        ("DELETE FROM action_notes", "never deleted"),
    ] {
        let refused = shell.run(statement).await.expect_err(statement);
        assert!(refused.contains(said), "{statement}: {refused}");
    }
    let insert = |id: u8, body: &str| {
        format!(
            "INSERT INTO action_notes (id, action_id, created_at, author, body)
             SELECT {}, id, 1, 'eve', {body} FROM actions",
            shell::bytes(&[id; 16])
        )
    };
    assert!(shell.run(&insert(7, "''")).await.is_err(), "an empty note");
    assert!(shell.run(&insert(7, &format!("'{}'", "y".repeat(1_001)))).await.is_err(), "a long note");
    if shell.is_embedded() {
        let replace =
            "INSERT OR REPLACE INTO action_notes SELECT id, action_id, 1, 'eve', 'y' FROM action_notes";
        assert_eq!(shell.run(replace).await, Ok(0));
    } else {
        assert!(shell.run("TRUNCATE action_notes").await.is_err());
    }
    commit(live, &[assign(100, Some(ANN), None), resolve_at(100, later(2), ANN)]).await;
    for change in ["assignee = NULL", "assignee = 'eve@till.example'", "due_at = 1"] {
        assert!(shell.run(&format!("UPDATE actions SET {change}")).await.is_err(), "{change}");
    }
    assert_eq!(shell.run(&insert(8, "'late'")).await, Ok(0), "a decided action takes no notes");
    assert!(shell.run("DELETE FROM actions").await.is_err());
    let notes = live.notes_on(action_id(100)).await.expect("a read");
    assert_eq!(notes, [note(1, 100, "kept")]);
    assert_eq!(stored(live, 100).await.assignee.as_deref(), Some(ANN));
}

/// Thirty-six actions of two vendors and three kinds, some of them assigned and some decided.
async fn many(payments: &Payments) -> Vec<StoredAction> {
    let shop = Shop::live();
    let mut all = Vec::new();
    for number in 1..=36 {
        let session = shop.store(payments, number, start()).await;
        let index = usize::try_from(number).expect("small");
        let kind = [ActionKind::Unreachable, ActionKind::Late, ActionKind::Partial][index % 3];
        let action = Action {
            kind,
            vendor: Some(vendor_id(1 + number % 2)),
            ..Action::unreachable(&session, later(u32::try_from(number).expect("small")), event_id(number))
        };
        commit(payments, &[Change::NeedAction(Box::new(action))]).await;
        if let Some(to) = [None, Some(ANN), Some(BOB), Some(ANN)][(index / 3) % 4] {
            commit(payments, &[assign(number, Some(to), None)]).await;
        }
        if number % 5 < 3 {
            commit(payments, &[resolve_at(number, later(40), "ops")]).await;
        }
        all.push(stored(payments, number).await);
    }
    all
}

fn fits(stored: &StoredAction, filter: &ActionFilter) -> bool {
    let state = match filter.shown {
        ActionsShown::Open => stored.decided.is_none(),
        ActionsShown::Due => false,
        ActionsShown::Decided => stored.decided.is_some(),
        ActionsShown::All => true,
    };
    let assignee = match &filter.assignee {
        AssigneeFilter::Anyone => true,
        AssigneeFilter::Nobody => stored.assignee.is_none(),
        AssigneeFilter::Is(email) => stored.assignee.as_ref() == Some(email),
    };
    let vendor = filter.vendor.is_none_or(|vendor| stored.action.vendor == Some(vendor));
    state && assignee && vendor && filter.kind.is_none_or(|kind| stored.action.kind == kind)
}

async fn filters_of_actions_can_be_combined_and_turned_page_by_page(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let all = many(live).await;
    let assignees = [AssigneeFilter::Anyone, AssigneeFilter::Nobody, AssigneeFilter::Is(ANN.to_owned())];
    let mut found = 0;
    for shown in [ActionsShown::Open, ActionsShown::Due, ActionsShown::Decided, ActionsShown::All] {
        for assignee in &assignees {
            for vendor in [None, Some(vendor_id(1)), Some(vendor_id(9))] {
                for kind in [None, Some(ActionKind::Late), Some(ActionKind::Reversed)] {
                    let assignee = assignee.clone();
                    let mut filter = ActionFilter { vendor, kind, assignee, shown, before: None };
                    let mut pages = Vec::new();
                    loop {
                        let page = live.actions(&filter, 4).await.expect("a read");
                        filter.before = page.last().map(|stored| stored.action.id);
                        pages.extend(page);
                        if filter.before.is_none() {
                            break;
                        }
                    }
                    let mut expected: Vec<_> =
                        all.iter().filter(|stored| fits(stored, &filter)).cloned().collect();
                    expected.reverse();
                    assert_eq!(pages, expected, "{filter:?}");
                    found += pages.len();
                }
            }
        }
    }
    assert!(found > 200, "{found}");
}

async fn figures_tell_how_long_actions_wait(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    assert_eq!(live.action_figures(start()).await.expect("a read"), ActionFigures::default());
    let shop = Shop::live();
    for number in 1..=9 {
        let session = shop.store(live, number, start()).await;
        let hours = u32::try_from(number).expect("small");
        let action = Action::unreachable(&session, later(hours), event_id(number));
        commit(live, &[Change::NeedAction(Box::new(action))]).await;
    }
    // 1 is decided long ago, 2 by a rule, 3 to 5 by people after 1, 2 and 30 hours.
    for (number, at, by) in
        [(1, 2, "ops"), (2, 101, "system"), (3, 104, "ops"), (4, 106, "ann"), (5, 135, "ops")]
    {
        commit(live, &[resolve_at(number, later(at), by)]).await;
    }
    let expected = ActionFigures {
        open: 4,
        oldest: Some(later(6)),
        middle: Some(later(7)),
        decided: 3,
        time_to_decide: Some(HOUR * 102),
    };
    assert_eq!(live.action_figures(later(100)).await.expect("a read"), expected);
    let quiet = live.action_figures(later(900)).await.expect("a read");
    assert_eq!((quiet.decided, quiet.time_to_decide), (0, None));
}

async fn notes_on_an_action_of_the_sandbox_go_with_its_session(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, mut shop) = (&backend.stores.sandbox, Shop::sandbox());
    shop.vendor.settings.callback_url = None;
    unreachable(sandbox, &shop, 1).await;
    commit(sandbox, &[Change::AddActionNote(Box::new(note(1, 1, "a note")))]).await;
    let shell = backend.shell("sandbox").await;
    assert!(shell.run("DELETE FROM action_notes").await.is_err(), "not without its action");
    let session = read(sandbox, 1).await.expect("a session");
    commit(sandbox, &shop.finish(&session, Outcome::Expired, 50).1).await;
    commit(sandbox, &[Change::DeleteSession { id: session_id(1) }]).await;
    assert_eq!(shell.rows("action_notes").await.len(), 0);
    assert_eq!(shell.rows("actions").await.len(), 0);
}

on_both_engines!(
    disputes_are_listed_by_the_time_until_which_they_must_be_answered,
    of_operators_who_take_an_action_at_once_one_has_it,
    notes_are_added_once_and_only_before_the_decision,
    a_note_and_a_decision_at_once_are_one_after_the_other,
    the_work_on_actions_is_closed_to_a_shell,
    filters_of_actions_can_be_combined_and_turned_page_by_page,
    figures_tell_how_long_actions_wait,
    notes_on_an_action_of_the_sandbox_go_with_its_session,
);
