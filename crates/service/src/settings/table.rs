//! The one table of settings. `config.example.toml` is made from it.

/// A setting as documented.
#[derive(Debug)]
pub struct Setting {
    /// Its key in the configuration file; the variable is `TILL_` and the key in capitals.
    pub key: &'static str,
    /// The value when it is not set; `None` if there is no default.
    pub default: Option<&'static str>,
    pub help: &'static str,
    /// True if it is a secret, or contains one. It is never shown.
    pub secret: bool,
}

impl Setting {
    #[must_use]
    pub fn variable(&self) -> String {
        format!("TILL_{}", self.key.to_ascii_uppercase())
    }

    /// The text of `config.example.toml`: every setting with its help and its default, commented out.
    #[must_use]
    pub fn example_file() -> String {
        let mut text = String::from(
            "# Every setting of till, with its default. Remove the # of a line to change it.\n\
             # An environment variable wins over this file: lifetime_card is TILL_LIFETIME_CARD.\n\
             # Durations are written 250ms, 30s, 15m, 1h or 1d.\n",
        );
        for setting in SETTINGS {
            let example = setting.default.unwrap_or("");
            let note = if setting.default.is_none() { " Not set by default." } else { "" };
            text.push_str(&format!("\n# {}{note}\n#{} = {example:?}\n", setting.help, setting.key));
        }
        text
    }
}

const fn setting(key: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { key, default: Some(default), help, secret: false }
}

const fn optional(key: &'static str, help: &'static str) -> Setting {
    Setting { key, default: None, help, secret: false }
}

const fn secret(key: &'static str, help: &'static str) -> Setting {
    Setting { key, default: None, help, secret: true }
}

