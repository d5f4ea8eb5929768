# The checkout in English. ru.ftl has the same keys and variables; a test compares them.

## Frame

skip = Skip to payment
language = Language
back-to = Back to { $shop }
runs-on = Payments run on
help = Help
shop-unnamed = the shop
tape-sandbox-name = Sandbox.
tape-sandbox = A test page. No money moves and no receipt is sent.
tape-simulated-name = Simulated payments.
tape-simulated = No money moves.
error-prefix = Error: { $title }
connection-lost = Connection lost. Your payment is not affected.
copy = Copy
copied = Copied
five-minutes-left = 5 minutes left
one-minute-left = 1 minute left
time-is-up = The time is up

## Statuses

status = Status
status-pending = Pending
status-confirming = Pending, confirming
status-paid = Paid
status-failed = Failed
status-expired = Expired

## Order

order-summary = Order summary
amount-due = Amount due
order-number = Order { $order }
rate = Rate
rate-line = 1 { $unit } = { $price }
time-left-to-pay = Time left to pay
code-valid-for = QR code is valid for
rate-held-for = Rate held for
bank-closes-in = Bank page closes in

## Methods

methods-title = Pay { $amount } to { $shop }
methods-heading = How would you like to pay?
method-card = Card
method-sbp = SBP
method-crypto = Crypto
method-card-hint = Your bank may ask you to confirm
method-sbp-hint =
    { $count ->
        [one] Scan a QR code or open your bank app. Valid for { $count } minute
       *[other] Scan a QR code or open your bank app. Valid for { $count } minutes
    }
method-crypto-hint =
    { $count ->
        [one] Send coins from your wallet. You have { $count } minute
       *[other] Send coins from your wallet. You have { $count } minutes
    }
only-card = Pay by card
only-sbp = Pay with SBP
only-crypto = Pay with crypto
panel-down-card = Card payments are not available right now.
panel-down-sbp = SBP payments are not available right now.
panel-down-crypto = Crypto payments are not available right now.
panel-timed-out = The time to pay this way has run out.
no-method-heading = This shop cannot take payments right now
no-method = Your order is still there. Try again later, or ask the shop.
email-label = Email for the receipt
optional = optional
pay-card = Pay { $amount }
pay-sbp = Continue with SBP
pay-crypto = Continue with crypto
paying = Paying…

## Problems

problem-heading = There is a problem
problem-email = This email looks wrong. Check it or leave it empty.
problem-down-card = Card payments are not available right now. Try another way to pay.
problem-down-sbp = SBP payments are not available right now. Try another way to pay.
problem-down-crypto = Crypto payments are not available right now. Try another way to pay.
problem-silent-card = The card payment you started is not responding yet. Wait a few seconds, then try again.
problem-silent-sbp = The SBP payment you started is not responding yet. Wait a few seconds, then try again.
problem-silent-crypto = The crypto payment you started is not responding yet. Wait a few seconds, then try again.
problem-timed-out = The time to pay this way has run out. Try another way to pay.
problem-start-failed = The payment could not be started. No money was taken. Try again or choose another way to pay.
problem-too-many-session = This payment was tried too many times. Go back to the shop and start again.
problem-too-many-address-seconds =
    { $count ->
        [one] Too many payments were tried from your network. Try again in { $count } second.
       *[other] Too many payments were tried from your network. Try again in { $count } seconds.
    }
problem-too-many-address-minutes =
    { $count ->
        [one] Too many payments were tried from your network. Try again in { $count } minute.
       *[other] Too many payments were tried from your network. Try again in { $count } minutes.
    }
problem-too-many-vendor-seconds =
    { $count ->
        [one] This shop is receiving too many payments right now. Try again in { $count } second.
       *[other] This shop is receiving too many payments right now. Try again in { $count } seconds.
    }
problem-too-many-vendor-minutes =
    { $count ->
        [one] This shop is receiving too many payments right now. Try again in { $count } minute.
       *[other] This shop is receiving too many payments right now. Try again in { $count } minutes.
    }
problem-busy = This did not work right now. Try again in a moment.
error-word = Error:

## Test payments

