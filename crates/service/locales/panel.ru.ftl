# Панель продавца и консоль оператора по-русски. Ключи и переменные те же, что в panel.en.ftl; это сверяет тест.

## Frame

skip-to-content = Перейти к содержанию
main-navigation = Основное меню
menu = Меню
breadcrumb = Навигационная цепочка
title-sandbox = [Песочница] { $title }
panel-tape-name = Режим песочницы.
panel-tape = В списках только тестовые данные. Боевые платежи идут как обычно, боевые данные не меняются.
docs-link = Документация (на английском)
nav-settings = Настройки
nav-profile = Мой профиль
nav-vendors = Продавцы
nav-users = Пользователи
nav-requests = Запросы
nav-audit = Журнал действий
nav-account = Учётная запись
waiting-count = ожидают
undelivered-count = не доставлено
role-operator = Оператор
role-super-vendor = Суперпродавец
role-vendor-admin = Продавец
role-vendor-viewer = Наблюдатель
log-out = Выйти
your-operator = оператор сервиса
pages = Страницы
newer = Новее
older = Старее
cancel = Отмена
done = Готово
save = Сохранить
search = Найти
clear-search = Сбросить поиск
nothing-matches = По запросу «{ $q }» ничего не найдено.
one-moment = Секунду…

## Notices

notice-saved = Сохранено.
notice-password-set = Пароль сохранён. Войдите с ним.
notice-password-changed = Пароль изменён. Остальные сеансы завершены.
notice-totp-on = Двухфакторный вход включён.
notice-totp-off = Двухфакторный вход выключен.
notice-session-ended = Сеанс завершён.
notice-sessions-ended = Сеансы завершены.
notice-logged-out = Вы вышли.
notice-sandbox-asked = Запрос передан оператору.
notice-sandbox-on = Песочница включена.
notice-sandbox-off = Песочница выключена.
notice-disabled = Отключено.
notice-enabled = Включено.
notice-dismissed = Запрос отклонён.
notice-released = Сервис снова работает в обычном режиме.
notice-erased = Персональные данные удалены.
notice-erased-in-part = Персональные данные удалены. У некоторых платежей есть незавершённые операции: их данные будут удалены после завершения.
notice-erased-incompletely = Найденные данные удалены. Проверены не все метаданные, заметки и причины возвратов: выполните на сервере команду till forget.
notice-imported = Таблица импортирована.
notice-archived = Перемещено в архив.
notice-restored = Восстановлено.
notice-removed = Доступ закрыт. Все сеансы завершены.
notice-let-in = Доступ возвращён.
notice-overtaken = Эти данные уже изменил кто-то другой. Ваше действие не выполнено. Проверьте и повторите.
notice-last-admin = Больше никто не может управлять этим продавцом. Ничего не изменено. Сначала пригласите ещё одного пользователя с ролью «Продавец».
notice-last-operator = Это последний оператор, который может войти. Ничего не изменено.
notice-repeated = Форма уже отправлена. Повторно действие не выполнено.
notice-unsaved = Сеанс завершился, данные ещё не сохранены. Введённое осталось в форме: проверьте и отправьте.
notice-not-done = Сеанс завершился, действие не выполнено. Повторите его, если нужно.
notice-failed = Не получилось. Ничего не изменено. Попробуйте ещё раз.

## Getting in

login-heading = Вход в панель
email = Почта
password = Пароль
log-in = Войти
forgot-link = Забыли пароль?
login-wrong = Неверная почта или пароль.
throttled-minutes =
    { $count ->
        [one] Слишком много попыток. Попробуйте через { $count } минуту.
        [few] Слишком много попыток. Попробуйте через { $count } минуты.
       *[other] Слишком много попыток. Попробуйте через { $count } минут.
    }
throttled-seconds =
    { $count ->
        [one] Слишком много попыток. Попробуйте через { $count } секунду.
        [few] Слишком много попыток. Попробуйте через { $count } секунды.
       *[other] Слишком много попыток. Попробуйте через { $count } секунд.
    }
session-ended = Сеанс завершён. Войдите ещё раз.
session-ended-kept = Сеанс завершился, данные не сохранены. Войдите снова: введённое осталось, его можно будет отправить.
session-ended-lost = Сеанс завершился, действие не выполнено. Войдите снова и повторите его.
code-heading = Введите код
code = Код
code-hint = Шесть цифр из приложения-аутентификатора или один из кодов восстановления.
code-wrong = Код неверный или уже использован. Введите тот, что приложение показывает сейчас.
start-over = Начать сначала
forgot-heading = Забыли пароль?
forgot = Введите адрес почты. Мы отправим ссылку, по которой можно задать новый пароль.
forgot-no-mail = Сервис не отправляет письма. Ссылку для нового пароля выдаёт:
send-link = Отправить ссылку
forgot-sent-heading = Проверьте почту
forgot-sent = Если пользователь с таким адресом есть, мы отправили ему ссылку для нового пароля. Она действует один раз и ограниченное время.
forgot-sent-nothing = Письмо не пришло? Проверьте папку «Спам». Если его нет и там, вам поможет:
back-to-login = Вернуться ко входу
wrong-email = Проверьте адрес почты: похоже, в нём ошибка.
invitation-heading = Добро пожаловать в Till
for-invitation = Придумайте пароль для { $email }.
reset-heading = Новый пароль
for-reset = Придумайте новый пароль для { $email }.
new-password = Новый пароль
new-password-again = Новый пароль ещё раз
password-hint = Не короче 12 символов. Несколько слов подряд легко запомнить.
password-short = Пароль слишком короткий. Нужно не меньше 12 символов.
password-long = Пароль слишком длинный. Нужно не больше 200 символов.
password-common = Этот пароль слишком распространён. Придумайте другой.
password-differs = Пароли не совпадают. Введите ещё раз.
set-password = Задать пароль
link-ended-heading = Ссылка больше не действует
link-ended = Она уже использована, заменена новой или устарела.
ask-new-link = Запросить новую ссылку
ask-operator-link = Новую ссылку выдаёт:

## Account

logged-in-as = Вы вошли как
current-password = Текущий пароль
your-password = Ваш пароль
current-wrong = Пароль неверный.
password-ends-others = Смена пароля завершит остальные ваши сеансы.
change-password = Сменить пароль
totp = Двухфакторный вход
state-on = Включено
state-off = Выключено
totp-about = После пароля вы вводите код из приложения на телефоне. Одного украденного пароля для входа не хватит.
totp-start = Настроить двухфакторный вход
totp-since = Включён с
codes-left =
    { $count ->
        [0] Кодов восстановления не осталось: получите новые.
        [one] Остался { $count } код восстановления.
        [few] Осталось { $count } кода восстановления.
       *[other] Осталось { $count } кодов восстановления.
    }
totp-required = Для операторов он обязателен, выключить его нельзя.
totp-phone = Сменить телефон
totp-phone-about = Отсканируйте новый код новым телефоном. Старый телефон действует, пока вы не введёте код с нового. После этого вы получите новые коды восстановления, а остальные сеансы завершатся.
totp-codes = Получить новые коды восстановления
totp-codes-about = Вы получите десять новых кодов. Старые сразу перестанут действовать.
totp-off = Выключить двухфакторный вход
totp-off-about = После этого для входа хватит одного пароля. Коды восстановления перестанут действовать.
your-sessions = Активные сеансы
browser-unknown = Неизвестный браузер
browser-on = { $browser }, { $system }
device = Устройство
ip-address = Адрес
since = С какого времени
last-seen = Последняя активность
action = Действие
this-one = Текущий
end-session = Завершить
end-others = Завершить остальные
totp-setup-heading = Настройка двухфакторного входа
totp-forced = Операторам нужен двухфакторный вход. Настройте его, чтобы продолжить.
totp-step-app = Откройте приложение-аутентификатор на телефоне
totp-step-scan = Отсканируйте код или введите ключ
totp-step-code = Введите шесть цифр, которые покажет приложение
totp-qr = QR-код для приложения-аутентификатора. Тот же ключ есть ниже в виде текста.
totp-secret = Ключ
code-hint-setup = Шесть цифр из приложения-аутентификатора.
code-wrong-setup = Код неверный. Проверьте часы на телефоне и введите код, который приложение показывает сейчас.
totp-confirm = Включить
recovery-heading = Коды восстановления
recovery = Если вы потеряете телефон, каждый код позволит войти один раз. Храните их там же, где пароли.
recovery-once = Больше мы их не покажем.
recovery-done = Коды сохранены

## Overview

nav-overview = Обзор
nav-sessions = Сессии
nav-transactions = Транзакции
nav-wallet = Кошелёк
nav-callbacks = Колбэки
period = Период
currency = Валюта
days =
    { $count ->
        [one] { $count } день
        [few] { $count } дня
       *[many] { $count } дней
    }
undelivered-note =
    { $count ->
        [one] Не доставлен { $count } колбэк.
        [few] Не доставлено { $count } колбэка.
       *[many] Не доставлено { $count } колбэков.
    }
undelivered-note-over = Не доставлено больше { $count } колбэков.
undelivered-about = Ваш сервер не принял ни одну попытку. Исправьте обработчик и отправьте колбэки ещё раз.
actions-note =
    { $count ->
        [one] { $count } платёж ждёт решения.
        [few] { $count } платежа ждут решения.
       *[many] { $count } платежей ждут решения.
    }
actions-about = Деньги пришли поздно или не в той сумме. Решение примет оператор сервиса.
review = Посмотреть
paid-volume = Оплачено
paid-sessions = Оплаченные сессии
volume-label =
    { $count ->
        [one] Оплачено по способам оплаты за { $count } день
        [few] Оплачено по способам оплаты, по дням за { $count } дня
       *[many] Оплачено по способам оплаты, по дням за { $count } дней
    }
count-label =
    { $count ->
        [one] Оплаченные сессии по способам оплаты за { $count } день
        [few] Оплаченные сессии по способам оплаты, по дням за { $count } дня
       *[many] Оплаченные сессии по способам оплаты, по дням за { $count } дней
    }
rate-label =
    { $count ->
        [one] Доля успешных платежей по способам оплаты за { $count } день
        [few] Доля успешных платежей по способам оплаты, по дням за { $count } дня
       *[many] Доля успешных платежей по способам оплаты, по дням за { $count } дней
    }
from-below = По способам:
chart-most = Максимум — { $day }: { $amount }.
volume-more =
    { $count ->
        [1] На { $percent } больше, чем за предыдущий день
        [one] На { $percent } больше, чем за предыдущий { $count } день
        [few] На { $percent } больше, чем за предыдущие { $count } дня
       *[many] На { $percent } больше, чем за предыдущие { $count } дней
    }
volume-less =
    { $count ->
        [1] На { $percent } меньше, чем за предыдущий день
        [one] На { $percent } меньше, чем за предыдущий { $count } день
        [few] На { $percent } меньше, чем за предыдущие { $count } дня
       *[many] На { $percent } меньше, чем за предыдущие { $count } дней
    }
rate-by-day = Доля успешных платежей по дням
as-table = Показать в виде таблицы
day = День
success-rate = Доля успешных
rate-of = Оплачено { $paid } из { $tried } попыток. Истёкшие сессии ({ $expired }) не учитываются.
of = { $part } из { $all }
why-failed = Почему платежи не прошли
recent-sessions = Последние сессии
all-sessions = Все сессии

## How to start

steps-heading = Первые шаги к настоящим платежам
steps-progress = Сделано { $done } из { $all }
steps-done = Сделано:
steps-open = Осталось:
steps-credentials = Получите токен по учётным данным песочницы
steps-credentials-hint = Сделано, когда ваш сервер получил первый токен.
steps-session = Создайте первую сессию
steps-session-hint = Сделано, когда вы создали первую сессию.
steps-callback = Примите колбэк и отклоните поддельный
steps-callback-hint = Сделано, когда обработчик принял колбэк и отклонил запрос с неверной подписью. Till отправит и то и другое.
steps-outcomes = Обработайте неудачные и просроченные сессии
steps-outcomes-hint = Сделано, когда обработчик принял колбэк о каждом исходе. Используйте simulate или выберите исход на странице оплаты.
steps-check = Пройдите проверку обработчика
steps-check-hint = Сделано, когда проверка показала, что обработчик готов.
steps-live = Переходите к настоящим платежам
steps-live-hint = Попросите оператора выключить песочницу и используйте боевые учётные данные. Сделано с первым настоящим платежом.
start-sandbox = В песочнице пока нет сессий
start-sandbox-about = Создайте сессию с ключами песочницы. Она сразу появится здесь, а на её странице можно выбрать, чем закончится платёж.
start-live = Платежей пока нет
start-live-about = Создайте сессию для заказа и отправьте покупателя на её страницу. Она сразу появится здесь.
start-step-credentials = Скопируйте
start-step-token = Получите токен. Он действует 1 час:
start-step-create = Создайте сессию и откройте в браузере адрес из поля
example-request = Пример запроса
read-docs = Как это работает

## Lists

search-sessions = Заказ, товар, сумма или почта покупателя
wrong-customer = Эта ссылка на поиск устарела или создана для другого продавца. Повторите поиск.
search-sessions-hint = Начало номера заказа или названия товара, точная сумма (например, 2 490,00 RUB), полный адрес почты покупателя, метаданные в виде ключ=значение, номер для обращения, ID сессии или запроса.
search-transactions = Заказ или номер для обращения
search-transactions-hint = Начало номера заказа, номер для обращения, ID транзакции, сессии или запроса.
search-callbacks = Заказ или номер для обращения
search-callbacks-hint = Начало номера заказа, номер для обращения, ID колбэка, сессии или запроса.
search-more = Нашлось больше, чем показано. Введите больше символов, чтобы найти нужное.
searched-sessions = Искали заказы и товары, которые начинаются с «{ $q }», а также такую сумму, почту покупателя, метаданные (ключ=значение), номер для обращения и ID. Введите начало покороче или сбросьте остальные фильтры.
searched-transactions = Искали заказы, которые начинаются с «{ $q }», а также такой номер для обращения и ID транзакции, сессии или запроса. Товар или сумму ищите в списке сессий.
searched-callbacks = Искали заказы, которые начинаются с «{ $q }», а также такой номер для обращения и ID колбэка, сессии или запроса. Товар или сумму ищите в списке сессий.
all-methods = Все способы
from-day = С
to-day = По
wrong-from = Это не дата. Выберите день в календаре.
wrong-to = Это не дата, или она раньше начальной.
all-of-them = Все
sessions-pending = Ожидают
sessions-paid = Оплачены
sessions-failed = Не оплачены
sessions-expired = Истекли
transactions-to_decide = Ждут решения
transactions-plain = Получено
transactions-late = Поздние
transactions-partial = Недоплаты
transactions-over = Переплаты
transactions-reversed = Отозванные
callbacks-on_its_way = Отправляются
callbacks-delivered = Доставлены
callbacks-undelivered = Не доставлены
callbacks-no_target = Без адреса
sessions-none = Сессий нет.
sessions-none-match = Таких сессий нет.
transactions-none = Транзакций нет. Они появятся после первой оплаты.
transactions-none-match = Таких транзакций нет.
callbacks-none = Колбэков нет. Они появятся, когда сессия будет оплачена, завершится отказом или истечёт.
callbacks-none-match = Таких колбэков нет.
sessions-new =
    { $count ->
        [one] { $count } новая сессия. Показать
        [few] { $count } новые сессии. Показать
       *[many] { $count } новых сессий. Показать
    }
transactions-new =
    { $count ->
        [one] { $count } новая транзакция. Показать
        [few] { $count } новые транзакции. Показать
       *[many] { $count } новых транзакций. Показать
    }
callbacks-new =
    { $count ->
        [one] { $count } новый колбэк. Показать
        [few] { $count } новых колбэка. Показать
       *[many] { $count } новых колбэков. Показать
    }
many-new = Новых больше { $count }. Показать
span = С { $from } по { $to }
product = Товар
method = Способ
callback = Колбэк
updated = Изменена
time-left = Осталось:
not-due = После завершения
result = Итог
provider = Провайдер
event = Событие
answer = Ответ
try = Попытка
took = Время ответа
download-csv = Скачать CSV
export-rows = Строк:
export-done = Скачано.
export-broken = Скачивание прервалось, файл неполный. Попробуйте ещё раз.

## Callbacks

delivery-queued = В очереди
delivery-retrying = Повторяем
delivery-sending = Отправляем
delivery-delivered = Доставлено
delivery-undelivered = Не доставлено
delivery-no_target = Нет адреса
try-first = Первая попытка
try-again-number = Повтор { $number }
try-manual = Отправлено вручную
response-body = Ответ вашего сервера
response-empty = В ответе не было тела.
response-about = Первые 2 КБ ответа на неудачную попытку. Хранятся 30 дней, видны только вашей команде.
took-ms = { $ms } мс
took-seconds = { $seconds } с
next-try = Следующая попытка:
send-again = Отправить ещё раз
send-now = Отправить сейчас
send-undelivered =
    { $count ->
        [one] Отправить { $count } недоставленный
        [few] Отправить { $count } недоставленных
       *[many] Отправить { $count } недоставленных
    }
