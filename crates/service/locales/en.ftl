# The checkout in English. ru.ftl has the same keys and variables; a test compares them.

## Frame

skip = Skip to payment
language = Language
back-to = Back to { $shop }
runs-on = Payments run on
help = Help
terms = Terms
privacy = Privacy
shop-unnamed = the shop
tape-sandbox-name = Sandbox.
tape-sandbox = Test page. No money moves, and we don’t send a receipt.
tape-simulated-name = Simulated payments.
tape-simulated = No money moves.
error-prefix = Error: { $title }
connection-lost = Connection lost. Your payment isn’t affected.
copy = Copy
copied = Copied
five-minutes-left = 5 minutes left
one-minute-left = 1 minute left
time-is-up = Time is up

## Statuses

status = Status
status-pending = Pending
status-confirming = Pending, confirming
status-paid = Paid
status-refunded = Refunded
status-partly-refunded = Partly refunded
status-failed = Failed
status-expired = Expired

## Order

order-summary = Order summary
amount-due = Amount due
order-number = Order { $order }
rate = Rate
rate-line = 1 { $unit } = { $price }
time-left-to-pay = Time left to pay
code-valid-for = QR code valid for
rate-held-for = Rate locked for
bank-closes-in = Bank page closes in
valid-until = Pay by

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
no-method-heading = This shop can’t take payments right now
no-method = Your order is still there. Try again later, or contact the shop.
email-label = Email for the receipt
optional = optional
email-needed-label = Email for the receipt
email-needed-hint = The fiscal receipt required by law is sent to this address.
pay-card = Continue to card payment
pay-sbp = Continue with SBP
pay-crypto = Continue with crypto
paying = Paying…

## Problems

problem-heading = There is a problem
problem-email = This email doesn’t look right. Check it, or leave the field empty.
problem-email-needed = Enter a valid email: the fiscal receipt is sent to it.
problem-email-long = A fiscal receipt can only be sent to an address of up to 64 characters. Enter a shorter one.
problem-down-card = Card payments are not available right now. Choose another way to pay.
problem-down-sbp = SBP payments are not available right now. Choose another way to pay.
problem-down-crypto = Crypto payments are not available right now. Choose another way to pay.
problem-silent-card = The card payment you started hasn’t responded yet. Wait a few seconds, then try again.
problem-silent-sbp = The SBP payment you started hasn’t responded yet. Wait a few seconds, then try again.
problem-silent-crypto = The crypto payment you started hasn’t responded yet. Wait a few seconds, then try again.
problem-timed-out = The time to pay this way has run out. Choose another way to pay.
problem-start-failed = We couldn’t start the payment. No money was taken. Try again, or choose another way to pay.
problem-too-many-session = Too many attempts for this payment. Go back to the shop and start again.
problem-too-many-address-seconds =
    { $count ->
        [one] Too many payment attempts from your network. Try again in { $count } second.
       *[other] Too many payment attempts from your network. Try again in { $count } seconds.
    }
