//! The pages of the vendor panel and the operator console: a view goes in, a whole HTML document comes out.
//!
//! Pure: no clock, no store, no request. The caller decides what is true and who may see it ([`Body`]); this
//! module decides how it is said. Every text of a person is escaped by the templates. Paths and names of form
//! fields are written in the templates and in [`Question`]; every form that changes something carries
//! [`Frame::csrf`].

mod account;
mod audit;
mod case;
mod chains;
mod chart;
mod confirm;
mod deliveries;
mod detail;
mod document;
mod entry;
mod find;
mod form;
mod frame;
mod hand;
mod lists;
mod nav;
mod needs;
mod overview;
mod part;
mod payouts;
mod products;
mod profile;
mod refund;
mod resend;
mod session;
mod settings;
mod setup;
mod system;
mod team;
mod terms;
#[cfg(test)]
mod tests;
mod title;
mod users;
mod vendors;
mod wallet;

pub use crate::web::{language::Language, moments::Zone};
pub use account::{Account, AccountProblem, Device, FactorForm, RecoveryCodes, Totp, TotpSetup, ZoneForm};
pub use audit::{Audit, AuditLine, Request, Requests, Subject};
pub use case::{Case, CaseLine, MoneyLine, TryLine};
pub use chains::{ChainLine, ChainRead, Chains, PriceLine};
pub use confirm::{PasswordAgain, PasswordAgainProblem, Question, UserDeed};
pub use deliveries::{DeliverAll, Deliveries, DeliveryLine, FilterProblem, OneDelivery, SendLine, Stand};
pub use entry::{
    CodeProblem, CodeStep, Ended, Forgot, ForgotProblem, LinkEnded, Login, LoginProblem, PasswordProblem,
    SetPassword,
};
pub use find::{Found, Hit, Search};
pub use frame::{Frame, Notice, Place, Who};
pub use hand::{HandForm, HandLine, HandProblem, HandRefunds, HandStep};
pub use lists::{
    CallbackLine, Dated, Delivery, Extra, List, Listing, Narrowed, SessionLine, Start, TransactionLine,
};
pub use nav::{home, path};
pub use needs::{ActionLine, Actions, Decide, DecideProblem, DecidedBy, SeenMoney, VendorName};
pub use overview::{Day, Ends, Overview, PERIODS, Volume};
pub use payouts::{AskPayout, PayoutLine, Payouts, StepPayout, WishProblem};
pub use products::{
    Categories, CategoryLine, CategoryPage, CategoryTab, Choice, Goods, Import, ImportProblem, ItemProblem,
    Preview, PreviewLine, ProductForm, ProductLine, ProductPage, Products,
};
pub use profile::{Profile, ProfileCredentials, ProfileLine, ProfileVendor};
pub use refund::{RefundCost, RefundForm, RefundLine, RefundProblem};
pub use resend::ResendAll;
pub use session::{Mailed, OneCallback, OneSession, Received, Step, Try, What};
pub use settings::{
    AskSandbox, Overlap, OverlapChoice, Rotate, RotateProblem, Rotated, Sandbox, SandboxState, Secret,
    Settings, SettingsForm, SettingsProblem, TestResult,
};
pub use setup::{CheckLine, CheckOutcome, EditSetup, Service, SetupHead, SetupOrigin};
pub use system::{
    CallsLine, NodeLine, NodeState, ProviderLine, Providers, QueueLine, RowCount, StoreLine, System,
};
pub use team::{Doer, History, HistoryLine, MemberPage, NewMember, NewMemberProblem, Team};
pub use terms::{Agreed, FeeForm, FeeFormProblem, TermsPage};
pub use users::{Invited, NewUser, NewUserProblem, User, UserLine, UserState, Users, VendorChoice};
pub use vendors::{
    AskedForm, NewVendor, NewVendorProblem, Pair, SandboxUse, Switched, Vendor, VendorCreated, VendorLine,
    Vendors,
};
pub use wallet::{Fund, Movement, WalletPage, path as wallet_path};

use document::Document;

