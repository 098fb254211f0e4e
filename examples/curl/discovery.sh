#!/bin/sh
# The server's features and endpoints (OpenID Connect Discovery 1.0).
. "${0%/*}/settings"
curl -fsS "$ISSUER/.well-known/openid-configuration"
