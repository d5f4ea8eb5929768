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
             # An environment variable takes precedence over this file: lifetime_card is TILL_LIFETIME_CARD.\n\
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
        "A PEM file with the certificate and its chain, to serve HTTPS without a proxy. Reloaded when it changes.",
    ),
    optional("tls_key", "A PEM file with the certificate's key."),
    setting("data_dir", "./till-data", "Folder of the embedded store."),
    optional("metrics_listen", "Address and port of the operator's listener with /metrics for Prometheus."),
    optional(
        "otlp_endpoint",
        "Where to send OpenTelemetry traces by OTLP over HTTP, such as http://127.0.0.1:4318; /v1/traces is added.",
    ),
    secret(
        "otlp_headers",
        "Headers of every request to otlp_endpoint, such as the key of a tracing service: name=value, separated by commas.",
    ),
    secret(
        "database_url",
        "A PostgreSQL database instead of the embedded store: postgres://user:password@host:5432/till?sslmode=verify-full.",
    ),
    optional(
        "base_url",
        "Public URL of the API, such as https://pay.example.com; by default the listener's address.",
    ),
    optional("checkout_url", "Public URL of the checkout pages, if their host differs from the API's."),
    secret("master_key", "The key that encrypts secrets at rest: 64 hex digits or base64 of 32 bytes."),
    optional(
        "master_key_file",
        "A file that contains the master key; by default master.key in the data folder.",
    ),
    secret(
        "master_key_previous",
        "While the master key is rotated: the key that was in use before. Tokens and secrets of both are read; till key rotate puts the new one in use.",
    ),
    optional("master_key_previous_file", "A file that contains the previous master key."),
    setting("token_lifetime", "1h", "How long a Bearer token is valid."),
    setting("lifetime_card", "15m", "How long a card session stays open without a payment."),
    setting(
        "lifetime_sbp",
        "10m",
        "How long an SBP session stays open without a payment: the validity of its QR code.",
    ),
    setting(
        "lifetime_crypto",
        "60m",
        "How long a crypto session stays open without a payment; longer than a card session.",
    ),
    setting(
        "settlement_delay",
        "0s",
        "How long a payment stays pending before it can be paid out, for vendors without a delay of their own.",
    ),
    setting(
        "refund_late",
        "off",
        "on: payments that arrive after their session has ended are refunded automatically, if the provider supports it. off: the operator decides.",
    ),
    optional(
        "sandbox_retention",
        "How long sandbox sessions are kept after they end, such as 90d; then they are deleted with everything that belongs to them. Live sessions are never deleted.",
    ),
    optional(
        "personal_data_retention",
        "How long the personal data of customers is kept after a session was created, such as 730d: e-mail addresses, metadata, notes and reasons of refunds, in live and in the sandbox. Then it is erased, as with till forget; the payments stay.",
    ),
    setting(
        "reconcile_at",
        "02:00",
        "When the records of all providers are compared with Till's every night: a time of day in UTC, or off.",
    ),
    setting(
        "allow_private_callbacks",
        "false",
        "Allow callbacks to loopback, private and link-local addresses. For development only.",
    ),
    setting(
        "require_endpoint_check",
        "false",
        "Show a vendor its live credentials for the first time only after the last check of its endpoint was passed.",
    ),
    setting(
        "rate_limits",
        "on",
        "on, or off to turn off all rate limits, including those for failed logins.",
    ),
    setting(
        "rate_limit_create",
        "100/s burst 200",
        "Sessions created per vendor and environment; 0 for no limit.",
    ),
    setting(
        "rate_limit_status",
        "300/s burst 600",
        "Status requests, lists and pages of the callback feed per vendor and environment; 0 for no limit.",
    ),
    setting("rate_limit_token", "10/s burst 30", "Token requests per client id; 0 for no limit."),
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
        "rate_limit_endpoint_checks",
        "10/h burst 10",
        "Endpoint checks per vendor, by the API and in the panel; 0 for no limit.",
    ),
    setting(
        "rate_limit_attempts_address",
        "60/m burst 120",
        "Payment attempts from one public address, per environment, against card testing; 0 for no limit.",
    ),
    setting(
        "rate_limit_attempts_vendor",
        "50/s burst 500",
        "Payment attempts at one vendor, per environment; 0 for no limit.",
    ),
    setting("max_attempts_per_session", "20", "Maximum payment attempts per session."),
    setting(
        "trusted_proxies",
        "",
        "Networks whose X-Forwarded-For is trusted, separated by commas, such as 10.0.0.0/8.",
    ),
    setting(
        "client_timeout",
        "15s",
        "How long a connection may be idle, take to send a request's header or body, or not read the response.",
    ),
    setting("max_connections", "10000", "Maximum open connections; further ones get a 503."),
    setting(
        "max_connections_per_address",
        "1000",
        "Maximum open connections from one address that is not a trusted proxy.",
    ),
    setting("callback_retries", "30s,2m,5m", "When to retry a callback, counted from its first attempt."),
    setting(
        "callback_timeout",
        "10s",
        "How long an attempt to deliver a callback may take in total; at most 25s.",
    ),
    setting("callback_limit", "1024", "Maximum concurrent callbacks, in each environment of a node."),
    setting("callback_limit_vendor", "256", "Maximum concurrent callbacks of one vendor."),
    setting("callback_limit_host", "64", "Maximum concurrent callbacks of one vendor to one host."),
    optional(
        "callback_roots",
        "A PEM file with root certificates to trust for https callbacks, in addition to the machine's.",
    ),
    setting(
        "lease",
        "30s",
        "How long background work stays with a node that no longer responds, before another takes it over; at most 30s.",
    ),
    setting("operator_totp", "on", "Whether operators must log in with a second factor, a code from an app."),
    secret(
        "smtp_url",
        "The mail server: smtp://user:password@host:587 (STARTTLS, always) or smtps://user:password@host:465. Only within a private network: smtp://host:25?tls=none.",
    ),
    optional("mail_from", "The sender of emails: till@example.com or Till <till@example.com>."),
    optional(
        "smtp_roots",
        "A PEM file with root certificates to trust for the mail server, in addition to the machine's.",
    ),
    optional(
        "support_contact",
        "Where vendors and their testers ask for help or sandbox access: an email address or an https URL. Also the Help link of checkout pages of vendors without a contact email.",
    ),
    optional(
        "terms_url",
        "The operator's terms of use, linked in the footer of checkout pages: an https URL.",
    ),
    optional(
        "privacy_url",
        "The operator's privacy policy, linked in the footer of checkout pages: an https URL.",
    ),
    setting(
        "simulator",
        "off",
        "on: a simulated acquirer takes live payments without moving money. Never use it in production.",
    ),
    setting(
        "simulator_card",
        "redirect",
        "Where the simulated acquirer shows its card form: redirect (on a simulated bank page) or embedded (in the checkout page).",
    ),
    optional(
        "yookassa_file",
        "A TOML file with the YooKassa setup, instead of the console; see /docs/providers/yookassa.",
    ),
    optional(
        "tbank_file",
        "A TOML file with the T-Bank setup, instead of the console; see /docs/providers/tbank.",
    ),
    optional(
        "stripe_file",
        "A TOML file with the Stripe setup, instead of the console; see /docs/providers/stripe.",
    ),
    optional(
        "evm_file",
        "A TOML file with the setup of crypto payments, instead of the console; see /docs/providers/evm.",
    ),
    setting("log", "info", "The log level: error, warn, info, debug, or a filter such as till=debug,warn."),
    setting("log_format", "text", "text for people, json for machines."),
];
