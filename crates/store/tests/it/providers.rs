//! Set-up documents of providers: one each, changed by compare-and-set, never deleted.

use crate::fixture::{Backend, Kind, entry, on_both_engines};
use till_domain::audit::{Actor, AuditEntry, AuditEvent};
use till_store::AuditFilter;

fn by(name: &str, deed: AuditEvent) -> AuditEntry {
    AuditEntry { actor: Actor { name: name.to_owned(), ..Actor::shell() }, event: deed, ..entry() }
}

async fn of_two_who_change_a_set_up_one_counts(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    assert!(accounts.setups().await.expect("a read").is_empty());
    assert!(accounts.add_setup("evm", b"one", &by("ada", AuditEvent::ProviderSetUp)).await.expect("a write"));
    assert!(
        !accounts.add_setup("evm", b"two", &by("bob", AuditEvent::ProviderSetUp)).await.expect("an answer")
    );
    let change = async |version, text: &[u8], who: &str| {
        let line = by(who, AuditEvent::ProviderChanged);
        accounts.change_setup(("evm", version), text, &line).await.expect("an answer")
    };
    assert!(change(1, b"three", "ada").await);
    assert!(!change(1, b"four", "bob").await, "he has not seen the change");
    assert!(!accounts.change_setup(("other", 1), b"x", &entry()).await.expect("an answer"));
    let stored = accounts.setups().await.expect("a read").remove(0);
    let known = (stored.name.as_str(), stored.enabled, stored.version, stored.updated_by.as_str());
    assert_eq!((known, stored.document_sealed.as_slice()), (("evm", true, 2, "ada"), &b"three"[..]));
    let lines = accounts.audit(&AuditFilter { limit: 100, ..AuditFilter::default() }).await.expect("a read");
    assert_eq!(lines.len(), 2, "what was not done is not told");
}

async fn switching_is_a_change_only_where_it_changes_something(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    let switch = async |on| accounts.switch_setup("evm", on, &entry()).await.expect("an answer");
    assert!(!switch(false).await, "it was never set up");
    assert!(accounts.add_setup("evm", b"one", &entry()).await.expect("a write"));
    assert_eq!(accounts.setup_versions().await.expect("a read"), [("evm".to_owned(), 1)]);
    assert!(!switch(true).await);
    assert!(switch(false).await && !switch(false).await);
    assert_eq!(accounts.setup_versions().await.expect("a read"), [("evm".to_owned(), 2)]);
    assert!(!accounts.setups().await.expect("a read")[0].enabled);
}

async fn the_operators_order_changes_as_a_whole_or_not_at_all(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for name in ["yookassa", "evm", "stripe"] {
        assert!(accounts.add_setup(name, b"one", &entry()).await.expect("a write"));
    }
    let order = async || {
        let setups = accounts.setups().await.expect("a read").into_iter();
        setups.map(|stored| (stored.name, stored.version)).collect::<Vec<_>>()
    };
    let known = |names: [(&str, i64); 3]| names.map(|(name, version)| (name.to_owned(), version)).to_vec();
    assert_eq!(order().await, known([("yookassa", 1), ("evm", 1), ("stripe", 1)]), "a new one is the last");
    let place = async |places: &[(&str, i64, i64)], who: &str| {
        let line = by(who, AuditEvent::ProvidersOrdered);
        accounts.place_setups(places, &line).await.expect("an answer")
    };
    assert!(place(&[("stripe", 1, 0), ("yookassa", 1, 2)], "ada").await);
    assert_eq!(order().await, known([("stripe", 2), ("evm", 1), ("yookassa", 2)]));
    assert!(!place(&[("evm", 1, 0), ("stripe", 1, 1)], "bob").await, "he has not seen the change");
    assert!(!place(&[("evm", 1, 0), ("other", 1, 1)], "bob").await);
    assert_eq!(order().await, known([("stripe", 2), ("evm", 1), ("yookassa", 2)]), "nothing of it was done");
    let lines = accounts.audit(&AuditFilter { limit: 100, ..AuditFilter::default() }).await.expect("a read");
    assert_eq!(lines.iter().filter(|line| line.event == AuditEvent::ProvidersOrdered).count(), 1);
}

async fn a_shell_cannot_delete_a_provider_or_turn_it_back(kind: Kind) {
    let backend = Backend::new(kind).await;
    assert!(backend.stores.accounts.add_setup("evm", b"one", &entry()).await.expect("a write"));
    let shell = backend.shell("accounts").await;
    for (statement, why) in [
        ("DELETE FROM providers", "never deleted"),
        ("UPDATE providers SET document_sealed = x'00'", "the next version"),
        ("UPDATE providers SET version = version - 1", "the next version"),
        ("UPDATE providers SET name = 'other', version = version + 1", "the next version"),
        (
            "INSERT INTO providers (name, position, enabled, document_sealed, version, updated_at, updated_by)
             SELECT 'second', position, enabled, document_sealed, 7, updated_at, updated_by FROM providers",
            "its first version",
        ),
    ] {
        let refused = shell.run(statement).await.expect_err(statement);
        assert!(refused.contains(why), "{statement}: {refused}");
    }
}

on_both_engines!(
    of_two_who_change_a_set_up_one_counts,
    switching_is_a_change_only_where_it_changes_something,
    the_operators_order_changes_as_a_whole_or_not_at_all,
    a_shell_cannot_delete_a_provider_or_turn_it_back,
);
