//! A fiscal receipt in YooKassa's words and numbers.
//!
//! Pure, and the only place that knows YooKassa's codes. They are not those of the law: `vat_code` 4 is 20 % here and 10/110
//! there. `amount` is the price of one, not the total of a line.

use super::shapes::amount;
use serde_json::{Value, json};
use till_domain::{
    fiscal::{Buyer, FiscalContent, FiscalItem, ItemQuantity, TaxSystem, Vat},
    money::Money,
};

/// The body of the receipt of a hand-over: what is handed over was paid before, by this payment.
pub(super) fn closing(content: &FiscalContent, total: Money, payment: &str) -> Value {
    let mut body = receipt(content, total);
    body["type"] = json!("payment");
    body["payment_id"] = json!(payment);
    body["send"] = json!(true);
    body["settlements"] = json!([{ "type": "prepayment", "amount": amount(total) }]);
    body
}

/// The receipt of a payment or a refund. `total` names the currency of its prices.
pub(super) fn receipt(content: &FiscalContent, total: Money) -> Value {
    let items = content.items.iter().map(|one| item(one, total));
    let mut receipt = json!({
        "customer": customer(&content.buyer),
        "items": items.collect::<Vec<_>>(),
        "internet": true,
    });
    if let Some(system) = content.tax_system {
        receipt["tax_system_code"] = json!(tax_system_code(system));
    }
    receipt
}

fn customer(buyer: &Buyer) -> Value {
    let fields = [
        ("email", &buyer.email),
        ("phone", &buyer.phone),
        ("full_name", &buyer.full_name),
        ("inn", &buyer.inn),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?)))).collect()
}

fn item(item: &FiscalItem, total: Money) -> Value {
    json!({
        "description": item.name,
        "quantity": quantity(item.quantity),
        "amount": amount(Money { minor: item.price, ..total }),
        "vat_code": vat_code(item.vat),
        "payment_mode": item.mode.as_str(),
        "payment_subject": item.subject.as_str(),
        "measure": item.measure.as_str(),
    })
}

/// A JSON number. It has at most 8 digits, which any JSON library reads and writes unchanged.
fn quantity(quantity: ItemQuantity) -> Value {
    let digits = quantity.to_string();
    serde_json::from_str(&digits).unwrap_or_else(|_| unreachable!("a decimal is a JSON number"))
}

fn vat_code(vat: Vat) -> u8 {
    match vat {
        Vat::None => 1,
        Vat::Zero => 2,
        Vat::Ten => 3,
        Vat::Twenty => 4,
        Vat::TenOf110 => 5,
        Vat::TwentyOf120 => 6,
        Vat::Five => 7,
        Vat::Seven => 8,
        Vat::FiveOf105 => 9,
        Vat::SevenOf107 => 10,
        Vat::TwentyTwo => 11,
        Vat::TwentyTwoOf122 => 12,
    }
}

fn tax_system_code(system: TaxSystem) -> u8 {
    match system {
        TaxSystem::Osn => 1,
        TaxSystem::UsnIncome => 2,
        TaxSystem::UsnIncomeOutcome => 3,
        TaxSystem::Esn => 5,
        TaxSystem::Patent => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::{
        fiscal::{Measure, PaymentMode, Subject},
        money::Currency,
    };

    fn line(vat: Vat, thousandths: i64, price: i64) -> FiscalItem {
        FiscalItem {
            name: "Футболка \"M\"".to_owned(),
            quantity: ItemQuantity::from_thousandths(thousandths).expect("a quantity"),
            price,
            vat,
            subject: Subject::Commodity,
            mode: PaymentMode::FullPrepayment,
            measure: Measure::Piece,
        }
    }

    fn roubles(minor: i64) -> Money {
        Money { minor, currency: Currency::parse("RUB").expect("a currency") }
    }

    #[test]
    fn every_rate_and_tax_system_has_yookassas_own_code() {
        let codes: Vec<_> = Vat::ALL.iter().map(|vat| (vat.as_str(), vat_code(*vat))).collect();
        let table = [
            ("none", 1),
            ("0", 2),
            ("5", 7),
            ("7", 8),
            ("10", 3),
            ("20", 4),
            ("22", 11),
            ("5/105", 9),
            ("7/107", 10),
            ("10/110", 5),
            ("20/120", 6),
            ("22/122", 12),
        ];
        assert_eq!(codes, table);
        let codes: Vec<_> = TaxSystem::ALL.iter().map(|one| (one.as_str(), tax_system_code(*one))).collect();
        let table = [("osn", 1), ("usn_income", 2), ("usn_income_outcome", 3), ("esn", 5), ("patent", 6)];
        assert_eq!(codes, table);
    }

    #[test]
    fn an_item_has_its_unit_price_and_an_exact_quantity() {
        for (thousandths, price, expected) in [
            (2_000, 54_500, r#"2 "545.00""#),
            (285, 100, r#"0.285 "1.00""#),
            (99_999_999, 1, r#"99999.999 "0.01""#),
            (12_340, 10, r#"12.34 "0.10""#),
        ] {
            let mapped = item(&line(Vat::None, thousandths, price), roubles(1));
            assert_eq!(format!("{} {}", mapped["quantity"], mapped["amount"]["value"]), expected);
        }
    }

    #[test]
    fn a_receipt_is_mapped_whole() {
        let buyer = Buyer {
            email: Some("ann@mail.example".to_owned()),
            phone: Some("79000000000".to_owned()),
            ..Buyer::default()
        };
        let items = vec![line(Vat::TwentyTwoOf122, 2_000, 54_500)];
        let content = FiscalContent { buyer, tax_system: Some(TaxSystem::Osn), items };
        let expected = json!({
            "customer": { "email": "ann@mail.example", "phone": "79000000000" },
            "items": [{
                "description": "Футболка \"M\"",
                "quantity": 2,
                "amount": { "value": "545.00", "currency": "RUB" },
                "vat_code": 12,
                "payment_mode": "full_prepayment",
                "payment_subject": "commodity",
                "measure": "piece",
            }],
            "internet": true,
            "tax_system_code": 1,
        });
        assert_eq!(receipt(&content, roubles(109_000)), expected);
        let closed = closing(&content, roubles(109_000), "23d93cac-000f-5000-8000-126628f15141");
        assert_eq!((&closed["items"], &closed["customer"]), (&expected["items"], &expected["customer"]));
        let paid_before =
            json!([{ "type": "prepayment", "amount": { "value": "1090.00", "currency": "RUB" } }]);
        assert_eq!((&closed["type"], &closed["settlements"]), (&json!("payment"), &paid_before));
        let without = FiscalContent { tax_system: None, ..content };
        assert!(receipt(&without, roubles(109_000)).get("tax_system_code").is_none());
    }
}
