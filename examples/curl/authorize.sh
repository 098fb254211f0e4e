#!/bin/sh
# A complete login: sends an authorization request (RFC 6749 section 4.1.1), fills in the login form and the consent form as a
# browser would, and prints the code. LOGIN_NAME and LOGIN_PASSWORD are the user. COOKIES=FILE stores the session in that file.
. "${0%/*}/settings"
: "${LOGIN_NAME:=demo}" "${LOGIN_PASSWORD:?is not set, make run says where it is}" "${SCOPE:=openid profile email}"

page=$(mktemp)
cookies=${COOKIES:-$page.cookies}
trap 'rm -f "$page" "$page.cookies"' EXIT

# One request: stores its page in $page and prints where it redirects to.
request() { curl -sS -b "$cookies" -c "$cookies" -o "$page" -w '%{redirect_url}' "$@"; }

# Follows redirects from $location to a page, or to the client's own address, which is not visited.
follow() {
    while [ -n "$location" ] && [ "${location#"$REDIRECT_URI"}" = "$location" ]; do location=$(request "$location"); done
}

# The value that follows this text in the page.
behind() { sed -n "s|.*$1\"\([^\"]*\)\".*|\1|p" "$page"; }

# submit FIELD...: sends the page's form with its hidden fields and these.
submit() {
    action=$(behind '<form method="post" action=')
    location=$(for field in "csrf=$(behind 'name="csrf" value=')" "resume=$(behind 'name="resume" value=')" "$@"; do
        option data-urlencode "$field"
    done | request --config - "$action")
    follow
}

state=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
location=$(request --get --data response_type=code --data-urlencode "client_id=$CLIENT_ID" --data-urlencode "redirect_uri=$REDIRECT_URI" \
    --data-urlencode "scope=$SCOPE" --data "state=$state" "$(endpoint authorization_endpoint)")
follow
if grep -q 'name="password"' "$page"; then submit "username=$LOGIN_NAME" "password=$LOGIN_PASSWORD"; fi
if grep -q 'value="approve"' "$page"; then submit decision=approve; fi

parameter() { printf '%s\n' "$location" | sed -n "s/.*[?&]$1=\([^&]*\).*/\1/p"; }
if [ -z "$location" ]; then
    echo "authorize.sh: left on the page \"$(sed -n 's|.*<title>\(.*\)</title>.*|\1|p' "$page")\"" >&2
    exit 1
elif [ "$(parameter state)" != "$state" ] || [ -z "$(parameter code)" ]; then
    echo "authorize.sh: refused: $(parameter error)" >&2
    exit 1
fi
parameter code
