//! The users of a vendor: roles, removal, and the lines of the audit log that the vendor's admins can read.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, Kind, entry, on_both_engines, vendor_id},
};
use std::sync::Arc;
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::UserId,
    user::Role,
};
use till_store::{Accounts, AuditFilter, Member, NewUser};
use tokio::{sync::Barrier, task::JoinSet};

fn user_id(number: u8) -> UserId {
    let mut bytes = [0; 16];
    bytes[15] = number;
    UserId::from_bytes(bytes)
}

fn member(number: u8) -> Member {
    Member { vendor: vendor_id(1), user: user_id(number) }
}

async fn add(accounts: &Accounts, number: u8, role: Role, vendor: u64, password: bool) {
    let new = NewUser {
        id: user_id(number),
        email: format!("user{number}@shop.example"),
        role,
        vendor: role.has_vendor().then(|| vendor_id(vendor)),
        password: password.then(|| "hash".to_owned()),
    };
    assert!(accounts.add_user(new, None, &entry()).await.expect("a write"));
}

/// A vendor with an admin, an invited user, and a viewer; another vendor with an admin; an operator.
async fn teams(kind: Kind) -> Backend {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    add(accounts, 1, Role::VendorAdmin, 1, true).await;
    add(accounts, 2, Role::VendorAdmin, 1, false).await;
    add(accounts, 3, Role::VendorViewer, 1, true).await;
    add(accounts, 4, Role::VendorAdmin, 2, true).await;
    add(accounts, 5, Role::Operator, 1, true).await;
    backend
}

async fn state(accounts: &Accounts, number: u8) -> (Role, bool) {
    let known = accounts.user(user_id(number)).await.expect("a read").expect("a user");
    (known.user.role, known.user.disabled)
}

fn told(by: u8, deed: AuditEvent, to: u8) -> AuditEntry {
    let name = format!("user{by}@shop.example");
    let actor = Actor { user: Some(user_id(by)), name, address: Some("203.0.113.9".to_owned()), form: None };
    AuditEntry { actor, event: deed, user: Some(user_id(to)), ..entry() }
}

async fn the_last_who_can_run_a_vendor_stays(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    let lines = async || {
        let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
        accounts.audit(&filter).await.expect("a read").len()
    };
    let before = lines().await;
    assert!(!accounts.set_role(member(1), Role::VendorViewer, &entry()).await.expect("an answer"));
    assert!(!accounts.remove_member(member(1), &entry()).await.expect("an answer"));
    assert_eq!(state(accounts, 1).await, (Role::VendorAdmin, false), "who was only invited may never come");
    assert_eq!(lines().await, before, "what was not done is not told");
    assert!(accounts.set_role(member(3), Role::VendorAdmin, &entry()).await.expect("a write"));
    assert!(!accounts.set_role(member(3), Role::VendorAdmin, &entry()).await.expect("an answer"), "as it is");
    assert!(accounts.remove_member(member(1), &entry()).await.expect("a write"));
    assert_eq!(state(accounts, 1).await, (Role::VendorAdmin, true));
    assert!(!accounts.remove_member(member(3), &entry()).await.expect("an answer"));
    assert!(accounts.remove_member(member(2), &entry()).await.expect("a write"), "an invited one can go");
}

async fn of_two_who_remove_each_other_one_stays(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    // The embedded store has one node; a server has two, whose writers know nothing of each other.
    let nodes = match kind {
        Kind::Embedded => [Arc::clone(&backend.stores), Arc::clone(&backend.stores)],
        Kind::Postgres => [Arc::new(backend.again().await), Arc::new(backend.again().await)],
    };
    for round in 0..8 {
        for number in [1, 3] {
            accounts.set_user_disabled(user_id(number), false, &entry()).await.expect("a write");
            accounts.set_role(member(number), Role::VendorAdmin, &entry()).await.expect("a write");
        }
        let (start, mut both) = (Arc::new(Barrier::new(2)), JoinSet::new());
        for (node, number) in nodes.iter().zip([1, 3]) {
            let (start, node) = (Arc::clone(&start), Arc::clone(node));
            both.spawn(async move {
                start.wait().await;
                match round % 2 {
                    0 => node.accounts.remove_member(member(number), &entry()).await,
                    _ => node.accounts.set_role(member(number), Role::VendorViewer, &entry()).await,
                }
            });
        }
        let done =
            both.join_all().await.into_iter().filter(|done| *done.as_ref().expect("an answer")).count();
        assert_eq!(done, 1, "round {round}");
        let left = [state(accounts, 1).await, state(accounts, 3).await];
        assert_eq!(left.iter().filter(|state| **state == (Role::VendorAdmin, false)).count(), 1, "{left:?}");
    }
}

