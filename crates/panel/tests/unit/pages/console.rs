//! Samples of the operator's console: vendors, users, sandbox requests, the audit log, and error pages.

use crate::pages::tests::fixture::{Maker, Pages, at, vendor_id};
use crate::{
    account::view::Device,
    console::{
        audit::view::{Audit, AuditLine, Subject},
        requests::view::{Request, Requests},
        terms::view::{FeeForm, FeeFormProblem, TermsPage, TermsView},
        users::view::{
            InvitationPage, NewUser, NewUserProblem, User, UserLine, UserState, Users, VendorChoice,
        },
        vendors::view::{
            NewVendor, NewVendorProblem, PairView, SandboxSwitch, SandboxUse, Vendor, VendorCreated,
            VendorLine, Vendors,
        },
    },
    endpoint_check::view::CheckLine,
    pages::{
        Busy, FlashMessage, NavItem, PasswordAgain, PasswordAgainProblem, Question, RefusalPage, TroublePage,
        UserConfirmation, sandbox_request_form::SandboxRequestForm, vendor_name::VendorName,
    },
};
use std::time::Duration;
use till_domain::{
    audit::{AuditEvent, SandboxRequest, SandboxRequestProblem},
    endpoint_check::CheckVerdict,
    environment::EnvironmentName,
    fiscal::FiscalSettings,
    id::CheckId,
    ledger::{Fee, FeeProblem},
    method::Method,
    money::Currency,
    user::{LinkPurpose, Role},
};

/// A vendor's terms: with everything, or with nothing.
fn agreed(full: bool) -> TermsView {
    let fee = |method, code, fixed, returned| Fee {
        method,
        currency: Currency::parse(code),
        millionths: 25_000,
        fixed,
        returned,
    };
    let fees = vec![fee(Method::Card, "RUB", 1_000, true), fee(Method::Crypto, "", 0, false)];
    TermsView {
        fees: if full { fees } else { Vec::new() },
        delay: full.then_some(Duration::from_secs(7 * 86_400)),
        usual: Duration::from_secs(3 * 86_400),
    }
}

impl Maker {
    fn vendor_line(&self, last: u8, name: &str) -> VendorLine {
        VendorLine {
            id: vendor_id(last),
            name: self.s(name),
            disabled: false,
            sandbox: SandboxUse::Off,
            methods: None,
            parent: Some(self.s("Northquay Group")),
            created_at: at("2026-03-02T10:12:00Z"),
        }
    }

    fn audit_lines(&self) -> Vec<AuditLine> {
        let line = |what, detail: Option<&str>, about: bool| AuditLine {
            at: at("2026-11-14T18:34:05Z"),
            who: self.s("ines@till.example"),
            what,
            detail: detail.map(|text| self.s(text)),
            about: about.then(|| Subject {
                name: self.s("Halden Press"),
                href: Some(format!("/operator/vendors/{}", vendor_id(1))),
            }),
            from: about.then(|| self.s("203.0.113.24")),
        };
        vec![
            line(AuditEvent::SandboxOn, Some("asked by help@haldenpress.example"), true),
            line(AuditEvent::SecretRotated, None, true),
            line(AuditEvent::LoggedIn, None, false),
        ]
    }

    fn choices(&self) -> Vec<VendorChoice> {
        let choice = |id: &str, name: &str| VendorChoice { id: id.to_owned(), name: self.s(name) };
        vec![choice("v1", "Halden Press"), choice("v2", "Northquay Group")]
    }

