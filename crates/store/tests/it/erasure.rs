//! Erasure of personal data: exactly the values that identify a customer are removed, from sessions without open work.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start, vendor_id},
    shell::{Shell, bytes},
};
use std::time::Duration;
use till_domain::{change::Change, id::SessionId, session::Outcome, time::Timestamp};
use till_store::{FreeText, Payments};

const ADDRESS: &str = "ann@mail.example";

/// A rule that keeps a table: the update that erases, which row it is about, and the words of the refusal.
struct Rule {
    table: &'static str,
    erases: &'static str,
    columns: &'static [&'static str],
    refusal: &'static str,
}

const RULES: [Rule; 7] = [
    Rule {
        table: "sessions",
        erases: "metadata = NULL, customer_email = NULL",
        columns: &["metadata", "customer_email"],
        refusal: "cannot be changed",
    },
    Rule {
        table: "payment_attempts",
        erases: "email = NULL",
        columns: &["email"],
        refusal: "what an attempt is for cannot be changed",
    },
    Rule { table: "refunds", erases: "reason = NULL", columns: &["reason"], refusal: "refund" },
    Rule {
        table: "callbacks",
        // {"event":"session.paid"}
        erases: "body = x'7b226576656e74223a2273657373696f6e2e70616964227d'",
        columns: &["body"],
        refusal: "a callback event is frozen when it is made",
    },
    Rule {
        table: "action_notes",
        erases: "body = '[removed]'",
        columns: &["body"],
        refusal: "notes on actions are never changed",
    },
    Rule {
        table: "fiscal_receipts",
        erases: "email = NULL, phone = NULL, full_name = NULL, inn = NULL",
        columns: &["email", "phone", "full_name", "inn"],
        refusal: "fiscal receipt",
    },
    Rule {
        table: "receipts",
        erases: "email = NULL",
        columns: &["email"],
        refusal: "receipts are never changed",
    },
];

/// Every row of a paid session that has personal data in all places: it was refunded, and had an action with a note.
async fn personal_session(shell: &Shell) {
    let [session, vendor] = [bytes(session_id(1).as_bytes()), bytes(vendor_id(1).as_bytes())];
    let own = |number: u8| bytes(&[number; 16]);
    let body = format!("{{\"event\":\"session.paid\",\"metadata\":{{\"mail\":\"{ADDRESS}\"}}}}");
    let (attempt, money, action, refund) = (own(1), own(2), own(3), own(4));
    let zero = own(0);
    for statement in [
        format!(
            "INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, status, request_id,
                created_at, updated_at, methods, method, due_at, metadata, customer_email)
             VALUES ({session}, {vendor}, 'A-1', 'globe', '49.90', 4990, 'USD', 'pending', 'r', 1, 1, 'card', 'card', 9,
                '{{\"mail\":\"{ADDRESS}\"}}', 'Ann@Mail.example')"
        ),
        format!("UPDATE sessions SET status = 'paid', due_at = NULL, updated_at = 2 WHERE id = {session}"),
        format!(
            "INSERT INTO session_metadata (vendor_id, key, value, session_id) VALUES ({vendor}, 'mail', '{ADDRESS}', {session})"
        ),
        format!(
            "INSERT INTO payment_attempts (id, session_id, vendor_id, method, provider, email, state, reference, charge_atoms,
                charge_decimals, charge_unit, received, recorded, started_at, updated_at, checks, version)
             VALUES ({attempt}, {session}, {vendor}, 'card', 'bank', '{ADDRESS}', 'paid', 'ref', '4990', 2, 'USD', '4990',
                '4990', 1, 2, 0, 3)"
        ),
        format!(
            "INSERT INTO callbacks (id, session_id, vendor_id, event, target, host, body, created_at, state, attempts, fence,
                delivered_at, about)
             VALUES ({}, {session}, {vendor}, 'session.paid', 'https://shop.example/', 'shop.example', {}, 2, 'delivered', 1,
                1, 3, {zero})",
            bytes(event_id(1).as_bytes()),
            bytes(body.as_bytes())
        ),
        format!(
            "INSERT INTO callback_responses (callback_id, number, kept_at, body) VALUES ({}, 1, 3, {})",
            bytes(event_id(1).as_bytes()),
            bytes(ADDRESS.as_bytes())
        ),
        format!(
            "INSERT INTO fiscal_receipts (id, session_id, vendor_id, kind, email, phone, full_name, inn, total, currency, made, status,
                plan, sent_at, checks, version, created_at, updated_at, items)
             VALUES ({session}, {session}, {vendor}, 'payment', '{ADDRESS}', '79000000000', 'Ann', '771234567890', 4990, 'RUB',
                FLAG, 'registered', 'registered', 2, 0, 1, 1, 1, '[]')"
        ),
        format!("INSERT INTO visits (session_id, at, kind) VALUES ({session}, 1, 'opened')"),
        format!(
            "INSERT INTO transactions (id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
                received_atoms, received_decimals, received_unit, late, partial, over, created_at)
             VALUES ({money}, {session}, {vendor}, {attempt}, 'card', 'bank', 'ref', 4990, 'USD', '4990', 2, 'USD', LATE, 2)"
        ),
        format!(
            "INSERT INTO refunds (id, vendor_id, session_id, transaction_id, number, method, provider, payment, amount, currency,
                fee, reason, requested_by, state, attempts, check_at, version, created_at, updated_at)
             VALUES ({refund}, {vendor}, {session}, {money}, 1, 'card', 'bank', 'ref', 10, 'USD', 0, 'asked by {ADDRESS}',
                'op', 'requested', 0, 5, 1, 4, 4)"
        ),
        format!(
            "UPDATE refunds SET state = 'succeeded', reference = 'r-1', check_at = NULL, version = 2, hand_what = 'transfer'
             WHERE id = {refund}"
        ),
        format!(
            "INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at)
             VALUES ({action}, 'late', {session}, {vendor}, {money}, 4)"
        ),
        format!(
            "INSERT INTO action_notes (id, action_id, created_at, author, body)
             VALUES ({}, {action}, 5, 'op', 'Called ANN@mail.example')",
            own(5)
        ),
        format!("UPDATE actions SET resolution = 'dismiss', resolved_at = 6, resolved_by = 'op' WHERE id = {action}"),
    ] {
        let flags = if shell.is_embedded() { "0, 0, 0" } else { "false, false, false" };
        let statement = statement.replace("FLAG", &flags[..flags.find(',').unwrap_or_default()]);
        shell.run(&statement.replace("LATE", flags)).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
}

