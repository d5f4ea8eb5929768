//! Every setting: its name, its default, its help, and its parser.
//!
//! A setting is a key of the configuration file and an environment variable `TILL_<KEY>`; the variable
//! overrides the file. A wrong value stops the start with a sentence that names the setting and says what to
//! write instead.

mod source;
mod table;
mod value;

pub use source::{ChangedSetting, Source};
pub use table::{SETTINGS, Setting};
pub use value::{duration_words, parse_duration};

use crate::{
    callbacks::TrafficLimits,
    limits::{Rate, Rates},
    listener::tls::TlsFiles,
    mail::{MailSettings, SmtpServer, parse_sender},
    registry::ProviderKind,
    telemetry::LogFormat,
    traces::OtlpOptions,
    vault::{MasterKey, Vault},
};
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use std::{
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use till_domain::{delivery::Schedule, method::Lifetimes, rules::RuleSettings};
use till_store::{DatabaseUrl, MAX_BUSY_HOSTS, StoreLocation};
use tracing_subscriber::EnvFilter;

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name} {problem}")]
pub struct SettingError {
    /// The variable, or the key and its file.
    pub name: String,
    /// The problem, and what to write instead.
    pub problem: String,
}

/// The settings of a service or a command.
#[derive(Debug)]
pub struct Settings {
    pub listen: SocketAddr,
    /// The certificate and its key, if the listener uses TLS.
    pub tls: Option<TlsFiles>,
    /// The address of the operator's listener for metrics, if there is one.
    pub metrics_listen: Option<SocketAddr>,
    /// Where traces are exported to; `None` if they are off.
    pub traces: Option<OtlpOptions>,
    /// The folder of the embedded store, and of the master key if that is nowhere else.
    pub data_dir: PathBuf,
    /// The place of the store.
    pub place: StoreLocation,
    /// The public address of the API, if it is not the listener's.
    pub base_url: Option<String>,
    /// The public address of the checkout pages, if it is not the API's.
    pub checkout_url: Option<String>,
    /// The settings that both environments' rules are made from.
    pub rules: RuleSettings,
    /// The rate limits of callers.
    pub rates: Rates,
    /// True if a vendor must have passed an endpoint check before it sees its live credentials.
    pub require_endpoint_check: bool,
    /// True if rate limits apply.
    pub rate_limits: bool,
    /// Networks of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The longest that a connection may be idle or stalled.
    pub client_timeout: Duration,
    pub max_connections: usize,
    /// Connections at once from one address.
    pub max_connections_per_address: usize,
    /// The lease: how long a node keeps work before another may take it over.
    pub lease: Duration,
    pub callbacks: CallbackSettings,
    /// The settings of mail, if mails are sent.
    pub mail: Option<MailSettings>,
    /// True if the simulated provider serves live sessions.
    pub simulator: bool,
    /// True if its card form is embedded in our page.
    pub simulator_embeds: bool,
    /// True if late money is refunded automatically.
    pub refund_late: bool,
    /// The retention of finished sandbox sessions; without it they are kept for ever.
    pub sandbox_retention: Option<Duration>,
    /// The retention of customers' personal data; without it it is kept for ever.
    pub personal_data_retention: Option<Duration>,
    /// The time of day in UTC at which providers are reconciled every night; `None` if they are not.
    pub reconcile_at: Option<Duration>,
    /// Set-up files of providers, which override the console.
    pub setup_files: Vec<(ProviderKind, PathBuf)>,
    /// True if operators need a second factor.
    pub operator_totp: bool,
    /// The contact for vendors' questions.
    pub support_contact: Option<String>,
    /// The terms of use that checkout pages link to.
    pub terms_url: Option<String>,
    /// The privacy policy that checkout pages link to.
    pub privacy_url: Option<String>,
    pub log_format: LogFormat,
    /// The filter of log levels.
    pub log: String,
    /// The settings that differ from their default.
    pub changed: Vec<ChangedSetting>,
    /// Warnings about accepted settings.
    pub warnings: Vec<String>,
    master_key: KeySource,
    previous_key: Option<KeySource>,
}

