#!/bin/sh
# Introspects a token (RFC 7662): the access_token of the answer on standard input, or the refresh_token if the argument says so.
. "${0%/*}/settings"
answer=$(cat)
token=$(given "${1:-access_token}")
{ credentials; option data-urlencode "token=$token"; } | curl -sS --fail-with-body --config - "$(endpoint introspection_endpoint)"