    pub fn vendor_pages(&self) -> Pages {
        let page = |path: &str, body| self.operator(NavItem::Vendors, path, body);
        let moment = at("2026-11-02T09:30:00Z");
        let rows = vec![
            VendorLine {
                sandbox: SandboxUse::On { since: Some(moment) },
                ..self.vendor_line(1, "Halden Press")
            },
            VendorLine { sandbox: SandboxUse::On { since: None }, ..self.vendor_line(2, "Meridian Bikes") },
            VendorLine {
                sandbox: SandboxUse::Requested { at: moment },
                ..self.vendor_line(3, "Oddfellow Tea")
            },
            VendorLine {
                methods: Some(vec![Method::Card, Method::Sbp]),
                ..self.vendor_line(4, "Quarry Sound")
            },
            VendorLine { methods: Some(vec![]), ..self.vendor_line(5, "Lumen Language School") },
            VendorLine { disabled: true, parent: None, ..self.vendor_line(6, "Bramble Garden Supply") },
        ];
        let list = |q: &str, rows: Vec<VendorLine>, pager: bool| {
            let q = if q.is_empty() { String::new() } else { self.s(q) };
            let href = |way: &str| pager.then(|| format!("/operator/vendors?{way}=0199a8f2"));
            let view = Vendors { q, rows, newer: href("newer"), older: href("older") };
            page("/operator/vendors", Box::new(view))
        };
        let new = |problems: &[NewVendorProblem], sandbox| {
            let view = NewVendor {
                name: self.s("Halden Press"),
                sandbox,
                contact_email: self.s("help@haldenpress.example"),
                problems: problems.to_vec(),
            };
            page("/operator/vendors/new", Box::new(view))
        };
        let pair = |word: &str| PairView {
            client_id: format!("{word}_5f0c71d2a9"),
            secret: format!("sk_{word}_Zq4vT1mXc8Ld0yRbK6wPn3Hs9uEa"),
        };
        let created = VendorCreated {
            id: vendor_id(1),
            name: self.s("Halden Press"),
            live: pair("live"),
            sandbox: pair("sbx"),
        };
        let one = |line: VendorLine, full: bool| {
            let set = |text: &str| full.then(|| self.s(text));
            let path = format!("/operator/vendors/{}", line.id);
            let is_requested = line.sandbox.is_requested();
            let when_requested = |text: &str| if is_requested { self.s(text) } else { String::new() };
            let view = Vendor {
                statistics: self.statistics(&path, 30, !full),
                environment: if full { EnvironmentName::Live } else { EnvironmentName::Sandbox },
                live_client_id: "live_5f0c71d2a9".to_owned(),
                sandbox_client_id: "sbx_5f0c71d2a9".to_owned(),
                callback_url: set("https://shop.haldenpress.example/till/callback"),
                return_url: set("https://shop.haldenpress.example/thanks"),
                contact_email: set("help@haldenpress.example"),
                fiscal: FiscalSettings::default(),
                fiscal_outdated: full,
                agreed: agreed(full),
                switched: full.then(|| SandboxSwitch {
                    at: at("2026-10-02T08:00:00Z"),
                    by: self.s("olga@till.example"),
                    request: Some(SandboxRequest {
                        by: self.s("ines@haldenpress.example"),
                        why: self.s("To go live."),
                    }),
                }),
                last_check: full.then(|| CheckLine {
                    id: CheckId::from_bytes([7; 16]),
                    target: self.s("https://shop.haldenpress.example/till/callback"),
                    verdict: Some(CheckVerdict::Ready),
                    at: at("2026-11-15T09:30:00Z"),
                    by: None,
                }),
                request_form: SandboxRequestForm {
                    by: when_requested("ines@haldenpress.example"),
                    why: when_requested("We want to try the callbacks."),
                    problems: Vec::new(),
                },
                supers: self.choices(),
                parent: full.then(|| "v2".to_owned()),
                users: if full { self.user_lines() } else { Vec::new() },
                audit: if full { self.audit_lines() } else { Vec::new() },
                line,
            };
            page(&path, Box::new(view))
        };
        let terms = |full, fee, delay: &str, wrong_delay| {
            let vendor = VendorName { id: vendor_id(1), name: self.s("Halden Press") };
            let delay = if delay.is_empty() { String::new() } else { self.s(delay) };
            let view = TermsPage { vendor, agreed: agreed(full), fee, delay, wrong_delay };
            page("/operator/vendors/1/terms", Box::new(view))
        };
        let wrong = [
            FeeFormProblem::Method,
            FeeFormProblem::Currency,
            FeeFormProblem::Fee(FeeProblem::Percent),
            FeeFormProblem::Fee(FeeProblem::Fixed),
        ];
        let missing = [FeeFormProblem::Fee(FeeProblem::NoCurrency), FeeFormProblem::Nothing];
        use NewVendorProblem::{ContactEmail, NameMissing, NameTooLong};
        vec![
            ("vendors", list("", rows.clone(), true)),
            ("vendors-first", list("", rows[..1].to_vec(), false)),
            ("vendors-empty", list("", Vec::new(), false)),
            ("vendors-no-match", list("halden", Vec::new(), false)),
            ("new-vendor", new(&[], false)),
            ("new-vendor-wrong", new(&[NameMissing, ContactEmail], true)),
            ("new-vendor-long", new(&[NameTooLong], false)),
            ("vendor-created", page("/operator/vendors", Box::new(created))),
            ("vendor", one(rows[0].clone(), true)),
            ("vendor-asked", one(rows[2].clone(), true)),
            ("vendor-some", one(rows[3].clone(), true)),
            ("vendor-bare", one(rows[5].clone(), false)),
            ("terms", terms(true, FeeForm::default(), "", false)),
            ("terms-empty", terms(false, FeeForm::default(), "", false)),
            ("terms-wrong", terms(true, self.wrong_fee(&wrong), "soon", true)),
            ("terms-missing", terms(true, self.wrong_fee(&missing), "", false)),
        ]
    }

