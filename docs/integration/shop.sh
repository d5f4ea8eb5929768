#!/usr/bin/env bash
# A shop in one file: an order, its payment, and the callback that confirms it.
# A shell cannot listen, so it fetches the callback: the same body with the same signature.
set -euo pipefail
price=49.90 currency=EUR order_id=A-$(openssl rand -hex 8) cart=C-77 folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
hmac() { openssl dgst -sha256 -hmac "$1" -r; }
verify() { # SECRET BODY_FILE X_SIGNATURE
  local blind expected given
  # Hash both again with a random key, so that the comparison time reveals nothing.
  [ -n "$1" ] && blind=$(openssl rand -hex 32) && expected=$(hmac "$1" <"$2") &&
    expected=$(printf %s "${expected%% *}" | hmac "$blind") && given=$(printf %s "$3" | hmac "$blind") &&
    [ "$expected" = "$given" ]
}
text() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; } # the text of a field, of JSON in one line
call() { # URL [CURL OPTION]...
  curl --silent --show-error --fail-with-body --max-time 40 -H "Content-Type: application/json" "${@:2}" "$1"
}

token=$(call "$TILL_API/tokens" -d @- <<BODY | text access_token
{"client_id":"$TILL_CLIENT_ID","client_secret":"$TILL_CLIENT_SECRET"}
BODY
)
auth="Authorization: Bearer $token"
session=$(call "$TILL_SESSIONS" --retry 3 -H "$auth" -H "Idempotency-Key: $order_id" -d @- <<BODY
{"product_name":"Atlas","price":"$price","currency":"$currency","order_id":"$order_id",
 "metadata":{"cart":"$cart"}}
BODY
)
session_id=$(text session_id <<<"$session")
echo "pay at $(text session_url <<<"$session")"
case $TILL_SESSIONS in */sandbox/*) # in the sandbox, simulate the payment
  call "$TILL_SESSIONS/$session_id/simulate" -H "$auth" -d '{"outcome":"paid"}' >/dev/null ;;
esac

after= told= # in your shop: the cursor is kept, and the ids of the events
while [ -z "$told" ]; do
  call "$TILL_API/callbacks?limit=1&wait=30s$after" -H "$auth" >"$folder/page"
  after="&after=$(text next <"$folder/page")"
  sed -n 's/.*"body":"\(.*\)"}\],"next":.*/\1/p' "$folder/page" | sed 's/\\\(.\)/\1/g' | tr -d '\n' >"$folder/body"
  [ -s "$folder/body" ] || continue
  if ! verify "$TILL_CLIENT_SECRET" "$folder/body" "$(text x-signature <"$folder/page")"; then
    echo "refused: the signature is wrong" >&2
    continue
  fi
  case $(text event <"$folder/body") in session.paid|session.failed|session.expired) ;; *) continue ;; esac
  if [ "$(text orderId <"$folder/body") $(text sessionId <"$folder/body")" = "$order_id $session_id" ]; then
    told="refused: this is not what was ordered"
    [ "$(text price <"$folder/body") $(text currency <"$folder/body")" != "$price $currency" ] ||
      told=$(text status <"$folder/body")
  fi
done
echo "callback: $told"
status=$(call "$TILL_SESSIONS/$session_id" -H "$auth" | text status)
echo "status: $status"
listed=$(call "$TILL_SESSIONS?order_id=$order_id" -H "$auth" | text cart) # all sessions of the order
echo "cart: $listed"
[ "$told $status $listed" = "paid paid $cart" ]
