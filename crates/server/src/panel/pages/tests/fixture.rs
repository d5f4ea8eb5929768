//! Every page there is, in the states that look different, around texts that a test may choose.

use crate::panel::pages::{
    Account, AccountProblem, AskSandbox, AskedForm, Audit, AuditLine, Body, CodeProblem, CodeStep, Device,
    Ended, FactorForm, Forgot, ForgotProblem, Frame, Invited, Language, LinkEnded, Login, LoginProblem,
    NewUser, NewUserProblem, NewVendor, NewVendorProblem, Notice, Overlap, OverlapChoice, Page, Pair,
    PasswordProblem, Place, Profile, ProfileCredentials, ProfileLine, ProfileVendor, Question, RecoveryCodes,
    Request, Requests, Rotate, RotateProblem, Rotated, Sandbox, SandboxState, SandboxUse, Secret,
    SetPassword, Settings, SettingsForm, SettingsProblem, Subject, Switched, TestResult, Totp, TotpSetup,
    User, UserDeed, UserLine, UserState, Users, Vendor, VendorChoice, VendorCreated, VendorLine, Vendors,
    Who, Zone, ZoneForm,
};
use scraper::{Html, Selector};
use till_domain::{
    audit::{Asked, AskedProblem, Deed},
    delivery::AttemptResult,
    environment::Environment,
    id::VendorId,
    method::Method,
    time::Timestamp,
    user::{LinkPurpose, Role},
    weburl::UrlProblem,
};

/// What forms carry in these pages.
pub const CSRF: &str = "csrf-of-this-session";

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a moment")
}

pub fn vendor_id(last: u8) -> VendorId {
    VendorId::parse(&format!("0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b{last:02x}")).expect("an id")
}

/// Makes pages of one language.
pub struct Maker {
    pub language: Language,
    /// Stands for every text that a person chose, if it is there.
    pub text: Option<String>,
}