send-undelivered-all = Отправить все недоставленные
callbacks-about = Отправляем сразу, затем повторяем — обычно через 30 секунд, 2 минуты и 5 минут. Доставленным считается любой ответ с кодом от 200 до 299.
answer-delivered = Доставлено
answer-status = Другой код
answer-blocked = Закрытая сеть
answer-dns = Сервер не найден
answer-connect = Нет соединения
answer-tls = Ошибка TLS
answer-timeout = Истекло время ожидания
answer-closed = Соединение закрыто
answer-protocol = Ответ не по HTTP
answer-interrupted = Прервано
answer-dropped = Не отправлено (намеренно)
resend-heading = Отправить недоставленные колбэки ещё раз
undelivered-since = Не доставлены с этого времени ({ $zone })
undelivered-since-hint = Оставьте пустым, чтобы отправить все.
wrong-since = Укажите дату и время.
count-them = Посчитать
resend-count =
    { $count ->
        [0] С этого времени недоставленных колбэков нет.
        [one] С этого времени не доставлен { $count } колбэк.
        [few] С этого времени не доставлено { $count } колбэка.
       *[many] С этого времени не доставлено { $count } колбэков.
    }
resend-about = Каждый колбэк отправим ещё раз с тем же телом. Некоторые из них ваш сервер мог уже получить: он узнает их по eventId.
resend-button =
    { $count ->
        [one] Отправить { $count } колбэк
        [few] Отправить { $count } колбэка
       *[many] Отправить { $count } колбэков
    }
notice-resent = Отправляем колбэк ещё раз.
notice-sent-now = Отправляем колбэк сейчас.
notice-resent-all = Отправляем колбэки ещё раз.
notice-on-its-way = Ничего не изменено: всё, что можно отправить, уже отправляется.

## One session

timeline = Хронология
open-receipt = Квитанция
open-checkout = Открыть страницу оплаты
step-created = Создана
step-ends = Оплатить до { $time }
step-opened = Открыта страница оплаты
step-returned = Покупатель вернулся на сайт магазина
step-chosen = Выбран способ: { $method }
step-chosen-other = Выбран способ оплаты
step-at = Провайдер: { $provider }
step-planned = Тестировщик задал результат
step-repeat-confirmed = Покупатель подтвердил повторную оплату оплаченного заказа
step-in-flight = Платёж в обработке
step-declined = Провайдер отклонил платёж
step-closed = Попытка закрыта, списаний по ней больше не будет
step-late = Деньги пришли после завершения сессии
step-partial = Пришло меньше, чем нужно
step-reversed = Деньги отозваны
step-reference = Номер у провайдера: { $reference }
step-delivered = Колбэк доставлен
step-called = Колбэк не принят: { $result }
step-no-target = Колбэк не отправлен: адрес не задан
step-mail-queued =
    { $what ->
        [copy] Копия квитанции ждёт отправки
       *[receipt] Квитанция ждёт отправки
    }
step-mail-sent =
    { $what ->
        [copy] Копия квитанции отправлена
       *[receipt] Квитанция отправлена
    }
step-mail-failed =
    { $what ->
        [copy] Копию квитанции не удалось отправить
       *[receipt] Квитанцию не удалось отправить
    }
mail-error-connect = почтовый сервер недоступен
mail-error-timeout = почтовый сервер не ответил вовремя
mail-error-tls = почтовый сервер не подтвердил подлинность
mail-error-login = почтовый сервер отклонил учётные данные
mail-error-deferred = почтовый сервер просит повторить позже
mail-error-refused = почтовый сервер отклонил адрес или письмо
mail-error-protocol = почтовый сервер дал непонятный ответ
mail-error-unsound = письмо не удалось составить
callback-not-due = Колбэк отправим, когда сессия будет оплачена, завершится отказом или истечёт.
callback-goes-to = POST на
callback-no-target = Не отправлен: при завершении сессии адрес не был задан. Задайте его для следующих:
callback-tries = Попытки отправки
callback-body = Тело и подписи
callback-body-about = Тело зафиксировано при завершении сессии. Каждая попытка отправляет ровно эти байты.
signatures-about = X-Signature — HMAC-SHA256 тела в hex, ключ — ваш Client Secret. webhook-signature охватывает webhook-id, webhook-timestamp и тело; показана подпись последней попытки, а если попыток не было — следующей.
signatures-none = Сейчас нет действующего секрета для подписи.
order-id = Номер заказа
session-id = ID сессии
product-id = ID товара
category-id = ID категории
request-id = ID запроса
customer-locale = Язык покупателя
metadata = Метаданные
methods-of = (доступны: { $methods })
money = Деньги
money-asked = К оплате
money-received = Получено
money-late = Пришло поздно
money-partial = Меньше, чем нужно
money-over = Больше, чем нужно
money-reversed = Отозвано
money-claimed = Только заявлено
curl-heading = Создать похожую сессию
curl-about = Замените $TOKEN на токен доступа. Появится новая сессия для того же заказа.
fail-card_declined = Отклонено банком
fail-insufficient_funds = Недостаточно средств
fail-card_expired = Срок действия карты истёк
fail-three_ds_failed = Не пройден 3-D Secure
fail-canceled_by_customer = Отменено покупателем
fail-provider_error = Ошибка провайдера
fail-unconfirmed = Не подтверждено

## Settings

sandbox = Песочница
live = Боевой режим
credentials-live = Ключи API
credentials-sandbox = Ключи API песочницы
client-id = Client ID
client-id-sandbox = Client ID песочницы
client-id-hint = Не секретный.
client-secret = Client Secret
client-secret-sandbox = Client Secret песочницы
client-secret-hint = Нужен для получения токенов и подписи колбэков. Храните его на сервере.
secret-is-hidden = Секрет скрыт
reveal = Показать
hide = Скрыть
reveal-logged = Просмотр записан в журнал действий.
rotate = Сменить секрет
last-rotated = Последняя смена:
never-rotated = Ещё не менялся
overlap-heading = Идёт смена секрета.
overlap-old = Старая пара { $id } работает до
overlap-new-signs = X-Signature создаётся новым секретом, X-Signature-Alternate — старым.
overlap-old-signs = X-Signature создаётся старым секретом, пока вы не запросите первый токен с новой парой; X-Signature-Alternate — другим секретом.
live-hidden = Боевые ключи скрыты, пока включена песочница. Они вернутся, когда оператор её выключит.
sandbox-link-about = Хотите проверить всё без реальных денег?
sandbox-link = О песочнице
settings-addresses = Колбэки и страница после оплаты
settings-business = Данные магазина
shared-name = Общие для песочницы и боевого режима.
shared = Изменения сразу затронут боевые платежи. Для тестов передавайте callback_url и return_url в каждой тестовой сессии.
plain-http = Адрес колбэков начинается с http://. Данные можно перехватить по пути. По возможности используйте https://.
settings-callback-url = Адрес колбэков
settings-callback-url-hint = Сюда мы отправляем POST-запрос с каждым итоговым статусом.
settings-return-url = Страница после оплаты
settings-return-url-hint = Сюда покупатель переходит после оплаты.
settings-contact-email = Контактная почта
settings-contact-email-hint = Её видят покупатели, которым нужна помощь. Если боевые колбэки не доставляются, мы пишем на этот адрес.
settings-display-name = Название
settings-display-name-hint = Покупатели видят его на странице оплаты.
settings-time-zone = Часовой пояс
settings-time-zone-hint = Для квитанций и времени в этой панели. Каждый пользователь может выбрать свой в учётной записи.
settings-language = Язык
settings-language-hint = Для писем и для страницы оплаты, если язык браузера не русский и не английский.
settings-events = События
settings-events-label = Какие колбэки отправлять
settings-events-hint = session.paid, session.failed и session.expired отправляются всегда. Отключите события, которые ваш сервер не обрабатывает.
settings-events-refund = Возвраты: refund.succeeded, refund.failed
settings-events-payment = Прочие поступления: payment.late, payment.partial, payment.over, payment.resolved
settings-events-dispute = Споры: dispute.opened, dispute.won, dispute.lost
settings-receipt-copy = Квитанции
settings-receipt-copies = Копии
settings-receipt-copy-hint = Покупатель получает квитанцию на адрес, который указал на странице оплаты. В песочнице квитанции не отправляются.
settings-receipt-copy-box = Присылать копию каждой квитанции на контактную почту
language-en = Английский
language-ru = Русский
url-long = Адрес слишком длинный. Нужно не больше 2048 символов.
url-malformed = Это не веб-адрес. Он должен начинаться с https:// и содержать имя сервера.
url-user = Уберите из адреса имя пользователя и пароль.
url-private = Адрес ведёт в закрытую сеть. Нужен адрес, доступный из интернета.
name-missing = Введите название.
name-long = Название слишком длинное. Нужно не больше 100 символов.
account-times = Время
account-time-zone-hint = В этом часовом поясе вы видите даты и время.
account-zone-usual = По умолчанию: { $zone }
zone-africa = Африка
zone-america = Америка
zone-antarctica = Антарктида
zone-asia = Азия
zone-atlantic = Атлантический океан
zone-australia = Австралия
zone-europe = Европа
zone-indian = Индийский океан
zone-pacific = Тихий океан
wrong-zone = Такого часового пояса нет. Выберите из списка.
confirm-shared = Я понимаю, что это меняет и боевые платежи
confirm-shared-hint = Нужно, если вы меняете адрес колбэков, страницу после оплаты, контактную почту или события
confirm-shared-missing = Подтвердите, что это меняет и боевые платежи.
save-addresses = Сохранить адреса
save-all = Сохраняет все настройки выше.
applies-to-both = Для песочницы и боевого режима
viewer-note = Вы можете просматривать эти настройки. Менять их может пользователь с ролью «Продавец».
test-send = Отправить тестовый колбэк
test-no-address = Сначала сохраните адрес колбэков.
test-saved = Отправим на сохранённый адрес.
test-answered = Ответ { $status } за { $seconds } с
test-blocked = Не отправлено: адрес в закрытой сети
test-dns = Ошибка: сервер не найден
test-connect = Ошибка: сервер не принял соединение
test-tls = Ошибка сертификата или TLS
test-timeout = Ошибка: истекло время ожидания
test-closed = Ошибка: соединение закрыто до ответа
test-protocol = Ошибка: ответ не по HTTP
test-interrupted = Результат неизвестен: проверка прервана

## Rotation

rotate-heading = Сменить боевой секрет?
rotate-heading-sandbox = Сменить секрет песочницы?
rotate-about = Вы сразу получите новые Client ID и Client Secret. Что будет дальше:
rotate-new-pair = Новую пару мы покажем один раз; позже секрет можно посмотреть в настройках.
rotate-old-pair = Старая пара работает столько, сколько вы выберете. Её токены перестанут действовать вместе с ней.
rotate-signing = Всё это время у колбэков две подписи: X-Signature одним секретом и X-Signature-Alternate другим.
rotate-keep = Сколько ещё будет работать { $id }?
overlap-24h = 24 часа
overlap-24h-hint = Хватит, чтобы обновить ключи на всех серверах
overlap-1h = 1 час
overlap-1h-hint = Если сервер один
overlap-now = Отключить сразу
overlap-now-hint = Если секрет узнали посторонние. Запросы с ним сразу получат отказ
overlap-missing = Выберите, сколько ещё будет работать старая пара.
rotated-heading = Новые ключи
copy-now = Скопируйте сейчас.
reveal-later = Используйте эти данные на своём сервере. Посмотреть секрет ещё раз можно в настройках.
old-works-until = Старая пара работает до
old-ended = Старая пара больше не работает.

## Access to the sandbox

sandbox-heading = Песочница
sandbox-is-on = Песочница включена
sandbox-is-off = Песочница выключена
sandbox-is-asked = Запрошена
sandbox-about = Песочница — тот же сервис с тестовыми платежами: вы сами выбираете, чем закончится каждый.
sandbox-about-money = Реальных денег нет, с покупателей ничего не списывается.
sandbox-about-live = Боевые платежи идут как обычно. Пока песочница включена, панель показывает тестовые данные, а боевые ключи скрыты.
sandbox-about-shared = Адреса общие с боевым режимом, если сессия не передаёт свои.
sandbox-reason = Что вы хотите проверить?
sandbox-reason-hint = Прочитает оператор. Не больше 500 символов.
sandbox-reason-missing = Напишите, что вы хотите проверить.
reason-long = Текст слишком длинный. Нужно не больше 500 символов.
sandbox-ask = Запросить песочницу
sandbox-ask-directly = Прямой контакт:
sandbox-asked-by = Запрос от { $who },
sandbox-waiting = Оператор ещё не принял решение.
sandbox-on-by =
    { $who ->
        [shell] Включена из командной строки
       *[other] Включил оператор { $who }
    }
sandbox-on-operator = Включил оператор
sandbox-off-how = Когда закончите, песочницу выключит:

## Products and categories

nav-products = Товары
category = Категория
categories = Категории
no-category = Без категории
all-products = Все товары
all-products-link = Показать все товары в продаже
on-sale = В продаже
in-use = Используется
archived = В архиве
edit = Изменить
name = Название
import = Импорт
first-page = В начало
next-page = Дальше
products-search = Название или ID товара
products-empty = Товаров пока нет. Добавьте первый или импортируйте список из таблицы.
products-none-match = Подходящих товаров нет.
products-none-so-far = Пока ничего не найдено. Просмотрены не все товары.
products-look-on = Искать дальше
products-foot = Передавайте product_id при создании боевой сессии. В песочнице каталога нет.
products-viewer = Вы можете просматривать товары. Менять их может пользователь с ролью «Продавец».
new-product = Новый товар
add-product = Добавить товар
product-name = Название
product-name-hint = Покупатели видят его на странице оплаты.
product-price = Цена
product-price-hint = Например, 49,90.
product-currency = Валюта
product-currency-hint = Например, RUB или EUR.
product-id-hint = Ваш артикул для product_id в API. Латинские буквы, цифры, точка, дефис и подчёркивание. Оставьте пустым, и мы создадим ID сами. Изменить его потом нельзя.
product-is-archived = Товар снят с продажи: создать с ним сессию нельзя.
restore-product-about = С ним снова можно будет создавать сессии.
restore-product = Вернуть в продажу
sell-heading = Продажа через API
sell-about = Каждый вызов создаёт сессию для одного заказа и возвращает адрес её страницы оплаты.
sell-token = Подставьте токен вместо YOUR_TOKEN и свой номер заказа вместо order-1001.
sell-guide = Как получить токен
id-taken = Этот ID занят. Выберите другой.
wrong-empty = Введите название.
wrong-too-long = Текст слишком длинный. Нужно не больше 255 символов.
wrong-invalid-character = Здесь есть символ, который нельзя показать, например перенос строки. Уберите его.
wrong-invalid-number = Это не цена. Введите цифры, копейки — после запятой или точки, например 4990 или 49,90.
wrong-not-positive = Цена должна быть больше нуля.
wrong-too-large = Цена слишком большая. Нужно не больше 12 цифр до точки.
wrong-too-many-decimals = Слишком много цифр после запятой: у { $currency } их { $allowed }.
wrong-unknown-currency = Такой валюты нет. Введите три буквы, например RUB или EUR.
wrong-invalid-id = Введите от 1 до 64 латинских букв, цифр, точек, дефисов и подчёркиваний.
wrong-unknown-category = Такой категории нет. Сначала добавьте её.
categories-empty = Категорий пока нет. Они объединяют товары, а category_id относит к ним сессии.
new-category = Новая категория
add-category = Добавить категорию
category-name = Название
category-id-hint = Для category_id в API. Латинские буквы, цифры, точка, дефис и подчёркивание. Оставьте пустым, и мы создадим ID сами. Изменить его потом нельзя.
category-is-archived = Категория не используется: создать с ней сессию нельзя.
restore-category-about = Её снова можно будет указывать в сессиях.
restore-category = Вернуть
no-catalog = В песочнице нет каталога, поэтому товары здесь не показаны. Боевые товары не изменились и продаются.
no-catalog-how = В песочнице описывайте товар в каждой сессии: product_name, price и currency.

