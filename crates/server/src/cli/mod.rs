//! The command line: the service itself, and the operator's commands while the service runs.
//!
//! A command prints its result on standard output, as text or with `--json` for machines, and everything else
//! on standard error. Its exit code is 0 on success, 1 on failure, 2 if it was called wrongly.

mod action;
mod action_work;
mod audit;
mod backup;
mod callback;
mod catalog;
mod category;
mod client_secret;
mod confirm;
mod context;
mod csv_import;
mod demo;
mod doctor;
mod figures;
#[cfg(feature = "bench")]
mod fill;
mod fiscal_settings;
mod forget;
mod health;
mod hold;
mod key;
mod listen;
mod migrate;
mod output;
mod payout;
#[cfg(feature = "bench")]
mod plain_server;
mod product;
mod progress;
mod provider;
mod provider_activity;
mod reconcile;
mod reconciliations;
mod recorded_run;
mod refund;
mod relocate;
mod request;
mod search;
mod serve;
mod service_manager;
mod session;
mod shell;
mod signature;
mod status;
mod terms;
mod transaction;
mod trigger;
mod user;
mod vendor;
mod vendor_api;
mod verify;
mod wallet;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};

/// Till: a hosted payment checkout that you run yourself.
#[derive(Debug, Parser)]
#[command(
    name = "till",
    version,
    after_help = "Settings come from --config FILE and from TILL_… variables; variables take precedence. \
        config.example.toml lists them all.\n\nTo get started:\n  \
        export TILL_MASTER_KEY=$(openssl rand -hex 32)   # keep it: it encrypts vendor secrets\n  \
        till serve &\n  \
        till vendor create --name \"My shop\" --sandbox\n  \
        then open http://127.0.0.1:8080/docs"
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
struct Common {
    /// Configuration file [env: TILL_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the embedded store; overrides TILL_DATA_DIR
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service
    #[command(after_help = "Needs a master key (TILL_MASTER_KEY or TILL_MASTER_KEY_FILE) and nothing else. \
        Stop it with Ctrl-C or SIGTERM: it finishes the requests in progress first.")]
    Serve(serve::ServeOptions),
    /// Try Till: run the service on an embedded store, with a vendor and a simulated bank
    #[command(after_help = "Needs no configuration. Data is kept in ./till-demo for the next start, or in \
        --data-dir. With --json the last line on standard output is one JSON object with URLs and \
        credentials.")]
    Demo(demo::DemoOptions),
    /// Create and manage vendors, with their credentials and settings
    #[command(subcommand)]
    Vendor(vendor::VendorCommand),
    /// Add and manage panel users
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage a vendor's products, the values of product_id in live sessions
    #[command(subcommand)]
    Product(product::ProductCommand),
    /// Manage a vendor's categories, the values of category_id in live sessions
    #[command(subcommand)]
    Category(category::CategoryCommand),
    /// Show whether the service is well, what waits for an operator, its processes and queues
    #[command(after_help = "Read-only. Exits with 1 if there is a problem.")]
    Status,
    /// Show how many sessions were paid, failed or expired, and what they were worth, day by day
    Figures(figures::FiguresOptions),
    /// Find payments, vendors and users by anything that is known of them
    Search(search::SearchOptions),
    /// List sessions, and show one with all that is known of it
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// List, show and resend callbacks
    #[command(subcommand)]
    Callback(callback::CallbackCommand),
    /// List transactions
    #[command(subcommand)]
    Transaction(transaction::TransactionCommand),
    /// Create, list and manage refunds
    #[command(subcommand)]
    Refund(refund::RefundCommand),
    /// List and resolve everything under Needs action, such as late and partial payments
    #[command(subcommand)]
    Action(action::ActionCommand),
    /// List payout requests, approve or refuse them, and record payments
    #[command(subcommand)]
    Payout(payout::PayoutCommand),
    /// List vendors' requests for sandbox mode, and grant or dismiss them
    #[command(subcommand)]
    Request(request::RequestCommand),
    /// List the audit log
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Set up providers, turn them on or off, and show their activity
    #[command(subcommand)]
    Provider(provider::ProviderCommand),
    /// Compare a provider's records with Till's, and list the differences under Needs action
    #[command(
        after_help = "Can run while the service is running. Exits with 0 if the records match, 1 if they \
        differ, and 2 if some of them could not be compared. Payments that a provider took without Till are \
        counted, but are not differences."
    )]
    Reconcile(reconcile::ReconcileOptions),
    /// List reconciliations: those of the service and of `till reconcile`, newest first
    Reconciliations(reconciliations::RunListOptions),
    /// Check the integrity of all stored data: sessions, callbacks, ledger, audit log
    #[command(
        after_help = "Read-only: can run while the service is running. Exits with 1 if any check fails."
    )]
    Verify,
    /// Check settings, store, master key, clock and providers, and report problems
    Doctor(doctor::DoctorOptions),
    /// Bring the store's schema up to date, as a start does, or say what would change
    #[command(
        after_help = "`till serve` does it by itself. On a large store, run it before a planned start."
    )]
    Migrate(migrate::MigrateOptions),
    /// Back up the embedded store to one file, while the service runs
    #[command(
        after_help = "The file has all three databases as they were at one moment, with checksums. It does not \
        have the master key: without that, the secrets in it cannot be read."
    )]
    Backup(backup::BackupOptions),
    /// Restore a backup into an empty folder, on hold
    #[command(
        after_help = "A service that is started on the folder serves reads and pages; it sends nothing, lets nothing \
        expire and takes no payments until `till release`."
    )]
    Restore(backup::RestoreOptions),
    /// Put the service on hold: nothing is sent and nothing expires, as after a restore
    #[command(
        after_help = "For a PostgreSQL database that was restored or set back: run it before the service starts."
    )]
    Hold(confirm::ConfirmOption),
    /// Show what waits behind a hold, and release it
    Release(confirm::ConfirmOption),
    /// Say whether the service on this machine is ready: exits with 0 if it is, 1 if not
    Health(health::HealthOptions),
    /// Bring the callbacks of the sandbox to a server on this machine, for developers of vendors
    #[command(
        after_help = "Needs your sandbox credentials: --client-id or TILL_CLIENT_ID, and TILL_CLIENT_SECRET, or asks for \
        the secret. Events come with the same bytes and headers as callbacks. While your server does not accept \
        connections, or the service is down, it waits; otherwise each event is sent once, whatever your server answers.\n\n\
        Example:\n  till listen --forward http://127.0.0.1:3000/callbacks --base-url https://pay.example.com"
    )]
    Listen(listen::ListenOptions),
    /// Make a sandbox session and an event of it, for developers of vendors
    #[command(after_help = "Needs your sandbox credentials, like till listen.\n\n\
        Example:\n  till trigger session.paid --order-id A-1001")]
    Trigger(trigger::TriggerOptions),
    /// Check signatures of callbacks, for developers of vendors
    #[command(subcommand)]
    Signature(signature::SignatureCommand),
    /// Move an embedded store to PostgreSQL
    #[command(
        after_help = "Stop the service, set TILL_DATABASE_URL to an empty database, and run this with the old data folder. \
                      Everything is copied in one transaction and compared; an interrupted move leaves nothing behind."
    )]
    Move(relocate::MoveOptions),
    /// Erase what identifies a customer: the e-mail address, metadata, notes; the payments stay
    #[command(
        after_help = "With --show nothing is changed: it prints everything that is known of the address, with --json as a \
                      document for the customer. Sessions with open work (a payment, refund or action in progress, a \
                      callback or receipt to be sent) are erased by the service when it has ended."
    )]
    Forget(forget::ForgetOptions),
    /// Rotate the master key
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = "For example: till completions bash >/etc/bash_completion.d/till")]
    Completions(shell::CompletionOptions),
    /// Write the manual pages: one for till and one for each command
    Man(shell::ManOptions),
    /// Fill the ledger, for bench/ledger
    #[cfg(feature = "bench")]
    #[command(hide = true)]
    FillLedger(fill::FillOptions),
    /// Serve plain handlers, for bench/run and bench/callbacks
    #[cfg(feature = "bench")]
    #[command(hide = true)]
    PlainServer,
}

