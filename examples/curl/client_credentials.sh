#!/bin/sh
# A token for the client itself, without a user (RFC 6749 section 4.4).
. "${0%/*}/settings"
credentials |
    curl -sS --fail-with-body --config - --data grant_type=client_credentials --data-urlencode "scope=${SCOPE:-reports}" "$(endpoint token_endpoint)"