problem-too-many-address-minutes =
    { $count ->
        [one] Too many payment attempts from your network. Try again in { $count } minute.
       *[other] Too many payment attempts from your network. Try again in { $count } minutes.
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
problem-busy = That didn’t work. Try again in a moment.
error-word = Error:

## Test payments

test-title = Test payment { $amount } to { $shop }
test-heading = Choose how this test payment ends
test-hint-card = You’re paying by card. You don’t need card details.
test-hint-sbp = You’re paying with SBP. You don’t need a bank app.
test-hint-crypto = You’re paying with crypto. You don’t need any coins.
coin-legend = Which coin will you send?
outcome = Outcome
outcome-by_price = As the price says
outcome-by_price-hint = The last two digits of the price stand for this outcome.
outcome-paid = Succeeds
outcome-paid-hint = The bank approves the payment.
outcome-declined = Declined by the bank
outcome-declined-hint = The bank declines without giving a reason.
outcome-insufficient_funds = Insufficient funds
outcome-insufficient_funds-hint = The card doesn’t have enough funds.
outcome-three_ds = 3‑D Secure challenge
outcome-three_ds-hint = Opens a test bank page where you confirm or decline.
outcome-expire = Expire now
outcome-expire-hint =
    { $count ->
        [one] Ends the session without waiting { $count } minute.
       *[other] Ends the session without waiting { $count } minutes.
    }
delivery-label = How should the callback be delivered?
delivery-default = As set in the panel: { $fault }
delivery-hint = Test how your server copes. The correct callback always arrives afterward.
fault-none = Correctly
fault-drop = First attempt lost
fault-delay = First attempt delayed
fault-duplicate = Sent twice
fault-reorder = Followed by an older event
fault-bad_signature = First, an invalid signature
fault-wrong_secret = First, a signature by another secret
fault-old_timestamp = First, an old timestamp
fault-changed_body = First, a body changed after signing
fault-truncated = First, a body cut off
fault-wrong_environment = First, marked as live
fault-slow = Sent slowly
fault-unknown_event = First, an unknown event type
fault-unknown_field = First, unknown fields
finish-test = Finish test payment
finishing = Finishing…
callback-to = Callback to
return-address = Return to
customer-email = Customer email
no-address = not set

## Waiting

check-again = Check again
choose-another = Choose another way to pay
preparing-title = Preparing your payment of { $amount } to { $shop }
preparing-heading = Preparing your payment
preparing = We’re setting it up with the bank. This takes a few seconds.
processing-title = Waiting for your bank: { $amount } to { $shop }
processing-heading = Your bank is processing the payment
processing = Your bank hasn’t confirmed the payment yet.
processing-leave = You can leave this page open; it updates automatically.
do-not-pay-twice = Don’t pay again while this payment is in progress.
waiting-for-bank = Waiting for your bank
page-updates = This page updates automatically.
page-check = After you pay, select “Check again”.
page-check-result = Select “Check again” to see the result.

## The provider's page

bank-title = Continue at your bank: { $amount } to { $shop }
bank-heading = Continue at your bank
bank-hint = You’ll pay on your bank’s page, then come back here.
bank-continue = Continue to your bank
bank-again = Not done yet? Go back to your bank
embedded-title = Pay { $amount } to { $shop }
embedded-heading = Pay by card
embedded-hint = The payment provider runs this form. The shop doesn’t see your card.
embedded-pay = Pay { $amount }
embedded-loading = Loading the form
embedded-noscript = This form needs JavaScript. Turn it on, or choose another way to pay.

## SBP

qr-title = Pay { $amount } with SBP, { $shop }
qr-heading = Pay with SBP
qr-label = QR code to pay { $amount } with SBP
qr-step-open = Open your bank app on your phone
qr-step-scan = Point the camera at the QR code
qr-step-confirm = Check the amount and confirm
qr-no-fee = You pay no fee.
open-bank-app = Open bank app
open-simulated-bank = Open the simulated bank
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
confirming-left = We see your transfer, so there’s nothing else to pay. If you started another payment, don’t finish it.
confirmations = Confirmations
confirmations-of = { $seen } of { $needed }
confirmations-spoken = Confirmations: { $seen } of { $needed }
received = Received
seen-at = Seen at
can-close = You can close this page. The timer has stopped, and { $shop } gets the payment as soon as the transfer is confirmed.
confirming-short = { $coins } is still missing. Send it to the same address: { $address }

## Results

details = Details
item = Item
order = Order
return-to = Return to { $shop }
paid-title = Paid { $amount } to { $shop }
paid-heading = Paid to { $shop }
paid = Your payment is complete. You can go back to the shop now.
paid-no-return = Your payment is complete. You can close this page.
paid-with = Paid with
paid-at = Paid at
receipt = Receipt
receipt-queued = Sending to { $email }
receipt-sent = Sent to { $email }
receipt-failed = We couldn’t send it to { $email }. Open it here instead.
receipt-open = Open receipt
receipt-title = Receipt from { $shop }
receipt-heading = Receipt
receipt-of-refund-heading = Refund receipt
receipt-number = Receipt number
receipt-print = Print
seller = Seller
seller-contact = Seller’s contact
provider-reference = Payment provider’s ID
receipt-text = Keep this receipt as proof of payment.
receipt-refunded-part = Partially refunded
receipt-refunded = Refunded
refunded = Refunded
refunded-at = Refunded at
refunded-heading = Refunded by { $shop }
refunded-text = The money goes back the way you paid. Your bank may take a few days.
paid-over = You sent { $coins } too much. Contact { $shop } to get it back.
keep-page = Keep this page or the receipt as proof of payment.
keep-page-only = Keep this page as proof of payment.
returning = Returning to { $shop } in
seconds-short = s.
stay-here = Stay here
already-title = Already paid: { $amount } to { $shop }
already-heading = This is already paid
already = You don’t need to pay again.
pay-again = Pay again anyway
pay-again-means = You’ll be charged { $amount } a second time for the same order.
pay-again-confirm = Yes, pay again
failed-title = Payment failed. { $shop }
failed-heading = The payment didn’t go through
nothing-charged = You haven’t been charged.
not-confirmed = We couldn’t confirm this payment. Don’t pay again yet.
reason-card_declined = Your bank declined this payment.
reason-insufficient_funds =
    { $method ->
        [card] The card has insufficient funds.
       *[other] The account has insufficient funds.
    }
reason-card_expired = This card has expired.
reason-three_ds_failed = Your bank couldn’t confirm it was you.
reason-canceled_by_customer = The payment was canceled.
reason-provider_error = The payment service couldn’t complete the payment.
reason-unconfirmed = The network never confirmed the transfer.
tried-with = Attempted with
tried-at = Attempted at
reference = Reference
try-again = Try again at { $shop }
closed = This payment is closed. Go back to the shop to start a new one.
questions = Questions?
expired-title = Payment page expired. { $shop }
expired-heading = This payment page has expired
expired =
    { $count ->
        [one] The payment window closed before a payment arrived.
       *[other] The payment window closed before a payment arrived.
    }
expired-short = The time ran out before the full amount arrived.
expired-partial = We received { $coins }, less than the amount due. Contact { $shop } about it.
expired-twice = Already paid in your bank app? Don’t pay twice. Check with { $shop } first.
expired-at = Expired at
start-again = Return to { $shop } to start again

## Mails about payments

mail-receipt-subject = Receipt from { $shop }: { $amount }
mail-refund-subject = Refund from { $shop }: { $amount }
mail-receipt-foot = You get this email because this address was entered when paying { $shop }. For questions about the order, contact the shop.
mail-undelivered-heading =
    { $count ->
        [one] { $count } callback was not delivered
       *[other] { $count } callbacks were not delivered
    }
mail-undelivered-text = Your server did not accept any attempt, so it may not know that these payments ended. Fix the endpoint, then resend the callbacks from the panel. The latest:
mail-undelivered-open = View them in the panel
mail-undelivered-foot = You get this at most once an hour, at the contact email in your settings, and only for live payments.

## Pages without a payment

not-found-title = Payment not found
not-found-heading = We can’t find this payment
not-found = Check the link or go back to the shop.
no-receipt-title = Receipt not found
no-receipt-heading = We can’t find this receipt
no-receipt = Check the link. You’ll find it in the receipt email and on the payment page.
no-page-title = Page not found
no-page-heading = Page not found
no-page = Check the address, or go back to where you came from.
sandbox-off-title = Sandbox mode is off
sandbox-off-heading = Sandbox mode is off
sandbox-off = This is a test payment, but sandbox mode is off for this shop. You haven’t been charged.
sandbox-off-ask = The service operator can turn it on.
error-title = Something went wrong
error-heading = Something went wrong on our side
error = Reload this page before you try to pay.
error-retry = Wait a moment, then reload this page.
leave-title = Leave without paying? – { $shop }
leave-unpaid-heading = Leave without paying?
leave-unpaid = You’ll go to { $host }. You can come back to this page and pay until the time is up.
leave-unpaid-stay = Stay and pay
leave-under-way-heading = Leave this page?
leave-under-way = You’ll go to { $host }. Your payment continues without this page.
leave-under-way-stay = Stay on this page
leave-go = Go to { $host }

forbidden-title = Form not accepted
forbidden-heading = We couldn’t accept this form
forbidden = It didn’t come from our payment page. You haven’t been charged.
forbidden-retry = Open the payment link again and pay from there.

## The page that plays the bank

challenge-title = Test 3‑D Secure. { $shop }
challenge-heading = Test bank: confirm it’s you
challenge = Stands in for the page a real bank shows for 3‑D Secure.
simulated-title = Simulated bank. { $shop }
simulated-heading = Simulated bank
simulated = Stands in for a real bank. Choose how it responds.
simulated-after = This payment is over. Choose what happens next.
simulated-done = Done. The panel shows it, and the callback is on its way.
simulated-too-many = Too many requests for this vendor. Wait a moment and try again.
simulate-next = Test what happens next
challenge-to = To
challenge-with = Paying with
test-card = Test card
sending = Sending…
decision-confirm = Confirm (session is paid)
decision-refuse = Decline (session fails)
decision-approve = Approve the payment
decision-approve_slowly = Approve after a delay
decision-decline = Decline the payment
decision-insufficient_funds = Decline: insufficient funds
decision-card_expired = Decline: card expired
decision-three_ds = Require 3‑D Secure first
decision-cancel = Cancel (as the customer)
decision-pay = Pay in the bank app
decision-pay_exact = Send the exact amount
decision-pay_short = Send too little
decision-pay_over = Send too much
decision-expire = Let the session expire
decision-approve_late = Pay late, after the session has expired
decision-dispute = Dispute the payment (chargeback)
decision-refuse_refunds = Decline refunds of this payment
decision-refund = Refund what is left
decision-payment_late = Late payment arrives
decision-payment_partial = Part of the amount arrives late
decision-payment_over = More money than the price arrives
decision-payment_accepted = Keep the money that is on hold
decision-payment_refunded = Refund the money that is on hold
decision-dispute_opened = Open a dispute (chargeback)
decision-dispute_won = Win the dispute
decision-dispute_lost = Lose the dispute
decision-leave = Leave (session stays pending)
decision-back = Back to the payment page
