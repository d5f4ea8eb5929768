//! Samples of the pages for log-in, account, a vendor's settings and sandbox, and a super vendor's profile.

use crate::pages::tests::fixture::{Maker, Pages, at, vendor_id};
use crate::{
    account::view::{Account, AccountProblem, Device, FactorForm, RecoveryCodes, Totp, TotpSetup, ZoneForm},
    endpoint_check::view::{CheckLine, CheckPage, CheckProblem, ReportPage},
    login::view::{
        CodeProblem, CodeStep, ForgotPage, ForgotProblem, ForgotSent, LinkEnded, LoginEnd, LoginPage,
        LoginProblem, PasswordProblem, SetPassword,
    },
    misdelivery::view::{DeliveryPage, DeliveryProblem},
    pages::{
        FlashMessage, NavItem, PanelPage,
        zones::{ZoneList, ZoneRegion},
    },
    profile::view::{Profile, ProfileCredentials, ProfileLine, ProfileVendor, SandboxActivity},
    settings::view::{
        AskSandbox, Overlap, OverlapChoice, Rotate, RotateProblem, RotatedPage, SandboxAccess, SandboxState,
        Secret, Settings, SettingsForm, SettingsProblem, TestResult,
    },
    signature::view::{SignatureForm, SignaturePage, SignatureProblem},
};
use std::time::Duration;
use till_domain::{
    audit::SandboxRequestProblem,
    callback::EventFamilies,
    delivery::AttemptResult,
    endpoint_check::{CheckStep, CheckVerdict},
    environment::EnvironmentName,
    id::CheckId,
    misdelivery::Fault,
    user::{LinkPurpose, Role},
    weburl::UrlProblem,
};
use till_service::callbacks::{
    endpoint_check::{CodeLanguage, StepReport},
    signature_check::{Diagnosis, Mistake, SignatureReport},
};

/// A list of time zones that is short: every page is parsed many times.
fn few_zones(chosen: String) -> ZoneList {
    let zones = ["Europe/Moscow", "Europe/Oslo"].map(str::to_owned).to_vec();
    ZoneList { chosen, regions: vec![ZoneRegion { name: "Europe", zones }] }
}

impl Maker {
    pub fn entries(&self) -> Pages {
        let login = |problem| {
            let view = LoginPage {
                email: self.s("ines@haldenpress.example"),
                next: "/panel/settings".to_owned(),
                problem,
            };
            self.outside("/panel/login", Box::new(view))
        };
        let code = |problem| {
            self.outside("/panel/login/code", Box::new(CodeStep { problem, ..CodeStep::default() }))
        };
        let forgot = |mail, problem| {
            let support = Some(self.s("support@till.example"));
            let view = ForgotPage { email: self.s("ines@haldenpress.example"), mail, support, problem };
            self.outside("/panel/forgot", Box::new(view))
        };
        let set = |purpose, problems: &[PasswordProblem]| {
            let view = SetPassword {
                purpose,
                email: self.s("ines@haldenpress.example"),
                problems: problems.to_vec(),
            };
            self.outside("/panel/link/k3s9", Box::new(view))
        };
        let ended = |mail| {
            let view = LinkEnded { mail, support: Some(self.s("support@till.example")) };
            self.outside("/panel/link/k3s9", Box::new(view))
        };
        let sent = Box::new(ForgotSent { support: Some(self.s("https://till.example/help")) });
        let mut after_reset = login(None);
        after_reset.frame.notice = Some(FlashMessage::PasswordSet);
        vec![
            ("login", login(None)),
            ("login-wrong", login(Some(LoginProblem::Wrong))),
            ("login-throttled", login(Some(LoginProblem::Throttled { seconds: 290 }))),
            ("login-ended", login(Some(LoginProblem::SessionEnded(LoginEnd::Plain)))),
            ("login-told", after_reset),
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

    pub fn devices(&self) -> Vec<Device> {
        let device = |id: &str, agent: &str, address: &str, current| Device {
            id: id.to_owned(),
            agent: self.s(agent),
            address: self.s(address),
            since: at("2026-11-12T08:04:00Z"),
            seen: at("2026-11-14T18:34:05Z"),
            current,
        };
        vec![
            device(
                "s1",
                "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
                "203.0.113.24",
                true,
            ),
            device(
                "s2",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1",
                "2001:db8:85a3::8a2e:370:7334",
                false,
            ),
        ]
    }

    pub fn accounts(&self) -> Pages {
        let account_on = |sessions, role, totp, problems: &[AccountProblem]| {
            let wrong_zone = problems.contains(&AccountProblem::TimeZone);
            let zone = ZoneForm {
                usual: "Europe/Oslo".to_owned(),
                zones: few_zones(if wrong_zone { self.s("Europe/Atlantis") } else { String::new() }),
            };
            let view = Account { problems: problems.to_vec(), totp, sessions, zone };
            let frame = self.frame(Some(role), Some(NavItem::Account), "/panel/account");
            PanelPage { frame, body: Box::new(view) }
        };
        let account =
            |role, totp, problems: &[AccountProblem]| account_on(self.devices(), role, totp, problems);
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
                if forced { (Role::Operator, None) } else { (Role::VendorAdmin, Some(NavItem::Account)) };
            PanelPage { frame: self.frame(Some(role), place, "/panel/account/totp"), body: Box::new(view) }
        };
        let codes = |place, next: &str| {
            let codes = (0..10).map(|n| format!("k4t{n}-9qw{n}-x2m{n}")).collect();
            let view = RecoveryCodes { codes, next: next.to_owned() };
            let frame = self.frame(Some(Role::VendorAdmin), place, "/panel/account/totp/confirm");
            PanelPage { frame, body: Box::new(view) }
        };
        let password = [
            AccountProblem::CurrentWrong,
            AccountProblem::Password(PasswordProblem::TooShort),
            AccountProblem::Password(PasswordProblem::Differs),
        ];
        let throttled = [AccountProblem::Throttled { seconds: 30 }];
        let one = self.devices().into_iter().take(1).collect();
        let alone = account_on(one, Role::VendorAdmin, Totp::Off, &[]);
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
            ("recovery-codes", codes(Some(NavItem::Account), "/panel/account")),
            ("recovery-codes-forced", codes(None, "/operator/vendors")),
        ]
    }