test-title = Test payment { $amount } to { $shop }
test-heading = Choose how this test payment ends
test-hint-card = You are paying by card. No card details are needed.
test-hint-sbp = You are paying with SBP. No bank app is needed.
test-hint-crypto = You are paying with crypto. No coins are needed.
coin-legend = Which coin will you send?
outcome = Outcome
outcome-paid = Succeeds
outcome-paid-hint = The bank approves the payment.
outcome-declined = Declined by the bank
outcome-declined-hint = A general refusal with no reason given.
outcome-insufficient_funds = Insufficient funds
outcome-insufficient_funds-hint = The card has too little money.
outcome-three_ds = 3‑D Secure challenge
outcome-three_ds-hint = Opens a test bank page where you confirm or refuse.
outcome-expire = Expire now
outcome-expire-hint =
    { $count ->
        [one] Ends the session without waiting { $count } minute.
       *[other] Ends the session without waiting { $count } minutes.
    }
finish-test = Finish test payment
finishing = Finishing…
callback-to = Callback to
return-address = Return to
no-address = no address was set

## Waiting

check-again = Check again
choose-another = Choose another way to pay
preparing-title = Preparing your payment of { $amount } to { $shop }
preparing-heading = Preparing your payment
preparing = We are setting it up with the bank. This takes a few seconds.
processing-title = Waiting for your bank: { $amount } to { $shop }
processing-heading = Your bank is working on it
processing = The payment has not been decided yet. You can leave this page open; it updates by itself.
do-not-pay-twice = Do not pay a second time while this is running.
waiting-for-bank = Waiting for your bank
page-updates = This page updates by itself.

## The provider's page

bank-title = Continue at your bank: { $amount } to { $shop }
bank-heading = Continue at your bank
bank-hint = You pay on your bank's own page and come back here afterwards.
bank-continue = Continue to your bank
embedded-title = Pay { $amount } to { $shop }
embedded-heading = Pay by card
embedded-hint = The form is your payment provider's own. The shop does not see your card.
embedded-loading = The form is loading
embedded-noscript = This form needs JavaScript. Switch it on, or choose another way to pay.

## SBP

qr-title = Pay { $amount } with SBP, { $shop }
qr-heading = Pay with SBP
qr-label = QR code to pay { $amount } with SBP
qr-step-open = Open your bank app on your phone
qr-step-scan = Point the camera at the QR code
qr-step-confirm = Check the amount and confirm
qr-no-fee = This page updates by itself. There is no fee for you.
open-bank-app = Open bank app
or-choose-bank = Or choose your bank
other-phone = Pay from another phone with a QR code

## Crypto

address-title = Send { $coins } to { $shop }
address-heading = Send exactly { $coins }
address-more-heading = Send { $coins } more
address-partial = We received { $received } of { $coins }. Send { $missing } more to the same address.
address-qr-label = QR code with the address and the amount
network = Network
amount = Amount
address = Address
open-in-wallet = Open in wallet
wrong-network = Send only { $unit }, and only on { $network }. Coins sent any other way may be lost.
waiting-for-transfer = Waiting for your transfer to appear on the network
confirming-title = Confirming { $seen } of { $needed }: { $shop }
confirming-heading = Your transfer is on the network
confirming =
    { $count ->
        [one] We can see it. It becomes final after { $count } confirmation.
       *[other] We can see it. It becomes final after { $count } confirmations.
    }
confirming-left = We see your transfer, so there is nothing else to pay. If you started another payment, do not finish it.
confirmations = Confirmations
confirmations-of = { $seen } of { $needed }
confirmations-spoken = Confirmations: { $seen } of { $needed }
received = Received
seen-at = Seen at
transaction = Transaction
can-close = You can close this page. The timer has stopped, and { $shop } is told as soon as the transfer is final.

## Results

details = Details
item = Item
order = Order
return-to = Return to { $shop }
paid-title = Paid { $amount } to { $shop }
paid-heading = Paid to { $shop }
paid = The shop is being told. You can return to it now.
paid-no-return = The shop is being told. You can close this page.
paid-with = Paid with
paid-at = Paid at
receipt = Receipt
receipt-queued = Goes to { $email }
receipt-sent = Sent to { $email }
receipt-failed = Could not be sent to { $email }. Open it here instead.
receipt-open = Open the receipt
receipt-title = Receipt from { $shop }
receipt-text = Keep this receipt as proof of payment.
receipt-refunded-part = Refunded in part
receipt-refunded = Refunded
refunded = Refunded
refunded-at = Refunded at
refunded-heading = Refunded by { $shop }
refunded-text = The money goes back the way it was paid. Banks may take a few days.
paid-over = You sent { $coins } more than was due. Ask { $shop } about it.
keep-page = Keep this page or the receipt as proof of payment.
keep-page-only = Keep this page as proof of payment.
already-title = Already paid: { $amount } to { $shop }
already-heading = This is already paid
already = You don't need to pay again.
pay-again = Pay again anyway
pay-again-means = You'll be charged { $amount } a second time for the same order.
pay-again-confirm = Yes, pay again
failed-title = Payment failed. { $shop }
failed-heading = The payment did not go through
nothing-charged = Nothing was charged.
not-confirmed = We could not confirm this payment. Do not pay again yet.
reason-card_declined = Your bank declined this payment.
reason-insufficient_funds =
    { $method ->
        [card] There is not enough money on the card.
       *[other] There is not enough money on the account.
    }