/// The rows that only live has.
async fn receipt(shell: &Shell) {
    let [session, vendor] = [bytes(session_id(1).as_bytes()), bytes(vendor_id(1).as_bytes())];
    let id = bytes(&[6; 16]);
    for statement in [
        format!(
            "INSERT INTO receipts (id, session_id, vendor_id, kind, link, amount_minor, currency, email, created_at)
             VALUES ({id}, {session}, {vendor}, 'paid', {id}, 4990, 'USD', '{ADDRESS}', 2)"
        ),
        format!(
            "INSERT INTO dispatches (about, kind, vendor_id, session_id, recipient, created_at, state, attempts, fence, ended_at)
             VALUES ({id}, 'receipt', {vendor}, {session}, '{ADDRESS}', 2, 'sent', 1, 1, 3)"
        ),
    ] {
        shell.run(&statement).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
}

const PLACES: [&str; 10] = [
    "fiscal_receipts",
    "sessions",
    "session_metadata",
    "payment_attempts",
    "callbacks",
    "callback_responses",
    "visits",
    "refunds",
    "action_notes",
    "transactions",
];

async fn dump(shell: &Shell, tables: &[&str]) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for table in tables {
        let columns = shell.columns(table).await;
        for (number, row) in shell.rows(table).await.into_iter().enumerate() {
            let named = columns.iter().zip(row);
            cells.extend(named.map(|(column, value)| (format!("{table}.{number}.{column}"), value)));
        }
    }
    cells
}

async fn erased(store: &Payments) -> bool {
    store.request_erasure(&[session_id(1)]).await.expect("a request");
    store.erase(session_id(1)).await.expect("an answer")
}