no-wallet = В песочнице нет реальных денег, поэтому нет и кошелька. Ваши боевые средства не затронуты.
no-wallet-how = Чтобы увидеть кошелёк, попросите оператора выключить режим песочницы.
wallet-empty = Денег пока нет. Они появятся здесь, когда оплатят боевую сессию.
wallet-empty-how = Тогда будет видно, сколько доступно, сколько ожидает зачисления и какими проводками это изменилось.
wallet-available = Доступно, { $currency }
wallet-pending = Ожидает зачисления
wallet-next = ближайшее зачисление { $money }:
wallet-refunds = Возвращаем покупателям
wallet-payouts = Выплачиваем вам
wallet-entries = Проводки
wallet-entry = Проводка
wallet-for = За что
wallet-out = Списание
wallet-in = Поступление
wallet-balance = Остаток
wallet-fee = комиссия { $money }
wallet-final = Остаток — доступные и ожидающие зачисления средства вместе. Проводки не меняются: исправление — это новая проводка.
wallet-none = Проводок нет.
wallet-none-match = Таких проводок нет.
wallet-payment = Платежи
wallet-refund = Возвраты
wallet-payout = Выплаты
wallet-settlement = Зачисления
entry-payment = Платёж
entry-settlement = Стало доступно
entry-suspense = Ждёт решения
entry-accepted = Принято по решению
entry-reversal = Отозвано
entry-charged = Отозвано за ваш счёт
entry-absorbed = Отозвано за счёт оператора
entry-refund = Возврат
entry-refund-sent = Возврат отправлен
entry-refund-failed = Возврат не прошёл
entry-payout = Выплата
entry-payout-sent = Выплата отправлена
entry-payout-failed = Выплата не прошла
statement = Выписка
statement-month = Месяц, { $currency }
wrong-month = Выберите месяц, например 2026-11.

payout-ask = Запросить выплату
payout-about = Сумма сразу списывается с доступного баланса. Если оператор отклонит выплату или банк не сможет её доставить, сумма вернётся.
payout-from = С баланса
payout-amount-hint = Не больше, чем доступно, например 1500.00.
payout-destination = Реквизиты
payout-destination-hint = Ваш счёт в том виде, который нужен банку оператора: имя, номер, банк. Не больше 500 символов.
payout-review = Проверить выплату
payout-sure = Проверьте данные. Отменить выплату сами вы не сможете.
payout-confirm = Запросить выплату
payout-nothing = Доступных для выплаты средств пока нет.
payout-wrong-amount = Введите сумму в этой валюте, например 1500,00.
payout-not-available = Сумма больше доступной.
payout-no-destination = Укажите реквизиты для выплаты.
payout-long-destination = Сократите текст до 500 символов.
payout-by = Запрос от
payout-asked = Ждёт решения оператора
payout-approved = Одобрена
payout-refused = Отклонена
payout-sent = Отправлена
payout-failed = Не прошла
payout-to-approved = Одобрить
payout-to-refused = Отклонить
payout-to-sent = Отметить отправленной
payout-to-failed = Отметить неудачной
payout-to-approved-text = Затем отправьте деньги в своём банке и отметьте здесь, ушли они или нет.
payout-to-refused-text = Деньги снова станут доступны продавцу. Изменить это позже нельзя.
payout-to-sent-text = Только когда банк принял платёж и деньги ушли. Изменить это позже нельзя.
payout-to-failed-text = Деньги снова станут доступны продавцу. Изменить это позже нельзя.
payout-reference = Номер платежа в банке
payout-reason = Причина
payout-note-hint = Это увидит продавец.
payout-wrong-note = Введите от 1 до 200 символов.
payout-unfit = Этот шаг для выплаты уже недоступен.
payouts-open = Ожидают решения
payouts-all = Все
payouts-empty = Выплат нет.
payouts-empty-about = Продавцы запрашивают их на странице кошелька.

## Import

import-products = Импорт товаров
import-categories = Импорт категорий
import-file-crumb = Импорт
import-products-about = В первой строке — названия столбцов: name, price, currency и, если нужно, product_id и category_id. Товар с уже существующим ID получит новые название, цену и категорию и вернётся в продажу.
import-categories-about = В первой строке — названия столбцов: name и, если нужно, category_id. Категория с уже существующим ID получит новое название и снова станет доступна.
import-example = Пример
import-formats = CSV из любой таблицы, в UTF-8, через запятую, точку с запятой или табуляцию.
import-limits = Не больше { $size } КБ и { $rows } строк.
import-file = Файл
import-text = Или вставьте таблицу сюда
import-check = Проверить
import-nothing-stored = Пока ничего не сохранено.
import-nothing = Выберите файл или вставьте таблицу.
import-no-rows = Есть только первая строка. Добавьте строку для каждого товара или категории.
import-too-large = Файл слишком большой. Разделите его: в одном может быть не больше { $size } КБ.
import-too-many-rows = Строк в файле: { $rows }, а за один импорт можно загрузить { $most }. Разделите файл.
import-not-utf8 = Это не текст в UTF-8. Сохраните таблицу как «CSV UTF-8», а не как книгу.
import-unknown-column = Столбца «{ $name }» нет. Столбцы: { $known }.
import-repeated-column = Столбец «{ $name }» указан дважды.
import-missing-column = Не хватает столбца «{ $name }». Столбцы: { $known }.
import-summary = Что изменится
import-added = Новые
import-changed = Изменятся
import-same = Без изменений
import-bad = Строки с ошибками
import-take =
    { $count ->
        [one] Импортировать { $count } строку
        [few] Импортировать { $count } строки
       *[many] Импортировать { $count } строк
    }
import-bad-left-out = Строки с ошибками пропустим. Пока ничего не сохранено.
import-none-good = Импортировать нечего.
import-bad-rows = Строки с ошибками
import-bad-text = Только строки с ошибками
import-bad-text-hint = Скопируйте их в таблицу, исправьте и импортируйте позже.
import-will-be-added = Новые
import-will-be-changed = Изменятся
import-more =
    { $count ->
        [one] И ещё { $count }.
        [few] И ещё { $count }.
       *[many] И ещё { $count }.
    }
import-again = Исправить таблицу и проверить снова
import-overtaken = Тем временем каталог изменился. Ничего не сохранено. Проверьте ещё раз.
line = Строка
column = Столбец
reason = Причина
was = было: { $value }
comes-back = В архиве, вернётся
row-fields = Полей в строке: { $found } вместо { $wanted }. Возможно, не закрыта кавычка.
row-not-utf8 = Строка не в UTF-8.
row-repeated = { $id } уже есть в строке { $line }.

## Team and what was done

nav-team = Команда
this-is-you = Это вы
team-alone = В команде только вы. Пригласите коллегу, чтобы он мог помочь, если вы не сможете войти.
team-removed = Доступ закрыт
state-removed = Доступ закрыт
invite-member = Пригласить коллегу
invite-by-mail = Мы отправим письмо со ссылкой для выбора пароля. Она сработает один раз, в течение 7 дней.
invite-by-link = Сервис не отправляет письма. Вы получите ссылку, которую нужно передать самостоятельно. Она сработает один раз, в течение 7 дней.
invite-again = Новая ссылка-приглашение
is-last-admin = Больше никто не может управлять этим продавцом, поэтому изменить этого пользователя нельзя. Сначала пригласите ещё одного с ролью «Продавец».
leave-team = Покинуть команду
change-role = Изменить роль
own-role-hint = Это вы. Наблюдатель ничего не может менять, в том числе свою роль.
let-in-again = Вернуть доступ
shut-out-by-operator = Доступ закрыл оператор сервиса. Вернуть его может только он.
history-empty = Событий пока нет.
doer-operator = Оператор
doer-super-vendor = Суперпродавец
doer-stranger = Без входа

## Super vendor

your-vendors = Ваши продавцы
vendor-disabled = Отключён
no-vendors-yours = У вас пока нет продавцов.
no-vendors-yours-ask = Продавцов подключает:
reveal-seen = Просмотр записывается в журнал действий, { $name } увидит запись.
profile-you = Ваша учётная запись
profile-factor = Вход с кодом
profile-factor-on = Включён
profile-factor-off = Выключен. Включите его в учётной записи.
profile-with-sandbox = С включённой песочницей
profile-activity = Что происходит в песочнице
profile-last-session = Последняя тестовая сессия
profile-last-callback = Последний колбэк
profile-last-error = Последняя ошибка колбэка
profile-nothing = Пока нет
profile-no-error = Нет
profile-no-sessions = Тестовых сессий ещё не было.
profile-never-live = Боевые ключи здесь не показываются никогда.
profile-no-sandbox = У этого продавца песочница выключена.
profile-ask-operator = Включить её может:

## Operator: vendors

new-vendor = Новый продавец
vendors-search = Название, ID, Client ID или контактная почта
vendors-empty = Продавцов пока нет. Создайте первого.
vendor = Продавец
state = Состояние
methods = Способы оплаты
created = Создан
state-active = Работает
state-disabled = Отключён
state-invited = Приглашён
state-asked = Запрошена
methods-all = Все способы
methods-no = Ни одного
no-super-vendor = Без суперпродавца
turn-on = Включить
turn-off = Выключить
sandbox-for = песочницу: { $name }
vendor-name = Название
new-vendor-sandbox = Сразу включить песочницу
new-vendor-sandbox-hint = Сначала продавец увидит тестовые данные и ключи песочницы
create-vendor = Создать продавца
vendor-created-heading = Продавец создан: { $name }
vendor-created = Оба секрета показаны один раз. Позже продавец сможет посмотреть их в своих настройках.
open-vendor = Открыть продавца
facts = Сведения
vendor-id = ID продавца
not-set = Не задано
enable-vendor = Включить продавца
sandbox-on-about = Продавец увидит в панели тестовые данные, а его боевые ключи скроются. Боевые платежи идут как обычно.
sandbox-turn-on = Включить песочницу
asked-by = Кто попросил
asked-by-hint = Кто вас об этом попросил. Попадёт в журнал действий.
asked-by-missing = Укажите, кто попросил.
asked-by-long = Текст слишком длинный. Нужно не больше 254 символов.
why = Причина
why-hint = Попадёт в журнал действий.
why-missing = Укажите причину.
switched-by = Кто переключил
operator-asked = Оператор
from-the-start = Включена с самого начала
methods-legend = Чем могут платить покупатели
methods-all-hint = И те, что появятся позже
super-vendor = Суперпродавец
super-legend = Кто сопровождает
super-hint = Видит ключи песочницы этого продавца.
no-users-of-vendor = У этого продавца пока нет пользователей.
last-events = Последние события
all-events = Все события

## Operator: users

new-user = Новый пользователь
users-search = Почта
users-empty = Пользователей пока нет.
role = Роль
no-vendor = Без продавца
never = Никогда
role-operator-hint = Управляет сервисом: продавцы, пользователи, журнал
role-super-vendor-hint = Видит ключи песочницы своих продавцов
role-vendor-admin-hint = Полный доступ к одному продавцу
role-vendor-viewer-hint = Видит то же, что продавец, но ничего не меняет
new-user-vendor-hint = Для ролей «Продавец» и «Наблюдатель». Остальным ролям продавец не нужен.
email-taken = Пользователь с таким адресом уже есть.
vendor-missing = Выберите продавца: для этой роли он обязателен.
vendor-too-many = Для этой роли продавец не нужен. Выберите «Без продавца».
invite-user = Пригласить
link-made-heading = Ссылка готова
link-mailed-heading = Ссылка отправлена
link-invitation-made = По этой ссылке { $email } задаст пароль. Передайте её по надёжному каналу.
link-reset-made = По этой ссылке { $email } задаст новый пароль. Передайте её по надёжному каналу.
link-invitation-mailed = { $email } получит письмо со ссылкой, чтобы задать пароль.
link-reset-mailed = { $email } получит письмо со ссылкой, чтобы задать новый пароль.
link-once = Ссылка показывается один раз и действует один раз.
link = Ссылка
link-until = Она действует до
open-user = Открыть пользователя
all-users = Все пользователи
user-is-self = Это вы. Параметры своего входа меняйте здесь:
enable-user = Включить пользователя
user-sessions = Сеансы
no-sessions = Активных сеансов нет.

## Operator: requests and audit

requests-empty = Открытых запросов нет.
requests-empty-about = Когда продавец запросит песочницу в своей панели, запрос появится здесь.
wants-sandbox = Запрашивает песочницу:
no-reason = Причина не указана
dismiss = Отклонить
when = Когда
who = Кто
what = Что
about = О ком
from-where = Откуда
audit-empty = Записей нет.
detail-asked = Запрос от: { $who }. { $why }
detail-rotated = { $environment }; старый действует до { $until }
detail-link-invitation = Для приглашения
detail-link-reset = Для нового пароля
detail-nothing-new = Ничего нового
detail-resolved = { $environment }, сессия { $session }
detail-callback = { $environment }: { $id }
detail-callbacks =
    { $count ->
        [one] { $count } недоставленный
        [few] { $count } недоставленных
       *[many] { $count } недоставленных
    }
detail-since = { $what }, с { $since }
detail-imported = Добавлено: { $added }, изменено: { $changed }
detail-other-site = форма отправлена с другого сайта
detail-other-login = форма относится к другому сеансу
detail-role = роль этого не позволяет
detail-no-email = не адрес почты
detail-more =
    { $count ->
        [one] ещё { $count } раз с прошлой записи
        [few] ещё { $count } раза с прошлой записи
       *[many] ещё { $count } раз с прошлой записи
    }
act-logged-in = Вход
act-logged-out = Выход
act-login-failed = Неудачная попытка входа
act-code-failed = Неверный код при входе
act-password-failed = Неверный пароль
act-access-refused = Отказ в доступе
act-password-set = Пароль задан
act-factor-on = Двухфакторный вход включён
act-factor-off = Двухфакторный вход выключен
act-recovery-codes-made = Получены новые коды восстановления
act-recovery-code-used = Использован код восстановления
act-logins-ended = Сеансы завершены
act-secret-revealed = Показан секрет
act-credentials-seen = Открыты ключи продавца
act-secret-rotated = Сменён секрет
act-settings-changed = Изменены настройки
act-test-callback = Отправлен тестовый колбэк
act-endpoint-check-started = Запущена проверка обработчика
act-sandbox-delivery-changed = Изменена доставка колбэков песочницы
act-callback-resent = Колбэки отправлены ещё раз
act-callback-hastened = Колбэк отправлен сразу
act-sandbox-asked = Запрошена песочница
act-sandbox-on = Песочница включена
act-sandbox-off = Песочница выключена
act-sandbox-refused = Запрос отклонён
act-vendor-created = Создан продавец
act-vendor-disabled = Отключён продавец
act-vendor-enabled = Включён продавец
act-parent-changed = Изменён суперпродавец
act-terms-changed = Изменены комиссии или срок зачисления
act-user-created = Добавлен пользователь
act-user-disabled = Отключён пользователь
act-user-enabled = Включён пользователь
act-link-made = Создана ссылка для пароля
act-role-changed = Изменена роль пользователя
act-product-created = Добавлен товар
act-product-changed = Изменён товар
act-product-archived = Товар снят с продажи
act-product-restored = Товар снова в продаже
act-products-imported = Импортированы товары
act-category-created = Добавлена категория
act-category-changed = Переименована категория
act-category-archived = Категория убрана в архив
act-category-restored = Категория возвращена
act-categories-imported = Импортированы категории

## Наблюдение: что ждёт решения

nav-actions = Нужно решение
nav-payouts = Выплаты
nav-deliveries = Колбэки
nav-search = Поиск
environment = Режим
session = Сессия
show = Показать
ago-now = Только что
ago-minutes =
    { $count ->
        [one] { $count } минуту назад
        [few] { $count } минуты назад
       *[many] { $count } минут назад
    }
ago-hours =
    { $count ->
        [one] { $count } час назад
        [few] { $count } часа назад
       *[many] { $count } часов назад
    }
ago-days =
    { $count ->
        [one] { $count } день назад
        [few] { $count } дня назад
       *[many] { $count } дней назад
    }
span-ms = { $ms } мс
span-seconds = { $seconds } с
span-minutes = { $count } мин
span-hours = { $count } ч
delay-days =
    { $count ->
        [one] { $count } день
        [few] { $count } дня
       *[other] { $count } дней
    }
delay-hours =
    { $count ->
        [one] { $count } час
        [few] { $count } часа
       *[other] { $count } часов
    }
delay-minutes =
    { $count ->
        [one] { $count } минуту
        [few] { $count } минуты
       *[other] { $count } минут
    }
delay-seconds =
    { $count ->
        [one] { $count } секунду
        [few] { $count } секунды
       *[other] { $count } секунд
    }
