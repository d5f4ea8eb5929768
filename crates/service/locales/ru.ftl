# Страница оплаты по-русски. Ключи и переменные те же, что в en.ftl; это сверяет тест.

## Frame

skip = Перейти к оплате
language = Язык
back-to = Вернуться в { $shop }
runs-on = Платежи принимает
help = Помощь
terms = Условия
privacy = Конфиденциальность
shop-unnamed = магазин
tape-sandbox-name = Песочница.
tape-sandbox = Тестовая страница. Деньги не списываются, квитанция не отправляется.
tape-simulated-name = Имитация платежей.
tape-simulated = Деньги не списываются.
error-prefix = Ошибка: { $title }
connection-lost = Нет связи. На платёж это не влияет.
copy = Копировать
copied = Скопировано
five-minutes-left = Осталось 5 минут
one-minute-left = Осталась 1 минута
time-is-up = Время истекло

## Statuses

status = Статус
status-pending = Ожидает оплаты
status-confirming = Подтверждается в сети
status-paid = Оплачено
status-refunded = Возвращено
status-partly-refunded = Возвращено частично
status-failed = Не оплачено
status-expired = Срок истёк

## Order

order-summary = Ваш заказ
amount-due = К оплате
order-number = Заказ { $order }
rate = Курс
rate-line = 1 { $unit } = { $price }
time-left-to-pay = Осталось на оплату
code-valid-for = QR-код действует ещё
rate-held-for = Курс действует ещё
bank-closes-in = Страница банка закроется через
valid-until = Оплатите до

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
email-label = Эл. почта для квитанции
optional = необязательно
email-needed-label = Эл. почта для чека
email-needed-hint = На этот адрес придёт чек, обязательный по закону.
pay-card = Перейти к оплате картой
pay-sbp = Оплатить через СБП
pay-crypto = Оплатить криптовалютой
paying = Оплачиваем…

## Problems

problem-heading = Не удалось продолжить
problem-email = Проверьте адрес почты или оставьте поле пустым.
problem-email-needed = Укажите правильный адрес эл. почты: на него придёт чек.
problem-email-long = Чек можно отправить только на адрес длиной до 64 символов. Укажите адрес короче.
problem-down-card = Оплата картой сейчас недоступна. Выберите другой способ.
problem-down-sbp = Оплата через СБП сейчас недоступна. Выберите другой способ.
problem-down-crypto = Оплата криптовалютой сейчас недоступна. Выберите другой способ.
problem-silent-card = Нет ответа по начатой оплате картой. Подождите несколько секунд и попробуйте снова.
problem-silent-sbp = Нет ответа по начатой оплате через СБП. Подождите несколько секунд и попробуйте снова.
problem-silent-crypto = Нет ответа по начатой оплате криптовалютой. Подождите несколько секунд и попробуйте снова.
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
test-hint-crypto = Вы платите криптовалютой. Отправлять её не нужно.
coin-legend = Какую криптовалюту вы отправите?
outcome = Результат
outcome-by_price = По цене
outcome-by_price-hint = Последние две цифры цены задают этот исход.
outcome-paid = Успешно
outcome-paid-hint = Банк одобряет платёж.
outcome-declined = Отклонено банком
outcome-declined-hint = Отказ без указания причины.
outcome-insufficient_funds = Недостаточно средств
outcome-insufficient_funds-hint = На карте недостаточно средств.
outcome-three_ds = Проверка 3‑D Secure
outcome-three_ds-hint = Откроется страница тестового банка: подтвердите или откажитесь.
outcome-expire = Завершить как просроченную
outcome-expire-hint =
    { $count ->
        [one] Сессия истечёт сразу, ждать { $count } минуту не нужно.
        [few] Сессия истечёт сразу, ждать { $count } минуты не нужно.
       *[many] Сессия истечёт сразу, ждать { $count } минут не нужно.
    }
delivery-label = Как доставить колбэк?
delivery-default = Как настроено в панели: { $fault }
delivery-hint = Проверьте, как справится ваш сервер. Верный колбэк всё равно придёт следом.
fault-none = Без ошибок
fault-drop = Первая попытка потеряна
fault-delay = Первая попытка с задержкой
fault-duplicate = Отправлен дважды
fault-reorder = После него приходит более старое событие
fault-bad_signature = Сначала с неверной подписью
fault-wrong_secret = Сначала с подписью чужим секретом
fault-old_timestamp = Сначала со старой меткой времени
fault-changed_body = Сначала с телом, изменённым после подписи
fault-truncated = Сначала с обрезанным телом
fault-wrong_environment = Сначала с пометкой live
fault-slow = Отправлен медленно
fault-unknown_event = Сначала с неизвестным событием
fault-unknown_field = Сначала с незнакомыми полями
finish-test = Завершить тестовый платёж
finishing = Завершаем…
callback-to = Адрес колбэка
return-address = Страница после оплаты
customer-email = Почта покупателя
no-address = адрес не указан

## Waiting

