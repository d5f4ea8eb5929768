# The vendor panel and the operator console in English. panel.ru.ftl has the same keys and variables; a test
# compares them. What the checkout says too is in en.ftl.

## Frame

skip-to-content = Skip to content
main-navigation = Main
menu = Menu
breadcrumb = Breadcrumb
title-sandbox = [Sandbox] { $title }
panel-tape-name = Sandbox mode.
panel-tape = Lists show test data only. Live payments keep running and live data is untouched.
docs-link = Documentation
nav-settings = Settings
nav-profile = My profile
nav-vendors = Vendors
nav-users = Users
nav-requests = Requests
nav-audit = Audit log
nav-account = Account
waiting-count = waiting
undelivered-count = undelivered
role-operator = Operator
role-super-vendor = Super vendor
role-vendor-admin = Vendor
role-vendor-viewer = Viewer
log-out = Log out
your-operator = your service operator
pages = Pages
newer = Newer
older = Older
cancel = Cancel
done = Done
save = Save
search = Search
clear-search = Clear search
nothing-matches = Nothing matches “{ $q }”.
one-moment = One moment…

## Notices

notice-saved = Saved.
notice-password-set = Password set. You can log in now.
notice-password-changed = Password changed. Your other sessions have ended.
notice-totp-on = Two-factor login is on.
notice-totp-off = Two-factor login is off.
notice-session-ended = Session ended.
notice-sessions-ended = Sessions ended.
notice-logged-out = You’re logged out.
notice-sandbox-asked = Request sent to the operator.
notice-sandbox-on = Sandbox mode is on.
notice-sandbox-off = Sandbox mode is off.
notice-disabled = Disabled.
notice-enabled = Enabled.
notice-dismissed = Request dismissed.
notice-released = The hold is released.
notice-erased = The personal data is erased.
notice-erased-in-part = The personal data is erased. Some payments still have open work; their data will be erased when that work ends.
notice-erased-incompletely = The data that was found is erased. Not all metadata, notes and refund reasons could be searched: run till forget on the server.
notice-imported = Table imported.
notice-archived = Archived.
notice-restored = Restored.
notice-removed = Removed. They’re logged out everywhere.
notice-let-in = They can log in again.
notice-overtaken = This changed in the meantime, so we didn’t apply your change. Check the page again.
notice-last-admin = No one else can manage this vendor. Nothing was changed. First invite another user with the Vendor role.
notice-last-operator = This is the last operator who can log in. Nothing was changed.
notice-repeated = You already submitted this form. We didn’t repeat the action.
notice-unsaved = Your session had ended, so this isn’t saved yet. We kept what you typed: check it and submit it again.
notice-not-done = Your session had ended, so nothing was done. Repeat the action if you still want it.
notice-failed = That didn’t work. Nothing was changed. Try again.

## Getting in

login-heading = Log in to your panel
email = Email
password = Password
log-in = Log in
forgot-link = Forgot your password?
login-wrong = Wrong email or password.
throttled-minutes =
    { $count ->
        [one] Too many attempts. Try again in { $count } minute.
       *[other] Too many attempts. Try again in { $count } minutes.
    }
throttled-seconds =
    { $count ->
        [one] Too many attempts. Try again in { $count } second.
       *[other] Too many attempts. Try again in { $count } seconds.
    }
session-ended = Your session has ended. Log in again.
session-ended-kept = Your session ended before this was saved. Log in again: we kept what you typed, so you can submit it then.
session-ended-lost = Your session has ended, so your request wasn’t carried out. Log in again and repeat it.
code-heading = Enter your code
code = Code
code-hint = Six digits from your authenticator app, or one of your recovery codes.
code-wrong = This code is wrong or already used. Enter the code your app shows now.
start-over = Start over
forgot-heading = Forgot your password?
forgot = Enter your email address. We’ll send you a link to set a new password.
forgot-no-mail = This service doesn’t send email. For a link to set a new password, contact
send-link = Send link
forgot-sent-heading = Check your email
forgot-sent = If a user has this address, we’re sending them a link to set a new password. It works once and for a limited time.
forgot-sent-nothing = Didn’t get it? Check your spam folder, or contact
back-to-login = Back to login
wrong-email = This email address doesn’t look right. Check it.
invitation-heading = Welcome to Till
for-invitation = Choose a password for { $email }.
reset-heading = Set a new password
for-reset = Choose a new password for { $email }.
new-password = New password
new-password-again = New password again
password-hint = At least 12 characters. A few words in a row are easy to remember.
password-short = This password is too short. Use at least 12 characters.
password-long = This password is too long. Use at most 200 characters.
password-common = This password is too common. Choose another.
password-differs = The passwords don’t match. Enter it again.
set-password = Set password
link-ended-heading = This link no longer works
link-ended = It was already used, replaced by a newer one, or has expired.
ask-new-link = Request a new link
ask-operator-link = For a new link, contact

## Account

logged-in-as = You’re logged in as
current-password = Current password
your-password = Your password
current-wrong = Wrong password.
password-ends-others = Changing the password ends your other sessions.
change-password = Change password
totp = Two-factor login
state-on = On
state-off = Off
totp-about = After the password, you enter a code from an app on your phone. A stolen password alone won’t be enough to log in.
totp-start = Set up two-factor login
totp-since = On since
codes-left =
    { $count ->
        [0] No recovery codes left. Get new ones.
        [one] { $count } recovery code left.
       *[other] { $count } recovery codes left.
    }
totp-required = Operators must use it, so you can’t turn it off.
totp-phone = Use a new phone
totp-phone-about = Scan a new code with the new phone. The old phone works until you enter a code from the new one. You then get new recovery codes, and your other sessions end.
totp-codes = Get new recovery codes
totp-codes-about = You get ten new codes. The old ones stop working at once.
totp-off = Turn two-factor login off
totp-off-about = After this, your password alone is enough to log in. Your recovery codes stop working.
your-sessions = Where you’re logged in
browser-unknown = Unknown browser
browser-on = { $browser } on { $system }
device = Device
ip-address = IP address
since = Since
last-seen = Last seen
action = Action
this-one = This session
end-session = End
end-others = End all other sessions
totp-setup-heading = Set up two-factor login
totp-forced = Operators log in with two factors. Set it up to continue.
totp-step-app = Open an authenticator app on your phone
totp-step-scan = Scan this code, or enter the key
totp-step-code = Enter the six digits the app shows
totp-qr = QR code for your authenticator app. The same key is below as text.
totp-secret = Key
code-hint-setup = Six digits from your authenticator app.
code-wrong-setup = This code is wrong. Check that your phone’s clock is right, then enter the code the app shows now.
totp-confirm = Turn on
recovery-heading = Your recovery codes
recovery = If you lose your phone, each of these codes lets you in once. Keep them with your passwords.
recovery-once = They won’t be shown again.
recovery-done = I’ve saved them

## Overview

nav-overview = Overview
nav-sessions = Sessions
nav-transactions = Transactions
nav-wallet = Wallet
nav-callbacks = Callbacks
period = Period
currency = Currency
days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
undelivered-note =
    { $count ->
        [one] { $count } callback was not delivered.
       *[other] { $count } callbacks were not delivered.
    }
undelivered-note-over = More than { $count } callbacks were not delivered.
undelivered-about = Your server rejected every attempt. Fix the endpoint, then resend them.
actions-note =
    { $count ->
        [one] { $count } payment needs a decision.
       *[other] { $count } payments need a decision.
    }
actions-about = Money arrived late or in the wrong amount. The service operator will decide what to do.
review = Review
paid-volume = Paid volume
paid-sessions = Paid sessions
volume-label =
    { $count ->
        [one] Paid volume by method, { $count } day
       *[other] Paid volume by method per day, { $count } days
    }
count-label =
    { $count ->
        [one] Paid sessions by method, { $count } day
       *[other] Paid sessions by method per day, { $count } days
    }
rate-label =
    { $count ->
        [one] Success rate by method, { $count } day
       *[other] Success rate by method per day, { $count } days
    }
from-below = By method:
chart-most = Highest on { $day }: { $amount }.
volume-more =
    { $count ->
        [one] { $percent } more than the day before
       *[other] { $percent } more than the { $count } days before
    }
volume-less =
    { $count ->
        [one] { $percent } less than the day before
       *[other] { $percent } less than the { $count } days before
    }
rate-by-day = Success rate by day
as-table = Show as table
day = Day
success-rate = Success rate
rate-of = { $paid } of { $tried } attempts paid. Expired sessions not counted: { $expired }.
of = { $part } of { $all }
why-failed = Why payments failed
recent-sessions = Recent sessions
all-sessions = All sessions

## How to start

steps-heading = First steps to real payments
steps-progress = { $done } of { $all } done
steps-done = Done:
steps-open = To do:
steps-credentials = Get a token with your sandbox credentials
steps-credentials-hint = Done when your server gets its first token.
steps-session = Create your first session
steps-session-hint = Done when you create one.
steps-callback = Receive a callback, and refuse a forged one
steps-callback-hint = Done when your endpoint has accepted a callback and refused one with a wrong signature. Let Till send both.
steps-outcomes = Handle failed and expired sessions
steps-outcomes-hint = Done when your endpoint has accepted a callback of each. Use simulate, or choose the outcome on the checkout page.
steps-check = Pass the endpoint check
steps-check-hint = Done when a check has found your endpoint ready.
steps-live = Go live
steps-live-hint = Ask your operator to turn sandbox mode off, and use your live credentials. Done with your first live payment.
start-sandbox = No sandbox sessions yet
start-sandbox-about = Create one with your sandbox credentials. It appears here at once, and its page lets you choose how the payment ends.
start-live = No payments yet
start-live-about = Create a session for an order and send your customer to its page. It appears here at once.
start-step-credentials = Copy your
start-step-token = Get a token. It works for 1 hour:
start-step-create = Create a session, then open in a browser the URL you get back as
example-request = Example request
read-docs = Read the docs

## Lists

search-sessions = Order, product, amount or customer email
wrong-customer = This link to a search has ended or belongs to another vendor. Search again.
search-sessions-hint = The beginning of an order or product, an exact amount such as 2,490.00 RUB, the customer’s whole email address, metadata as key=value, a payment reference, a session ID or a request ID.
search-transactions = Order or reference
search-transactions-hint = The beginning of an order, a payment reference, or the ID of a transaction, session or request.
search-callbacks = Order or reference
search-callbacks-hint = The beginning of an order, a payment reference, or the ID of a callback, session or request.
search-more = More orders or products begin with this text. Type more of it to find yours.
searched-sessions = We looked for orders and products that begin with “{ $q }”, and for an amount, customer email, metadata (key=value), payment reference or ID equal to it. Try a shorter beginning, or remove the other filters.
searched-transactions = We looked for orders that begin with “{ $q }”, and for a payment reference, transaction, session or request ID equal to it. To find a product or an amount, search the sessions.
searched-callbacks = We looked for orders that begin with “{ $q }”, and for a payment reference, callback, session or request ID equal to it. To find a product or an amount, search the sessions.
all-methods = All methods
from-day = From
to-day = To
wrong-from = This isn’t a valid date. Choose one from the calendar.
wrong-to = This isn’t a valid date, or it’s before the start date.
all-of-them = All
sessions-pending = Pending
sessions-paid = Paid
sessions-failed = Failed
sessions-expired = Expired
transactions-to_decide = Needs a decision
transactions-plain = Received
transactions-late = Late
transactions-partial = Too little
transactions-over = Too much
transactions-reversed = Reversed
callbacks-on_its_way = In progress
callbacks-delivered = Delivered
callbacks-undelivered = Undelivered
callbacks-no_target = No callback URL
sessions-none = No sessions.
sessions-none-match = No sessions match.
transactions-none = No transactions. They appear when a session is paid.
transactions-none-match = No transactions match.
callbacks-none = No callbacks. They appear when a session is paid, fails or expires.
callbacks-none-match = No callbacks match.
sessions-new =
    { $count ->
        [one] { $count } new session. Show
       *[other] { $count } new sessions. Show
    }
transactions-new =
    { $count ->
        [one] { $count } new transaction. Show
       *[other] { $count } new transactions. Show
    }
callbacks-new =
    { $count ->
        [one] { $count } new callback. Show
       *[other] { $count } new callbacks. Show
    }
many-new = More than { $count } new. Show
span = { $from } to { $to }
product = Product
method = Method
callback = Callback
updated = Updated
time-left = Time left:
not-due = Not due yet
result = Result
provider = Provider
event = Event
answer = Response
try = Attempt
took = Response time
download-csv = Download CSV
export-rows = Rows so far:
export-done = Downloaded.
export-broken = The download was interrupted, so the file is incomplete. Try again.

## Callbacks

delivery-queued = Waiting
delivery-retrying = Retrying
delivery-sending = Sending
delivery-delivered = Delivered
delivery-undelivered = Undelivered
delivery-no_target = No callback URL
try-first = First attempt
try-again-number = Retry { $number }
try-manual = Manual resend
response-body = What your server responded
response-empty = The response had no body.
response-about = The first 2 KB of the response to a failed attempt, kept for 30 days. Only your team sees it.
took-ms = { $ms } ms
took-seconds = { $seconds } s
next-try = Next attempt:
send-again = Resend
send-now = Send now
send-undelivered =
    { $count ->
        [one] Resend { $count } undelivered
       *[other] Resend { $count } undelivered
    }
send-undelivered-all = Resend all undelivered
callbacks-about = We send it at once, then retry a few times with growing delays. Any response from 200 to 299 counts as delivered.
answer-delivered = Delivered
answer-status = Other status
answer-blocked = Private network
answer-dns = Host not found
answer-connect = Connection failed
answer-tls = TLS error
answer-timeout = Timed out
answer-closed = Connection closed
answer-protocol = Response is not HTTP
answer-interrupted = Interrupted
answer-dropped = Not sent (dropped on purpose)
resend-heading = Resend undelivered callbacks
undelivered-since = Undelivered since ({ $zone })
undelivered-since-hint = Leave empty for all of them.
wrong-since = This isn’t a valid time. Choose a date and a time.
count-them = Count
resend-count =
    { $count ->
        [0] No undelivered callbacks since then.
        [one] { $count } undelivered callback since then.
       *[other] { $count } undelivered callbacks since then.
    }
