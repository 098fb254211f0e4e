#!/bin/sh
# Revokes a token (RFC 7009): the refresh_token of the answer on standard input, or the access_token if the argument says so.
. "${0%/*}/settings"
answer=$(cat)
token=$(given "${1:-refresh_token}")
{ credentials; option data-urlencode "token=$token"; } | curl -sS --fail-with-body --config - "$(endpoint revocation_endpoint)"
