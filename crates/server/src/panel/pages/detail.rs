//! What a line of the audit log says beside its deed, in the reader's words. The log keeps one wording for all
//! readers; what is not understood is shown as it is.

use super::{
    Zone,
    audit::{person, reason},
    vendors,
};
use crate::web::words::Words;
use till_domain::{
    audit::{Asked, Deed},
    method::Method,
    time::Timestamp,
    user::Role,
};

/// The fields of a vendor's settings: how the log calls them, and the key of their name.
pub(in crate::panel) const FIELDS: [(&str, &str); 6] = [
    ("callback URL", "settings-callback-url"),
    ("return URL", "settings-return-url"),
    ("contact e-mail", "settings-contact-email"),
    ("name", "settings-display-name"),
    ("time zone", "settings-time-zone"),
    ("language", "settings-language"),
];

/// The detail of a line in words.
pub(super) fn told(deed: Deed, detail: &str, t: &Words, zone: &Zone) -> String {
    let words = match deed {
        Deed::SandboxOn | Deed::SandboxOff => asked(detail, t),
        Deed::SecretRevealed | Deed::CredentialsSeen => environment(detail, t),
        Deed::SecretRotated => rotated(detail, t, zone),
        Deed::UserCreated => Role::parse(detail).map(|role| t.role(&role)),
        Deed::LinkMade if matches!(detail, "invitation" | "reset") => {
            Some(t.text(&format!("detail-link-{detail}")))
        }
        Deed::SettingsChanged => settings(detail, t),
        _ => None,
    };
    words.unwrap_or_else(|| detail.to_owned())
}

fn asked(detail: &str, t: &Words) -> Option<String> {
    let Asked { by, why } = Asked::parse(detail)?;
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
    let (mut rest, mut told) = (detail, Vec::new());
    while !rest.is_empty() {
        let (name, key) = FIELDS.iter().find(|(name, _)| rest.starts_with(&format!("{name}: \"")))?;
        let (old, after) = quoted(rest.get(name.len() + 2..)?)?;
        let (new, after) = quoted(after.strip_prefix(" → ")?)?;
        told.push(format!("{}: {old} → {new}", t.text(key)));
        rest = if after.is_empty() { "" } else { after.strip_prefix("; ")? };
    }
    Some(told.join("; "))
}

/// A text in quotation marks at the start, and what follows.
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
    use crate::panel::pages::Language;

    fn check(deed: Deed, detail: &str, english: &str, russian: &str) {
        for (language, expected) in [(Language::English, english), (Language::Russian, russian)] {
            assert_eq!(told(deed, detail, &Words { language }, &Zone::ahead(180)), expected, "{detail}");
        }
    }

    #[test]
    fn details_are_told_in_the_readers_words() {
        check(Deed::SecretRevealed, "live", "Live", "Боевой режим");
        check(Deed::CredentialsSeen, "sandbox", "Sandbox", "Песочница");
        check(Deed::UserCreated, "vendor_admin", "Vendor", "Продавец");
        check(Deed::LinkMade, "reset", "For a new password", "Для нового пароля");
        check(Deed::SettingsChanged, "methods: all", "Methods: All methods", "Способы оплаты: Все способы");
        check(Deed::SettingsChanged, "nothing new", "Nothing new", "Ничего нового");
        let english = "Asked by ada@shop.example: a try";
        check(
            Deed::SandboxOn,
            "asked by ada@shop.example: a try",
            english,
            "Попросил(а) ada@shop.example: a try",
        );
        let by_default = "asked by the operator: on from the start";
        let russian = "Попросил(а) Оператор: Включена с самого начала";
        check(Deed::SandboxOn, by_default, "Asked by The operator: On from the start", russian);
        let rotated = "sandbox, the old one until 2026-11-15T12:00:00.000Z";
        let words =
            told(Deed::SecretRotated, rotated, &Words { language: Language::English }, &Zone::ahead(180));
        assert!(words.starts_with("Sandbox; the old one works until") && words.contains("15:00"), "{words}");
    }

    #[test]
    fn settings_are_named_and_what_people_typed_stays() {
        let detail = r#"callback URL: "" → "https://x.example/; name: \"a\" → \"b\""; name: "A \\" → "B""#;
        let english = r#"Callback URL: "" → "https://x.example/; name: \"a\" → \"b\""; Name: "A \\" → "B""#;
        assert_eq!(
            told(Deed::SettingsChanged, detail, &Words { language: Language::English }, &Zone::ahead(0)),
            english
        );
        for strange in ["", "callback URL: ", "callback URL: \"", "name: \"a\" → \"b\"; x", "price: \"1\""]
        {
            check(Deed::SettingsChanged, strange, strange, strange);
        }
        check(Deed::VendorCreated, "live", "live", "live");
    }
}
