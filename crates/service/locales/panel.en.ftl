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
nav-settings = Settings
nav-profile = My profile
nav-vendors = Vendors
nav-users = Users
nav-requests = Requests
nav-audit = Audit log
nav-account = Account
waiting-count = waiting
role-operator = Operator
role-super-vendor = Super vendor
role-vendor-admin = Vendor
role-vendor-viewer = Viewer
log-out = Log out
your-operator = the operator of this service
pages = Pages
newer = Newer
older = Older
cancel = Cancel
done = Done
save = Save
search = Search
clear-search = Clear the search
nothing-matches = Nothing matches “{ $q }”.
one-moment = One moment…

## Notices

notice-saved = Saved.
notice-password-set = Your password is set. Log in with it.
notice-password-changed = Your password is changed. Your other sessions have ended.
notice-totp-on = Two-factor login is on.
notice-totp-off = Two-factor login is off.
notice-session-ended = The session has ended.
notice-sessions-ended = The sessions have ended.
notice-logged-out = You have logged out.
notice-sandbox-asked = The operator has your request.
notice-sandbox-on = Sandbox is on.
notice-sandbox-off = Sandbox is off.
notice-disabled = Disabled.
notice-enabled = Enabled.
notice-dismissed = The request is dismissed.
notice-imported = The table is imported.
notice-archived = Archived.
notice-restored = It is back.
notice-removed = Removed. They are logged out everywhere.
notice-let-in = They may log in again.
notice-overtaken = Somebody changed this in the meantime. Nothing was changed now. Look again.
notice-last-admin = Nobody else can run this vendor. Nothing was changed. Invite another with the vendor role first.
notice-last-operator = This is the last operator who can log in. Nothing was changed.
notice-repeated = This form was sent already. Nothing was done again.
notice-unsaved = Your session had ended, so this is not saved yet. What you typed is here again: check it and send it.
notice-not-done = Your session had ended, so nothing was done. Do it again if you still want it.
notice-failed = That did not work. Nothing was changed. Try again.

## Getting in

login-heading = Log in to your panel
email = Email
password = Password
log-in = Log in
forgot-link = Forgot your password?
login-wrong = Email or password is wrong.
throttled-minutes =
    { $count ->
        [one] Too many tries. Try again in { $count } minute.
       *[other] Too many tries. Try again in { $count } minutes.
    }
throttled-seconds =
    { $count ->
        [one] Too many tries. Try again in { $count } second.
       *[other] Too many tries. Try again in { $count } seconds.
    }
session-ended = Your session has ended. Log in again.
session-ended-kept = Your session ended before this was saved. Log in again: what you typed is kept, and you can send it then.
session-ended-lost = Your session has ended, so what you sent was not done. Log in again, and repeat it.
code-heading = Enter your code
code = Code
code-hint = Six digits from your authenticator app, or one of your recovery codes.
code-wrong = This code is wrong or was used already. Enter the one that the app shows now.
start-over = Start over
forgot-heading = Forgot your password?
forgot = Enter your email address. We send a link to set a new password.
forgot-no-mail = This service does not send mail. Ask for a link to set a new password:
send-link = Send the link
forgot-sent-heading = Look at your mail
forgot-sent = If there is a user with this address, a link to set a new password is on its way. It works once and for a limited time.
forgot-sent-nothing = Nothing came? Look in the spam folder, or ask
back-to-login = Back to login
wrong-email = This email address looks wrong. Check it.
invitation-heading = Welcome to Till
for-invitation = Choose a password for { $email }.
reset-heading = Set a new password
for-reset = Choose a new password for { $email }.
new-password = New password
new-password-again = New password again
password-hint = At least 12 characters. A few words in a row are easy to remember.
password-short = This password is too short. Use at least 12 characters.
password-long = This password is too long. Use at most 200 characters.
password-common = This password is one of those that are tried first. Choose another.
password-differs = The two passwords are not equal. Type it again.
set-password = Set password
link-ended-heading = This link no longer works
link-ended = It was used already, replaced by a newer one, or is too old.
ask-new-link = Ask for a new link
ask-operator-link = Ask for a new link:

## Account

logged-in-as = You are logged in as
current-password = Current password
your-password = Your password
current-wrong = This password is wrong.
password-ends-others = Changing the password ends your other sessions.
change-password = Change password
totp = Two-factor login
state-on = On
state-off = Off
totp-about = After the password, you enter a code from an app on your phone. Somebody who learns your password cannot log in with it alone.
totp-start = Set up two-factor login
totp-since = On since
codes-left =
    { $count ->
        [0] No recovery codes are left: get new ones.
        [one] { $count } recovery code is left.
       *[other] { $count } recovery codes are left.
    }
totp-required = Operators have to use it, so it cannot be switched off.
totp-phone = Use a new phone
totp-phone-about = You scan a new code with the new phone. The old one works until you have entered a code of the new one; then you also get new recovery codes, and your other sessions end.
totp-codes = Get new recovery codes
totp-codes-about = You get ten new codes. The old ones stop working at once.
totp-off = Turn two-factor login off
totp-off-about = After this, your password alone is enough to log in. Your recovery codes stop working.
your-sessions = Where you are logged in
device = Device
ip-address = Address
since = Since
last-seen = Last seen
action = Action
this-one = This one
end-session = End
end-others = End all others
totp-setup-heading = Set up two-factor login
totp-forced = Operators log in with two factors. Set it up to go on.
totp-step-app = Open an authenticator app on your phone
totp-step-scan = Scan this code, or type the key
totp-step-code = Enter the six digits that the app shows
totp-qr = QR code for your authenticator app. The same key is below as text.
totp-secret = Key
code-hint-setup = Six digits from your authenticator app.
code-wrong-setup = This code is wrong. Check that the clock of your phone is right, and enter the code that the app shows now.
totp-confirm = Turn it on
recovery-heading = Your recovery codes
recovery = If you lose your phone, each of these codes lets you in once. Keep them where you keep your passwords.
recovery-once = They are shown only now.
recovery-done = I have kept them

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
undelivered-about = Your server did not accept them at any try. Mend it, then send them again.
actions-note =
    { $count ->
        [one] { $count } payment needs a decision.
       *[other] { $count } payments need a decision.
    }
actions-about = Money came late or was not the right amount. The operator of this service decides about it.
review = Review
paid-volume = Paid volume
paid-sessions = Paid sessions
volume-label =
    { $count ->
        [one] Paid volume by method of { $count } day
       *[other] Paid volume by method, per day of { $count } days
    }
count-label =
    { $count ->
        [one] Paid sessions by method of { $count } day
       *[other] Paid sessions by method, per day of { $count } days
    }
rate-label =
    { $count ->
        [one] Success rate by method of { $count } day
       *[other] Success rate by method, per day of { $count } days
    }
from-below = From the bottom up:
chart-most = The most on { $day }: { $amount }.
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
as-table = Show as a table
figures-by-day = Figures by day
day = Day
success-rate = Success rate
rate-of = { $paid } paid of { $tried } tried. { $expired } more expired: they are not counted.
of = { $part } of { $all }
why-failed = Why payments failed
recent-sessions = Recent sessions
all-sessions = All sessions