/// All settings.
pub const SETTINGS: &[Setting] = &[
    setting("listen", "127.0.0.1:8080", "Address and port to listen on."),
    optional(
        "tls_cert",
        "A PEM file with the certificate and its chain, to speak HTTPS without a proxy. Followed when it changes.",
    ),
    optional("tls_key", "A PEM file with the key of the certificate."),
    setting("data_dir", "./till-data", "Folder of the embedded store."),
    optional("metrics_listen", "Address and port of the operator's listener with /metrics for Prometheus."),
    secret(
        "database_url",
        "A PostgreSQL database instead of the embedded store: postgres://user:password@host:5432/till?sslmode=verify-full.",
    ),
    optional("base_url", "Public address of the API, such as https://pay.example.com; else the listener's."),
    optional("checkout_url", "Public address of the checkout pages, if they have another host than the API."),
    secret("master_key", "The key that encrypts secrets at rest: 64 hex digits or base64 of 32 bytes."),
    optional("master_key_file", "A file that holds the master key; else master.key in the data folder."),
    setting("token_lifetime", "1h", "How long a Bearer token works."),
    setting("lifetime_card", "15m", "How long a card session lives without payment."),
    setting(
        "lifetime_sbp",
        "10m",
        "How long an SBP session lives without payment: the validity of its QR code.",
    ),
    setting(
        "lifetime_crypto",
        "60m",
        "How long a crypto session lives without payment; longer than a card session.",
    ),
    setting(
        "settlement_delay",
        "0s",
        "How long a payment is pending before the vendor can have it paid out, for vendors without a delay of their own.",
    ),
    setting(
        "refund_late",
        "off",
        "on: money that comes after its session has ended goes back by itself, where the provider can send it. off: a person decides.",
    ),
    optional(
        "sandbox_retention",
        "How long sandbox sessions are kept after their end, such as 90d; then they are deleted with everything that belongs to them. Live sessions are never deleted.",
    ),
    setting(
        "allow_private_callbacks",
        "false",
        "Let callbacks go to loopback, private and link-local addresses. For development only.",
    ),
    setting("rate_limits", "on", "on, or off to limit nothing at all, failed log-ins included."),
    setting("rate_limit_create", "100/s burst 200", "Creates per vendor and environment; 0 for no limit."),
    setting(
        "rate_limit_status",
        "300/s burst 600",
        "Status queries and fetched pages of callbacks per vendor and environment; 0 for no limit.",
    ),
    setting("rate_limit_token", "10/s burst 30", "Tokens per client id; 0 for no limit."),
    setting(
        "rate_limit_failed_tries",
        "10/m burst 10",
        "Wrong secrets per client id and address; 0 for no limit.",
    ),
    setting(
        "rate_limit_failed_tries_address",
        "60/m burst 100",
        "Wrong secrets per address; 0 for no limit.",
    ),
    setting(
        "rate_limit_attempts_address",
        "60/m burst 120",
        "Payments begun from one public address, per environment, against the trying out of stolen cards; 0 for no limit.",
    ),
    setting(
        "rate_limit_attempts_vendor",
        "50/s burst 500",
        "Payments begun at one vendor, per environment; 0 for no limit.",
    ),
    setting("max_attempts_per_session", "20", "Payments begun for one session."),
    setting(
        "trusted_proxies",
        "",
        "Networks whose X-Forwarded-For is believed, separated by commas, such as 10.0.0.0/8.",
    ),
    setting(
        "client_timeout",
        "15s",
        "How long a connection may be idle, take to send a request's head or its body, or read nothing of an answer.",
    ),
    setting("max_connections", "10000", "Connections at once; one more is answered 503."),
    setting(
        "max_connections_per_address",
        "1000",
        "Connections at once from one address that is no trusted proxy.",
    ),
    setting(
        "callback_retries",
        "30s,2m,5m",
        "When a callback is tried again, counted from its first attempt.",
    ),
    setting(
        "callback_timeout",
        "10s",
        "How long an attempt to deliver a callback may take in all; at most 25s.",
    ),
    setting("callback_limit", "1024", "Callbacks under way at once, in each environment of a node."),
    setting("callback_limit_vendor", "256", "Callbacks of one vendor under way at once."),
    setting("callback_limit_host", "64", "Callbacks of one vendor to one host under way at once."),
    optional(
        "callback_roots",
        "A PEM file with roots to trust for https callbacks, beside those of the machine.",
    ),
    setting(
        "lease",
        "30s",
        "How long background work stays with a node that no longer answers, before another takes it; at most 30s.",
    ),
    setting(
        "operator_totp",
        "on",
        "Whether operators have to log in with a second factor, a code from an app.",
    ),
    secret(
        "smtp_url",
        "The server that takes mails: smtp://user:password@host:587 (STARTTLS, always) or smtps://user:password@host:465. Only within a private network: smtp://host:25?tls=none.",
    ),
    optional("mail_from", "Who mails are from: till@example.com or Till <till@example.com>."),
    optional(
        "smtp_roots",
        "A PEM file with roots to trust for the mail server, beside those of the machine.",
    ),
    optional(
        "support_contact",
        "Where vendors and their testers ask for help or for sandbox access: an e-mail address or an https address.",
    ),
    setting(
        "simulator",
        "off",
        "on: a simulated acquirer takes live payments without moving money. Never in production.",
    ),
    setting(
        "simulator_card",
        "redirect",
        "Where the simulated acquirer has its card form: redirect (a page that plays the bank) or embedded (in the checkout page).",
    ),
    optional(
        "yookassa_file",
        "A TOML file that says how YooKassa is set up, instead of the console; docs/providers/yookassa.md explains it.",
    ),
    optional(
        "stripe_file",
        "A TOML file that says how Stripe is set up, instead of the console; docs/providers/stripe.md explains it.",
    ),
    optional(
        "evm_file",
        "A TOML file that says how crypto on chains is set up, instead of the console; docs/providers/evm.md explains it.",
    ),
    setting(
        "log",
        "info",
        "Which logs are written: error, warn, info, debug, or a filter such as till=debug,warn.",
    ),
    setting("log_format", "text", "text for people, json for machines."),
];