/// The settings of callbacks.
#[derive(Debug, Clone)]
pub struct CallbackSettings {
    /// The retry schedule after the first attempt.
    pub schedule: Schedule,
    /// The timeout of an attempt.
    pub timeout: Duration,
    /// Limits of callbacks in flight.
    pub limits: TrafficLimits,
    /// Root certificates to trust beside the machine's.
    pub roots: Option<PathBuf>,
    /// True if the start of a failed attempt's response is kept for the vendor. Not where callbacks may go to
    /// private addresses: there a vendor could read what is not meant for it.
    pub keep_responses: bool,
}

/// The source of the master key.
#[derive(Debug)]
enum KeySource {
    Given(SecretString),
    File { path: PathBuf, named: bool },
}

impl Settings {
    /// The set-up file of a provider, if there is one.
    #[must_use]
    pub fn setup_file(&self, kind: ProviderKind) -> Option<&Path> {
        self.setup_files.iter().find(|(other, _)| *other == kind).map(|(_, path)| path.as_path())
    }

    /// Loads the settings from a file, if one is named, and the environment.
    pub fn load(
        file: Option<&Path>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SettingError> {
        let source = Source::load(file, variables)?;
        let data_dir: PathBuf = source.text("data_dir").into();
        let rate_limits = source.read("rate_limits", value::switch)?;
        let mail = read_mail(&source)?;
        let settings = Self {
            listen: source.read("listen", value::address)?,
            tls: read_tls(&source)?,
            metrics_listen: source.read_optional("metrics_listen", value::address)?,
            traces: read_traces(&source)?,
            base_url: source.read_optional("base_url", value::public_url)?,
            checkout_url: source.read_optional("checkout_url", value::public_url)?,
            rules: read_rules(&source, mail.is_some())?,
            rates: read_rates(&source, rate_limits)?,
            require_endpoint_check: source.read("require_endpoint_check", value::switch)?,
            rate_limits,
            trusted_proxies: source.read("trusted_proxies", value::networks)?,
            client_timeout: source.read("client_timeout", value::lifetime)?,
            max_connections: source.read("max_connections", value::count)?,
            max_connections_per_address: source.read("max_connections_per_address", value::count)?,
            lease: source.read("lease", value::lease)?,
            callbacks: read_callbacks(&source)?,
            mail,
            simulator: source.read("simulator", value::switch)?,
            simulator_embeds: source.read("simulator_card", value::embedded)?,
            refund_late: source.read("refund_late", value::switch)?,
            sandbox_retention: source.read_optional("sandbox_retention", value::retention)?,
            personal_data_retention: source.read_optional("personal_data_retention", value::retention)?,
            reconcile_at: source.read("reconcile_at", value::time_of_day)?,
            setup_files: read_setup_files(&source)?,
            operator_totp: source.read("operator_totp", value::switch)?,
            support_contact: source.read_optional("support_contact", value::contact)?,
            terms_url: source.read_optional("terms_url", value::page_url)?,
            privacy_url: source.read_optional("privacy_url", value::page_url)?,
            log_format: source.read("log_format", value::log_format)?,
            log: source.read("log", value::log_filter)?,
            master_key: read_key_source(&source, &data_dir)?,
            previous_key: read_previous_key_source(&source)?,
            changed: source.changed(),
            warnings: source.unknown_variables(),
            place: match source.read_optional("database_url", DatabaseUrl::parse)? {
                Some(url) => StoreLocation::Server(url),
                None => StoreLocation::Folder(data_dir.clone()),
            },
            data_dir,
        };
        Ok(settings)
    }

    /// The setting that gives the place of the store, for messages.
    #[must_use]
    pub fn name_place(&self) -> String {
        match &self.place {
            StoreLocation::Folder(folder) => format!("TILL_DATA_DIR is {}", folder.display()),
            StoreLocation::Server(url) => format!("TILL_DATABASE_URL is {url}"),
        }
    }

    #[must_use]
    pub fn log_filter(&self) -> EnvFilter {
        EnvFilter::new(&self.log)
    }

    /// The master key. The error says how to make one.
    pub fn master_key(&self) -> Result<MasterKey, SettingError> {
        self.master_key.read("TILL_MASTER_KEY")
    }

    /// The vault with the master key, and with the previous one while the key is rotated.
    pub fn vault(&self) -> Result<Vault, SettingError> {
        const PREVIOUS: &str = "TILL_MASTER_KEY_PREVIOUS";
        let key = self.master_key()?;
        let previous = self.previous_key.as_ref().map(|source| source.read(PREVIOUS)).transpose()?;
        let vault = Vault::new(&key).with_previous(previous.as_ref());
        if vault.previous_key() == Some(vault.current_key()) {
            let problem =
                "is the same key as TILL_MASTER_KEY: remove it, or set TILL_MASTER_KEY to the new key";
            return Err(SettingError { name: PREVIOUS.to_owned(), problem: problem.to_owned() });
        }
        Ok(vault)
    }
}

impl KeySource {
    /// The key of the setting with this name, or with this name and `_FILE`.
    fn read(&self, setting: &str) -> Result<MasterKey, SettingError> {
        const MAKE_ONE: &str = "create one with: openssl rand -hex 32";
        let (path, named) = match self {
            Self::Given(text) => {
                let key = MasterKey::parse(text.expose_secret());
                return Ok(key.unwrap_or_else(|| unreachable!("it was read when the settings were")));
            }
            Self::File { path, named } => (path, *named),
        };
        let error = |problem: String| SettingError {
            name: if named { format!("{setting}_FILE") } else { setting.to_owned() },
            problem,
        };
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let is_open = is_open_to_others(path);
                let path = path.display();
                if is_open {
                    let advice = format!("run: chmod go= {path}");
                    return Err(error(format!(
                        "names {path}, which every user of this machine can read; {advice}"
                    )));
                }
                match MasterKey::parse(&text) {
                    Some(key) if key.is_trivial() => {
                        Err(error(format!("names {path}, which {}", value::TRIVIAL_KEY)))
                    }
                    Some(key) => Ok(key),
                    None => Err(error(format!(
                        "names {path}, which does not contain 64 hex digits or base64 of 32 bytes; {MAKE_ONE}"
                    ))),
                }
            }
            Err(reason) if named => {
                Err(error(format!("names {}, which cannot be read: {reason}", path.display())))
            }
            Err(_) => Err(error(format!(
                "is not set: set it to 64 hex digits or base64 of 32 bytes, or TILL_MASTER_KEY_FILE to a \
                 file that contains it; {MAKE_ONE}"
            ))),
        }
    }
}

