//! The words of a fiscal receipt: what the law and the tax service number, under names that no provider's own numbering can be
//! confused with. Each provider maps them; none of these words is passed along as a number.

use crate::{time::Timestamp, words::words};

words! {
    /// The vendor's tax system (tag 1055).
    pub enum TaxSystem {
        Osn = "osn",
        UsnIncome = "usn_income",
        UsnIncomeOutcome = "usn_income_outcome",
        Esn = "esn",
        Patent = "patent",
    }
}

impl TaxSystem {
    /// Its words, for messages.
    pub const WORDS: &str = "osn, usn_income, usn_income_outcome, esn, patent";
}

words! {
    /// The rate of value added tax of a line (tag 1199). The form with a slash is the computed rate, for advances and
    /// prepayments.
    pub enum Vat {
        /// The vendor pays no VAT.
        None = "none",
        Zero = "0",
        Five = "5",
        Seven = "7",
        Ten = "10",
        Twenty = "20",
        TwentyTwo = "22",
        FiveOf105 = "5/105",
        SevenOf107 = "7/107",
        TenOf110 = "10/110",
        TwentyOf120 = "20/120",
        TwentyTwoOf122 = "22/122",
    }
}

/// When a rate applies to what is sold; a bound that is empty is open.
struct RateDates {
    rates: [Vat; 2],
    from: &'static str,
    until: &'static str,
}

/// The rates that were introduced or replaced, as days of Moscow. A rate that no longer applies to sales is still the right
/// one for a refund of what was sold under it, so it is never refused.
const DATES: [RateDates; 4] = [
    RateDates { rates: [Vat::Five, Vat::FiveOf105], from: "2024-12-31T21:00:00Z", until: "" },
    RateDates { rates: [Vat::Seven, Vat::SevenOf107], from: "2024-12-31T21:00:00Z", until: "" },
    // Law 425-FZ of 28 November 2025.
    RateDates { rates: [Vat::Twenty, Vat::TwentyOf120], from: "", until: "2025-12-31T21:00:00Z" },
    RateDates { rates: [Vat::TwentyTwo, Vat::TwentyTwoOf122], from: "2025-12-31T21:00:00Z", until: "" },
];

impl Vat {
    /// Its words, for messages.
    pub const WORDS: &str = "none, 0, 5, 7, 10, 20, 22, 5/105, 7/107, 10/110, 20/120, 22/122";

    /// The first moment from which it applies to sales, and the first from which it does not any more.
    #[must_use]
    pub fn dates(self) -> (Option<Timestamp>, Option<Timestamp>) {
        let found = DATES.iter().find(|dates| dates.rates.contains(&self));
        found.map_or((None, None), |dates| (Timestamp::parse(dates.from), Timestamp::parse(dates.until)))
    }

    /// Returns true if it applies to what is sold at this moment.
    #[must_use]
    pub fn applies_at(self, at: Timestamp) -> bool {
        let (from, until) = self.dates();
        from.is_none_or(|from| from <= at) && until.is_none_or(|until| at < until)
    }

    /// The rate of the receipt for the hand-over of what was paid before: the plain form of a computed rate. A main rate that
    /// was replaced meanwhile is the one that replaced it.
    #[must_use]
    pub fn at_hand_over(self, at: Timestamp) -> Self {
        let plain = self.plain();
        if plain == Self::Twenty && !plain.applies_at(at) { Self::TwentyTwo } else { plain }
    }

    /// The plain form of a computed rate.
    pub(super) fn plain(self) -> Self {
        match self {
            Self::FiveOf105 => Self::Five,
            Self::SevenOf107 => Self::Seven,
            Self::TenOf110 => Self::Ten,
            Self::TwentyOf120 => Self::Twenty,
            Self::TwentyTwoOf122 => Self::TwentyTwo,
            plain => plain,
        }
    }
}

words! {
    /// When the money of a line is paid, compared with its hand-over (tag 1214).
    pub enum PaymentMode {
        FullPrepayment = "full_prepayment",
        PartialPrepayment = "partial_prepayment",
        Advance = "advance",
        FullPayment = "full_payment",
        PartialPayment = "partial_payment",
        Credit = "credit",
        CreditPayment = "credit_payment",
    }
}

impl PaymentMode {
    /// Its words, for messages.
    pub const WORDS: &str =
        "full_prepayment, partial_prepayment, advance, full_payment, partial_payment, credit, credit_payment";

    /// Returns true if the goods are handed over later, so that a closing receipt follows.
    #[must_use]
    pub fn is_prepayment(self) -> bool {
        matches!(self, Self::FullPrepayment | Self::PartialPrepayment | Self::Advance)
    }
}

words! {
    /// What a line is for (tag 1212): the subjects that both versions of the format have, and every provider.
    pub enum Subject {
        Commodity = "commodity",
        Excise = "excise",
        Job = "job",
        Service = "service",
        IntellectualActivity = "intellectual_activity",
        Payment = "payment",
        AgentCommission = "agent_commission",
        Another = "another",
        GamblingBet = "gambling_bet",
        GamblingPrize = "gambling_prize",
        Lottery = "lottery",
        LotteryPrize = "lottery_prize",
    }
}