async fn t27_triggers_allow_exactly_the_erasure(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shell = backend.shell("live").await;
    personal_session(&shell).await;
    receipt(&shell).await;
    for rule in RULES {
        let Rule { table, erases, columns, refusal } = rule;
        for column in shell.columns(table).await {
            if columns.contains(&column.as_str()) {
                continue;
            }
            // The one that fits the type of the column reaches the trigger.
            let mut refused = false;
            for value in ["7", "'y'", "x'07070707070707070707070707070707'"] {
                let statement = format!("UPDATE {table} SET {erases}, {column} = {value}");
                match shell.run(&statement).await {
                    Ok(changed) => panic!("{changed} rows changed by: {statement}"),
                    Err(error) => refused |= error.contains(refusal),
                }
            }
            assert!(refused, "no trigger refused {table}.{column}");
        }
        for column in columns {
            let statement = format!("UPDATE {table} SET {column} = x'616e6e'");
            let text = statement.replace("x'616e6e'", "'ann'");
            for statement in [statement, text] {
                assert!(shell.run(&statement).await.is_err(), "{statement}");
            }
        }
        let erase = format!("UPDATE {table} SET {erases}");
        assert_eq!(shell.run(&erase).await, Ok(1), "{erase}");
        if table == "callbacks" {
            // {"event": "session.paid"}: the same value in other bytes.
            let spaced = "UPDATE callbacks SET body = x'7b226576656e74223a202273657373696f6e2e70616964227d'";
            assert!(shell.run(spaced).await.is_err(), "a body without metadata stays as it is");
        }
        let once = dump(&shell, &[table]).await;
        let _ = shell.run(&erase).await;
        assert_eq!(dump(&shell, &[table]).await, once);
    }
}

async fn an_erasure_removes_what_identifies_the_customer_and_nothing_else(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    receipt(&shell).await;
    let places = [&PLACES[..], &["receipts", "dispatches", "actions", "history"]].concat();
    let before = dump(&shell, &places).await;
    assert_eq!(live.customer_session_ids(ADDRESS).await.expect("a read"), [session_id(1)]);
    for texts in FreeText::ALL {
        let step = live.mentions(texts, ADDRESS, [0; 16]).await.expect("a read");
        let sessions: Vec<_> = step.found.iter().map(|mention| mention.session).collect();
        assert_eq!((sessions, step.next), (vec![Some(session_id(1))], None), "{texts:?}");
    }
    assert!(!live.erase(session_id(1)).await.expect("an answer"), "nobody requested it");
    assert!(erased(live).await);
    let after = dump(&shell, &places).await;
    for (place, value) in &after {
        assert!(!value.to_lowercase().contains("ann@"), "{place}: {value}");
        assert!(!value.contains("616e6e40"), "{place}: {value}");
    }
    let changed: Vec<&str> =
        before.iter().filter(|cell| !after.contains(cell)).map(|(place, _)| place.as_str()).collect();
    let expected = "sessions.0.metadata sessions.0.customer_email session_metadata.0.vendor_id session_metadata.0.key \
        session_metadata.0.value session_metadata.0.session_id payment_attempts.0.email callbacks.0.body \
        callback_responses.0.callback_id callback_responses.0.number callback_responses.0.kept_at \
        callback_responses.0.content_type callback_responses.0.body visits.0.session_id visits.0.at visits.0.kind \
        refunds.0.reason fiscal_receipts.0.email fiscal_receipts.0.phone \
        fiscal_receipts.0.full_name fiscal_receipts.0.inn action_notes.0.body receipts.0.email dispatches.0.recipient";
    let expected: Vec<&str> = expected.split_whitespace().collect();
    let sorted = |mut list: Vec<&str>| {
        list.sort_unstable();
        list.join("\n")
    };
    assert_eq!(sorted(changed), sorted(expected));
    assert!(live.customer_session_ids(ADDRESS).await.expect("a read").is_empty());
    let erasure = live.erasure_of(session_id(1)).await.expect("a read").expect("one");
    assert!(erasure.erased_at.is_some());
    assert!(!live.erase(session_id(1)).await.expect("an answer"), "it is done");
    assert!(erased(live).await, "it can be requested again");
}

async fn the_sandbox_is_erased_too(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, sandbox) = (backend.shell("sandbox").await, &backend.stores.sandbox);
    personal_session(&shell).await;
    assert!(erased(sandbox).await);
    for (place, value) in dump(&shell, &PLACES).await {
        assert!(!value.to_lowercase().contains("ann@") && !value.contains("616e6e40"), "{place}: {value}");
    }
}