## How to start

start-sandbox = No sandbox sessions yet
start-sandbox-about = Create one with your sandbox credentials. It shows up here at once, and its page lets you choose how the payment ends.
start-live = No payments yet
start-live-about = Create a session for an order and send your customer to its page. It shows up here at once.
start-step-credentials = Copy your
start-step-token = Get a token. It works for 1 hour:
start-step-create = Create a session, and open in a browser what you get back as
example-request = Example request
read-docs = Read how it works

## Lists

search-sessions = Order, session or request ID
search-transactions = Order, session or request ID
search-callbacks = Order, session or request ID
all-methods = All methods
from-day = From
to-day = To
wrong-from = This is not a day. Choose one from the calendar.
wrong-to = This is not a day, or it is before the first one.
all-of-them = All
sessions-pending = Pending
sessions-paid = Paid
sessions-failed = Failed
sessions-expired = Expired
transactions-to_decide = Needs a decision
transactions-plain = As expected
transactions-late = Late
transactions-partial = Too little
transactions-over = Too much
transactions-reversed = Taken back
callbacks-on_its_way = On their way
callbacks-delivered = Delivered
callbacks-undelivered = Not delivered
callbacks-no_target = No address
sessions-none = No sessions.
sessions-none-match = No sessions match.
transactions-none = No transactions. They appear when something is paid.
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
order-and-session = Order and session
product = Product
method = Method
callback = Callback
updated = Updated
time-left = Time left:
not-due = Not due yet
result = Result
provider = Provider
event = Event
answer = Answer
try = Try
took = Took
download-csv = Download CSV
export-rows = Rows so far:
export-done = Downloaded.
export-broken = The download broke off. What was saved is not whole. Try again.

## Callbacks

delivery-queued = Waiting
delivery-retrying = Retrying
delivery-sending = Sending
delivery-delivered = Delivered
delivery-undelivered = Not delivered
delivery-no_target = No address
try-first = First try
try-again-number = Retry { $number }
took-ms = { $ms } ms
took-seconds = { $seconds } s
next-try = Next try:
send-again = Send again
send-now = Send now
send-undelivered =
    { $count ->
        [one] Send { $count } undelivered again
       *[other] Send { $count } undelivered again
    }
callbacks-about = We try at once and then a few more times, at growing distances. Any answer from 200 to 299 counts as delivered.
answer-delivered = Delivered
answer-status = Another status
answer-blocked = Private address
answer-dns = No such host
answer-connect = No connection
answer-tls = TLS failed
answer-timeout = Timed out
answer-closed = Connection closed
answer-protocol = Not HTTP
answer-interrupted = Cut off
resend-heading = Send undelivered callbacks again
undelivered-since = Not delivered since ({ $zone })
undelivered-since-hint = Leave it empty for all of them.
wrong-since = This is not a moment. Choose a day and a time.
count-them = Count
resend-count =
    { $count ->
        [0] No callback is undelivered since then.
        [one] { $count } callback is undelivered since then.
       *[other] { $count } callbacks are undelivered since then.
    }
resend-about = Each is sent once more now, with the same bytes as before. Your server may get some that it has already seen: it knows them by their eventId.
resend-button =
    { $count ->
        [one] Send { $count } callback
       *[other] Send { $count } callbacks
    }
notice-resent = The callback is sent once more now.
notice-sent-now = The next try is made now.
notice-resent-all = The callbacks are sent once more now.
notice-on-its-way = Nothing was changed: what could be sent is on its way already.

## One session

timeline = Timeline
open-checkout = Open checkout page
step-created = Created
step-ends = Time to pay until { $time }
step-opened = Payment page opened
step-returned = Customer sent back to the shop
step-chosen = { $method } chosen
step-chosen-other = Method chosen
step-at = At { $provider }
step-planned = A tester planned the outcome
step-repeat-confirmed = Customer confirmed to pay again for an order that was paid before
step-in-flight = The payment is on its way
step-declined = The provider declined
step-closed = The attempt was closed; nothing more can be taken by it
step-late = Money came after the end
step-partial = Less money came than was asked for
step-reversed = Money was taken back
step-reference = Provider reference { $reference }
step-delivered = Callback delivered
step-called = Callback failed: { $result }
step-no-target = Callback not sent: no address was set
step-mail-queued =
    { $what ->
        [copy] Copy of the receipt waits to be mailed
       *[receipt] Receipt waits to be mailed
    }
step-mail-sent =
    { $what ->
        [copy] Copy of the receipt mailed
       *[receipt] Receipt mailed
    }
step-mail-failed =
    { $what ->
        [copy] Copy of the receipt could not be mailed
       *[receipt] Receipt could not be mailed
    }