resend-about = We send each one once more now, with the same bytes as before. Your server may get some it has already seen: it can recognize them by eventId.
resend-button =
    { $count ->
        [one] Resend { $count } callback
       *[other] Resend { $count } callbacks
    }
notice-resent = Resending the callback.
notice-sent-now = Sending the callback now.
notice-resent-all = Resending the callbacks.
notice-on-its-way = Nothing was changed: what could be sent is already in progress.

## One session

timeline = Timeline
open-receipt = Receipt
open-checkout = Open checkout page
step-created = Created
step-ends = Can be paid until { $time }
step-opened = Payment page opened
step-returned = Customer redirected to the shop
step-chosen = { $method } chosen
step-chosen-other = Method chosen
step-at = At { $provider }
step-planned = Tester chose the outcome
step-repeat-confirmed = Customer confirmed paying again for an order already paid
step-in-flight = Payment in progress
step-declined = Provider declined the payment
step-closed = Attempt closed; it can’t take any more money
step-late = Money arrived after the session ended
step-partial = Received less than the amount due
step-reversed = Payment reversed
step-reference = Provider reference { $reference }
step-delivered = Callback delivered
step-called = Callback failed: { $result }
step-no-target = Callback not sent: no callback URL was set
step-mail-queued =
    { $what ->
        [copy] Receipt copy queued for email
       *[receipt] Receipt queued for email
    }
step-mail-sent =
    { $what ->
        [copy] Receipt copy emailed
       *[receipt] Receipt emailed
    }
step-mail-failed =
    { $what ->
        [copy] Couldn’t email the receipt copy
       *[receipt] Couldn’t email the receipt
    }
mail-error-connect = can’t reach the mail server
mail-error-timeout = the mail server didn’t respond in time
mail-error-tls = the mail server couldn’t prove its identity
mail-error-login = the mail server rejected our login
mail-error-deferred = the mail server asked us to retry later
mail-error-refused = the mail server rejected the address or the email
mail-error-protocol = the mail server’s response is not valid
mail-error-unsound = the email can’t be created
callback-not-due = We send it when the session is paid, fails or expires.
callback-goes-to = POST to
callback-no-target = Not sent: no callback URL was set when the session ended. Set one for the next session:
callback-tries = Callback attempts
callback-body = Body and signatures
callback-body-about = This body was fixed when the session ended. Every attempt sends exactly these bytes.
signatures-about = X-Signature is the HMAC-SHA256 of the body, in hex, keyed with your client secret. webhook-signature covers webhook-id, webhook-timestamp and the body; it’s shown for the last attempt, or for the next one if there was none.
signatures-none = None of your secrets can sign right now.
order-id = Order ID
session-id = Session ID
product-id = Product ID
category-id = Category ID
request-id = Request ID
customer-locale = Customer language
metadata = Metadata
methods-of = (offered: { $methods })
money = Money
money-asked = Amount due
money-received = Received
money-late = Late
money-partial = Too little
money-over = Too much
money-reversed = Reversed
money-claimed = Reported only
curl-heading = Create a similar session
curl-about = Replace $TOKEN with an access token. It creates a new session for the same order.
fail-card_declined = Declined by the bank
fail-insufficient_funds = Insufficient funds
fail-card_expired = Card expired
fail-three_ds_failed = 3-D Secure failed
fail-canceled_by_customer = Canceled by the customer
fail-provider_error = Provider error
fail-unconfirmed = Never confirmed

## Settings

sandbox = Sandbox
live = Live
credentials-live = API credentials
credentials-sandbox = Sandbox API credentials
client-id = Client ID
client-id-sandbox = Sandbox Client ID
client-id-hint = Not secret.
client-secret = Client Secret
client-secret-sandbox = Sandbox Client Secret
client-secret-hint = Requests tokens and signs callbacks. Keep it on your server.
secret-is-hidden = The secret is hidden
reveal = Reveal
hide = Hide
reveal-logged = We record each reveal in the audit log.
rotate = Rotate secret
last-rotated = Last rotated
never-rotated = Never rotated
overlap-heading = Rotation in progress.
overlap-old = The old pair { $id } works until
overlap-new-signs = X-Signature uses the new secret, X-Signature-Alternate the old one.
overlap-old-signs = X-Signature uses the old secret until you request the first token with the new pair; X-Signature-Alternate uses the other secret.
live-hidden = Your live credentials are hidden while sandbox mode is on. They come back when the operator turns it off.
sandbox-link-about = Want to test without real money?
sandbox-link = About sandbox mode
settings-addresses = Callback and return
settings-business = Business profile
shared-name = Shared by sandbox and live.
shared = Changes here apply to live payments at once. To test with other URLs, send callback_url and return_url with each sandbox session.
plain-http = Your callback URL starts with http://. Others on the network can read what we send there. Use https:// if you can.
settings-callback-url = Callback URL
settings-callback-url-hint = We POST every final status here.
settings-return-url = Return URL
settings-return-url-hint = Where customers go after paying.
settings-contact-email = Contact email
settings-contact-email-hint = Shown to customers who need help. We email this address when live callbacks fail.
settings-display-name = Name
settings-display-name-hint = Customers see it on the payment page.
settings-time-zone = Time zone
settings-time-zone-hint = For receipts and the times in this panel. Users can choose their own on their account page.
settings-language = Language
settings-language-hint = For emails, and for the payment page when the browser’s language is neither.
settings-events = Events
settings-events-label = Callbacks to send
settings-events-hint = Your server always gets session.paid, session.failed and session.expired. Turn off the events that it does not handle.
settings-events-refund = Refunds: refund.succeeded, refund.failed
settings-events-payment = Other payments: payment.late, payment.partial, payment.over, payment.resolved
settings-events-dispute = Disputes: dispute.opened, dispute.won, dispute.lost
settings-receipt-copy = Receipts
settings-receipt-copies = Copies
settings-receipt-copy-hint = Customers get theirs at the address they enter on the payment page. Sandbox mode sends none.
settings-receipt-copy-box = Send a copy of every receipt to the contact email
language-en = English
language-ru = Russian
url-long = This URL is too long. Use at most 2048 characters.
url-malformed = This isn’t a valid URL. It must start with https:// and name a host.
url-user = Remove the user name and password from this URL.
url-private = This URL leads to a private network. Use one that’s reachable from the internet.
name-missing = Enter a name.
name-long = This name is too long. Use at most 100 characters.
account-times = Times
account-time-zone-hint = You see dates and times in this zone.
account-zone-usual = Default: { $zone }
zone-africa = Africa
zone-america = America
zone-antarctica = Antarctica
zone-asia = Asia
zone-atlantic = Atlantic Ocean
zone-australia = Australia
zone-europe = Europe
zone-indian = Indian Ocean
zone-pacific = Pacific Ocean
wrong-zone = Unknown time zone. Choose one from the list.
confirm-shared = I understand that this also changes live payments
confirm-shared-hint = Required if you change the callback URL, the return URL, the contact email or the events
confirm-shared-missing = Please confirm that this also changes live payments.
save-addresses = Save settings
save-all = Saves all of the settings above.
applies-to-both = Applies to sandbox and live
viewer-note = You can view these settings. Users with the Vendor role can change them.
test-send = Send test callback
test-no-address = Save a callback URL first.
test-saved = Goes to the saved URL.
test-answered = Responded { $status } in { $seconds } s
test-blocked = Not sent: the URL is on a private network
test-dns = Failed: host not found
test-connect = Failed: couldn’t connect
test-tls = Failed: certificate or TLS error
test-timeout = Failed: no response in time
test-closed = Failed: the connection closed before the response
test-protocol = Failed: the response is not HTTP
test-interrupted = Unknown: the test was interrupted

## Rotation

rotate-heading = Rotate the live secret?
rotate-heading-sandbox = Rotate the sandbox secret?
rotate-about = You get a new Client ID and Client Secret at once. What happens next:
rotate-new-pair = We show the new pair once, right after this. You can reveal it in Settings later.
rotate-old-pair = The old pair keeps working for as long as you choose. Its tokens expire with it.
rotate-signing = Meanwhile, callbacks carry two signatures: X-Signature, and X-Signature-Alternate with the other secret.
rotate-keep = How long should { $id } keep working?
overlap-24h = 24 hours
overlap-24h-hint = Time to update every server
overlap-1h = 1 hour
overlap-1h-hint = Enough for a single server
overlap-now = End it now
overlap-now-hint = If someone else knows the secret. Requests with it fail at once
overlap-missing = Choose how long the old pair keeps working.
rotated-heading = Your new credentials
copy-now = Copy this now.
reveal-later = Use these credentials on your server from now on. You can reveal the secret again in Settings.
old-works-until = The old pair works until
old-ended = The old pair no longer works.

## Access to the sandbox

sandbox-heading = Sandbox
sandbox-is-on = Sandbox mode on
sandbox-is-off = Sandbox mode off
sandbox-is-asked = Requested
sandbox-about = The sandbox is the same service with test payments: you choose how each payment ends.
sandbox-about-money = No money moves and no customer is charged.
sandbox-about-live = Live payments keep running. While sandbox mode is on, this panel shows test data and hides your live credentials.
sandbox-about-shared = The sandbox shares your live URLs, unless a session sets its own.
sandbox-reason = What do you want to test?
sandbox-reason-hint = The operator sees this. At most 500 characters.
sandbox-reason-missing = Enter what you want to test.
reason-long = This text is too long. Use at most 500 characters.
sandbox-ask = Request sandbox mode
sandbox-ask-directly = You can also contact
sandbox-asked-by = Requested by { $who },
sandbox-waiting = The operator hasn’t decided yet.
sandbox-on-by =
    { $who ->
        [shell] Turned on from the command line
       *[other] Turned on by { $who }
    }
sandbox-on-operator = Turned on by the operator
sandbox-off-how = Done testing? To turn sandbox mode off, contact

## Products and categories

nav-products = Products
category = Category
categories = Categories
no-category = No category
all-products = All products
all-products-link = Show all products for sale
on-sale = For sale
in-use = In use
archived = Archived
edit = Edit
name = Name
import = Import
first-page = First page
next-page = Next
products-search = Name or product ID
products-empty = You have no products yet. Add the first one, or import a list from a spreadsheet.
products-none-match = No matching products.
products-none-so-far = No matches yet. We haven’t searched all products.
products-look-on = Keep looking
products-foot = Use product_id when you create a live session. The sandbox has no catalog.
products-viewer = You can view the products. Users with the Vendor role can change them.
new-product = New product
add-product = Add product
product-name = Name
product-name-hint = Customers see it on the payment page.
product-price = Price
product-price-hint = Such as 49.90.
product-currency = Currency
product-currency-hint = Such as RUB or EUR.
product-id-hint = Your SKU, for product_id in the API. Letters, digits, periods, hyphens and underscores. Leave it empty and we’ll create one. You can’t change it later.
product-is-archived = This product is archived: the API rejects new sessions with it.
restore-product-about = You can create sessions with it again.
restore-product = Restore product
sell-heading = Sell it through the API
sell-about = Each call creates a session for one order and returns the URL of its payment page.
sell-token = Replace YOUR_TOKEN with an access token, and order-1001 with your own order number.
sell-guide = How to get a token
id-taken = This ID is taken. Choose another.
wrong-empty = Enter a name.
wrong-too-long = This is too long. Use at most 255 characters.
wrong-invalid-character = This contains a character that can’t be shown, such as a line break. Remove it.
wrong-invalid-number = This isn’t a price. Use digits and at most one decimal mark, such as 4990 or 49.90.
wrong-not-positive = The price must be greater than zero.
wrong-too-large = This price is too high. Use at most 12 digits before the decimal point.
wrong-too-many-decimals = Too many decimals: { $currency } has { $allowed }.
wrong-unknown-currency = Unknown currency. Use three letters, such as RUB or EUR.
wrong-invalid-id = Use 1 to 64 letters (A to Z), digits, periods, hyphens and underscores.
wrong-unknown-category = Unknown category. Add it first.
categories-empty = You have no categories yet. They group products, and category_id tags sessions with them.
new-category = New category
add-category = Add category
category-name = Name
category-id-hint = For category_id in the API. Letters, digits, periods, hyphens and underscores. Leave it empty and we’ll create one. You can’t change it later.
category-is-archived = This category is archived: the API rejects new sessions with it.
restore-category-about = You can tag sessions with it again.
restore-category = Restore category
no-catalog = The sandbox has no catalog, so there are no products here while sandbox mode is on. Your live products are untouched and for sale.
no-catalog-how = In the sandbox, describe the item in each session with product_name, price and currency.

no-wallet = The sandbox moves no money, so there is no wallet here while sandbox mode is on. Your live money is untouched.
no-wallet-how = Ask the operator to turn sandbox mode off to see it.
wallet-empty = No money yet. It appears here when a live session is paid.
wallet-empty-how = Then you’ll see what’s available, what hasn’t settled yet, and every entry that changed it.
wallet-available = Available, { $currency }
wallet-pending = Not settled yet
wallet-next = next { $money }:
wallet-refunds = Refunds in progress
wallet-payouts = Payouts in progress
wallet-entries = Entries
wallet-entry = Entry
wallet-for = For
wallet-out = Out
wallet-in = In
wallet-balance = Balance
wallet-fee = fee { $money }
wallet-final = The balance is the available and unsettled money together. Every entry is final: corrections are new entries.
wallet-none = No entries.
wallet-none-match = No entries match.
wallet-payment = Payments
wallet-refund = Refunds
wallet-payout = Payouts
wallet-settlement = Settled
entry-payment = Payment
entry-settlement = Became available
entry-suspense = Held for review
entry-accepted = Accepted after review
entry-reversal = Reversed
entry-charged = Reversed, charged to you
entry-absorbed = Reversed, absorbed by the operator
entry-refund = Refund
entry-refund-sent = Refund sent
entry-refund-failed = Refund returned
entry-payout = Payout
entry-payout-sent = Payout sent
entry-payout-failed = Payout returned
statement = Statement
statement-month = Month, { $currency }
wrong-month = Choose a month, such as 2026-11.