async fn another_vendors_people_are_out_of_reach(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [4, 5] {
        let before = state(accounts, number).await;
        assert!(!accounts.set_role(member(number), Role::VendorViewer, &entry()).await.expect("an answer"));
        assert!(!accounts.remove_member(member(number), &entry()).await.expect("an answer"));
        assert_eq!(state(accounts, number).await, before);
    }
}

async fn s11_whom_the_operator_shut_out_no_colleague_lets_in(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    assert!(accounts.remove_member(member(3), &told(1, AuditEvent::UserDisabled, 3)).await.expect("a write"));
    assert!(accounts.removed_by_colleague(member(3)).await.expect("a read"));
    assert!(accounts.restore_member(member(3), &told(1, AuditEvent::UserEnabled, 3)).await.expect("a write"));
    assert!(!accounts.restore_member(member(3), &entry()).await.expect("an answer"), "they are in");
    // This includes a user that a colleague had removed before (S11).
    assert!(accounts.remove_member(member(3), &told(1, AuditEvent::UserDisabled, 3)).await.expect("a write"));
    let shut = told(5, AuditEvent::UserDisabled, 3);
    assert!(accounts.set_user_disabled(user_id(3), true, &shut).await.expect("a write"));
    assert!(!accounts.removed_by_colleague(member(3)).await.expect("a read"));
    assert!(!accounts.restore_member(member(3), &entry()).await.expect("an answer"));
    assert_eq!(state(accounts, 3).await, (Role::VendorViewer, true));
}

async fn a_vendor_reads_what_is_about_it_and_its_people(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    // Ids rise in the order in which the lines are made.
    let logged_in = told(1, AuditEvent::LoggedIn, 1);
    let vendor_line =
        AuditEntry { vendor: Some(vendor_id(1)), user: None, ..told(5, AuditEvent::SandboxOn, 1) };
    let others =
        AuditEntry { vendor: Some(vendor_id(2)), user: None, ..told(4, AuditEvent::SettingsChanged, 4) };
    for line in [
        logged_in,
        vendor_line,
        others,
        told(4, AuditEvent::LoggedIn, 4),
        told(5, AuditEvent::UserDisabled, 3),
    ] {
        accounts.record(&line).await.expect("a write");
    }
    let read = async |before, limit| {
        let lines = accounts.team_audit(vendor_id(1), before, limit).await.expect("a read");
        let short =
            lines.iter().map(|line| (line.entry.event, line.role, line.colleague, line.member.clone()));
        (short.collect::<Vec<_>>(), lines.last().map(|line| line.entry.id))
    };
    let expected = [
        (AuditEvent::UserDisabled, Some(Role::Operator), false, Some("user3@shop.example".to_owned())),
        (AuditEvent::SandboxOn, Some(Role::Operator), false, None),
        (AuditEvent::LoggedIn, Some(Role::VendorAdmin), true, Some("user1@shop.example".to_owned())),
    ];
    assert_eq!(read(None, 10).await.0, expected);
    let (first, last) = read(None, 2).await;
    assert_eq!(first, expected[..2]);
    assert_eq!(read(last, 2).await.0, expected[2..], "the next page begins where the first ends");
}

async fn lines_of_other_vendors_in_between_are_passed_over(kind: Kind) {
    let backend = teams(kind).await;
    let accounts = &backend.stores.accounts;
    let mut own = Vec::new();
    for round in 0..12 {
        // About the vendor, about one of its users, or about both: that one is listed once.
        let line = told(1, AuditEvent::SettingsChanged, 3);
        let line = match round % 3 {
            0 => AuditEntry { vendor: Some(vendor_id(1)), user: None, ..line },
            1 => line,
            _ => AuditEntry { vendor: Some(vendor_id(1)), ..line },
        };
        own.insert(0, line.id);
        accounts.record(&line).await.expect("a write");
        for other in [told(4, AuditEvent::LoggedIn, 4), told(5, AuditEvent::LoggedIn, 5)] {
            let about = AuditEntry { vendor: Some(vendor_id(2)), user: None, ..other.clone() };
            let about = AuditEntry { id: entry().id, ..about };
            accounts.record(&other).await.expect("a write");
            accounts.record(&about).await.expect("a write");
        }
    }
    let (mut read, mut before) = (Vec::new(), None);
    loop {
        let part = accounts.team_audit(vendor_id(1), before, 5).await.expect("a read");
        let Some(last) = part.last() else { break };
        before = Some(last.entry.id);
        read.extend(part.iter().map(|line| line.entry.id));
    }
    assert_eq!(read, own);
}

on_both_engines!(
    lines_of_other_vendors_in_between_are_passed_over,
    the_last_who_can_run_a_vendor_stays,
    of_two_who_remove_each_other_one_stays,
    another_vendors_people_are_out_of_reach,
    s11_whom_the_operator_shut_out_no_colleague_lets_in,
    a_vendor_reads_what_is_about_it_and_its_people,
);
