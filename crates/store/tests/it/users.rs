//! Users: passwords, second factors, links, browser sessions, and the audit log of what they did.

use crate::{
    accounts::{add_vendor, new_vendor},
    fixture::{Backend, Kind, entry, minutes, on_both_engines, vendor_id},
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::{FormId, LoginId, RequestId, UserId},
    time::TimeZone,
    user::{LinkPurpose, Role},
};
use till_store::{
    Accounts, AuditFilter, ConfirmedFactor, KnownUser, Login, NewLink, NewUser, NewVendor, UserFilter,
    VendorFilter,
};
use tokio::{sync::Barrier, task::JoinSet};

fn user_id(number: u8) -> UserId {
    let mut bytes = [0; 16];
    bytes[15] = number;
    UserId::from_bytes(bytes)
}

fn new_user(number: u8, role: Role) -> NewUser {
    NewUser {
        id: user_id(number),
        email: format!("user{number}@shop.example"),
        role,
        vendor: role.has_vendor().then(|| vendor_id(1)),
        password: Some(format!("hash {number}")),
    }
}

async fn add(accounts: &Accounts, number: u8, role: Role) -> KnownUser {
    assert!(accounts.add_user(new_user(number, role), None, &entry()).await.expect("a write"));
    known(accounts, number).await
}

async fn known(accounts: &Accounts, number: u8) -> KnownUser {
    accounts.user(user_id(number)).await.expect("a read").expect("a user")
}

/// The deeds in the audit log, newest first.
async fn deeds(accounts: &Accounts) -> Vec<AuditEvent> {
    let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
    accounts.audit(&filter).await.expect("a read").into_iter().map(|line| line.event).collect()
}

async fn login(accounts: &Accounts, number: u8, browser: u8) -> Login {
    let mut bytes = [0; 16];
    bytes[0] = browser;
    let (now, id) = (accounts.now(), LoginId::from_bytes(bytes));
    let (address, agent) = ("203.0.113.9".to_owned(), "Browser \u{1f9fe}".to_owned());
    let login = Login { id, user: user_id(number), address, agent, created_at: now, seen_at: now };
    let seen = known(accounts, number).await;
    assert!(accounts.open_login(&login, &[browser; 32], &seen, &entry()).await.expect("a write"));
    login
}

async fn is_open(accounts: &Accounts, browser: u8) -> bool {
    accounts.login(&[browser; 32]).await.expect("a read").is_some()
}

async fn a_user_reads_back_and_an_address_is_taken_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    for (number, role) in (1..).zip(Role::ALL) {
        let found = add(accounts, number, role).await;
        assert_eq!((found.user.role, found.user.vendor.is_some()), (role, role.has_vendor()));
        assert_eq!(found.password.as_deref(), Some(format!("hash {number}").as_str()));
        assert!(found.user.has_password && !found.user.has_factor && !found.user.disabled);
        let by_email = accounts.user_by_email(&format!("user{number}@shop.example")).await.expect("a read");
        assert_eq!(by_email.expect("a user").user, found.user);
    }
    assert!(accounts.user_by_email("nobody@shop.example").await.expect("a read").is_none());
    let lines = deeds(accounts).await.len();
    let again = NewUser { id: user_id(9), ..new_user(1, Role::Operator) };
    assert!(!accounts.add_user(again, None, &entry()).await.expect("an answer"));
    assert!(accounts.user(user_id(9)).await.expect("a read").is_none());
    assert_eq!(deeds(accounts).await.len(), lines, "what was not done is not in the log");
    let stray = NewUser { id: user_id(9), vendor: None, ..new_user(9, Role::VendorAdmin) };
    accounts.add_user(stray, None, &entry()).await.expect_err("a vendor's user without a vendor");
}

