# Страница оплаты по-русски. Ключи и переменные те же, что в en.ftl; это сверяет тест.

## Frame

skip = К оплате
language = Язык
back-to = Вернуться в { $shop }
runs-on = Платежи принимает
help = Помощь
shop-unnamed = магазин
tape-sandbox-name = Песочница.
tape-sandbox = Тестовая страница. Деньги не списываются, чек не отправляется.
tape-simulated-name = Платежи имитируются.
tape-simulated = Деньги не списываются.
error-prefix = Ошибка: { $title }
connection-lost = Нет связи. На платёж это не влияет.
copy = Копировать
copied = Скопировано
five-minutes-left = Осталось 5 минут
one-minute-left = Осталась 1 минута
time-is-up = Время вышло

## Statuses

status = Статус
status-pending = Ожидает оплаты
status-confirming = Подтверждается в сети
status-paid = Оплачено
status-failed = Не оплачено
status-expired = Время истекло

## Order

order-summary = Ваш заказ
amount-due = К оплате
order-number = Заказ { $order }
rate = Курс
rate-line = 1 { $unit } = { $price }
time-left-to-pay = Осталось времени
code-valid-for = QR-код действует ещё
rate-held-for = Курс действует ещё
bank-closes-in = Страница банка закроется через

## Methods

methods-title = Оплата { $amount }, { $shop }
methods-heading = Как вы хотите оплатить?
method-card = Карта
method-sbp = СБП
method-crypto = Криптовалюта
method-card-hint = Банк может попросить подтвердить платёж
method-sbp-hint =
    { $count ->
        [one] По QR-коду или в приложении банка. Код действует { $count } минуту
        [few] По QR-коду или в приложении банка. Код действует { $count } минуты
       *[many] По QR-коду или в приложении банка. Код действует { $count } минут
    }
method-crypto-hint =
    { $count ->
        [one] Перевод из вашего кошелька. На оплату { $count } минута
        [few] Перевод из вашего кошелька. На оплату { $count } минуты
       *[many] Перевод из вашего кошелька. На оплату { $count } минут
    }
only-card = Оплата картой
only-sbp = Оплата через СБП
only-crypto = Оплата криптовалютой
panel-down-card = Оплата картой сейчас недоступна.
panel-down-sbp = Оплата через СБП сейчас недоступна.
panel-down-crypto = Оплата криптовалютой сейчас недоступна.
panel-timed-out = Время на оплату этим способом истекло.
no-method-heading = Магазин сейчас не может принять оплату
no-method = Ваш заказ сохранён. Попробуйте позже или напишите в магазин.
email-label = Эл. почта для чека
optional = необязательно
pay-card = Оплатить { $amount }
pay-sbp = Оплатить через СБП
pay-crypto = Оплатить криптовалютой
paying = Оплачиваем…

## Problems

problem-heading = Есть проблема
problem-email = Проверьте адрес почты или оставьте поле пустым.
problem-down-card = Оплата картой сейчас недоступна. Выберите другой способ.
problem-down-sbp = Оплата через СБП сейчас недоступна. Выберите другой способ.
problem-down-crypto = Оплата криптовалютой сейчас недоступна. Выберите другой способ.
problem-silent-card = Начатая оплата картой пока не отвечает. Подождите несколько секунд и попробуйте снова.
problem-silent-sbp = Начатая оплата через СБП пока не отвечает. Подождите несколько секунд и попробуйте снова.
problem-silent-crypto = Начатая оплата криптовалютой пока не отвечает. Подождите несколько секунд и попробуйте снова.
problem-timed-out = Время на оплату этим способом истекло. Выберите другой способ.
problem-start-failed = Не удалось начать платёж. Деньги не списаны. Попробуйте ещё раз или выберите другой способ.
problem-too-many-session = Слишком много попыток оплаты. Вернитесь в магазин и начните заново.
problem-too-many-address-seconds =
    { $count ->
        [one] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } секунду.
        [few] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } секунды.
       *[many] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } секунд.
    }