/// Parses the command line and runs the command.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    // Files made by a command are private to its user: they hold orders and encrypted secrets.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let Some(command) = cli.command else {
        let help = Cli::command().print_help();
        return if help.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    };
    let done = match command {
        Command::Serve(options) => serve::run(&cli.common, &options),
        Command::Demo(options) => demo::run(&cli.common, &options),
        Command::Vendor(command) => vendor::run(&cli.common, command),
        Command::User(command) => user::run(&cli.common, command),
        Command::Product(command) => product::run(&cli.common, command),
        Command::Category(command) => category::run(&cli.common, command),
        Command::Status => status::run(&cli.common),
        Command::Figures(options) => figures::run(&cli.common, &options),
        Command::Search(options) => search::run(&cli.common, &options),
        Command::Session(command) => session::run(&cli.common, command),
        Command::Callback(command) => callback::run(&cli.common, command),
        Command::Transaction(command) => transaction::run(&cli.common, command),
        Command::Refund(command) => refund::run(&cli.common, command),
        Command::Action(command) => action::run(&cli.common, command),
        Command::Payout(command) => payout::run(&cli.common, command),
        Command::Request(command) => request::run(&cli.common, command),
        Command::Audit(command) => audit::run(&cli.common, command),
        Command::Provider(command) => provider::run(&cli.common, command),
        Command::Reconcile(options) => return reconcile::run(&cli.common, &options),
        Command::Reconciliations(options) => reconciliations::run(&cli.common, &options),
        Command::Verify => verify::run(&cli.common),
        Command::Doctor(options) => doctor::run(&cli.common, &options),
        Command::Migrate(options) => migrate::run(&cli.common, &options),
        Command::Backup(options) => backup::back_up(&cli.common, options),
        Command::Restore(options) => backup::restore(&cli.common, options),
        Command::Hold(confirm) => hold::hold(&cli.common, &confirm),
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
        Command::Release(confirm) => hold::release(&cli.common, &confirm),
        Command::Health(options) => health::run(&cli.common, &options),
        Command::Listen(options) => listen::run(&cli.common, &options),
        Command::Trigger(options) => trigger::run(&cli.common, &options),
        Command::Signature(command) => signature::run(&cli.common, &command),
        Command::Move(options) => relocate::run(&cli.common, &options),
        Command::Forget(options) => forget::run(&cli.common, &options),
        Command::Key(command) => key::run(&cli.common, &command),
        #[cfg(feature = "bench")]
        Command::FillLedger(options) => fill::run(&cli.common, &options),
        #[cfg(feature = "bench")]
        Command::PlainServer => plain_server::run(),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("till: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
