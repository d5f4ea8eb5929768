//! A fiscal receipt in T-Bank's words and numbers.
//!
//! Pure, and the only place that knows T-Bank's names. Two are traps: `prepayment` is a partial prepayment here, and `Amount` is the
//! total of a line beside `Price`, the price of one.

use super::till::{Ffd, TillSetup};
use serde_json::{Value, json};
use till_domain::fiscal::{
    Buyer, FiscalContent, FiscalItem, ItemQuantity, Measure, PaymentMode, Subject, TaxSystem, Vat,
    fits_receipt,
};

/// The `Receipt` of a payment, a partial refund or a hand-over; an error if T-Bank would refuse it.
pub(super) fn receipt(content: &FiscalContent, till: &TillSetup) -> Result<Value, &'static str> {
    let items = content.items.iter().map(|one| item(one, till.ffd));
    let mut receipt = json!({
        "FfdVersion": till.ffd.as_str(),
        "Taxation": taxation(content.tax_system.unwrap_or(till.tax_system)),
        "Items": items.collect::<Vec<_>>(),
    });
    contact(&content.buyer, &mut receipt)?;
    if till.ffd == Ffd::V12 {
        for (name, value) in [("Customer", &content.buyer.full_name), ("CustomerInn", &content.buyer.inn)] {
            if let Some(value) = value {
                receipt[name] = json!(value);
            }
        }
    }
    Ok(receipt)
}

/// The e-mail address, the phone number, or both. An address that is too long is left out if there is a number.
fn contact(buyer: &Buyer, receipt: &mut Value) -> Result<(), &'static str> {
    let email = buyer.email.as_ref().filter(|email| fits_receipt(email));
    if let Some(email) = email {
        receipt["Email"] = json!(email);
    }
    if let Some(phone) = &buyer.phone {
        receipt["Phone"] = json!(format!("+{phone}"));
    }
    match (email, &buyer.phone, &buyer.email) {
        (None, None, Some(_)) => Err("the customer's e-mail address is too long for a receipt of T-Bank"),
        (None, None, None) => Err("the receipt has no address of the customer"),
        _ => Ok(()),
    }
}

fn item(item: &FiscalItem, ffd: Ffd) -> Value {
    let mut line = json!({
        "Name": item.name,
        "Price": item.price,
        "Quantity": quantity(item.quantity),
        "Amount": item.total(),
        "Tax": tax(item.vat),
        "PaymentMethod": payment_method(item.mode),
        "PaymentObject": payment_object(item.subject),
    });
    if ffd == Ffd::V12 {
        line["MeasurementUnit"] = json!(measurement_unit(item.measure));
    }
    line
}

/// A JSON number. It has at most 8 digits, which any JSON library reads and writes unchanged.
fn quantity(quantity: ItemQuantity) -> Value {
    let digits = quantity.to_string();
    serde_json::from_str(&digits).unwrap_or_else(|_| unreachable!("a decimal is a JSON number"))
}

fn tax(vat: Vat) -> &'static str {
    match vat {
        Vat::None => "none",
        Vat::Zero => "vat0",
        Vat::Five => "vat5",
        Vat::Seven => "vat7",
        Vat::Ten => "vat10",
        Vat::Twenty => "vat20",
        Vat::TwentyTwo => "vat22",
        Vat::FiveOf105 => "vat105",
        Vat::SevenOf107 => "vat107",
        Vat::TenOf110 => "vat110",
        Vat::TwentyOf120 => "vat120",
        Vat::TwentyTwoOf122 => "vat122",
    }
}

fn taxation(system: TaxSystem) -> &'static str {
    match system {
        TaxSystem::Osn => "osn",
        TaxSystem::UsnIncome => "usn_income",
        TaxSystem::UsnIncomeOutcome => "usn_income_outcome",
        TaxSystem::Esn => "esn",
        TaxSystem::Patent => "patent",
    }
}