    fn wrong_fee(&self, problems: &[FeeFormProblem]) -> FeeForm {
        FeeForm {
            method: self.s("cash"),
            currency: self.s("RUR"),
            percent: self.s("101"),
            fixed: self.s("1.001"),
            returned: true,
            problems: problems.to_vec(),
        }
    }

    fn user_lines(&self) -> Vec<UserLine> {
        let line = |id: &str, email: &str, role, state| UserLine {
            id: id.to_owned(),
            email: self.s(email),
            role,
            vendor: (role != Role::Operator).then(|| self.s("Halden Press")),
            state,
            totp: role == Role::Operator,
            seen_at: (state == UserState::Active).then(|| at("2026-11-14T18:34:05Z")),
        };
        vec![
            line("u1", "ines@till.example", Role::Operator, UserState::Active),
            line("u2", "otto@haldenpress.example", Role::VendorAdmin, UserState::Active),
            line("u3", "books@haldenpress.example", Role::VendorViewer, UserState::Invited),
            line("u4", "gone@northquay.example", Role::SuperVendor, UserState::Disabled),
        ]
    }

    pub fn user_pages(&self) -> Pages {
        let page = |path: &str, body| self.operator(NavItem::Users, path, body);
        let list = |q: &str, rows, older: Option<&str>| {
            let q = if q.is_empty() { String::new() } else { self.s(q) };
            let view = Users { q, rows, newer: None, older: older.map(str::to_owned) };
            page("/operator/users", Box::new(view))
        };
        let new = |problems: &[NewUserProblem], vendor: &str| {
            let view = NewUser {
                email: self.s("otto@haldenpress.example"),
                role: Role::VendorAdmin,
                vendor: vendor.to_owned(),
                vendors: self.choices(),
                problems: problems.to_vec(),
            };
            page("/operator/users/new", Box::new(view))
        };
        let invited = |purpose, link: Option<&str>| {
            let view = InvitationPage {
                id: "u2".to_owned(),
                email: self.s("otto@haldenpress.example"),
                purpose,
                link: link.map(|link| self.s(link)),
                until: at("2026-11-17T18:34:00Z"),
                of_team: false,
            };
            page("/operator/users", Box::new(view))
        };
        let one = |index: usize, sessions: Vec<Device>, is_self| {
            let line = self.user_lines().swap_remove(index);
            let path = format!("/operator/users/{}", line.id);
            let audit = if sessions.is_empty() { Vec::new() } else { self.audit_lines() };
            let created_at = at("2026-03-02T10:12:00Z");
            page(&path, Box::new(User { line, created_at, sessions, is_self, audit }))
        };
        let link = Some("https://pay.till.example/panel/link/f3kQ0m9x7VbT2cYw");
        use NewUserProblem::{Email, EmailTaken, VendorMissing, VendorTooMany};
        vec![
            ("users", list("", self.user_lines(), Some("/operator/users?older=u4"))),
            ("users-empty", list("", Vec::new(), None)),
            ("users-no-match", list("otto", Vec::new(), None)),
            ("new-user", new(&[], "v1")),
            ("new-user-wrong", new(&[Email, VendorMissing], "")),
            ("new-user-taken", new(&[EmailTaken, VendorTooMany], "v1")),
            ("invited", invited(LinkPurpose::Invitation, link)),
            ("invited-mailed", invited(LinkPurpose::Invitation, None)),
            ("reset-made", invited(LinkPurpose::Reset, link)),
            ("reset-mailed", invited(LinkPurpose::Reset, None)),
            ("user", one(1, self.devices(), false)),
            ("user-self", one(0, self.devices(), true)),
            ("user-operator", one(0, self.devices(), false)),
            ("user-invited", one(2, Vec::new(), false)),
            ("user-disabled", one(3, Vec::new(), false)),
        ]
    }