async fn users_are_found_by_address_vendor_and_role(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    for number in 1..=9 {
        let role = if number % 2 == 0 { Role::VendorViewer } else { Role::SuperVendor };
        add(accounts, number, role).await;
    }
    let numbers = async |filter: UserFilter| {
        let users = accounts.users(&filter).await.expect("a read");
        users.iter().map(|user| user.id.as_bytes()[15]).collect::<Vec<_>>()
    };
    let all = UserFilter { limit: 100, ..UserFilter::default() };
    assert_eq!(numbers(all.clone()).await, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let page = UserFilter { before: Some(user_id(7)), limit: 2, ..all.clone() };
    assert_eq!(numbers(page).await, [6, 5]);
    assert_eq!(numbers(UserFilter { vendor: Some(vendor_id(1)), ..all.clone() }).await, [8, 6, 4, 2]);
    assert_eq!(numbers(UserFilter { role: Some(Role::VendorViewer), ..all.clone() }).await, [8, 6, 4, 2]);
    assert_eq!(numbers(UserFilter { email_has: "USER3".to_owned(), ..all.clone() }).await, [3]);
    for pattern in ["%", "_", "user_@", "\\"] {
        assert_eq!(numbers(UserFilter { email_has: pattern.to_owned(), ..all.clone() }).await, [0; 0]);
    }
}

async fn a_link_sets_a_password_once_and_in_time(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let link = |check: u8| NewLink {
        check: [check; 32],
        user: user_id(1),
        purpose: LinkPurpose::Reset,
        expires_at: accounts.now().plus(minutes(60)),
        mail: None,
    };
    let user = NewUser { password: None, ..new_user(1, Role::VendorAdmin) };
    assert!(accounts.add_user(user, Some(link(1)), &entry()).await.expect("a write"));
    assert!(!known(accounts, 1).await.user.has_password);
    assert!(accounts.replace_link(link(2), &entry()).await.expect("a write"));
    let used = async |check: u8, hash: &str| {
        accounts.use_link(&[check; 32], user_id(1), hash, &entry()).await.expect("an answer")
    };
    assert!(!used(1, "older").await, "a newer link takes its place");
    assert!(!used(9, "unknown").await);
    login(accounts, 1, 1).await;
    assert!(used(2, "first").await);
    assert!(!used(2, "again").await);
    assert_eq!(known(accounts, 1).await.password.as_deref(), Some("first"));
    assert!(!is_open(accounts, 1).await, "a new password ends what was open");
    accounts.add_link(link(3), &entry()).await.expect("a write");
    backend.clock.advance(minutes(60));
    assert!(!used(3, "late").await);
    let kept = accounts.link(&[3; 32]).await.expect("a read").expect("a link");
    assert_eq!((kept.user, kept.purpose, kept.used_at), (user_id(1), LinkPurpose::Reset, None));
    accounts.add_link(link(4), &entry()).await.expect("a write");
    assert!(accounts.set_user_disabled(user_id(1), true, &entry()).await.expect("a write"));
    assert!(!used(4, "disabled").await, "whoever is shut out stays out");
    assert_eq!(known(accounts, 1).await.password.as_deref(), Some("first"));
}

async fn t16_a_code_works_once_and_a_recovery_code_too(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add(accounts, 1, Role::Operator).await;
    assert!(!accounts.use_factor_step(user_id(1), 5).await.expect("an answer"), "there is no factor yet");
    accounts.set_pending_factor(user_id(1), b"sealed").await.expect("a write");
    assert!(!known(accounts, 1).await.user.has_factor);
    let confirm = async |pending: &[u8]| {
        let factor = ConfirmedFactor { pending, step: 100, codes: &[[1; 32], [2; 32]], keep: None };
        accounts.confirm_factor(user_id(1), &factor, &entry()).await.expect("an answer")
    };
    assert!(!confirm(b"another").await, "another set-up came between");
    assert!(confirm(b"sealed").await);
    assert!(!confirm(b"sealed").await);
    let user = known(accounts, 1).await;
    assert_eq!((user.factor.as_deref(), user.factor_pending), (Some(&b"sealed"[..]), None));
    for (step, works) in [(100, false), (99, false), (101, true), (101, false), (103, true), (102, false)] {
        assert_eq!(accounts.use_factor_step(user_id(1), step).await.expect("an answer"), works, "{step}");
    }
    for (code, works) in [(1, true), (1, false), (3, false), (2, true)] {
        let used = accounts.use_recovery_code(user_id(1), &[code; 32], &entry()).await;
        assert_eq!(used.expect("an answer"), works, "{code}");
    }
    assert_eq!(accounts.recovery_codes_left(user_id(1)).await.expect("a read"), 0);
    assert!(accounts.drop_factor(user_id(1), &entry()).await.expect("a write"));
    assert!(!accounts.drop_factor(user_id(1), &entry()).await.expect("an answer"));
    assert!(!known(accounts, 1).await.user.has_factor);
}

async fn t16_of_many_who_use_one_code_at_once_one_gets_in(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add(accounts, 1, Role::Operator).await;
    accounts.set_pending_factor(user_id(1), b"sealed").await.expect("a write");
    let factor = ConfirmedFactor { pending: b"sealed", step: 100, codes: &[[1; 32]], keep: None };
    assert!(accounts.confirm_factor(user_id(1), &factor, &entry()).await.expect("a write"));
    let together = Arc::new(Barrier::new(32));
    let mut tasks = JoinSet::new();
    for number in 0..32 {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            together.wait().await;
            let accounts = &stores.accounts;
            let done = if number % 2 == 0 {
                accounts.use_factor_step(user_id(1), 200).await
            } else {
                accounts.use_recovery_code(user_id(1), &[1; 32], &entry()).await
            };
            (number % 2, done.expect("an answer"))
        });
    }
    let winners: Vec<_> = tasks.join_all().await.into_iter().filter(|(_, done)| *done).collect();
    assert_eq!(winners.len(), 2, "one with the code, one with the recovery code: {winners:?}");
}

