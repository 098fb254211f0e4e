#!/bin/sh
# The claims that the access token of the answer on standard input releases (OpenID Connect Core 1.0 section 5.3).
. "${0%/*}/settings"
answer=$(cat)
token=$(given access_token)
option header "Authorization: Bearer $token" | curl -sS --fail-with-body --config - "$(endpoint userinfo_endpoint)"