payout-ask = Request payout
payout-about = The amount leaves your available balance at once. If the operator declines it or the bank can’t deliver it, it returns.
payout-from = From
payout-amount-hint = Up to the available amount, such as 1500.00.
payout-destination = Destination
payout-destination-hint = Your bank account as the operator’s bank needs it: name, number, bank. At most 500 characters.
payout-review = Review payout
payout-sure = Check the details. You can’t cancel this yourself.
payout-confirm = Request payout
payout-nothing = There’s nothing to pay out yet.
payout-wrong-amount = Enter an amount in this currency, such as 1500.00.
payout-not-available = This is more than the available amount.
payout-no-destination = Enter a destination.
payout-long-destination = Use at most 500 characters of text.
payout-by = Requested by
payout-asked = Waiting for the operator
payout-approved = Approved
payout-refused = Declined
payout-sent = Sent
payout-failed = Failed
payout-to-approved = Approve
payout-to-refused = Decline
payout-to-sent = Mark as sent
payout-to-failed = Mark as failed
payout-to-approved-text = Next, send the money from your bank, then mark it here as sent or failed.
payout-to-refused-text = The money returns to the vendor’s available balance. You can’t change this later.
payout-to-sent-text = Only after the bank has accepted it: the money has left. You can’t change this later.
payout-to-failed-text = The money returns to the vendor’s available balance. You can’t change this later.
payout-reference = Bank reference
payout-reason = Reason
payout-note-hint = The vendor sees it.
payout-wrong-note = Use 1 to 200 characters.
payout-unfit = That step is no longer possible for this payout.
payouts-open = Waiting for you
payouts-all = All
payouts-empty = No payouts here.
payouts-empty-about = Vendors request them on their wallet page.

## Import

import-products = Import products
import-categories = Import categories
import-file-crumb = Import
import-products-about = The first line names the columns: name, price, currency, and optionally product_id and category_id. A product whose ID already exists gets the new name, price and category, and is for sale again.
import-categories-about = The first line names the columns: name, and optionally category_id. A category whose ID already exists is renamed and in use again.
import-example = Example
import-formats = CSV from any spreadsheet, in UTF-8, with commas, semicolons or tabs.
import-limits = At most { $size } KB and { $rows } rows.
import-file = File
import-text = Or paste the table here
import-check = Check table
import-nothing-stored = Nothing is saved yet.
import-nothing = Choose a file or paste a table.
import-no-rows = There’s only a header line. Add a row for each product or category.
import-too-large = This is too large. Split it: the limit is { $size } KB per file.
import-too-many-rows = There are { $rows } rows, but one import takes { $most }. Split the file.
import-not-utf8 = This isn’t UTF-8 text. In the spreadsheet, save as “CSV UTF-8”, not as a workbook.
import-unknown-column = Unknown column “{ $name }”. The columns are { $known }.
import-repeated-column = The column “{ $name }” appears twice.
import-missing-column = The column “{ $name }” is missing. The columns are { $known }.
import-summary = What this changes
import-added = New
import-changed = Changed
import-same = Unchanged
import-bad = Rows with errors
import-take =
    { $count ->
        [one] Import { $count } row
       *[other] Import { $count } rows
    }
import-bad-left-out = We skip rows with errors. Nothing is saved yet.
import-none-good = There’s nothing to import.
import-bad-rows = Rows with errors
import-bad-text = Only the rows with errors
import-bad-text-hint = Copy them into a spreadsheet, fix them, and import them later.
import-will-be-added = New
import-will-be-changed = Changed
import-more =
    { $count ->
        [one] And { $count } more.
       *[other] And { $count } more.
    }
import-again = Edit the table and check again
import-overtaken = The catalog changed in the meantime. Nothing was saved. Check again.
line = Line
column = Column
reason = Reason
was = was { $value }
comes-back = Archived, will be restored
row-fields = The row has { $found } fields instead of { $wanted }. Is a quote left open?
row-not-utf8 = The row is not UTF-8.
row-repeated = { $id } is already on line { $line }.

## Team and what was done

nav-team = Team
this-is-you = This is you
team-alone = You’re the only team member. Invite a colleague so someone can help if you’re locked out.
team-removed = Removed
state-removed = Removed
invite-member = Invite a colleague
invite-by-mail = We’ll email them a link to choose a password. It works once, for 7 days.
invite-by-link = This service doesn’t send email. You’ll get an invitation link to share. It works once, for 7 days.
invite-again = New invitation link
is-last-admin = No one else can manage this vendor yet, so this user can’t be changed. First invite another user with the Vendor role.
leave-team = Leave the team
change-role = Change role
own-role-hint = This is you. As a viewer, you can’t change anything here, including this role.
let-in-again = Restore access
shut-out-by-operator = The service operator disabled this user. Only the operator can change that.
history-empty = No activity yet.
doer-operator = Operator
doer-super-vendor = Super vendor
doer-stranger = Not logged in

## Super vendor

your-vendors = Your vendors
vendor-disabled = Disabled
no-vendors-yours = You have no vendors yet.
no-vendors-yours-ask = To have vendors assigned to you, contact
reveal-seen = We record each reveal in the audit log, and { $name } can see it.
profile-you = Your account
profile-factor = Two-factor login
profile-factor-on = On
profile-factor-off = Off. Turn it on in your account.
profile-with-sandbox = With sandbox mode on
profile-activity = Sandbox activity
profile-last-session = Last sandbox session
profile-last-callback = Last callback
profile-last-error = Last callback error
profile-nothing = None yet
profile-no-error = None
profile-no-sessions = No sandbox session has been created yet.
profile-never-live = Live credentials are never shown here.
profile-no-sandbox = Sandbox mode is off for this vendor.
profile-ask-operator = To turn it on, contact

## Operator: vendors

new-vendor = New vendor
vendors-search = Name, ID, client ID or contact email
vendors-empty = No vendors yet. Create the first one.
vendor = Vendor
state = State
methods = Methods
created = Created
state-active = Active
state-disabled = Disabled
state-invited = Invited
state-asked = Requested
methods-all = All methods
methods-no = No methods
no-super-vendor = No super vendor
turn-on = Turn on
turn-off = Turn off
sandbox-for = sandbox mode for { $name }
vendor-name = Name
new-vendor-sandbox = Sandbox mode on from the start
new-vendor-sandbox-hint = The vendor first sees test data and its sandbox credentials
create-vendor = Create vendor
vendor-created-heading = { $name } created
vendor-created = We show both secrets once. The vendor can reveal its own later, in Settings.
open-vendor = Open vendor
facts = Details
vendor-id = Vendor ID
not-set = Not set
enable-vendor = Enable vendor
sandbox-on-about = The vendor’s panel then shows test data and hides its live credentials. Live payments keep running.
sandbox-turn-on = Turn sandbox mode on
asked-by = Requested by
asked-by-hint = Who requested it from you. Recorded in the audit log.
asked-by-missing = Enter who requested it.
asked-by-long = This name is too long. Use at most 254 characters.
why = Reason
why-hint = Recorded in the audit log.
why-missing = Enter a reason.
switched-by = Changed by
operator-asked = The operator
from-the-start = On from the start
methods-legend = What customers can pay with
methods-all-hint = Including methods added later
super-vendor = Super vendor
super-legend = Managed by
super-hint = It can see this vendor’s sandbox credentials.
no-users-of-vendor = No one can log in for this vendor yet.
last-events = Recent events
all-events = All events

## Operator: users

new-user = New user
users-search = Email
users-empty = No users yet.
role = Role
no-vendor = No vendor
never = Never
role-operator-hint = Runs this service: vendors, users, audit log
role-super-vendor-hint = Sees the sandbox credentials of its vendors
role-vendor-admin-hint = Manages everything for one vendor
role-vendor-viewer-hint = Sees what a vendor sees but can’t change it
new-user-vendor-hint = For the Vendor and Viewer roles. Other roles have none.
email-taken = A user with this address already exists.
vendor-missing = Choose a vendor: this role needs one.
vendor-too-many = This role has no vendor. Choose “No vendor”.
invite-user = Invite user
link-made-heading = Link to share
link-mailed-heading = We’re emailing the link
link-invitation-made = This link lets { $email } choose a password. Send it through a channel you trust.
link-reset-made = This link lets { $email } set a new password. Send it through a channel you trust.
link-invitation-mailed = { $email } will get an email with a link to choose a password.
link-reset-mailed = { $email } will get an email with a link to set a new password.
link-once = We show the link once, and it works once.
link = Link
link-until = It works until
open-user = Open user
all-users = All users
user-is-self = This is you. Manage your own login under
enable-user = Enable user
user-sessions = Sessions
no-sessions = Not logged in anywhere.

## Operator: requests and audit

requests-empty = No open requests.
requests-empty-about = When a vendor requests sandbox mode in its panel, the request appears here.
wants-sandbox = Sandbox mode requested by
no-reason = No reason given
dismiss = Dismiss
when = When
who = Who
what = What
about = Target
from-where = Source
audit-empty = No events.
detail-asked = Requested by { $who }: { $why }
detail-rotated = { $environment }; the old one works until { $until }
detail-link-invitation = For an invitation
detail-link-reset = For a new password
detail-nothing-new = No changes
detail-resolved = { $environment }, session { $session }
detail-callback = { $environment }: { $id }
detail-callbacks =
    { $count ->
        [one] { $count } undelivered
       *[other] { $count } undelivered
    }
detail-since = { $what }, since { $since }
detail-imported = { $added } added, { $changed } changed
detail-other-site = the form came from another site
detail-other-login = the form belongs to another login
detail-role = the role doesn’t allow it
detail-no-email = not an email address
detail-more =
    { $count ->
        [one] { $count } more since the previous line
       *[other] { $count } more since the previous line
    }
act-logged-in = Logged in
act-logged-out = Logged out
act-login-failed = Failed to log in
act-code-failed = Entered a wrong code
act-password-failed = Entered a wrong password
act-access-refused = Was denied access
act-password-set = Set a password
act-factor-on = Turned two-factor login on
act-factor-off = Turned two-factor login off
act-recovery-codes-made = Generated new recovery codes
act-recovery-code-used = Used a recovery code
act-logins-ended = Ended sessions
act-secret-revealed = Revealed a secret
act-credentials-seen = Viewed a vendor’s credentials
act-secret-rotated = Rotated a secret
act-settings-changed = Changed settings
act-test-callback = Sent a test callback
act-endpoint-check-started = Started an endpoint check
act-sandbox-delivery-changed = Changed how sandbox callbacks are delivered
act-callback-resent = Resent callbacks
act-callback-hastened = Sent a callback at once
act-sandbox-asked = Requested sandbox mode
act-sandbox-on = Turned sandbox mode on
act-sandbox-off = Turned sandbox mode off
act-sandbox-refused = Dismissed a request
act-vendor-created = Created a vendor
act-vendor-disabled = Disabled a vendor
act-vendor-enabled = Enabled a vendor
act-parent-changed = Changed a vendor’s super vendor
act-terms-changed = Changed fees or the settlement delay
act-user-created = Added a user
act-user-disabled = Disabled a user
act-user-enabled = Enabled a user
act-link-made = Created a password link
act-role-changed = Changed a user’s role
act-product-created = Added a product
act-product-changed = Changed a product
act-product-archived = Archived a product
act-product-restored = Restored a product
act-products-imported = Imported products
act-category-created = Added a category
act-category-changed = Renamed a category
act-category-archived = Archived a category
act-category-restored = Restored a category
act-categories-imported = Imported categories

## Watching: what waits for a decision

nav-actions = Needs action
nav-payouts = Payouts
nav-deliveries = Callbacks
nav-search = Search
environment = Environment
session = Session
show = Show
ago-now = Just now
ago-minutes =
    { $count ->
        [one] { $count } minute ago
       *[other] { $count } minutes ago
    }
ago-hours =
    { $count ->
        [one] { $count } hour ago
       *[other] { $count } hours ago
    }
ago-days =
    { $count ->
        [one] { $count } day ago
       *[other] { $count } days ago
    }
span-ms = { $ms } ms
span-seconds = { $seconds } s
span-minutes = { $count } min
span-hours = { $count } h
delay-days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
delay-hours =
    { $count ->
        [one] { $count } hour
       *[other] { $count } hours
    }
delay-minutes =
    { $count ->
        [one] { $count } minute
       *[other] { $count } minutes
    }
delay-seconds =
    { $count ->
        [one] { $count } second
       *[other] { $count } seconds
    }