problem-too-many-address-minutes =
    { $count ->
        [one] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } минуту.
        [few] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } минуты.
       *[many] Слишком много попыток оплаты из вашей сети. Попробуйте снова через { $count } минут.
    }
problem-too-many-vendor-seconds =
    { $count ->
        [one] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } секунду.
        [few] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } секунды.
       *[many] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } секунд.
    }
problem-too-many-vendor-minutes =
    { $count ->
        [one] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } минуту.
        [few] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } минуты.
       *[many] У магазина сейчас слишком много платежей. Попробуйте снова через { $count } минут.
    }
problem-busy = Сейчас не получилось. Попробуйте ещё раз чуть позже.
error-word = Ошибка:

## Test payments

test-title = Тестовый платёж { $amount }, { $shop }
test-heading = Выберите, чем закончится тестовый платёж
test-hint-card = Вы платите картой. Данные карты не нужны.
test-hint-sbp = Вы платите через СБП. Приложение банка не нужно.
test-hint-crypto = Вы платите криптовалютой. Монеты не нужны.
coin-legend = Какую монету вы отправите?
outcome = Исход
outcome-paid = Успешно
outcome-paid-hint = Банк одобряет платёж.
outcome-declined = Отклонено банком
outcome-declined-hint = Общий отказ без указания причины.
outcome-insufficient_funds = Недостаточно средств
outcome-insufficient_funds-hint = На карте мало денег.
outcome-three_ds = Проверка 3‑D Secure
outcome-three_ds-hint = Откроется страница тестового банка: подтвердите или откажитесь.
outcome-expire = Завершить по времени
outcome-expire-hint =
    { $count ->
        [one] Сессия истечёт сразу, не нужно ждать { $count } минуту.
        [few] Сессия истечёт сразу, не нужно ждать { $count } минуты.
       *[many] Сессия истечёт сразу, не нужно ждать { $count } минут.
    }
finish-test = Завершить тестовый платёж
finishing = Завершаем…
callback-to = Колбэк на адрес
return-address = Возврат на адрес
no-address = адрес не указан

## Waiting

check-again = Проверить оплату
choose-another = Выбрать другой способ оплаты
preparing-title = Готовим платёж { $amount }, { $shop }
preparing-heading = Готовим платёж
preparing = Договариваемся с банком. Это займёт несколько секунд.
processing-title = Ждём банк: { $amount }, { $shop }
processing-heading = Банк проводит платёж
processing = Решения ещё нет. Оставьте страницу открытой, она обновится сама.
do-not-pay-twice = Не платите второй раз, пока платёж в обработке.
waiting-for-bank = Ждём подтверждения от банка
page-updates = Страница обновится сама.

## The provider's page

bank-title = Продолжение на странице банка: { $amount }, { $shop }
bank-heading = Продолжите на странице банка
bank-hint = Вы заплатите на странице банка и затем вернётесь сюда.
bank-continue = Перейти на страницу банка
embedded-title = Оплата { $amount }, { $shop }
embedded-heading = Оплата картой
embedded-hint = Форма принадлежит платёжной системе. Магазин не видит вашу карту.
embedded-loading = Форма загружается
embedded-noscript = Для этой формы нужен JavaScript. Включите его или выберите другой способ оплаты.

## SBP

qr-title = Оплата { $amount } через СБП, { $shop }
qr-heading = Оплата через СБП
qr-label = QR-код для оплаты { $amount } через СБП
qr-step-open = Откройте приложение своего банка на телефоне
qr-step-scan = Наведите камеру на QR-код
qr-step-confirm = Проверьте сумму и подтвердите оплату
qr-no-fee = Страница обновится сама. Комиссии для вас нет.
open-bank-app = Открыть приложение банка
or-choose-bank = Или выберите банк
other-phone = Оплатить с другого телефона по QR-коду

## Crypto