/// True if every user of the machine can read a file, or users other than its owner can write to a folder.
#[must_use]
pub fn is_open_to_others(path: &Path) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    // Group access is allowed: this process may read a mounted secret by its group.
    let bits = if found.is_dir() { 0o022 } else { 0o004 };
    found.permissions().mode() & bits != 0
}

fn read_rules(source: &Source, mails: bool) -> Result<RuleSettings, SettingError> {
    let lifetimes = Lifetimes {
        card: source.read("lifetime_card", value::lifetime)?,
        sbp: source.read("lifetime_sbp", value::lifetime)?,
        crypto: source.read("lifetime_crypto", value::lifetime)?,
    };
    if lifetimes.crypto <= lifetimes.card {
        let problem =
            "must be longer than TILL_LIFETIME_CARD: a crypto session outlives a card session".to_owned();
        return Err(source.error("lifetime_crypto", problem));
    }
    let token_lifetime = source.read("token_lifetime", value::lifetime)?;
    if token_lifetime.subsec_millis() != 0 || token_lifetime < Duration::from_secs(1) {
        let problem =
            "must be a whole number of seconds, such as 1h: vendors get it as expires_in".to_owned();
        return Err(source.error("token_lifetime", problem));
    }
    let private_callbacks = source.read("allow_private_callbacks", value::switch)?;
    let settlement_delay = source.read("settlement_delay", value::delay)?;
    Ok(RuleSettings { lifetimes, token_lifetime, private_callbacks, settlement_delay, mails })
}

