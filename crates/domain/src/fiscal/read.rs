//! Validates the receipt that a vendor wrote: every rule of every field, with the field's place, all mistakes at once.
//!
//! It checks form and sums. Which rate, subject or mode is right is the vendor's responsibility.

use super::{
    Buyer, FiscalContent, FiscalItem, FiscalPolicy, FiscalProblem, FiscalSettings, ItemQuantity, Measure,
    PaymentMode, Subject, TaxSystem, Vat,
};
use crate::{
    money::{Currency, Digits, Money, Price},
    rejection::{FieldProblem, Problems},
    request::FieldValue,
    session::Item,
    text,
    time::Timestamp,
};

/// The most lines that any till accepts in one receipt.
pub const MAX_ITEMS: u32 = 100;

/// The longest address that every provider accepts, in characters.
pub(super) const MAX_EMAIL: usize = 64;

/// The longest name of a line, and of a buyer.
const MAX_NAME: usize = 128;
const MAX_FULL_NAME: usize = 256;

/// Unknown fields that are reported; a body could have thousands.
pub(super) const MAX_UNKNOWN: usize = 20;

/// The longest name of an unknown field that is repeated.
const MAX_UNKNOWN_CHARS: usize = 40;

/// The name of an unknown field, as it is repeated.
pub(super) fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MAX_UNKNOWN_CHARS).collect()
}

/// The only currency of fiscal receipts.
fn is_rouble(currency: Currency) -> bool {
    currency.code() == "RUB"
}

/// What is sold, as far as it could be read: what is wrong with a part of it was noted as a problem.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// All of it.
    pub item: Option<&'a Item>,
    pub currency: Option<Currency>,
    pub price: Option<Money>,
    /// True if the request states the currency, rather than the catalog.
    pub is_described: bool,
}

impl Offer<'_> {
    /// A currency that was written wrong is taken for the rouble: a vendor who has to send receipts sells in roubles.
    fn is_in_roubles(&self) -> bool {
        self.currency.map_or(self.is_described, is_rouble)
    }
}

/// The receipt of a session, as the vendor sent it or made from the vendor's defaults, in which case it is `true`. `None` if there
/// is none, or if something is wrong.
pub fn at_creation(
    value: &FieldValue,
    offer: &Offer<'_>,
    settings: &FiscalSettings,
    problems: &mut Problems,
) -> Option<(FiscalContent, bool)> {
    if !value.is_present() {
        let is_required = settings.policy == FiscalPolicy::Required && offer.is_in_roubles();
        return is_required.then(|| one_line(offer.item, settings, problems)).flatten();
    }
    if settings.policy == FiscalPolicy::Off {
        problems.add("receipt", FiscalProblem::NotEnabled);
        return None;
    }
    if offer.currency.is_some_and(|currency| !is_rouble(currency)) {
        problems.add("currency", FiscalProblem::CurrencyNotSupported);
    }
    let expected = offer.price.filter(|money| is_rouble(money.currency));
    let mode = settings.default_mode();
    let reading = Reading { settings, paid: &[], handed_over: None, mode, expected };
    let content = reading.receipt(value, problems)?;
    (expected.is_some() && problems.is_empty()).then_some((content, false))
}

/// The receipt with one line for all of the price, if the defaults say enough for it.
fn one_line(
    item: Option<&Item>,
    settings: &FiscalSettings,
    problems: &mut Problems,
) -> Option<(FiscalContent, bool)> {
    let Some(vat) = settings.vat else {
        problems.add("receipt", FiscalProblem::ReceiptRequired);
        return None;
    };
    let item = item?;
    let line = FiscalItem {
        name: item.name.chars().take(MAX_NAME).collect::<String>().trim().to_owned(),
        quantity: ItemQuantity::ONE,
        price: item.price.money().minor,
        vat,
        subject: settings.default_subject(),
        mode: settings.default_mode(),
        measure: Measure::Piece,
    };
    let (buyer, tax_system) = (Buyer::default(), settings.tax_system);
    Some((FiscalContent { buyer, tax_system, items: vec![line] }, true))
}

/// What a receipt is read against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'a> {
    pub settings: &'a FiscalSettings,
    /// What was paid for: a line that is of one of these has its subject, mode and measure unless it names another.
    pub paid: &'a [FiscalItem],
    /// When that was handed over, if it was paid before: a computed rate of a line has its plain form since.
    pub handed_over: Option<Timestamp>,
    /// The mode of all other lines that name none.
    pub mode: PaymentMode,
    /// The sum of the lines; unknown while the price is wrong.
    pub expected: Option<Money>,
}