percentage = { $number }%
need-show = Show
need-show-open = Open
need-show-due = Open with a deadline, soonest first
need-show-decided = Decided
need-show-all = All
need-kind = Reason
need-any-kind = Any reason
need-none = Nothing matches these filters.
need-due = Respond by
need-left = { $time } left
need-overdue = Overdue by { $time }
assignee-anyone = Anyone
assignee-mine = Mine
assignee-unassigned = Unassigned
wait-heading = Waiting times
wait-open = Open now
wait-oldest = Oldest open
wait-median = Median age of open
wait-decided = Decided in the last 30 days
wait-took = Median time to a decision
work-heading = Assignment and notes
work-open = Assignment and notes
work-assignee = Assignee
work-assign-me = Assign to me
work-assign = Assign
work-to = Assign to
work-nobody = Unassigned
work-notes = Notes
work-no-notes = No notes yet.
work-note = New note
work-note-hint = Plain text, up to 1,000 characters. All operators can read it. Notes can’t be edited or deleted.
work-add-note = Add note
work-note-empty = Enter a note.
work-note-long = The note is longer than 1,000 characters. Shorten it.
work-note-character = The note contains characters that can’t be displayed. Remove them.
work-moved = { $name } is the assignee now.
work-released = Another operator has released this in the meantime.
work-no-operator = There’s no active operator with this email address.
work-closed = It can no longer be assigned, and notes can’t be added. Nothing was changed.
work-unsaved = Your note, which was not saved
need-empty = Nothing needs a decision.
need-empty-about = Money that arrives late, short or unexpectedly appears here, one card each, until you decide what to do with it.
need-late = Money arrived late
need-late-about = It arrived after the session was final. Return it through the provider, or accept it for the vendor.
need-partial = Received less than the amount due
need-partial-about = Return it through the provider, or accept it for the vendor.
need-unreachable = Unknown whether money was taken
need-unreachable-about = The session ended while the provider wasn’t responding. Check with the provider.
need-mismatch = The payment doesn’t match the session
need-mismatch-about = The provider reports a different amount, currency or payment. Check with the provider.
need-surplus = Received more than the amount due
need-surplus-about = The session is paid. Return the excess through the provider, or accept it for the vendor.
need-reversed = Payment reversed
need-reversed-about = The chain dropped the block that held the payment after we had counted it. The session keeps its status. Decide who takes the loss; if the money arrives again, it counts as late.
need-disputed = The customer’s bank opened a dispute
need-disputed-about = Respond at the provider before its deadline. When the dispute is over, record the outcome here: you won it, or who takes the loss. The session keeps its status.
need-refund_lost = A refund was returned
need-refund_lost-about = The provider reported that the money had arrived, and later that it hadn’t: the provider has it again. Send it to the customer again, or manually, or accept it for the vendor. The refund keeps the status we reported to the vendor.
need-difference = The provider’s records don’t match ours
need-difference-about = The provider’s records differ from ours, it left open for long whether a refund was made, or a fiscal receipt isn’t registered; the note says which. We changed nothing. Check both sides, fix what’s wrong, and record here that it’s settled.
need-note = Note
need-paid = Paid
need-asked = Amount due
need-received = Received
need-taken = Reversed
need-held = Amount to decide
need-unknown = Unknown
need-by = Paid with
need-back = Back to the list
decide-refund-button = Refund the customer
decide-accept-button = Accept for the vendor
decide-dismiss-button = No payment was taken
decide-charge-button = Charge the vendor
decide-absorb-button = Absorb the loss
decide-won-button = Won, no loss
decide-settled-button = Mark as settled
decide-accept-text = The money becomes the vendor’s: in live, we add it to the vendor’s balance. The session keeps its status and we send no callback, so notify the vendor.
decide-refund-text = The money goes back to the customer: automatically if the provider supports it, and the session shows it as a refund. If the provider doesn’t, send it back manually first; this records that you did.
decide-dismiss-text = Check with the provider first. This records that no payment was taken for this session.
decide-charge-text = We deduct the amount from the vendor’s available balance; it can’t be more than that. The payment’s fee is not refunded. The session keeps its status and we send no callback, so notify the vendor.
decide-absorb-text = The vendor keeps its money and the operator takes the loss, booked to a separate account.
decide-won-text = The provider has closed the dispute and the money is there. This records that nothing was lost; no money moves.
decide-settled-text = Check with the provider first. This records that the difference is settled; no money moves, and we won’t report the same difference again.
decide-not-covered = The vendor’s balance doesn’t cover this.
decide-needed = Required
decide-available = Available
decide-gone = The chain has reversed this payment.
decide-gone-about = There’s nothing to send. Accept it for the vendor, and charge the vendor for the reversal: the two cancel out.
decide-once = We record the decision with your name and the time. You can’t change it later.
decided-refund = Refund to the customer
decided-accept = Accepted for the vendor
decided-dismiss = No payment was taken
decided-charge = Charged to the vendor
decided-absorb = Absorbed by the operator
decided-won = Won, no loss
decided-settled = Settled
decided-before = Already decided by { $name }.
decided-stays = Nothing was changed.
act-action-resolved = Recorded a decision
act-action-assigned = Changed the assignee of an action
act-action-noted = Added a note to an action
act-payout-asked = Requested a payout
act-payout-approved = Approved a payout
act-payout-refused = Declined a payout
act-payout-sent = Marked a payout as sent
act-payout-failed = Marked a payout as failed


## Watching: callbacks

deliver-any = Any
deliver-on-its-way = In progress
deliver-delivered = Delivered
deliver-undelivered = Undelivered
deliver-no-target = No callback URL
deliver-since = Since
deliver-since-hint = A date such as 2026-11-15, or a time such as 2026-11-15T09:30:00Z. Leave empty for all.
deliver-vendor-hint = Name or ID.
deliver-vendor-missing = Enter a vendor.
deliver-no-vendor = No vendor has this name or ID, or several do. Enter its ID.
deliver-wrong-since = This isn’t a valid date or time. Use 2026-11-15 or 2026-11-15T09:30:00Z.
deliver-none = No callbacks match.
deliver-empty = No session has ended yet. Every final status creates a callback.
deliver-event = Event
deliver-tries = Attempts
deliver-try = Attempt
deliver-answer = Response
deliver-took = Response time
deliver-target = Callback URL
deliver-next = Next attempt
deliver-id = Event ID
deliver-body = Request body
deliver-not-tried = No attempts yet.
deliver-again = Resend
deliver-again-all = Resend all undelivered for a vendor
deliver-all-heading = Resend undelivered callbacks
deliver-all-about = We resend every undelivered callback of a vendor once, with the same bytes. Count them first.
deliver-count = Count
deliver-all-none = No undelivered callbacks: { $name }.
deliver-all-found =
    { $count ->
        [one] { $count } undelivered callback:
       *[other] { $count } undelivered callbacks:
    }
deliver-all-what = We attempt each one once, now. One that fails again stays undelivered.
deliver-all-button =
    { $count ->
        [one] Resend { $count }
       *[other] Resend { $count }
    }
sent-status = Responded { $status }
sent-delivered = Delivered
sent-blocked = Private network
sent-dns = Host not found
sent-connect = Connection failed
sent-tls = Certificate or TLS error
sent-timeout = No response in time
sent-closed = Connection closed
sent-protocol = Response is not HTTP
sent-interrupted = Interrupted on our side
sent-dropped = Not sent: a tester wants it lost
notice-no-address = It had no callback URL when it was created.
notice-decided = Decision recorded.
notice-payout-asked = Payout requested. The operator decides next.
notice-payout-moved = Payout updated.

## Watching: one session, and search

case-price = Price
case-item = Item
case-order = Order
case-id = Session ID
case-reason = Reason
case-method = Current method
case-updated = Updated
case-ends = Can be paid until
case-request = Request ID
case-vendors-own = From vendor settings
case-open-checkout = Open checkout page
case-attempts = Payment attempts
case-no-attempts = The customer hasn’t started to pay.
case-provider = Provider
case-reference = Provider reference
case-attempt-id = Attempt ID
case-check = Next check
case-money = Money
case-worth = Value
case-transaction-id = Transaction ID
case-callback = Callback
case-no-callback = No callback before a final status.
case-history = History
case-created = Created, pending
case-method-chosen = Customer chose a method
case-money-late = Money arrived late
case-money-partial = Received less than the amount due
case-money-reversed = Payment reversed
case-outcome-planned = Tester chose the outcome
case-repeat-confirmed = Customer confirmed paying again
try-intended = Starting
try-open = Open
try-in-flight = In progress
try-paid = Paid
try-declined = Declined
try-closed = Closed
try-watched = Watching for late money
mark-late = Late
mark-partial = Too little
mark-over = Too much
mark-reversed = Reversed
nav-home = Home
home-well = All is well
home-unwell = { $count ->
    [one] { $count } thing needs your attention
   *[other] { $count } things need your attention
}
home-no-provider = No provider can take live payments.
no-provider-about = Till refuses every live session until a provider is set up. The sandbox works without one.
no-provider-set-up = Set up a provider
home-provider = { $provider }: { $state }
home-lost-nodes = { $count ->
    [one] { $count } process has stopped reporting without shutting down.
   *[other] { $count } processes have stopped reporting without shutting down.
}
home-low-space = Only { $space } of disk space is left.
home-held = The service is on hold: nothing is sent and no payments are taken.
home-late-queue = { $queue }: the oldest has been due for { $time }.
home-undelivered = { $count ->
    [one] { $count } live callback of the last 7 days was not delivered.
   *[other] { $count } live callbacks of the last 7 days were not delivered.
}
home-failed-mails = { $count ->
    [one] { $count } email could not be sent in the last 30 days.
   *[other] { $count } emails could not be sent in the last 30 days.
}
home-nodes = { $count ->
    [one] { $count } process running.
   *[other] { $count } processes running.
}
home-waiting = Waiting for you
home-oldest = oldest: { $time }
home-all-providers = All providers
home-providers-none = No provider is set up.
first-steps = First steps
first-done = Done
first-open = Not done yet
first-begin = Open
first-provider = Set up a payment provider
first-provider-about = Stripe, YooKassa, T-Bank or crypto. Until then, Till refuses every live session.
first-https = Serve Till over HTTPS
first-https-about = Set TILL_BASE_URL to an https address. Customers and callbacks use it.
first-mail = Set up email
first-mail-about = Optional. Invitations, password resets, receipts and warnings are sent by email.
first-vendor = Create a vendor
first-vendor-about = A vendor is a shop that takes payments. It gets its API credentials here.
first-user = Invite the vendor’s first user
first-user-about = They see payments in the panel and set the callback URL.
first-payment = Take the first payment
first-payment-about = The vendor’s server creates a session and sends the customer to the payment page. This list closes by itself.
vendor-figures = Figures
simulated-name = Simulated payments
simulated-about = A simulator or a provider’s test account takes payments. No real money moves.
all-sessions-none = No vendor has created a payment session yet.
all-transactions-none = No money has been received yet.
console-list-hint = The vendor is found by its whole name or ID. To find a payment by order, amount, email or ID, use
find-label = Order, amount, email, reference, transaction hash, ID or vendor
find-about = Finds sessions by the beginning of an order, by an exact amount such as 2,490.00 RUB, by the customer’s whole email address, by payment reference and by ID; callbacks, transactions, attempts and vendors by ID; payments and refunds by the provider’s whole reference; crypto payments by transaction hash or address; users by email; and vendors by name, contact email or client ID, in live and in the sandbox. A request ID that this service assigned (req_…) leads to the session it created; for one that the caller chose, search for the order or the session.
find-found = Results
find-name = Name
find-both = Both
find-more = More results exist. Refine your search.
found-session = Session
found-order = Order
found-amount = Amount
found-refund = Refund
found-customer = Customer
found-request = Request
found-callback = Callback
found-transaction = Transaction
found-attempt = Attempt
found-reference = Provider reference
found-action = Needs action
found-vendor = Vendor
found-user = User

## Watching: providers and the service itself

nav-providers = Providers
nav-system = System
percent = { $number }%
prov-empty = No provider is configured. Customers can’t pay live sessions.
prov-working = Working
prov-failing = Some calls fail
prov-down = Unreachable
prov-quiet = No recent calls
prov-open = Open sessions
prov-last-error = Last error
prov-no-error = None
prov-no-calls = No calls
prov-unusable = Can’t be used
prov-calls = Responded
prov-calls-day = { $share } in 24 h
prov-calls-none = No calls in 24 h
prov-move-up = Move up
prov-move-down = Move down
prov-simulated = simulated
prov-test = test mode
prov-at-most = p95 up to { $time }
prov-about = Calls are counted across all server processes; the state is the last 15 minutes of this process. After five calls without a response, we send customers elsewhere for 15 seconds. Sandbox sessions never reach a real provider.
prov-slow = Slow
prov-off = Off
prov-last-paid = Last payment
prov-order = Order
prov-last = Last payment and error
prov-no-errors = No errors
prov-order-about = If two providers offer a method, the first that responds takes the payment.
activity = Activity
activity-heading = { $provider }: activity
activity-day = Last 24 hours
activity-empty = No calls in the last 24 hours. Calls appear here when customers pay or payments are checked.
activity-about = Across all server processes, which save their counts every minute. The state is the last 15 minutes of this process.
activity-calls = Calls
activity-failed = Failed
activity-p50 = p50
activity-p95 = p95
activity-calls-plot = Calls per 15 minutes
activity-failures-plot = Failed calls per 15 minutes
activity-latency-plot = Response time
activity-no-failures = No call failed.
activity-no-answers = No call got a response.
activity-calls-label = Calls per 15 minutes over the last 24 hours: { $all } in total, peak { $most }, in the 15 minutes from { $time }.
activity-failures-label = Failed calls per 15 minutes over the last 24 hours: { $all } in total, peak { $most }, in the 15 minutes from { $time }.
activity-latency-label = Response time over the last 24 hours: half of the responses took up to { $half }, 95% up to { $most }.
activity-hours = Calls by hour
activity-from = From
activity-last = Latest
notice-accepted = Last notification accepted
notice-refused = Last notification rejected
notice-none = None
notice-unsigned = It had no signature.
notice-unproven = Its signature or token was wrong, or it couldn’t be read.
notice-foreign-address = It had the provider’s secret but came from an address that isn’t the provider’s. The secret may have leaked.
setup-name-evm = Crypto
setup-name-yookassa = YooKassa
setup-name-tbank = T-Bank
setup-name-stripe = Stripe
setup-edit-heading-evm = Set up crypto
setup-edit-heading-yookassa = Set up YooKassa
setup-edit-heading-tbank = Set up T-Bank
setup-edit-heading-stripe = Set up Stripe
setup-begin-evm = Set up crypto
setup-begin-yookassa = Set up YooKassa
setup-begin-tbank = Set up T-Bank
setup-begin-stripe = Set up Stripe
setup-heading = Setup
setup-unset = Not set up
setup-off = Off
setup-empty-evm = Crypto isn’t set up. You need a wallet’s extended public key, two nodes of a chain and a price for each coin.
setup-empty-yookassa = YooKassa isn’t set up. You need a shop ID, its secret key and a secret of your own for the notification URL.
setup-empty-tbank = T-Bank isn’t set up. You need a terminal’s key and its password.
setup-empty-stripe = Stripe isn’t set up. You need an account’s secret key and publishable key, and the signing secret of a webhook endpoint.
setup-file = File
setup-file-about = The file overrides the console. Change it on the machine and restart the service.
setup-changed = Changed
setup-by = Changed by
setup-edit = Change setup
setup-switch-on = Turn on
setup-switch-off = Turn off
setup-switch-about = When off, customers aren’t offered it. We still wait for payments already started.
setup-unusable = The saved setup can’t be used
chains-chains = Chains
chains-chain = Chain
chains-confirmations =
    { $count ->
        [one] { $count } confirmation
       *[other] { $count } confirmations
    }