address-title = Отправьте { $coins }, { $shop }
address-heading = Отправьте ровно { $coins }
address-more-heading = Отправьте ещё { $coins }
address-partial = Получено { $received } из { $coins }. Отправьте ещё { $missing } на тот же адрес.
address-qr-label = QR-код с адресом и суммой
network = Сеть
amount = Сумма
address = Адрес
open-in-wallet = Открыть в кошельке
wrong-network = Отправляйте только { $unit } и только в сети { $network }. Иначе монеты могут пропасть.
waiting-for-transfer = Ждём перевод в сети
confirming-title = Подтверждается: { $seen } из { $needed }, { $shop }
confirming-heading = Перевод появился в сети
confirming =
    { $count ->
        [one] Мы его видим. Он станет окончательным после { $count } подтверждения.
        [few] Мы его видим. Он станет окончательным после { $count } подтверждений.
       *[many] Мы его видим. Он станет окончательным после { $count } подтверждений.
    }
confirming-left = Мы видим ваш перевод, больше ничего платить не нужно. Если вы начали другой платёж, не завершайте его.
confirmations = Подтверждения
confirmations-of = { $seen } из { $needed }
confirmations-spoken = Подтверждения: { $seen } из { $needed }
received = Получено
seen-at = Замечен
transaction = Транзакция
can-close = Страницу можно закрыть. Таймер остановлен, { $shop } узнает об оплате, как только перевод станет окончательным.

## Results

details = Подробности
item = Товар
order = Заказ
return-to = Вернуться в { $shop }
paid-title = Оплачено { $amount }, { $shop }
paid-heading = Оплачено: { $shop }
paid = Сообщаем магазину об оплате. Можно вернуться в него.
paid-no-return = Сообщаем магазину об оплате. Страницу можно закрыть.
paid-with = Способ оплаты
paid-at = Время оплаты
receipt = Чек
receipt-queued = Придёт на { $email }
receipt-sent = Отправлен на { $email }
receipt-failed = Не удалось отправить на { $email }. Откройте чек по ссылке ниже.
receipt-open = Открыть чек
receipt-title = Чек: { $shop }
receipt-text = Сохраните этот чек как подтверждение оплаты.
receipt-refunded-part = Возвращено частично
receipt-refunded = Возвращено
refunded = Возвращено
refunded-at = Время возврата
refunded-heading = Возврат: { $shop }
refunded-text = Деньги вернутся тем же способом, которым была оплата. Банку может понадобиться несколько дней.
paid-over = Вы отправили на { $coins } больше, чем нужно. Уточните в { $shop }, как их вернуть.
keep-page = Сохраните эту страницу или чек как подтверждение оплаты.
keep-page-only = Сохраните эту страницу как подтверждение оплаты.
already-title = Уже оплачено: { $amount }, { $shop }
already-heading = Этот заказ уже оплачен
already = Платить ещё раз не нужно.
pay-again = Всё равно оплатить ещё раз
pay-again-means = За тот же заказ ещё раз спишется { $amount }.
pay-again-confirm = Да, оплатить ещё раз
failed-title = Платёж не прошёл. { $shop }
failed-heading = Платёж не прошёл
nothing-charged = Деньги не списаны.
not-confirmed = Не удалось проверить платёж. Пока не платите повторно.
reason-card_declined = Банк отклонил платёж.
reason-insufficient_funds =
    { $method ->
        [card] На карте недостаточно средств.
       *[other] На счёте недостаточно средств.
    }
reason-card_expired = Срок действия карты истёк.
reason-three_ds_failed = Банк не смог подтвердить, что это вы.
reason-canceled_by_customer = Платёж отменён.
reason-provider_error = Платёжный сервис не смог провести платёж.
reason-unconfirmed = Сеть так и не подтвердила перевод.
tried-with = Способ оплаты
tried-at = Время попытки
reference = Номер для обращения
try-again = Попробовать снова в { $shop }
closed = Этот платёж закрыт. Магазин откроет новый для вашего заказа.
questions = Есть вопросы?
expired-title = Время на оплату истекло. { $shop }
expired-heading = Время на оплату истекло
expired =
    { $count ->
        [one] Страница была открыта { $count } минуту, оплата не поступила.
        [few] Страница была открыта { $count } минуты, оплата не поступила.
       *[many] Страница была открыта { $count } минут, оплата не поступила.
    }