impl Reading<'_> {
    /// Reads a receipt. `None` if a part of it is missing or wrong, which was noted as a problem.
    pub(super) fn receipt(&self, value: &FieldValue, problems: &mut Problems) -> Option<FiscalContent> {
        let mut unknown = MAX_UNKNOWN;
        let members = problems.take("receipt", value.members())?;
        let fields = Members { members, place: "receipt", problems, unknown: &mut unknown };
        let [customer, tax_system, items] = fields.take(["customer", "tax_system", "items"]);
        let buyer = buyer(customer, problems, &mut unknown);
        let tax_system = problems.take(
            "receipt.tax_system",
            word(tax_system, TaxSystem::WORDS, |word| TaxSystem::parse(word).map(Ok)),
        );
        let items = self.items(items, "receipt.items", problems, &mut unknown);
        Some(FiscalContent { buyer, tax_system: tax_system?.or(self.settings.tax_system), items: items? })
    }

    /// Reads lines that are not in a receipt, at this place.
    pub(super) fn only_items(
        &self,
        value: &FieldValue,
        place: &'static str,
        problems: &mut Problems,
    ) -> Option<Vec<FiscalItem>> {
        self.items(value, place, problems, &mut { MAX_UNKNOWN })
    }

    fn items(
        &self,
        value: &FieldValue,
        place: &'static str,
        problems: &mut Problems,
        unknown: &mut usize,
    ) -> Option<Vec<FiscalItem>> {
        let most = self.settings.max_items;
        let values = match value {
            FieldValue::Absent => Err(FieldProblem::Required),
            FieldValue::List(values) if values.is_empty() => Err(FieldProblem::EmptyList),
            // Not looked at one by one: there may be thousands.
            FieldValue::List(values) if u32::try_from(values.len()).is_ok_and(|count| count <= most) => {
                Ok(values)
            }
            FieldValue::List(_) => Err(FiscalProblem::TooManyItems { most }.into()),
            _ => Err(FieldProblem::WrongType("an array of objects")),
        };
        let values = problems.take(place, values)?;
        let read = values.iter().enumerate();
        let read =
            read.map(|(index, value)| self.item(value, &format!("{place}[{index}]"), problems, unknown));
        let (items, totals): (Vec<Option<FiscalItem>>, Vec<Option<i64>>) = read.unzip();
        problems.take(place, self.check_sum(&totals))?;
        items.into_iter().collect()
    }

    /// Checks the sum of the lines, if it is known: what else is wrong with a line does not change it.
    fn check_sum(&self, totals: &[Option<i64>]) -> Result<(), FiscalProblem> {
        let sum: Option<i128> = totals.iter().map(|total| total.map(i128::from)).sum();
        let differs = |(sum, expected): &(i128, Money)| *sum != i128::from(expected.minor);
        let Some((sum, expected)) = sum.zip(self.expected).filter(differs) else { return Ok(()) };
        let items = Money { minor: i64::try_from(sum).unwrap_or(i64::MAX), ..expected };
        Err(FiscalProblem::TotalMismatch { items, expected })
    }

    /// A line, and its total in minor units, which is also known of a line with other mistakes.
    fn item(
        &self,
        value: &FieldValue,
        place: &str,
        problems: &mut Problems,
        unknown: &mut usize,
    ) -> (Option<FiscalItem>, Option<i64>) {
        let FieldValue::Object(members) = value else {
            problems.add(place.to_owned(), FieldProblem::WrongType("an object"));
            return (None, None);
        };
        let fields = Members { members, place, problems, unknown };
        let [name, quantity, price, amount, vat, subject, mode, measure] =
            fields.take(["name", "quantity", "price", "amount", "vat", "subject", "mode", "measure"]);
        let mut at = Placed { place, problems };
        let name = at.take("name", name.required_text().and_then(|name| Ok(text::line(name, MAX_NAME)?)));
        let quantity = at.take("quantity", item_quantity(quantity));
        let price =
            at.take("price", rouble_price(price).and_then(|price| price.ok_or(FieldProblem::Required)));
        let amount = at.take("amount", rouble_price(amount));
        let vat = at.take("vat", vat_rate(vat));
        let subject = at.take("subject", word(subject, Subject::WORDS, subject_word));
        let mode = at.take("mode", word(mode, PaymentMode::WORDS, |word| PaymentMode::parse(word).map(Ok)));
        let measure = at.take("measure", word(measure, Measure::WORDS, |word| Measure::parse(word).map(Ok)));
        let line =
            quantity.zip(price).and_then(|(quantity, price)| at.line(quantity, price, amount.flatten()));
        let total = quantity.zip(price).map(|(quantity, price)| quantity.times(price.minor));
        let written = || {
            let (_, _) = (line?, amount?);
            let (name, quantity, price, vat) = (name?, quantity?, price?.minor, vat?);
            let (subject, mode, measure) = (subject?, mode?, measure?);
            Some(Line { name, quantity, price, vat, subject, mode, measure })
        };
        (written().map(|line| self.completed(line)), total.filter(|total| *total > 0))
    }

    /// The line with what it does not name.
    fn completed(&self, line: Line) -> FiscalItem {
        let Line { name, quantity, price, vat, subject, mode, measure } = line;
        let vat = self.rate_now(&name, vat);
        let named = |item: &FiscalItem| {
            subject.is_none_or(|subject| subject == item.subject) && mode.is_none_or(|mode| mode == item.mode)
        };
        let paid = self.paid_line(&name, price, vat, named);
        FiscalItem {
            quantity,
            price,
            vat,
            subject: subject.or(paid.map(|item| item.subject)).unwrap_or(self.settings.default_subject()),
            mode: mode.or(paid.map(|item| item.mode)).unwrap_or(self.mode),
            measure: measure.or(paid.map(|item| item.measure)).unwrap_or(Measure::Piece),
            name,
        }
    }

    /// The rate of a line with this name: after the hand-over, as the closing receipt states it.
    fn rate_now(&self, name: &str, vat: Vat) -> Vat {
        let is_stated = || self.paid.iter().any(|item| item.name == name && item.vat == vat);
        match self.handed_over {
            Some(at) if vat != vat.plain() && !is_stated() => vat.at_hand_over(at),
            _ => vat,
        }
    }

    /// The paid line of this name that a line is of: rather one with its price and rate, then with all that it names.
    fn paid_line(
        &self,
        name: &str,
        price: i64,
        vat: Vat,
        named: impl Fn(&FiscalItem) -> bool,
    ) -> Option<&FiscalItem> {
        let differs = |item: &&FiscalItem| {
            (item.price != price, item.vat.plain() != vat.plain(), !named(item), item.vat != vat)
        };
        self.paid.iter().filter(|item| item.name == name).min_by_key(differs)
    }
}

