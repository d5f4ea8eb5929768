//! The texts of the shop: one table, both languages side by side, so that none is forgotten.

use super::Language;

/// Texts in one language.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    pub language: Language,
}

impl Words {
    pub fn new(language: Language) -> Self {
        Self { language }
    }

    /// The text with this key.
    pub fn text(&self, key: &str) -> &'static str {
        let found = WORDS.iter().find(|(known, ..)| *known == key);
        debug_assert!(found.is_some(), "the shop has no words for {key}");
        found.map_or("", |(_, english, russian)| match self.language {
            Language::English => english,
            Language::Russian => russian,
        })
    }

    /// The text with the key `group-word`, such as `status-paid`.
    pub fn of(&self, group: &str, word: &str) -> &'static str {
        self.text(&format!("{group}-{word}"))
    }

    /// The text with this key, with `value` in place of `{}`.
    pub fn with(&self, key: &str, value: &str) -> String {
        self.text(key).replace("{}", value)
    }

    /// The text of the first of these keys that exists.
    pub fn first(&self, keys: &[&str]) -> &'static str {
        let known = keys.iter().find(|key| WORDS.iter().any(|(known, ..)| known == *key));
        self.text(known.copied().unwrap_or_default())
    }
}

#[rustfmt::skip]
static WORDS: &[(&str, &str, &str)] = &[
    ("brand", "Demo Books", "Demo Books"),
    ("skip", "Skip to content", "Перейти к содержанию"),
    ("language", "Language", "Язык"),
    ("menu", "Shop", "Магазин"),
    ("nav-shop", "Shop", "Витрина"),
    ("nav-orders", "Orders", "Заказы"),
    ("payments-by", "Payments run on Till.", "Оплату принимает Till."),
    ("api-docs", "API reference", "Справочник API"),
    ("no-money", "A demo: no money moves, nothing is shipped.", "Демонстрация: деньги не списываются, товары не отправляются."),

    ("catalogue-title", "Books, maps and prints from the north", "Книги, карты и гравюры с севера"),
    ("catalogue-lead",
        "A demo shop that takes payments like any vendor. Buy something, and see every call it makes next to your order.",
        "Демонстрационный магазин принимает оплату так же, как любой другой. Купите что-нибудь: рядом с заказом видно каждый вызов магазина."),
    ("environment", "Payment", "Оплата"),
    ("env-sandbox", "Sandbox", "Песочница"),
    ("env-live", "Live, simulated", "Боевая, имитация"),
    ("env-hint-sandbox", "You choose how the payment ends", "Вы сами выбираете результат платежа"),
    ("env-hint-live", "Card, SBP or crypto at a simulated bank", "Карта, СБП или криптовалюта"),
    ("currency", "Currency", "Валюта"),
    ("cur-RUB", "Rubles", "Рубли"),
    ("cur-USD", "US dollars", "Доллары США"),
    ("cur-hint-RUB", "Every method", "Все способы"),
    ("cur-hint-USD", "Without SBP", "Без СБП"),
    ("shelf", "On the shelf", "На полке"),
    ("buy", "Buy", "Купить"),
    ("busy", "One moment…", "Секунду…"),

    ("orders-title", "Orders", "Заказы"),
    ("orders-lead", "The last fifty, newest first.", "Последние 50, сначала новые."),
    ("orders-none-title", "No orders yet", "Заказов пока нет"),
    ("orders-none", "Buy something and it appears here.", "Купите что-нибудь, и заказ появится здесь."),
    ("to-shop", "Go to the shop", "Перейти в магазин"),

    ("order", "Order", "Заказ"),
    ("item", "Item", "Товар"),
    ("amount", "Amount", "Сумма"),
    ("paid-with", "Paid with", "Способ оплаты"),
    ("placed", "Placed", "Оформлен"),
    ("status", "Status", "Статус"),
    ("method-card", "Card", "Карта"),
    ("method-sbp", "SBP", "СБП"),
    ("method-crypto", "Crypto", "Криптовалюта"),
    ("status-new", "Not started", "Не начат"),
    ("status-pending", "Waiting for payment", "Ожидает оплаты"),
    ("status-paid", "Paid", "Оплачен"),
    ("status-refunded", "Refunded", "Деньги возвращены"),
    ("status-partly-refunded", "Partly refunded", "Часть денег возвращена"),
    ("refunded", "Refunded", "Возвращено"),
    ("status-failed", "Payment failed", "Оплата не прошла"),
    ("status-expired", "Expired", "Срок истёк"),

    ("new-heading", "We couldn’t start the payment", "Не удалось начать оплату"),
    ("pending-heading", "Waiting for your payment", "Ждём вашу оплату"),
    ("paid-heading", "Thank you! Your order is paid", "Спасибо! Заказ оплачен"),
    ("refunded-heading", "We refunded your order", "Мы вернули деньги за заказ"),
    ("partly-refunded-heading", "We refunded part of your order", "Мы вернули часть денег за заказ"),
    ("failed-heading", "Your payment failed", "Оплата не прошла"),
    ("expired-heading", "Time to pay has run out", "Время на оплату истекло"),
    ("pending-text", "We’ll pack your order as soon as Till confirms the payment.", "Как только Till сообщит об оплате, мы соберём заказ."),
    ("paid-text", "Till confirmed the payment. We’re packing your order now.", "Till подтвердил оплату. Мы уже собираем заказ."),
    ("refunded-text", "The money goes back the way you paid. Your bank may take a few days.",
        "Деньги вернутся тем же способом, которым вы платили. Банку может понадобиться несколько дней."),
    ("partly-refunded-text", "The money goes back the way you paid. We’re packing the rest of your order.",
        "Деньги вернутся тем же способом, которым вы платили. Остальную часть заказа мы собираем."),
    ("expired-text", "We didn’t get your payment in time, so we put it back on the shelf. You can order it again.",
        "Оплата не пришла вовремя, и мы вернули товар на полку. Его можно заказать снова."),
    ("follows", "This page updates automatically.", "Страница сама следит за оплатой."),
    ("lost", "No connection to the shop. Trying again.", "Нет связи с магазином. Пробуем снова."),
    ("trouble-none", "The payment hasn’t started yet. We kept your order.", "Оплата ещё не начата. Заказ сохранён."),
    ("trouble-unreachable", "The payment service didn’t respond. We kept your order, and you haven’t been charged.",
        "Платёжный сервис не ответил. Заказ сохранён, деньги не списаны."),
    ("trouble-busy", "The payment service is too busy. We kept your order, and you haven’t been charged. Try again in a moment.",
        "Платёжный сервис перегружен. Заказ сохранён, деньги не списаны. Попробуйте чуть позже."),
    ("trouble-refused", "The payment service rejected our request. We kept your order, and you haven’t been charged.",
        "Платёжный сервис отклонил наш запрос. Заказ сохранён, деньги не списаны."),
    ("trouble-credentials", "Till no longer accepts this shop’s credentials: they were replaced. Restart the demo so the shop reads the new ones. We kept your order.",
        "Till больше не принимает ключи этого магазина: их заменили. Перезапустите демонстрацию, и магазин прочитает новые. Заказ сохранён."),
    ("trouble-unreadable", "The payment service sent a response we don’t understand. We kept your order.",
        "Не удалось разобрать ответ платёжного сервиса. Заказ сохранён."),
    ("retry-after", "You can retry after {} s.", "Попробуйте снова через {} с."),
    ("reason-card_declined", "The bank declined the card. You can order again with another one.",
        "Банк отклонил карту. Можно заказать снова и оплатить другой картой."),
    ("reason-insufficient_funds", "The card has insufficient funds.", "На карте недостаточно средств."),
    ("reason-card_expired", "The card has expired.", "Срок действия карты истёк."),
    ("reason-three_ds_failed", "The bank didn’t confirm the payment.", "Банк не получил подтверждения оплаты."),
    ("reason-canceled_by_customer", "You canceled the payment.", "Вы отменили оплату."),
    ("reason-provider_error", "Something went wrong at the payment provider.", "Сбой на стороне платёжного провайдера."),
    ("reason-unconfirmed", "The network didn’t confirm the transfer.", "Сеть не подтвердила перевод."),
    ("reason-other", "The payment didn’t go through.", "Платёж не прошёл."),
    ("again", "Order again", "Заказать снова"),
    ("try-again", "Try again", "Попробовать снова"),
    ("go-pay", "Go to the payment page", "Перейти к оплате"),
    ("check-again", "Check again", "Проверить ещё раз"),
    ("more", "Back to the shelf", "Вернуться к витрине"),

    ("panel-title", "Behind the counter", "За прилавком"),
    ("panel-lead", "Every request between the shop and Till for this order. Every curl command can be run as is.",
        "Все запросы между магазином и Till по этому заказу. Каждую команду curl можно выполнить как есть."),
    ("panel-lead-hidden", "Every request between the shop and Till for this order.", "Все запросы между магазином и Till по этому заказу."),
    ("panel-none", "No requests yet.", "Запросов пока нет."),
    ("kind-token", "The shop gets a token", "Магазин получает токен"),
    ("kind-reused", "The shop has a token", "У магазина уже есть токен"),
    ("kind-create", "The shop opens a payment session", "Магазин открывает платёжную сессию"),
    ("kind-status", "The shop requests the status", "Магазин запрашивает статус"),
    ("kind-callback", "Till calls the shop", "Till отправляет колбэк магазину"),
    ("about-token", "The shop authenticates with its client ID and secret. The token works for an hour, for the next orders too.",
        "Магазин проходит проверку по идентификатору и секрету. Токен действует час и подходит для следующих заказов."),
    ("about-reused", "Requested at this time for an earlier order. A token works for an hour, so the shop doesn’t need another.",
        "Получен в это время для одного из прошлых заказов. Токен действует час, новый не нужен."),
    ("about-create", "What is sold, for which order, where to send callbacks and where to return the customer. The Idempotency-Key makes the call safe to retry. The shop sends the customer to session_url.",
        "Что продаётся, для какого заказа, куда сообщить об оплате и куда вернуть покупателя. Idempotency-Key позволяет безопасно повторить вызов. Магазин отправляет покупателя на session_url."),
    ("about-status", "Anyone can open a return page, so the shop checks the status before it says thank you.",
        "Страницу после оплаты может открыть кто угодно. Поэтому магазин сначала проверяет статус, а потом благодарит."),
    ("about-callback", "Signed with the shop’s secret. The shop verifies the signature over the raw body, then order, session and amount, drops duplicates by eventId, and responds at once.",
        "Колбэк подписан секретом магазина. Магазин проверяет подпись по исходному телу, затем заказ, сессию и сумму, отбрасывает повторы по eventId и сразу отвечает."),
    ("note-verified", "Signature valid; order and amount match", "Подпись верна; заказ и сумма совпали"),
    ("note-repeat", "Signature valid; duplicate, nothing changed", "Подпись верна; повтор, ничего не изменилось"),
    ("note-ignored", "Signature valid; the shop doesn’t know this event", "Подпись верна; такое событие магазину неизвестно"),
    ("note-doubt-order", "For another order: rejected", "Другой заказ: не принято"),
    ("note-doubt-session", "For another session: rejected", "Другая сессия: не принято"),
    ("note-doubt-price", "Different amount: rejected", "Другая сумма: не принято"),
    ("note-doubt-currency", "Different currency: rejected", "Другая валюта: не принято"),
    ("note-doubt-status", "Contradicts the final status: rejected", "Противоречит итоговому статусу: не принято"),
    ("request", "Request", "Запрос"),
    ("answer", "Response", "Ответ"),
    ("masked", "Secrets are hidden here.", "Секреты здесь скрыты."),
    ("laid-out", "Formatted for reading; the signature covers the exact bytes, as in the curl command.",
        "Отформатировано для чтения; подписаны исходные байты, как в команде curl."),
    ("run", "Run it yourself", "Выполните сами"),
    ("run-hint", "Contains this demo’s real secret, so it runs as pasted.", "С настоящим секретом этой демонстрации, чтобы команда сразу работала."),
    ("run-hint-hidden", "Set TILL_CLIENT_SECRET to the secret first: other machines can reach this shop, so it doesn’t show one.",
        "Сначала запишите секрет в TILL_CLIENT_SECRET: магазин доступен с других компьютеров, поэтому не показывает его."),
    ("copy", "Copy", "Копировать"),
    ("copied", "Copied", "Скопировано"),
    ("no-answer", "no response", "нет ответа"),
    ("took", "{} ms", "{} мс"),
    ("times", "{} times", "раз: {}"),

    ("foreign-title", "This form came from another site", "Форма отправлена с другого сайта"),
    ("foreign", "Nothing was ordered. Open the shop and try there.", "Ничего не заказано. Откройте магазин и попробуйте там."),
    ("elsewhere-title", "The shop is not at this address", "Магазин находится по другому адресу"),
    ("elsewhere", "Open it at the address the demo showed when it started.", "Откройте его по адресу, который показан при запуске демонстрации."),
    ("unknown-item-title", "We don’t sell that", "Такого мы не продаём"),
    ("unknown-item", "Nothing was ordered. Choose something from the shelf.", "Ничего не заказано. Выберите что-нибудь на витрине."),
    ("no-order-title", "Order not found", "Такого заказа нет"),
    ("no-order", "Check the number in the address.", "Проверьте номер в адресе."),
    ("nowhere-title", "Page not found", "Страница не найдена"),
    ("nowhere", "The shop is one click away.", "Перейдите в магазин по ссылке."),
    ("trouble-title", "Something went wrong in the shop", "Ошибка в магазине"),
    ("trouble", "It’s our fault. Try again in a moment.", "Это наша ошибка. Попробуйте чуть позже."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn both_languages_have_every_text_once() {
        for (place, (key, english, russian)) in WORDS.iter().enumerate() {
            assert!(!english.is_empty() && !russian.is_empty(), "{key}");
            assert_eq!(english.contains("{}"), russian.contains("{}"), "{key}");
            assert!(WORDS[place + 1..].iter().all(|(other, ..)| other != key), "{key} is there twice");
            let is_name = ["brand"].contains(key);
            assert!(
                is_name || russian.chars().any(|c| ('а'..='я').contains(&c)) || english != russian,
                "{key}"
            );
        }
    }

    #[test]
    fn every_text_that_a_template_names_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let mut named = 0;
        for entry in fs::read_dir(folder).expect("a folder") {
            let text = fs::read_to_string(entry.expect("an entry").path()).expect("a text");
            for key in ["t.text(\"", "t.with(\""].iter().flat_map(|call| text.split(call).skip(1)) {
                let key = key.split('"').next().expect("a key");
                assert!(WORDS.iter().any(|(known, ..)| *known == key), "{key}");
                named += 1;
            }
        }
        assert!(named > 30, "{named}");
    }

    #[test]
    fn every_word_of_the_api_can_be_said() {
        let reasons = "card_declined insufficient_funds card_expired three_ds_failed canceled_by_customer \
            provider_error unconfirmed other";
        let groups = [
            ("status", "new pending paid refunded partly-refunded failed expired"),
            ("kind", "token reused create status callback"),
            ("about", "token reused create status callback"),
            (
                "note",
                "verified repeat ignored doubt-order doubt-session doubt-price doubt-currency doubt-status",
            ),
            ("trouble", "none unreachable busy refused credentials unreadable"),
            ("method", "card sbp crypto"),
            ("env", "sandbox live"),
            ("env-hint", "sandbox live"),
            ("cur", "RUB USD"),
            ("cur-hint", "RUB USD"),
            ("reason", reasons),
        ];
        for (group, words) in groups {
            for word in words.split_whitespace() {
                let key = format!("{group}-{word}");
                assert!(WORDS.iter().any(|(known, ..)| *known == key), "{key}");
            }
        }
    }
}