async fn a_login_is_found_by_its_cookie_until_it_is_ended(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add(accounts, 1, Role::Operator).await;
    add(accounts, 2, Role::Operator).await;
    let first = login(accounts, 1, 1).await;
    for (user, browser) in [(1, 2), (1, 3), (2, 4)] {
        login(accounts, user, browser).await;
    }
    assert_eq!(accounts.login(&[1; 32]).await.expect("a read"), Some(first.clone()));
    assert_eq!(accounts.logins(user_id(1)).await.expect("a read").len(), 3);
    backend.clock.advance(minutes(5));
    accounts.touch_login(&first).await.expect("a write");
    let touched = accounts.login(&[1; 32]).await.expect("a read").expect("a login");
    assert_eq!((touched.created_at, touched.seen_at), (first.created_at, accounts.now()));
    assert_eq!(known(accounts, 1).await.user.seen_at, Some(accounts.now()));
    assert!(!accounts.end_login(first.id, user_id(2), None).await.expect("an answer"), "not theirs");
    assert!(accounts.end_login(first.id, user_id(1), Some(&entry())).await.expect("a write"));
    assert!(!accounts.end_login(first.id, user_id(1), None).await.expect("an answer"));
    let kept = accounts.login(&[2; 32]).await.expect("a read").expect("a login");
    accounts.end_logins(user_id(1), Some(kept.id), &entry()).await.expect("a write");
    let open = [is_open(accounts, 1).await, is_open(accounts, 2).await, is_open(accounts, 3).await];
    assert_eq!(open, [false, true, false]);
    let seen = known(accounts, 1).await;
    let again = Login { id: LoginId::from_bytes([9; 16]), ..first };
    for other in [
        KnownUser { password: Some("older".to_owned()), ..seen.clone() },
        KnownUser { factor: Some(vec![1]), ..seen.clone() },
    ] {
        let opened = accounts.open_login(&again, &[9; 32], &other, &entry()).await.expect("an answer");
        assert!(!opened, "what was looked at is not so any more");
    }
    assert!(accounts.set_user_disabled(user_id(1), true, &entry()).await.expect("a write"));
    assert!(!accounts.open_login(&again, &[9; 32], &seen, &entry()).await.expect("an answer"));
    assert!(!is_open(accounts, 9).await);
    assert!(!is_open(accounts, 2).await && is_open(accounts, 4).await);
    backend.clock.advance(Duration::from_secs(8 * 24 * 3600));
    assert!(accounts.logins(user_id(2)).await.expect("a read").is_empty(), "too old to count");
}