check-again = Проверить оплату
choose-another = Выбрать другой способ оплаты
preparing-title = Готовим платёж { $amount }, { $shop }
preparing-heading = Готовим платёж
preparing = Связываемся с банком. Это займёт несколько секунд.
processing-title = Ждём банк: { $amount }, { $shop }
processing-heading = Банк проводит платёж
processing = Банк ещё не подтвердил платёж.
processing-leave = Страницу можно не закрывать: она обновится сама.
do-not-pay-twice = Не платите второй раз, пока платёж в обработке.
waiting-for-bank = Ждём подтверждения от банка
page-updates = Страница обновится сама.
page-check = После оплаты нажмите «Проверить оплату».
page-check-result = Нажмите «Проверить оплату», чтобы узнать результат.

## The provider's page

bank-title = Продолжение на странице банка: { $amount }, { $shop }
bank-heading = Продолжите на странице банка
bank-hint = Вы оплатите заказ на странице банка и вернётесь сюда.
bank-continue = Перейти на страницу банка
bank-again = Ещё не оплатили? Вернуться на страницу банка
embedded-title = Оплата { $amount }, { $shop }
embedded-heading = Оплата картой
embedded-hint = Это форма платёжного сервиса. Магазин не видит данные вашей карты.
embedded-pay = Оплатить { $amount }
embedded-loading = Форма загружается
embedded-noscript = Для этой формы нужен JavaScript. Включите его или выберите другой способ оплаты.

## SBP

qr-title = Оплата { $amount } через СБП, { $shop }
qr-heading = Оплата через СБП
qr-label = QR-код для оплаты { $amount } через СБП
qr-step-open = Откройте приложение своего банка на телефоне
qr-step-scan = Наведите камеру на QR-код
qr-step-confirm = Проверьте сумму и подтвердите оплату
qr-no-fee = Вы не платите комиссию.
open-bank-app = Открыть приложение банка
open-simulated-bank = Открыть имитацию банка
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
wrong-network = Отправляйте только { $unit } и только в сети { $network }. Иначе средства могут пропасть.
waiting-for-transfer = Ждём, когда перевод появится в сети
confirming-title = Подтверждается: { $seen } из { $needed }, { $shop }
confirming-heading = Перевод появился в сети
confirming =
    { $count ->
        [one] Мы его видим. Платёж завершится после { $count } подтверждения.
        [few] Мы его видим. Платёж завершится после { $count } подтверждений.
       *[many] Мы его видим. Платёж завершится после { $count } подтверждений.
    }
confirming-left = Мы видим ваш перевод, больше платить не нужно. Если вы начали другой платёж, не завершайте его.
confirmations = Подтверждения
confirmations-of = { $seen } из { $needed }
confirmations-spoken = Подтверждения: { $seen } из { $needed }
received = Получено
seen-at = Обнаружен
can-close = Страницу можно закрыть. Таймер остановлен. { $shop } получит оплату, как только перевод подтвердится.
confirming-short = Не хватает { $coins }. Отправьте их на тот же адрес: { $address }

## Results

details = Подробности
item = Товар
order = Заказ
return-to = Вернуться в { $shop }
paid-title = Оплачено { $amount }, { $shop }
paid-heading = Оплачено: { $shop }
paid = Оплата прошла. Можно вернуться в магазин.
paid-no-return = Оплата прошла. Страницу можно закрыть.
paid-with = Способ оплаты
paid-at = Время оплаты
receipt = Квитанция
receipt-queued = Придёт на { $email }
receipt-sent = Отправлена на { $email }
receipt-failed = Не удалось отправить на { $email }. Откройте квитанцию по ссылке ниже.
receipt-open = Открыть квитанцию
receipt-title = Квитанция: { $shop }
receipt-heading = Квитанция об оплате
receipt-of-refund-heading = Квитанция о возврате
receipt-number = Номер квитанции
receipt-print = Распечатать
seller = Продавец
seller-contact = Контакт продавца
provider-reference = Номер в платёжной системе
receipt-text = Сохраните эту квитанцию как подтверждение оплаты.
receipt-refunded-part = Возвращено частично
receipt-refunded = Возвращено
refunded = Возвращено
refunded-at = Время возврата
refunded-heading = Возврат: { $shop }
refunded-text = Деньги вернутся тем же способом, которым вы платили. Банку может понадобиться несколько дней.
paid-over = Вы отправили на { $coins } больше, чем нужно. Чтобы вернуть излишек, обратитесь в { $shop }.
keep-page = Сохраните эту страницу или квитанцию как подтверждение оплаты.
keep-page-only = Сохраните эту страницу как подтверждение оплаты.
returning = Вернём вас в { $shop } через
seconds-short = с.
stay-here = Остаться здесь
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
closed = Этот платёж закрыт. Вернитесь в магазин и начните новый.
questions = Есть вопросы?
expired-title = Время на оплату истекло. { $shop }
expired-heading = Время на оплату истекло
expired =
    { $count ->
        [0] Оплата не поступила.
        [one] За { $count } минуту оплата не поступила.
        [few] За { $count } минуты оплата не поступила.
       *[many] За { $count } минут оплата не поступила.
    }
