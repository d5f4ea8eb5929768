//! Samples of the pages of a vendor's catalog, team and audit log, in every state that looks different.

use crate::pages::tests::fixture::{Maker, Pages, at};
use crate::{
    catalog::{
        import::view::{Import, ImportKind, ImportProblem, Preview, PreviewLine},
        view::{
            Categories, CategoryChoice, CategoryLine, CategoryPage, CategoryTab, ItemProblem, NoCatalog,
            ProductForm, ProductLine, ProductPage, Products,
        },
    },
    console::users::view::{InvitationPage, UserLine, UserState},
    history::view::{History, HistoryActor, HistoryLine},
    pages::{NavItem, PanelPage, Question, RefusalPage, View},
    team::view::{MemberPage, NewMember, NewMemberProblem, Team},
};
use till_domain::{
    audit::AuditEvent,
    money::{Currency, Money, Price, PriceProblem},
    rejection::{FieldError, FieldProblem},
    text::TextProblem,
    user::{LinkPurpose, Role},
};
use till_service::admin::{
    catalog::BadRow,
    csv_sheet::{RowProblem, SheetProblem},
};

fn money(digits: &str, currency: &str) -> Money {
    let currency = Currency::parse(currency).expect("a currency");
    Price::from_text(digits, currency).expect("a price").money()
}

/// Every rule that a product or a row can break.
fn every_problem() -> Vec<FieldError> {
    let error = |field: &'static str, problem| FieldError { field: field.into(), problem };
    let currency = Currency::parse("USD").expect("a currency");
    vec![
        error("product_id", FieldProblem::NotAnId),
        error("name", TextProblem::Empty.into()),
        error("name", TextProblem::TooLong { max: 255 }.into()),
        error("name", TextProblem::BadCharacter("").into()),
        error("price", PriceProblem::Malformed.into()),
        error("price", PriceProblem::NotPositive.into()),
        error("price", PriceProblem::TooLarge.into()),
        error("price", PriceProblem::TooPrecise { decimals: 3, allowed: 2, currency }.into()),
        error("currency", FieldProblem::UnknownCurrency),
        error("category_id", FieldProblem::UnknownCategory),
    ]
}

impl Maker {
    fn inside(&self, role: Role, place: NavItem, path: &str, body: Box<dyn View>) -> PanelPage {
        PanelPage { frame: self.frame(Some(role), Some(place), path), body }
    }

