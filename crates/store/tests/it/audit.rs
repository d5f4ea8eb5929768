//! The hash chain of the audit log: an edit, a deletion and a changed order are found.

use crate::{
    fixture::{Backend, Kind, entry, on_both_engines},
    verify::drop_triggers,
};
use till_domain::audit::{Actor, AuditEntry};
use till_store::Stores;

/// Lines of the log, sealed in two passes.
async fn log(stores: &Stores) {
    for number in 0..6 {
        let actor = Actor { name: format!("{number}@shop.example"), ..Actor::shell() };
        let line = AuditEntry { actor, ..entry() }.saying(format!("line {number}"));
        stores.accounts.record(&line).await.expect("stored");
        if number % 3 == 2 {
            assert!(!stores.accounts.seal_audit().await.expect("sealed").more, "no more to seal");
        }
    }
    assert_eq!(stores.accounts.unsealed_audit_count().await.expect("a count"), 0);
}

/// The violations that the verification finds.
async fn wrong(stores: &Stores) -> Vec<String> {
    stores.accounts.verify_audit(&mut |_, _| ()).await.expect("it can be read").first
}

async fn s10_t34_an_edit_a_deletion_and_another_order_are_found(kind: Kind) {
    let backend = Backend::new(kind).await;
    log(&backend.stores).await;
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
    let shell = backend.shell("accounts").await;
    drop_triggers(&shell).await;
    // Swaps the texts of lines 2 and 3, and swaps them back.
    let swap = |column: &str, one: &str, two: &str| {
        format!(
            "UPDATE audit SET {column} = CASE seq WHEN 2 THEN '{one}' ELSE '{two}' END WHERE seq IN (2, 3)"
        )
    };
    let (actor, actor_back) = (
        swap("actor", "2@shop.example", "1@shop.example"),
        swap("actor", "1@shop.example", "2@shop.example"),
    );
    let (detail, detail_back) = (swap("detail", "line 2", "line 1"), swap("detail", "line 1", "line 2"));
    let edits = [
        (
            "UPDATE audit SET detail = 'nothing' WHERE seq = 1",
            "UPDATE audit SET detail = 'line 0' WHERE seq = 1",
            1,
        ),
        (
            "UPDATE audit SET actor = 'eve' WHERE seq = 4",
            "UPDATE audit SET actor = '3@shop.example' WHERE seq = 4",
            1,
        ),
        ("UPDATE audit SET at = at - 1 WHERE seq = 6", "UPDATE audit SET at = at + 1 WHERE seq = 6", 1),
        (
            "UPDATE audit SET deed = 'unheard_of' WHERE seq = 3",
            "UPDATE audit SET deed = 'settings_changed' WHERE seq = 3",
            1,
        ),
        // A number that does not exist, and lines that were swapped.
        ("UPDATE audit SET seq = 60 WHERE seq = 6", "UPDATE audit SET seq = 6 WHERE seq = 60", 2),
        (&actor, &actor_back, 2),
        (&detail, &detail_back, 2),
        ("UPDATE audit_head SET seq = 5", "UPDATE audit_head SET seq = 6", 1),
    ];
    for (edit, back, count) in edits {
        assert!(shell.run(edit).await.expect(edit) > 0, "{edit}");
        let found = wrong(&backend.stores).await;
        assert_eq!(found.len(), count, "{edit}: {found:?}");
        assert!(shell.run(back).await.expect(back) > 0, "{back}");
        assert_eq!(wrong(&backend.stores).await, [""; 0], "{back}");
    }
    for (deletion, count) in [
        ("DELETE FROM audit WHERE seq = 6", 1),
        ("DELETE FROM audit WHERE seq = 3", 2),
        ("DELETE FROM audit WHERE seq = 1", 3),
    ] {
        assert_eq!(shell.run(deletion).await, Ok(1), "{deletion}");
        let found = wrong(&backend.stores).await;
        assert_eq!(found.len(), count, "{deletion}: {found:?}");
    }
}

async fn s10_two_nodes_seal_one_chain(kind: Kind) {
    let backend = Backend::new(kind).await;
    let other = backend.again().await;
    for _ in 0..40 {
        backend.stores.accounts.record(&entry()).await.expect("stored");
        let (one, two) = tokio::join!(backend.stores.accounts.seal_audit(), other.accounts.seal_audit());
        one.and(two).expect("one of them wins, and the other one tries again");
    }
    // More lines than one pass seals, with both nodes at once.
    for _ in 0..600 {
        backend.stores.accounts.record(&entry()).await.expect("stored");
    }
    for _ in 0..8 {
        let (one, two) = tokio::join!(backend.stores.accounts.seal_audit(), other.accounts.seal_audit());
        one.and(two).expect("one of them wins, and the other one tries again");
    }
    while backend.stores.accounts.seal_audit().await.expect("sealed").more {}
    assert_eq!(backend.stores.accounts.unsealed_audit_count().await.expect("a count"), 0);
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

async fn s10_the_database_keeps_the_chain_from_being_changed(kind: Kind) {
    let backend = Backend::new(kind).await;
    log(&backend.stores).await;
    backend.stores.accounts.record(&entry()).await.expect("stored");
    let shell = backend.shell("accounts").await;
    for (edit, told) in [
        ("UPDATE audit SET seq = 7 WHERE seq = 6", "never changed"),
        ("UPDATE audit SET hash = x'00' WHERE seq = 6", "never changed"),
        ("UPDATE audit SET seq = NULL, hash = NULL WHERE seq = 6", "never changed"),
        ("UPDATE audit SET seq = 9, hash = (SELECT hash FROM audit_head) WHERE seq IS NULL", "never changed"),
        (
            "UPDATE audit SET seq = 7, hash = (SELECT hash FROM audit_head), detail = 'other' WHERE seq IS NULL",
            "never changed",
        ),
        ("DELETE FROM audit WHERE seq = 6", "never deleted"),
        ("UPDATE audit_head SET seq = 5", "only grows"),
        ("DELETE FROM audit_head", "only grows"),
    ] {
        let refused = shell.run(edit).await.expect_err(edit);
        assert!(refused.contains(told), "{edit}: {refused}");
    }
}

on_both_engines!(
    s10_t34_an_edit_a_deletion_and_another_order_are_found,
    s10_two_nodes_seal_one_chain,
    s10_the_database_keeps_the_chain_from_being_changed,
);