expired-short = Время истекло раньше, чем пришла вся сумма.
expired-partial = Получено { $coins }, это меньше нужной суммы. Чтобы вернуть деньги, обратитесь в { $shop }.
expired-twice = Уже оплатили в приложении банка? Не платите второй раз. Сначала уточните в { $shop }.
expired-at = Время истечения
start-again = Вернуться в { $shop } и начать заново

## Mails about payments

mail-receipt-subject = Квитанция об оплате: { $shop }, { $amount }
mail-refund-subject = Возврат: { $shop }, { $amount }
mail-receipt-foot = Вы получили это письмо, потому что этот адрес указан при оплате в { $shop }. С вопросами о заказе обращайтесь в магазин.
mail-undelivered-heading =
    { $count ->
        [one] Не доставлен { $count } колбэк
        [few] Не доставлено { $count } колбэка
       *[many] Не доставлено { $count } колбэков
    }
mail-undelivered-text = Ваш сервер не принял ни одну попытку и может не знать, что эти платежи завершены. Исправьте обработчик и отправьте колбэки ещё раз из панели. Последние:
mail-undelivered-open = Открыть их в панели
mail-undelivered-foot = Такое письмо приходит не чаще раза в час на контактную почту из настроек и только о боевых платежах.

## Pages without a payment

not-found-title = Платёж не найден
not-found-heading = Платёж не найден
not-found = Проверьте ссылку или вернитесь в магазин.
no-receipt-title = Квитанция не найдена
no-receipt-heading = Квитанция не найдена
no-receipt = Проверьте ссылку. Она есть в письме с квитанцией и на странице оплаты.
no-page-title = Страница не найдена
no-page-heading = Страница не найдена
no-page = Проверьте адрес или вернитесь на предыдущую страницу.
sandbox-off-title = Песочница выключена
sandbox-off-heading = Песочница выключена
sandbox-off = Это тестовый платёж, а песочница магазина выключена. Деньги не списаны.
sandbox-off-ask = Включить её может оператор сервиса.
error-title = Ошибка на нашей стороне
error-heading = Ошибка на нашей стороне
error = Прежде чем платить, обновите эту страницу.
error-retry = Подождите немного и попробуйте снова.
leave-title = Уйти без оплаты? — { $shop }
leave-unpaid-heading = Уйти без оплаты?
leave-unpaid = Вы перейдёте на { $host }. Вернуться сюда и оплатить заказ можно, пока не истекло время.
leave-unpaid-stay = Остаться и оплатить
leave-under-way-heading = Покинуть страницу?
leave-under-way = Вы перейдёте на { $host }. Платёж завершится и без этой страницы.
leave-under-way-stay = Остаться на странице
leave-go = Перейти на { $host }

forbidden-title = Форма не принята
forbidden-heading = Форма не принята
forbidden = Она отправлена не с нашей страницы оплаты. Деньги не списаны.
forbidden-retry = Откройте ссылку на оплату ещё раз и оплатите там.

## The page that plays the bank

challenge-title = Тест 3‑D Secure. { $shop }
challenge-heading = Тестовый банк: подтвердите, что это вы
challenge = Эта страница заменяет страницу 3‑D Secure настоящего банка.
simulated-title = Имитация банка. { $shop }
simulated-heading = Имитация банка
simulated = Эта страница заменяет настоящий банк. Выберите, что он ответит.
simulated-after = Этот платёж завершён. Выберите, что будет дальше.
simulated-done = Готово. Событие появилось в панели, колбэк отправляется.
simulated-too-many = Слишком много запросов от этого магазина. Подождите немного и попробуйте снова.
simulate-next = Проверить, что будет дальше
challenge-to = Кому
challenge-with = Способ оплаты
test-card = Тестовая карта
sending = Отправляем…
decision-confirm = Подтвердить (платёж пройдёт)
decision-refuse = Отказаться (платёж не пройдёт)
decision-approve = Одобрить платёж
decision-approve_slowly = Одобрить с задержкой
decision-decline = Отклонить платёж
decision-insufficient_funds = Отклонить: недостаточно средств
decision-card_expired = Отклонить: срок действия карты истёк
decision-three_ds = Сначала запросить 3‑D Secure
decision-cancel = Отменить (от имени покупателя)
decision-pay = Оплатить в приложении банка
decision-pay_exact = Отправить ровно нужную сумму
decision-pay_short = Отправить меньше, чем нужно
decision-pay_over = Отправить больше, чем нужно
decision-expire = Дать сессии истечь
decision-approve_late = Оплатить с опозданием, когда сессия уже истекла
decision-dispute = Оспорить платёж (чарджбэк)
decision-refuse_refunds = Отклонять возвраты по этому платежу
decision-refund = Вернуть остаток суммы
decision-payment_late = Деньги пришли с опозданием
decision-payment_partial = Пришла часть суммы, с опозданием
decision-payment_over = Пришло больше, чем нужно
decision-payment_accepted = Оставить удержанные деньги
decision-payment_refunded = Вернуть удержанные деньги
decision-dispute_opened = Открыть спор (чарджбэк)
decision-dispute_won = Выиграть спор
decision-dispute_lost = Проиграть спор
decision-leave = Уйти (платёж останется незавершённым)
decision-back = Вернуться на страницу оплаты