/// A line as it was written: valid, with what it names.
struct Line {
    name: String,
    quantity: ItemQuantity,
    price: i64,
    vat: Vat,
    subject: Option<Subject>,
    mode: Option<PaymentMode>,
    measure: Option<Measure>,
}

/// The members of an object, by name; those that it should not have are noted.
struct Members<'a, 'b> {
    members: &'a [(String, FieldValue)],
    place: &'b str,
    problems: &'b mut Problems,
    unknown: &'b mut usize,
}

impl<'a> Members<'a, '_> {
    fn take<const N: usize>(self, names: [&str; N]) -> [&'a FieldValue; N] {
        for (name, _) in
            self.members.iter().filter(|(name, value)| value.is_present() && !names.contains(&name.as_str()))
        {
            if *self.unknown == 0 {
                break;
            }
            *self.unknown -= 1;
            self.problems.add(format!("{}.{}", self.place, shown(name)), FiscalProblem::UnknownField);
        }
        let found = |name| self.members.iter().find(|(member, _)| member == name);
        names.map(|name| found(name).map_or(&FieldValue::Absent, |(_, value)| value))
    }
}

/// Notes problems of the fields of one line.
struct Placed<'a> {
    place: &'a str,
    problems: &'a mut Problems,
}

impl Placed<'_> {
    fn take<T>(&mut self, field: &str, value: Result<T, FieldProblem>) -> Option<T> {
        value.map_err(|problem| self.problems.add(format!("{}.{field}", self.place), problem)).ok()
    }

    /// Checks that the total of a line is something, and the amount that was sent.
    fn line(&mut self, quantity: ItemQuantity, price: Money, amount: Option<Money>) -> Option<()> {
        let line = Money { minor: quantity.times(price.minor), ..price };
        if line.minor == 0 {
            return self.take("price", Err(FiscalProblem::EmptyLine.into()));
        }
        match amount.filter(|amount| *amount != line) {
            Some(_) => self.take("amount", Err(FiscalProblem::LineMismatch { line }.into())),
            None => Some(()),
        }
    }
}