pub type Pages = Vec<(&'static str, Page)>;

impl Maker {
    pub fn usual(language: Language) -> Self {
        Self { language, text: None }
    }

    pub fn s(&self, usual: &str) -> String {
        self.text.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// Every page, with a name.
    pub fn pages(&self) -> Pages {
        let parts = [
            self.entries(),
            self.accounts(),
            self.payments(),
            self.settings_pages(),
            self.sandboxes(),
            self.shelf_pages(),
            self.profiles(),
            self.vendor_pages(),
            self.user_pages(),
            self.desk(),
            self.watching(),
            self.errors(),
        ];
        parts.concat()
    }

    pub fn frame(&self, role: Option<Role>, place: Option<Place>, path: &str) -> Frame {
        let name = match role {
            Some(Role::SuperVendor) => Some("Northquay Group"),
            Some(Role::VendorAdmin | Role::VendorViewer) => Some("Halden Press"),
            _ => None,
        };
        Frame {
            language: self.language,
            zone: Zone::ahead(180),
            path: path.to_owned(),
            csrf: CSRF.to_owned(),
            once: "0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2bff".to_owned(),
            who: role.map(|role| Who {
                email: self.s("ines@haldenpress.example"),
                role,
                vendor: name.map(|name| self.s(name)),
            }),
            place,
            sandbox_banner: false,
            notice: None,
            open_requests: 2,
            open_payouts: 0,
            open_actions: 3,
        }
    }

    fn outside(&self, path: &str, body: Body) -> Page {
        Page { frame: self.frame(None, None, path), body }
    }

    fn vendor(&self, path: &str, body: Body) -> Page {
        Page { frame: self.frame(Some(Role::VendorAdmin), Some(Place::Settings), path), body }
    }

    fn sandboxed(&self, path: &str, body: Body) -> Page {
        let mut page = self.vendor(path, body);
        page.frame.sandbox_banner = true;
        page
    }

    pub fn operator(&self, place: Place, path: &str, body: Body) -> Page {
        Page { frame: self.frame(Some(Role::Operator), Some(place), path), body }
    }

    fn entries(&self) -> Pages {
        let login = |problem| {
            let view = Login {
                email: self.s("ines@haldenpress.example"),
                next: "/panel/settings".to_owned(),
                problem,
            };
            self.outside("/panel/login", Body::Login(view))
        };
        let code = |problem| {
            self.outside("/panel/login/code", Body::Code(CodeStep { problem, ..CodeStep::default() }))
        };
        let forgot = |mail, problem| {
            let support = Some(self.s("support@till.example"));
            let view = Forgot { email: self.s("ines@haldenpress.example"), mail, support, problem };
            self.outside("/panel/forgot", Body::Forgot(view))
        };
        let set = |purpose, problems: &[PasswordProblem]| {
            let view = SetPassword {
                purpose,
                email: self.s("ines@haldenpress.example"),
                problems: problems.to_vec(),
            };
            self.outside("/panel/link/k3s9", Body::SetPassword(view))
        };
        let ended = |mail| {
            let view = LinkEnded { mail, support: Some(self.s("support@till.example")) };
            self.outside("/panel/link/k3s9", Body::LinkEnded(view))
        };
        let sent = Body::ForgotSent { support: Some(self.s("https://till.example/help")) };
        let mut told = login(None);
        told.frame.notice = Some(Notice::PasswordSet);
        vec![
            ("login", login(None)),
            ("login-wrong", login(Some(LoginProblem::Wrong))),
            ("login-throttled", login(Some(LoginProblem::Throttled { seconds: 290 }))),
            ("login-ended", login(Some(LoginProblem::SessionEnded(Ended::Plain)))),
            ("login-told", told),
            ("code", code(None)),
            ("code-wrong", code(Some(CodeProblem::Wrong))),
            ("code-throttled", code(Some(CodeProblem::Throttled { seconds: 1 }))),
            ("forgot", forgot(true, None)),
            ("forgot-wrong", forgot(true, Some(ForgotProblem::Email))),
            ("forgot-throttled", forgot(true, Some(ForgotProblem::Throttled { seconds: 60 }))),
            ("forgot-no-mail", forgot(false, None)),
            ("forgot-sent", self.outside("/panel/forgot", sent)),
            ("invitation", set(LinkPurpose::Invitation, &[])),
            ("reset", set(LinkPurpose::Reset, &[PasswordProblem::TooShort, PasswordProblem::Differs])),
            ("reset-common", set(LinkPurpose::Reset, &[PasswordProblem::Common])),
            ("reset-long", set(LinkPurpose::Reset, &[PasswordProblem::TooLong])),
            ("link-ended", ended(true)),
            ("link-ended-no-mail", ended(false)),
        ]
    }

    fn devices(&self) -> Vec<Device> {
        let device = |id: &str, agent: &str, address: &str, current| Device {
            id: id.to_owned(),
            agent: self.s(agent),
            address: self.s(address),
            since: at("2026-11-12T08:04:00Z"),
            seen: at("2026-11-14T18:34:05Z"),
            current,
        };
        vec![
            device("s1", "Firefox 132 on Linux", "203.0.113.24", true),
            device("s2", "Safari 18 on iPhone", "2001:db8:85a3::8a2e:370:7334", false),
        ]
    }

    fn accounts(&self) -> Pages {
        let account = |role, totp, problems: &[AccountProblem]| {
            let wrong_zone = problems.contains(&AccountProblem::TimeZone);
            let zone = ZoneForm {
                typed: if wrong_zone { self.s("Europe/Atlantis") } else { String::new() },
                usual: "Europe/Oslo".to_owned(),
                zones: vec!["Europe/Oslo".to_owned(), "UTC".to_owned()],
            };
            let view = Account { problems: problems.to_vec(), totp, sessions: self.devices(), zone };
            let frame = self.frame(Some(role), Some(Place::Account), "/panel/account");
            Page { frame, body: Body::Account(view) }
        };
        let on = |codes_left, required| Totp::On { since: at("2026-10-01T09:00:00Z"), codes_left, required };
        let setup = |wrong, forced| {
            let view = TotpSetup {
                uri: "otpauth://totp/Till:ines%40haldenpress.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Till"
                    .to_owned(),
                secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP".to_owned(),
                wrong,
                forced,
            };
            let (role, place) =
                if forced { (Role::Operator, None) } else { (Role::VendorAdmin, Some(Place::Account)) };
            Page { frame: self.frame(Some(role), place, "/panel/account/totp"), body: Body::TotpSetup(view) }
        };
        let codes = |place, next: &str| {
            let codes = (0..10).map(|n| format!("k4t{n}-9qw{n}-x2m{n}")).collect();
            let view = RecoveryCodes { codes, next: next.to_owned() };
            let frame = self.frame(Some(Role::VendorAdmin), place, "/panel/account/totp/confirm");
            Page { frame, body: Body::RecoveryCodes(view) }
        };
        let password = [
            AccountProblem::CurrentWrong,
            AccountProblem::Password(PasswordProblem::TooShort),
            AccountProblem::Password(PasswordProblem::Differs),
        ];
        let throttled = [AccountProblem::Throttled { seconds: 30 }];
        let mut alone = account(Role::VendorAdmin, Totp::Off, &[]);
        if let Body::Account(view) = &mut alone.body {
            view.sessions.truncate(1);
        }
        let wrong = AccountProblem::FactorPasswordWrong;
        vec![
            ("account", account(Role::VendorAdmin, Totp::Off, &[])),
            ("account-alone", alone),
            ("account-wrong", account(Role::VendorAdmin, Totp::Off, &password)),
            ("account-zone", account(Role::Operator, Totp::Off, &[AccountProblem::TimeZone])),
            ("account-throttled", account(Role::VendorViewer, Totp::Off, &throttled)),
            ("account-totp", account(Role::VendorAdmin, on(9, false), &[])),
            ("account-totp-wrong", account(Role::VendorAdmin, on(0, false), &[wrong(FactorForm::Off)])),
            ("account-phone-wrong", account(Role::Operator, on(3, true), &[wrong(FactorForm::Phone)])),
            ("account-codes-wrong", account(Role::Operator, on(3, true), &[wrong(FactorForm::Codes)])),
            ("account-operator", account(Role::Operator, on(1, true), &[])),
            ("totp-setup", setup(false, false)),
            ("totp-setup-wrong", setup(true, false)),
            ("totp-forced", setup(false, true)),
            ("recovery-codes", codes(Some(Place::Account), "/panel/account")),
            ("recovery-codes-forced", codes(None, "/operator/vendors")),
        ]
    }

    pub fn settings(&self, environment: Environment) -> Settings {
        let prefix = if environment == Environment::Sandbox { "sbx" } else { "live" };
        Settings {
            environment,
            client_id: format!("{prefix}_5f0c71d2a9"),
            secret: Secret::Hidden,
            rotated_at: Some(at("2026-09-02T10:12:00Z")),
            overlap: None,
            can_change: true,
            form: SettingsForm {
                callback_url: self.s("https://shop.haldenpress.example/till/callback"),
                return_url: self.s("https://shop.haldenpress.example/thanks"),
                contact_email: self.s("help@haldenpress.example"),
                display_name: self.s("Halden Press"),
                time_zone: self.s("Europe/Moscow"),
                language: self.language,
                receipt_copy: false,
                confirm_shared: false,
            },
            problems: Vec::new(),
            zones: ["Europe/Berlin", "Europe/Moscow", "UTC"].map(|zone| self.s(zone)).to_vec(),
            can_test: true,
            test: None,
        }
    }

    fn settings_pages(&self) -> Pages {
        let path = "/panel/settings";
        let live = |change: &dyn Fn(&mut Settings)| {
            let mut view = self.settings(Environment::Live);
            change(&mut view);
            self.vendor(path, Body::Settings(Box::new(view)))
        };
        let sandbox = |change: &dyn Fn(&mut Settings)| {
            let mut view = self.settings(Environment::Sandbox);
            change(&mut view);
            self.sandboxed(path, Body::Settings(Box::new(view)))
        };
        let overlap = |new_signs| {
            let until = at("2026-11-15T18:34:00Z");
            Some(Overlap { until, old_client_id: "live_0b7d22c9f1".to_owned(), new_signs })
        };
        let test = |result| Some(TestResult { result, took_ms: 143 });
        let wrong = vec![
            SettingsProblem::CallbackUrl(UrlProblem::Malformed),
            SettingsProblem::ReturnUrl(UrlProblem::PrivateAddress),
            SettingsProblem::ContactEmail,
            SettingsProblem::NameMissing,
            SettingsProblem::TimeZone,
        ];
        let long = vec![
            SettingsProblem::CallbackUrl(UrlProblem::TooLong),
            SettingsProblem::ReturnUrl(UrlProblem::UserInfo),
            SettingsProblem::NameTooLong,
        ];
        let mut viewer = live(&|view| view.can_change = false);
        viewer.frame.who = self.frame(Some(Role::VendorViewer), None, path).who;
        let mut saved = live(&|_| ());
        saved.frame.notice = Some(Notice::Saved);
        let mut overtaken = live(&|_| ());
        overtaken.frame.notice = Some(Notice::Overtaken);
        let mut pages = vec![
            ("settings", sandbox(&|view| view.test = test(AttemptResult::Delivered(200)))),
            ("settings-live", live(&|view| view.rotated_at = None)),
            (
                "settings-revealed",
                sandbox(&|view| view.secret = Secret::Shown(self.s("sk_sbx_Zq4vT1mXc8Ld0yRbK6wPn3Hs9uEa"))),
            ),
            ("settings-overlap-old", live(&|view| view.overlap = overlap(false))),
            ("settings-overlap-new", live(&|view| view.overlap = overlap(true))),
            ("settings-viewer", viewer),
            ("settings-saved", saved),
            ("settings-overtaken", overtaken),
            ("settings-wrong", live(&|view| view.problems.clone_from(&wrong))),
            ("settings-long", live(&|view| view.problems.clone_from(&long))),
            ("settings-unconfirmed", sandbox(&|view| view.problems = vec![SettingsProblem::ConfirmShared])),
            ("settings-confirmed", sandbox(&|view| view.form.confirm_shared = true)),
            (
                "settings-http",
                live(&|view| view.form.callback_url = "http://shop.haldenpress.example/".to_owned()),
            ),
            (
                "settings-empty",
                live(&|view| {
                    view.form.callback_url = String::new();
                    view.can_test = false;
                }),
            ),
            ("settings-test-500", live(&|view| view.test = test(AttemptResult::Status(500)))),
        ];
        let failures = [
            ("settings-test-blocked", AttemptResult::Blocked),
            ("settings-test-dns", AttemptResult::Dns),
            ("settings-test-connect", AttemptResult::Connect),
            ("settings-test-tls", AttemptResult::Tls),
            ("settings-test-timeout", AttemptResult::Timeout),
            ("settings-test-closed", AttemptResult::Closed),
            ("settings-test-protocol", AttemptResult::Protocol),
            ("settings-test-interrupted", AttemptResult::Interrupted),
        ];
        pages.extend(failures.map(|(name, result)| (name, live(&|view| view.test = test(result)))));
        pages.extend(self.rotations());
        pages
    }

    fn rotations(&self) -> Pages {
        let path = "/panel/settings/rotate";
        let rotate = |environment, problem| {
            let client_id = "live_5f0c71d2a9".to_owned();
            Body::Rotate(Rotate { environment, client_id, overlap: OverlapChoice::Day, problem })
        };
        let rotated = |old_until| {
            Body::Rotated(Rotated {
                environment: Environment::Live,
                client_id: "live_77a0c3e1b4".to_owned(),
                secret: "sk_live_Zq4vT1mXc8Ld0yRbK6wPn3Hs9uEa".to_owned(),
                old_until,
            })
        };
        let throttled = Some(RotateProblem::Throttled { seconds: 600 });
        let mut sandbox = self.sandboxed(path, rotated(None));
        if let Body::Rotated(view) = &mut sandbox.body {
            view.environment = Environment::Sandbox;
        }
        vec![
            ("rotate", self.vendor(path, rotate(Environment::Live, None))),
            ("rotate-sandbox", self.sandboxed(path, rotate(Environment::Sandbox, None))),
            (
                "rotate-wrong",
                self.vendor(path, rotate(Environment::Live, Some(RotateProblem::WrongPassword))),
            ),
            ("rotate-choose", self.vendor(path, rotate(Environment::Live, Some(RotateProblem::NoOverlap)))),
            ("rotate-throttled", self.vendor(path, rotate(Environment::Live, throttled))),
            ("rotated", self.vendor(path, rotated(Some(at("2026-11-15T18:34:00Z"))))),
            ("rotated-now", sandbox),
        ]
    }

    fn sandboxes(&self) -> Pages {
        let page = |state| {
            let view = Sandbox { state, support: Some(self.s("support@till.example")) };
            self.vendor("/panel/sandbox", Body::Sandbox(view))
        };
        let ask = |problem, can_ask| {
            let missing = problem == Some(AskedProblem::WhyMissing);
            let reason = if missing { String::new() } else { self.s("We want to try refunds.") };
            page(SandboxState::Off(AskSandbox { reason, problem, can_ask }))
        };
        let (moment, by) = (at("2026-11-12T08:04:00Z"), self.s("ines@haldenpress.example"));
        let asked = |reason| SandboxState::Asked { at: moment, by: by.clone(), reason };
        let mut on = page(SandboxState::On { at: Some(moment), by: Some(by.clone()) });
        on.frame.sandbox_banner = true;
        let mut quiet = page(SandboxState::On { at: None, by: None });
        quiet.frame.sandbox_banner = true;
        if let Body::Sandbox(view) = &mut quiet.body {
            view.support = None;
        }
        vec![
            ("sandbox-off", ask(None, true)),
            ("sandbox-missing", ask(Some(AskedProblem::WhyMissing), true)),
            ("sandbox-long", ask(Some(AskedProblem::WhyTooLong), true)),
            ("sandbox-viewer", ask(None, false)),
            ("sandbox-asked", page(asked(self.s("We want to try the callbacks.")))),
            ("sandbox-on", on),
            ("sandbox-on-quiet", quiet),
        ]
    }

    fn profiles(&self) -> Pages {
        let line = |last, name: &str, sandbox, disabled| ProfileLine {
            id: vendor_id(last),
            name: self.s(name),
            sandbox,
            disabled,
        };
        let vendors = || {
            vec![
                line(1, "Halden Press", true, false),
                line(2, "Meridian Bikes", true, false),
                line(3, "Oddfellow Tea", false, false),
                line(4, "Quarry Sound", false, true),
            ]
        };
        let page = |path: &str, body| Page {
            frame: self.frame(Some(Role::SuperVendor), Some(Place::Profile), path),
            body,
        };
        let support = Some(self.s("support@till.example"));
        let one = |credentials| {
            let (id, name) = (vendor_id(2), self.s("Meridian Bikes"));
            let view = ProfileVendor { vendors: vendors(), id, name, credentials, support: support.clone() };
            page(&format!("/panel/profile/{id}"), Body::ProfileVendor(view))
        };
        let credentials =
            |secret| Some(ProfileCredentials { client_id: "sbx_e2907b51c4".to_owned(), secret });
        let all =
            |vendors| page("/panel/profile", Body::Profile(Profile { vendors, support: support.clone() }));
        vec![
            ("profile", all(vendors())),
            ("profile-empty", all(Vec::new())),
            ("profile-vendor", one(credentials(Secret::Hidden))),
            (
                "profile-revealed",
                one(credentials(Secret::Shown(self.s("sk_sbx_9uEaZq4vT1mXc8Ld0yRbK6wPn3Hs")))),
            ),
            ("profile-no-sandbox", one(None)),
        ]
    }

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
            line(Deed::SandboxOn, Some("asked by help@haldenpress.example"), true),
            line(Deed::SecretRotated, None, true),
            line(Deed::LoggedIn, None, false),
        ]
    }

    fn choices(&self) -> Vec<VendorChoice> {
        let choice = |id: &str, name: &str| VendorChoice { id: id.to_owned(), name: self.s(name) };
        vec![choice("v1", "Halden Press"), choice("v2", "Northquay Group")]
    }

    fn vendor_pages(&self) -> Pages {
        let page = |path: &str, body| self.operator(Place::Vendors, path, body);
        let moment = at("2026-11-02T09:30:00Z");
        let rows = vec![
            VendorLine {
                sandbox: SandboxUse::On { since: Some(moment) },
                ..self.vendor_line(1, "Halden Press")
            },
            VendorLine { sandbox: SandboxUse::On { since: None }, ..self.vendor_line(2, "Meridian Bikes") },
            VendorLine { sandbox: SandboxUse::Asked { at: moment }, ..self.vendor_line(3, "Oddfellow Tea") },
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
            page("/operator/vendors", Body::Vendors(view))
        };
        let new = |problems: &[NewVendorProblem], sandbox| {
            let view = NewVendor {
                name: self.s("Halden Press"),
                sandbox,
                contact_email: self.s("help@haldenpress.example"),
                problems: problems.to_vec(),
            };
            page("/operator/vendors/new", Body::NewVendor(view))
        };
        let pair = |word: &str| Pair {
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
            let asked = line.sandbox.is_asked();
            let asked = |text: &str| if asked { self.s(text) } else { String::new() };
            let view = Vendor {
                live_client_id: "live_5f0c71d2a9".to_owned(),
                sandbox_client_id: "sbx_5f0c71d2a9".to_owned(),
                callback_url: set("https://shop.haldenpress.example/till/callback"),
                return_url: set("https://shop.haldenpress.example/thanks"),
                contact_email: set("help@haldenpress.example"),
                switched: full.then(|| Switched {
                    at: at("2026-10-02T08:00:00Z"),
                    by: self.s("olga@till.example"),
                    asked: Some(Asked { by: self.s("ines@haldenpress.example"), why: self.s("To go live.") }),
                }),
                asked: AskedForm {
                    by: asked("ines@haldenpress.example"),
                    why: asked("We want to try the callbacks."),
                    problems: Vec::new(),
                },
                supers: self.choices(),
                parent: full.then(|| "v2".to_owned()),
                users: if full { self.user_lines() } else { Vec::new() },
                audit: if full { self.audit_lines() } else { Vec::new() },
                line,
            };
            page(&path, Body::Vendor(Box::new(view)))
        };
        use NewVendorProblem::{ContactEmail, NameMissing, NameTaken, NameTooLong};
        vec![
            ("vendors", list("", rows.clone(), true)),
            ("vendors-first", list("", rows[..1].to_vec(), false)),
            ("vendors-empty", list("", Vec::new(), false)),
            ("vendors-no-match", list("halden", Vec::new(), false)),
            ("new-vendor", new(&[], false)),
            ("new-vendor-wrong", new(&[NameMissing, ContactEmail], true)),
            ("new-vendor-taken", new(&[NameTaken], false)),
            ("new-vendor-long", new(&[NameTooLong], false)),
            ("vendor-created", page("/operator/vendors", Body::VendorCreated(created))),
            ("vendor", one(rows[0].clone(), true)),
            ("vendor-asked", one(rows[2].clone(), true)),
            ("vendor-some", one(rows[3].clone(), true)),
            ("vendor-bare", one(rows[5].clone(), false)),
        ]
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

    fn user_pages(&self) -> Pages {
        let page = |path: &str, body| self.operator(Place::Users, path, body);
        let list = |q: &str, rows, older: Option<&str>| {
            let q = if q.is_empty() { String::new() } else { self.s(q) };
            let view = Users { q, rows, newer: None, older: older.map(str::to_owned) };
            page("/operator/users", Body::Users(view))
        };
        let new = |problems: &[NewUserProblem], vendor: &str| {
            let view = NewUser {
                email: self.s("otto@haldenpress.example"),
                role: Role::VendorAdmin,
                vendor: vendor.to_owned(),
                vendors: self.choices(),
                problems: problems.to_vec(),
            };
            page("/operator/users/new", Body::NewUser(view))
        };
        let invited = |purpose, link: Option<&str>| {
            let view = Invited {
                id: "u2".to_owned(),
                email: self.s("otto@haldenpress.example"),
                purpose,
                link: link.map(|link| self.s(link)),
                until: at("2026-11-17T18:34:00Z"),
                of_team: false,
            };
            page("/operator/users", Body::Invited(view))
        };
        let one = |index: usize, sessions: Vec<Device>, is_self| {
            let line = self.user_lines().swap_remove(index);
            let path = format!("/operator/users/{}", line.id);
            let audit = if sessions.is_empty() { Vec::new() } else { self.audit_lines() };
            let created_at = at("2026-03-02T10:12:00Z");
            page(&path, Body::User(Box::new(User { line, created_at, sessions, is_self, audit })))
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

    fn desk(&self) -> Pages {
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
            |rows| self.operator(Place::Requests, "/operator/requests", Body::Requests(Requests { rows }));
        let audit = |filtered: bool, rows: Vec<AuditLine>| {
            let typed = |text: &str| if filtered { self.s(text) } else { String::new() };
            let older = (!rows.is_empty()).then(|| "/operator/audit?older=7".to_owned());
            let newer = older.as_ref().map(|_| "/operator/audit?newer=9".to_owned());
            let view = Audit { vendor: typed("Halden"), who: typed("ines"), rows, newer, older };
            self.operator(Place::Audit, "/operator/audit", Body::Audit(view))
        };
        let every =
            Deed::ALL.iter().map(|deed| AuditLine { what: *deed, ..self.audit_lines().swap_remove(1) });
        let ask = |place, question| self.operator(place, "/operator/vendors", Body::Confirm(question));
        let user = |deed| {
            let question =
                Question::User { deed, id: "u2".to_owned(), email: self.s("otto@haldenpress.example") };
            ask(Place::Users, question)
        };
        let name = || self.s("Halden Press");
        let off = |problems: &[AskedProblem]| Question::SandboxOff {
            vendor: vendor_id(1),
            name: name(),
            asked: AskedForm { problems: problems.to_vec(), ..AskedForm::default() },
        };
        use AskedProblem::{ByMissing, ByTooLong, WhyMissing, WhyTooLong};
        vec![
            ("requests", requests(rows)),
            ("requests-empty", requests(Vec::new())),
            ("audit", audit(false, self.audit_lines())),
            ("audit-every", audit(false, every.collect())),
            ("audit-none", audit(true, Vec::new())),
            ("ask-sandbox-off", ask(Place::Vendors, off(&[]))),
            ("ask-sandbox-off-wrong", ask(Place::Vendors, off(&[ByMissing, WhyMissing]))),
            ("ask-sandbox-off-long", ask(Place::Vendors, off(&[ByTooLong, WhyTooLong]))),
            (
                "ask-disable",
                ask(Place::Vendors, Question::DisableVendor { vendor: vendor_id(1), name: name() }),
            ),
            (
                "ask-no-methods",
                ask(Place::Vendors, Question::NoMethods { vendor: vendor_id(1), name: name() }),
            ),
            ("ask-user-disable", user(UserDeed::Disable)),
            ("ask-user-reset", user(UserDeed::Reset)),
            ("ask-user-totp", user(UserDeed::TotpOff)),
            ("ask-user-sessions", user(UserDeed::EndSessions)),
            ("ask-dismiss", ask(Place::Requests, Question::Dismiss { id: "q1".to_owned(), vendor: name() })),
        ]
    }

    fn errors(&self) -> Pages {
        let trouble = Body::Trouble { reference: self.s("7b0f2c9e") };
        let mut pages = vec![
            ("refused", self.vendor("/operator/vendors", Body::Forbidden)),
            ("nowhere", self.vendor("/panel/nothing", Body::NotFound)),
            ("trouble", self.operator(Place::Vendors, "/operator/vendors", trouble.clone())),
            ("wrong-way", self.vendor("/panel/settings/reveal", Body::WrongWay)),
            ("too-large", self.vendor("/panel/settings", Body::TooLarge)),
            ("busy", self.vendor("/panel/account", Body::Busy { seconds: 1 })),
            ("refused-outside", self.outside("/panel/login", Body::Forbidden)),
            ("nowhere-outside", self.outside("/panel/nothing", Body::NotFound)),
            ("trouble-outside", self.outside("/panel/login", trouble)),
        ];
        for notice in Notice::ALL.iter().copied() {
            let mut page = self.vendor("/panel/nothing", Body::NotFound);
            page.frame.notice = Some(notice);
            pages.push(("notice", page));
        }
        pages
    }
}

/// How many elements of a document match.
pub fn count(document: &Html, selector: &str) -> usize {
    document.select(&Selector::parse(selector).expect("a selector")).count()
}

/// The text of the first element that matches.
pub fn text(document: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).next().map(|element| element.text().collect())
}