fn read_callbacks(source: &Source) -> Result<CallbackSettings, SettingError> {
    let settings = CallbackSettings {
        schedule: source.read("callback_retries", value::schedule)?,
        timeout: source.read("callback_timeout", value::attempt_timeout)?,
        limits: TrafficLimits {
            all: source.read("callback_limit", value::count)?,
            vendor: source.read("callback_limit_vendor", value::count)?,
            host: source.read("callback_limit_host", value::count)?,
        },
        roots: source.read_optional("callback_roots", |path| Ok(path.into()))?,
        keep_responses: !source.read("allow_private_callbacks", value::switch)?,
    };
    // Otherwise a vendor could reach its limit at more hosts than one query can exclude.
    let least = settings.limits.vendor.min(settings.limits.all).div_ceil(MAX_BUSY_HOSTS);
    if settings.limits.host < least {
        let limit = settings.limits.host;
        let problem = format!(
            "is {limit}: use at least {least}, TILL_CALLBACK_LIMIT_VENDOR divided by {MAX_BUSY_HOSTS}"
        );
        return Err(source.error("callback_limit_host", problem));
    }
    Ok(settings)
}

fn read_mail(source: &Source) -> Result<Option<MailSettings>, SettingError> {
    let server = source.read_optional("smtp_url", SmtpServer::parse)?;
    let from = source.read_optional("mail_from", parse_sender)?;
    let roots = source.read_optional("smtp_roots", |path| Ok(path.into()))?;
    match (server, from) {
        (Some(server), Some(from)) => Ok(Some(MailSettings { server, from, roots })),
        (None, None) => Ok(None),
        (Some(_), None) => {
            let problem = "is set, but TILL_MAIL_FROM is not: set it to the sender address of emails";
            Err(source.error("smtp_url", problem.to_owned()))
        }
        (None, Some(_)) => {
            let problem = "is set, but TILL_SMTP_URL is not: set it to your mail server, or unset both";
            Err(source.error("mail_from", problem.to_owned()))
        }
    }
}

fn read_rates(source: &Source, on: bool) -> Result<Rates, SettingError> {
    let read = |key| source.read(key, value::rate).map(|rate| if on { rate } else { Rate::OFF });
    Ok(Rates {
        create: read("rate_limit_create")?,
        status: read("rate_limit_status")?,
        token: read("rate_limit_token")?,
        failed_tries: read("rate_limit_failed_tries")?,
        failed_tries_address: read("rate_limit_failed_tries_address")?,
        checks: read("rate_limit_endpoint_checks")?,
        attempts_address: read("rate_limit_attempts_address")?,
        attempts_vendor: read("rate_limit_attempts_vendor")?,
        attempts_session: source.read("max_attempts_per_session", value::count)?,
    })
}

fn read_traces(source: &Source) -> Result<Option<OtlpOptions>, SettingError> {
    let headers = source.read_optional("otlp_headers", value::headers)?.unwrap_or_default();
    let endpoint = source.read_optional("otlp_endpoint", value::page_url)?;
    Ok(endpoint.map(|endpoint| OtlpOptions { endpoint, headers }))
}

fn read_setup_files(source: &Source) -> Result<Vec<(ProviderKind, PathBuf)>, SettingError> {
    let mut files = Vec::new();
    for (kind, key) in [
        (ProviderKind::Yookassa, "yookassa_file"),
        (ProviderKind::Tbank, "tbank_file"),
        (ProviderKind::Stripe, "stripe_file"),
        (ProviderKind::Evm, "evm_file"),
    ] {
        let path = source.read_optional(key, |path| Ok(PathBuf::from(path)))?;
        files.extend(path.map(|path| (kind, path)));
    }
    Ok(files)
}

fn read_tls(source: &Source) -> Result<Option<TlsFiles>, SettingError> {
    let path = |key| source.read_optional(key, |path| Ok(PathBuf::from(path)));
    let alone = |key, other: &str| {
        let advice = "set both, or neither if a proxy has the certificate";
        source.error(key, format!("is set, but {other} is not: {advice}"))
    };
    match (path("tls_cert")?, path("tls_key")?) {
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(alone("tls_cert", "TILL_TLS_KEY")),
        (None, Some(_)) => Err(alone("tls_key", "TILL_TLS_CERT")),
    }
}

