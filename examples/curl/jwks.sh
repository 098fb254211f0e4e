#!/bin/sh
# The public keys that verify its tokens (RFC 7517).
. "${0%/*}/settings"
curl -fsS "$(endpoint jwks_uri)"
