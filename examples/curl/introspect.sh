#!/bin/sh
# What is this token, and is it good? (RFC 7662.) Of the answer on standard input: the access_token, or the refresh_token if the argument says so.
. "${0%/*}/settings"
answer=$(cat)
token=$(given "${1:-access_token}")
{ credentials; option data-urlencode "token=$token"; } | curl -sS --fail-with-body --config - "$(endpoint introspection_endpoint)"
