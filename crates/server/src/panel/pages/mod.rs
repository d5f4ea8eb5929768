//! The pages of the vendor panel and the operator console: a view goes in, a whole HTML document comes out.
//!
//! Pure: no clock, no store, no request. The caller decides what is true and who may see it ([`View`]); this
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
mod payouts;
mod products;
mod profile;
mod refund;
mod refusal;
mod resend;
mod session;
mod settings;
mod setup;
mod system;
mod team;
mod terms;
#[cfg(test)]
mod tests;
mod users;
mod vendors;
mod view;
mod wallet;

pub use crate::web::{language::Language, moments::Zone};
pub use account::{Account, AccountProblem, Device, FactorForm, RecoveryCodes, Totp, TotpSetup, ZoneForm};
pub use audit::{Audit, AuditLine, Request, Requests, Subject};
pub use case::{Case, CaseLine, MoneyLine, TryLine};
pub use chains::{ChainLine, ChainRead, Chains, PriceLine};
pub use confirm::{PasswordAgain, PasswordAgainProblem, Question, UserDeed};
pub use deliveries::{DeliverAll, Deliveries, DeliveryLine, FilterProblem, OneDelivery, SendLine, Stand};
pub use entry::{
    CodeProblem, CodeStep, Ended, Forgot, ForgotProblem, ForgotSent, LinkEnded, Login, LoginProblem,
    PasswordProblem, SetPassword,
};
pub use find::{Found, Hit, Search};
pub use frame::{Frame, Notice, Place, Who};
pub use hand::{HandForm, HandLine, HandProblem, HandRefunds, HandStep};
pub use lists::{
    CallbackLine, Delivery, Extra, List, Listing, Narrowed, SessionLine, Start, TransactionLine,
};
pub use nav::{home, path};
pub use needs::{ActionLine, Actions, Decide, DecideProblem, DecidedBy, SeenMoney, VendorName};
pub use overview::{Day, Ends, Overview, PERIODS, Volume};
pub use payouts::{AskPayout, PayoutLine, Payouts, StepPayout, WishProblem};
pub use products::{
    Categories, CategoryLine, CategoryPage, CategoryTab, Choice, Goods, Import, ImportProblem, ItemProblem,
    NoCatalog, Preview, PreviewLine, ProductForm, ProductLine, ProductPage, Products,
};
pub use profile::{Profile, ProfileCredentials, ProfileLine, ProfileVendor};
pub use refund::{RefundCost, RefundForm, RefundLine, RefundProblem};
pub use refusal::{Busy, Refusal, Trouble};
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
pub use view::View;
pub use wallet::{Fund, Movement, NoWallet, WalletPage, path as wallet_path};

use document::Document;

/// A page: what surrounds it, and what it shows.
#[derive(Debug)]
pub struct Page {
    /// What every page has.
    pub frame: Frame,
    /// What this page shows.
    pub body: Box<dyn View>,
}

impl Page {
    /// The whole HTML document.
    #[must_use]
    pub fn render(&self) -> String {
        Document::new(self).write()
    }
}