    pub fn catalog_pages(&self) -> Pages {
        [self.product_pages(), self.category_pages(), self.imports(), self.team_pages()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn products(&self, rows: Vec<ProductLine>, tabs: usize) -> Products {
        let tab = |number: usize| CategoryTab {
            value: if number == 0 { String::new() } else { format!("c{number}") },
            href: format!("/panel/products?category=c{number}"),
            name: (number > 0).then(|| self.s("Halden Press")),
            count: 14,
            current: number == 0,
        };
        Products {
            q: String::new(),
            category: String::new(),
            archived: false,
            tabs: (0..tabs).map(tab).collect(),
            rows,
            first: None,
            next: None,
            unfinished: false,
            can_change: true,
        }
    }

    fn product_lines(&self) -> Vec<ProductLine> {
        let line = |id: &str, price: Money, category: Option<&str>, archived| ProductLine {
            id: self.s(id),
            name: self.s("Atlas of Northern Light, second printing"),
            category: category.map(|name| self.s(name)),
            price,
            archived,
        };
        vec![
            line("ATLAS-2", money("4990.00", "RUB"), Some("Books"), false),
            line("prd_8c02", money("58", "EUR"), None, false),
            line("prd_40b7", money("900", "JPY"), Some("Workshops"), true),
        ]
    }

    fn product(&self, problems: Vec<ItemProblem>) -> ProductPage {
        ProductPage {
            heading: Some(self.s("Halden Tea")),
            form: ProductForm {
                id: self.s("ATLAS-2"),
                name: self.s("Halden Tea"),
                price: self.s("4990.00"),
                currency: self.s("RUB"),
                category: "books".to_owned(),
            },
            categories: vec![CategoryChoice { value: "books".to_owned(), name: self.s("Books") }],
            problems,
            can_change: true,
            archived: false,
            snippet: Some(format!("curl 'https://pay.till.example' -d '{}'", self.s("ATLAS-2"))),
        }
    }

    fn product_pages(&self) -> Pages {
        let page = |body| self.inside(Role::VendorAdmin, NavItem::Products, "/panel/products", body);
        let list = |change: &dyn Fn(&mut Products), rows, tabs| {
            let mut view = self.products(rows, tabs);
            change(&mut view);
            page(Box::new(view))
        };
        let one = |change: &dyn Fn(&mut ProductPage)| {
            let mut view = self.product(Vec::new());
            change(&mut view);
            page(Box::new(view))
        };
        let wrong = ["product_id", "name", "price", "currency", "category_id"].map(|field| {
            let errors = every_problem();
            ItemProblem::Field(errors.into_iter().find(|error| error.field == field).expect("a problem"))
        });
        let question = |question| page(Box::new(question));
        let viewer = |body| self.inside(Role::VendorViewer, NavItem::Products, "/panel/products", body);
        let mut sandbox = page(Box::new(NoCatalog));
        sandbox.frame.sandbox_banner = true;
        vec![
            (
                "products",
                list(&|view| view.next = Some("/panel/products?after=x".to_owned()), self.product_lines(), 4),
            ),
            (
                "products-many",
                list(&|view| view.first = Some("/panel/products".to_owned()), self.product_lines(), 30),
            ),
            ("products-empty", list(&|_| (), Vec::new(), 1)),
            ("products-none", list(&|view| view.q = self.s("otto"), Vec::new(), 2)),
            ("products-category", list(&|view| view.category = self.s("books"), self.product_lines(), 2)),
            ("products-archived", list(&|view| view.archived = true, Vec::new(), 1)),
            ("products-viewer", {
                let mut view = self.products(self.product_lines(), 3);
                view.can_change = false;
                viewer(Box::new(view))
            }),
            ("product", one(&|_| ())),
            ("product-archived", one(&|view| view.archived = true)),
            ("product-wrong", one(&|view| view.problems = wrong[1..].to_vec())),
            ("product-viewer", {
                let mut view = self.product(Vec::new());
                view.can_change = false;
                viewer(Box::new(view))
            }),
            ("new-product", one(&|view| (view.heading, view.snippet) = (None, None))),
            (
                "new-product-wrong",
                one(&|view| {
                    (view.heading, view.snippet) = (None, None);
                    view.problems = wrong.to_vec();
                }),
            ),
            (
                "new-product-taken",
                one(&|view| {
                    (view.heading, view.snippet) = (None, None);
                    view.problems = vec![ItemProblem::Taken];
                }),
            ),
            (
                "ask-archive-product",
                question(Question::ArchiveProduct { id: self.s("A"), name: self.s("Halden Press") }),
            ),
            (
                "ask-archive-category",
                question(Question::ArchiveCategory { id: self.s("A"), name: self.s("Halden Press") }),
            ),
            ("no-catalog", sandbox),
            ("too-large", page(Box::new(RefusalPage::TooLarge))),
        ]
    }

    fn category_pages(&self) -> Pages {
        let page = |body| self.inside(Role::VendorAdmin, NavItem::Products, "/panel/categories", body);
        let line = |name: &str, archived| CategoryLine {
            id: self.s("books"),
            name: self.s(name),
            products: 5,
            archived,
        };
        let list = |rows, can_change| page(Box::new(Categories { rows, can_change }));
        let one = |heading: Option<&str>, archived, problems| {
            let heading = heading.map(|name| self.s(name));
            let view =
                CategoryPage { heading, id: self.s("books"), name: self.s("Books"), archived, problems };
            page(Box::new(view))
        };
        let empty = FieldError { field: "name".into(), problem: TextProblem::Empty.into() };
        let rows = || vec![line("Books", false), line("Maps", true)];
        vec![
            ("categories", list(rows(), true)),
            ("categories-viewer", list(rows(), false)),
            ("categories-empty", list(Vec::new(), true)),
            ("category", one(Some("Halden Tea"), false, Vec::new())),
            ("category-archived", one(Some("Halden Tea"), true, vec![ItemProblem::Field(empty.clone())])),
            ("new-category", one(None, false, Vec::new())),
            ("new-category-wrong", one(None, false, vec![ItemProblem::Field(empty), ItemProblem::Taken])),
        ]
    }

    fn preview(&self, kind: ImportKind) -> Preview {
        let line = |price: Option<Money>, before: bool| PreviewLine {
            id: self.s("ATLAS-2"),
            name: self.s("Atlas of Northern Light"),
            price,
            category: price.is_some().then(|| self.s("books")),
            was_name: before.then(|| self.s("Atlas")),
            was_price: price.filter(|_| before),
            was_archived: before,
        };
        let price = (kind == ImportKind::Products).then(|| money("4990.00", "RUB"));
        let bad = |line, problem| BadRow { line, text: self.s("B,,1,RUB"), problems: vec![problem] };
        let whole = [
            RowProblem::FieldCount { found: 4, wanted: 5 },
            RowProblem::NotUtf8,
            RowProblem::Repeated { column: "product_id", id: self.s("A"), first: 2 },
        ];
        let fields = every_problem().into_iter().map(RowProblem::Field);
        Preview {
            kind,
            added: vec![line(price, false); 102],
            changed: vec![line(price, true)],
            same: 7,
            bad: whole.into_iter().chain(fields).zip(3..).map(|(problem, line)| bad(line, problem)).collect(),
            bad_text: self.s("name,price\nB,,1,RUB"),
            rows: self.s("product_id,name\nATLAS-2,Atlas"),
            text: self.s("name,price\nAtlas,1"),
            overtaken: false,
        }
    }

    fn imports(&self) -> Pages {
        let page = |body| self.inside(Role::VendorAdmin, NavItem::Products, "/panel/products/import", body);
        let import = |kind, problem| {
            page(Box::new(Import { kind, text: self.s("name;price"), problem, max_kb: 256, max_rows: 2000 }))
        };
        let sheet = |problem| import(ImportKind::Products, Some(ImportProblem::Sheet(problem)));
        let preview = |kind, change: &dyn Fn(&mut Preview)| {
            let mut view = self.preview(kind);
            change(&mut view);
            page(Box::new(view))
        };
        let known = || "name, price".to_owned();
        vec![
            ("import", import(ImportKind::Products, None)),
            ("import-categories", import(ImportKind::Categories, Some(ImportProblem::Nothing))),
            ("import-no-rows", import(ImportKind::Products, Some(ImportProblem::NoRows))),
            ("import-large", import(ImportKind::Products, Some(ImportProblem::TooLarge))),
            ("import-many", import(ImportKind::Products, Some(ImportProblem::TooManyRows { rows: 2001 }))),
            ("import-not-utf8", sheet(SheetProblem::NotUtf8)),
            ("import-unknown", sheet(SheetProblem::UnknownColumn { name: self.s("colour"), known: known() })),
            ("import-twice", sheet(SheetProblem::RepeatedColumn("price"))),
            ("import-missing", sheet(SheetProblem::MissingColumn { name: "name", known: known() })),
            ("preview", preview(ImportKind::Products, &|_| ())),
            ("preview-categories", preview(ImportKind::Categories, &|view| view.bad.clear())),
            (
                "preview-none",
                preview(ImportKind::Products, &|view| {
                    view.added.clear();
                    view.changed.clear();
                }),
            ),
            ("preview-overtaken", preview(ImportKind::Products, &|view| view.overtaken = true)),
        ]
    }

    fn team_pages(&self) -> Pages {
        let page = |body| self.inside(Role::VendorAdmin, NavItem::Team, "/panel/team", body);
        let line = |id: &str, role, state| UserLine {
            id: id.to_owned(),
            email: self.s("ines@haldenpress.example"),
            role,
            vendor: None,
            state,
            totp: state == UserState::Active,
            seen_at: (state == UserState::Active).then(|| at("2026-11-14T18:34:05Z")),
        };
        let admin = || line("u1", Role::VendorAdmin, UserState::Active);
        let invited = || line("u2", Role::VendorViewer, UserState::Invited);
        let gone = || line("u3", Role::VendorViewer, UserState::Disabled);
        let team = |rows, removed| page(Box::new(Team { rows, removed, own: "u1".to_owned() }));
        let new = |mail, problem| {
            let email = self.s("otto@haldenpress.example");
            page(Box::new(NewMember { email, role: Role::VendorViewer, mail, problem }))
        };
        let member = |line, is_self, is_last, can_restore| {
            let created_at = at("2026-03-02T10:12:00Z");
            page(Box::new(MemberPage { line, created_at, is_self, is_last, can_restore }))
        };
        let link = |link: Option<&str>| {
            page(Box::new(InvitationPage {
                id: "u2".to_owned(),
                email: self.s("otto@haldenpress.example"),
                purpose: LinkPurpose::Invitation,
                link: link.map(|link| self.s(link)),
                until: at("2026-11-17T18:34:00Z"),
                of_team: true,
            }))
        };
        let did = |who, what, detail: Option<&str>| HistoryLine {
            at: at("2026-11-14T18:34:05Z"),
            who,
            what,
            detail: detail.map(|text| self.s(text)),
            to: detail.is_none().then(|| self.s("otto@haldenpress.example")),
            from: detail.map(|_| self.s("203.0.113.24")),
        };
        let history = |rows: Vec<HistoryLine>, newer: Option<&str>| {
            let older = newer.map(|_| "/panel/audit?before=7".to_owned());
            let view = History { rows, newer: newer.map(str::to_owned), older };
            self.inside(Role::VendorViewer, NavItem::History, "/panel/audit", Box::new(view))
        };
        let lines = vec![
            did(
                HistoryActor::Colleague(self.s("ines@haldenpress.example")),
                AuditEvent::ProductChanged,
                Some("ATLAS-2: Atlas"),
            ),
            did(HistoryActor::Operator, AuditEvent::SandboxOn, None),
            did(HistoryActor::SuperVendor, AuditEvent::SecretRevealed, Some("sandbox")),
            did(HistoryActor::Stranger, AuditEvent::PasswordSet, None),
            HistoryLine {
                to: Some(self.s("otto@haldenpress.example")),
                ..did(HistoryActor::Operator, AuditEvent::RoleChanged, Some("vendor_viewer"))
            },
        ];
        let removed =
            Question::RemoveMember { id: "u2".to_owned(), email: self.s("otto@haldenpress.example") };
        vec![
            ("team", team(vec![admin(), invited()], vec![gone()])),
            ("team-alone", team(vec![admin()], Vec::new())),
            ("new-member", new(true, None)),
            ("new-member-wrong", new(false, Some(NewMemberProblem::Email))),
            ("new-member-taken", new(false, Some(NewMemberProblem::EmailTaken))),
            ("member", member(invited(), false, false, false)),
            ("member-self", member(admin(), true, false, false)),
            ("member-last", member(admin(), true, true, false)),
            ("member-removed", member(gone(), false, false, true)),
            ("member-shut-out", member(gone(), false, false, false)),
            ("member-invited", link(Some("https://pay.till.example/panel/link/f3kQ0m9x7VbT2cYw"))),
            ("member-mailed", link(None)),
            ("ask-remove-member", page(Box::new(removed))),
            ("history", history(lines, Some("/panel/audit"))),
            ("history-empty", history(Vec::new(), None)),
            ("history-end", history(Vec::new(), Some("/panel/audit"))),
        ]
    }
}
