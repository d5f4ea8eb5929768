#!/usr/bin/env bash
# verify.sh BODY_FILE X_SIGNATURE, with the client secret in TILL_SECRET. Exit status 0 means right.
# For trying things out: while openssl runs, the process list shows the secret.
set -euo pipefail
hmac() { openssl dgst -sha256 -hmac "$1" -r; }
verify() { # SECRET BODY_FILE X_SIGNATURE
  local blind expected given
  # Hash both again with a random key, so that the comparison time reveals nothing.
  [ -n "$1" ] && blind=$(openssl rand -hex 32) && expected=$(hmac "$1" <"$2") &&
    expected=$(printf %s "${expected%% *}" | hmac "$blind") && given=$(printf %s "$3" | hmac "$blind") &&
    [ "$expected" = "$given" ]
}
verify "$TILL_SECRET" "$1" "$2"