async fn a_wish_for_a_sandbox_waits_once_and_is_answered_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [2, 4] {
        add_vendor(accounts, number).await;
    }
    let user = NewUser { vendor: Some(vendor_id(2)), ..new_user(1, Role::VendorAdmin) };
    assert!(accounts.add_user(user, None, &entry()).await.expect("a write"));
    let id = |number: u8| RequestId::from_bytes([number; 16]);
    let ask = async |number: u8, vendor: u64| {
        let whose = (vendor_id(vendor), user_id(1));
        accounts.ask_for_sandbox(id(number), whose, "to test", &entry()).await.expect("an answer")
    };
    let waiting = async || accounts.sandbox_requests(None).await.expect("a read").len();
    assert!(ask(1, 2).await);
    assert!(!ask(2, 2).await, "one waits already");
    assert!(ask(3, 4).await);
    let wishes = accounts.sandbox_requests(Some(vendor_id(2))).await.expect("a read");
    assert_eq!((wishes.len(), wishes[0].email.as_str()), (1, "user1@shop.example"));
    let found = accounts.find_vendors(&VendorFilter { limit: 9, ..VendorFilter::default() }).await;
    assert_eq!(
        found.expect("a read").iter().map(|vendor| vendor.asked_at.is_some()).collect::<Vec<_>>(),
        [true, true]
    );
    assert!(accounts.grant_sandbox(id(1), vendor_id(2), &entry()).await.expect("a write"));
    assert!(!accounts.grant_sandbox(id(1), vendor_id(2), &entry()).await.expect("an answer"));
    assert!(accounts.vendor(vendor_id(2)).await.expect("a read").expect("a vendor").sandbox);
    assert!(accounts.dismiss_sandbox_request(id(3), Some("not yet"), &entry()).await.expect("a write"));
    assert!(!accounts.vendor(vendor_id(4)).await.expect("a read").expect("a vendor").sandbox);
    assert_eq!(waiting().await, 0);
    assert!(ask(4, 4).await, "it may be asked again");
    assert!(accounts.set_sandbox(vendor_id(4), true, &entry()).await.expect("a write"));
    assert_eq!(waiting().await, 0, "the switch answers it");
}

async fn t11_a_parent_is_an_enabled_super_vendor(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    for (number, role) in [(1, Role::SuperVendor), (2, Role::SuperVendor), (3, Role::Operator)] {
        add(accounts, number, role).await;
    }
    assert!(accounts.set_user_disabled(user_id(2), true, &entry()).await.expect("a write"));
    let put = async |vendor: u64, parent: Option<u8>| {
        accounts.set_parent(vendor_id(vendor), parent.map(user_id), &entry()).await.expect("an answer")
    };
    for (parent, works) in [(1, true), (2, false), (3, false), (9, false)] {
        assert_eq!(put(1, Some(parent)).await, works, "{parent}");
    }
    assert!(!put(9, Some(1)).await);
    let below = async || {
        let filter = VendorFilter { parent: Some(user_id(1)), limit: 9, ..VendorFilter::default() };
        let found = accounts.find_vendors(&filter).await.expect("a read");
        found.into_iter().map(|vendor| (vendor.summary.id, vendor.parent)).collect::<Vec<_>>()
    };
    assert_eq!(below().await, [(vendor_id(1), Some("user1@shop.example".to_owned()))]);
    assert_eq!(
        accounts.vendor(vendor_id(1)).await.expect("a read").expect("a vendor").parent,
        Some(user_id(1))
    );
    assert!(put(1, None).await);
    assert_eq!(below().await, []);
}

async fn a_user_has_a_zone_until_it_is_taken_away(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    assert!(accounts.add_user(new_user(1, Role::Operator), None, &entry()).await.expect("a write"));
    let zone = async || accounts.user(user_id(1)).await.expect("a read").expect("a user").user.time_zone;
    assert_eq!(zone().await, None);
    for chosen in [TimeZone::parse("Europe/Oslo"), None] {
        assert!(accounts.set_user_zone(user_id(1), chosen.as_ref()).await.expect("a write"));
        assert_eq!(zone().await, chosen);
        let by_email = accounts.user_by_email("user1@shop.example").await.expect("a read");
        assert_eq!(by_email.expect("a user").user.time_zone, chosen);
    }
    assert!(!accounts.set_user_zone(user_id(2), None).await.expect("an answer"), "there is nobody");
}