mail-error-connect = the mail server cannot be reached
mail-error-timeout = the mail server did not answer in time
mail-error-tls = the mail server could not prove who it is
mail-error-login = the mail server does not know us
mail-error-deferred = the mail server asks to come back later
mail-error-refused = the mail server refused the address or the mail
mail-error-protocol = the mail server is not understood
mail-error-unsound = it cannot be written
callback-not-due = It is sent when the session is paid, fails or expires.
callback-goes-to = POST to
callback-no-target = Not sent: no address was set when the session ended. Set one for the next:
callback-tries = Callback tries
callback-body = Body and signatures
callback-body-about = These bytes were frozen when the session ended. Every try sends exactly them.
signatures-about = X-Signature is the HMAC-SHA256 of the body, in hex, keyed with your client secret. webhook-signature covers webhook-id, webhook-timestamp and the body; it is shown for the last try, or for the next one if there was none.
signatures-none = No secret of yours can sign at this moment.
order-id = Order ID
session-id = Session ID
product-id = Product ID
category-id = Category ID
request-id = Request ID
methods-of = (offered: { $methods })
money = Money
money-asked = Asked for
money-received = Received
money-late = Came late
money-partial = Too little
money-over = Too much
money-reversed = Taken back
money-claimed = Only claimed
curl-heading = Create it again
curl-about = Put a token for $TOKEN. It makes a new session for the same order.
fail-card_declined = Declined by the bank
fail-insufficient_funds = Insufficient funds
fail-card_expired = Card expired
fail-three_ds_failed = 3-D Secure not passed
fail-canceled_by_customer = Cancelled by the customer
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
client-secret-hint = Gets tokens and signs callbacks. Keep it on your server.
secret-is-hidden = The secret is hidden
reveal = Reveal
hide = Hide
reveal-logged = Revealing is written to the audit log.
rotate = Rotate secret
last-rotated = Last rotated
never-rotated = Never rotated
overlap-heading = A rotation is under way.
overlap-old = The old pair { $id } works until
overlap-new-signs = X-Signature is made with the new secret, X-Signature-Alternate with the old one.
overlap-old-signs = X-Signature is made with the old secret until the new pair gets its first token; the other secret signs X-Signature-Alternate.
live-hidden = Your live credentials are hidden while sandbox mode is on. They come back when the operator turns it off.
sandbox-link-about = Want to test without money?
sandbox-link = About the sandbox
addresses = Addresses
shared-name = Shared by sandbox and live.
shared = A change here changes live payments at once. To test with other addresses, send callback_url and return_url with each sandbox session.
plain-http = Your callback address starts with http://. What is sent there can be read on the way. Use https:// if you can.
settings-callback-url = Callback URL
settings-callback-url-hint = We POST every final status here.
settings-return-url = Return URL
settings-return-url-hint = Where customers go after paying.
settings-contact-email = Contact email
settings-contact-email-hint = Shown to customers who need help. Live callbacks that cannot be delivered are told here.
settings-display-name = Name
settings-display-name-hint = Customers see it on the payment page.
settings-time-zone = Time zone
settings-time-zone-hint = For the times in this panel, such as Europe/Moscow. Everybody can choose their own on their account page.
settings-language = Language
settings-language-hint = Of mails, and of the payment page for browsers that ask for neither.
settings-receipt-copy = Receipts
settings-receipt-copy-hint = Customers get theirs at the address that they type on the payment page. The sandbox sends none.
settings-receipt-copy-box = Send a copy of every receipt to the contact e-mail
language-en = English
language-ru = Russian
url-long = This address is too long. Use at most 2048 characters.
url-malformed = This is not a web address. It has to start with https:// and name a host.
url-user = Take the user name and password out of this address.
url-private = This address leads to a private network. Use one that can be reached from the internet.
name-missing = Enter a name.
name-long = This name is too long. Use at most 100 characters.
account-times = Times
account-time-zone-hint = Days and times are shown to you in this zone, such as Europe/Moscow. Empty: { $zone }.
wrong-zone = There is no such time zone. Choose one from the list.
confirm-shared = I know that this also changes live payments
confirm-shared-hint = Needed if you change the callback URL, the return URL or the contact email
confirm-shared-missing = Tick the box: this also changes live payments.
save-addresses = Save addresses
applies-to-both = Applies to sandbox and live
viewer-note = You can look at these settings. Somebody with the vendor role can change them.
test-send = Send test callback
test-no-address = Save a callback address first.
test-saved = Goes to the saved address.
test-answered = Answered { $status } in { $seconds } s
test-blocked = Not sent: the address is on a private network
test-dns = Failed: no such host
test-connect = Failed: nobody accepted the connection
test-tls = Failed: the certificate or TLS is wrong
test-timeout = Failed: no answer in time
test-closed = Failed: the connection was closed before the answer
test-protocol = Failed: the answer is not HTTP
test-interrupted = Nobody knows: the test was cut off

## Rotation

rotate-heading = Rotate the live secret?
rotate-heading-sandbox = Rotate the sandbox secret?
rotate-about = You get a new Client ID and Client Secret at once. What happens then:
rotate-new-pair = The new pair is shown once after this, and can be revealed in Settings later.
rotate-old-pair = The old pair goes on working for as long as you choose. Tokens bought with it end with it.
rotate-signing = Meanwhile callbacks carry two signatures: X-Signature, and X-Signature-Alternate with the other secret.
rotate-keep = How long does { $id } go on working?
overlap-24h = 24 hours
overlap-24h-hint = Time to put the new pair on every server
overlap-1h = 1 hour
overlap-1h-hint = For one server and a quick hand
overlap-now = It ends now
overlap-now-hint = If somebody else knows the secret. Requests with it fail at once
overlap-missing = Choose how long the old pair works.
rotated-heading = Your new credentials
copy-now = Copy this now.
reveal-later = This page is shown once. Later you can reveal the secret in Settings.
old-works-until = The old pair works until
old-ended = The old pair no longer works.

## Access to the sandbox

sandbox-heading = Sandbox
sandbox-is-on = Sandbox on
sandbox-is-off = Sandbox off
sandbox-is-asked = Asked for
sandbox-about = The sandbox is the same service with test payments: you choose how each payment ends.
sandbox-about-money = No money moves and no customer is charged.
sandbox-about-live = Live payments keep running. While the sandbox is on, this panel shows test data, and your live credentials are hidden.
sandbox-about-shared = Addresses are shared with live, unless a session brings its own.
sandbox-reason = What do you want to test?
sandbox-reason-hint = The operator reads it. At most 500 characters.
sandbox-reason-missing = Say what you want to test.
reason-long = This text is too long. Use at most 500 characters.
sandbox-ask = Ask for the sandbox
sandbox-ask-directly = You can also ask directly:
sandbox-asked-by = Asked for by { $who },
sandbox-waiting = The operator has not decided yet.
sandbox-on-by = Turned on by { $who }
sandbox-on-operator = Turned on by the operator
sandbox-off-how = The operator turns it off again. Ask when you are done:

## Products and categories

nav-products = Products
category = Category
categories = Categories
no-category = No category
all-products = All products
all-products-link = Show all products on sale
on-sale = On sale
in-use = In use
archived = Archived
edit = Edit
name = Name
import = Import
first-page = First page
next-page = Next
products-search = Name or product ID
products-empty = You have no products yet. Add the first one, or import a list from a spreadsheet.
products-none-match = No product is like that.
products-none-so-far = Nothing is like that so far. Not all products were looked through.
products-look-on = Look on
products-foot = Use product_id when you create a live session. The sandbox has no catalog.
products-viewer = You can look at the products. Somebody with the vendor role can change them.
new-product = New product
add-product = Add product
product-name = Name
product-name-hint = Customers read it on the payment page.
product-price = Price
product-price-hint = Such as 49.90, with a point.
product-currency = Currency
product-currency-hint = Such as RUB or EUR.
product-id-hint = Your article number, for product_id in the API. Letters, digits, point, dash and underscore. Leave it empty and we make one. It cannot be changed later.
product-is-archived = This product is off sale: creating a session with it is refused.
restore-product-about = Sessions can be created with it again.
restore-product = Put back on sale
sell-heading = Sell it by the API
sell-about = Each call creates a session for one order and answers with the address of its payment page.
sell-token = Put a token in place of YOUR_TOKEN, and your own order number in place of order-1001.
sell-guide = How to get a token
id-taken = This ID is taken. Choose another.
wrong-empty = Enter a name.
wrong-too-long = This is too long. Use at most 255 characters.
wrong-invalid-character = There is a character in it that cannot be shown, such as a line break. Take it out.
wrong-invalid-number = This is not a price. Write digits and at most one point, such as 4990 or 49.90.
wrong-not-positive = The price has to be above zero.
wrong-too-large = This price is too high. Use at most 12 digits before the point.
wrong-too-many-decimals = Too many digits after the point: { $currency } has { $allowed }.
wrong-unknown-currency = There is no such currency. Use three letters, such as RUB or EUR.
wrong-invalid-id = Use 1 to 64 letters (A to Z), digits, points, dashes and underscores.
wrong-unknown-category = There is no such category. Add it first.
categories-empty = You have no categories yet. They group products, and category_id tags sessions with them.
new-category = New category
add-category = Add category
category-name = Name
category-id-hint = For category_id in the API. Letters, digits, point, dash and underscore. Leave it empty and we make one. It cannot be changed later.
category-is-archived = This category is out of use: creating a session with it is refused.
restore-category-about = Sessions can be tagged with it again.
restore-category = Put back in use
no-catalog = The sandbox has no catalog, so there are no products here while sandbox mode is on. Your live products are untouched and on sale.
no-catalog-how = In the sandbox, describe the item in each session with product_name, price and currency.