/// A page: what surrounds it, and what it shows.
#[derive(Debug, Clone)]
pub struct Page {
    /// What every page has.
    pub frame: Frame,
    /// What this page shows.
    pub body: Body,
}

impl Page {
    /// The whole HTML document.
    #[must_use]
    pub fn render(&self) -> String {
        Document::new(self).write()
    }
}

/// What a page shows.
#[derive(Debug, Clone)]
pub enum Body {
    /// E-mail address and password.
    Login(Login),
    /// The second step of logging in.
    Code(CodeStep),
    /// Asks for a link to set a password.
    Forgot(Forgot),
    /// The answer to it, the same for everybody.
    ForgotSent {
        /// Whom to ask if nothing comes.
        support: Option<String>,
    },
    /// A new password, by a link.
    SetPassword(SetPassword),
    /// A link that was used, replaced or is too old.
    LinkEnded(LinkEnded),
    /// Password, second step and sessions of whoever looks.
    Account(Account),
    /// A new second step, to be confirmed.
    TotpSetup(TotpSetup),
    /// Codes for when the phone is lost, shown once.
    RecoveryCodes(RecoveryCodes),
    /// A vendor's figures.
    Overview(Box<Overview>),
    /// A vendor's sessions.
    Sessions(Box<Listing<SessionLine>>),
    /// One of them.
    Session(Box<OneSession>),
    /// A vendor's movements of money.
    Transactions(Box<Listing<TransactionLine>>),
    /// A vendor's own money.
    Wallet(Box<WalletPage>),
    /// The sandbox has no money.
    NoWallet,
    /// A vendor asks for a payout.
    AskPayout(Box<AskPayout>),
    /// What a vendor is told.
    Callbacks(Box<Listing<CallbackLine>>),
    /// Whether all that could not be delivered are sent once more.
    ResendAll(ResendAll),
    /// A vendor's credentials and addresses.
    Settings(Box<Settings>),
    /// Asks how a secret is rotated.
    Rotate(Rotate),
    /// The new pair, shown once.
    Rotated(Rotated),
    /// A vendor's access to the sandbox.
    Sandbox(Sandbox),
    /// A vendor's products.
    Products(Products),
    /// One of them, or a new one.
    Product(Box<ProductPage>),
    /// A vendor's categories.
    Categories(Categories),
    /// One of them, or a new one.
    Category(CategoryPage),
    /// A table to import.
    Import(Import),
    /// What it would change.
    Preview(Box<Preview>),
    /// The sandbox has no catalog.
    NoCatalog,
    /// A vendor's people.
    Team(Team),
    /// Invites somebody.
    NewMember(NewMember),
    /// One of them.
    Member(MemberPage),
    /// What was done about a vendor.
    History(History),
    /// A super vendor's vendors.
    Profile(Profile),
    /// One of them, with its sandbox credentials.
    ProfileVendor(ProfileVendor),
    /// All vendors.
    Vendors(Vendors),
    /// A new vendor.
    NewVendor(NewVendor),
    /// Its credentials, shown once.
    VendorCreated(VendorCreated),
    /// One vendor, for the operator.
    Vendor(Box<Vendor>),
    /// What is agreed on with a vendor about its money.
    Terms(Box<TermsPage>),
    /// All users.
    Users(Users),
    /// A new user.
    NewUser(NewUser),
    /// A link for a user, mailed or shown once.
    Invited(Invited),
    /// One user, for the operator.
    User(Box<User>),
    /// Vendors that ask for the sandbox.
    Requests(Requests),
    /// Who did what.
    Audit(Audit),
    /// Money that waits for a decision.
    Actions(Actions),
    /// The decision.
    Decide(Box<Decide>),
    /// Payouts of all vendors.
    Payouts(Payouts),
    /// The next step of one.
    StepPayout(Box<StepPayout>),
    /// Refunds that a person has to send.
    HandRefunds(HandRefunds),
    /// What somebody says about one.
    HandRefund(Box<HandForm>),
    /// Callbacks across vendors.
    Deliveries(Deliveries),
    /// One callback.
    Delivery(Box<OneDelivery>),
    /// Sends many callbacks again.
    DeliverAll(DeliverAll),
    /// One session, for the operator.
    Case(Box<Case>),
    /// Search by any id.
    Search(Search),
    /// Providers and how they answer.
    Providers(Providers),
    /// Crypto on chains: how it is set up, and how it does.
    Chains(Box<Chains>),
    /// Another provider: how it is set up, and how it does.
    Service(Box<Service>),
    /// The form of a set-up.
    EditSetup(Box<EditSetup>),
    /// The service itself.
    System(Box<System>),
    /// "Do you want this?"
    Confirm(Question),
    /// Not for this user, or a form that did not come from our page.
    Forbidden,
    /// Nothing there.
    NotFound,
    /// A form's address that was opened, or a page's that a form was sent to.
    WrongWay,
    /// A form that is too large.
    TooLarge,
    /// Too much to do.
    Busy {
        /// When to try again.
        seconds: u64,
    },
    /// Our trouble.
    Trouble {
        /// What to quote when asking about it.
        reference: String,
    },
}