fn payment_method(mode: PaymentMode) -> &'static str {
    match mode {
        PaymentMode::FullPrepayment => "full_prepayment",
        PaymentMode::PartialPrepayment => "prepayment",
        PaymentMode::Advance => "advance",
        PaymentMode::FullPayment => "full_payment",
        PaymentMode::PartialPayment => "partial_payment",
        PaymentMode::Credit => "credit",
        PaymentMode::CreditPayment => "credit_payment",
    }
}

fn payment_object(subject: Subject) -> &'static str {
    match subject {
        Subject::Commodity => "commodity",
        Subject::Excise => "excise",
        Subject::Job => "job",
        Subject::Service => "service",
        Subject::IntellectualActivity => "intellectual_activity",
        Subject::Payment => "payment",
        Subject::AgentCommission => "agent_commission",
        Subject::Another => "another",
        Subject::GamblingBet => "gambling_bet",
        Subject::GamblingPrize => "gambling_prize",
        Subject::Lottery => "lottery",
        Subject::LotteryPrize => "lottery_prize",
    }
}

/// T-Bank takes any text; these are the names of its documentation.
fn measurement_unit(measure: Measure) -> &'static str {
    match measure {
        Measure::Piece => "шт",
        Measure::Gram => "г",
        Measure::Kilogram => "кг",
        Measure::Ton => "т",
        Measure::Centimeter => "см",
        Measure::Decimeter => "дм",
        Measure::Meter => "м",
        Measure::SquareCentimeter => "см2",
        Measure::SquareDecimeter => "дм2",
        Measure::SquareMeter => "м2",
        Measure::Milliliter => "мл",
        Measure::Liter => "л",
        Measure::CubicMeter => "м3",
        Measure::KilowattHour => "кВт*ч",
        Measure::Gigacalorie => "Гкал",
        Measure::Day => "дн",
        Measure::Hour => "ч",
        Measure::Minute => "мин",
        Measure::Second => "с",
        Measure::Kilobyte => "Кбайт",
        Measure::Megabyte => "Мбайт",
        Measure::Gigabyte => "Гбайт",
        Measure::Terabyte => "Тбайт",
        Measure::Another => "иное",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tbank::till::Registration;

    fn till(ffd: Ffd) -> TillSetup {
        TillSetup { ffd, tax_system: TaxSystem::UsnIncome, registration: Registration::Notifications }
    }

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

    fn content() -> FiscalContent {
        let buyer = Buyer {
            email: Some("ann@mail.example".to_owned()),
            phone: Some("79000000000".to_owned()),
            full_name: Some("ООО «Ромашка»".to_owned()),
            inn: Some("7701234567".to_owned()),
        };
        FiscalContent {
            buyer,
            tax_system: Some(TaxSystem::Osn),
            items: vec![line(Vat::TwentyTwoOf122, 2_000, 54_500)],
        }
    }

    #[test]
    fn every_word_has_t_banks_own_name() {
        let names: Vec<_> = Vat::ALL.iter().map(|one| (one.as_str(), tax(*one))).collect();
        let table = [
            ("none", "none"),
            ("0", "vat0"),
            ("5", "vat5"),
            ("7", "vat7"),
            ("10", "vat10"),
            ("20", "vat20"),
            ("22", "vat22"),
            ("5/105", "vat105"),
            ("7/107", "vat107"),
            ("10/110", "vat110"),
            ("20/120", "vat120"),
            ("22/122", "vat122"),
        ];
        assert_eq!(names, table);
        // A partial prepayment is called like any prepayment.
        let names: Vec<_> = PaymentMode::ALL.iter().map(|one| (one.as_str(), payment_method(*one))).collect();
        let table = [
            ("full_prepayment", "full_prepayment"),
            ("partial_prepayment", "prepayment"),
            ("advance", "advance"),
            ("full_payment", "full_payment"),
            ("partial_payment", "partial_payment"),
            ("credit", "credit"),
            ("credit_payment", "credit_payment"),
        ];
        assert_eq!(names, table);
        let table = ["osn", "usn_income", "usn_income_outcome", "esn", "patent"];
        assert_eq!(TaxSystem::ALL.iter().map(|one| taxation(*one)).collect::<Vec<_>>(), table);
        let table = [
            "commodity",
            "excise",
            "job",
            "service",
            "intellectual_activity",
            "payment",
            "agent_commission",
            "another",
            "gambling_bet",
            "gambling_prize",
            "lottery",
            "lottery_prize",
        ];
        assert_eq!(Subject::ALL.iter().map(|one| payment_object(*one)).collect::<Vec<_>>(), table);
        let table = "шт г кг т см дм м см2 дм2 м2 мл л м3 кВт*ч Гкал дн ч мин с Кбайт Мбайт Гбайт Тбайт иное";
        let names: Vec<_> = Measure::ALL.iter().map(|one| measurement_unit(*one)).collect();
        assert_eq!(names.join(" "), table);
    }

    #[test]
    fn an_item_has_its_unit_price_an_exact_quantity_and_its_total() {
        for (thousandths, price, expected) in [
            (2_000, 54_500, "2 54500 109000"),
            (285, 100, "0.285 100 29"),
            (99_999_999, 1, "99999.999 1 100000"),
            (12_340, 10, "12.34 10 123"),
        ] {
            let mapped = item(&line(Vat::None, thousandths, price), Ffd::V12);
            let seen = format!("{} {} {}", mapped["Quantity"], mapped["Price"], mapped["Amount"]);
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn a_receipt_is_mapped_whole_in_either_version_of_the_format() {
        let mut expected = json!({
            "FfdVersion": "1.2",
            "Email": "ann@mail.example",
            "Phone": "+79000000000",
            "Taxation": "osn",
            "Customer": "ООО «Ромашка»",
            "CustomerInn": "7701234567",
            "Items": [{
                "Name": "Футболка \"M\"",
                "Price": 54_500,
                "Quantity": 2,
                "Amount": 109_000,
                "Tax": "vat122",
                "PaymentMethod": "full_prepayment",
                "PaymentObject": "commodity",
                "MeasurementUnit": "шт",
            }],
        });
        assert_eq!(receipt(&content(), &till(Ffd::V12)), Ok(expected.clone()));
        let members = expected.as_object_mut().expect("an object");
        members.retain(|name, _| !name.starts_with("Customer"));
        expected["FfdVersion"] = json!("1.05");
        expected["Items"][0].as_object_mut().expect("a line").remove("MeasurementUnit");
        assert_eq!(receipt(&content(), &till(Ffd::V105)), Ok(expected));
        let own = FiscalContent { tax_system: None, ..content() };
        assert_eq!(receipt(&own, &till(Ffd::V12)).expect("a receipt")["Taxation"], "usn_income");
    }

    #[test]
    fn a_receipt_has_an_address_that_t_bank_accepts() {
        let [long, longest] = [60, 51].map(|letters| format!("{}@mail.example", "ж".repeat(letters)));
        let sent = format!("\"{longest}\" null");
        for (email, phone, sent) in [
            (Some("ann@mail.example"), None, Ok("\"ann@mail.example\" null")),
            (Some(longest.as_str()), None, Ok(sent.as_str())),
            (None, Some("79000000000"), Ok("null \"+79000000000\"")),
            (Some(long.as_str()), Some("79000000000"), Ok("null \"+79000000000\"")),
            (
                Some(long.as_str()),
                None,
                Err("the customer's e-mail address is too long for a receipt of T-Bank"),
            ),
            (None, None, Err("the receipt has no address of the customer")),
        ] {
            let buyer = Buyer {
                email: email.map(str::to_owned),
                phone: phone.map(str::to_owned),
                ..Buyer::default()
            };
            let made = receipt(&FiscalContent { buyer, ..content() }, &till(Ffd::V12));
            let seen = made.map(|made| format!("{} {}", made["Email"], made["Phone"]));
            assert_eq!(seen.as_deref().map_err(|error| *error), sent);
        }
    }
}
