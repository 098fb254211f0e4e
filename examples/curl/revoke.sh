#!/bin/sh
# Ends a token and all that came with it (RFC 7009). Of the answer on standard input: the refresh_token, or the access_token if the argument says so.
. "${0%/*}/settings"
answer=$(cat)
token=$(given "${1:-refresh_token}")
{ credentials; option data-urlencode "token=$token"; } | curl -sS --fail-with-body --config - "$(endpoint revocation_endpoint)"
