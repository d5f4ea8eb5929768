//! Translates the detail of an audit line for the reader. The audit log stores one wording for all readers; a
//! detail that is not recognized is shown as it is.

use crate::{
    console::{
        actions::view::decision_word,
        audit::view::{person, reason},
        setups::view::setup_name,
        vendors::view as vendors,
    },
    fiscal_settings::summary,
    pages::Zone,
};
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    method::Method,
    time::Timestamp,
    transaction::{ActionKind, Resolution},
    user::Role,
};
use till_service::{registry::ProviderKind, web::words::Words};

/// The fields of a vendor's settings: the name in the audit log, and the translation key.
pub const FIELDS: [(&str, &str); 8] = [
    ("callback URL", "settings-callback-url"),
    ("return URL", "settings-return-url"),
    ("contact e-mail", "settings-contact-email"),
    ("name", "settings-display-name"),
    ("time zone", "settings-time-zone"),
    ("language", "settings-language"),
    ("copy of receipts", "settings-receipt-copy"),
    ("events", "settings-events"),
];

/// The detail of a line, translated.
pub fn translate_detail(event: AuditEvent, detail: &str, t: &Words, zone: &Zone) -> String {
    let words = match event {
        AuditEvent::SandboxOn | AuditEvent::SandboxOff => sandbox_request(detail, t),
        AuditEvent::SecretRevealed | AuditEvent::CredentialsSeen => environment(detail, t),
        AuditEvent::SecretRotated => rotated(detail, t, zone),
        AuditEvent::UserCreated | AuditEvent::RoleChanged => Role::parse(detail).map(|role| t.role(&role)),
        AuditEvent::LinkMade if matches!(detail, "invitation" | "reset") => {
            Some(t.text(&format!("detail-link-{detail}")))
        }
        AuditEvent::SettingsChanged => settings(detail, t),
        AuditEvent::ActionResolved => resolved(detail, t),
        AuditEvent::ActionAssigned => assigned(detail, t),
        AuditEvent::ActionNoted => in_environment(detail, " action ", t),
        AuditEvent::SessionExpired => in_environment(detail, " session ", t),
        AuditEvent::RefundRequested
        | AuditEvent::RefundSent
        | AuditEvent::RefundGivenUp
        | AuditEvent::RefundConfirmed => refunded(detail, t),
        AuditEvent::ReconciliationRequested => reconciled(detail, t),
        AuditEvent::CallbackResent => resent(detail, t, zone),
        AuditEvent::ProductsImported | AuditEvent::CategoriesImported => imported(detail, t),
        AuditEvent::LoginFailed
        | AuditEvent::CodeFailed
        | AuditEvent::PasswordFailed
        | AuditEvent::AccessRefused => Some(failed(detail, t)),
        _ => None,
    };
    words.unwrap_or_else(|| detail.to_owned())
}

