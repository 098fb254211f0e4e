#!/bin/sh
# A token of the client's own, on behalf of nobody (RFC 6749 section 4.4).
. "${0%/*}/settings"
credentials |
    curl -sS --fail-with-body --config - --data grant_type=client_credentials --data-urlencode "scope=${SCOPE:-reports}" "$(endpoint token_endpoint)"