no-wallet = The sandbox moves no money, so there is no wallet here while sandbox mode is on. Your live money is untouched.
no-wallet-how = Switch sandbox mode off to see it.
wallet-empty = No money yet. It appears here when a live session is paid.
wallet-empty-how = Then you see what is available, what still has to settle, and every entry that changed it.
wallet-available = Available, { $currency }
wallet-pending = Not settled yet
wallet-next = next { $money }:
wallet-refunds = On its way to customers
wallet-payouts = On its way to you
wallet-entries = Entries
wallet-entry = Entry
wallet-for = For
wallet-out = Out
wallet-in = In
wallet-balance = Balance
wallet-fee = fee { $money }
wallet-final = The balance is what is available and what is not settled yet, together. Every entry is final: corrections are new entries.
wallet-none = No entries.
wallet-none-match = No entries match.
wallet-payment = Payments
wallet-refund = Refunds
wallet-payout = Payouts
wallet-settlement = Settled
entry-payment = Payment
entry-settlement = Became available
entry-suspense = Held for a decision
entry-accepted = Accepted after a decision
entry-reversal = Taken back
entry-charged = Taken back, borne by you
entry-absorbed = Taken back, borne by the operator
entry-refund = Refund
entry-refund-sent = Refund sent
entry-refund-failed = Refund came back
entry-payout = Payout
entry-payout-sent = Payout sent
entry-payout-failed = Payout came back
statement = Statement
statement-month = Month, { $currency }
wrong-month = Choose a month, such as 2026-11.

payout-ask = Request payout
payout-about = The amount leaves your available balance at once. If the operator refuses it or the bank cannot deliver it, it comes back.
payout-from = From
payout-amount-hint = At most what is available, such as 1500.00.
payout-destination = To
payout-destination-hint = Your bank account as the operator’s bank needs it: name, number, bank. At most 500 characters.
payout-go-on = Go on
payout-sure = Is this right? It cannot be taken back by you.
payout-confirm = Request payout
payout-nothing = Nothing is available to be paid out yet.
payout-wrong-amount = Type an amount of this currency, such as 1500.00.
payout-not-available = This is more than what is available.
payout-no-destination = Say where the money goes to.
payout-long-destination = Say it in at most 500 characters of text.
payout-by = Asked by
payout-asked = Waits for the operator
payout-approved = Approved
payout-refused = Refused
payout-sent = Sent
payout-failed = Failed
payout-to-approved = Approve
payout-to-refused = Refuse
payout-to-sent = Mark as sent
payout-to-failed = Mark as failed
payout-to-approved-text = Then send the money at your bank, and mark it here as sent or failed.
payout-to-refused-text = The money becomes available to the vendor again. This cannot be changed later.
payout-to-sent-text = Only after the bank has taken it: the money has left. This cannot be changed later.
payout-to-failed-text = The money becomes available to the vendor again. This cannot be changed later.
payout-reference = The bank’s reference
payout-reason = Why
payout-note-hint = The vendor sees it.
payout-wrong-note = Say it in 1 to 200 characters.
payout-unfit = This payout cannot take that step any more.
payouts-open = Those that wait for you
payouts-all = All
payouts-empty = No payouts here.
payouts-empty-about = Vendors ask for them on their wallet page.

## Import

import-products = Import products
import-categories = Import categories
import-file-crumb = Import
import-products-about = The first line names the columns: name, price, currency, and if you like product_id and category_id. A product whose ID is there already gets the new name, price and category, and is back on sale.
import-categories-about = The first line names the columns: name, and if you like category_id. A category whose ID is there already is renamed and back in use.
import-example = Example
import-formats = CSV from any spreadsheet, in UTF-8, with commas, semicolons or tabs.
import-limits = At most { $size } KB and { $rows } rows.
import-file = File
import-text = Or paste the table here
import-check = Check it
import-nothing-stored = Nothing is stored yet.
import-nothing = Choose a file or paste a table.
import-no-rows = There is only a first line. Add a row for each product or category.
import-too-large = This is too large. Split it: one file may have { $size } KB.
import-too-many-rows = There are { $rows } rows, and one import takes { $most }. Split the file.
import-not-utf8 = This is not a text in UTF-8. In the spreadsheet, save as “CSV UTF-8”, not as a workbook.
import-unknown-column = There is no column “{ $name }”. The columns are { $known }.
import-repeated-column = The column “{ $name }” is there twice.
import-missing-column = The column “{ $name }” is missing. The columns are { $known }.
import-summary = What this changes
import-added = New
import-changed = Changed
import-same = Left alone
import-bad = Bad rows
import-take =
    { $count ->
        [one] Import { $count } row
       *[other] Import { $count } rows
    }
import-bad-left-out = Bad rows are left out. Nothing is stored yet.
import-none-good = There is nothing to import.
import-bad-rows = Bad rows
import-bad-text = Only the bad rows
import-bad-text-hint = Copy them into a spreadsheet, mend them, and import them later.
import-will-be-added = New
import-will-be-changed = Changed
import-more =
    { $count ->
        [one] And { $count } more.
       *[other] And { $count } more.
    }
import-again = Change the table and check it again
import-overtaken = Somebody changed the catalog in the meantime. Nothing was stored. Look again.
line = Line
column = Column
reason = Reason
was = was { $value }
comes-back = Archived, comes back
row-fields = The row has { $found } fields instead of { $wanted }. Is a quote left open?
row-not-utf8 = The row is not in UTF-8.
row-repeated = { $id } is already on line { $line }.

## Team and what was done

nav-team = Team
this-is-you = This is you
team-alone = You are alone here. Invite a colleague, so that somebody can help when you cannot log in.
team-removed = Removed
state-removed = Removed
invite-member = Invite a colleague
invite-by-mail = They get a mail with a link to choose a password. It works once, for 7 days.
invite-by-link = This service sends no mail. You get a link to give on, which works once, for 7 days.
invite-again = New invitation link
is-last-admin = Nobody else can run this vendor yet, so this user stays as it is. Invite another with the vendor role first.
leave-team = Leave the team
change-role = Change role
own-role-hint = This is you. As a viewer you can no longer change anything here, this role too.
let-in-again = Let in again
shut-out-by-operator = The operator of this service shut this user out. Only the operator can change that.
history-empty = Nothing was done yet.
doer-operator = Operator
doer-super-vendor = Super vendor
doer-stranger = Not logged in

## Super vendor