async fn an_erasure_waits_for_open_work(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    receipt(&shell).await;
    let session = bytes(session_id(1).as_bytes());
    let vendor = bytes(vendor_id(1).as_bytes());
    let own = |number: u8| bytes(&[number; 16]);
    // Each of them opens something, and ends it again.
    let work = [
        (
            "UPDATE callbacks SET state = 'queued', due_at = 5, fence = fence + 1".to_owned(),
            "UPDATE callbacks SET state = 'delivered', due_at = NULL".to_owned(),
        ),
        (
            format!(
                "INSERT INTO actions (id, kind, session_id, vendor_id, created_at) VALUES ({}, 'mismatch', {session}, {vendor}, 4)",
                own(9)
            ),
            "UPDATE actions SET resolution = 'dismiss', resolved_at = 6, resolved_by = 'op' WHERE resolution IS NULL"
                .to_owned(),
        ),
        (
            format!(
                "INSERT INTO dispatches (about, kind, vendor_id, session_id, recipient, created_at, state, attempts, fence, due_at)
                 VALUES ({}, 'receipt', {vendor}, {session}, 'ann@mail.example', 2, 'queued', 0, 0, 3)",
                own(9)
            ),
            "UPDATE dispatches SET state = 'sent', ended_at = 5, due_at = NULL WHERE state = 'queued'".to_owned(),
        ),
        (
            format!(
                "INSERT INTO refunds (id, vendor_id, session_id, transaction_id, number, method, provider, payment, amount,
                    currency, fee, requested_by, state, attempts, check_at, version, created_at, updated_at)
                 VALUES ({}, {vendor}, {session}, {}, 2, 'card', 'bank', 'ref', 10, 'USD', 0, 'op', 'requested', 0, 5, 1, 4, 4)",
                own(9),
                own(2)
            ),
            "UPDATE refunds SET state = 'failed', failure = 'refused', check_at = NULL, version = 2 WHERE number = 2".to_owned(),
        ),
        (
            format!(
                "INSERT INTO payment_attempts (id, session_id, vendor_id, method, provider, state, charge_atoms, charge_decimals,
                    charge_unit, received, recorded, started_at, updated_at, check_at, checks, version)
                 VALUES ({}, {session}, {vendor}, 'card', 'bank', 'open', '4990', 2, 'USD', '0', '0', 1, 2, 5, 0, 3)",
                own(9)
            ),
            "UPDATE payment_attempts SET state = 'closed', check_at = NULL, version = 4 WHERE state = 'open'".to_owned(),
        ),
    ];
    for (open, close) in work {
        assert_eq!(shell.run(&open).await, Ok(1), "{open}");
        assert!(!erased(live).await, "{open}");
        assert!(live.erasable_sessions(None, 10).await.expect("a read").is_empty());
        assert_eq!(live.waiting_erasures().await.expect("a read"), 1);
        assert_eq!(shell.run(&close).await, Ok(1), "{close}");
        assert_eq!(live.erasable_sessions(None, 10).await.expect("a read"), [session_id(1)]);
    }
    assert!(live.erase(session_id(1)).await.expect("an answer"));
    assert_eq!(live.waiting_erasures().await.expect("a read"), 0);
}

