"""An API that verifies access tokens with PyJWT, which finds the key by the token's kid; the rest is what it is told to demand."""
import importlib.metadata
import json
import os
import urllib.request

import jwt

from calls import serve

with urllib.request.urlopen(os.environ["ISSUER"] + "/.well-known/openid-configuration") as answer:
    metadata = json.load(answer)
keys = jwt.PyJWKClient(metadata["jwks_uri"])


def version():
    return importlib.metadata.version("pyjwt")


def verify(token):
    if jwt.get_unverified_header(token)["typ"] != "at+jwt":
        raise jwt.InvalidTokenError("not an access token")
    return jwt.decode(
        token, keys.get_signing_key_from_jwt(token).key, algorithms=metadata["id_token_signing_alg_values_supported"],
        issuer=metadata["issuer"], audience=os.environ["AUDIENCE"], options={"require": ["exp", "iss", "aud", "sub", "client_id"]})


serve({function.__name__: function for function in (version, verify)})
