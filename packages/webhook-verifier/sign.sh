#!/bin/sh
# The signature of a push (the v1 of X-Webhook-Signature), by openssl alone.
# Usage: sign.sh SECRET TIMESTAMP < BODY
set -eu
{ printf '%s.' "$2" && cat; } | openssl dgst -sha256 -hmac "$1" | sed 's/^.*= *//'
