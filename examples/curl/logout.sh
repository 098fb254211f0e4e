#!/bin/sh
# Logs out the user of the ID token in the answer on standard input (OpenID Connect RP-Initiated Logout 1.0), and
# prints where the browser would go then. COOKIES=FILE is the session that authorize.sh stored.
. "${0%/*}/settings"
answer=$(cat)
token=$(given id_token)
option data-urlencode "id_token_hint=$token" |
    curl -sS --fail-with-body --get --config - -b "${COOKIES:-/dev/null}" -o /dev/null -w '%{redirect_url}\n' \
        --data-urlencode "post_logout_redirect_uri=$REDIRECT_URI" "$(endpoint end_session_endpoint)"
