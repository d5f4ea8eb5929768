//! `till user …`: users of the panel.

use super::{
    Common,
    audit::{self, AuditRow},
    context::{Context, block_on, no_such_vendor, vendor_id},
    output::{print, table},
};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, ValueEnum};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::{
    audit::{Actor, AuditEvent},
    id::{UserId, VendorId},
    user::{self, LinkPurpose, Role, User},
};
use till_service::{
    access::{password::Passwords, queue::Caller},
    admin,
    settings::Settings,
};
use till_store::{AuditFilter, Login, UserFilter};

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user with a generated password, and print the password
    Create(CreateArgs),
    /// List users, newest first
    List {
        /// Only users whose email address contains this text
        #[arg(long, default_value = "")]
        email: String,
    },
    /// Show a user, their logins and their newest entries in the audit log
    Show {
        /// The user's id or email address; `till user list` lists the users
        user: String,
    },
    /// Log a user out everywhere
    Logout {
        /// The user's id or email address; `till user list` lists the users
        user: String,
    },
    /// Disable a user and end their sessions
    Disable {
        /// The user's id or email address; `till user list` lists the users
        user: String,
    },
    /// Enable a disabled user
    Enable {
        /// The user's id or email address; `till user list` lists the users
        user: String,
    },
    /// Print a one-time link to set a new password; with --factor, also remove the second factor
    Reset {
        /// The user's id or email address; `till user list` lists the users
        user: String,
        /// Also remove the second factor, for a user who lost their phone and recovery codes
        #[arg(long)]
        factor: bool,
    },
}

#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The email address to log in with
    #[arg(long)]
    email: String,
    /// The role, which determines the user's permissions
    #[arg(long)]
    role: RoleArg,
    /// The user's vendor, for vendor_admin and vendor_viewer
    #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: Option<VendorId>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum RoleArg {
    Operator,
    SuperVendor,
    VendorAdmin,
    VendorViewer,
}

impl From<RoleArg> for Role {
    fn from(argument: RoleArg) -> Self {
        match argument {
            RoleArg::Operator => Self::Operator,
            RoleArg::SuperVendor => Self::SuperVendor,
            RoleArg::VendorAdmin => Self::VendorAdmin,
            RoleArg::VendorViewer => Self::VendorViewer,
        }
    }
}