fn buyer(value: &FieldValue, problems: &mut Problems, unknown: &mut usize) -> Buyer {
    const PLACE: &str = "receipt.customer";
    let Some(members) = problems.take(PLACE, value.members()) else { return Buyer::default() };
    let fields = Members { members, place: PLACE, problems, unknown };
    let [email, phone, full_name, inn] = fields.take(["email", "phone", "full_name", "inn"]);
    let mut at = Placed { place: PLACE, problems };
    Buyer {
        email: at.take("email", checked(email, email_address)).flatten(),
        phone: at.take("phone", checked(phone, phone_digits)).flatten(),
        full_name: at
            .take("full_name", checked(full_name, |name| Ok(text::line(name, MAX_FULL_NAME)?)))
            .flatten(),
        inn: at.take("inn", checked(inn, taxpayer_number)).flatten(),
    }
}

fn checked(
    value: &FieldValue,
    check: impl FnOnce(&str) -> Result<String, FieldProblem>,
) -> Result<Option<String>, FieldProblem> {
    value.text()?.map(check).transpose()
}

/// True if a receipt can be sent to this address, as far as its length goes.
#[must_use]
pub fn fits_receipt(email: &str) -> bool {
    email.chars().nth(MAX_EMAIL).is_none()
}

fn email_address(email: &str) -> Result<String, FieldProblem> {
    text::email(email).ok().filter(|email| fits_receipt(email)).ok_or(FiscalProblem::InvalidEmail.into())
}

/// The digits of a number in the form of E.164.
fn phone_digits(phone: &str) -> Result<String, FieldProblem> {
    let digits = phone.strip_prefix('+').filter(|digits| {
        (7..=15).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
    });
    digits.map(str::to_owned).ok_or(FiscalProblem::InvalidPhone.into())
}

fn taxpayer_number(inn: &str) -> Result<String, FieldProblem> {
    let right = matches!(inn.len(), 10 | 12) && inn.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| inn.to_owned()).ok_or(FiscalProblem::InvalidInn.into())
}

/// One of some words; `None` if it is absent.
fn word<T>(
    value: &FieldValue,
    words: &'static str,
    parse: impl FnOnce(&str) -> Option<Result<T, FiscalProblem>>,
) -> Result<Option<T>, FieldProblem> {
    let Some(word) = value.text()? else { return Ok(None) };
    match parse(word) {
        Some(found) => Ok(Some(found?)),
        None => Err(FieldProblem::NotOneOf(words)),
    }
}

fn subject_word(word: &str) -> Option<Result<Subject, FiscalProblem>> {
    if Subject::is_known_elsewhere(word) {
        return Some(Err(FiscalProblem::NotSupported(Subject::WORDS)));
    }
    Subject::parse(word).map(Ok)
}

/// A rate: a word, or for the plain ones a number.
fn vat_rate(value: &FieldValue) -> Result<Vat, FieldProblem> {
    let word = match value {
        FieldValue::Absent => return Err(FieldProblem::Required),
        FieldValue::Text(word) | FieldValue::Number(word) => word,
        _ => return Err(FieldProblem::WrongType("a string or a number")),
    };
    Vat::parse(word).ok_or(FieldProblem::NotOneOf(Vat::WORDS))
}

fn item_quantity(value: &FieldValue) -> Result<ItemQuantity, FieldProblem> {
    let digits = match value {
        FieldValue::Absent => return Ok(ItemQuantity::ONE),
        FieldValue::Text(text) => Digits::from_text(text),
        FieldValue::Number(text) => Digits::from_json_number(text),
        _ => return Err(FieldProblem::WrongType("a number or a string with a decimal number")),
    };
    let quantity = digits.ok().as_ref().and_then(ItemQuantity::new);
    quantity.ok_or(FiscalProblem::InvalidQuantity.into())
}

/// An amount of roubles, written like the price of a session; `None` if it is absent.
fn rouble_price(value: &FieldValue) -> Result<Option<Money>, FieldProblem> {
    let roubles = Currency::parse("RUB").unwrap_or_else(|| unreachable!("the rouble is a currency"));
    let invalid = |problem| FieldProblem::from(FiscalProblem::InvalidPrice(problem));
    let digits = value.digits().map_err(|problem| match problem {
        FieldProblem::Price(problem) => invalid(problem),
        other => other,
    })?;
    let Some(digits) = digits else { return Ok(None) };
    Price::new(digits, roubles).map(|price| Some(price.money())).map_err(invalid)
}