expired-short = Время истекло раньше, чем пришла вся сумма.
expired-partial = Получено { $coins }, это меньше нужной суммы. Уточните в { $shop }, как их вернуть.
expired-twice = Уже оплатили в приложении банка? Не платите второй раз. Сначала уточните в { $shop }.
expired-at = Время истекло
start-again = Вернуться в { $shop } и начать заново

## Mails about payments

mail-receipt-subject = Чек: { $shop }, { $amount }
mail-refund-subject = Возврат: { $shop }, { $amount }
mail-receipt-foot = Вы получили это письмо, потому что этот адрес указали при оплате в { $shop }. С вопросами о заказе обращайтесь в магазин.
mail-undelivered-heading =
    { $count ->
        [one] Не доставлен { $count } колбэк
        [few] Не доставлены { $count } колбэка
       *[many] Не доставлено { $count } колбэков
    }
mail-undelivered-text = Ваш сервер ни разу не ответил успехом и может не знать, что эти платежи завершились. Исправьте его, а затем отправьте колбэки ещё раз из панели. Последние:
mail-undelivered-open = Открыть их в панели
mail-undelivered-foot = Такое письмо приходит не чаще раза в час на контактную почту из настроек и только о боевых платежах.

## Pages without a payment

not-found-title = Платёж не найден
not-found-heading = Платёж не найден
not-found = Проверьте ссылку или вернитесь в магазин.
no-receipt-title = Чек не найден
no-receipt-heading = Такого чека нет
no-receipt = Проверьте ссылку. Она есть в письме с чеком и на странице оплаты.
sandbox-off-title = Песочница выключена
sandbox-off-heading = Песочница выключена
sandbox-off = Это тестовый платёж, а песочница магазина выключена. Деньги не списаны.
sandbox-off-ask = Включить её может оператор сервиса.
error-title = Ошибка на нашей стороне
error-heading = Ошибка на нашей стороне
error = Прежде чем платить, посмотрите на эту страницу ещё раз.
error-retry = Подождите немного и обновите страницу.
leave-title = Уйти без оплаты? – { $shop }
leave-unpaid-heading = Уйти без оплаты?
leave-unpaid = Вы перейдёте на { $host }. Вернуться сюда и заплатить можно, пока не истекло время.
leave-unpaid-stay = Остаться и заплатить
leave-under-way-heading = Покинуть страницу?
leave-under-way = Вы перейдёте на { $host }. Платёж завершится и без этой страницы.
leave-under-way-stay = Остаться на странице
leave-go = Перейти на { $host }

forbidden-title = Форма не принята
forbidden-heading = Форма не принята
forbidden = Она отправлена не с нашей страницы оплаты. Деньги не списаны.
forbidden-retry = Откройте ссылку на оплату ещё раз и заплатите там.

## The page that plays the bank

challenge-title = Тест 3‑D Secure. { $shop }
challenge-heading = Тестовый банк: подтвердите, что это вы
challenge = Вместо страницы, которую настоящий банк показал бы для 3‑D Secure.
simulated-title = Имитация банка. { $shop }
simulated-heading = Имитация банка
simulated = Вместо настоящего банка. Вы решаете, что он ответит.
challenge-to = Кому
challenge-with = Способ оплаты
test-card = Тестовая карта
sending = Отправляем…
decision-confirm = Подтвердить: платёж пройдёт
decision-refuse = Отказаться: платёж не пройдёт
decision-approve = Одобрить платёж
decision-approve_slowly = Одобрить, но не сразу
decision-decline = Отклонить платёж
decision-insufficient_funds = Отклонить: недостаточно средств
decision-card_expired = Отклонить: срок карты истёк
decision-three_ds = Сначала запросить 3‑D Secure
decision-cancel = Отменить от имени покупателя
decision-pay = Оплатить в приложении банка
decision-pay_exact = Отправить ровно нужную сумму
decision-pay_short = Отправить меньше нужного
decision-pay_over = Отправить больше нужного
decision-leave = Уйти: платёж останется незавершённым