chains-block = Last block
chains-head = Newest block
chains-lag = Lag
chains-read = Last read
chains-highest = Highest address
chains-not-offered = Not offered: { $coin }. { $reason }
chains-unconfirmed = No node has confirmed its decimals and symbol yet.
chains-never-read = Not read yet
chains-about = Your wallet must know the highest address to see all the money. Many wallets look only 20 unused addresses ahead.
chains-prices = Prices
chains-coin = Coin
chains-source = Source
chains-price = Price
chains-age = Age
chains-fresh = Fresh
chains-stale = Not used
chains-no-price = No price yet
chains-prices-about = We don’t offer a coin while its price is too old, out of bounds, or unconfirmed after a jump, or while its sources disagree.
setup-checks = Test results
setup-check = Check
setup-found = Result
setup-checked-evm = Compare the addresses with those your wallet shows for the same account. Nothing was saved.
setup-checked = Nothing was saved.
check-good = OK
check-doubtful = Check this
check-bad = Wrong
setup-form-evm = Chains, coins and prices. The setup is stored encrypted. Enter a public key only, never a private key or a seed phrase.
setup-form-yookassa = The shop, its key and what it offers. The setup is stored encrypted, and secrets are never shown again.
setup-form-tbank = The terminal, its password and what it offers. The setup is stored encrypted, and secrets are never shown again.
setup-form-stripe = The account’s keys, signing secrets and currencies. The setup is stored encrypted, and secrets are never shown again.
setup-document = Setup document, TOML
setup-save = Save
setup-test = Test
setup-test-about = A test saves nothing.
setup-test-running = Test connection
setup-service = Service
setup-money = Money
setup-money-live = Live: money moves
setup-money-test = Test: no money moves
setup-offers = Offers
setup-notices = Notification URL
setup-health = Health
setup-health-about = Calls are counted across all server processes. The state is the last 15 minutes of this process.
setup-problems =
    { $count ->
        [one] { $count } problem with the setup. It’s listed beside the document.
       *[other] { $count } problems with the setup. They’re listed beside the document.
    }
setup-as-document = Edit as a document
setup-as-form = Edit as a form
setup-document-about = A placeholder such as "<stored:1 …cdef>" stands for a stored secret. Leave it to keep the secret, or replace it with a new value. Comments are kept here, but saving the form removes them.
setup-drops-comments = The saved document has comments. Saving this form removes them; edit it as a document to keep them.
setup-form-moved = Someone else changed the setup in the meantime. We kept what you entered: open the setup in another tab, compare, and make your changes there.
setup-field-problem = { $field }: { $problem }
setup-optional = (optional)
setup-remove = Remove
setup-advanced = Advanced settings
secret-stored = Stored. Leave empty to keep it.
secret-stored-hint = Stored: { $hint }. Leave empty to keep it.
secret-entered = Entered but not saved yet. Leave empty to use it.
secret-entered-hint = Entered but not saved yet: { $hint }. Leave empty to use it.
check-unreachable = Unreachable
guide-stripe = At Stripe
guide-yookassa = At YooKassa
guide-tbank = At T-Bank
guide-evm = At your wallet
guide-link = Read the guide
guide-about-stripe = In the Stripe dashboard, open Developers, Webhooks and add an endpoint with this URL, API version and events. Stripe then shows the endpoint’s signing secret.
guide-about-yookassa = In your YooKassa merchant profile, open Integration, HTTP notifications, enter this URL and select these events.
guide-about-tbank = In the T-Bank business cabinet, open the terminal’s settings, choose notifications over HTTP and enter this URL.
guide-about-evm = Create a separate account for Till in your wallet and export its extended public key (xpub). Till never needs a private key or a seed phrase. You also need two nodes for each chain.
guide-secret = your-notification-secret
guide-secret-about = The URL ends with the notification secret, which we don’t show again. If you no longer have the URL, set a new secret.
guide-new-token = Set a new notification secret
guide-new-token-about = Copy the new secret into the Notification secret field and save, then enter the new URL at YooKassa.
guide-events = Events
guide-version = API version
field-stripe-secret_key = Secret key
about-stripe-secret_key = Developers, API keys. We recommend a restricted key (rk_…) that can write PaymentIntents, Charges and Refunds, and read Balance, Disputes and Webhook Endpoints. No money moves with a test key.
field-stripe-publishable_key = Publishable key
about-stripe-publishable_key = From the same page, in the same mode. Customers’ browsers send it to Stripe.
field-stripe-webhook_secrets = Signing secret { $number }
about-stripe-webhook_secrets = Developers, Webhooks, your endpoint, Signing secret. Use the second field only while you roll the secret.
field-stripe-currencies = Currencies
about-stripe-currencies = The currencies in which your account takes cards, separated by commas.
field-stripe-requests_per_second = Requests per second
about-stripe-requests_per_second = The most that each server sends. Stripe accepts 25 for one endpoint: divide your limit by the number of servers.
field-stripe-api = API URL
about-stripe-api = For tests only. Leave empty for Stripe itself.
field-stripe-script = Stripe.js URL
about-stripe-script = For tests only. Leave empty for Stripe itself.
field-yookassa-shop_id = Shop ID
about-yookassa-shop_id = Settings, Shop: the number called shopId.
field-yookassa-secret_key = Secret key
about-yookassa-secret_key = Integration, API keys. It starts with live_, or with test_ for a test shop, where no money moves.
field-yookassa-notice_token = Notification secret
about-yookassa-notice_token = Your own secret at the end of the notification URL: 32 to 128 letters, digits, - and _. If you change it, change the URL at YooKassa too.
field-yookassa-methods = Methods
about-yookassa-methods = Methods that your shop accepts. Ask your YooKassa manager to enable SBP.
field-yookassa-currencies = Currencies
about-yookassa-currencies = Nearly every shop accepts rubles only. SBP always does.
field-yookassa-receipt_contacts = Fiscal receipts are sent to
about-yookassa-receipt_contacts = “Receipts from YooKassa” need an email address. If the shop has its own till that also sends to phones, select both: then customers whose phone number is known aren’t asked for an address.
receipt-contact-email = Email
receipt-contact-phone = Phone
field-yookassa-most-card = Largest card payment, RUB
about-yookassa-most-card = Change it only if YooKassa has changed the limit for your shop.
field-yookassa-most-sbp = Largest SBP payment, RUB
about-yookassa-most-sbp = Change it only if YooKassa has changed the limit for your shop.
field-yookassa-requests_per_second = Requests per second
about-yookassa-requests_per_second = The most that each server sends. YooKassa publishes no limit.
field-yookassa-api = API URL
about-yookassa-api = For tests only. Leave empty for YooKassa itself.
field-yookassa-page_hosts = Payment page hosts
about-yookassa-page_hosts = Hosts that we may send customers to, separated by commas.
field-yookassa-code_hosts = QR code hosts
about-yookassa-code_hosts = Hosts that SBP codes may lead to, separated by commas.
field-tbank-terminal_key = Terminal key
about-tbank-terminal_key = From the terminal’s page in the T-Bank business cabinet. A key that ends in DEMO belongs to a test terminal, where no money moves.
field-tbank-password = Password
about-tbank-password = From the same page. It signs requests and notifications.
field-tbank-methods = Methods
about-tbank-methods = Methods that your terminal accepts. SBP has to be enabled for your own payment form.
field-tbank-most-card = Largest card payment, RUB
about-tbank-most-card = Change it if T-Bank has set another limit for your terminal.
field-tbank-most-sbp = Largest SBP payment, RUB
about-tbank-most-sbp = Change it if T-Bank has set another limit for your terminal.
field-tbank-receipts-ffd = Fiscal receipts: format of the till
about-tbank-receipts-ffd = The version of the fiscal format (ФФД) that the till behind the terminal works with: 1.05 or 1.2. Leave it empty if the terminal has no till.
field-tbank-receipts-tax_system = Fiscal receipts: tax system
about-tbank-receipts-tax_system = For receipts that name none: osn, usn_income, usn_income_outcome, esn or patent. Required if the terminal has a till.
field-tbank-receipts-registration = Fiscal receipts: registration
about-tbank-receipts-registration = notifications, if T-Bank notifies this service of registered receipts: one without a notification for 3 days is shown under Needs action. unknown, if it doesn’t: receipts stay pending.
field-tbank-requests_per_second = Requests per second
about-tbank-requests_per_second = The most that each server sends. T-Bank publishes no limit.
field-tbank-api = API URL
about-tbank-api = Leave empty for https://securepay.tbank.ru.
field-tbank-ca_file = Root certificates
about-tbank-ca_file = A PEM file on every server, which Till trusts for T-Bank only. You need it for hosts with a certificate of the Russian national authority.
field-tbank-page_hosts = Payment page hosts
about-tbank-page_hosts = Hosts that we may send customers to, separated by commas.
field-tbank-code_hosts = QR code hosts
about-tbank-code_hosts = Hosts that SBP codes may lead to, separated by commas.
list-evm-chain = Chains
list-about-evm-chain = Networks on which you accept coins. To add several, save after each.
row-evm-chain = Chain { $number }
row-new-evm-chain = Add a chain
field-evm-chain-name = Name
about-evm-chain-name = As customers see it.
field-evm-chain-id = Chain ID
about-evm-chain-id = Ethereum is 1, Polygon 137, Arbitrum 42161, Base 8453. Till compares it with your nodes.
field-evm-chain-endpoints = Node { $number }
about-evm-chain-endpoints = The JSON-RPC URL from your node provider, key included. With two nodes their answers are compared; with three, one may fail. We show only the host later.
field-evm-chain-xpub = Extended public key
about-evm-chain-xpub = The xpub of the account m/44'/60'/0' in your wallet. Never enter a private key or a seed phrase.
field-evm-chain-confirmations = Confirmations
about-evm-chain-confirmations = The number of blocks that make a payment final, including its own.
field-evm-chain-poll = Polling interval
about-evm-chain-poll = How often we look for new blocks, such as 4s.
field-evm-chain-max_fuel = Gas for a sweep
about-evm-chain-max_fuel = Up to this much of the chain’s own coin is taken for gas where a token arrived.
list-evm-chain-coin = Coins
list-about-evm-chain-coin = Coins that customers can choose on this chain.
row-evm-chain-coin = Coin { $number }
row-new-evm-chain-coin = Add a coin
field-evm-chain-coin-symbol = Symbol
about-evm-chain-coin-symbol = As the contract has it, such as USDC.
field-evm-chain-coin-decimals = Decimals
about-evm-chain-coin-decimals = 18 for ETH, 6 for USDC on Ethereum. Till compares it with the contract.
field-evm-chain-coin-contract = Contract
about-evm-chain-coin-contract = Copy it from the token’s official page. Leave empty for the chain’s own coin.
list-evm-price = Prices
list-about-evm-price = Every coin needs a price in each currency in which it can be paid: a fixed one, or one from a URL. Several URLs for one coin are compared.
row-evm-price = Price { $number }
row-new-evm-price = Add a price
field-evm-price-coin = Coin
about-evm-price-coin = The symbol of the coin.
field-evm-price-currency = Currency
about-evm-price-currency = The currency of the price.
field-evm-price-fixed = Fixed price
about-evm-price-fixed = For a stablecoin. Leave empty if the price comes from a URL.
field-evm-price-url = Price URL
about-evm-price-url = A JSON document with the price. We show only the host later.
field-evm-price-pointer = Where the price is
about-evm-price-pointer = A JSON pointer into the response.
field-evm-price-min = Lowest price
about-evm-price-min = A lower price isn’t used.
field-evm-price-max = Highest price
about-evm-price-max = A higher price isn’t used.
field-evm-price-time_pointer = Where the time is
about-evm-price-time_pointer = A JSON pointer to the time of the price, if the response has one.
field-evm-price-max_unchanged = Longest time unchanged
about-evm-price-max_unchanged = A price that stays the same for longer isn’t used.
field-evm-price_max_age = Oldest price
about-evm-price_max_age = How old a price may be when a customer chooses a coin, such as 2m.
field-evm-price_max_jump = Largest jump, %
about-evm-price_max_jump = A larger change has to be confirmed before the price is used.
field-evm-price_max_spread = Largest spread, %
about-evm-price_max_spread = How far several sources may differ.
rule-missing = Enter a value.
rule-toml = This can’t be saved as a document. Check the values for unusual characters.
rule-known = The saved document has settings that don’t exist. Edit it as a document and remove them.
rule-key = Enter the key as the provider shows it. It starts with one of these: { $list }
rule-webhook-secret = Enter a signing secret that starts with whsec_.
rule-mode = One key is live and the other is a test key. Use two keys of the same mode.
rule-currencies = Enter at least one currency code, such as EUR.
rule-currency = { $name } isn’t a currency code.
rule-currency-usable = { $name } can’t be used yet. Remove it.
rule-once = { $name } is entered twice. Remove one.
rule-number = Enter a whole number from { $least } to { $most }.
rule-address = Enter a URL that starts with https://, or leave it empty.
rule-web-address = Enter a URL that starts with https:// or http://.
rule-live-address = This can be changed only with test keys. Leave it empty.
rule-length = Enter up to { $most } characters.
rule-shop-id = Enter the shop’s number, digits only.
rule-notice-token = Enter 32 to 128 letters, digits, - and _.
rule-receipt-contacts = Select email: every receipt can be sent there. Add phone if your till can send to it.
rule-methods = Select at least one method.
rule-sbp-rubles = SBP accepts only rubles. Select RUB, or turn off SBP.
rule-amount = Enter an amount, such as 350000.00.
rule-hosts = Enter host names separated by commas.
rule-one-of = Enter one of { $list }.
rule-path = Enter the whole path of the file, starting with /, or leave it empty.
rule-chains = Add at least one chain.
rule-coins = Add at least one coin to the chain.
rule-chain-once = Another chain has this ID. Put the coins of both into one.
rule-nodes = Enter 1 to { $most } nodes.
rule-node-once = Two nodes are the same. Remove one.
rule-xpub-public = This is a private key. Move the money of that account to a new one, and enter the extended public key (xpub…) of the new account.
rule-xpub = Enter the extended public key from your wallet: 111 characters that start with xpub.
rule-xpub-level = This key isn’t an account’s. Export the extended public key of m/44'/60'/0'.
rule-decimal = Enter a number above 0, with a point for decimals.
rule-duration = Enter a duration from { $least } to { $most }, such as 4s or 2m.
rule-symbol = Use only the letters A to Z, digits and points.
rule-contract = Enter 0x and 40 hexadecimal digits, with capital letters exactly as on the token’s official page.
rule-native-once = Only the chain’s own coin has no contract. Enter this coin’s contract.
rule-priced = { $name } has no price. Add one under Prices.
rule-priced-coin = No chain has the coin { $name }. Add the coin, or remove the price.
rule-one-source = Enter either a fixed price or a price URL.
rule-fetched-only = This works only with a price URL. Leave it empty for a fixed price.
rule-pointer = Enter a JSON pointer that starts with /, such as /data/amount.
rule-bounds = The lowest price is above the highest.
setup-moved = Someone else changed the setup in the meantime. We kept your text here: open the setup in another tab, compare, and start again from there.
sys-version = Version
sys-free = Free disk space
sys-nodes = Processes
sys-node = Process
sys-here = this page
sys-listens = Listens on
sys-started = Started
node-running = Running
node-stopped = Stopped
node-lost = Not heard from
sys-queues = Queues
sys-queue = Queue
queue-sessions = Pending sessions
queue-payments = Payments to poll
queue-callbacks = Callbacks in progress
queue-refunds = Refunds in progress
queue-settlements = Payments to settle
queue-seals = Unsealed ledger entries
queue-mails = Emails in progress
queue-receipts = Payment emails in progress
personal-heading = Personal data
personal-link = Find or erase a customer’s personal data
personal-email = Customer’s email address
personal-find = Find
personal-bad-email = Enter a complete email address, such as ann@example.com.
personal-about = Find the payments of a customer, and erase what identifies them when they ask for it. Payments, refunds and the ledger stay. Backups from before the erasure still have the data.
personal-known = Payments of this customer
personal-nothing = No payment has this address.
personal-data = Personal data
personal-kind-address = address
personal-kind-metadata = metadata
personal-kind-checkout = address at checkout
personal-kind-receipts = receipts
personal-kind-fiscal = fiscal receipts
personal-kind-refunds = refund reasons
personal-kind-notes = notes
personal-waiting = waiting for open work
personal-more = The newest payments are listed. There are { $count } in total.
personal-mentions = Notes and refund reasons of other payments that mention this address: { $count }. They are erased too.
personal-panel-mails = Emails to panel users at this address: { $count }. They are deleted too.
personal-panel-user = A panel user has this address. The user stays; you can disable the user under Users.
personal-contact = This is the contact address of a vendor. It stays until the vendor changes it.
personal-incomplete = The store is too large to search all metadata, notes and refund reasons here. Run till forget on the server to find every mention.
personal-erases = Erasing removes the address, the customer of fiscal receipts (address, phone, name, INN), metadata, notes, refund reasons and page visits of these payments, metadata from sent callbacks, and kept responses to callbacks. A payment with open work is erased when that work ends. This can’t be undone.
personal-erase = Erase personal data
personal-note-removed = This note was erased with the customer’s personal data.
personal-erased = Erased
hold-heading = Hold
hold-on = The service is on hold
hold-since = Since
hold-reason = Reason
hold-restored = The store was restored from a backup
hold-operator = An operator placed the hold
hold-by = Placed by
hold-about = Tokens, status requests, lists and pages work. New sessions and payments are refused, nothing is sent, and no session expires.
hold-next = When you release it
hold-what = What happens
hold-nothing = Nothing is waiting.
hold-sessions = Pending sessions; those that are due expire, with a callback each
hold-payments = Payments are polled at their providers
hold-callbacks = Callbacks are sent to vendors
hold-refunds = Refunds are sent to providers
hold-settlements = Pending amounts become available to vendors
hold-seals = Ledger entries are sealed
hold-mails = Emails are sent to panel users
hold-receipts = Emails are sent to customers and vendors
hold-release = Release the hold
hold-off = The service is not on hold.
hold-off-about = A restored store is on hold until you release it here or with till release.
sys-mails-failed = Undeliverable emails, 30 days
sys-waiting = Waiting
sys-due = Due
sys-lag = Lag
sys-lag-about = Lag: age of the oldest overdue item. For pending sessions, this is how late they expire.
sys-store = Store
sys-database = Database
sys-size = Size
sys-rows = Rows in large tables
sys-units = Units / batches
sys-batch = Batch time
sys-refused = Rejected
sys-store-about = Units, batches and times are for this server process only. Rows are estimated, or counted up to 100,000.
sys-about = about { $count }
sys-more-than = more than { $count }
sys-unknown = not estimated yet
sys-settings = Settings changed from defaults
sys-defaults = None.
sys-secret = set, not shown