fn read_previous_key_source(source: &Source) -> Result<Option<KeySource>, SettingError> {
    if let Some(key) = source.read_optional("master_key_previous", value::master_key)? {
        return Ok(Some(KeySource::Given(key)));
    }
    let file = source.read_optional("master_key_previous_file", |path| Ok(PathBuf::from(path)))?;
    Ok(file.map(|path| KeySource::File { path, named: true }))
}

fn read_key_source(source: &Source, data_dir: &Path) -> Result<KeySource, SettingError> {
    if let Some(key) = source.read_optional("master_key", value::master_key)? {
        return Ok(KeySource::Given(key));
    }
    Ok(match source.read_optional("master_key_file", |path| Ok(PathBuf::from(path)))? {
        Some(path) => KeySource::File { path, named: true },
        None => KeySource::File { path: data_dir.join("master.key"), named: false },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::{bytes_target, repeats};

    fn load(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let variables = variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Settings::load(None, variables)
    }

    #[test]
    fn without_any_setting_the_defaults_hold() {
        let settings = load(&[]).expect("the defaults are good");
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.rules.lifetimes, Lifetimes::default());
        assert_eq!(settings.rules.token_lifetime, Duration::from_secs(3600));
        assert_eq!(settings.rules.settlement_delay, Duration::ZERO);
        assert!(!settings.rules.private_callbacks && !settings.simulator && settings.rate_limits);
        assert!(!settings.refund_late, "a person decides");
        assert_eq!(settings.sandbox_retention, None, "nothing is deleted");
        assert_eq!(settings.rates.create.to_string(), "100/s burst 200");
        assert_eq!(settings.rates.status.to_string(), "300/s burst 600");
        assert_eq!(settings.rates.token.to_string(), "10/s burst 30");
    }

    #[test]
    fn a_file_that_is_not_toml_names_the_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("till.toml");
        std::fs::write(&file, "listen = \"127.0.0.1:8080\"\n\nsimulator = = true\n").expect("written");
        let error = Settings::load(Some(&file), []).expect_err("refused").to_string();
        assert!(error.contains("is not TOML at line 3: "), "{error}");
    }

    #[test]
    fn a_wrong_setting_names_itself_and_its_remedy() {
        for (name, value, remedy) in [
            ("TILL_LISTEN", "here", "127.0.0.1:8080"),
            ("TILL_SANDBOX_RETENTION", "23h", "from 1d to 3650d"),
            ("TILL_SANDBOX_RETENTION", "a while", "from 1d to 3650d"),
            ("TILL_TLS_CERT", "/etc/cert.pem", "TILL_TLS_KEY is not: set both"),
            ("TILL_TLS_KEY", "/etc/key.pem", "TILL_TLS_CERT is not: set both"),
            ("TILL_METRICS_LISTEN", "9090", "127.0.0.1:8080"),
            ("TILL_BASE_URL", "shop.example", "https://"),
            ("TILL_CHECKOUT_URL", "https://pay.example/?a=b", "https://"),
            ("TILL_CHECKOUT_URL", "https:pay.example", "https://"),
            ("TILL_CHECKOUT_URL", "https://:secret@pay.example", "https://"),
            ("TILL_TOKEN_LIFETIME", "soon", "15m, 30s or 250ms"),
            ("TILL_TOKEN_LIFETIME", "1500ms", "whole number of seconds"),
            ("TILL_LIFETIME_CARD", "15", "15m, 30s or 250ms"),
            ("TILL_LIFETIME_CARD", "0s", "longer than 0"),
            ("TILL_LIFETIME_CRYPTO", "15m", "longer than TILL_LIFETIME_CARD"),
            ("TILL_ALLOW_PRIVATE_CALLBACKS", "maybe", "true or false"),
            ("TILL_RATE_LIMITS", "some", "true or false"),
            ("TILL_RATE_LIMIT_CREATE", "fast", "100/s burst 200"),
            ("TILL_TRUSTED_PROXIES", "proxy", "10.0.0.0/8"),
            ("TILL_SIMULATOR", "2", "true or false"),
            ("TILL_REFUND_LATE", "sometimes", "true or false"),
            ("TILL_CLIENT_TIMEOUT", "0s", "longer than 0"),
            ("TILL_MAX_CONNECTIONS", "0", "from 1 to 1000000"),
            ("TILL_MAX_CONNECTIONS_PER_ADDRESS", "many", "from 1 to 1000000"),
            ("TILL_CALLBACK_RETRIES", "30s,20s", "each later than the one before"),
            ("TILL_CALLBACK_RETRIES", "soon", "30s,2m,5m"),
            ("TILL_CALLBACK_TIMEOUT", "26s", "at most 25s"),
            ("TILL_CALLBACK_TIMEOUT", "10", "write a unit, such as 10s"),
            ("TILL_CALLBACK_LIMIT", "0", "from 1 to 1000000"),
            ("TILL_CALLBACK_LIMIT_HOST", "15", "at least 16"),
            ("TILL_SMTP_URL", "mail.example", "smtp://USER:PASSWORD@HOST:587"),
            ("TILL_SMTP_URL", "smtp://till:secret@mail.example", "TILL_MAIL_FROM is not"),
            ("TILL_SMTP_URL", "smtp://till:secret@mail.example?tls=none", "unencrypted"),
            ("TILL_MAIL_FROM", "till", "till@example.com"),
            ("TILL_MAIL_FROM", "till@example.com", "TILL_SMTP_URL is not"),
            ("TILL_LEASE", "31s", "from 1s to 30s"),
            ("TILL_LEASE", "1ms", "from 1s to 30s"),
            ("TILL_LOG_FORMAT", "xml", "text or json"),
            ("TILL_LOG", "till=loud", "info"),
            ("TILL_MASTER_KEY", "secret", "openssl rand -hex 32"),
            ("TILL_DATABASE_URL", "mysql://till:secret@db/till", "postgres://USER:PASSWORD@HOST"),
            ("TILL_DATABASE_URL", "postgres://till:secret@db/till?sslmode=verify-ca", "verify-full"),
        ] {
            let error = load(&[(name, value)]).expect_err("refused").to_string();
            assert!(error.starts_with(name) && error.contains(remedy), "{error}");
            assert!(!error.contains('\n'), "one sentence: {error}");
            let secret = ["TILL_MASTER_KEY", "TILL_DATABASE_URL", "TILL_SMTP_URL"].contains(&name);
            assert!(!secret || !error.contains("secret"), "a secret is never shown: {error}");
        }
    }

    #[test]
    fn public_addresses_are_kept_in_their_plain_form() {
        for url in [" https://pay.example ", "HTTPS://Pay.Example/", "https://pay.example:443"] {
            let settings = load(&[("TILL_BASE_URL", url)]).expect("good settings");
            assert_eq!(settings.base_url.as_deref(), Some("https://pay.example"), "{url}");
        }
    }

    #[test]
    fn a_missing_master_key_says_how_to_make_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("a path of text");
        let without = load(&[("TILL_DATA_DIR", path)]).expect("settings");
        let error = without.master_key().expect_err("no key").to_string();
        assert!(error.starts_with("TILL_MASTER_KEY is not set") && error.contains("openssl rand"), "{error}");
        let file = folder.path().join("master.key");
        let with = load(&[("TILL_DATA_DIR", path)]).expect("settings");
        for (mode, key, problem) in [
            (0o600, "0123456789abcdef".repeat(4), None),
            (
                0o644,
                "0123456789abcdef".repeat(4),
                Some("which every user of this machine can read; run: chmod go= "),
            ),
            (0o640, "0123456789abcdef".repeat(4), None),
            (0o600, "ab".repeat(32), Some("which contains a key that can be guessed")),
        ] {
            std::fs::write(&file, key).expect("a key file");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
            let message = with.master_key().err().map(|error| error.to_string());
            assert_eq!(message.is_some(), problem.is_some(), "{message:?}");
            assert!(message.unwrap_or_default().contains(problem.unwrap_or_default()), "{mode:o}");
        }
        let named = load(&[("TILL_MASTER_KEY_FILE", "/nowhere/at/all")]).expect("settings");
        let error = named.master_key().expect_err("no file").to_string();
        assert!(error.starts_with("TILL_MASTER_KEY_FILE names /nowhere/at/all"), "{error}");
    }

    #[test]
    fn the_file_is_read_and_the_environment_wins() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(
            file.path(),
            "listen = \"127.0.0.1:9000\"\nlifetime_card = \"5m\"\nsimulator = true\n",
        )
        .expect("written");
        let variables = [("TILL_LISTEN".to_owned(), "127.0.0.1:9001".to_owned())];
        let settings = Settings::load(Some(file.path()), variables).expect("good settings");
        assert_eq!(settings.listen.port(), 9001);
        assert_eq!(settings.rules.lifetimes.card, Duration::from_secs(300));
        assert!(settings.simulator);
        std::fs::write(file.path(), "lifetime_crad = \"5m\"\n").expect("written");
        let error = Settings::load(Some(file.path()), []).expect_err("a typo").to_string();
        assert!(
            error.starts_with("`lifetime_crad`") && error.contains("did you mean lifetime_card"),
            "{error}"
        );
        std::fs::write(file.path(), "listen = [1]\n").expect("written");
        let error = Settings::load(Some(file.path()), []).expect_err("a list").to_string();
        assert!(error.starts_with("listen in "), "{error}");
        std::fs::write(file.path(), "listen = \n").expect("written");
        assert!(Settings::load(Some(file.path()), []).is_err());
    }

    #[test]
    fn what_is_not_at_its_default_is_known_and_no_secret_is() {
        assert!(
            load(&[("TILL_LISTEN", "127.0.0.1:8080"), ("TILL_BASE_URL", "")])
                .expect("good")
                .changed
                .is_empty()
        );
        let key = "0123456789abcdef".repeat(4);
        let variables = [
            ("TILL_LIFETIME_CARD", "5m"),
            ("TILL_MASTER_KEY", key.as_str()),
            ("TILL_DATABASE_URL", "postgres://till:secret@db/till"),
            ("TILL_SMTP_URL", "smtp://till:secret@mail.example"),
            ("TILL_MAIL_FROM", "till@example.com"),
        ];
        let changed = load(&variables).expect("good settings").changed;
        let named: Vec<_> = changed.iter().map(|setting| (setting.key, setting.value.as_deref())).collect();
        assert_eq!(
            named,
            [
                ("database_url", None),
                ("master_key", None),
                ("lifetime_card", Some("5m")),
                ("smtp_url", None),
                ("mail_from", Some("till@example.com")),
            ]
        );
    }

    #[test]
    fn a_variable_that_is_no_setting_is_reported() {
        let settings = load(&[("TILL_LIFETIME_CRAD", "5m"), ("PATH", "/bin")]).expect("started all the same");
        assert_eq!(settings.warnings.len(), 1);
        assert!(settings.warnings[0].contains("did you mean TILL_LIFETIME_CARD"), "{:?}", settings.warnings);
    }

    #[test]
    fn f26_configuration_file() {
        let secrets = ["s3c1r9e7t5k2e8y4", "0123456789abcdef0123456789abcdef"];
        let seed = format!(
            "listen = \"127.0.0.1:8080\"\nmaster_key = \"{0}{0}\"\n\
             database_url = \"postgres://till:{1}@127.0.0.1/till\"\nsmtp = \"smtp://a:{1}@127.0.0.1:25\"\n\
             max_connections = 10\nsimulator = true\nclient_timeout = \"10s\"\ncreate_rate = \"100/s burst 200\"\n",
            secrets[1], secrets[0]
        );
        let words = ["=", "\"", "[", "]", "\n", "#", " = 1", "s", "/s", "99999999999999999999", "://", "@"];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("till.toml");
        bytes_target(&[seed], &words, |bytes| {
            std::fs::write(&file, bytes).expect("written");
            if let Err(error) = Settings::load(Some(&file), []) {
                let text = error.to_string();
                assert!(!text.contains('\n'), "one sentence: {text:?}");
                assert!(!repeats(&text, &secrets), "a secret is repeated: {text}");
            }
        });
    }
}