percentage = { $number } %
need-show = Показать
need-show-open = Открытые
need-show-due = Открытые со сроком, сначала ближайшие
need-show-decided = Решённые
need-show-all = Все
need-kind = Причина
need-any-kind = Любая причина
need-none = По этим фильтрам ничего не найдено.
need-due = Ответить до
need-left = осталось { $time }
need-overdue = просрочено на { $time }
assignee-anyone = Любой
assignee-mine = Я
assignee-unassigned = Не назначен
wait-heading = Время ожидания
wait-open = Открыто сейчас
wait-oldest = Дольше всего ждёт
wait-median = Медианное время ожидания
wait-decided = Решено за последние 30 дней
wait-took = Медианное время до решения
work-heading = Исполнитель и заметки
work-open = Исполнитель и заметки
work-assignee = Исполнитель
work-assign-me = Назначить мне
work-assign = Назначить
work-to = Кому назначить
work-nobody = Не назначен
work-notes = Заметки
work-no-notes = Заметок пока нет.
work-note = Новая заметка
work-note-hint = Обычный текст до 1000 символов. Его видят все операторы. Заметку нельзя изменить или удалить.
work-add-note = Добавить заметку
work-note-empty = Введите текст заметки.
work-note-long = В заметке больше 1000 символов. Сократите её.
work-note-character = В заметке есть символы, которые нельзя отобразить. Удалите их.
work-moved = Теперь исполнитель — { $name }.
work-released = Другой оператор за это время снял назначение.
work-no-operator = Нет действующего оператора с таким адресом.
work-closed = Больше нельзя назначить исполнителя или добавить заметку. Ничего не изменилось.
work-unsaved = Ваша заметка (не сохранена)
need-empty = Ничто не требует решения.
need-empty-about = Если деньги придут поздно, не полностью или неожиданно, здесь появится карточка и будет ждать решения.
need-late = Деньги пришли поздно
need-late-about = Деньги пришли, когда сессия уже завершилась. Верните их через провайдера или примите для продавца.
need-partial = Денег пришло меньше, чем нужно
need-partial-about = Верните деньги через провайдера или примите их для продавца.
need-unreachable = Неизвестно, списаны ли деньги
need-unreachable-about = Сессия завершилась, пока провайдер не отвечал. Проверьте платёж у провайдера.
need-mismatch = Платёж не совпадает с ожидаемым
need-mismatch-about = Провайдер сообщает о другой сумме, валюте или другом платеже. Проверьте платёж у провайдера.
need-surplus = Денег пришло больше, чем нужно
need-surplus-about = Сессия оплачена. Верните излишек через провайдера или примите его для продавца.
need-reversed = Деньги отозваны
need-reversed-about = Сеть отменила блок с этим переводом, когда платёж уже был засчитан. Статус сессии не меняется. Решите, кто несёт убыток; если деньги придут снова, они будут считаться поздними.
need-disputed = Банк покупателя требует вернуть деньги
need-disputed-about = Ответьте провайдеру до указанного срока. Когда спор закончится, укажите здесь итог: спор выигран или кто несёт убыток. Статус сессии не меняется.
need-refund_lost = Возврат не дошёл
need-refund_lost-about = Провайдер сообщил, что деньги дошли, а позже — что нет: они снова у провайдера. Отправьте их покупателю ещё раз или вручную либо примите для продавца. Для продавца возврат остаётся прежним.
need-difference = Записи провайдера не подтверждают наши
need-difference-about = Записи провайдера расходятся с нашими, он долго не сообщает, выполнен ли возврат, или чек по 54-ФЗ не зарегистрирован — подробности в примечании. Ничего не изменено. Проверьте обе стороны, исправьте ошибку и отметьте здесь, что вопрос решён.
need-note = Что найдено
need-paid = Оплачено
need-asked = Ожидалось
need-received = Получено
need-taken = Отозвано
need-held = Сумма к решению
need-unknown = Неизвестно
need-by = Способ
need-back = К списку
decide-refund-button = Вернуть покупателю
decide-accept-button = Принять для продавца
decide-dismiss-button = Деньги не списаны
decide-charge-button = Списать с продавца
decide-absorb-button = Принять убыток на себя
decide-won-button = Спор выигран, потерь нет
decide-settled-button = Вопрос решён
decide-accept-text = Деньги получит продавец: в боевом режиме они добавятся к его балансу. Статус сессии не изменится, колбэк не отправится: сообщите продавцу сами.
decide-refund-text = Если провайдер это умеет, деньги вернутся покупателю автоматически, и возврат будет виден на странице сессии. Если не умеет, сначала верните деньги через провайдера вручную: решение подтвердит, что вы это сделали.
decide-dismiss-text = Сначала проверьте платёж у провайдера. Решение подтвердит, что за эту сессию ничего не списано.
decide-charge-text = Сумма спишется с доступных средств продавца, больше доступного списать нельзя. Комиссия за платёж остаётся. Статус сессии не изменится, колбэк не отправится: сообщите продавцу сами.
decide-absorb-text = Деньги остаются у продавца. Убыток несёт оператор: он учитывается на отдельном счёте.
decide-won-text = Провайдер завершил спор, деньги на месте. Решение подтвердит, что потерь нет; деньги не переводятся.
decide-settled-text = Сначала проверьте данные у провайдера. Решение подтвердит, что расхождение улажено; деньги не переводятся, и это же расхождение больше не появится.
decide-not-covered = У продавца недостаточно средств.
decide-needed = Нужно
decide-available = Доступно
decide-gone = Сеть отозвала эти деньги.
decide-gone-about = Возвращать нечего. Примите их для продавца, а отозванное спишите с него: одно погасит другое.
decide-once = В решении сохранятся ваше имя и время. Изменить его потом нельзя.
decided-refund = Возврат покупателю
decided-accept = Деньги приняты для продавца
decided-dismiss = Деньги не списаны
decided-charge = За счёт продавца
decided-absorb = За счёт оператора
decided-won = Спор выигран, потерь нет
decided-settled = Вопрос решён
decided-before = Решение уже принято: { $name }.
decided-stays = Сейчас ничего не изменено.
act-action-resolved = Принято решение о деньгах
act-action-assigned = Изменён исполнитель
act-action-noted = Добавлена заметка
act-payout-asked = Запрошена выплата
act-payout-approved = Выплата одобрена
act-payout-refused = Выплата отклонена
act-payout-sent = Выплата отмечена отправленной
act-payout-failed = Выплата отмечена неудачной


## Наблюдение: колбэки

deliver-any = Любое
deliver-on-its-way = Отправляется
deliver-delivered = Доставлен
deliver-undelivered = Не доставлен
deliver-no-target = Нет адреса
deliver-since = С какого времени
deliver-since-hint = Дата, например 2026-11-15, или дата и время, например 2026-11-15T09:30:00Z. Пусто — за всё время.
deliver-vendor-hint = Название или ID.
deliver-vendor-missing = Укажите, чьи колбэки.
deliver-no-vendor = Такого продавца нет или подходит несколько. Укажите ID.
deliver-wrong-since = Это не дата и не время. Введите 2026-11-15 или 2026-11-15T09:30:00Z.
deliver-none = Таких колбэков нет.
deliver-empty = Ни одна сессия ещё не завершилась. Колбэк создаётся при каждом итоговом статусе.
deliver-event = Событие
deliver-tries = Попытки
deliver-try = Попытка
deliver-answer = Ответ
deliver-took = Время ответа
deliver-target = Куда
deliver-next = Следующая попытка
deliver-id = ID события
deliver-body = Тело запроса
deliver-not-tried = Попыток ещё не было.
deliver-again = Отправить ещё раз
deliver-again-all = Отправить ещё раз все недоставленные колбэки продавца
deliver-all-heading = Отправить недоставленные колбэки ещё раз
deliver-all-about = Отправим ещё раз каждый недоставленный колбэк продавца, с теми же байтами. Сначала посчитайте их.
deliver-count = Посчитать
deliver-all-none = Недоставленных нет: { $name }.
deliver-all-found =
    { $count ->
        [one] { $count } недоставленный колбэк:
        [few] { $count } недоставленных колбэка:
       *[many] { $count } недоставленных колбэков:
    }
deliver-all-what = Каждый отправим один раз, сейчас. Если снова не получится, он останется недоставленным.
deliver-all-button =
    { $count ->
        [one] Отправить ещё раз: { $count }
       *[other] Отправить ещё раз: { $count }
    }
sent-status = Ответ { $status }
sent-delivered = Доставлен
sent-blocked = Адрес запрещён
sent-dns = Сервер не найден
sent-connect = Сервер не принял соединение
sent-tls = Ошибка сертификата или TLS
sent-timeout = Истекло время ожидания
sent-closed = Соединение закрыто
sent-protocol = Ответ не по HTTP
sent-interrupted = Прервано на нашей стороне
sent-dropped = Не отправлено: так выбрал тестировщик
notice-no-address = При создании колбэка адрес не был задан.
notice-decided = Решение сохранено.
notice-payout-asked = Выплата запрошена. Решение за оператором.
notice-payout-moved = Выплата обновлена.

## Наблюдение: одна сессия и поиск

case-price = Цена
case-item = Товар
case-order = Заказ
case-id = ID сессии
case-reason = Причина
case-method = Текущий способ
case-updated = Изменена
case-ends = Оплатить можно до
case-request = ID запроса
case-vendors-own = Из настроек продавца
case-open-checkout = Открыть страницу оплаты
case-attempts = Попытки у провайдеров
case-no-attempts = Покупатель ещё не начал платить.
case-provider = Провайдер
case-reference = Номер у провайдера
case-attempt-id = ID попытки
case-check = Следующий опрос
case-money = Деньги
case-worth = В валюте заказа
case-transaction-id = ID транзакции
case-callback = Колбэк
case-no-callback = Колбэк появится при итоговом статусе.
case-history = История
case-created = Создана, ожидает оплаты
case-method-chosen = Покупатель выбрал способ
case-money-late = Деньги пришли поздно
case-money-partial = Денег пришло меньше, чем нужно
case-money-reversed = Деньги отозваны
case-outcome-planned = Тестировщик задал результат
case-repeat-confirmed = Покупатель подтвердил повторную оплату
try-intended = Начинается
try-open = Открыта
try-in-flight = В обработке
try-paid = Оплачена
try-declined = Отклонена
try-closed = Закрыта
try-watched = Ждём поздние деньги
mark-late = Поздно
mark-partial = Не полностью
mark-over = Больше, чем нужно
mark-reversed = Отозвано
nav-home = Главная
home-well = Всё в порядке
home-unwell = { $count ->
    [one] { $count } пункт требует внимания
    [few] { $count } пункта требуют внимания
   *[other] { $count } пунктов требуют внимания
}
home-no-provider = Ни один провайдер не принимает боевые платежи.
no-provider-about = Till отклоняет все боевые сессии, пока не настроен провайдер. Песочница работает и без него.
no-provider-set-up = Настроить провайдера
home-provider = { $provider }: { $state }
home-lost-nodes = { $count ->
    [one] { $count } процесс не отвечает и не сообщал об остановке.
    [few] { $count } процесса не отвечают и не сообщали об остановке.
   *[other] { $count } процессов не отвечают и не сообщали об остановке.
}
home-low-space = На диске осталось только { $space }.
home-held = Сервис приостановлен: ничего не отправляется, платежи не принимаются.
home-late-queue = { $queue }: очередь отстаёт на { $time }.
home-undelivered = { $count ->
    [one] За 7 дней не доставлен { $count } боевой колбэк.
    [few] За 7 дней не доставлены { $count } боевых колбэка.
   *[other] За 7 дней не доставлено { $count } боевых колбэков.
}
home-failed-mails = { $count ->
    [one] За 30 дней не удалось отправить { $count } письмо.
    [few] За 30 дней не удалось отправить { $count } письма.
   *[other] За 30 дней не удалось отправить { $count } писем.
}
home-nodes = { $count ->
    [one] Работает { $count } процесс.
    [few] Работают { $count } процесса.
   *[other] Работает { $count } процессов.
}
home-waiting = Ждёт вас
home-oldest = самый старый ждёт { $time }
home-all-providers = Все провайдеры
home-providers-none = Провайдеры не настроены.
first-steps = Первые шаги
first-done = Сделано
first-open = Ещё не сделано
first-begin = Открыть
first-provider = Настройте платёжного провайдера
first-provider-about = Stripe, ЮKassa, Т-Банк или криптовалюта. До этого Till отклоняет все боевые сессии.
first-https = Включите HTTPS
first-https-about = Укажите в TILL_BASE_URL адрес с https. Им пользуются покупатели и колбэки.
first-mail = Настройте почту
first-mail-about = Необязательно. По почте уходят приглашения, сброс пароля, квитанции и предупреждения.
first-vendor = Создайте продавца
first-vendor-about = Продавец — это магазин, который принимает платежи. Здесь он получит ключи API.
first-user = Пригласите первого пользователя продавца
first-user-about = Он видит платежи в панели и указывает адрес колбэков.
first-payment = Примите первый платёж
first-payment-about = Сервер продавца создаёт сессию и отправляет покупателя на страницу оплаты. После этого список исчезнет.
vendor-figures = Показатели
simulated-name = Имитация платежей
simulated-about = Платежи принимает симулятор или тестовый терминал провайдера. Настоящие деньги не движутся.
all-sessions-none = Продавцы ещё не создали ни одной платёжной сессии.
all-transactions-none = Денег ещё не поступало.
console-list-hint = Продавца ищем по полному названию или ID. По заказу, сумме, почте и ID платёж найдёт
find-label = Заказ, сумма, почта, номер, хеш транзакции, ID или продавец
find-about = Находит сессии по началу номера заказа, по точной сумме (например, 2 490,00 RUB), по полному адресу почты покупателя, по номеру для обращения и по ID; колбэки, транзакции, попытки и продавцов — по ID; платежи и возвраты — по полному номеру у провайдера; платежи в криптовалюте — по хешу транзакции или адресу; пользователей — по почте; продавцов — по названию, контактной почте или Client ID. Ищет в боевом режиме и в песочнице. По ID запроса, который выдал этот сервис (req_…), находится созданная им сессия; если ID задал сам продавец, ищите по заказу или сессии.
find-found = Найдено
find-name = Название
find-both = Оба
find-more = Показаны не все результаты. Уточните запрос.
found-session = Сессия
found-order = Заказ
found-amount = Сумма
found-refund = Возврат
found-customer = Покупатель
found-request = Запрос
found-callback = Колбэк
found-transaction = Транзакция
found-attempt = Попытка
found-reference = Номер у провайдера
found-action = Нужно решение
found-vendor = Продавец
found-user = Пользователь

## Наблюдение: провайдеры и сам сервис