## Questions

ask-sandbox-off-title = Turn sandbox mode off for { $name }?
ask-sandbox-off-text = This hides its sandbox sessions and shows its live credentials again. Nothing is deleted.
ask-sandbox-off-button = Turn sandbox mode off
ask-no-methods-title = Leave { $name } without a method?
ask-no-methods-text = No method is selected. The API rejects new live sessions until you select one again. Payments already started can finish, and the sandbox stays as it is.
ask-no-methods-button = Allow no methods
ask-disable-vendor-title = Disable { $name }?
ask-disable-vendor-text = Its credentials and tokens stop working within seconds, in live and in the sandbox, and it can’t create payments. Payments already started can finish, and we send their callbacks. You can enable it again.
ask-disable-vendor-button = Disable vendor
ask-user-disable-title = Disable { $name }?
ask-user-disable-text = We log them out everywhere at once, and they can’t log in. You can enable them again.
ask-user-disable-button = Disable user
ask-user-reset-title = New password for { $name }?
ask-user-reset-text = They get a link to set a new password. The old password works until they use it.
ask-user-reset-button = New password link
ask-user-totp-off-title = Turn off two-factor login for { $name }?
ask-user-totp-off-text = Do this only if you’re sure that they really asked: their password alone is enough afterwards. Operators must set it up again at once.
ask-user-totp-off-button = Turn off two-factor login
ask-user-end-sessions-title = Log { $name } out everywhere?
ask-user-end-sessions-text = All their sessions end at once. They can log in again.
ask-user-end-sessions-button = End all sessions
ask-archive-product-title = Archive { $name }?
ask-archive-product-text = The API rejects new sessions with it from now on. Existing sessions stay as they are and can be paid. You can restore it.
ask-archive-product-button = Archive
ask-archive-category-title = Archive { $name }?
ask-archive-category-text = The API rejects new sessions with this category_id from now on. Its products stay for sale. You can restore it.
ask-archive-category-button = Archive
ask-remove-member-title = Remove { $name }?
ask-remove-member-text = We log them out everywhere at once, and their password and any invitation stop working. What they did stays in the audit log. You can restore their access.
ask-remove-member-button = Remove
ask-password-title = Confirm your password
ask-password-text = For your security, enter your password to continue. We won’t ask again for five minutes.
ask-password-button = Continue
ask-dismiss-title = Dismiss the request from { $name }?
ask-dismiss-text = Sandbox mode stays off for this vendor. It can request it again.
ask-dismiss-button = Dismiss request
note = Note (optional)
note-hint = Recorded in the audit log.

## Errors

refused-heading = Access denied
refused = Your role doesn’t allow this, or the form has expired. Nothing was changed. Go back, reload the page and try again.
nowhere-heading = Page not found
nowhere = The address is wrong, or the page no longer exists.
too-large-heading = This is too large
too-large = You sent more than we accept: the limit for a file is 256 KB. Nothing was changed. Go back, split it and try again.
wrong-way-heading = This address doesn’t work that way
wrong-way = It takes a submitted form and can’t be opened, or the other way round. Nothing was changed.
busy-heading = Too many requests at once
busy =
    { $count ->
        [one] We couldn’t check your password. Nothing was changed. Try again in { $count } second.
       *[other] We couldn’t check your password. Nothing was changed. Try again in { $count } seconds.
    }
trouble-heading = Something went wrong on our side
trouble = This failed, and we don’t know whether it took effect. Check the page before you try again.
go-home = Go to home page

# Refunds
refunds = Refunds
refunds-none = No refunds yet.
refund-link = Refund
refund-by = Requested by
refund-id = Refund ID
refund-pending = Refund pending
refund-succeeded = Refunded
refund-failed = Refund failed
refund-amount = Amount in { $currency }
refund-left = { $left } can still be refunded.
refund-reason = Reason
refund-reason-hint = Optional. Visible to your team and in the API response.
refund-wrong-amount = Enter an amount greater than 0, such as 10.00, with no more decimals than the currency has.
refund-too-much = That’s more than you can still refund: { $left } is left.
refund-wrong-reason = Use at most 255 characters, without line breaks.
refund-nothing = There’s nothing left to refund.
refund-balance = The balance doesn’t cover this refund: it takes { $needed }, and { $available } is available. Refund less, or wait for more payments.
refund-changed = The items of the receipt have changed since you opened this form. Check what comes back.
refund-unable = This payment can’t be refunded here. Contact the operator.
refund-item = How many of “{ $name }” come back ({ $price } each)
refund-item-left = { $left } can still be returned. Enter 0 if none of it comes back, or a part, such as 0.5.
refund-wrong-quantity = Enter a number from 0 to what can still be returned, with at most 3 decimals.
refund-no-items = Nothing is selected. Enter how many of at least one line come back.
refund-no-customer = The fiscal receipt no longer has the customer’s contact. Request this refund through the API, with receipt.customer. Before the hand-over, you can also refund everything at once.
ask-refund-text-items = The payment has a fiscal receipt, so you refund its items, and the refund gets its own receipt. Everything that can still be returned is filled in. The money goes back to the customer the way it came.
ask-refund-text-items-sandbox = The payment has a fiscal receipt, so you refund its items, and the refund gets its own receipt. Everything that can still be returned is filled in. No money moves: the refund and its callbacks are simulated. With the reason “simulate fail”, the refund fails; with “simulate slow”, it takes 12 seconds.
ask-refund-sure-items = Coming back: { $items }.
ask-refund-title = Refund this payment
ask-refund-text = The money goes back to the customer the way it came. The full remaining amount is filled in. Enter less for a partial refund.
ask-refund-text-sandbox = No money moves: the refund and its callbacks are simulated. The full remaining amount is filled in. Enter less for a partial refund. With the reason “simulate fail”, the refund fails; with “simulate slow”, it takes 12 seconds.
ask-refund-sure-sandbox = No money moves. Your server gets the same callback as for a live refund.
ask-refund-sure-title = Refund { $amount }?
ask-refund-sure = The customer gets the money back the way it came. { $own } leaves the balance at once, and returns if the provider declines. The fee is not refunded. A refund can’t be canceled.
ask-refund-sure-fee = The customer gets the money back the way it came. { $own } leaves the balance at once, and returns if the provider declines; { $fee } of the fee is refunded. A refund can’t be canceled.
review-refund = Review refund
ask-refund-button = Refund
step-refund-asked = Refund of { $amount } requested
step-refund-succeeded = { $amount } refunded
step-refund-failed = Refund of { $amount } failed
act-refund-requested = Requested a refund
act-provider-set-up = Set up a provider
act-provider-changed = Changed a provider’s setup
act-provider-on = Turned a provider on
act-provider-off = Turned a provider off
act-providers-ordered = Changed the provider order
detail-refund = { $amount } of session { $session }
notice-refunded = Refund in progress.
nav-refunds = Refunds to send
hands-about = No provider can send these, because we keep no keys to coins on chains. Send each from your own wallet to the address the customer gives you, then enter the transaction. We check it on the chain before the refund counts.
hands-empty = No refunds are waiting for you.
hands-empty-about = Refunds of on-chain payments appear here, with what to send.
hand-worth = Send this to the customer. It’s worth { $amount } at the locked price.
hand-note = The transaction entered before isn’t the right one:
doubt-about = { $provider } hasn’t said what became of this refund. Check its account before you decide.
doubt-may-arrive = The provider has this refund now, so the money may still arrive. Its result will be recorded here.
doubt-to-confirm = The refund was made
doubt-to-give-up = The refund wasn’t made
doubt-to-confirm-text = Only if the provider’s account shows that the customer got the money: the refund succeeds. You can’t change this later. If the payment has a fiscal receipt, check that the refund has one, too.
doubt-to-give-up-text = Only if the provider’s account shows that nothing was sent and nothing will be: the refund fails and its money goes back where it came from. You can’t change this later.
hand-to-sent = Enter the transaction
hand-to-give-up = Can’t be sent
hand-to-sent-text = Only after you’ve sent it: we check the transaction on the chain. The refund succeeds when it’s confirmed; if it’s not the right one, the refund waits here again with the reason.
hand-to-give-up-text = Only if you sent nothing: the refund fails and its money goes back where it came from. You can’t change this later.
hand-transaction = Transaction hash
hand-transaction-hint = 0x and 64 hex digits, as your wallet or a block explorer shows it.
hand-wrong-transaction = Enter the transaction hash: 0x and 64 hex digits.
hand-taken = This transaction already sent another refund. One transaction sends one refund.
hand-reason = Reason
hand-reason-hint = The vendor sees it. At most 255 characters.
hand-wrong-reason = Enter a reason of 1 to 255 characters, without line breaks.
hand-may-arrive = The network has the transaction entered for this refund, so the money may still arrive. Wait until it’s confirmed or has failed.
hand-silent = No node can tell whether the transaction entered for this refund may still arrive. Try again in a few minutes.
hand-unfit = This refund is no longer waiting: it has been decided.
refund-by-hand = Being sent manually
act-refund-sent = Entered a refund’s transaction
act-refund-given-up = Marked a refund as not sendable
act-refund-confirmed = Confirmed a refund by hand
act-session-expired = Expired a session
act-hold-placed = Put the service on hold
act-hold-released = Released the hold
act-key-rotation-started = Put a new master key in use
act-key-rotation-completed = Completed the rotation of the master key
act-personal-data-erased = Erased a customer’s personal data
notice-hand-sent = Checking the transaction on the chain.
notice-refund-confirmed = The refund is recorded as made.
notice-hand-given-up = The refund failed. Its money is back where it came from.

