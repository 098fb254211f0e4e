#!/bin/sh
# What the server can do and where (OpenID Connect Discovery 1.0).
. "${0%/*}/settings"
curl -fsS "$ISSUER/.well-known/openid-configuration"