async fn vendors_are_found_by_name(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in 1..=12 {
        add_vendor(accounts, number).await;
    }
    let names = async |filter: VendorFilter| {
        let found = accounts.find_vendors(&filter).await.expect("a read");
        found.into_iter().map(|vendor| vendor.summary.name).collect::<Vec<_>>()
    };
    let some = VendorFilter { has: "vendor 1".to_owned(), limit: 3, ..VendorFilter::default() };
    assert_eq!(names(some.clone()).await, ["Vendor 12 🧾", "Vendor 11 🧾", "Vendor 10 🧾"]);
    let rest = VendorFilter { before: Some(vendor_id(10)), ..some };
    assert_eq!(names(rest).await, ["Vendor 1 🧾"]);
    let strange = NewVendor { name: "КНИГИ Ångström".to_owned(), ..new_vendor(13) };
    assert!(accounts.add_vendor(strange, &[entry()]).await.expect("a write"));
    for text in ["книги", "КнИгИ å", "ÅNGSTRÖM"] {
        let one = VendorFilter { has: text.to_owned(), limit: 3, ..VendorFilter::default() };
        assert_eq!(names(one).await, ["КНИГИ Ångström"], "{text}");
    }
    let email = Some("Kasse@Quarry.example".to_owned());
    let reachable = NewVendor { contact_email: email, ..new_vendor(14) };
    assert!(accounts.add_vendor(reachable, &[entry()]).await.expect("a write"));
    let one = VendorFilter { has: "kasse@quarry".to_owned(), limit: 3, ..VendorFilter::default() };
    assert_eq!(names(one).await, ["Vendor 14 🧾"], "by the address of its customers' questions");
    let none = VendorFilter { has: "%".to_owned(), limit: 3, ..VendorFilter::default() };
    assert_eq!(names(none).await, Vec::<String>::new());
}

async fn i6_the_log_is_kept_as_it_was_written(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    add(accounts, 1, Role::VendorAdmin).await;
    let actor = Actor {
        user: Some(user_id(1)),
        name: "user1@shop.example".to_owned(),
        address: Some("2001:db8::1".to_owned()),
        form: None,
    };
    let line = AuditEntry { actor, event: AuditEvent::SecretRevealed, ..entry() }
        .about(vendor_id(1))
        .with(user_id(1));
    let line = line.saying("live");
    accounts.record(&line).await.expect("a write");
    let read = async |filter: AuditFilter| accounts.audit(&filter).await.expect("a read");
    let all = AuditFilter { limit: 100, ..AuditFilter::default() };
    let by_actor = AuditFilter { actor: Some("user1@shop.example".to_owned()), ..all.clone() };
    let of_vendor = AuditFilter { vendor: Some(vendor_id(1)), ..all.clone() };
    assert_eq!((read(by_actor).await, read(of_vendor).await), (vec![line.clone()], vec![line.clone()]));
    assert!(read(AuditFilter { vendor: Some(vendor_id(9)), ..all.clone() }).await.is_empty());
    assert_eq!(
        read(AuditFilter { before: Some(line.id), ..all.clone() }).await.len(),
        read(all).await.len() - 1
    );
    accounts.record(&line).await.expect_err("the same line again");
    let shell = backend.shell("accounts").await;
    for statement in ["UPDATE audit SET detail = 'nothing'", "DELETE FROM audit", "DELETE FROM users"] {
        shell.run(statement).await.expect_err(statement);
    }
}