/// A failure or refusal, with the number of others since the line before.
fn failed(detail: &str, t: &Words) -> String {
    let (what, more) = match detail.strip_suffix(" more since the last line") {
        Some(rest) => rest.rsplit_once("; ").unwrap_or(("", rest)),
        None => (detail, ""),
    };
    let what = match what.rsplit_once(": ") {
        Some((path, "the form is from another site")) => format!("{path}: {}", t.text("detail-other-site")),
        Some((path, "the form is not from this log-in")) => {
            format!("{path}: {}", t.text("detail-other-login"))
        }
        Some((path, "the role does not allow it")) => format!("{path}: {}", t.text("detail-role")),
        _ if what == "not an e-mail address" => t.text("detail-no-email"),
        _ => what.to_owned(),
    };
    let more = more.parse::<u64>().ok().map(|more| t.count("detail-more", &more));
    [Some(what).filter(|what| !what.is_empty()), more].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// A provider and the days that were to be compared.
fn reconciled(detail: &str, t: &Words) -> Option<String> {
    let (provider, days) = detail.split_once(", ")?;
    let (kind, (first, last)) = (ProviderKind::parse(provider)?, days.split_once(" to ")?);
    let days = [("from", first.into()), ("to", last.into()), ("what", setup_name(kind, t).into())];
    Some(t.fill("detail-days", days))
}

fn refunded(detail: &str, t: &Words) -> Option<String> {
    let (place, (amount, session)) = match detail.split_once(" of sandbox session ") {
        Some(parts) => (format!("{}: ", environment("sandbox", t)?), parts),
        None => (String::new(), detail.split_once(" of session ")?),
    };
    Some(place + &t.with_two("detail-refund", ("amount", amount), ("session", session)))
}

fn sandbox_request(detail: &str, t: &Words) -> Option<String> {
    let SandboxRequest { by, why } = SandboxRequest::parse(detail)?;
    let (by, why) = (person(&by, t), reason(&why, t));
    Some(t.with_two("detail-asked", ("who", &by), ("why", &why)))
}

fn environment(word: &str, t: &Words) -> Option<String> {
    matches!(word, "live" | "sandbox").then(|| t.text(word))
}

fn rotated(detail: &str, t: &Words, zone: &Zone) -> Option<String> {
    let (word, until) = detail.split_once(", the old one until ")?;
    let until = t.moment_in(&Timestamp::parse(until)?, zone).text;
    Some(t.with_two("detail-rotated", ("environment", &environment(word, t)?), ("until", &until)))
}

fn settings(detail: &str, t: &Words) -> Option<String> {
    if detail == "nothing new" {
        return Some(t.text("detail-nothing-new"));
    }
    if let Some(list) = detail.strip_prefix("methods: ") {
        let chosen = if list == "all" { None } else { Some(Method::parse_list(list).ok()?) };
        return Some(format!("{}: {}", t.text("methods"), vendors::methods(chosen.as_deref(), t)));
    }
    if let Some(line) = detail.strip_prefix("fiscal receipts: ") {
        return Some(format!("{}: {}", t.text("fiscal-heading"), summary::text(&summary::parse(line)?, t)));
    }
    let (mut rest, mut changes) = (detail, Vec::new());
    while !rest.is_empty() {
        let (name, key) = FIELDS.iter().find(|(name, _)| rest.starts_with(&format!("{name}: \"")))?;
        let (old, after) = quoted(rest.get(name.len() + 2..)?)?;
        let (new, after) = quoted(after.strip_prefix(" → ")?)?;
        let value = |text: &str| match (*name, text) {
            ("copy of receipts", "\"on\"") => t.text("state-on"),
            ("copy of receipts", "\"off\"") => t.text("state-off"),
            _ => text.to_owned(),
        };
        changes.push(format!("{}: {} → {}", t.text(key), value(old), value(new)));
        rest = if after.is_empty() { "" } else { after.strip_prefix("; ")? };
    }
    Some(changes.join("; "))
}

/// The decision about the money of a session.
fn resolved(detail: &str, t: &Words) -> Option<String> {
    let (word, rest) = detail.split_once(", ")?;
    let (kind, rest) = rest.split_once(" money of ")?;
    let (place, session) = rest.split_once(" session ")?;
    let kind = ActionKind::parse(kind)?;
    let decision = t.text(&format!("decided-{}", decision_word(kind, Resolution::parse(word)?)));
    let why = t.text(&format!("need-{}", kind.as_str()));
    let place = environment(place, t)?;
    let session_text = t.with_two("detail-resolved", ("environment", &place), ("session", session));
    Some(format!("{decision}. {why}. {session_text}"))
}

/// The operator to which an action was assigned, and the action.
fn assigned(detail: &str, t: &Words) -> Option<String> {
    let (whom, rest) = detail.strip_prefix("to ")?.split_once(", ")?;
    let whom = if whom == "nobody" { t.text("work-nobody") } else { whom.to_owned() };
    Some(format!("{whom}. {}", in_environment(rest, " action ", t)?))
}

fn in_environment(detail: &str, what: &str, t: &Words) -> Option<String> {
    let (place, id) = detail.split_once(what)?;
    Some(t.with_two("detail-callback", ("environment", &environment(place, t)?), ("id", id)))
}

/// The callbacks that were sent again: one by its id, or how many and since when.
fn resent(detail: &str, t: &Words, zone: &Zone) -> Option<String> {
    if let Some(one) = in_environment(detail, " callback ", t) {
        return Some(one);
    }
    let (count, rest) = detail.split_once(" undelivered ")?;
    let (place, since) = rest.split_once(" callbacks")?;
    let callbacks =
        format!("{}: {}", environment(place, t)?, t.count("detail-callbacks", &count.parse().ok()?));
    if since.is_empty() {
        return Some(callbacks);
    }
    let since = t.moment_in(&Timestamp::parse(since.strip_prefix(" since ")?)?, zone).text;
    Some(t.with_two("detail-since", ("what", &callbacks), ("since", &since)))
}

fn imported(detail: &str, t: &Words) -> Option<String> {
    let (added, rest) = detail.split_once(" added, ")?;
    let changed = rest.strip_suffix(" changed")?;
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    (is_number(added) && is_number(changed))
        .then(|| t.with_two("detail-imported", ("added", added), ("changed", changed)))
}

/// Splits off a quoted text at the start.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return text.split_at_checked(at + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Language;

    fn check(event: AuditEvent, detail: &str, english: &str, russian: &str) {
        for (language, expected) in [(Language::English, english), (Language::Russian, russian)] {
            assert_eq!(
                translate_detail(event, detail, &Words { language }, &Zone::ahead(180)),
                expected,
                "{detail}"
            );
        }
    }

    #[test]
    fn details_are_translated_for_the_reader() {
        check(AuditEvent::SecretRevealed, "live", "Live", "Боевой режим");
        check(AuditEvent::CredentialsSeen, "sandbox", "Sandbox", "Песочница");
        check(AuditEvent::UserCreated, "vendor_admin", "Vendor", "Продавец");
        check(AuditEvent::LinkMade, "reset", "For a new password", "Для нового пароля");
        check(
            AuditEvent::SettingsChanged,
            "methods: all",
            "Methods: All methods",
            "Способы оплаты: Все способы",
        );
        check(
            AuditEvent::SettingsChanged,
            "fiscal receipts: required, tax system osn, VAT 22/122, mode full_prepayment, at most 80 items",
            "Fiscal receipts: Required in rubles; Tax system: General (OSN); Default VAT rate: VAT 22/122; Default payment mode: \
             Full prepayment; Maximum number of lines: 80",
            "Чеки по 54-ФЗ: Обязательны для рублей; Система налогообложения: Общая (ОСН); Ставка НДС по умолчанию: НДС 22/122; \
             Способ расчёта по умолчанию: Полная предоплата; Максимум строк в чеке: 80",
        );
        let strange = "fiscal receipts: required, VAT 18";
        check(AuditEvent::SettingsChanged, strange, strange, strange);
        check(AuditEvent::SettingsChanged, "nothing new", "No changes", "Ничего нового");
        check(
            AuditEvent::SettingsChanged,
            r#"name: "A" → "B"; copy of receipts: "off" → "on""#,
            "Name: \"A\" → \"B\"; Receipts: Off → On",
            "Название: \"A\" → \"B\"; Квитанции: Выключено → Включено",
        );
        let english = "Requested by ada@shop.example: a try";
        check(
            AuditEvent::SandboxOn,
            "asked by ada@shop.example: a try",
            english,
            "Запрос от: ada@shop.example. a try",
        );
        let by_default = "asked by the operator: on from the start";
        let russian = "Запрос от: Оператор. Включена с самого начала";
        check(AuditEvent::SandboxOn, by_default, "Requested by The operator: On from the start", russian);
        let rotated = "sandbox, the old one until 2026-11-15T12:00:00.000Z";
        let words = translate_detail(
            AuditEvent::SecretRotated,
            rotated,
            &Words { language: Language::English },
            &Zone::ahead(180),
        );
        assert!(words.starts_with("Sandbox; the old one works until") && words.contains("15:00"), "{words}");
    }

    #[test]
    fn details_of_decisions_callbacks_and_imports_are_translated_too() {
        check(AuditEvent::RoleChanged, "vendor_viewer", "Viewer", "Наблюдатель");
        check(
            AuditEvent::ActionResolved,
            "refund, mismatch money of live session s1",
            "Refund to the customer. The payment doesn’t match the session. Live, session s1",
            "Возврат покупателю. Платёж не совпадает с ожидаемым. Боевой режим, сессия s1",
        );
        let assigned = "to ann@till.example, live action a1";
        let english = "ann@till.example. Live: a1";
        check(AuditEvent::ActionAssigned, assigned, english, "ann@till.example. Боевой режим: a1");
        let released = "to nobody, sandbox action a1";
        check(AuditEvent::ActionAssigned, released, "Unassigned. Sandbox: a1", "Не назначен. Песочница: a1");
        check(AuditEvent::ActionNoted, "live action a1", "Live: a1", "Боевой режим: a1");
        check(AuditEvent::SessionExpired, "sandbox session s1", "Sandbox: s1", "Песочница: s1");
        check(
            AuditEvent::RefundRequested,
            "10.00 RUB of session s1",
            "10.00 RUB of session s1",
            "10.00 RUB по сессии s1",
        );
        let sandbox = "10.00 RUB of sandbox session s1";
        let russian = "Песочница: 10.00 RUB по сессии s1";
        check(AuditEvent::RefundRequested, sandbox, "Sandbox: 10.00 RUB of session s1", russian);
        let days = "stripe, 2026-11-01 to 2026-11-07";
        let russian = "Stripe: с 2026-11-01 по 2026-11-07";
        check(AuditEvent::ReconciliationRequested, days, "Stripe: 2026-11-01 to 2026-11-07", russian);
        check(AuditEvent::CallbackResent, "live callback e1", "Live: e1", "Боевой режим: e1");
        let many = "5 undelivered sandbox callbacks";
        check(AuditEvent::CallbackResent, many, "Sandbox: 5 undelivered", "Песочница: 5 недоставленных");
        let since = format!("{many} since 2026-11-15T12:00:00.000Z");
        let words = translate_detail(
            AuditEvent::CallbackResent,
            &since,
            &Words { language: Language::English },
            &Zone::ahead(180),
        );
        assert!(words.starts_with("Sandbox: 5 undelivered, since ") && words.contains("15:00"), "{words}");
        let russian = "Добавлено: 2, изменено: 3";
        check(AuditEvent::ProductsImported, "2 added, 3 changed", "2 added, 3 changed", russian);
        check(AuditEvent::CategoriesImported, "2 added, 3 changed", "2 added, 3 changed", russian);
        for event in [
            AuditEvent::ActionResolved,
            AuditEvent::ActionAssigned,
            AuditEvent::ActionNoted,
            AuditEvent::ReconciliationRequested,
            AuditEvent::CallbackResent,
            AuditEvent::ProductsImported,
            AuditEvent::RoleChanged,
        ] {
            for strange in
                ["", "x", "refund, x money of live session s", "x added, 1 changed", "x callback y"]
            {
                check(event, strange, strange, strange);
            }
        }
    }

    #[test]
    fn settings_are_named_and_what_people_typed_stays() {
        let detail = r#"callback URL: "" → "https://x.example/; name: \"a\" → \"b\""; name: "A \\" → "B""#;
        let english = r#"Callback URL: "" → "https://x.example/; name: \"a\" → \"b\""; Name: "A \\" → "B""#;
        assert_eq!(
            translate_detail(
                AuditEvent::SettingsChanged,
                detail,
                &Words { language: Language::English },
                &Zone::ahead(0)
            ),
            english
        );
        for strange in ["", "callback URL: ", "callback URL: \"", "name: \"a\" → \"b\"; x", "price: \"1\""]
        {
            check(AuditEvent::SettingsChanged, strange, strange, strange);
        }
        check(AuditEvent::VendorCreated, "live", "live", "live");
    }
}