your-vendors = Your vendors
vendor-disabled = Disabled
no-vendors-yours = You have no vendors yet.
no-vendors-yours-ask = The operator connects vendors with you:
reveal-seen = Revealing is written to the audit log, and { $name } can see it.
profile-never-live = Live credentials are never shown here.
profile-no-sandbox = Sandbox is off for this vendor.
profile-ask-operator = The operator can turn it on:

## Operator: vendors

new-vendor = New vendor
vendors-search = Name, ID, client ID or contact email
vendors-empty = No vendors yet. Make the first one.
vendor = Vendor
state = State
methods = Methods
created = Created
state-active = Active
state-disabled = Disabled
state-invited = Invited
state-asked = Asked for
methods-all = All methods
methods-no = No method
no-super-vendor = No super vendor
turn-on = Turn on
turn-off = Turn off
sandbox-for = sandbox for { $name }
vendor-name = Name
new-vendor-sandbox = Sandbox on from the start
new-vendor-sandbox-hint = The vendor sees test data and its sandbox credentials first
create-vendor = Create vendor
vendor-created-heading = { $name } is created
vendor-created = Both secrets are shown once. The vendor can reveal its own later, in its Settings.
open-vendor = Open the vendor
facts = Facts
vendor-id = Vendor ID
not-set = Not set
enable-vendor = Enable vendor
sandbox-on-about = The vendor then sees test data in its panel, and its live credentials are hidden there. Live payments keep running.
sandbox-turn-on = Turn sandbox on
asked-by = Asked by
asked-by-hint = Who asked you for it. Goes to the audit log.
asked-by-missing = Say who asked for it.
asked-by-long = This name is too long. Use at most 254 characters.
why = Why
why-hint = Goes to the audit log.
why-missing = Say why.
switched-by = Switched by
operator-asked = The operator
from-the-start = On from the start
methods-legend = What customers may pay with
methods-all-hint = Also those that come later
super-vendor = Super vendor
super-legend = Looked after by
super-hint = It can see this vendor's sandbox credentials.
no-users-of-vendor = Nobody can log in for this vendor yet.
last-events = Last events
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
role-vendor-admin-hint = Does everything for one vendor
role-vendor-viewer-hint = Sees what a vendor sees, changes nothing
new-user-vendor-hint = For the roles Vendor and Viewer. The others have none.
email-taken = There is a user with this address already.
vendor-missing = Choose a vendor: this role needs one.
vendor-too-many = This role has no vendor. Choose “No vendor”.
invite-user = Invite user
link-made-heading = A link to give on
link-mailed-heading = The link is on its way
link-invitation-made = This link lets { $email } choose a password. Give it to them on a way that you trust.
link-reset-made = This link lets { $email } set a new password. Give it to them on a way that you trust.
link-invitation-mailed = { $email } gets a mail with a link to choose a password.
link-reset-mailed = { $email } gets a mail with a link to set a new password.
link-once = The link is shown once, and works once.
link = Link
link-until = It works until
open-user = Open the user
all-users = All users
user-is-self = This is you. Change your own login under
enable-user = Enable user
user-sessions = Sessions
no-sessions = Not logged in anywhere.

## Operator: requests and audit

requests-empty = No open requests.
requests-empty-about = When a vendor asks for the sandbox in its panel, it shows up here.
wants-sandbox = Asks for the sandbox:
no-reason = No reason given
dismiss = Dismiss
when = When
who = Who
what = What
about = About
from-where = From
audit-empty = Nothing here.
detail-asked = Asked by { $who }: { $why }
detail-rotated = { $environment }; the old one works until { $until }
detail-link-invitation = For an invitation
detail-link-reset = For a new password
detail-nothing-new = Nothing new
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
detail-role = the role does not allow it
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
act-recovery-codes-made = Got new recovery codes
act-recovery-code-used = Used a recovery code
act-logins-ended = Ended sessions
act-secret-revealed = Revealed a secret
act-credentials-seen = Opened a vendor's credentials
act-secret-rotated = Rotated a secret
act-settings-changed = Changed settings
act-test-callback = Sent a test callback
act-callback-resent = Sent callbacks again
act-callback-hastened = Had a callback sent at once
act-sandbox-asked = Asked for the sandbox
act-sandbox-on = Turned the sandbox on
act-sandbox-off = Turned the sandbox off
act-sandbox-refused = Dismissed a request
act-vendor-created = Created a vendor
act-vendor-disabled = Disabled a vendor
act-vendor-enabled = Enabled a vendor
act-parent-changed = Changed the super vendor of a vendor
act-terms-changed = Changed fees or the settlement delay
act-user-created = Added a user
act-user-disabled = Disabled a user
act-user-enabled = Enabled a user
act-link-made = Made a link to set a password
act-role-changed = Changed the role of a user
act-product-created = Added a product
act-product-changed = Changed a product
act-product-archived = Took a product off sale
act-product-restored = Put a product back on sale
act-products-imported = Imported products
act-category-created = Added a category
act-category-changed = Renamed a category
act-category-archived = Took a category out of use
act-category-restored = Put a category back in use
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
need-show = Show
need-open = Open only
need-all = Decided ones too
need-empty = Nothing needs a decision.
need-empty-about = Money that comes late, short or unexpectedly appears here, one card each, until somebody decides about it.
need-late = Money came late
need-late-about = It came after the session was final. Send it back at the provider, or accept it for the vendor.
need-partial = Less money came than was asked for
need-partial-about = Send it back at the provider, or accept it for the vendor.
need-unreachable = Nobody knows whether money was taken
need-unreachable-about = The session ended while the provider did not answer. Look there.
need-mismatch = The payment is not the one that was asked for
need-mismatch-about = The provider reports money in another amount, currency or payment. Look there what it is.
need-surplus = More money came than was asked for
need-surplus-about = The session is paid. Send the rest back at the provider, or accept it for the vendor.
need-reversed = Money was taken back
need-reversed-about = The chain dropped the block that it was in, after it had counted. The session keeps its status. Decide who bears it; if the money comes again, it is late money.
need-disputed = The customer’s bank demands money back
need-disputed-about = Answer at the provider before its deadline. When it is over, write down here how it ended: it was won, or who bears the loss. The session keeps its status.
need-refund_lost = A refund came back
need-refund_lost-about = The provider said that the money had arrived, and later that it had not: it is at the provider again. Send it to the customer again, or by hand, or accept it for the vendor. The refund stays what the vendor was told.
need-difference = The provider’s records do not confirm ours
need-difference-about = The provider’s records differ from ours, or it has not answered about a refund for 24 hours; the note says which. Nothing was changed. Look at both sides, put right what is wrong, and write down here that it is settled.
need-note = Found
need-paid = Paid
need-asked = Asked for
need-received = Received
need-taken = Taken back
need-held = To decide about
need-unknown = Not known
need-by = Paid by
need-back = Back to the list
decide-refund-button = Money goes back
decide-accept-button = Accept for the vendor
decide-dismiss-button = No money was taken
decide-charge-button = The vendor bears it
decide-absorb-button = We bear it
decide-won-button = Won, nothing was lost
decide-settled-button = It is settled
decide-accept-text = The money becomes the vendor’s: in live it is added to its balance. The status of the session stays as it is, and no callback is sent: tell the vendor.
decide-refund-text = The money goes back to the customer: by itself if the provider can, and the session shows it as a refund. At a provider that cannot, send it back by hand first; it is written down that you did.
decide-dismiss-text = Look at the provider first. It is written down that nothing was taken for this session.
decide-charge-text = The amount is taken from what the vendor has available; it cannot be more than that. The fee of the payment stays. The status of the session stays as it is, and no callback is sent: tell the vendor.
decide-absorb-text = The vendor keeps its money, and the loss is the operator’s: it is booked on an account of its own.
decide-won-text = The provider has ended the dispute and the money is there. It is written down that nothing was lost, and nothing moves.
decide-settled-text = Look at the provider first. It is written down that the difference is settled; nothing moves, and the same difference is not entered again.
decide-not-covered = The vendor has less than that.
decide-needed = It takes
decide-available = Available
decide-gone = The chain has taken this money back.
decide-gone-about = There is nothing to send. Accept it for the vendor, and let the vendor bear what was taken back: the two cancel out.
decide-once = The decision carries your name and the time, and cannot be changed later.
decided-refund = Money goes back
decided-accept = Accepted for the vendor
decided-dismiss = No money was taken
decided-charge = The vendor bears it
decided-absorb = The operator bears it
decided-won = Won, nothing was lost
decided-settled = Settled
decided-before = Already decided by { $name }.
decided-stays = Nothing was changed now.
act-action-resolved = Decided about money
act-payout-asked = Asked for a payout
act-payout-approved = Approved a payout
act-payout-refused = Refused a payout
act-payout-sent = Marked a payout as sent
act-payout-failed = Marked a payout as failed


