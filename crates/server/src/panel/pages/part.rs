//! The inner part of every page: one template and one function for each, since a single one for all of them would
//! be too large to compile.

use super::{
    Account, Actions, AskPayout, Audit, Body, CallbackLine, Case, Categories, CategoryPage, Chains, CodeStep,
    Decide, DecideProblem, DeliverAll, Deliveries, EditSetup, Forgot, Goods, HandForm, HandRefunds, HandStep,
    History, Import, Invited, Language, List, Listing, Login, MemberPage, NewMember, NewUser, NewVendor,
    OneDelivery, OneSession, OverlapChoice, Overview, Payouts, Preview, ProductPage, Products, Profile,
    ProfileVendor, Providers, Question, RecoveryCodes, Requests, ResendAll, Rotate, Rotated, Sandbox,
    SandboxState, SandboxUse, Search, Secret, Service, SessionLine, SetPassword, Settings, SetupOrigin,
    Stand, StepPayout, System, Team, TermsPage, Totp, TotpSetup, TransactionLine, User, UserState, Users,
    Vendor, VendorCreated, Vendors, WalletPage, audit, document::Document, form, lists, products, team,
    vendors,
};
use crate::web::links;
use askama::{Template, filters::HtmlSafe};
use std::{fmt, ops::Deref};
use till_domain::{environment::Environment, method::Method, user::Role};

/// Writes the part of a body with its template, which sees the view and what a document knows.
macro_rules! write_part {
    ($document:expr, $($variant:ident($field:ident: $view:ty) $path:literal,)*) => {
        match $document.body {
            $(Body::$variant($field) => {
                #[derive(Template)]
                #[template(path = $path)]
                struct Part<'a> {
                    document: &'a Document<'a>,
                    $field: &'a $view,
                }

                impl<'a> Deref for Part<'a> {
                    type Target = Document<'a>;

                    fn deref(&self) -> &Document<'a> {
                        self.document
                    }
                }

                Part { document: $document, $field }.render()
            })*
            _ => Rest { document: $document }.render(),
        }
    };
}

/// Pages of a few lines.
#[derive(Template)]
#[template(path = "panel/rest.html")]
struct Rest<'a> {
    document: &'a Document<'a>,
}

impl<'a> Deref for Rest<'a> {
    type Target = Document<'a>;

    fn deref(&self) -> &Document<'a> {
        self.document
    }
}

/// What a template wrote: it has escaped everything in it already.
pub(super) struct Html(String);

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

/// The HTML of what a page shows.
pub(super) fn write(document: &Document<'_>) -> Html {
    let written = write_part!(document,
        Login(view: Login) "panel/login.html",
        Code(view: CodeStep) "panel/code.html",
        Forgot(view: Forgot) "panel/forgot.html",
        SetPassword(view: SetPassword) "panel/set-password.html",
        Account(view: Account) "panel/account.html",
        TotpSetup(view: TotpSetup) "panel/totp-setup.html",
        RecoveryCodes(view: RecoveryCodes) "panel/recovery-codes.html",
        Overview(view: Overview) "panel/overview.html",
        Sessions(view: Listing<SessionLine>) "panel/sessions.html",
        Session(view: OneSession) "panel/session.html",
        Transactions(view: Listing<TransactionLine>) "panel/transactions.html",
        Wallet(view: WalletPage) "panel/wallet.html",
        AskPayout(view: AskPayout) "panel/payout.html",
        Payouts(view: Payouts) "operator/payouts.html",
        StepPayout(view: StepPayout) "operator/payout.html",
        Callbacks(view: Listing<CallbackLine>) "panel/callbacks.html",
        ResendAll(view: ResendAll) "panel/resend-all.html",
        Settings(view: Settings) "panel/settings.html",
        Rotate(view: Rotate) "panel/rotate.html",
        Rotated(view: Rotated) "panel/rotated.html",
        Sandbox(view: Sandbox) "panel/sandbox.html",
        Products(view: Products) "panel/products.html",
        Product(view: ProductPage) "panel/product.html",
        Categories(view: Categories) "panel/categories.html",
        Category(view: CategoryPage) "panel/category.html",
        Import(view: Import) "panel/import.html",
        Preview(view: Preview) "panel/preview.html",
        Team(view: Team) "panel/team.html",
        NewMember(view: NewMember) "panel/new-member.html",
        Member(view: MemberPage) "panel/member.html",
        History(view: History) "panel/history.html",
        Profile(view: Profile) "panel/profile.html",
        ProfileVendor(view: ProfileVendor) "panel/profile-vendor.html",
        Vendors(view: Vendors) "operator/vendors.html",
        NewVendor(view: NewVendor) "operator/new-vendor.html",
        VendorCreated(view: VendorCreated) "operator/vendor-created.html",
        Vendor(view: Vendor) "operator/vendor.html",
        Terms(view: TermsPage) "operator/terms.html",
        Users(view: Users) "operator/users.html",
        NewUser(view: NewUser) "operator/new-user.html",
        Invited(view: Invited) "operator/invited.html",
        User(view: User) "operator/user.html",
        Requests(view: Requests) "operator/requests.html",
        Audit(view: Audit) "operator/audit.html",
        Actions(view: Actions) "operator/actions.html",
        Decide(view: Decide) "operator/decide.html",
        HandRefunds(view: HandRefunds) "operator/hand-refunds.html",
        HandRefund(view: HandForm) "operator/hand-refund.html",
        Deliveries(view: Deliveries) "operator/deliveries.html",
        Delivery(view: OneDelivery) "operator/delivery.html",
        DeliverAll(view: DeliverAll) "operator/resend.html",
        Case(view: Case) "operator/case.html",
        Search(view: Search) "operator/search.html",
        Providers(view: Providers) "operator/providers.html",
        Chains(view: Chains) "operator/chains.html",
        Service(view: Service) "operator/service.html",
        EditSetup(view: EditSetup) "operator/edit-setup.html",
        System(view: System) "operator/system.html",
        Confirm(question: Question) "panel/confirm.html",
    );
    Html(written.unwrap_or_else(|_| unreachable!("writing to a string does not fail")))
}