nav-providers = Провайдеры
nav-system = Система
percent = { $number } %
prov-empty = Провайдеры не настроены. Боевые сессии нельзя оплатить.
prov-working = Работает
prov-failing = Часть вызовов не проходит
prov-down = Недоступен
prov-quiet = Давно нет вызовов
prov-open = Открытые сессии
prov-last-error = Последняя ошибка
prov-no-error = Нет
prov-no-calls = Нет вызовов
prov-unusable = Нельзя использовать
prov-calls = Ответы
prov-calls-day = { $share } за 24 ч
prov-calls-none = Нет вызовов за 24 ч
prov-move-up = Выше
prov-move-down = Ниже
prov-simulated = имитация
prov-test = тестовый режим
prov-at-most = p95 до { $time }
prov-about = Вызовы считаются по всем процессам сервера, состояние — за последние 15 минут этого процесса. После пяти вызовов без ответа покупатели 15 секунд направляются к другим провайдерам. Сессии песочницы не доходят до настоящих провайдеров.
prov-slow = Медленно
prov-off = Выключен
prov-last-paid = Последний платёж
prov-order = Порядок
prov-last = Последний платёж и ошибка
prov-no-errors = Ошибок нет
prov-order-about = Если способ оплаты есть у двух провайдеров, платёж принимает первый, кто ответит.
activity = Активность
activity-heading = { $provider }: активность
activity-day = Последние 24 часа
activity-empty = За последние 24 часа вызовов не было. Они появятся здесь, когда покупатели начнут платить или платежи будут проверяться.
activity-about = По всем процессам сервера: каждый сохраняет свои данные раз в минуту. Состояние — за последние 15 минут этого процесса.
activity-calls = Вызовы
activity-failed = С ошибкой
activity-p50 = p50
activity-p95 = p95
activity-calls-plot = Вызовы за 15 минут
activity-failures-plot = Вызовы с ошибкой за 15 минут
activity-latency-plot = Время ответа
activity-no-failures = Все вызовы прошли.
activity-no-answers = Ни на один вызов не было ответа.
activity-calls-label = Вызовы за каждые 15 минут последних 24 часов: всего { $all }, максимум { $most } за 15 минут, начиная с { $time }.
activity-failures-label = Вызовы с ошибкой за каждые 15 минут последних 24 часов: всего { $all }, максимум { $most } за 15 минут, начиная с { $time }.
activity-latency-label = Время ответа за последние 24 часа: половина ответов пришла не позже чем через { $half }, 95 % — не позже чем через { $most }.
activity-hours = Вызовы по часам
activity-from = Начало
activity-last = Последние события
notice-accepted = Последнее принятое уведомление
notice-refused = Последнее отклонённое уведомление
notice-none = Нет
notice-unsigned = В нём не было подписи.
notice-unproven = Подпись или токен неверны, либо уведомление не удалось прочитать.
notice-foreign-address = В нём был секрет провайдера, но оно пришло не с адреса провайдера. Возможно, секрет раскрыт.
setup-name-evm = Криптовалюта
setup-name-yookassa = ЮKassa
setup-name-tbank = Т-Банк
setup-name-stripe = Stripe
setup-edit-heading-evm = Настройка криптовалюты
setup-edit-heading-yookassa = Настройка ЮKassa
setup-edit-heading-tbank = Настройка Т-Банка
setup-edit-heading-stripe = Настройка Stripe
setup-begin-evm = Настроить криптовалюту
setup-begin-yookassa = Настроить ЮKassa
setup-begin-tbank = Настроить Т-Банк
setup-begin-stripe = Настроить Stripe
setup-heading = Настройка
setup-unset = Не настроено
setup-off = Выключено
setup-empty-evm = Криптовалюта не настроена. Понадобятся расширенный публичный ключ кошелька, два узла сети и цена каждой монеты.
setup-empty-yookassa = ЮKassa не настроена. Понадобятся номер магазина, его секретный ключ и ваш собственный секрет для адреса уведомлений.
setup-empty-tbank = Т-Банк не настроен. Понадобятся ключ терминала и его пароль.
setup-empty-stripe = Stripe не настроен. Понадобятся секретный и публичный (publishable) ключи аккаунта и секрет, которым подписываются события вебхука.
setup-file = Файл
setup-file-about = Файл важнее консоли. Измените файл на сервере и перезапустите сервис.
setup-changed = Изменено
setup-by = Кто изменил
setup-edit = Изменить настройку
setup-switch-on = Включить
setup-switch-off = Выключить
setup-switch-about = Выключенный провайдер никому не предлагается. Начатые платежи по-прежнему отслеживаются.
setup-unusable = Сохранённую настройку нельзя использовать
chains-chains = Сети
chains-chain = Сеть
chains-confirmations =
    { $count ->
        [one] { $count } подтверждение
        [few] { $count } подтверждения
       *[other] { $count } подтверждений
    }
chains-block = Прочитан блок
chains-head = Новейший блок
chains-lag = Отставание
chains-read = Последняя проверка
chains-highest = Последний адрес
chains-not-offered = Не предлагается: { $coin }. { $reason }
chains-unconfirmed = Ни один узел ещё не подтвердил её символ и число знаков после запятой.
chains-never-read = Ещё не читалась
chains-about = Кошелёк должен знать все адреса до последнего, чтобы видеть все деньги. Многие кошельки смотрят лишь на 20 неиспользованных адресов вперёд.
chains-prices = Цены
chains-coin = Монета
chains-source = Источник
chains-price = Цена
chains-age = Возраст
chains-fresh = Свежая
chains-stale = Не используется
chains-no-price = Цены ещё нет
chains-prices-about = Монета не предлагается, пока её цена устарела, вышла за границы, не подтверждена после скачка или пока источники расходятся.
setup-checks = Что показала проверка
setup-check = Проверка
setup-found = Результат
setup-checked-evm = Сравните адреса с теми, что показывает ваш кошелёк для того же аккаунта. Ничего не сохранено.
setup-checked = Ничего не сохранено.
check-good = В порядке
check-doubtful = Обратите внимание
check-bad = Ошибка
setup-form-evm = Сети, монеты и цены. Настройка хранится зашифрованной. Вводите только публичный ключ — ни в коем случае не приватный ключ и не сид-фразу.
setup-form-yookassa = Магазин, его ключ и способы оплаты. Настройка хранится зашифрованной, секреты больше не показываются.
setup-form-tbank = Терминал, его пароль и способы оплаты. Настройка хранится зашифрованной, секреты больше не показываются.
setup-form-stripe = Ключи аккаунта, секреты подписи и валюты. Настройка хранится зашифрованной, секреты больше не показываются.
setup-document = Документ настройки, TOML
setup-save = Сохранить
setup-test = Проверить
setup-test-about = Проверка ничего не сохраняет.
setup-test-running = Проверить связь
setup-service = Сервис
setup-money = Деньги
setup-money-live = Боевой режим: реальные деньги
setup-money-test = Тестовый режим: без списаний
setup-offers = Способы оплаты
setup-notices = Адрес для уведомлений
setup-health = Состояние
setup-health-about = Вызовы считаются по всем процессам сервера. Состояние — за последние 15 минут этого процесса.
setup-problems =
    { $count ->
        [one] В настройке { $count } ошибка. Она описана рядом с документом.
        [few] В настройке { $count } ошибки. Они описаны рядом с документом.
       *[other] В настройке { $count } ошибок. Они описаны рядом с документом.
    }
setup-as-document = Изменить в виде документа
setup-as-form = Изменить в виде формы
setup-document-about = Метка вида "<stored:1 …cdef>" означает сохранённый секрет. Оставьте её, чтобы сохранить секрет, или впишите вместо неё новое значение. Здесь комментарии сохраняются, а при сохранении формы удаляются.
setup-drops-comments = В сохранённом документе есть комментарии. При сохранении этой формы они удалятся; чтобы их оставить, изменяйте настройку в виде документа.
setup-form-moved = Тем временем настройку изменил кто-то другой. Введённое вами осталось здесь: откройте настройку в другой вкладке, сравните и внесите изменения там.
setup-field-problem = { $field }: { $problem }
setup-optional = (необязательно)
setup-remove = Удалить
setup-advanced = Дополнительные параметры
secret-stored = Сохранён. Оставьте поле пустым, чтобы не менять его.
secret-stored-hint = Сохранён: { $hint }. Оставьте поле пустым, чтобы не менять его.
secret-entered = Введён, но ещё не сохранён. Оставьте поле пустым, чтобы использовать его.
secret-entered-hint = Введён, но ещё не сохранён: { $hint }. Оставьте поле пустым, чтобы использовать его.
check-unreachable = Недоступен
guide-stripe = Что сделать в Stripe
guide-yookassa = Что сделать в ЮKassa
guide-tbank = Что сделать в Т-Банке
guide-evm = Что сделать в кошельке
guide-link = Открыть руководство
guide-about-stripe = В панели Stripe откройте Developers → Webhooks и добавьте адрес (endpoint) с этим URL, версией API и событиями. После этого Stripe покажет секрет подписи.
guide-about-yookassa = В личном кабинете ЮKassa откройте «Интеграция» → «HTTP-уведомления», укажите этот URL и отметьте эти события.
guide-about-tbank = В кабинете Т-Бизнеса откройте настройки терминала, выберите уведомления по HTTP и укажите этот URL.
guide-about-evm = Создайте в кошельке отдельный аккаунт для Till и экспортируйте его расширенный публичный ключ (xpub). Приватный ключ и сид-фраза Till не нужны. Для каждой сети понадобятся два узла.
guide-secret = ваш-секрет-уведомлений
guide-secret-about = Адрес заканчивается секретом уведомлений, который больше не показывается. Если адрес не сохранился, задайте новый секрет.
guide-new-token = Задать новый секрет уведомлений
guide-new-token-about = Скопируйте новый секрет в поле «Секрет уведомлений» и сохраните настройку, затем укажите новый адрес в ЮKassa.
guide-events = События
guide-version = Версия API
field-stripe-secret_key = Секретный ключ
about-stripe-secret_key = Developers → API keys. Лучше ограниченный ключ (rk_…) с правом записи PaymentIntents, Charges и Refunds и чтения Balance, Disputes и Webhook Endpoints. С тестовым ключом деньги не списываются.
field-stripe-publishable_key = Публичный ключ (publishable)
about-stripe-publishable_key = На той же странице и в том же режиме. Его отправляют в Stripe браузеры покупателей.
field-stripe-webhook_secrets = Секрет подписи { $number }
about-stripe-webhook_secrets = Developers → Webhooks → ваш адрес → Signing secret. Второе поле нужно только на время замены секрета.
field-stripe-currencies = Валюты
about-stripe-currencies = Валюты, в которых ваш аккаунт принимает карты, через запятую.
field-stripe-requests_per_second = Запросов в секунду
about-stripe-requests_per_second = Не больше стольких отправляет каждый сервер. Stripe принимает 25 на один метод API: разделите ваш лимит на число серверов.
field-stripe-api = Адрес API
about-stripe-api = Только для тестов. Для настоящего Stripe оставьте пустым.
field-stripe-script = Адрес Stripe.js
about-stripe-script = Только для тестов. Для настоящего Stripe оставьте пустым.
field-yookassa-shop_id = Номер магазина
about-yookassa-shop_id = «Настройки» → «Магазин»: число shopId.
field-yookassa-secret_key = Секретный ключ
about-yookassa-secret_key = «Интеграция» → «Ключи API». Начинается с live_, а у тестового магазина, где деньги не списываются, — с test_.
field-yookassa-notice_token = Секрет уведомлений
about-yookassa-notice_token = Ваш собственный секрет в конце адреса для уведомлений: от 32 до 128 букв, цифр, - и _. Если измените его, измените и адрес в ЮKassa.
field-yookassa-methods = Способы оплаты
about-yookassa-methods = Способы, которые принимает ваш магазин. СБП подключает менеджер ЮKassa.
field-yookassa-currencies = Валюты
about-yookassa-currencies = Почти все магазины принимают только рубли, а СБП — всегда.
field-yookassa-receipt_contacts = Куда касса отправляет чеки
about-yookassa-receipt_contacts = «Чекам от ЮKassa» нужен адрес электронной почты. Если у магазина своя касса и она отправляет чеки и на телефон, отметьте оба варианта: тогда у покупателя, чей номер уже известен, адрес не спрашивается.
receipt-contact-email = Эл. почта
receipt-contact-phone = Телефон
field-yookassa-most-card = Наибольший платёж картой, ₽
about-yookassa-most-card = Меняйте, только если ЮKassa изменила лимит вашего магазина.
field-yookassa-most-sbp = Наибольший платёж по СБП, ₽
about-yookassa-most-sbp = Меняйте, только если ЮKassa изменила лимит вашего магазина.
field-yookassa-requests_per_second = Запросов в секунду
about-yookassa-requests_per_second = Не больше стольких отправляет каждый сервер. Официального лимита у ЮKassa нет.
field-yookassa-api = Адрес API
about-yookassa-api = Только для тестов. Для настоящей ЮKassa оставьте пустым.
field-yookassa-page_hosts = Хосты страниц оплаты
about-yookassa-page_hosts = Хосты, на которые можно отправлять покупателей, через запятую.
field-yookassa-code_hosts = Хосты QR-кодов
about-yookassa-code_hosts = Хосты, на которые могут вести коды СБП, через запятую.
field-tbank-terminal_key = Ключ терминала
about-tbank-terminal_key = Со страницы терминала в кабинете Т-Бизнеса. Ключ, который заканчивается на DEMO, — от тестового терминала, где деньги не списываются.
field-tbank-password = Пароль
about-tbank-password = С той же страницы. Им подписываются запросы и уведомления.
field-tbank-methods = Способы оплаты
about-tbank-methods = Способы, которые принимает ваш терминал. СБП должна быть подключена для своей платёжной формы.
field-tbank-most-card = Наибольший платёж картой, ₽
about-tbank-most-card = Меняйте, если Т-Банк установил для вашего терминала другой лимит.
field-tbank-most-sbp = Наибольший платёж по СБП, ₽
about-tbank-most-sbp = Меняйте, если Т-Банк установил для вашего терминала другой лимит.
field-tbank-receipts-ffd = Чеки: формат кассы
about-tbank-receipts-ffd = Версия ФФД, с которой работает касса терминала: 1.05 или 1.2. Оставьте пустым, если кассы нет.
field-tbank-receipts-tax_system = Чеки: система налогообложения
about-tbank-receipts-tax_system = Для чеков, где она не указана: osn, usn_income, usn_income_outcome, esn или patent. Обязательна, если у терминала есть касса.
field-tbank-receipts-registration = Чеки: регистрация
about-tbank-receipts-registration = notifications, если Т-Банк уведомляет этот сервис о зарегистрированных чеках: чек без уведомления через 3 дня попадёт в «Нужно решение». unknown, если не уведомляет: чеки останутся в ожидании.
field-tbank-requests_per_second = Запросов в секунду
about-tbank-requests_per_second = Не больше стольких отправляет каждый сервер. Официального лимита у Т-Банка нет.
field-tbank-api = Адрес API
about-tbank-api = Оставьте пустым для https://securepay.tbank.ru.
field-tbank-ca_file = Корневые сертификаты
about-tbank-ca_file = Файл PEM на каждом сервере: Till доверяет ему только при обращении к Т-Банку. Нужен для хостов с сертификатом национального удостоверяющего центра.
field-tbank-page_hosts = Хосты страниц оплаты
about-tbank-page_hosts = Хосты, на которые можно отправлять покупателей, через запятую.
field-tbank-code_hosts = Хосты QR-кодов
about-tbank-code_hosts = Хосты, на которые могут вести коды СБП, через запятую.
list-evm-chain = Сети
list-about-evm-chain = Сети, в которых вы принимаете монеты. Чтобы добавить несколько, сохраняйте после каждой.
row-evm-chain = Сеть { $number }
row-new-evm-chain = Добавить сеть
field-evm-chain-name = Название
about-evm-chain-name = Так его видят покупатели.
field-evm-chain-id = ID сети
about-evm-chain-id = Ethereum — 1, Polygon — 137, Arbitrum — 42161, Base — 8453. Till сверяет его с узлами.
field-evm-chain-endpoints = Узел { $number }
about-evm-chain-endpoints = Адрес JSON-RPC от поставщика узлов вместе с ключом. Ответы двух узлов сверяются, из трёх один может отказать. Потом показывается только хост.
field-evm-chain-xpub = Расширенный публичный ключ
about-evm-chain-xpub = Ключ xpub аккаунта m/44'/60'/0' из вашего кошелька. Никогда не вводите приватный ключ или сид-фразу.
field-evm-chain-confirmations = Подтверждения
about-evm-chain-confirmations = Через сколько блоков, включая собственный, платёж считается окончательным.
field-evm-chain-poll = Интервал опроса
about-evm-chain-poll = Как часто проверять новые блоки, например 4s.
field-evm-chain-max_fuel = Газ для перевода
about-evm-chain-max_fuel = Столько собственной монеты сети считается газом там, куда пришёл токен.
list-evm-chain-coin = Монеты
list-about-evm-chain-coin = Монеты этой сети, которые может выбрать покупатель.
row-evm-chain-coin = Монета { $number }
row-new-evm-chain-coin = Добавить монету
field-evm-chain-coin-symbol = Символ
about-evm-chain-coin-symbol = Как в контракте, например USDC.
field-evm-chain-coin-decimals = Знаков после запятой
about-evm-chain-coin-decimals = 18 у ETH, 6 у USDC в Ethereum. Till сверяет их с контрактом.
field-evm-chain-coin-contract = Контракт
about-evm-chain-coin-contract = Скопируйте с официальной страницы токена. Для собственной монеты сети оставьте пустым.
list-evm-price = Цены
list-about-evm-price = У каждой монеты должна быть цена в каждой валюте, в которой ею платят: фиксированная или по адресу. Несколько адресов для одной монеты сверяются.
row-evm-price = Цена { $number }
row-new-evm-price = Добавить цену
field-evm-price-coin = Монета
about-evm-price-coin = Символ монеты.
field-evm-price-currency = Валюта
about-evm-price-currency = Валюта цены.
field-evm-price-fixed = Фиксированная цена
about-evm-price-fixed = Для стейблкоина. Оставьте пустым, если цена берётся по адресу.
field-evm-price-url = Адрес с ценой
about-evm-price-url = Документ JSON с ценой. Потом показывается только хост.
field-evm-price-pointer = Где цена
about-evm-price-pointer = Указатель JSON (JSON Pointer) в ответе.
field-evm-price-min = Наименьшая цена
about-evm-price-min = Цена ниже не используется.
field-evm-price-max = Наибольшая цена
about-evm-price-max = Цена выше не используется.
field-evm-price-time_pointer = Где время
about-evm-price-time_pointer = Указатель JSON на время цены, если оно есть в ответе.
field-evm-price-max_unchanged = Сколько цена может не меняться
about-evm-price-max_unchanged = Цена, которая не меняется дольше, не используется.
field-evm-price_max_age = Возраст цены
about-evm-price_max_age = Какой старой может быть цена, когда покупатель выбирает монету, например 2m.
field-evm-price_max_jump = Наибольший скачок, %
about-evm-price_max_jump = Большее изменение сначала должно подтвердиться.
field-evm-price_max_spread = Наибольшее расхождение, %
about-evm-price_max_spread = Насколько могут расходиться несколько источников.
rule-missing = Заполните это поле.
rule-toml = Это нельзя сохранить как документ. Проверьте, нет ли в значениях необычных символов.
rule-known = В сохранённом документе есть неизвестные параметры. Откройте его в виде документа и удалите их.
rule-key = Введите ключ в том виде, в котором его показывает провайдер. Он начинается с одного из: { $list }
rule-webhook-secret = Введите секрет подписи, который начинается с whsec_.
rule-mode = Один ключ боевой, другой тестовый. Нужны два ключа одного режима.
rule-currencies = Введите хотя бы один код валюты, например EUR.
rule-currency = { $name } — не код валюты.
rule-currency-usable = { $name } пока нельзя использовать. Удалите эту валюту.
rule-once = { $name } указано дважды. Удалите одно из значений.
rule-number = Введите целое число от { $least } до { $most }.
rule-address = Введите адрес, который начинается с https://, или оставьте поле пустым.
rule-web-address = Введите адрес, который начинается с https:// или http://.
rule-live-address = Это можно изменить только с тестовыми ключами. Оставьте поле пустым.
rule-length = Введите не больше { $most } символов.
rule-shop-id = Введите номер магазина, только цифры.
rule-notice-token = Введите от 32 до 128 букв, цифр, - и _.
rule-receipt-contacts = Отметьте электронную почту: на неё можно отправить любой чек. Добавьте телефон, если касса отправляет и на него.
rule-methods = Выберите хотя бы один способ оплаты.
rule-sbp-rubles = СБП принимает только рубли. Выберите RUB или отключите СБП.
rule-amount = Введите сумму, например 350000.00.
rule-hosts = Введите имена хостов через запятую.
rule-one-of = Укажите одно из значений: { $list }.
rule-path = Укажите полный путь к файлу, начиная с /, или оставьте поле пустым.
rule-chains = Добавьте хотя бы одну сеть.
rule-coins = Добавьте в сеть хотя бы одну монету.
rule-chain-once = Этот ID уже есть у другой сети. Объедините монеты обеих в одной.
rule-nodes = Укажите от 1 до { $most } узлов.
rule-node-once = Два узла совпадают. Удалите один.
rule-xpub-public = Это приватный ключ. Переведите деньги этого аккаунта на новый и введите расширенный публичный ключ (xpub…) нового аккаунта.
rule-xpub = Введите расширенный публичный ключ из кошелька: 111 символов, начинается с xpub.
rule-xpub-level = Это ключ другого уровня. Экспортируйте расширенный публичный ключ аккаунта m/44'/60'/0'.
rule-decimal = Введите число больше 0, дробную часть — через точку.
rule-duration = Введите длительность от { $least } до { $most }, например 4s или 2m.
rule-symbol = Только латинские буквы, цифры и точки.
rule-contract = Введите 0x и 40 шестнадцатеричных цифр; прописные буквы — точно как на официальной странице токена.
rule-native-once = Без контракта может быть только собственная монета сети. Укажите контракт этой монеты.
rule-priced = У { $name } нет цены. Добавьте её в разделе «Цены».
rule-priced-coin = Монеты { $name } нет ни в одной сети. Добавьте монету или удалите цену.
rule-one-source = Введите либо фиксированную цену, либо адрес с ценой.
rule-fetched-only = Это поле только для цены по адресу. Для фиксированной цены оставьте его пустым.
rule-pointer = Введите указатель JSON, который начинается с /, например /data/amount.
rule-bounds = Наименьшая цена больше наибольшей.
setup-moved = Тем временем настройку изменил кто-то другой. Ваш текст сохранён здесь: откройте настройку в другой вкладке, сравните и внесите изменения там.
sys-version = Версия
sys-free = Свободно на диске
sys-nodes = Процессы
sys-node = Процесс
sys-here = эта страница
sys-listens = Слушает
sys-started = Запущен
node-running = Работает
node-stopped = Остановлен
node-lost = Нет связи
sys-queues = Очереди
sys-queue = Очередь
queue-sessions = Ожидающие сессии
queue-payments = Платежи на проверке
queue-callbacks = Колбэки к отправке
queue-refunds = Возвраты в обработке
queue-settlements = Платежи к зачислению
queue-seals = Проводки вне хеш-цепочки
queue-mails = Письма к отправке
queue-receipts = Письма о платежах к отправке
personal-heading = Персональные данные
personal-link = Найти или удалить персональные данные покупателя
personal-email = Адрес эл. почты покупателя
personal-find = Найти
personal-bad-email = Укажите полный адрес электронной почты, например ann@example.com.
personal-about = Найдите платежи покупателя и по его требованию удалите то, что его идентифицирует. Платежи, возвраты и бухгалтерские записи сохраняются. В более ранних резервных копиях данные остаются.
personal-known = Платежи этого покупателя
personal-nothing = Платежей с этим адресом нет.
personal-data = Персональные данные
personal-kind-address = адрес
personal-kind-metadata = метаданные
personal-kind-checkout = адрес на странице оплаты
personal-kind-receipts = квитанции
personal-kind-fiscal = чеки по 54-ФЗ
personal-kind-refunds = причины возвратов
personal-kind-notes = заметки
personal-waiting = ожидает завершения операций
personal-more = Показаны последние платежи. Всего: { $count }.
personal-mentions = Заметки и причины возвратов других платежей, где упомянут этот адрес: { $count }. Они тоже будут удалены.
personal-panel-mails = Письма пользователям панели на этот адрес: { $count }. Они тоже будут удалены.
personal-panel-user = Этот адрес принадлежит пользователю панели. Учётная запись сохранится; отключить её можно в разделе «Пользователи».
personal-contact = Это контактный адрес продавца. Он сохранится, пока продавец его не изменит.
personal-incomplete = Хранилище слишком велико, чтобы проверить здесь все метаданные, заметки и причины возвратов. Чтобы найти все упоминания, выполните на сервере команду till forget.
personal-erases = Будут удалены адрес, данные покупателя из кассовых чеков (адрес, телефон, имя, ИНН), метаданные, заметки, причины возвратов и посещения страниц этих платежей, метаданные из отправленных уведомлений и сохранённые ответы на уведомления. Данные платежа с незавершёнными операциями будут удалены после их завершения. Отменить удаление нельзя.
personal-erase = Удалить персональные данные
personal-note-removed = Заметка удалена вместе с персональными данными покупателя.
personal-erased = Удалены
hold-heading = Приостановка
hold-on = Сервис приостановлен
hold-since = С какого времени
hold-reason = Причина
hold-restored = Данные восстановлены из резервной копии
hold-operator = Приостановил оператор
hold-by = Кто приостановил
hold-about = Токены, запросы статуса, списки и страницы работают. Новые сессии и платежи не принимаются, ничего не отправляется, сессии не истекают.
hold-next = Что будет после снятия
hold-what = Что произойдёт
hold-nothing = Ничего не ждёт.
hold-sessions = Ожидающие сессии; просроченные истекут, и по каждой уйдёт колбэк
hold-payments = Статусы платежей запрашиваются у провайдеров
hold-callbacks = Колбэки уходят магазинам
hold-refunds = Возвраты уходят провайдерам
hold-settlements = Ожидающие суммы становятся доступны магазинам
hold-seals = Записи журнала подписываются
hold-mails = Письма уходят пользователям панели
hold-receipts = Письма уходят покупателям и магазинам
hold-release = Снять приостановку
hold-off = Сервис не приостановлен.
hold-off-about = После восстановления из копии сервис приостановлен, пока вы не снимете приостановку здесь или командой till release.
sys-mails-failed = Недоставленные письма за 30 дней
sys-waiting = В очереди
sys-due = К выполнению
sys-lag = Отставание
sys-lag-about = Отставание — на сколько просрочена самая старая задача очереди. Для ожидающих сессий — на сколько запаздывает их завершение по сроку.
sys-store = Хранилище
sys-database = База данных
sys-size = Размер
sys-rows = Строки больших таблиц
sys-units = Записи / пакеты
sys-batch = Время пакета
sys-refused = Отказы
sys-store-about = Записи, пакеты и время — только этого процесса сервера. Число строк оценено или посчитано до 100 000.
sys-about = около { $count }
sys-more-than = больше { $count }
sys-unknown = ещё не оценено
sys-settings = Настройки не по умолчанию
sys-defaults = Все по умолчанию.
sys-secret = задано, не показывается