reason-card_expired = This card has expired.
reason-three_ds_failed = Your bank could not confirm it was you.
reason-canceled_by_customer = The payment was cancelled.
reason-provider_error = The payment service could not complete the payment.
reason-unconfirmed = The network never confirmed the transfer.
tried-with = Tried with
tried-at = Tried at
reference = Reference
try-again = Try again at { $shop }
closed = This payment is closed. The shop opens a new one for your order.
questions = Questions?
expired-title = Payment page expired. { $shop }
expired-heading = This payment page has expired
expired =
    { $count ->
        [one] It was open for { $count } minute without a payment.
       *[other] It was open for { $count } minutes without a payment.
    }
expired-short = The time ran out before the whole amount arrived.
expired-partial = We received { $coins }, which is less than was due. Ask { $shop } about it.
expired-twice = Already paid in your bank app? Do not pay twice. Check with { $shop } first.
expired-at = Expired at
start-again = Return to { $shop } to start again

## Mails about payments

mail-receipt-subject = Receipt from { $shop }: { $amount }
mail-refund-subject = Refund from { $shop }: { $amount }
mail-receipt-foot = You get this mail because this address was given when paying { $shop }. Questions about the order go to the shop.
mail-undelivered-heading =
    { $count ->
        [one] { $count } callback could not be delivered
       *[other] { $count } callbacks could not be delivered
    }
mail-undelivered-text = Your server did not answer with success on any attempt, so it may not know that these payments ended. Mend it, then send the callbacks again from the panel. The newest:
mail-undelivered-open = See them in the panel
mail-undelivered-foot = This is told at most once an hour, to the contact e-mail of the settings, and only about live payments.

## Pages without a payment

not-found-title = Payment not found
not-found-heading = We cannot find this payment
not-found = Check the link or go back to the shop.
no-receipt-title = Receipt not found
no-receipt-heading = We cannot find this receipt
no-receipt = Check the link. It is in the mail that brought the receipt, and on the page of the payment.
sandbox-off-title = Sandbox is off
sandbox-off-heading = The sandbox is off
sandbox-off = This is a test payment, and the sandbox of its shop is switched off. Nothing was charged.
sandbox-off-ask = Whoever runs this service can switch it on.
error-title = Something broke
error-heading = Something broke on our side
error = Look at this page again before you pay.
error-retry = Wait a moment, then load this page again.
leave-title = Leave without paying? – { $shop }
leave-unpaid-heading = Leave without paying?
leave-unpaid = You’ll go to { $host }. You can come back to this page and pay until the time is up.
leave-unpaid-stay = Stay and pay
leave-under-way-heading = Leave this page?
leave-under-way = You’ll go to { $host }. Your payment continues without this page.
leave-under-way-stay = Stay on this page
leave-go = Go to { $host }

forbidden-title = Not accepted
forbidden-heading = This form was not accepted
forbidden = It was not sent from our payment page. Nothing was charged.
forbidden-retry = Open the payment link again and pay from there.

## The page that plays the bank

challenge-title = Test 3‑D Secure. { $shop }
challenge-heading = Test bank: confirm it is you
challenge = A stand-in for the page a real bank would show for 3‑D Secure.
simulated-title = Simulated bank. { $shop }
simulated-heading = Simulated bank
simulated = A stand-in for a real bank. You decide what it answers.
challenge-to = To
challenge-with = Paying with
test-card = Test card
sending = Sending…
decision-confirm = Confirm, session becomes paid
decision-refuse = Refuse, session becomes failed
decision-approve = Approve the payment
decision-approve_slowly = Approve, but after a while
decision-decline = Decline the payment
decision-insufficient_funds = Decline: not enough money
decision-card_expired = Decline: the card has expired
decision-three_ds = Ask for 3‑D Secure first
decision-cancel = Cancel as the customer
decision-pay = Pay in the bank app
decision-pay_exact = Send the exact amount
decision-pay_short = Send less than is due
decision-pay_over = Send more than is due
decision-leave = Walk away, session stays pending