/// A note on a difference that belongs to no session, and the reason of another customer's refund.
async fn a_mention_elsewhere_is_erased_alone(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    let (action, note) = (bytes(&[8; 16]), bytes(&[9; 16]));
    for statement in [
        format!(
            "INSERT INTO actions (id, kind, created_at, subject, note) VALUES ({action}, 'difference', 4, 'bank:1', 'not here')"
        ),
        format!(
            "INSERT INTO action_notes (id, action_id, created_at, author, body)
             VALUES ({note}, {action}, 5, 'op', 'bob@mail.example asked; not joann@mail.example')"
        ),
    ] {
        shell.run(&statement).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
    let mentions = async |email: &str| {
        let mut found = Vec::new();
        for texts in FreeText::ALL {
            found.extend(live.mentions(texts, email, [0; 16]).await.expect("a read").found);
        }
        found
    };
    assert_eq!(mentions(ADDRESS).await.len(), 3, "not the part of another address");
    let [bob] = mentions("bob@mail.example").await.try_into().expect("one mention");
    assert_eq!((bob.text, bob.session), (FreeText::Notes, None));
    assert!(live.erase_mention(&bob).await.expect("an answer"));
    assert!(!live.erase_mention(&bob).await.expect("an answer"), "it is done");
    assert!(mentions("bob@mail.example").await.is_empty());
    let reason = mentions(ADDRESS).await.into_iter().find(|mention| mention.text == FreeText::Refunds);
    assert!(live.erase_mention(&reason.expect("a reason")).await.expect("an answer"));
    assert_eq!(
        live.customer_session_ids(ADDRESS).await.expect("a read").len(),
        1,
        "its session is not touched"
    );
}

async fn what_comes_after_the_retention_has_looked_is_erased_too(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    let far = live.now().plus(Duration::from_secs(86_400));
    while live.request_old_erasures(far, 10).await.expect("a step") {}
    assert!(live.erase(session_id(1)).await.expect("an answer"));
    while live.request_old_erasures(far, 10).await.expect("a step") {}
    assert_eq!(live.waiting_erasures().await.expect("a read"), 0);
    // Two hours ago, a refund with a reason.
    later_refund(&shell, live.now(), 2, Some(&format!("for {ADDRESS}"))).await;
    while live.request_old_erasures(far, 10).await.expect("a step") {}
    assert_eq!(live.waiting_erasures().await.expect("a read"), 1, "its session is looked at again");
    assert!(!live.erase(session_id(1)).await.expect("an answer"), "the refund is in progress");
}

/// A refund of the session that was made two hours ago, with this number. Returns its id.
async fn later_refund(shell: &Shell, now: Timestamp, number: u8, reason: Option<&str>) -> String {
    let id = SessionId::new(now.minus(Duration::from_secs(7_200)), &[number; 10]);
    let id = bytes(id.as_bytes());
    let reason = reason.map_or("NULL".to_owned(), |reason| format!("'{reason}'"));
    let insert = format!(
        "INSERT INTO refunds (id, vendor_id, session_id, transaction_id, number, method, provider, payment, amount, currency, fee,
            reason, requested_by, state, attempts, check_at, version, created_at, updated_at)
         VALUES ({id}, {}, {}, {}, {number}, 'card', 'bank', 'ref', 10, 'USD', 0, {reason}, 'op', 'requested', 0, 5, 1, 4, 4)",
        bytes(vendor_id(1).as_bytes()),
        bytes(session_id(1).as_bytes()),
        bytes(&[2; 16])
    );
    assert_eq!(shell.run(&insert).await, Ok(1));
    id
}

async fn the_customer_of_a_later_refund_s_receipt_is_erased_too(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    let far = live.now().plus(Duration::from_secs(86_400));
    while live.request_old_erasures(far, 10).await.expect("a step") {}
    assert!(live.erase(session_id(1)).await.expect("an answer"));
    let customers = ["email", "phone", "full_name", "inn"];
    for (number, column) in (2..).zip([None].into_iter().chain(customers.map(Some))) {
        let refund = later_refund(&shell, live.now(), number, None).await;
        let flag = if shell.is_embedded() { "0" } else { "false" };
        let insert = format!(
            "INSERT INTO fiscal_receipts (id, session_id, vendor_id, kind, {}, total, currency, made, status, plan, sent_at, checks,
                version, created_at, updated_at, items)
             VALUES ({refund}, {}, {}, 'refund', '7712345678', 10, 'RUB', {flag}, 'registered', 'registered', 4, 0, 1, 4, 4, '[]')",
            column.unwrap_or("reference"),
            bytes(session_id(1).as_bytes()),
            bytes(vendor_id(1).as_bytes())
        );
        assert_eq!(shell.run(&insert).await, Ok(1));
        let ended = format!(
            "UPDATE refunds SET state = 'succeeded', reference = 'r-{number}', check_at = NULL, version = 2,
                hand_what = 'transfer' WHERE state = 'requested'"
        );
        assert_eq!(shell.run(&ended).await, Ok(1));
        while live.request_old_erasures(far, 10).await.expect("a step") {}
        assert_eq!(live.erase(session_id(1)).await.expect("an answer"), column.is_some(), "{column:?}");
        for (place, value) in dump(&shell, &["fiscal_receipts"]).await {
            assert!(!value.contains("7712345678") || place.ends_with("reference"), "{place}: {value}");
        }
    }
}