    pub fn console_pages(&self) -> Pages {
        let request = |id: &str, last, name: &str, reason: &str| Request {
            id: id.to_owned(),
            vendor: vendor_id(last),
            vendor_name: self.s(name),
            by: self.s("ines@haldenpress.example"),
            at: at("2026-11-12T08:04:00Z"),
            reason: self.s(reason),
        };
        let rows = vec![
            request("q1", 3, "Oddfellow Tea", "We want to try the callbacks."),
            request("q2", 4, "Quarry Sound", "Before the autumn sale we test a new shop."),
        ];
        let requests =
            |rows| self.operator(NavItem::Requests, "/operator/requests", Box::new(Requests { rows }));
        let audit = |filtered: bool, rows: Vec<AuditLine>| {
            let typed = |text: &str| if filtered { self.s(text) } else { String::new() };
            let older = (!rows.is_empty()).then(|| "/operator/audit?older=7".to_owned());
            let newer = older.as_ref().map(|_| "/operator/audit?newer=9".to_owned());
            let view = Audit { vendor: typed("Halden"), who: typed("ines"), rows, newer, older };
            self.operator(NavItem::Audit, "/operator/audit", Box::new(view))
        };
        let every = AuditEvent::ALL
            .iter()
            .map(|event| AuditLine { what: *event, ..self.audit_lines().swap_remove(1) });
        let ask = |place, question| self.operator(place, "/operator/vendors", Box::new(question));
        let user = |confirmation| {
            let question = Question::User {
                confirmation,
                id: "u2".to_owned(),
                email: self.s("otto@haldenpress.example"),
            };
            ask(NavItem::Users, question)
        };
        let name = || self.s("Halden Press");
        let again = |problem| {
            Question::Password(Box::new(PasswordAgain {
                action: "/operator/providers/stripe".to_owned(),
                hidden: vec![("document".to_owned(), self.s("currencies = [\"EUR\"]"))],
                back: "/operator/providers/stripe".to_owned(),
                problem,
            }))
        };
        let off = |problems: &[SandboxRequestProblem]| Question::SandboxOff {
            vendor: vendor_id(1),
            name: name(),
            request_form: SandboxRequestForm { problems: problems.to_vec(), ..SandboxRequestForm::default() },
        };
        use SandboxRequestProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
        vec![
            ("requests", requests(rows)),
            ("requests-empty", requests(Vec::new())),
            ("audit", audit(false, self.audit_lines())),
            ("audit-every", audit(false, every.collect())),
            ("audit-none", audit(true, Vec::new())),
            ("ask-sandbox-off", ask(NavItem::Vendors, off(&[]))),
            ("ask-sandbox-off-wrong", ask(NavItem::Vendors, off(&[ByMissing, WhyMissing]))),
            ("ask-sandbox-off-long", ask(NavItem::Vendors, off(&[ByTooLong, WhyTooLong]))),
            (
                "ask-disable",
                ask(NavItem::Vendors, Question::DisableVendor { vendor: vendor_id(1), name: name() }),
            ),
            (
                "ask-no-methods",
                ask(NavItem::Vendors, Question::NoMethods { vendor: vendor_id(1), name: name() }),
            ),
            ("ask-user-disable", user(UserConfirmation::Disable)),
            ("ask-user-reset", user(UserConfirmation::Reset)),
            ("ask-user-totp", user(UserConfirmation::TotpOff)),
            ("ask-user-sessions", user(UserConfirmation::EndSessions)),
            ("ask-password", ask(NavItem::Providers, again(None))),
            ("ask-password-wrong", ask(NavItem::Providers, again(Some(PasswordAgainProblem::Wrong)))),
            (
                "ask-password-throttled",
                ask(NavItem::Providers, again(Some(PasswordAgainProblem::Throttled { seconds: 30 }))),
            ),
            (
                "ask-dismiss",
                ask(NavItem::Requests, Question::Dismiss { id: "q1".to_owned(), vendor: name() }),
            ),
        ]
    }

    pub fn errors(&self) -> Pages {
        let trouble = Box::new(TroublePage { reference: self.s("7b0f2c9e") });
        let mut pages = vec![
            ("refused", self.vendor("/operator/vendors", Box::new(RefusalPage::Forbidden))),
            ("nowhere", self.vendor("/panel/nothing", Box::new(RefusalPage::NotFound))),
            ("trouble", self.operator(NavItem::Vendors, "/operator/vendors", trouble.clone())),
            ("wrong-way", self.vendor("/panel/settings/reveal", Box::new(RefusalPage::WrongMethod))),
            ("too-large", self.vendor("/panel/settings", Box::new(RefusalPage::TooLarge))),
            ("busy", self.vendor("/panel/account", Box::new(Busy { seconds: 1 }))),
            ("refused-outside", self.outside("/panel/login", Box::new(RefusalPage::Forbidden))),
            ("nowhere-outside", self.outside("/panel/nothing", Box::new(RefusalPage::NotFound))),
            ("trouble-outside", self.outside("/panel/login", trouble)),
        ];
        for notice in FlashMessage::ALL.iter().copied() {
            let mut page = self.vendor("/panel/nothing", Box::new(RefusalPage::NotFound));
            page.frame.notice = Some(notice);
            pages.push(("notice", page));
        }
        pages
    }
}
