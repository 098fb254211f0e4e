#!/bin/sh
# The public keys that its tokens verify with (RFC 7517).
. "${0%/*}/settings"
curl -fsS "$(endpoint jwks_uri)"