## Watching: callbacks

deliver-any = Any
deliver-on-its-way = On its way
deliver-delivered = Delivered
deliver-undelivered = Undelivered
deliver-no-target = No address
deliver-since = Since
deliver-since-hint = A day such as 2026-11-15, or a moment such as 2026-11-15T09:30:00Z. Empty for all.
deliver-vendor-hint = Its name or its ID.
deliver-vendor-missing = Write whose callbacks.
deliver-no-vendor = No vendor has this name or ID, or several do. Write its ID.
deliver-wrong-since = This is not a day or a moment. Write 2026-11-15 or 2026-11-15T09:30:00Z.
deliver-none = No callbacks match.
deliver-empty = No session has come to its end yet. Every final status makes a callback.
deliver-event = Event
deliver-tries = Tries
deliver-try = Try
deliver-answer = Answer
deliver-took = Took
deliver-target = Goes to
deliver-next = Next try
deliver-id = Event ID
deliver-body = Body that is sent
deliver-not-tried = It was not tried yet.
deliver-again = Send again
deliver-again-all = Send all undelivered of a vendor again
deliver-all-heading = Send undelivered callbacks again
deliver-all-about = Every callback of a vendor that could not be delivered is sent once more, with the same bytes. First count them.
deliver-count = Count them
deliver-all-none = Nothing is undelivered: { $name }.
deliver-all-found =
    { $count ->
        [one] { $count } undelivered callback:
       *[other] { $count } undelivered callbacks:
    }
deliver-all-what = Each is tried once, now. One that fails again stays undelivered.
deliver-all-button =
    { $count ->
        [one] Send { $count } again
       *[other] Send { $count } again
    }
sent-status = Answered { $status }
sent-delivered = Delivered
sent-blocked = Address not allowed
sent-dns = Name not found
sent-connect = Nobody answers there
sent-tls = Certificate or TLS is wrong
sent-timeout = No answer in time
sent-closed = Connection closed
sent-protocol = Answer is not HTTP
sent-interrupted = Cut off on our side
notice-no-address = It had no address to go to when it was made.
notice-decided = The decision is written down.
notice-payout-asked = The payout is requested. The operator answers next.
notice-payout-moved = The payout took its step.

## Watching: one session, and search

