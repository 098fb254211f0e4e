#!/bin/sh
# Exchanges the refresh token of the answer on standard input for new tokens (RFC 6749 section 6). The old one can no longer be used: keep the new answer.
. "${0%/*}/settings"
answer=$(cat)
token=$(given refresh_token)
{ credentials; option data-urlencode "refresh_token=$token"; } |
    curl -sS --fail-with-body --config - --data grant_type=refresh_token "$(endpoint token_endpoint)"
