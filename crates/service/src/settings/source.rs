//! The source of a setting's text: the environment, else the file, else the default.

use super::{
    SettingError,
    table::{SETTINGS, Setting},
};
use std::{collections::HashMap, path::Path};
use till_domain::text::quoted_key;

/// A setting that is not at its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSetting {
    pub key: &'static str,
    /// Its text; `None` for a secret.
    pub value: Option<String>,
}

/// The texts of all settings that were given.
#[derive(Debug)]
pub struct Source {
    /// The file's name, for messages.
    file: String,
    from_file: HashMap<String, String>,
    variables: HashMap<String, String>,
}

impl Source {
    /// Reads the file, if one is named, and keeps the variables with our prefix.
    pub fn load(
        file: Option<&Path>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SettingError> {
        let variables = variables.into_iter().filter(|(name, _)| name.starts_with("TILL_")).collect();
        let from_file = file.map(read_file).transpose()?.unwrap_or_default();
        let file = file.map_or_else(String::new, |path| path.display().to_string());
        Ok(Self { file, from_file, variables })
    }

    /// The text of a setting that has a default; an empty text counts as missing.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        self.value(key).filter(|text| !text.is_empty()).or(setting(key).default).unwrap_or("")
    }

    /// A setting that has a default.
    pub fn read<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, SettingError> {
        parse(self.text(key)).map_err(|problem| self.error(key, problem))
    }

    /// A setting that may be missing; an empty text counts as missing.
    pub fn read_optional<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingError> {
        let text = self.value(key).filter(|text| !text.is_empty());
        text.map(parse).transpose().map_err(|problem| self.error(key, problem))
    }

    /// An error about a setting, named by the variable or file that set it.
    #[must_use]
    pub fn error(&self, key: &str, problem: String) -> SettingError {
        let variable = setting(key).variable();
        let in_file = !self.variables.contains_key(&variable) && self.from_file.contains_key(key);
        let name = if in_file { format!("{key} in {}", self.file) } else { variable };
        SettingError { name, problem }
    }

    /// Settings that were given and differ from their defaults. A secret's value is left out.
    #[must_use]
    pub fn changed(&self) -> Vec<ChangedSetting> {
        let changed = SETTINGS.iter().filter_map(|setting| {
            let text = self.value(setting.key).filter(|text| !text.is_empty())?;
            (setting.default != Some(text)).then(|| ChangedSetting {
                key: setting.key,
                value: (!setting.secret).then(|| text.to_owned()),
            })
        });
        changed.collect()
    }

    /// A sentence about each variable with our prefix that is no setting.
    #[must_use]
    pub fn unknown_variables(&self) -> Vec<String> {
        let known = |name: &str| name == "TILL_CONFIG" || SETTINGS.iter().any(|s| s.variable() == name);
        let mut unknown: Vec<_> = self.variables.keys().filter(|name| !known(name)).collect();
        unknown.sort();
        let sentence = |name: &&String| {
            let hint = nearest(&name.to_ascii_lowercase()["till_".len()..]);
            let hint = hint.map_or_else(String::new, |s| format!("; did you mean {}?", s.variable()));
            format!("{name} is not a setting of this version and is ignored{hint}")
        };
        unknown.iter().map(sentence).collect()
    }

    fn value(&self, key: &str) -> Option<&str> {
        let variable = setting(key).variable();
        self.variables.get(&variable).or_else(|| self.from_file.get(key)).map(String::as_str)
    }
}

fn setting(key: &str) -> &'static Setting {
    let found = SETTINGS.iter().find(|setting| setting.key == key);
    found.unwrap_or_else(|| unreachable!("{key} is not in the table of settings"))
}

fn read_file(path: &Path) -> Result<HashMap<String, String>, SettingError> {
    let file = path.display();
    let error = |problem: String| SettingError { name: format!("the configuration file {file}"), problem };
    let text = std::fs::read_to_string(path).map_err(|reason| error(format!("cannot be read: {reason}")))?;
    let table: toml::Table = text.parse().map_err(|reason: toml::de::Error| {
        let line =
            reason.span().map(|span| text.bytes().take(span.start).filter(|b| *b == b'\n').count() + 1);
        let place = line.map_or_else(String::new, |line| format!(" at line {line}"));
        error(format!("is not TOML{place}: {}", reason.message().replace('\n', " ")))
    })?;
    let mut texts = HashMap::new();
    for (key, value) in table {
        if !SETTINGS.iter().any(|setting| setting.key == key) {
            let hint = nearest(&key).map_or_else(String::new, |s| format!("; did you mean {}?", s.key));
            let name = format!("{} in {file}", quoted_key(&key));
            return Err(SettingError { name, problem: format!("is not a setting{hint}") });
        }
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Boolean(_) | toml::Value::Integer(_) => value.to_string(),
            _ => {
                let name = format!("{key} in {file}");
                return Err(SettingError {
                    name,
                    problem: "must be a string in quotes, a number or true/false".to_owned(),
                });
            }
        };
        texts.insert(key, text);
    }
    Ok(texts)
}

/// The setting with the most similar key, for typing errors.
fn nearest(key: &str) -> Option<&'static Setting> {
    const SLIPS: usize = 3;
    let slips = |setting: &&Setting| strsim::damerau_levenshtein(key, setting.key);
    SETTINGS.iter().min_by_key(slips).filter(|setting| slips(setting) <= SLIPS)
}