async fn lines_of_one_moment_are_read_in_the_order_they_were_written(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    // The random part decreases, so that it alone would reverse the order.
    for number in (0..50_u8).rev() {
        let id = accounts.next_audit_id(&[number; 10]);
        let deed = if number % 10 == 0 { AuditEvent::SandboxOn } else { AuditEvent::SandboxOff };
        let line = AuditEntry { id, event: deed, ..entry() }.about(vendor_id(1)).saying(number.to_string());
        accounts.record(&line).await.expect("a write");
    }
    let filter = AuditFilter { vendor: Some(vendor_id(1)), limit: 100, ..AuditFilter::default() };
    let lines = accounts.audit(&filter).await.expect("a read");
    let told: Vec<u8> = lines.iter().filter_map(|line| line.detail.as_ref()?.parse().ok()).collect();
    assert_eq!(told, (0..50).collect::<Vec<u8>>(), "the last that was written comes first");
    let on = AuditFilter { event: Some(AuditEvent::SandboxOn), ..filter };
    assert_eq!(accounts.audit(&on).await.expect("a read").len(), 5);
    let last = accounts.last_event(vendor_id(1), AuditEvent::SandboxOn).await.expect("a read");
    assert_eq!(last.and_then(|line| line.detail).as_deref(), Some("0"));
    assert_eq!(accounts.last_event(vendor_id(1), AuditEvent::VendorDisabled).await.expect("a read"), None);
}

async fn a_form_counts_once_whatever_it_does(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add(accounts, 1, Role::Operator).await;
    let by = |number: u8| {
        let form = Some(FormId::from_bytes([number; 16]));
        let id = accounts.next_audit_id(&[number; 10]);
        AuditEntry { id, actor: Actor { form, ..Actor::shell() }, ..entry() }
    };
    let link = |number: u8| NewLink {
        check: [number; 32],
        user: user_id(1),
        purpose: LinkPurpose::Reset,
        expires_at: accounts.now().plus(minutes(60)),
        mail: None,
    };
    let works = async |number: u8| {
        let link = accounts.link(&[number; 32]).await.expect("a read");
        link.is_some_and(|link| link.used_at.is_none())
    };
    for expected in [true, false] {
        let made = accounts.add_vendor(new_vendor(1), &[by(1)]).await.expect("an answer");
        let linked = accounts.replace_link(link(if expected { 1 } else { 2 }), &by(2)).await;
        let recorded = accounts.record_once(&by(3)).await.expect("an answer");
        assert_eq!((made, linked.expect("an answer"), recorded), (expected, expected, expected));
        assert!(works(1).await && !works(2).await, "what was made stays");
    }
    assert!(accounts.form_used(FormId::from_bytes([3; 16])).await.expect("a read"));
    // A refusal for another reason does not use up the form.
    let taken = accounts.add_user(new_user(1, Role::Operator), None, &by(4)).await;
    assert!(!taken.expect("an answer"));
    assert!(!accounts.form_used(FormId::from_bytes([4; 16])).await.expect("a read"));
    assert!(accounts.add_user(new_user(2, Role::Operator), None, &by(4)).await.expect("an answer"));
    assert!(!accounts.add_user(new_user(3, Role::Operator), None, &by(4)).await.expect("an answer"));
    let codes = [[7; 32], [8; 32]];
    let replaced = accounts.replace_recovery_codes(user_id(1), &codes, &by(5)).await;
    assert!(!replaced.expect("an answer"), "without a second factor there are no codes");
    accounts.set_pending_factor(user_id(1), b"sealed").await.expect("a write");
    let factor = ConfirmedFactor { pending: b"sealed", step: 1, codes: &[[1; 32]], keep: None };
    assert!(accounts.confirm_factor(user_id(1), &factor, &entry()).await.expect("a write"));
    for expected in [true, false] {
        let replaced = accounts.replace_recovery_codes(user_id(1), &codes, &by(5)).await;
        assert_eq!(replaced.expect("an answer"), expected);
    }
    assert_eq!(accounts.recovery_codes_left(user_id(1)).await.expect("a read"), 2);
    assert!(!accounts.use_recovery_code(user_id(1), &[1; 32], &entry()).await.expect("an answer"));
    assert!(accounts.use_recovery_code(user_id(1), &[7; 32], &entry()).await.expect("an answer"));
}