impl Body {
    /// The word of the kind of page, for styles and tests.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Login(_) => "login",
            Self::Code(_) => "code",
            Self::Forgot(_) => "forgot",
            Self::ForgotSent { .. } => "forgot-sent",
            Self::SetPassword(_) => "set-password",
            Self::LinkEnded(_) => "link-ended",
            Self::Account(_) => "account",
            Self::TotpSetup(_) => "totp-setup",
            Self::RecoveryCodes(_) => "recovery-codes",
            Self::Overview(_) => "overview",
            Self::Sessions(_) => "sessions",
            Self::Session(_) => "session",
            Self::Transactions(_) => "transactions",
            Self::Wallet(_) => "wallet",
            Self::NoWallet => "no-wallet",
            Self::AskPayout(_) => "ask-payout",
            Self::Callbacks(_) => "callbacks",
            Self::ResendAll(_) => "resend-all",
            Self::Settings(_) => "settings",
            Self::Rotate(_) => "rotate",
            Self::Rotated(_) => "rotated",
            Self::Sandbox(_) => "sandbox",
            Self::Products(_) => "products",
            Self::Product(_) => "product",
            Self::Categories(_) => "categories",
            Self::Category(_) => "category",
            Self::Import(_) => "import",
            Self::Preview(_) => "preview",
            Self::NoCatalog => "no-catalog",
            Self::Team(_) => "team",
            Self::NewMember(_) => "new-member",
            Self::Member(_) => "member",
            Self::History(_) => "history",
            Self::Profile(_) => "profile",
            Self::ProfileVendor(_) => "profile-vendor",
            Self::Vendors(_) => "vendors",
            Self::NewVendor(_) => "new-vendor",
            Self::VendorCreated(_) => "vendor-created",
            Self::Vendor(_) => "vendor",
            Self::Terms(_) => "terms",
            Self::Users(_) => "users",
            Self::NewUser(_) => "new-user",
            Self::Invited(_) => "invited",
            Self::User(_) => "user",
            Self::Requests(_) => "requests",
            Self::Audit(_) => "audit",
            Self::Actions(_) => "actions",
            Self::Decide(_) => "decide",
            Self::Payouts(_) => "payouts",
            Self::StepPayout(_) => "step-payout",
            Self::HandRefunds(_) => "hand-refunds",
            Self::HandRefund(_) => "hand-refund",
            Self::Deliveries(_) => "deliveries",
            Self::Delivery(_) => "delivery",
            Self::DeliverAll(_) => "deliver-all",
            Self::Case(_) => "case",
            Self::Search(_) => "search",
            Self::Providers(_) => "providers",
            Self::Chains(_) => "chains",
            Self::Service(_) => "service",
            Self::EditSetup(_) => "edit-setup",
            Self::System(_) => "system",
            Self::Confirm(_) => "confirm",
            Self::Forbidden => "refused",
            Self::NotFound => "nowhere",
            Self::WrongWay => "wrong-way",
            Self::TooLarge => "too-large",
            Self::Busy { .. } => "busy",
            Self::Trouble { .. } => "trouble",
        }
    }
}