## Questions

ask-sandbox-off-title = Выключить песочницу: { $name }?
ask-sandbox-off-text = Выключение скроет тестовые сессии и вернёт боевые ключи. Ничего не удаляется.
ask-sandbox-off-button = Выключить песочницу
ask-no-methods-title = Оставить без способов оплаты: { $name }?
ask-no-methods-text = Не отмечен ни один способ. Новые боевые сессии будут отклоняться, пока вы не отметите хотя бы один. Начатые платежи завершатся, песочница работает как прежде.
ask-no-methods-button = Без способов оплаты
ask-disable-vendor-title = Отключить: { $name }?
ask-disable-vendor-text = Ключи и токены перестанут работать за несколько секунд, в боевом режиме и в песочнице, новых платежей не будет. Начатые платежи завершатся, их колбэки отправятся. Продавца можно включить снова.
ask-disable-vendor-button = Отключить продавца
ask-user-disable-title = Отключить: { $name }?
ask-user-disable-text = Все сеансы сразу завершатся, войти будет нельзя. Пользователя можно включить снова.
ask-user-disable-button = Отключить пользователя
ask-user-reset-title = Новый пароль: { $name }?
ask-user-reset-text = Пользователь получит ссылку, чтобы задать новый пароль. Старый действует, пока ссылкой не воспользуются.
ask-user-reset-button = Ссылка для пароля
ask-user-totp-off-title = Выключить двухфакторный вход: { $name }?
ask-user-totp-off-text = Делайте это, только если уверены, что просит именно этот человек: после этого для входа хватит пароля. Операторам придётся сразу настроить двухфакторный вход снова.
ask-user-totp-off-button = Выключить двухфакторный вход
ask-user-end-sessions-title = Завершить все сеансы: { $name }?
ask-user-end-sessions-text = Все сеансы сразу завершатся. Пользователь сможет войти снова.
ask-user-end-sessions-button = Завершить все сеансы
ask-archive-product-title = Снять с продажи: { $name }?
ask-archive-product-text = Создать с ним сессию будет нельзя. Созданные сессии остаются, их можно оплатить. Товар можно вернуть в продажу.
ask-archive-product-button = В архив
ask-archive-category-title = Убрать категорию в архив: { $name }?
ask-archive-category-text = Создать сессию с этим category_id будет нельзя. Товары категории остаются в продаже. Категорию можно вернуть.
ask-archive-category-button = В архив
ask-remove-member-title = Закрыть доступ: { $name }?
ask-remove-member-text = Все сеансы сразу завершатся, пароль и приглашение перестанут работать. Действия пользователя остаются в журнале. Доступ можно вернуть.
ask-remove-member-button = Закрыть доступ
ask-password-title = Введите пароль ещё раз
ask-password-text = Чтобы продолжить, введите пароль. В ближайшие пять минут вводить его снова не потребуется.
ask-password-button = Продолжить
ask-dismiss-title = Отклонить запрос: { $name }?
ask-dismiss-text = Песочница продавца останется выключенной. Он может запросить её ещё раз.
ask-dismiss-button = Отклонить запрос
note = Заметка (необязательно)
note-hint = Попадёт в журнал действий.

## Errors

refused-heading = Нет доступа
refused = Ваша роль этого не позволяет, или форма устарела. Ничего не изменено. Вернитесь, обновите страницу и попробуйте ещё раз.
nowhere-heading = Страница не найдена
nowhere = Проверьте адрес. Возможно, страницы больше нет.
too-large-heading = Слишком много данных
too-large = Файл может быть не больше 256 КБ. Ничего не изменено. Вернитесь, разделите файл и попробуйте ещё раз.
wrong-way-heading = Этот адрес так не работает
wrong-way = Сюда можно только отправить форму или, наоборот, только открыть страницу. Ничего не изменено.
busy-heading = Сервис перегружен
busy =
    { $count ->
        [one] Сейчас не удалось проверить пароль. Ничего не изменено. Отправьте ещё раз через { $count } секунду.
        [few] Сейчас не удалось проверить пароль. Ничего не изменено. Отправьте ещё раз через { $count } секунды.
       *[many] Сейчас не удалось проверить пароль. Ничего не изменено. Отправьте ещё раз через { $count } секунд.
    }
trouble-heading = Ошибка на нашей стороне
trouble = Не получилось, и мы не знаем, выполнено ли действие. Прежде чем повторять, обновите страницу и проверьте.
go-home = На главную

# Возвраты
refunds = Возвраты
refunds-none = Возвратов ещё не было.
refund-link = Вернуть деньги
refund-by = Запрос от
refund-id = ID возврата
refund-pending = Возврат в обработке
refund-succeeded = Возвращено
refund-failed = Возврат не прошёл
refund-amount = Сумма, { $currency }
refund-left = Можно вернуть ещё { $left }.
refund-reason = Причина
refund-reason-hint = Необязательно. Причину видят ваша команда и получатели ответа API.
refund-wrong-amount = Введите сумму больше 0, например 10,00. Знаков после запятой — не больше, чем у валюты.
refund-too-much = Это больше остатка: можно вернуть ещё { $left }.
refund-wrong-reason = Не больше 255 символов, без переносов строк.
refund-nothing = Возвращать больше нечего.
refund-balance = Недостаточно средств на балансе: нужно { $needed }, доступно { $available }. Верните меньше или дождитесь новых платежей.
refund-changed = Позиции чека изменились, пока форма была открыта. Проверьте, что возвращается.
refund-unable = Этот платёж нельзя вернуть здесь. Обратитесь к оператору.
refund-item = «{ $name }»: сколько возвращается ({ $price } за единицу)
refund-item-left = Можно вернуть: { $left }. Укажите 0, если ничего не возвращается, или часть, например 0,5.
refund-wrong-quantity = Введите число от 0 до доступного к возврату, не больше 3 знаков после запятой.
refund-no-items = Ничего не выбрано. Укажите количество хотя бы в одной строке.
refund-no-customer = В чеке больше нет контакта покупателя. Запросите этот возврат через API, указав receipt.customer. До выдачи товара можно также вернуть всё сразу.
ask-refund-text-items = У платежа есть чек по 54-ФЗ, поэтому возврат оформляется по позициям чека и получает свой чек. Указано всё, что ещё можно вернуть. Деньги вернутся покупателю тем же способом, которым он платил.
ask-refund-text-items-sandbox = У платежа есть чек по 54-ФЗ, поэтому возврат оформляется по позициям чека и получает свой чек. Указано всё, что ещё можно вернуть. Настоящие деньги не переводятся: возврат и его колбэки имитируются. С причиной «simulate fail» возврат не пройдёт, с причиной «simulate slow» займёт 12 секунд.
ask-refund-sure-items = Возвращается: { $items }.
ask-refund-title = Возврат платежа
ask-refund-text = Деньги вернутся покупателю тем же способом, которым он платил. Указан весь остаток; для частичного возврата введите меньше.
ask-refund-text-sandbox = Настоящие деньги не переводятся: возврат и его колбэки имитируются. Указан весь остаток; для частичного возврата введите меньше. С причиной «simulate fail» возврат не пройдёт, с причиной «simulate slow» займёт 12 секунд.
ask-refund-sure-sandbox = Настоящие деньги не переводятся. Ваш сервер получит такой же колбэк, как при боевом возврате.
ask-refund-sure-title = Вернуть { $amount }?
ask-refund-sure = Покупатель получит деньги тем же способом, которым платил. С баланса сразу спишется { $own }; если провайдер откажет, деньги вернутся на баланс. Комиссия не возвращается. Отменить возврат нельзя.
ask-refund-sure-fee = Покупатель получит деньги тем же способом, которым платил. С баланса сразу спишется { $own }; если провайдер откажет, деньги вернутся на баланс. Из комиссии вернётся { $fee }. Отменить возврат нельзя.
review-refund = Проверить возврат
ask-refund-button = Вернуть
step-refund-asked = Запрошен возврат { $amount }
step-refund-succeeded = Возвращено { $amount }
step-refund-failed = Возврат { $amount } не прошёл
act-refund-requested = Запрошен возврат
act-provider-set-up = Настроен провайдер
act-provider-changed = Изменена настройка провайдера
act-provider-on = Провайдер включён
act-provider-off = Провайдер выключен
act-providers-ordered = Изменён порядок провайдеров
detail-refund = { $amount } по сессии { $session }
notice-refunded = Возврат в обработке.
nav-refunds = Возвраты вручную
hands-about = Эти возвраты не может отправить ни один провайдер: ключи от монет здесь не хранятся. Отправьте каждый из своего кошелька на адрес, который даст покупатель, и укажите транзакцию. Мы проверим её в блокчейне, и только после этого возврат будет засчитан.
hands-empty = Возвратов к отправке нет.
hands-empty-about = Здесь появляются возвраты платежей в блокчейне с указанием, что отправить.
hand-worth = Отправьте это покупателю. По зафиксированному курсу это { $amount }.
hand-note = Указанная раньше транзакция не подошла:
doubt-about = Провайдер { $provider } не сообщил, чем закончился этот возврат. Прежде чем решать, посмотрите в его личном кабинете.
doubt-may-arrive = Возврат теперь есть у провайдера, и деньги ещё могут дойти. Результат появится здесь.
doubt-to-confirm = Возврат выполнен
doubt-to-give-up = Возврат не выполнен
doubt-to-confirm-text = Только если в личном кабинете провайдера видно, что покупатель получил деньги: возврат завершится. Изменить это потом нельзя. Если у платежа есть фискальный чек, проверьте, что он есть и у возврата.
doubt-to-give-up-text = Только если в личном кабинете провайдера видно, что ничего не отправлено и не будет отправлено: возврат не состоится, а деньги вернутся туда, откуда были взяты. Изменить это потом нельзя.
hand-to-sent = Указать транзакцию
hand-to-give-up = Отправить нельзя
hand-to-sent-text = Только после отправки: мы проверим транзакцию в блокчейне. Возврат завершится, когда она подтвердится; если она не подойдёт, возврат снова появится здесь с причиной.
hand-to-give-up-text = Только если ничего не отправлено: возврат не состоится, а деньги вернутся туда, откуда были взяты. Изменить это потом нельзя.
hand-transaction = Хеш транзакции
hand-transaction-hint = 0x и 64 шестнадцатеричные цифры — как показывает кошелёк или обозреватель блоков.
hand-wrong-transaction = Введите хеш транзакции: 0x и 64 шестнадцатеричные цифры.
hand-taken = Этой транзакцией отправлен другой возврат. Одна транзакция — один возврат.
hand-reason = Причина
hand-reason-hint = Это увидит продавец. Не больше 255 символов.
hand-wrong-reason = Укажите причину: от 1 до 255 символов, без переносов строк.
hand-may-arrive = Транзакция, указанная для этого возврата, есть в сети, и деньги ещё могут дойти. Дождитесь, пока она подтвердится или будет отклонена.
hand-silent = Ни один узел не ответил, может ли транзакция этого возврата ещё пройти. Повторите через несколько минут.
hand-unfit = По этому возврату решение уже принято.
refund-by-hand = Отправляется вручную
act-refund-sent = Указана транзакция возврата
act-refund-given-up = Отмечено, что возврат отправить нельзя
act-refund-confirmed = Возврат подтверждён вручную
act-session-expired = Сессия завершена досрочно
act-hold-placed = Сервис приостановлен
act-hold-released = Приостановка снята
act-key-rotation-started = Новый мастер-ключ введён в действие
act-key-rotation-completed = Ротация мастер-ключа завершена
act-personal-data-erased = Удалены персональные данные покупателя
notice-hand-sent = Проверяем транзакцию в блокчейне.
notice-refund-confirmed = Возврат отмечен как выполненный.
notice-hand-given-up = Возврат не состоялся. Деньги вернулись туда, откуда были взяты.