async fn one_operator_who_can_log_in_is_left(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add(accounts, number, Role::Operator).await;
    }
    // An operator who was invited and never logged in does not count.
    let invited = NewUser { password: None, ..new_user(3, Role::Operator) };
    assert!(accounts.add_user(invited, None, &entry()).await.expect("a write"));
    add(accounts, 4, Role::SuperVendor).await;
    for _ in 0..10 {
        let lines = [entry(), entry()];
        let [first, second] = [(1, &lines[0]), (2, &lines[1])]
            .map(|(number, line)| accounts.set_user_disabled(user_id(number), true, line));
        let (first, second) = tokio::join!(first, second);
        let done = [first.expect("an answer"), second.expect("an answer")];
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "of two who shut each other out one stays");
        for number in [1, 2] {
            accounts.set_user_disabled(user_id(number), false, &entry()).await.expect("an answer");
        }
    }
    for number in [3, 4, 1] {
        assert!(accounts.set_user_disabled(user_id(number), true, &entry()).await.expect("an answer"));
    }
    assert!(!accounts.set_user_disabled(user_id(2), true, &entry()).await.expect("an answer"));
    assert!(!known(accounts, 2).await.user.disabled);
}

async fn what_is_long_over_at_the_door_is_forgotten(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add(accounts, 1, Role::Operator).await;
    login(accounts, 1, 1).await;
    let link = NewLink {
        check: [1; 32],
        user: user_id(1),
        purpose: LinkPurpose::Reset,
        expires_at: accounts.now().plus(minutes(60)),
        mail: None,
    };
    let form = FormId::from_bytes([1; 16]);
    let actor = Actor { form: Some(form), ..Actor::shell() };
    assert!(accounts.replace_link(link, &AuditEntry { actor, ..entry() }).await.expect("a write"));
    let there = async || {
        let link = accounts.link(&[1; 32]).await.expect("a read").is_some();
        (is_open(accounts, 1).await, link, accounts.form_used(form).await.expect("a read"))
    };
    let now = accounts.now();
    accounts.prune_logins(now).await.expect("a write");
    assert_eq!(there().await, (true, true, true), "nothing is older than now");
    accounts.prune_logins(now.plus(minutes(1))).await.expect("a write");
    assert_eq!(there().await, (false, true, false), "the link has not ended");
    accounts.prune_logins(now.plus(minutes(61))).await.expect("a write");
    assert_eq!(there().await, (false, false, false));
}

async fn more_than_a_pass_forgets_is_reported(kind: Kind) {
    let backend = Backend::new(kind).await;
    let mut sent = JoinSet::new();
    for number in 0..1_001_u128 {
        let stores = Arc::clone(&backend.stores);
        sent.spawn(async move {
            let form = Some(FormId::from_bytes(number.to_be_bytes()));
            let line = AuditEntry { actor: Actor { form, ..Actor::shell() }, ..entry() };
            stores.accounts.record_once(&line).await
        });
    }
    assert!(sent.join_all().await.into_iter().all(|sent| sent.expect("a write")));
    let accounts = &backend.stores.accounts;
    let later = accounts.now().plus(minutes(1));
    assert!(accounts.prune_logins(later).await.expect("a write"), "one is left");
    assert!(!accounts.prune_logins(later).await.expect("a write"), "none is left");
    assert!(!accounts.form_used(FormId::from_bytes([0; 16])).await.expect("a read"));
}

on_both_engines!(
    more_than_a_pass_forgets_is_reported,
    one_operator_who_can_log_in_is_left,
    what_is_long_over_at_the_door_is_forgotten,
    a_form_counts_once_whatever_it_does,
    lines_of_one_moment_are_read_in_the_order_they_were_written,
    a_user_reads_back_and_an_address_is_taken_once,
    users_are_found_by_address_vendor_and_role,
    a_link_sets_a_password_once_and_in_time,
    t16_a_code_works_once_and_a_recovery_code_too,
    t16_of_many_who_use_one_code_at_once_one_gets_in,
    a_login_is_found_by_its_cookie_until_it_is_ended,
    a_wish_for_a_sandbox_waits_once_and_is_answered_once,
    t11_a_parent_is_an_enabled_super_vendor,
    a_user_has_a_zone_until_it_is_taken_away,
    vendors_are_found_by_name,
    i6_the_log_is_kept_as_it_was_written,
);