    fn settings(&self, environment: EnvironmentName) -> Settings {
        let prefix = if environment == EnvironmentName::Sandbox { "sbx" } else { "live" };
        Settings {
            environment,
            client_id: format!("{prefix}_5f0c71d2a9"),
            secret: Secret::Hidden,
            live_hidden: false,
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
                events: EventFamilies::default(),
                confirm_shared: false,
            },
            problems: Vec::new(),
            zones: few_zones(self.s("Europe/Moscow")),
            can_test: true,
            test: None,
            default_fault: None,
        }
    }

    pub fn settings_pages(&self) -> Pages {
        let path = "/panel/settings";
        let live = |change: &dyn Fn(&mut Settings)| {
            let mut view = self.settings(EnvironmentName::Live);
            change(&mut view);
            self.vendor(path, Box::new(view))
        };
        let sandbox = |change: &dyn Fn(&mut Settings)| {
            let mut view = self.settings(EnvironmentName::Sandbox);
            change(&mut view);
            self.sandboxed(path, Box::new(view))
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
        saved.frame.notice = Some(FlashMessage::Saved);
        let mut overtaken = live(&|_| ());
        overtaken.frame.notice = Some(FlashMessage::Overtaken);
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
            ("settings-misdelivered", sandbox(&|view| view.default_fault = Some(Fault::BadSignature))),
            ("settings-live-hidden", live(&|view| view.live_hidden = true)),
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
            Box::new(Rotate { environment, client_id, overlap: OverlapChoice::Day, problem })
        };
        let rotated = |environment, old_until| {
            Box::new(RotatedPage {
                environment,
                client_id: "live_77a0c3e1b4".to_owned(),
                secret: "sk_live_Zq4vT1mXc8Ld0yRbK6wPn3Hs9uEa".to_owned(),
                old_until,
            })
        };
        let throttled = Some(RotateProblem::Throttled { seconds: 600 });
        let sandbox = self.sandboxed(path, rotated(EnvironmentName::Sandbox, None));
        vec![
            ("rotate", self.vendor(path, rotate(EnvironmentName::Live, None))),
            ("rotate-sandbox", self.sandboxed(path, rotate(EnvironmentName::Sandbox, None))),
            (
                "rotate-wrong",
                self.vendor(path, rotate(EnvironmentName::Live, Some(RotateProblem::WrongPassword))),
            ),
            (
                "rotate-choose",
                self.vendor(path, rotate(EnvironmentName::Live, Some(RotateProblem::NoOverlap))),
            ),
            ("rotate-throttled", self.vendor(path, rotate(EnvironmentName::Live, throttled))),
            ("rotated", self.vendor(path, rotated(EnvironmentName::Live, Some(at("2026-11-15T18:34:00Z"))))),
            ("rotated-now", sandbox),
        ]
    }

    pub fn signatures(&self) -> Pages {
        let path = "/panel/settings/signature";
        let body = r#"{"event":"session.paid","orderId":"A-1001"}"#;
        let form =
            SignatureForm { body: body.to_owned(), signature: "3q2+7w==".to_owned(), is_base64: false };
        let page = |problem, report| {
            let form = form.clone();
            self.sandboxed(path, Box::new(SignaturePage { form, problem, report }))
        };
        let report = |right, diagnoses| Some(SignatureReport { right, diagnoses });
        let ended =
            Diagnosis { mistake: Mistake::EndedSecret, client_id: Some("sandbox_5f0c71d2a9".to_owned()) };
        let all = Mistake::ALL.map(Diagnosis::from).to_vec();
        vec![
            ("signature", self.sandboxed(path, Box::new(SignaturePage::default()))),
            ("signature-right", page(None, report(true, vec![Mistake::None.into()]))),
            ("signature-ended", page(None, report(false, vec![Mistake::Base64.into(), ended]))),
            ("signature-all", page(None, report(false, all))),
            ("signature-no-body", page(Some(SignatureProblem::NoBody), None)),
            ("signature-not-base64", page(Some(SignatureProblem::NotBase64), None)),
            ("signature-no-signature", page(Some(SignatureProblem::NoSignature), None)),
        ]
    }

    pub fn endpoint_checks(&self) -> Pages {
        let line = |verdict, by: Option<&str>| CheckLine {
            id: CheckId::from_bytes([7; 16]),
            target: self.s("https://shop.haldenpress.example/till/callback"),
            verdict,
            at: at("2026-11-15T09:30:00Z"),
            by: by.map(|by| self.s(by)),
        };
        let lines = vec![
            line(None, Some("ines@haldenpress.example")),
            line(Some(CheckVerdict::NotReady), None),
            line(Some(CheckVerdict::Ready), Some("ines@haldenpress.example")),
        ];
        let form = |problem, history: &[CheckLine], can_run| {
            let callback_url = self.s("https://shop.haldenpress.example/till/callback");
            let view = CheckPage { callback_url, problem, can_run, history: history.to_vec() };
            self.sandboxed("/panel/settings/endpoint-check", Box::new(view))
        };
        let report = |verdict, steps: Vec<StepReport>, own_language| {
            let view = ReportPage { line: line(verdict, None), vendor: None, own_language, steps };
            self.sandboxed("/panel/settings/endpoint-check/x", Box::new(view))
        };
        let step = |step: CheckStep, result: &str, status, passed| StepReport {
            step,
            level: step.level(result != "plain_http"),
            passed,
            took: Duration::from_millis(48),
            result: result.to_owned(),
            status,
        };
        let good = |one: CheckStep| match one {
            CheckStep::ValidTls => step(one, "tls_valid", None, true),
            one if one.is_refusal() => step(one, "status", Some(401), true),
            one => step(one, "delivered", Some(200), true),
        };
        // Each step with an answer that is wrong for it, and each way in which no answer came.
        let wrong = |one: CheckStep| match one {
            CheckStep::ValidTls => step(one, "plain_http", None, false),
            one if one.is_refusal() => step(one, "delivered", Some(200), false),
            one => step(one, "status", Some(400), false),
        };
        let failures = ["blocked", "dns", "connect", "tls", "timeout", "closed", "protocol", "not_tried"];
        let mut broken: Vec<_> =
            failures.iter().map(|result| step(CheckStep::RightCallback, result, None, false)).collect();
        broken.push(step(CheckStep::ValidTls, "tls", None, false));
        broken.push(step(CheckStep::RightCallback, "status", Some(500), false));
        broken.push(step(CheckStep::RightCallback, "status", Some(301), false));
        for (number, step) in broken.iter_mut().enumerate() {
            // A heading has an id of its own.
            step.step = CheckStep::ALL[number];
        }
        let operator = |verdict, steps| {
            let vendor = Some((vendor_id(1), self.s("Halden Press")));
            let view = ReportPage { line: line(Some(verdict), None), vendor, own_language: None, steps };
            let path = "/operator/vendors/x/endpoint-checks/y";
            self.operator(NavItem::Vendors, path, Box::new(view))
        };
        vec![
            ("endpoint-check", form(None, &lines, true)),
            ("endpoint-check-first", form(None, &[], true)),
            ("endpoint-check-viewer", form(None, &lines, false)),
            ("endpoint-check-no-url", form(Some(CheckProblem::NoUrl), &[], true)),
            ("endpoint-check-private", form(Some(CheckProblem::Url(UrlProblem::PrivateAddress)), &[], true)),
            ("endpoint-check-running", form(Some(CheckProblem::Running), &lines, true)),
            ("endpoint-check-too-many", form(Some(CheckProblem::TooMany), &lines, true)),
            ("check-report", report(Some(CheckVerdict::Ready), CheckStep::ALL.map(good).to_vec(), None)),
            (
                "check-report-wrong",
                report(
                    Some(CheckVerdict::NotReady),
                    CheckStep::ALL.map(wrong).to_vec(),
                    Some(CodeLanguage::Python),
                ),
            ),
            ("check-report-broken", report(Some(CheckVerdict::NotReady), broken, None)),
            (
                "check-report-running",
                report(None, CheckStep::ALL[..5].iter().copied().map(good).collect(), None),
            ),
            ("check-report-lost", report(Some(CheckVerdict::NotReady), Vec::new(), None)),
            ("check-report-operator", operator(CheckVerdict::Ready, CheckStep::ALL.map(good).to_vec())),
            (
                "check-report-operator-wrong",
                operator(CheckVerdict::NotReady, CheckStep::ALL.map(wrong).to_vec()),
            ),
            ("check-report-operator-lost", operator(CheckVerdict::NotReady, Vec::new())),
        ]
    }

    pub fn deliveries(&self) -> Pages {
        let page = |role, chosen: &str, delay_ms: &str, problems| {
            let view = DeliveryPage {
                chosen: chosen.to_owned(),
                delay_ms: delay_ms.to_owned(),
                can_change: role == Role::VendorAdmin,
                problems,
            };
            let mut page = self.sandboxed("/panel/settings/delivery", Box::new(view));
            page.frame.place = Some(NavItem::Settings);
            page
        };
        let wrong = vec![DeliveryProblem::Fault, DeliveryProblem::Delay];
        vec![
            ("delivery", page(Role::VendorAdmin, "duplicate", "5000", vec![])),
            ("delivery-viewer", page(Role::VendorViewer, "none", "5000", vec![])),
            ("delivery-wrong", page(Role::VendorAdmin, "explode", "soon", wrong)),
        ]
    }

    pub fn sandboxes(&self) -> Pages {
        let with = |support, state| self.vendor("/panel/sandbox", Box::new(SandboxAccess { state, support }));
        let page = |state| with(Some(self.s("support@till.example")), state);
        let ask = |problem, can_ask| {
            let missing = problem == Some(SandboxRequestProblem::WhyMissing);
            let reason = if missing { String::new() } else { self.s("We want to try refunds.") };
            page(SandboxState::Off(AskSandbox { reason, problem, can_ask }))
        };
        let (moment, by) = (at("2026-11-12T08:04:00Z"), self.s("ines@haldenpress.example"));
        let requested = |reason| SandboxState::Requested { at: moment, by: by.clone(), reason };
        let mut on = page(SandboxState::On { at: Some(moment), by: Some(by.clone()) });
        on.frame.sandbox_banner = true;
        let mut quiet = with(None, SandboxState::On { at: None, by: None });
        quiet.frame.sandbox_banner = true;
        vec![
            ("sandbox-off", ask(None, true)),
            ("sandbox-missing", ask(Some(SandboxRequestProblem::WhyMissing), true)),
            ("sandbox-long", ask(Some(SandboxRequestProblem::WhyTooLong), true)),
            ("sandbox-viewer", ask(None, false)),
            ("sandbox-asked", page(requested(self.s("We want to try the callbacks.")))),
            ("sandbox-on", on),
            ("sandbox-on-quiet", quiet),
        ]
    }

    fn activity(&self, busy: bool) -> SandboxActivity {
        let callbacks = self.callback_lines();
        SandboxActivity {
            sessions: if busy { self.rows() } else { Vec::new() },
            last_callback: callbacks.first().filter(|_| busy).cloned(),
            last_error: callbacks.last().filter(|_| busy).cloned(),
        }
    }

    pub fn profiles(&self) -> Pages {
        let line = |last, name: &str, sandbox, disabled| ProfileLine {
            id: vendor_id(last),
            name: self.s(name),
            sandbox,
            disabled,
            activity: sandbox.then(|| self.activity(last == 1)),
        };
        let vendors = || {
            vec![
                line(1, "Halden Press", true, false),
                line(2, "Meridian Bikes", true, false),
                line(3, "Oddfellow Tea", false, false),
                line(4, "Quarry Sound", false, true),
            ]
        };
        let page = |path: &str, body| PanelPage {
            frame: self.frame(Some(Role::SuperVendor), Some(NavItem::Profile), path),
            body,
        };
        let support = Some(self.s("support@till.example"));
        let one = |credentials: Option<ProfileCredentials>| {
            let (id, name) = (vendor_id(2), self.s("Meridian Bikes"));
            let activity = credentials.is_some().then(|| self.activity(true));
            let vendors = vendors();
            let view = ProfileVendor { vendors, id, name, credentials, activity, support: support.clone() };
            page(&format!("/panel/profile/{id}"), Box::new(view))
        };
        let credentials =
            |secret| Some(ProfileCredentials { client_id: "sbx_e2907b51c4".to_owned(), secret });
        let all = |vendors: Vec<ProfileLine>| {
            let view = Profile {
                count: vendors.len(),
                with_sandbox: 2,
                vendors,
                support: support.clone(),
                email: self.s("sven@northquay.example"),
                has_factor: false,
                created_at: at("2026-11-01T08:00:00Z"),
                page: 2,
                pages: 3,
            };
            page("/panel/profile", Box::new(view))
        };
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
}