terms-heading = Fees and settlement
terms-change = Change
terms-fees = Fees
terms-fee = Fee
terms-none = None
terms-no-fees = This vendor pays no fee. Set one below.
terms-every-currency = every currency
terms-other-currencies = every other currency
terms-on-refund = On a refund
terms-returned = Refunded
terms-kept = Kept
terms-remove = Remove
terms-set-fee = Set a fee
terms-about = Replaces the fee for the same method and currency, and applies to payments from now on.
terms-currency-hint = Such as RUB. Leave empty for every currency without a fee of its own.
terms-percent = Percentage
terms-percent-hint = Such as 2.5, rounded to the nearest minor unit.
terms-fixed = Fixed amount
terms-fixed-hint = Such as 10.00. It needs a currency.
terms-give-back = A refund includes the fee
terms-give-back-hint = In part for a partial refund.
terms-settlement = Settlement
terms-delay = Settlement delay
terms-delay-own = Payments are available after { $delay } (agreed with this vendor).
terms-no-delay-own = Payments are available immediately (agreed with this vendor).
terms-no-delay-usual = Payments are available immediately (default).
terms-delay-usual = Payments are available after { $delay } (default).
terms-delay-hint = Such as 7d, 12h or 0s, at most 366d. Leave empty for the default, { $delay }.
terms-wrong-method = Choose a method.
terms-wrong-currency = Unknown currency. Enter a code such as RUB, or leave it empty.
terms-no-currency = A fixed amount needs a currency.
terms-nothing = Enter a percentage, a fixed amount, or both.
terms-wrong-percent = Enter a number from 0 to 100 with at most four decimals, such as 2.5.
terms-wrong-fixed = Enter an amount in the currency, such as 10.00.
terms-wrong-delay = Enter a duration such as 7d, 12h or 0s, at most 366d.
vendor-wallet = Vendor wallet
wallet-empty-operator = This vendor has no money yet. It appears here when one of its live sessions is paid.
wallet-empty-how-operator = Then you’ll see what’s available, what hasn’t settled yet, and every entry that changed it.
wallet-payouts-operator = Payouts in progress
decide-accept-unbooked = This money isn’t in the ledger: it arrived before the ledger began, or the provider only reports it. We record your decision and move nothing: settle it with the vendor yourself.
decide-refund-unbooked = This money isn’t in the ledger: it arrived before the ledger began, or the provider only reports it. We record your decision and move nothing: return the money through the provider yourself.

# Reconciliations: comparisons of the providers' records with Till's.
recon-heading = Reconciliation
recon-last-heading = Last reconciliation
recon-runs = All reconciliations
recon-verdict = Result
recon-days = Days (UTC)
recon-requested = Requested
recon-finished = Finished
recon-payments = Compared
recon-never = Never reconciled
recon-matched = Matches
recon-differed = { $count ->
    [one] { $count } difference
   *[other] { $count } differences
}
recon-failed = Could not be compared
recon-running = Running
recon-waiting = Waiting to start
recon-retries = No response; will retry
recon-compared = { $count ->
    [one] { $count } compared
   *[other] { $count } compared
}
recon-under-way = { $count ->
    [one] { $count } in progress
   *[other] { $count } in progress
}
recon-without-till = { $count ->
    [one] { $count } taken outside Till
   *[other] { $count } taken outside Till
}
recon-by-nightly = Nightly run
recon-by-weekly = Weekly run
recon-by-panel = Console
recon-by-command = Command line
recon-request = Reconcile a provider
recon-request-about = Compares the provider’s records for these days (UTC) with ours. It starts within a few seconds, or when the provider’s current reconciliation has finished. New differences are added to Needs action; the reconciliation itself changes nothing.
recon-now = Reconcile now
recon-now-about = Compares today and the three days before.
recon-first = First day
recon-last = Last day
recon-nightly-on = Every night after { $time } UTC we compare the last three days, and on Sundays the last 92 days. Chains are compared from where the last comparison ended.
recon-nightly-off = The nightly reconciliation is turned off (TILL_RECONCILE_AT).
recon-empty = Nothing has been reconciled yet.
recon-empty-about = Each comparison of a provider’s records with Till’s appears here with its result.
recon-no-providers = No provider is set up, so there is nothing to reconcile.
recon-wrong-provider = Choose a provider that is set up.
recon-wrong-day = Enter a date.
recon-wrong-order = The last day is before the first. Swap them.
recon-wrong-future = The last day is in the future. Choose today (UTC) or an earlier day.
recon-all-providers = Show all providers
recon-too-long = { $count ->
    [one] Choose at most { $count } day.
   *[other] Choose at most { $count } days.
}
recon-waits = A reconciliation of this provider was already requested. Wait until it has finished.
notice-run-requested = Reconciliation requested. It starts within a few seconds, or when the provider’s current reconciliation has finished. Reload the page for the result.
act-reconciliation-requested = Requested a reconciliation
detail-days = { $what }: { $from } to { $to }
home-reconciliation-failed = { $provider }: the last nightly reconciliation failed.
home-reconciliation-old = { $provider }: not reconciled for more than two nights.

