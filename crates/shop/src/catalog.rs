//! The shop's catalogue: three items in two currencies.

use crate::pages::Language;

#[derive(Debug)]
pub struct Item {
    /// Its key in forms, tests and the order table.
    pub word: &'static str,
    english: [&'static str; 2],
    russian: [&'static str; 2],
    prices: [&'static str; 2],
}

/// A currency of the shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Currency {
    /// Rubles: cards, SBP and crypto.
    Rub,
    /// Dollars: cards and crypto.
    Usd,
}

pub static ITEMS: [Item; 3] = [
    Item {
        word: "atlas",
        english: ["Atlas of Northern Light", "A book. 240 pages, thread-sewn, second printing."],
        russian: ["Атлас северного света", "Книга. 240 страниц, шитый переплёт, второе издание."],
        prices: ["4990.00", "54.90"],
    },
    Item {
        word: "map",
        english: ["Map of the White Sea coast", "A map. Folds to pocket size, opens to 70 × 100 cm."],
        russian: ["Карта берегов Белого моря", "Карта. Помещается в карман, раскрывается до 70 × 100 см."],
        prices: ["890.00", "9.80"],
    },
    Item {
        word: "print",
        english: ["Lighthouse at dusk", "A linocut print. 30 × 40 cm, numbered by hand."],
        russian: ["Маяк в сумерках", "Линогравюра. 30 × 40 см, номер проставлен вручную."],
        prices: ["2490.00", "27.40"],
    },
];

/// The products as a catalog has them, in rubles: id, name, price and currency.
pub fn products() -> impl Iterator<Item = (&'static str, &'static str, &'static str, &'static str)> {
    ITEMS.iter().map(|item| (item.word, item.english[0], item.prices[0], "RUB"))
}

impl Item {
    pub fn find(word: &str) -> Option<&'static Self> {
        ITEMS.iter().find(|item| item.word == word)
    }

    pub fn name(&self, language: &Language) -> &'static str {
        self.words(language)[0]
    }

    pub fn about(&self, language: &Language) -> &'static str {
        self.words(language)[1]
    }

    /// Its price. Prices are texts with exact digits: money is never a float.
    pub fn price(&self, currency: &Currency) -> &'static str {
        match currency {
            Currency::Rub => self.prices[0],
            Currency::Usd => self.prices[1],
        }
    }

    fn words(&self, language: &Language) -> &[&'static str; 2] {
        match language {
            Language::English => &self.english,
            Language::Russian => &self.russian,
        }
    }
}

impl Currency {
    pub const ALL: [Self; 2] = [Self::Rub, Self::Usd];

    /// ISO 4217.
    pub fn code(self) -> &'static str {
        match self {
            Self::Rub => "RUB",
            Self::Usd => "USD",
        }
    }

    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|currency| currency.code() == code)
    }
}