case-price = Price
case-item = For
case-order = Order
case-id = Session ID
case-reason = Reason
case-method = Method now
case-updated = Updated
case-ends = Can be paid until
case-request = Request ID
case-vendors-own = The vendor’s own
case-open-checkout = Open checkout page
case-attempts = Attempts at providers
case-no-attempts = The customer has not begun to pay.
case-provider = Provider
case-reference = Reference
case-attempt-id = Attempt ID
case-check = Asked next
case-money = Money
case-worth = Worth
case-transaction-id = Transaction ID
case-callback = Callback
case-no-callback = There is none before a final status.
case-history = History
case-created = Created, pending
case-method-chosen = The customer chose a method
case-money-late = Money came late
case-money-partial = Less money came than was asked for
case-money-reversed = Money was taken back
case-outcome-planned = A tester planned an outcome
case-repeat-confirmed = The customer confirmed to pay again
try-intended = Being started
try-open = Open
try-in-flight = Money on its way
try-paid = Paid
try-declined = Declined
try-closed = Closed
try-watched = Watched for late money
mark-late = Late
mark-partial = Partial
mark-over = Too much
mark-reversed = Taken back
find-label = ID, order, reference, e-mail or vendor
find-about = Finds sessions, callbacks, transactions, attempts and vendors by ID, orders and provider references by their exact text, users by e-mail and vendors by name, contact e-mail or client ID, in live and in the sandbox. A request ID that this service gave (req_…) leads to the session it created; for one that the caller chose, look for the order or the session.
find-found = Found
find-name = Name
find-both = Both
find-more = There is more. Write more of what you look for.
found-session = Session
found-order = Order
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
prov-empty = No provider is configured. Live sessions cannot be paid.
prov-working = Working
prov-failing = Some calls fail
prov-down = Not answering
prov-quiet = No calls lately
prov-open = Open sessions
prov-last-error = Last error
prov-no-error = None
prov-no-calls = No calls
prov-unusable = Cannot be used
prov-calls = Answered
prov-calls-lately = { $share } in 15 min
prov-calls-all = { $share } since start
prov-move-up = Move up
prov-move-down = Move down
prov-simulated = simulated
prov-test = test mode
prov-at-most = p95 up to { $time }
prov-about = Calls are counted by the process that shows this page, since it started. After five calls without an answer, customers are sent elsewhere for 15 seconds. Sandbox sessions never reach a real provider.
prov-slow = Slow
prov-off = Off
prov-last-paid = Last payment
prov-order = Order
prov-last = Last payment and error
prov-no-errors = No errors
prov-order-about = Where two serve one method, the first that answers takes the payment.
setup-name-evm = Crypto
setup-name-yookassa = YooKassa
setup-name-stripe = Stripe
setup-edit-heading-evm = Set up crypto
setup-edit-heading-yookassa = Set up YooKassa
setup-edit-heading-stripe = Set up Stripe
setup-begin-evm = Set up crypto
setup-begin-yookassa = Set up YooKassa
setup-begin-stripe = Set up Stripe
setup-heading = Set-up
setup-unset = Not set up
setup-off = Off
setup-empty-evm = Crypto is not set up. You need the extended public key of a wallet, two nodes of a chain and a price for each coin.
setup-empty-yookassa = YooKassa is not set up. You need the number of a shop, its secret key and a secret of your own for the address of notices.
setup-empty-stripe = Stripe is not set up. You need the secret key and the publishable key of an account, and the secret that signs the events of a webhook endpoint.
setup-file = File
setup-file-about = The file wins over the console. Change it on the machine and restart the service.
setup-changed = Changed
setup-by = Changed by
setup-edit = Change the set-up
setup-switch-on = Switch on
setup-switch-off = Switch off
setup-switch-about = Switched off, it is offered to nobody. Payments that were begun are still waited for.
setup-unusable = What is stored cannot be used
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
chains-read = Last pass
chains-highest = Highest address
chains-not-offered = Not offered: { $coin }. { $reason }
chains-unconfirmed = No node has confirmed its decimals and symbol yet.
chains-never-read = Not read yet
chains-about = The highest address is the one that your wallet has to know to see all the money. Many wallets look only 20 unused addresses ahead.
chains-prices = Prices
chains-coin = Coin
chains-source = Source
chains-price = Price
chains-age = Age
chains-fresh = Fresh
chains-stale = Not used
chains-no-price = No price yet
chains-prices-about = A coin is not offered while its price is too old, out of bounds, or not confirmed after a jump, or while its sources disagree.
setup-checks = What the test found
setup-check = Check
setup-found = Found
setup-checked-evm = Compare the addresses with those that your wallet shows for the same account. Nothing was stored.
setup-checked = Nothing was stored.
check-good = Good
check-doubtful = Look at it
check-bad = Wrong
setup-form-evm = Chains, coins and prices in one document. It is stored encrypted. Enter a public key only, never a private key or a list of words.
setup-form-yookassa = The shop, its key and what it offers in one document. It is stored encrypted; the audit log says who opened it.
setup-form-stripe = The account's keys, the secrets of its events and its currencies in one document. It is stored encrypted; the audit log says who opened it.
setup-document = Set-up document, TOML
setup-save = Save
setup-test = Test
setup-test-about = A test stores nothing.
setup-test-running = Test connection
setup-service = Service
setup-money = Money
setup-money-live = Live: money moves
setup-money-test = Test: no money moves
setup-offers = Offers
setup-notices = Address for notices
setup-notices-yookassa = Enter it at YooKassa, with the notice_token of your document in place of the last word.
setup-notices-stripe = Enter it at Stripe as a webhook endpoint. The endpoint's signing secret belongs into your document.
setup-token = your-notice-token
setup-health = Health
setup-health-about = As the process that shows this page knows it, since it started.
setup-problems =
    { $count ->
        [one] { $count } thing is wrong with the set-up. It is named beside the document.
       *[other] { $count } things are wrong with the set-up. They are named beside the document.
    }
setup-moved = Somebody else changed the set-up meanwhile. Your text is kept here: open the set-up in another tab, compare, and begin anew from there.
sys-version = Version
sys-free = Free on the disk of the store
sys-nodes = Processes
sys-node = Process
sys-here = this page
sys-listens = Listens on
sys-started = Started
node-running = Running
node-stopped = Stopped
node-lost = Not heard of
sys-queues = Queues
sys-queue = Queue
queue-sessions = Pending sessions
queue-payments = Payments to ask about
queue-callbacks = Callbacks on their way
queue-refunds = Refunds on their way
queue-settlements = Payments that become available
queue-seals = Ledger entries to seal
queue-mails = Mails on their way
queue-receipts = Mails about payments on their way
sys-mails-failed = Mails given up in 30 days
sys-waiting = Waiting
sys-due = Due
sys-lag = Behind by
sys-lag-about = Behind by: how long the one that is due longest has been. For pending sessions this is the lag of expiry.
sys-store = Store
sys-database = Database
sys-size = Size
sys-rows = Rows of large tables
sys-units = Units / batches
sys-batch = Batch takes
sys-refused = Refused
sys-store-about = Units, batches and times are of the process that shows this page. Rows are estimated, or counted up to 100,000.
sys-about = about { $count }
sys-more-than = more than { $count }
sys-unknown = not estimated yet
sys-settings = Settings that are not at their defaults
sys-defaults = All are.
sys-secret = set, not shown

## Questions

ask-sandbox-off-title = Turn sandbox off for { $name }?
ask-sandbox-off-text = Turning sandbox off hides its sessions and brings live credentials back. Nothing is deleted.
ask-sandbox-off-button = Turn sandbox off
ask-no-methods-title = Leave { $name } without a method?
ask-no-methods-text = No method is ticked. New live sessions are then refused until a method is ticked again. Payments that were begun come to their end, and the sandbox goes on as it is.
ask-no-methods-button = Allow no method
ask-disable-vendor-title = Disable { $name }?
ask-disable-vendor-text = Its credentials and tokens stop working within seconds, in live and in the sandbox, and it can create no payments. Payments that were begun come to their end, and their callbacks are sent. You can enable it again.
ask-disable-vendor-button = Disable vendor
ask-user-disable-title = Disable { $name }?
ask-user-disable-text = They are logged out everywhere at once and can not log in. You can enable them again.
ask-user-disable-button = Disable user
ask-user-reset-title = New password for { $name }?
ask-user-reset-text = They get a link to set a new password. The old password works until it is used.
ask-user-reset-button = New password link
ask-user-totp-off-title = Turn off two-factor login for { $name }?
ask-user-totp-off-text = Do this only if you are sure that it is really them who asked: their password alone is enough afterwards. Operators have to set it up again at once.
ask-user-totp-off-button = Turn off two-factor login
ask-user-end-sessions-title = Log { $name } out everywhere?
ask-user-end-sessions-text = All their sessions end at once. They can log in again.
ask-user-end-sessions-button = End all sessions
ask-archive-product-title = Take { $name } off sale?
ask-archive-product-text = Creating a session with it is refused from now on. Sessions that were created stay as they are, and can be paid. You can put it back on sale.
ask-archive-product-button = Archive
ask-archive-category-title = Take { $name } out of use?
ask-archive-category-text = Creating a session with this category_id is refused from now on. Its products stay on sale. You can put it back in use.
ask-archive-category-button = Archive
ask-remove-member-title = Remove { $name }?
ask-remove-member-text = They are logged out everywhere at once, and neither their password nor an invitation works any more. What they did stays in the audit log. You can let them in again.
ask-remove-member-button = Remove
ask-password-title = Confirm your password
ask-password-text = For your security, enter your password to continue. You will not be asked again for five minutes.
ask-password-button = Continue
ask-dismiss-title = Dismiss the request of { $name }?
ask-dismiss-text = The vendor's sandbox stays off. It can ask again.
ask-dismiss-button = Dismiss request
note = Note (optional)
note-hint = Goes to the audit log.