# The signature doctor: finds the mistake in a signature.
signature-link = Check a signature
endpoint-wanted-taken = A 2xx response within the time limit
endpoint-wanted-refused = A 4xx response
endpoint-wanted-both = A 2xx response to both requests
endpoint-wanted-tls = https with a trusted certificate
endpoint-got-status = { $status }
endpoint-got-tls_valid = A trusted certificate
endpoint-got-plain_http = http without TLS
endpoint-got-not_tried = Not tried
endpoint-got-blocked = An address that callbacks can’t be sent to
endpoint-got-dns = The host name could not be resolved
endpoint-got-connect = No connection
endpoint-got-tls = No trusted TLS connection
endpoint-got-timeout = No response in time
endpoint-got-closed = The connection was closed before the response
endpoint-got-protocol = A response that is not HTTP
endpoint-repair-not_tried = Make sure that the first step passes, then start the check again.
endpoint-repair-timeout = Respond first and work afterward: store the event, respond with 2xx, and process it in the background.
endpoint-repair-blocked = Use an address on the public internet. Private and internal addresses are never called.
endpoint-repair-unreachable = Make sure that the URL is right and that your server is running and reachable from the internet.
endpoint-repair-crash = Your server failed with an error of its own. Look for this request in its log.
endpoint-repair-redirect = Redirects are not followed. Enter the final URL.
endpoint-heading = Endpoint check
endpoint-about = Till runs { $count } steps with valid and invalid callbacks against your endpoint and says whether it’s ready for real payments. It uses sandbox sessions of an order that begins with till-check-. No money moves.
endpoint-start = Start the check
endpoint-again = Check again
endpoint-url = URL to check
endpoint-url-hint = Your Callback URL, or another one, such as that of a staging server.
endpoint-url-missing = Enter a URL, or save a Callback URL in Settings first.
endpoint-running-already = A check is already running. Wait until it’s done.
endpoint-too-many = You’ve run many checks in the last hour. Try again later.
endpoint-history = Earlier checks
endpoint-none = No checks yet.
endpoint-ready = Ready
endpoint-not_ready = Not ready
endpoint-running = Running
endpoint-progress = { $made } of { $all } steps done. This page updates itself.
endpoint-summary-ready = Your endpoint does everything that real payments need.
endpoint-summary-not_ready = Your endpoint isn’t ready for real payments. Fix the steps below that didn’t pass, then check again.
endpoint-summary-vendor-ready = The vendor’s endpoint does everything that real payments need.
endpoint-summary-vendor-not_ready = The vendor’s endpoint isn’t ready for real payments. The steps below that didn’t pass say why.
endpoint-summary-vendor-lost = The check was interrupted before it finished. The vendor can start it again.
endpoint-summary-lost = The check was interrupted before it finished. Start it again.
endpoint-passed = Passed
endpoint-failed = Not passed
endpoint-not_tried = Not tried
endpoint-advice = Advice
endpoint-wanted = Wanted
endpoint-got = Got
endpoint-why = Why it matters
endpoint-repair = How to fix it
endpoint-in-language = In { $language }
endpoint-time = Time
endpoint-print = Print
endpoint-target = URL
endpoint-by = Started by
endpoint-by-api = the API
endpoint-when = When
endpoint-link = Check your endpoint
endpoint-live-hidden = To see your live credentials, pass the endpoint check first: your operator requires it. The check runs in sandbox mode, for the Callback URL in your settings.
endpoint-of-vendor = Endpoint check
endpoint-of-vendor-none = This vendor has not run an endpoint check.
endpoint-report-link = Report
endpoint-right_callback = A correct callback is accepted
endpoint-right_callback-why = This is the message that an order is paid. If your server does not accept it, the customer has paid and your shop does not know.
endpoint-right_callback-repair = Respond with a 2xx status once you have stored the event. If your server doesn’t know the order till-check-…, it should still respond with 2xx and log the event. If your code finds the signature wrong, let “Check a signature” find the mistake.
endpoint-valid_tls = The certificate is valid
endpoint-valid_tls-why = Without TLS, or with a certificate that is not trusted, others on the network can read and change callbacks.
endpoint-valid_tls-repair = Use https with a certificate from a public authority, and send the whole chain. It must be for the host name in the URL.
endpoint-wrong_signature = A forged signature is refused
endpoint-wrong_signature-why = Anyone who knows your URL can send a request to it. Without this check, a forged callback ships goods that nobody paid for.
endpoint-wrong_signature-repair = Compute HMAC-SHA256 of the raw body with your client secret, compare it with X-Signature in constant time, and respond with 401 if they differ.
endpoint-wrong_secret = Another secret’s signature is refused
endpoint-wrong_secret-why = A signature only proves something if it was made with your secret. This request was signed with another one.
endpoint-wrong_secret-repair = Verify with your own client secret, and respond with 401 if the signature differs. Do not accept a signature only because it is well formed.
endpoint-changed_body = A changed body is refused
endpoint-changed_body-why = This request had the signature of another body. If you accept it, an attacker can change the amount or the order.
endpoint-changed_body-repair = Compute the signature over the bytes that arrived, before you parse them, and respond with 401 if it differs.
endpoint-old_timestamp = An old request is refused
endpoint-old_timestamp-why = A recorded request stays valid if its age is not checked, and can be sent again. Comparing eventId also protects you.
endpoint-old_timestamp-repair = Verify webhook-signature, which covers webhook-timestamp, and refuse a timestamp that is more than five minutes off. Checking the timestamp alone protects nothing: an attacker can change it.
endpoint-same_event_twice = The same event twice is accepted twice
endpoint-same_event_twice-why = Callbacks are delivered at least once. If the second one gets an error, Till retries it for nothing and shows it as undelivered.
endpoint-same_event_twice-repair = Remember each eventId that you have handled. Respond with 2xx to one that you know, and do nothing else.
endpoint-unknown_event = Unknown events are accepted
endpoint-unknown_event-why = New kinds of events are added without notice. If your server answers with an error, each of them is retried and ends as undelivered.
endpoint-unknown_event-repair = Respond with 2xx to events that you do not know, and ignore them.
endpoint-unknown_field = Unknown fields are accepted
endpoint-unknown_field-why = New fields are added without notice. A parser that refuses them makes every callback fail on that day.
endpoint-unknown_field-repair = Let your parser ignore fields that it does not know.
endpoint-out_of_order = Events out of order are accepted
endpoint-out_of_order-why = After a failed delivery, an older event can arrive after a newer one. It must neither fail nor undo the newer status.
endpoint-out_of_order-repair = Respond with 2xx, and change the order only if occurredAt is later than what you know.
endpoint-failed_session = A failed payment is accepted
endpoint-failed_session-why = Customers’ payments fail every day. An order whose failure never arrives waits forever.
endpoint-failed_session-repair = Handle session.failed: respond with 2xx, and let the customer try again.
endpoint-expired_session = An expired session is accepted
endpoint-expired_session-why = Most customers who leave just close the page. Without this event, their orders keep stock reserved.
endpoint-expired_session-repair = Handle session.expired: respond with 2xx, and release what you reserved.
endpoint-long_name = A long product name is accepted
endpoint-long_name-why = Product names have up to 255 characters. A column that is too short makes the callback fail after the customer has paid.
endpoint-long_name-repair = Make room for 255 characters, or do not store productName.
endpoint-non_ascii_text = Text in any script is accepted
endpoint-non_ascii_text-why = Names and notes have letters of all scripts, emoji and quotes. A wrong encoding breaks the signature or the database.
endpoint-non_ascii_text-repair = Read the body as UTF-8, sign its bytes, and store text in a Unicode column.
delivery-heading = Sandbox callback delivery
delivery-link = Misdeliver sandbox callbacks on purpose
delivery-active = Every new sandbox callback is misdelivered on purpose: { $fault }
delivery-about = Networks lose, repeat and reorder callbacks, and attackers forge them. Choose a fault, and every new sandbox callback is delivered with it. The correct callback always arrives afterward. Live callbacks are never affected.
delivery-label-hint = A choice made for one session, on its page or with simulate, comes first.
delivery-delay = Delay, ms
delivery-delay-hint = For a delayed or slow callback: 1 to 60,000.
delivery-delay-wrong = Enter a whole number from 1 to 60,000.
delivery-unknown = Choose one of the options.
step-misdelivered = Misdelivered on purpose: { $fault }
fault-answer = Your server’s response to this request: { $answer }.
fault-none-right = Every callback is correct and on time.
fault-drop-right = Nothing arrives at first. A correct receiver accepts the retry like any other callback.
fault-delay-right = A correct receiver accepts the callback whenever it arrives.
fault-duplicate-right = A correct receiver responds with 2xx both times and fulfills the order once: it compares eventId.
fault-reorder-right = A correct receiver responds with 2xx and keeps the newer status: it compares sessionId and occurredAt.
fault-bad_signature-right = A correct receiver responds with 4xx and changes nothing.
fault-wrong_secret-right = A correct receiver responds with 4xx and changes nothing: only your own secret counts.
fault-old_timestamp-right = A careful receiver responds with 4xx to a webhook-timestamp more than five minutes old, even though the signature is valid.
fault-changed_body-right = A correct receiver computes the signature over the bytes it received, responds with 4xx and changes nothing.
fault-truncated-right = A correct receiver responds with 4xx: the signature doesn’t match, and the JSON is incomplete.
fault-wrong_environment-right = A careful receiver responds with 4xx: X-Environment says live, but it verifies with sandbox credentials.
fault-slow-right = A correct receiver waits for the whole body, then responds with 2xx.
fault-unknown_event-right = A correct receiver responds with 2xx and ignores event types it doesn’t know.
fault-unknown_field-right = A correct receiver responds with 2xx and ignores fields it doesn’t know.
signature-heading = Check a signature
signature-about = Your code says that a signature is wrong? Paste the body of a callback and the signature that your code computed. Till finds the mistake. Nothing is stored or sent, and no secret is shown.
signature-body = Body
signature-body-hint = The raw bytes that your server received.
signature-in-base64 = The body is in base64
signature-signature = Signature
signature-signature-hint = The one that your code computed, not the one in X-Signature.
signature-check = Check
signature-result = Result
signature-is-right = Right
signature-is-wrong = Wrong
signature-no-body = Paste the body of the callback.
signature-not-base64 = This is not base64. Clear the box if the body is plain text.
signature-no-signature = Paste the signature that your code computed.
signature-client-id = The secret that was used belongs to client id { $id }.
signature-right = The signature is right.
signature-alternate_secret = It is right for the second secret of the rotation that is in progress, whose signature is in X-Signature-Alternate. Accept both until the old pair ends.
signature-ended_secret = It was made with a secret that is no longer valid. Use the current one.
signature-other_environment = It was made with the secret of the other environment. Callbacks of the sandbox are signed with the sandbox secret, live ones with the live secret.
signature-client_id_as_key = The client id was used as the key. The key is the client secret.
signature-token_as_key = An access token was used as the key. The key is the client secret.
signature-empty_key = The key was empty. The setting or environment variable with the secret is probably missing where the callback is verified.
signature-secret_decoded_from_hex = The secret was decoded from hex before it was used. Use its text as it is, as UTF-8 bytes.
signature-secret_decoded_from_base64 = The secret was decoded from base64 before it was used. Use its text as it is, with its prefix, as UTF-8 bytes.
signature-secret_without_prefix = The secret was used without its prefix. Use all of its text.
signature-secret_surrounded = The secret has a space, a line break or quotation marks around it. Remove them where you read it from a file or the environment.
signature-secret_encoded = The secret was encoded to hex or base64 before it was used. Use its text as it is.
signature-sha1 = It is an HMAC with SHA-1. Use SHA-256.
signature-sha384 = It is an HMAC with SHA-384. Use SHA-256.
signature-sha512 = It is an HMAC with SHA-512. Use SHA-256.
signature-md5 = It is an HMAC with MD5. Use SHA-256.
signature-no_hmac = It is a plain SHA-256 digest. Use HMAC-SHA256 with the secret as the key.
signature-swapped_arguments = Key and message are swapped: the body was used as the key. The secret is the key, the body is the message.
signature-upper_case = It is written in upper case. X-Signature has lower-case hex digits.
signature-base64 = It is written in base64. X-Signature has 64 lower-case hex digits.
signature-prefix = It has a prefix, such as sha256=. X-Signature has the hex digits alone.
signature-separators = It has separators between the bytes. X-Signature has the hex digits alone.
signature-surrounded = It has spaces, a line break or quotation marks around it. Remove them before you compare.
signature-encoded_twice = It was encoded twice, such as the base64 of hex digits. Encode the bytes of the HMAC once, to hex.
signature-truncated = It is the beginning of the right signature. Compare all 64 digits.
signature-body_changed = It is right for the bytes that Till sent, but the body given here is different. Something between Till and your code changed it: read the raw bytes of the request before anything parses them.
signature-body_not_sent = It is right for this body, but Till sent other bytes for this event. The body was parsed and serialized again: sign the raw bytes of the request, before anything parses them.
signature-body_spaces = The body was parsed and serialized again with different whitespace. Sign the raw bytes of the request, not a body that was parsed.
signature-body_key_order = The keys of the body were sorted before it was signed. Sign the raw bytes of the request, not a body that was parsed.
signature-body_escaped_slashes = The body was serialized again with escaped slashes, as json_encode of PHP does. Sign the raw bytes of the request, such as php://input.
signature-body_escaped_non_ascii = The body was serialized again with escaped non-ASCII characters, as json.dumps of Python and json_encode of PHP do. Sign the raw bytes of the request, such as request.get_data() or php://input.
signature-body_byte_order_mark = A byte order mark was added to the body, or removed. Sign the raw bytes of the request.
signature-body_line_endings = The line breaks of the body were changed. Sign the raw bytes of the request.
signature-body_trailing_newline = A line break was added to the end of the body, or removed. Sign the raw bytes of the request.
signature-body_url_decoded = The body was URL-decoded before it was signed. It is JSON, not a form: sign the raw bytes of the request.
signature-body_serialized_twice = The body was serialized to JSON a second time, as text. Sign the raw bytes of the request.
signature-body_encoded = The body was encoded to base64 or hex before it was signed. Sign the raw bytes of the request; some gateways hand them over in base64.
signature-body_empty = An empty body was signed. Something reads the body before your code does: keep the raw bytes at the first reading.
signature-standard_webhooks = It is a signature as in webhook-signature, made over id, time and body. Compare it with webhook-signature, or sign the body alone for X-Signature.
signature-not_a_signature = This is not a signature. X-Signature has 64 hex digits.
signature-nothing_found = No known mistake leads to this signature. Check that the body has exactly the bytes of the request, and that the secret belongs to this vendor.

# Fiscal receipts (54-FZ)
fiscal-heading = Fiscal receipts
fiscal-link = Fiscal receipts (54-FZ)
fiscal-about = Russian law (54-FZ) requires a fiscal receipt for each payment in rubles and each refund. Your server sends the receipt with the session. We check it, and the provider’s till registers it with the payment. You are responsible for the VAT rates, subjects and modes. The settings apply to live and sandbox.
fiscal-about-vendor = Russian law (54-FZ) requires a fiscal receipt for each payment in rubles and each refund. The vendor’s server sends the receipt with the session, and the provider’s till registers it with the payment. The vendor is responsible for the VAT rates, subjects and modes, and can change these settings too. They apply to live and sandbox.
fiscal-outdated = The default VAT rate doesn’t apply to today’s sales. Choose the current one.
fiscal-choice-wrong = Choose one of the options.
fiscal-not-set = Not set
fiscal-policy = Receipts for sessions
fiscal-policy-hint = Turn them on only if your acquirer has a till for you. While they’re off, a session with a receipt is rejected.
fiscal-policy-off = Off
fiscal-policy-accept = Accepted
fiscal-policy-required = Required in rubles
fiscal-tax-system = Tax system
fiscal-tax-system-hint = For receipts that don’t name one. Some tills don’t need it.
fiscal-tax-system-osn = General (OSN)
fiscal-tax-system-usn_income = Simplified, income (USN)
fiscal-tax-system-usn_income_outcome = Simplified, income less expenses (USN)
fiscal-tax-system-esn = Agricultural (ESKhN)
fiscal-tax-system-patent = Patent
fiscal-vat = Default VAT rate
fiscal-vat-hint = If receipts are required and a session has none, we make a receipt with one line at this rate: the product name and the price. Without a rate, such a session is rejected.
fiscal-vat-not-set = Not set
fiscal-vat-none = No VAT
fiscal-vat-0 = VAT 0%
fiscal-vat-5 = VAT 5%
fiscal-vat-7 = VAT 7%
fiscal-vat-10 = VAT 10%
fiscal-vat-20 = VAT 20% (sold before 2026)
fiscal-vat-22 = VAT 22%
fiscal-vat-5-of-105 = VAT 5/105
fiscal-vat-7-of-107 = VAT 7/107
fiscal-vat-10-of-110 = VAT 10/110
fiscal-vat-20-of-120 = VAT 20/120 (sold before 2026)
fiscal-vat-22-of-122 = VAT 22/122
fiscal-subject = Default subject
fiscal-subject-hint = For lines that name none.
fiscal-subject-not-set = Goods (default)
fiscal-subject-commodity = Goods
fiscal-subject-excise = Excisable goods
fiscal-subject-job = Work
fiscal-subject-service = Service
fiscal-subject-intellectual_activity = Results of intellectual activity
fiscal-subject-payment = Payment
fiscal-subject-agent_commission = Agent’s commission
fiscal-subject-another = Other
fiscal-subject-gambling_bet = Gambling bet
fiscal-subject-gambling_prize = Gambling prize
fiscal-subject-lottery = Lottery ticket
fiscal-subject-lottery_prize = Lottery prize
fiscal-mode = Default payment mode
fiscal-mode-hint = For lines that name none. If you ship later, take a full prepayment and send a closing receipt when the goods leave.
fiscal-mode-not-set = Full payment (default)
fiscal-mode-full_prepayment = Full prepayment
fiscal-mode-partial_prepayment = Partial prepayment
fiscal-mode-advance = Advance
fiscal-mode-full_payment = Full payment
fiscal-mode-partial_payment = Partial payment and credit
fiscal-mode-credit = Credit
fiscal-mode-credit_payment = Payment of a credit
fiscal-items = Maximum number of lines
fiscal-items-hint = 1 to 100, as your till accepts. Receipts from YooKassa have at most 80.
fiscal-items-wrong = Enter a whole number from 1 to 100.
fiscal-kind-payment = Fiscal receipt
fiscal-kind-second = Fiscal receipt of a second payment
fiscal-kind-refund = Fiscal receipt of a refund
fiscal-kind-closing = Closing receipt
fiscal-status-none = Not sent to a till
fiscal-status-pending = Being registered
fiscal-status-registered = Registered
fiscal-status-failed = Not registered
fiscal-correction = Make a correction receipt with this data in your till’s own account.
fiscal-closing-by-hand = This receipt may not have been made. Check your till’s own account; if it isn’t there, make it there with this data.
fiscal-blocked = The provider doesn’t accept this receipt yet. We’re repeating it; the operator has been notified.
fiscal-receipt-outdated = A VAT rate in this receipt didn’t apply on the day of the sale.
fiscal-customer = Customer on the receipt
fiscal-provider = Till of
fiscal-reference = Provider reference
fiscal-document = Fiscal drive / document
fiscal-sent = Given to the till
fiscal-measure-piece = pc
fiscal-measure-gram = g
fiscal-measure-kilogram = kg
fiscal-measure-ton = t
fiscal-measure-centimeter = cm
fiscal-measure-decimeter = dm
fiscal-measure-meter = m
fiscal-measure-square_centimeter = cm²
fiscal-measure-square_decimeter = dm²
fiscal-measure-square_meter = m²
fiscal-measure-milliliter = ml
fiscal-measure-liter = l
fiscal-measure-cubic_meter = m³
fiscal-measure-kilowatt_hour = kWh
fiscal-measure-gigacalorie = Gcal
fiscal-measure-day = days
fiscal-measure-hour = h
fiscal-measure-minute = min
fiscal-measure-second = s
fiscal-measure-kilobyte = kB
fiscal-measure-megabyte = MB
fiscal-measure-gigabyte = GB
fiscal-measure-terabyte = TB
fiscal-measure-another = units
fiscal-origin = Made from
fiscal-made = Your default settings: the session had no receipt
