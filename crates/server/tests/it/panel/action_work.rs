//! The work of operators on actions: assignment, notes, filters and figures, on pages and by command.

use super::{
    detail::texts,
    watch::{console, location, log, shell},
};
use crate::support::Server;
use std::{process::Command, time::Duration};
use till_domain::{
    audit::AuditEvent,
    change::Change,
    finding::{self, Finding},
    id::{ActionId, EventId, SessionId, VendorId},
    transaction::{Action, ActionKind},
    user::Role,
};

/// Open actions about sessions of a vendor, oldest first.
async fn actions(server: &Server, vendor: VendorId, sessions: &[&str]) -> Vec<ActionId> {
    let mut ids = Vec::new();
    for (session, number) in sessions.iter().zip(1..) {
        let at = server.clock.now();
        let id = ActionId::from(EventId::new(at.plus(Duration::from_millis(number)), &[7; 10]));
        let session = SessionId::parse(session);
        let kind = ActionKind::Unreachable;
        let (vendor, transaction, finding) = (Some(vendor), None, None);
        let action = Action { id, kind, session, vendor, transaction, finding, at };
        let _ = server.live.store.commit(&[Change::NeedAction(Box::new(action))]).await.expect("stored");
        ids.push(id);
    }
    ids
}

/// The error text of a command that fails.
fn refused(server: &Server, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", server.folder());
    command.env("TILL_MASTER_KEY", crate::support::MASTER_KEY);
    let output = command.args(arguments).output().expect("the binary runs");
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_operators_the_later_sees_who_has_the_action() {
    let (server, olga) = console(&[]).await;
    let oscar = server.person("oscar", Role::Operator, None).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let session = shop.order("A-1").await;
    let id = actions(&server, vendor.id, &[&session]).await[0];
    let page = format!("/operator/actions/live/{id}");
    let assign = format!("{page}/assign");
    let mine = olga.post(&assign, &[("to", &olga.email), ("was", "")]).await;
    assert_eq!(location(&mine), format!("{page}?done=saved"));
    let late = oscar.post(&assign, &[("to", &oscar.email), ("was", "")]).await;
    assert_eq!(late.status, 409, "{}", late.body);
    let said = texts(&late.body, "[data-testid=conflict]").concat();
    assert!(said.contains(&olga.email) && said.contains("Nothing was changed"), "{said}");
    for path in ["/operator/actions", &page, &format!("/operator/sessions/live/{session}")] {
        let shown = texts(&oscar.get(path).await.body, "[data-testid=assigned-to]");
        assert_eq!(shown, [olga.email.as_str()], "{path}");
    }
    let rows = async |query: &str| {
        let list = oscar.get(&format!("/operator/actions?{query}")).await;
        list.body.matches("<article").count()
    };
    assert_eq!((rows("assignee=mine").await, rows("assignee=unassigned").await), (0, 0));
    // It is given away by what was seen, to an operator alone.
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let wrong = olga.post(&assign, &[("to", &ada.email), ("was", &olga.email)]).await;
    assert_eq!(wrong.status, 422, "{}", wrong.body);
    olga.post(&assign, &[("to", &oscar.email), ("was", &olga.email)]).await;
    assert_eq!(rows("assignee=mine&kind=unreachable&vendor=Halden+Press").await, 1);
    let released = oscar.post(&assign, &[("to", ""), ("was", &oscar.email)]).await;
    assert_eq!(location(&released), format!("{page}?done=saved"));
    assert_eq!(rows("assignee=unassigned").await, 1);
    let logged = log(&server, AuditEvent::ActionAssigned).await;
    let expected = [
        format!("{}: to {}, live action {id}", olga.email, olga.email),
        format!("{}: to {}, live action {id}", olga.email, oscar.email),
        format!("{}: to nobody, live action {id}", oscar.email),
    ];
    assert_eq!(logged, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_are_kept_with_their_author_until_the_decision_and_none_is_lost() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = actions(&server, vendor.id, &[&shop.order("A-1").await]).await[0];
    let page = format!("/operator/actions/live/{id}");
    let note = format!("{page}/note");
    for (text, status) in [("  \r\n ", 422), (&*"x".repeat(1_001), 422), ("a\u{202e}b", 422)] {
        let answer = olga.post(&note, &[("text", text)]).await;
        assert_eq!(answer.status, status, "{text}");
        assert!(answer.body.contains("aria-invalid=\"true\""), "{text}");
    }
    let once = "01963f2a-7b1c-7def-8123-456789abcdef";
    let form = [("text", "asked <b>the bank</b>\r\ntwice"), ("once", once)];
    for _ in 0..2 {
        assert_eq!(location(&olga.post(&note, &form).await), format!("{page}?done=saved"));
    }
    // Another note from the same page, after going back to it.
    olga.post(&note, &[("text", "it answered"), ("once", once)]).await;
    let shown = olga.get(&page).await.body;
    assert!(shown.contains("asked &#60;b&#62;the bank&#60;/b&#62;\ntwice"), "{shown}");
    assert_eq!(texts(&shown, "[data-testid=person-note]").len(), 2);
    assert_eq!(log(&server, AuditEvent::ActionNoted).await.len(), 2);
    olga.post(&format!("{page}/dismiss"), &[]).await;
    let late = olga.post(&note, &[("text", "one more thing")]).await;
    assert_eq!(late.status, 409, "{}", late.body);
    assert_eq!(texts(&late.body, "[data-testid=unsaved]").concat().trim(), "one more thing");
    let assigned = olga.post(&format!("{page}/assign"), &[("to", &olga.email)]).await;
    assert_eq!(assigned.status, 409, "{}", assigned.body);
    let stored = server.live.store.action(id).await.expect("a read").expect("an action");
    assert_eq!(stored.assignee, None);
    assert_eq!(server.live.store.notes_on(id).await.expect("a read").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_are_filtered_page_by_page_and_counted() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let session = shop.order("A-1").await;
    let ids = actions(&server, vendor.id, &[session.as_str(); 60]).await;
    server.later(Duration::from_secs(3 * 3_600));
    olga.post(&format!("/operator/actions/live/{}/dismiss", ids[0]), &[]).await;
    let finding = Finding::new("bank:du_9", "a dispute", None).due(Some(server.clock.now()));
    let whose = SessionId::parse(&session).map(|session| (session, vendor.id));
    let at = server.clock.now();
    let mut due = finding::differs(finding, whose, at, EventId::new(at, &[9; 10]));
    if let [Change::NeedAction(action)] = &mut due[..] {
        action.kind = ActionKind::Disputed;
    }
    let _ = server.live.store.commit(&due).await.expect("stored");
    server.later(Duration::from_secs(60));
    let list = olga.get("/operator/actions?show=all&kind=unreachable&vendor=Halden+Press").await.body;
    let first = list.matches("<article").count();
    let older = super::detail::attribute(&list, "[data-testid=older]", "href");
    for kept in ["show=all", "kind=unreachable", "vendor=Halden+Press", "env=live", "before="] {
        assert!(older.contains(kept), "{kept}: {older}");
    }
    let rest = olga.get(&older).await.body.matches("<article").count();
    assert_eq!(first + rest, 60, "{first} and {rest}");
    assert_eq!(olga.get("/operator/actions?show=decided").await.body.matches("<article").count(), 1);
    let figures = |part: &str| texts(&list, &format!("[data-testid=wait-{part}]")).concat();
    assert_eq!((figures("open"), figures("decided")), ("60".to_owned(), "1".to_owned()));
    assert_eq!((figures("oldest"), figures("took")), ("3 hours".to_owned(), "3 hours".to_owned()));
    let late = olga.get("/operator/actions?show=due").await.body;
    assert_eq!(texts(&late, "[data-testid=due]").len(), 1);
    assert!(late.contains("Overdue by 1 minute"), "{late}");
    let wrong = olga.get("/operator/actions?vendor=Nobody").await;
    assert_eq!((wrong.status.as_u16(), wrong.body.matches("<article").count()), (422, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_are_assigned_and_noted_by_command() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = actions(&server, vendor.id, &[&shop.order("A-1").await]).await[0].to_string();
    let assigned = shell(&server, &["action", "assign", &id, "--to", &olga.email.to_uppercase()]);
    assert_eq!(assigned["assignee"], olga.email.as_str());
    let count = |arguments: &[&str]| {
        let list = shell(&server, &[&["action", "list"], arguments].concat());
        list.as_array().map(Vec::len)
    };
    assert_eq!(count(&["--assignee", &olga.email, "--kind", "unreachable"]), Some(1));
    assert_eq!(count(&["--unassigned"]), Some(0));
    assert_eq!(count(&["--kind", "late"]), Some(0));
    assert_eq!(count(&["--due"]), Some(0));
    let notes = shell(&server, &["action", "note", &id, "asked the bank", "--by", "olga"]);
    assert_eq!((&notes[0]["author"], &notes[0]["text"]), (&"olga".into(), &"asked the bank".into()));
    assert_eq!(shell(&server, &["action", "show", &id])["notes"][0]["text"], "asked the bank");
    assert_eq!(shell(&server, &["action", "assign", &id, "--nobody"])["assignee"], serde_json::Value::Null);
    let unknown = refused(&server, &["action", "assign", &id, "--to", "eve@shop.example"]);
    assert!(unknown.contains("no active operator"), "{unknown}");
    assert!(refused(&server, &["action", "assign", &id]).contains("--to"));
    assert!(refused(&server, &["action", "note", &id, " "]).contains("must not be empty"));
    shell(&server, &["action", "resolve", &id, "dismiss"]);
    for late in [["assign", &id, "--nobody"], ["note", &id, "too late"]] {
        let said = refused(&server, &[&["action"], &late[..]].concat());
        assert!(said.contains("already resolved"), "{said}");
    }
}
