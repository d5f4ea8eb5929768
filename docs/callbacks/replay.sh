#!/usr/bin/env bash
# replay.sh BODY_FILE URL, with the client secret in TILL_SECRET: sends the file as Till would, signed now.
set -euo pipefail
hmac() { openssl dgst -sha256 -hmac "$TILL_SECRET" -binary; }
id=$(sed -n 's/.*"eventId":"\([^"]*\)".*/\1/p' "$1")
time=$(date +%s)
signature=$(hmac <"$1" | od -An -v -tx1 | tr -d ' \n')
standard=$({ printf '%s.%s.' "$id" "$time"; cat "$1"; } | hmac | openssl base64 -A)
curl --include --max-time 10 --data-binary "@$1" \
  -H "Content-Type: application/json" -H "X-Signature: $signature" -H "X-Attempt: 1" -H "X-Environment: sandbox" \
  -H "webhook-id: $id" -H "webhook-timestamp: $time" -H "webhook-signature: v1,$standard" "$2"
