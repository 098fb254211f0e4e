#!/bin/sh
# Exchanges the code on standard input for tokens (RFC 6749 section 4.1.3).
. "${0%/*}/settings"
read -r code
{ credentials; option data-urlencode "code=$code"; } |
    curl -sS --fail-with-body --config - --data grant_type=authorization_code --data-urlencode "redirect_uri=$REDIRECT_URI" "$(endpoint token_endpoint)"
