//! Fiscal receipts: the settings, and the receipts on the page of a session.

use super::fixture::{Maker, Pages, at, vendor_id};
use crate::{
    fiscal_settings::view::{FiscalForm, FiscalPage, FiscalSettingsProblem},
    pages::{NavItem, fiscal::FiscalLine, vendor_name::VendorName},
};
use till_domain::{
    fiscal::{
        Buyer, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, FiscalSettings, ItemQuantity, Measure,
        PaymentMode, ReceiptStatus, Subject, TaxSystem, Vat,
    },
    id::{FiscalReceiptId, SessionId},
    money::{Currency, Money},
    user::Role,
};

impl Maker {
    pub fn fiscal_settings(&self) -> Pages {
        let page = |role, form, outdated, problems| {
            let (path, can_change) = ("/panel/settings/fiscal".to_owned(), role == Role::VendorAdmin);
            let view = FiscalPage { path, vendor: None, form, can_change, outdated, problems };
            let mut page = self.vendor("/panel/settings/fiscal", Box::new(view));
            page.frame = self.frame(Some(role), Some(NavItem::Settings), "/panel/settings/fiscal");
            page
        };
        let of_vendor = |form, problems| {
            let path = "/operator/vendors/1/fiscal";
            let vendor = Some(VendorName { id: vendor_id(1), name: self.s("Halden Press") });
            let (can_change, outdated) = (true, false);
            let view = FiscalPage { path: path.to_owned(), vendor, form, can_change, outdated, problems };
            self.operator(NavItem::Vendors, path, Box::new(view))
        };
        let bare = || FiscalForm::of(&FiscalSettings::default());
        let full = FiscalForm {
            policy: "required".to_owned(),
            tax_system: "osn".to_owned(),
            vat: "20".to_owned(),
            subject: "service".to_owned(),
            mode: "full_prepayment".to_owned(),
            max_items: "80".to_owned(),
        };
        let typed = FiscalForm { max_items: self.s("many"), ..FiscalForm::default() };
        let wrong = vec![
            FiscalSettingsProblem::Policy,
            FiscalSettingsProblem::TaxSystem,
            FiscalSettingsProblem::Vat,
            FiscalSettingsProblem::Subject,
            FiscalSettingsProblem::Mode,
            FiscalSettingsProblem::MaxItems,
        ];
        vec![
            ("fiscal", page(Role::VendorAdmin, bare(), false, vec![])),
            ("fiscal-full", page(Role::VendorAdmin, full, true, vec![])),
            ("fiscal-viewer", page(Role::VendorViewer, bare(), false, vec![])),
            ("fiscal-wrong", page(Role::VendorAdmin, typed.clone(), false, wrong.clone())),
            ("fiscal-of-vendor", of_vendor(bare(), vec![])),
            ("fiscal-of-vendor-wrong", of_vendor(typed, wrong)),
        ]
    }

    /// A receipt of each kind and status.
    pub fn fiscal_lines(&self) -> Vec<FiscalLine> {
        let made = [
            (FiscalKind::Payment, ReceiptStatus::Registered, Vat::TwentyOf120),
            (FiscalKind::Refund, ReceiptStatus::Failed, Vat::TwentyTwo),
            (FiscalKind::Closing, ReceiptStatus::Pending, Vat::None),
            (FiscalKind::Payment, ReceiptStatus::None, Vat::Ten),
        ];
        FiscalLine::all(made.map(|(kind, status, vat)| self.fiscal(kind, status, vat)).to_vec())
    }

    fn fiscal(&self, kind: FiscalKind, status: ReceiptStatus, vat: Vat) -> FiscalReceipt {
        let item = |name: &str, quantity, price, mode| FiscalItem {
            name: self.s(name),
            quantity: ItemQuantity::from_thousandths(quantity).expect("a quantity"),
            price,
            vat,
            subject: Subject::Commodity,
            mode,
            measure: Measure::Piece,
        };
        let items = vec![
            item("Футболка, M", 2_000, 54_500, PaymentMode::FullPrepayment),
            item("Доставка", 1_000, 40_000, PaymentMode::FullPayment),
        ];
        let known = status != ReceiptStatus::None;
        let buyer = Buyer {
            email: known.then(|| self.s("ann@mail.example")),
            phone: known.then(|| "79000000000".to_owned()),
            full_name: known.then(|| self.s("ООО «Ромашка»")),
            inn: known.then(|| "7712345678".to_owned()),
        };
        let tax_system = known.then_some(TaxSystem::UsnIncomeOutcome);
        let content = FiscalContent { buyer, tax_system, items };
        let total = Money { minor: 149_000, currency: Currency::parse("RUB").expect("a currency") };
        let owner = (SessionId::from_bytes([0x31; 16]), vendor_id(1));
        // That of a second payment has another id.
        let id = FiscalReceiptId::from_bytes([if known { 0x32 } else { 0x31 }; 16]);
        let receipt = FiscalReceipt::new(id, kind, owner, content, total, at("2026-11-14T18:33:00Z"));
        FiscalReceipt {
            status,
            is_made: !known,
            provider: known.then(|| self.s("yookassa")),
            reference: known.then(|| self.s("2e3a1f")),
            document: (status == ReceiptStatus::Registered).then(|| self.s("8710000101855975/118")),
            sent_at: known.then(|| at("2026-11-14T18:34:00Z")),
            failure: (status == ReceiptStatus::Failed).then(|| self.s("the till did not answer")),
            ..receipt
        }
    }
}