impl Subject {
    /// Its words, for messages.
    pub const WORDS: &str = "commodity, excise, job, service, intellectual_activity, payment, agent_commission, another, \
                             gambling_bet, gambling_prize, lottery, lottery_prize";

    /// Subjects of one version of the format alone, and of marked goods, which have a code for each piece.
    const NOT_SUPPORTED: [&str; 19] = [
        "agent_withdrawals",
        "casino",
        "composite",
        "cost",
        "health_insurance",
        "health_insurance_with_payouts",
        "health_insurance_without_payouts",
        "insurance_premium",
        "lien",
        "marked",
        "marked_excise",
        "non_marked",
        "non_marked_excise",
        "non_operating_gain",
        "pension_insurance_with_payouts",
        "pension_insurance_without_payouts",
        "property_right",
        "resort_fee",
        "sales_tax",
    ];

    /// Returns true for a subject of the law that Till cannot send yet.
    #[must_use]
    pub fn is_known_elsewhere(word: &str) -> bool {
        Self::NOT_SUPPORTED.contains(&word)
    }
}

words! {
    /// The unit of a line's quantity (tag 2108).
    pub enum Measure {
        Piece = "piece",
        Gram = "gram",
        Kilogram = "kilogram",
        Ton = "ton",
        Centimeter = "centimeter",
        Decimeter = "decimeter",
        Meter = "meter",
        SquareCentimeter = "square_centimeter",
        SquareDecimeter = "square_decimeter",
        SquareMeter = "square_meter",
        Milliliter = "milliliter",
        Liter = "liter",
        CubicMeter = "cubic_meter",
        KilowattHour = "kilowatt_hour",
        Gigacalorie = "gigacalorie",
        Day = "day",
        Hour = "hour",
        Minute = "minute",
        Second = "second",
        Kilobyte = "kilobyte",
        Megabyte = "megabyte",
        Gigabyte = "gigabyte",
        Terabyte = "terabyte",
        Another = "another",
    }
}

impl Measure {
    /// Its words, for messages.
    pub const WORDS: &str = "piece, gram, kilogram, ton, centimeter, decimeter, meter, square_centimeter, \
                             square_decimeter, square_meter, milliliter, liter, cubic_meter, kilowatt_hour, gigacalorie, \
                             day, hour, minute, second, kilobyte, megabyte, gigabyte, terabyte, another";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_for_messages_have_every_word() {
        let joined = |words: Vec<&str>| words.join(", ");
        assert_eq!(joined(TaxSystem::ALL.iter().map(|one| one.as_str()).collect()), TaxSystem::WORDS);
        assert_eq!(joined(Vat::ALL.iter().map(|one| one.as_str()).collect()), Vat::WORDS);
        assert_eq!(joined(PaymentMode::ALL.iter().map(|one| one.as_str()).collect()), PaymentMode::WORDS);
        assert_eq!(joined(Subject::ALL.iter().map(|one| one.as_str()).collect()), Subject::WORDS);
        assert_eq!(joined(Measure::ALL.iter().map(|one| one.as_str()).collect()), Measure::WORDS);
        assert!(Subject::NOT_SUPPORTED.iter().all(|word| Subject::parse(word).is_none()));
    }

    #[test]
    fn the_main_rate_changes_with_the_year_2026_in_moscow() {
        let at = |text: &str| Timestamp::parse(text).expect("a time");
        for (time, old, new) in
            [("2025-12-31T23:59:59.999+03:00", true, false), ("2026-01-01T00:00:00+03:00", false, true)]
        {
            for (vat, applies) in [
                (Vat::Twenty, old),
                (Vat::TwentyOf120, old),
                (Vat::TwentyTwo, new),
                (Vat::TwentyTwoOf122, new),
            ] {
                assert_eq!(vat.applies_at(at(time)), applies, "{} at {time}", vat.as_str());
            }
            assert!([Vat::None, Vat::Zero, Vat::Ten, Vat::Five].iter().all(|vat| vat.applies_at(at(time))));
        }
        assert!(!Vat::SevenOf107.applies_at(at("2024-12-31T00:00:00Z")));
    }

    #[test]
    fn the_closing_receipt_has_the_plain_rate_of_its_day() {
        let at = |text: &str| Timestamp::parse(text).expect("a time");
        let (old, new) = (at("2025-11-15T00:00:00Z"), at("2026-02-01T00:00:00Z"));
        for (paid, handed_over, expected) in [
            (Vat::TwentyTwoOf122, new, Vat::TwentyTwo),
            (Vat::TwentyOf120, old, Vat::Twenty),
            (Vat::TwentyOf120, new, Vat::TwentyTwo),
            (Vat::TenOf110, new, Vat::Ten),
            (Vat::FiveOf105, new, Vat::Five),
            (Vat::SevenOf107, new, Vat::Seven),
            (Vat::None, new, Vat::None),
            (Vat::TwentyTwo, new, Vat::TwentyTwo),
        ] {
            assert_eq!(paid.at_hand_over(handed_over), expected, "{}", paid.as_str());
        }
    }
}