async fn a_body_that_is_not_json_is_an_error_and_nothing_is_erased(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (shell, live) = (backend.shell("live").await, &backend.stores.live);
    personal_session(&shell).await;
    let insert = format!(
        "INSERT INTO callbacks (id, session_id, vendor_id, event, body, created_at, state, attempts, fence, about)
         VALUES ({}, {}, {}, 'refund.failed', x'7b', 2, 'no_target', 0, 0, {})",
        bytes(event_id(2).as_bytes()),
        bytes(session_id(1).as_bytes()),
        bytes(vendor_id(1).as_bytes()),
        bytes(&[4; 16])
    );
    assert_eq!(shell.run(&insert).await, Ok(1));
    live.request_erasure(&[session_id(1)]).await.expect("a request");
    let error = live.erase(session_id(1)).await.expect_err("it cannot be read");
    assert!(error.to_string().contains("is not JSON"), "{error}");
    assert_eq!(live.customer_session_ids(ADDRESS).await.expect("a read").len(), 1);
}

/// The version before knows of no erasures, and deletes sessions of the sandbox.
async fn a_session_is_deleted_with_its_erasure(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, shop) = (&backend.stores.sandbox, Shop::sandbox());
    let session = shop.store(sandbox, 1, start()).await;
    commit(sandbox, &shop.finish(&session, Outcome::Expired, 1).1).await;
    let shell = backend.shell("sandbox").await;
    shell.run("UPDATE callbacks SET state = 'undelivered', due_at = NULL").await.expect("an update");
    assert!(erased(sandbox).await);
    commit(sandbox, &[Change::DeleteSession { id: session.id }]).await;
    assert!(shell.rows("erasures").await.is_empty());
}

async fn the_retention_requests_old_sessions_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut all = Vec::new();
    for number in 1..=5 {
        let session = shop.store(live, number, start()).await;
        all.push(session.id);
        // The last one stays pending; the first two had neither an address nor anything else.
        if number < 5 {
            commit(live, &shop.finish(&session, Outcome::Expired, number).1).await;
        }
    }
    let shell = backend.shell("live").await;
    for number in [3, 4] {
        let id = bytes(session_id(number).as_bytes());
        let attempt = bytes(&[u8::try_from(number).expect("a byte"); 16]);
        let insert = format!(
            "INSERT INTO payment_attempts (id, session_id, vendor_id, method, provider, email, state, charge_atoms,
                charge_decimals, charge_unit, received, recorded, started_at, updated_at, checks, version)
             VALUES ({attempt}, {id}, {}, 'card', 'bank', '{ADDRESS}', 'closed', '1', 2, 'USD', '0', '0', 1, 2, 0, 3)",
            bytes(vendor_id(1).as_bytes())
        );
        assert_eq!(shell.run(&insert).await, Ok(1));
    }
    assert!(!live.request_old_erasures(start(), 10).await.expect("a step"), "none is older");
    assert_eq!(live.waiting_erasures().await.expect("a read"), 0);
    let later = start().plus(Duration::from_secs(86_400));
    let mut steps = 1;
    while live.request_old_erasures(later, 2).await.expect("a step") {
        steps += 1;
    }
    assert_eq!(steps, 3, "two sessions at a time");
    assert_eq!(live.waiting_erasures().await.expect("a read"), 3, "two with an address, one that is pending");
    // Their callbacks have a target, and wait.
    shell.run("UPDATE callbacks SET state = 'undelivered', due_at = NULL").await.expect("an update");
    let found = live.erasable_sessions(None, 10).await.expect("a read");
    assert_eq!(found, [all[2], all[3]], "those that ended");
    for id in found {
        assert!(live.erase(id).await.expect("an answer"));
    }
    assert!(!live.request_old_erasures(later, 2).await.expect("a step"));
    assert_eq!(live.waiting_erasures().await.expect("a read"), 1, "none is requested twice");
}

on_both_engines!(
    t27_triggers_allow_exactly_the_erasure,
    an_erasure_removes_what_identifies_the_customer_and_nothing_else,
    the_sandbox_is_erased_too,
    an_erasure_waits_for_open_work,
    the_retention_requests_old_sessions_once,
    what_comes_after_the_retention_has_looked_is_erased_too,
    the_customer_of_a_later_refund_s_receipt_is_erased_too,
    a_mention_elsewhere_is_erased_alone,
    a_body_that_is_not_json_is_an_error_and_nothing_is_erased,
    a_session_is_deleted_with_its_erasure,
);