## Errors

refused-heading = This is not for you
refused = Your role does not allow this, or the form is too old. Nothing was changed. Go back, reload the page and try again.
nowhere-heading = There is nothing here
nowhere = The address is wrong, or what was here is gone.
too-large-heading = This is too large
too-large = What you sent is larger than we read: a file may have 256 KB. Nothing was changed. Go back, split it and try again.
wrong-way-heading = This address does not work like that
wrong-way = It is where a form is sent, and cannot be opened, or the other way round. Nothing was changed.
busy-heading = Too many people at once
busy =
    { $count ->
        [one] We could not look at your password now. Nothing was changed. Send it again in { $count } second.
       *[other] We could not look at your password now. Nothing was changed. Send it again in { $count } seconds.
    }
trouble-heading = Something broke on our side
trouble = We could not do this now, and do not know whether it was done. Look at the page again before you repeat it.
go-home = Go to the start

# Refunds
refunds = Refunds
refunds-none = Nothing was refunded yet.
refund-link = Refund
refund-by = Asked by
refund-id = Refund ID
refund-pending = Refund on its way
refund-succeeded = Refunded
refund-failed = Refund failed
refund-amount = Amount in { $currency }
refund-left = { $left } can still be refunded.
refund-reason = Reason
refund-reason-hint = Optional. You and your colleagues see it, and the answer of the API.
refund-wrong-amount = Write an amount greater than 0, such as 10.00, with no more decimals than the currency has.
refund-too-much = That is more than can still be refunded: { $left } is left.
refund-wrong-reason = Write at most 255 characters, without line breaks.
refund-nothing = Nothing is left to refund.
refund-balance = The balance does not cover this refund: it takes { $needed }, and { $available } is available. Refund less, or wait for further payments.
refund-unable = This payment cannot be refunded here. Ask the operator.
ask-refund-title = Refund this payment
ask-refund-text = The money goes back to the customer by the way it came. All that is left is filled in; write less for a part.
ask-refund-sure-title = Refund { $amount }?
ask-refund-sure = The customer gets the money back by the way it came. { $own } is taken from the balance at once, and is there again if the provider refuses. The fee stays as it is. A refund cannot be called off.
ask-refund-sure-fee = The customer gets the money back by the way it came. { $own } is taken from the balance at once, and is there again if the provider refuses; { $fee } of the fee is given back. A refund cannot be called off.
go-on = Go on
ask-refund-button = Refund
step-refund-asked = Refund of { $amount } asked for
step-refund-succeeded = { $amount } refunded
step-refund-failed = Refund of { $amount } failed
act-refund-requested = Asked for a refund
act-provider-set-up = Set a provider up
act-provider-changed = Changed a provider's set-up
act-provider-on = Switched a provider on
act-provider-off = Switched a provider off
act-providers-ordered = Changed the order of providers
detail-refund = { $amount } of session { $session }
notice-refunded = The refund is on its way.
nav-refunds = Refunds to send
hands-about = No provider can send these: no key to coins on chains is kept here. Send each from your own wallet to the address that the customer gives you, then name the transaction. It is checked on the chain before the refund counts.
hands-empty = No refund waits for you.
hands-empty-about = Refunds of payments on chains appear here, with what to send.
hand-worth = Send this to the customer. It is worth { $amount } at the price that was locked.
hand-note = What was named before is not it:
hand-to-sent = Name the transaction
hand-to-give-up = Cannot be sent
hand-to-sent-text = Only after you have sent it: the chain is asked about the transaction. The refund has succeeded when it is confirmed; if it is not the right one, the refund waits here again with the reason.
hand-to-give-up-text = Only if nothing was sent: the refund fails and its money goes back where it came from. This cannot be changed later.
hand-transaction = Transaction hash
hand-transaction-hint = 0x and 64 hex digits, as your wallet or a block explorer shows it.
hand-wrong-transaction = Write the hash of the transaction: 0x and 64 hex digits.
hand-taken = Another refund was sent by this transaction. One transaction sends one refund.
hand-reason = Why
hand-reason-hint = The vendor sees it. At most 255 characters.
hand-wrong-reason = Say why in 1 to 255 characters, without line breaks.
hand-may-arrive = The network has the transaction that was named for this refund, so the money may still arrive. Wait until it is confirmed or has failed.
hand-silent = No node says whether the transaction that was named for this refund may still arrive. Try again in a few minutes.
hand-unfit = This refund does not wait for you any more: somebody else was faster.
refund-by-hand = Is sent by hand
act-refund-sent = Named the transaction of a refund
act-refund-given-up = Said that a refund cannot be sent
notice-hand-sent = The transaction is being checked on the chain.
notice-hand-given-up = The refund has failed. Its money is where it came from.

terms-heading = Fees and settlement
terms-change = Change
terms-fees = Fees
terms-fee = Fee
terms-none = None
terms-no-fees = No fee is taken of this vendor's payments. Agree on one below.
terms-every-currency = every other currency
terms-on-refund = On a refund
terms-returned = Given back
terms-kept = Kept
terms-remove = Remove
terms-set-fee = Set a fee
terms-about = It takes the place of the fee of the same method and currency, and counts for payments from now on.
terms-currency-hint = Such as RUB. Empty: every currency that has no fee of its own.
terms-percent = Percent
terms-percent-hint = Such as 2.5, rounded to the nearest minor unit.
terms-fixed = Fixed amount
terms-fixed-hint = Such as 10.00. It needs a currency.
terms-give-back = A refund gives the fee back
terms-give-back-hint = In part if a part is refunded.
terms-settlement = Settlement
terms-delay = Settlement delay
terms-delay-own = A payment is available after { $delay }; this is agreed on with this vendor.
terms-delay-usual = A payment is available after { $delay }, as for every vendor.
terms-delay-hint = Such as 7d, 12h or 0s, at most 366d. Empty: as for every vendor, { $delay }.
terms-wrong-method = Choose a method.
terms-wrong-currency = There is no such currency. Write a code such as RUB, or leave it empty.
terms-no-currency = A fixed amount needs a currency.
terms-nothing = Write a percent, a fixed amount, or both.
terms-wrong-percent = Write a number from 0 to 100 with at most four decimals, such as 2.5.
terms-wrong-fixed = Write an amount of the currency, such as 10.00.
terms-wrong-delay = Write a duration such as 7d, 12h or 0s, at most 366d.
vendor-wallet = Wallet of the vendor
wallet-empty-operator = This vendor has no money yet. It appears here when one of its live sessions is paid.
wallet-empty-how-operator = Then you see what is available, what still has to settle, and every entry that changed it.
wallet-payouts-operator = On its way to the vendor
decide-accept-unbooked = No book has this money: it came before the books were begun, or the provider only claims it. Your decision is written down and moves nothing: settle it with the vendor yourself.
decide-refund-unbooked = No book has this money: it came before the books were begun, or the provider only claims it. Your decision is written down and moves nothing: send the money back at the provider yourself.