terms-heading = Комиссии и зачисление
terms-change = Изменить
terms-fees = Комиссии
terms-fee = Комиссия
terms-none = Нет
terms-no-fees = Этот продавец не платит комиссию. Назначить её можно ниже.
terms-every-currency = все валюты
terms-other-currencies = остальные валюты
terms-on-refund = При возврате
terms-returned = Возвращается
terms-kept = Удерживается
terms-remove = Убрать
terms-set-fee = Назначить комиссию
terms-about = Она заменит комиссию для того же способа и валюты и будет действовать для новых платежей.
terms-currency-hint = Например, RUB. Пусто — все валюты, у которых нет своей комиссии.
terms-percent = Процент
terms-percent-hint = Например, 2.5; округляется до минимальной единицы валюты.
terms-fixed = Фиксированная сумма
terms-fixed-hint = Например, 10.00. Нужна валюта.
terms-give-back = При возврате комиссия возвращается
terms-give-back-hint = При частичном возврате — частично.
terms-settlement = Зачисление
terms-delay = Срок зачисления
terms-delay-own = Деньги за платёж доступны через { $delay } — индивидуальное условие этого продавца.
terms-no-delay-own = Деньги за платёж доступны сразу — индивидуальное условие этого продавца.
terms-no-delay-usual = Деньги за платёж доступны сразу, как у всех продавцов.
terms-delay-usual = Деньги за платёж доступны через { $delay }, как у всех продавцов.
terms-delay-hint = Например, 7d, 12h или 0s, не больше 366d. Пусто — как у всех продавцов, { $delay }.
terms-wrong-method = Выберите способ оплаты.
terms-wrong-currency = Такой валюты нет. Введите код, например RUB, или оставьте поле пустым.
terms-no-currency = Для фиксированной суммы нужна валюта.
terms-nothing = Укажите процент, фиксированную сумму или и то и другое.
terms-wrong-percent = Введите число от 0 до 100, не больше четырёх знаков после точки, например 2.5.
terms-wrong-fixed = Введите сумму в этой валюте, например 10.00.
terms-wrong-delay = Введите срок, например 7d, 12h или 0s, не больше 366d.
vendor-wallet = Кошелёк продавца
wallet-empty-operator = У этого продавца денег пока нет. Они появятся здесь, когда оплатят его боевую сессию.
wallet-empty-how-operator = Тогда будет видно, сколько доступно, сколько ожидает зачисления и какими проводками это изменилось.
wallet-payouts-operator = Выплачиваем продавцу
decide-accept-unbooked = Этих денег нет в учёте: они пришли до его начала, или провайдер только сообщает о них. Решение сохранится, но деньги не переведёт: рассчитайтесь с продавцом сами.
decide-refund-unbooked = Этих денег нет в учёте: они пришли до его начала, или провайдер только сообщает о них. Решение сохранится, но деньги не переведёт: верните их через провайдера сами.

# Сверки: сравнение записей провайдеров с записями Till.
recon-heading = Сверка
recon-last-heading = Последняя сверка
recon-runs = Все сверки
recon-verdict = Результат
recon-days = Дни (UTC)
recon-requested = Запрошена
recon-finished = Завершена
recon-payments = Сверено
recon-never = Сверки ещё не было
recon-matched = Сходится
recon-differed = { $count ->
    [one] { $count } расхождение
    [few] { $count } расхождения
   *[other] { $count } расхождений
}
recon-failed = Сверить не удалось
recon-running = Выполняется
recon-waiting = Ожидает запуска
recon-retries = Нет ответа, повторим позже
recon-compared = { $count ->
    [one] Сверен { $count }
    [few] Сверено { $count }
   *[other] Сверено { $count }
}
recon-under-way = { $count ->
    [one] { $count } ещё проводится
    [few] { $count } ещё проводятся
   *[other] { $count } ещё проводятся
}
recon-without-till = { $count ->
    [one] { $count } принят помимо Till
    [few] { $count } приняты помимо Till
   *[other] { $count } приняты помимо Till
}
recon-by-nightly = Ночная сверка
recon-by-weekly = Еженедельная сверка
recon-by-panel = Консоль
recon-by-command = Командная строка
recon-request = Сверить провайдера
recon-request-about = Записи провайдера за эти дни (UTC) сравниваются с нашими. Сверка начнётся через несколько секунд или после завершения текущей сверки этого провайдера. Новые расхождения появятся в разделе «Нужно решение»; сама сверка ничего не изменяет.
recon-now = Сверить сейчас
recon-now-about = Сверяются сегодняшний день и три предыдущих.
recon-first = Первый день
recon-last = Последний день
recon-nightly-on = Каждую ночь после { $time } UTC сверяются последние три дня, по воскресеньям — последние 92 дня. Блокчейны сверяются с того места, где закончилась предыдущая сверка.
recon-nightly-off = Ночная сверка выключена (TILL_RECONCILE_AT).
recon-empty = Сверок ещё не было.
recon-empty-about = Здесь появится каждая сверка записей провайдера с записями Till и её результат.
recon-no-providers = Провайдеры не настроены, сверять нечего.
recon-wrong-provider = Выберите настроенного провайдера.
recon-wrong-day = Введите дату.
recon-wrong-order = Последний день раньше первого. Поменяйте их местами.
recon-wrong-future = Последний день ещё не наступил. Выберите сегодняшнюю дату (UTC) или более раннюю.
recon-all-providers = Показать всех провайдеров
recon-too-long = { $count ->
    [one] Выберите не более { $count } дня.
    [few] Выберите не более { $count } дней.
   *[other] Выберите не более { $count } дней.
}
recon-waits = Сверка этого провайдера уже запрошена. Дождитесь её завершения.
notice-run-requested = Сверка запрошена. Она начнётся через несколько секунд или после завершения текущей сверки этого провайдера. Обновите страницу, чтобы увидеть результат.
act-reconciliation-requested = Запрошена сверка
detail-days = { $what }: с { $from } по { $to }
home-reconciliation-failed = { $provider }: последняя ночная сверка не удалась.
home-reconciliation-old = { $provider }: сверки не было больше двух ночей.