/// Runs a `till user` command.
pub fn run(common: &Common, command: UserCommand) -> anyhow::Result<ExitCode> {
    let makes_store = matches!(command, UserCommand::Create(_));
    block_on(async move {
        let context =
            if makes_store { Context::open_or_make(common).await? } else { Context::open(common).await? };
        let json = common.json;
        match command {
            UserCommand::Create(args) => create(context, json, args).await?,
            UserCommand::List { email } => list(&context, json, email).await?,
            UserCommand::Show { user } => show(&context, json, &user).await?,
            UserCommand::Logout { user } => log_out(&context, json, &user).await?,
            UserCommand::Disable { user } => set_disabled(&context, json, &user, true).await?,
            UserCommand::Enable { user } => set_disabled(&context, json, &user, false).await?,
            UserCommand::Reset { user, factor } => reset(context, json, &user, factor).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// A user who was just created.
#[derive(Debug, Serialize)]
pub struct Created {
    pub user_id: String,
    pub email: String,
    pub password: String,
}

/// Adds a user with a new password.
pub async fn make(
    admin: &admin::Admin,
    email: &str,
    role: Role,
    vendor: Option<VendorId>,
) -> anyhow::Result<Created> {
    let password = admin::new_password();
    let hash = Passwords::new(1).hash(Caller::Shell, &password).await?;
    let created = admin.create_user(&Actor::shell(), admin::UserDraft { email, role, vendor }, hash).await?;
    let id = created.with_context(|| format!("user {email} already exists; see `till user list`"))?;
    let password = password.expose_secret().to_owned();
    Ok(Created { user_id: id.to_string(), email: email.to_owned(), password })
}

async fn create(context: Context, json: bool, args: CreateArgs) -> anyhow::Result<()> {
    let role = Role::from(args.role);
    match (role.has_vendor(), args.vendor) {
        (true, None) => bail!("users with this role belong to a vendor: add --vendor VENDOR_ID"),
        (false, Some(_)) => bail!("users with this role do not belong to a vendor: omit --vendor"),
        (true, Some(id)) if context.accounts.vendor(id).await?.is_none() => return Err(no_such_vendor(id)),
        _ => {}
    }
    let email = user::email(&args.email).map_err(|problem| anyhow::anyhow!("--email {problem}"))?;
    let created = make(&context.admin().await?, &email, role, args.vendor).await?;
    print(json, &created, |created| {
        format!("user      {}\nemail     {}\npassword  {}", created.user_id, created.email, created.password)
    })
}

#[derive(Serialize)]
struct UserRow {
    user_id: String,
    email: String,
    role: &'static str,
    vendor_id: Option<String>,
    disabled: bool,
    two_factor: bool,
}

async fn list(context: &Context, json: bool, email: String) -> anyhow::Result<()> {
    let mut lines: Vec<UserRow> = Vec::new();
    let mut before = None;
    loop {
        let filter = UserFilter { email_has: email.clone(), before, limit: 500, ..UserFilter::default() };
        let users = context.accounts.users(&filter).await?;
        let Some(last) = users.last() else { break };
        before = Some(last.id);
        lines.extend(users.iter().map(line));
    }
    print(json, &lines, |lines| {
        if lines.is_empty() {
            return "No users match. Add one with: till user create --email EMAIL --role operator".to_owned();
        }
        let row = |l: &UserRow| {
            let state = if l.disabled { "disabled" } else { "-" };
            let vendor = l.vendor_id.clone().unwrap_or_else(|| "-".to_owned());
            vec![l.user_id.clone(), l.role.to_owned(), state.to_owned(), vendor, l.email.clone()]
        };
        table(&["user", "role", "state", "vendor", "email"], &lines.iter().map(row).collect::<Vec<_>>())
    })
}

fn line(user: &User) -> UserRow {
    UserRow {
        user_id: user.id.to_string(),
        email: user.email.clone(),
        role: user.role.as_str(),
        vendor_id: user.vendor.map(|id| id.to_string()),
        disabled: user.disabled,
        two_factor: user.has_factor,
    }
}

/// The user with this id or address.
pub async fn find(context: &Context, text: &str) -> anyhow::Result<User> {
    let known = match UserId::parse(text) {
        Some(id) => context.accounts.user(id).await?,
        None => context.accounts.user_by_email(&text.trim().to_lowercase()).await?,
    };
    let known = known.with_context(|| format!("there is no user {text}; `till user list` lists them"))?;
    Ok(known.user)
}

#[derive(Serialize)]
struct UserDetails {
    #[serde(flatten)]
    line: UserRow,
    created_at: String,
    last_seen_at: Option<String>,
    logins: Vec<LoginRow>,
    audit: Vec<AuditRow>,
}

#[derive(Serialize)]
struct LoginRow {
    address: String,
    browser: String,
    since: String,
    seen_at: String,
}

impl From<Login> for LoginRow {
    fn from(login: Login) -> Self {
        Self {
            address: login.address,
            browser: login.agent,
            since: login.created_at.to_string(),
            seen_at: login.seen_at.to_string(),
        }
    }
}

/// Entries of the audit log that are shown with a user.
const LAST_ENTRIES: u32 = 20;

async fn show(context: &Context, json: bool, text: &str) -> anyhow::Result<()> {
    let user = find(context, text).await?;
    let filter =
        AuditFilter { actor: Some(user.email.clone()), limit: LAST_ENTRIES, ..AuditFilter::default() };
    let details = UserDetails {
        line: line(&user),
        created_at: user.created_at.to_string(),
        last_seen_at: user.seen_at.map(|at| at.to_string()),
        logins: context.accounts.logins(user.id).await?.into_iter().map(LoginRow::from).collect(),
        audit: context.accounts.audit(&filter).await?.iter().map(AuditRow::from).collect(),
    };
    print(json, &details, |details| {
        let line = &details.line;
        let state = if line.disabled { "disabled" } else { "enabled" };
        let mut text = format!("{} is {state}\n", line.email);
        for (name, value) in [
            ("user", line.user_id.as_str()),
            ("role", line.role),
            ("vendor", line.vendor_id.as_deref().unwrap_or("-")),
            ("second factor", if line.two_factor { "on" } else { "off" }),
            ("created", &details.created_at),
            ("last seen", details.last_seen_at.as_deref().unwrap_or("-")),
        ] {
            text.push_str(&format!("{name:14}{value}\n"));
        }
        for login in &details.logins {
            let LoginRow { address, browser, since, seen_at } = login;
            text.push_str(&format!("login         since {since}, seen {seen_at}, {address}, {browser}\n"));
        }
        format!("{text}\n{}", audit::text(&details.audit))
    })
}

async fn log_out(context: &Context, json: bool, text: &str) -> anyhow::Result<()> {
    let user = find(context, text).await?;
    let entry = context.entry(AuditEvent::LoginsEnded).with(user.id);
    context.accounts.end_logins(user.id, None, &entry).await?;
    print(json, &UserChangeReport { user_id: user.id.to_string(), changed: true }, |_| {
        format!("user {}: logged out everywhere", user.email)
    })
}

#[derive(Serialize)]
struct UserChangeReport {
    user_id: String,
    changed: bool,
}

async fn set_disabled(context: &Context, json: bool, text: &str, disabled: bool) -> anyhow::Result<()> {
    let user = find(context, text).await?;
    let event = if disabled { AuditEvent::UserDisabled } else { AuditEvent::UserEnabled };
    let entry = context.entry(event).with(user.id);
    let changed = context.accounts.set_user_disabled(user.id, disabled, &entry).await?;
    if disabled && !changed {
        bail!(
            "{} is the last operator who can log in: add another with `till user create` first",
            user.email
        );
    }
    let word = if disabled { "disabled and logged out everywhere" } else { "enabled" };
    print(json, &UserChangeReport { user_id: user.id.to_string(), changed }, |_| {
        format!("user {}: {word}", user.email)
    })
}

#[derive(Serialize)]
struct ResetReport {
    user_id: String,
    email: String,
    link: String,
    expires_at: String,
}

async fn reset(context: Context, json: bool, text: &str, factor: bool) -> anyhow::Result<()> {
    let user = find(&context, text).await?;
    let base = base_url(context.settings());
    if factor {
        context.accounts.drop_factor(user.id, &context.entry(AuditEvent::FactorOff).with(user.id)).await?;
    }
    let purpose = if user.has_password { LinkPurpose::Reset } else { LinkPurpose::Invitation };
    let link = context.admin().await?.make_link(&Actor::shell(), user.id, purpose, &|_, _| None).await?;
    let reset = ResetReport {
        user_id: user.id.to_string(),
        email: user.email,
        link: format!("{base}{}", link.path),
        expires_at: link.until.to_string(),
    };
    print(json, &reset, |reset| {
        format!("{}\nThe link works once and expires at {}.", reset.link, reset.expires_at)
    })
}

/// The public address of the service.
fn base_url(settings: &Settings) -> String {
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    settings.base_url.clone().unwrap_or_else(|| format!("{scheme}://{}", settings.listen))
}