# The signature doctor: finds the mistake in a signature.
signature-link = Проверить подпись
endpoint-wanted-taken = Ответ 2xx за отведённое время
endpoint-wanted-refused = Ответ 4xx
endpoint-wanted-both = Ответ 2xx оба раза
endpoint-wanted-tls = https с доверенным сертификатом
endpoint-got-status = { $status }
endpoint-got-tls_valid = Доверенный сертификат
endpoint-got-plain_http = http без TLS
endpoint-got-not_tried = Не проверялось
endpoint-got-blocked = Адрес, на который колбэки не отправляются
endpoint-got-dns = Имя узла не найдено
endpoint-got-connect = Нет соединения
endpoint-got-tls = Нет доверенного TLS-соединения
endpoint-got-timeout = Нет ответа за отведённое время
endpoint-got-closed = Соединение закрыто до ответа
endpoint-got-protocol = Ответ не по HTTP
endpoint-repair-not_tried = Добейтесь, чтобы прошёл первый шаг, и запустите проверку снова.
endpoint-repair-timeout = Сначала отвечайте, потом работайте: сохраните событие, ответьте 2xx и обработайте его в фоне.
endpoint-repair-blocked = Укажите адрес в открытом интернете. Частные и внутренние адреса не вызываются никогда.
endpoint-repair-unreachable = Убедитесь, что адрес верен, а сервер запущен и доступен из интернета.
endpoint-repair-crash = Сервер ответил внутренней ошибкой. Найдите этот запрос в его журнале.
endpoint-repair-redirect = Перенаправления не выполняются. Укажите конечный адрес.
endpoint-heading = Проверка обработчика
endpoint-about = Till выполнит { $count } шагов с верными и неверными колбэками и скажет, готов ли обработчик к настоящим платежам. Для этого создаются сессии песочницы с заказом, который начинается с till-check-. Настоящие деньги не списываются.
endpoint-start = Начать проверку
endpoint-again = Проверить снова
endpoint-url = Проверяемый адрес
endpoint-url-hint = Ваш Callback URL или другой адрес, например тестового сервера.
endpoint-url-missing = Укажите адрес или сначала сохраните Callback URL в настройках.
endpoint-running-already = Проверка уже идёт. Дождитесь её окончания.
endpoint-too-many = За последний час было много проверок. Попробуйте позже.
endpoint-history = Прошлые проверки
endpoint-none = Проверок ещё не было.
endpoint-ready = Готов
endpoint-not_ready = Не готов
endpoint-running = Идёт
endpoint-progress = Сделано шагов: { $made } из { $all }. Страница обновляется сама.
endpoint-summary-ready = Обработчик делает всё, что нужно для настоящих платежей.
endpoint-summary-not_ready = Обработчик не готов к настоящим платежам. Исправьте непройденные шаги ниже и проверьте снова.
endpoint-summary-vendor-ready = Обработчик продавца делает всё, что нужно для настоящих платежей.
endpoint-summary-vendor-not_ready = Обработчик продавца не готов к настоящим платежам. Причины — в непройденных шагах ниже.
endpoint-summary-vendor-lost = Проверка не завершилась. Продавец может запустить её снова.
endpoint-summary-lost = Проверка не завершилась. Запустите её снова.
endpoint-passed = Пройдено
endpoint-failed = Не пройдено
endpoint-not_tried = Не проверялось
endpoint-advice = Совет
endpoint-wanted = Ожидалось
endpoint-got = Получено
endpoint-why = Почему это важно
endpoint-repair = Как исправить
endpoint-in-language = На { $language }
endpoint-time = Время
endpoint-print = Печать
endpoint-target = Адрес
endpoint-by = Кто запустил
endpoint-by-api = API
endpoint-when = Когда
endpoint-link = Проверить обработчик
endpoint-live-hidden = Чтобы увидеть боевые Client ID и Client Secret, сначала пройдите проверку обработчика: этого требует оператор. Проверка идёт в песочнице, по Callback URL из настроек.
endpoint-of-vendor = Проверка обработчика
endpoint-of-vendor-none = Продавец ещё не проверял обработчик.
endpoint-report-link = Отчёт
endpoint-right_callback = Верный колбэк принят
endpoint-right_callback-why = Это сообщение о том, что заказ оплачен. Если сервер его не примет, клиент заплатит, а магазин об этом не узнает.
endpoint-right_callback-repair = Отвечайте статусом 2xx, как только сохранили событие. Если сервер не знает заказ till-check-…, он всё равно должен ответить 2xx и записать событие в журнал. Если код считает подпись неверной, ошибку найдёт «Проверка подписи».
endpoint-valid_tls = Сертификат действителен
endpoint-valid_tls-why = Без TLS или с недоверенным сертификатом колбэки можно прочитать и изменить по пути.
endpoint-valid_tls-repair = Используйте https с сертификатом публичного центра и отдавайте всю цепочку. Сертификат должен быть выдан на имя узла из адреса.
endpoint-wrong_signature = Поддельная подпись отклонена
endpoint-wrong_signature-why = Запрос может прислать любой, кто знает адрес. Без этой проверки по поддельному колбэку уйдёт неоплаченный товар.
endpoint-wrong_signature-repair = Вычислите HMAC-SHA256 сырого тела с вашим Client Secret, сравните с X-Signature функцией с постоянным временем выполнения и отвечайте 401, если они различаются.
endpoint-wrong_secret = Подпись чужим секретом отклонена
endpoint-wrong_secret-why = Подпись что-то доказывает, только если сделана вашим секретом. Этот запрос подписан другим.
endpoint-wrong_secret-repair = Проверяйте подпись своим Client Secret и отвечайте 401, если она не сходится. Правильный вид подписи ещё ничего не доказывает.
endpoint-changed_body = Изменённое тело отклонено
endpoint-changed_body-why = У этого запроса подпись другого тела. Если принять его, злоумышленник сможет изменить сумму или заказ.
endpoint-changed_body-repair = Считайте подпись по полученным байтам до разбора и отвечайте 401, если она не сходится.
endpoint-old_timestamp = Старый запрос отклонён
endpoint-old_timestamp-why = Перехваченный запрос остаётся верным, если не проверять его возраст, и его можно прислать снова. Сверка eventId тоже защищает.
endpoint-old_timestamp-repair = Проверяйте webhook-signature, которая охватывает webhook-timestamp, и отклоняйте метку, которая отличается от текущего времени больше чем на пять минут. Проверка одной метки не защищает: её можно изменить.
endpoint-same_event_twice = Повтор события принят
endpoint-same_event_twice-why = Колбэк доставляется как минимум один раз. Если на второй придёт ошибка, Till будет напрасно его повторять и покажет недоставленным.
endpoint-same_event_twice-repair = Запоминайте обработанные eventId. На известный отвечайте 2xx и больше ничего не делайте.
endpoint-unknown_event = Незнакомые события приняты
endpoint-unknown_event-why = Новые виды событий появляются без предупреждения. Если сервер отвечает ошибкой, каждое повторяется и остаётся недоставленным.
endpoint-unknown_event-repair = Отвечайте 2xx на незнакомые события и пропускайте их.
endpoint-unknown_field = Незнакомые поля приняты
endpoint-unknown_field-why = Новые поля появляются без предупреждения. Если разбор их отвергает, в этот день не пройдёт ни один колбэк.
endpoint-unknown_field-repair = Настройте разбор так, чтобы он пропускал незнакомые поля.
endpoint-out_of_order = События не по порядку приняты
endpoint-out_of_order-why = После неудачной доставки старое событие может прийти позже нового. Это не должно ни приводить к ошибке, ни отменять новый статус.
endpoint-out_of_order-repair = Отвечайте 2xx и меняйте заказ, только если occurredAt позже известного вам.
endpoint-failed_session = Неудачный платёж принят
endpoint-failed_session-why = Неудачные платежи бывают каждый день. Заказ, о неудаче которого не узнали, ждёт вечно.
endpoint-failed_session-repair = Обрабатывайте session.failed: отвечайте 2xx и дайте клиенту попробовать снова.
endpoint-expired_session = Просроченная сессия принята
endpoint-expired_session-why = Большинство ушедших клиентов просто закрывают страницу. Без этого события их заказы держат резерв.
endpoint-expired_session-repair = Обрабатывайте session.expired: отвечайте 2xx и снимайте резерв.
endpoint-long_name = Длинное название принято
endpoint-long_name-why = Название товара бывает до 255 символов. Слишком короткая колонка даст ошибку уже после оплаты.
endpoint-long_name-repair = Отведите место под 255 символов или не храните productName.
endpoint-non_ascii_text = Текст на любом языке принят
endpoint-non_ascii_text-why = В названиях бывают буквы любых алфавитов, эмодзи и кавычки. Неверная кодировка ломает подпись или базу данных.
endpoint-non_ascii_text-repair = Читайте тело как UTF-8, подписывайте его байты и храните текст в колонке с Юникодом.
delivery-heading = Доставка колбэков песочницы
delivery-link = Доставлять колбэки песочницы с ошибкой
delivery-active = Каждый новый колбэк песочницы намеренно доставляется с ошибкой: { $fault }
delivery-about = Сеть теряет, повторяет и переставляет колбэки, а злоумышленники их подделывают. Выберите ошибку, и каждый новый колбэк песочницы придёт с ней. Верный колбэк всегда приходит следом. Боевых колбэков это не касается.
delivery-label-hint = Выбор для отдельной сессии — на её странице или через simulate — важнее.
delivery-delay = Задержка, мс
delivery-delay-hint = Для колбэка с задержкой или медленного: от 1 до 60 000.
delivery-delay-wrong = Укажите целое число от 1 до 60 000.
delivery-unknown = Выберите один из вариантов.
step-misdelivered = Намеренно доставлен с ошибкой: { $fault }
fault-answer = Ответ вашего сервера на этот запрос: { $answer }.
fault-none-right = Каждый колбэк верен и приходит вовремя.
fault-drop-right = Сначала не приходит ничего. Правильный обработчик принимает повтор как обычный колбэк.
fault-delay-right = Правильный обработчик принимает колбэк, когда бы он ни пришёл.
fault-duplicate-right = Правильный обработчик оба раза отвечает 2xx, но исполняет заказ один раз: он сверяет eventId.
fault-reorder-right = Правильный обработчик отвечает 2xx и сохраняет более новый статус: он сверяет sessionId и occurredAt.
fault-bad_signature-right = Правильный обработчик отвечает 4xx и ничего не меняет.
fault-wrong_secret-right = Правильный обработчик отвечает 4xx и ничего не меняет: годится только ваш секрет.
fault-old_timestamp-right = Осторожный обработчик отвечает 4xx, если webhook-timestamp старше пяти минут, хотя подпись верна.
fault-changed_body-right = Правильный обработчик считает подпись по полученным байтам, отвечает 4xx и ничего не меняет.
fault-truncated-right = Правильный обработчик отвечает 4xx: подпись не сходится, а JSON неполный.
fault-wrong_environment-right = Осторожный обработчик отвечает 4xx: в X-Environment указано live, а проверка идёт по учётным данным песочницы.
fault-slow-right = Правильный обработчик дожидается всего тела и отвечает 2xx.
fault-unknown_event-right = Правильный обработчик отвечает 2xx и пропускает незнакомые события.
fault-unknown_field-right = Правильный обработчик отвечает 2xx и пропускает незнакомые поля.
signature-heading = Проверка подписи
signature-about = Ваш код считает подпись неверной? Вставьте тело колбэка и подпись, которую вычислил ваш код, — Till найдёт ошибку. Ничего не сохраняется и не отправляется, секреты не показываются.
signature-body = Тело
signature-body-hint = Сырые байты, которые получил ваш сервер.
signature-in-base64 = Тело в base64
signature-signature = Подпись
signature-signature-hint = Та, что вычислил ваш код, а не та, что пришла в X-Signature.
signature-check = Проверить
signature-result = Результат
signature-is-right = Верна
signature-is-wrong = Неверна
signature-no-body = Вставьте тело колбэка.
signature-not-base64 = Это не base64. Снимите отметку, если тело — обычный текст.
signature-no-signature = Вставьте подпись, которую вычислил ваш код.
signature-client-id = Использованный секрет относится к Client ID { $id }.
signature-right = Подпись верна.
signature-alternate_secret = Подпись верна для второго секрета: идёт смена секрета, и его подпись приходит в X-Signature-Alternate. Принимайте обе подписи, пока действует старая пара.
signature-ended_secret = Подпись сделана секретом, который больше не действует. Возьмите текущий.
signature-other_environment = Подпись сделана секретом другой среды. Колбэки песочницы подписаны секретом песочницы, боевые — боевым.
signature-client_id_as_key = Ключом послужил Client ID. Ключ — это Client Secret.
signature-token_as_key = Ключом послужил токен доступа. Ключ — это Client Secret.
signature-empty_key = Ключ пустой. Вероятно, там, где проверяется колбэк, не задана переменная или настройка с секретом.
signature-secret_decoded_from_hex = Секрет раскодирован из шестнадцатеричной записи. Используйте его текст как есть, в байтах UTF-8.
signature-secret_decoded_from_base64 = Секрет раскодирован из base64. Используйте его текст как есть, вместе с префиксом, в байтах UTF-8.
signature-secret_without_prefix = Секрет взят без префикса. Используйте весь его текст.
signature-secret_surrounded = Вокруг секрета остались пробел, перевод строки или кавычки. Уберите их там, где секрет читается из файла или переменной.
signature-secret_encoded = Секрет перед использованием закодирован в base64 или шестнадцатеричную запись. Используйте его текст как есть.
signature-sha1 = Это HMAC с SHA-1. Нужен SHA-256.
signature-sha384 = Это HMAC с SHA-384. Нужен SHA-256.
signature-sha512 = Это HMAC с SHA-512. Нужен SHA-256.
signature-md5 = Это HMAC с MD5. Нужен SHA-256.
signature-no_hmac = Это просто хеш SHA-256. Нужен HMAC-SHA256 с секретом в качестве ключа.
signature-swapped_arguments = Ключ и сообщение перепутаны: ключом стало тело. Секрет — ключ, тело — сообщение.
signature-upper_case = Подпись записана заглавными буквами. В X-Signature цифры и строчные буквы.
signature-base64 = Подпись записана в base64. В X-Signature 64 шестнадцатеричные цифры, буквы строчные.
signature-prefix = Перед подписью стоит префикс, например sha256=. В X-Signature только шестнадцатеричные цифры.
signature-separators = Между байтами стоят разделители. В X-Signature только шестнадцатеричные цифры.
signature-surrounded = Вокруг подписи остались пробелы, перевод строки или кавычки. Уберите их перед сравнением.
signature-encoded_twice = Подпись закодирована дважды, например base64 от шестнадцатеричной записи. Закодируйте байты HMAC один раз.
signature-truncated = Это начало верной подписи. Сравнивайте все 64 цифры.
signature-body_changed = Подпись верна для байтов, которые отправил Till, но здесь другое тело. Его что-то изменило по дороге: читайте сырые байты запроса до любого разбора.
signature-body_not_sent = Подпись верна для этого тела, но Till отправил для этого события другие байты. Тело разобрали и записали заново: подписывайте сырые байты запроса до любого разбора.
signature-body_spaces = Тело разобрали и записали заново с другими пробелами и переводами строк. Подписывайте сырые байты запроса, а не разобранное тело.
signature-body_key_order = Поля тела перед подписью отсортировали. Подписывайте сырые байты запроса, а не разобранное тело.
signature-body_escaped_slashes = Тело записали заново с экранированными косыми чертами, как json_encode в PHP. Подписывайте сырые байты запроса, например из php://input.
signature-body_escaped_non_ascii = Тело записали заново с экранированными символами вне ASCII, как json.dumps в Python и json_encode в PHP. Подписывайте сырые байты запроса, например из request.get_data() или php://input.
signature-body_byte_order_mark = К телу добавили метку порядка байтов (BOM) или убрали её. Подписывайте сырые байты запроса.
signature-body_line_endings = В теле изменились переводы строк. Подписывайте сырые байты запроса.
signature-body_trailing_newline = В конце тела добавили или убрали перевод строки. Подписывайте сырые байты запроса.
signature-body_url_decoded = Тело перед подписью раскодировали как URL. Это JSON, а не форма: подписывайте сырые байты запроса.
signature-body_serialized_twice = Тело ещё раз превратили в JSON, как текст. Подписывайте сырые байты запроса.
signature-body_encoded = Тело перед подписью закодировали в base64 или шестнадцатеричную запись. Подписывайте сырые байты запроса; некоторые шлюзы отдают их в base64.
signature-body_empty = Подписано пустое тело. Что-то читает его раньше вашего кода: сохраните сырые байты при первом чтении.
signature-standard_webhooks = Это подпись как в webhook-signature: по идентификатору, времени и телу. Сравнивайте её с webhook-signature или подпишите одно тело для X-Signature.
signature-not_a_signature = Это не подпись. В X-Signature 64 шестнадцатеричные цифры.
signature-nothing_found = К такой подписи не приводит ни одна известная ошибка. Проверьте, что в теле ровно те байты, что пришли в запросе, и что секрет принадлежит этому магазину.

# Чеки по 54-ФЗ
fiscal-heading = Чеки по 54-ФЗ
fiscal-link = Чеки по 54-ФЗ
fiscal-about = По закону 54-ФЗ на каждую оплату в рублях и каждый возврат нужен чек. Ваш сервер передаёт данные чека вместе с сессией, мы проверяем их, а касса провайдера регистрирует чек вместе с оплатой. За ставки НДС, признаки предмета и способа расчёта отвечаете вы. Настройки действуют и в боевой среде, и в песочнице.
fiscal-about-vendor = По закону 54-ФЗ на каждую оплату в рублях и каждый возврат нужен чек. Сервер продавца передаёт данные чека вместе с сессией, а касса провайдера регистрирует чек вместе с оплатой. За ставки НДС, признаки предмета и способа расчёта отвечает продавец; он тоже может менять эти настройки. Они действуют и в боевой среде, и в песочнице.
fiscal-outdated = Ставка НДС по умолчанию не действует для сегодняшних продаж. Выберите действующую.
fiscal-choice-wrong = Выберите один из вариантов.
fiscal-not-set = Не задана
fiscal-policy = Чеки для сессий
fiscal-policy-hint = Включайте, только если эквайер предоставляет вам кассу. Пока чеки выключены, сессия с чеком отклоняется.
fiscal-policy-off = Выключены
fiscal-policy-accept = Принимаются
fiscal-policy-required = Обязательны для рублей
fiscal-tax-system = Система налогообложения
fiscal-tax-system-hint = Для чеков, в которых она не указана. Некоторым кассам она не нужна.
fiscal-tax-system-osn = Общая (ОСН)
fiscal-tax-system-usn_income = Упрощённая, доходы (УСН)
fiscal-tax-system-usn_income_outcome = Упрощённая, доходы минус расходы (УСН)
fiscal-tax-system-esn = Сельхозналог (ЕСХН)
fiscal-tax-system-patent = Патент
fiscal-vat = Ставка НДС по умолчанию
fiscal-vat-hint = Если чеки обязательны, а у сессии чека нет, по этой ставке формируется чек из одной строки: название товара и цена. Если ставка не задана, такая сессия отклоняется.
fiscal-vat-not-set = Не задана
fiscal-vat-none = Без НДС
fiscal-vat-0 = НДС 0%
fiscal-vat-5 = НДС 5%
fiscal-vat-7 = НДС 7%
fiscal-vat-10 = НДС 10%
fiscal-vat-20 = НДС 20% (продажи до 2026 года)
fiscal-vat-22 = НДС 22%
fiscal-vat-5-of-105 = НДС 5/105
fiscal-vat-7-of-107 = НДС 7/107
fiscal-vat-10-of-110 = НДС 10/110
fiscal-vat-20-of-120 = НДС 20/120 (продажи до 2026 года)
fiscal-vat-22-of-122 = НДС 22/122
fiscal-subject = Предмет расчёта по умолчанию
fiscal-subject-hint = Для строк, в которых он не указан.
fiscal-subject-not-set = Товар (по умолчанию)
fiscal-subject-commodity = Товар
fiscal-subject-excise = Подакцизный товар
fiscal-subject-job = Работа
fiscal-subject-service = Услуга
fiscal-subject-intellectual_activity = Результаты интеллектуальной деятельности
fiscal-subject-payment = Платёж
fiscal-subject-agent_commission = Агентское вознаграждение
fiscal-subject-another = Иной предмет расчёта
fiscal-subject-gambling_bet = Ставка азартной игры
fiscal-subject-gambling_prize = Выигрыш азартной игры
fiscal-subject-lottery = Лотерейный билет
fiscal-subject-lottery_prize = Выигрыш лотереи
fiscal-mode = Способ расчёта по умолчанию
fiscal-mode-hint = Для строк, в которых он не указан. Если товар отправляют позже, при оплате нужна полная предоплата, а при отгрузке — закрывающий чек.
fiscal-mode-not-set = Полный расчёт (по умолчанию)
fiscal-mode-full_prepayment = Полная предоплата
fiscal-mode-partial_prepayment = Частичная предоплата
fiscal-mode-advance = Аванс
fiscal-mode-full_payment = Полный расчёт
fiscal-mode-partial_payment = Частичный расчёт и кредит
fiscal-mode-credit = Передача в кредит
fiscal-mode-credit_payment = Оплата кредита
fiscal-items = Максимум строк в чеке
fiscal-items-hint = От 1 до 100 — столько, сколько принимает ваша касса. В «Чеках от ЮKassa» — не больше 80.
fiscal-items-wrong = Укажите целое число от 1 до 100.
fiscal-kind-payment = Чек
fiscal-kind-second = Чек второго платежа
fiscal-kind-refund = Чек возврата
fiscal-kind-closing = Закрывающий чек
fiscal-status-none = Не передан в кассу
fiscal-status-pending = Регистрируется
fiscal-status-registered = Зарегистрирован
fiscal-status-failed = Не зарегистрирован
fiscal-correction = Сформируйте чек коррекции с этими данными в личном кабинете вашей кассы.
fiscal-closing-by-hand = Возможно, этот чек не сформирован. Проверьте личный кабинет вашей кассы; если чека там нет, сформируйте его там с этими данными.
fiscal-blocked = Провайдер пока не принимает этот чек. Мы повторяем отправку, оператор уведомлён.
fiscal-receipt-outdated = Одна из ставок НДС в этом чеке не действовала в день продажи.
fiscal-customer = Покупатель в чеке
fiscal-provider = Касса
fiscal-reference = Номер у провайдера
fiscal-document = ФН / фискальный документ
fiscal-sent = Передан в кассу
fiscal-measure-piece = шт.
fiscal-measure-gram = г
fiscal-measure-kilogram = кг
fiscal-measure-ton = т
fiscal-measure-centimeter = см
fiscal-measure-decimeter = дм
fiscal-measure-meter = м
fiscal-measure-square_centimeter = см²
fiscal-measure-square_decimeter = дм²
fiscal-measure-square_meter = м²
fiscal-measure-milliliter = мл
fiscal-measure-liter = л
fiscal-measure-cubic_meter = м³
fiscal-measure-kilowatt_hour = кВт·ч
fiscal-measure-gigacalorie = Гкал
fiscal-measure-day = сут.
fiscal-measure-hour = ч
fiscal-measure-minute = мин
fiscal-measure-second = с
fiscal-measure-kilobyte = Кбайт
fiscal-measure-megabyte = Мбайт
fiscal-measure-gigabyte = Гбайт
fiscal-measure-terabyte = Тбайт
fiscal-measure-another = ед.
fiscal-origin = Источник
fiscal-made = Ваши настройки по умолчанию: у сессии не было чека
