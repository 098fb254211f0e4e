"""An application that signs people in with Authlib: OAuth2Session from its integration with requests, ID tokens by its JOSE."""
import importlib.metadata
import os

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Auth, OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken

from calls import serve

metadata = requests.get(os.environ["ISSUER"] + "/.well-known/openid-configuration").json()
# None lets the library choose: client_secret_basic with a secret, none without.
method = os.environ.get("AUTH_METHOD")
saved = []  # what it told the application to keep after a refresh
client = OAuth2Session(
    os.environ["CLIENT_ID"], os.environ.get("CLIENT_SECRET"), scope=os.environ.get("SCOPE"),
    redirect_uri="https://client.example/callback", code_challenge_method="S256",
    token_endpoint_auth_method=method, revocation_endpoint_auth_method=method, token_endpoint=metadata["token_endpoint"],
    update_token=lambda token, refresh_token=None, access_token=None: saved.append(dict(token)))
waiting = {}


def version():
    return importlib.metadata.version("authlib")


def login():
    waiting["verifier"], waiting["nonce"] = generate_token(48), generate_token()
    url, waiting["state"] = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=waiting["verifier"], nonce=waiting["nonce"])
    return url


def callback(url):
    return client.fetch_token(authorization_response=url, state=waiting["state"], code_verifier=waiting["verifier"])


def id_token(nonce=None):
    """Signature, iss, aud, exp, iat, nonce and at_hash, verified by the library; answers the claims."""
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
    options = {"iss": {"essential": True, "value": metadata["issuer"]}, "aud": {"essential": True, "value": client.client_id}}
    expected = {"nonce": nonce or waiting["nonce"], "client_id": client.client_id, "access_token": client.token["access_token"]}
    claims = JsonWebToken(metadata["id_token_signing_alg_values_supported"]).decode(
        client.token["id_token"], keys, claims_cls=CodeIDToken, claims_options=options, claims_params=expected)
    claims.validate()
    return claims


def userinfo():
    return answered(client.get(metadata["userinfo_endpoint"]))


def userinfo_without_session():
    return answered(requests.get(metadata["userinfo_endpoint"], auth=OAuth2Auth(dict(client.token))))


def answered(response):
    response.raise_for_status()
    return response.json()


def refresh():
    return client.refresh_token(metadata["token_endpoint"])


def userinfo_after_expiry():
    """The session finds its token expired, refreshes by itself and has the application keep the new one."""
    client.token = {**client.token, "expires_at": 1}
    return {"userinfo": userinfo(), "saved": saved[-1]}


def refresh_with(token):
    return client.refresh_token(metadata["token_endpoint"], refresh_token=token)


def introspect(token, hint=None):
    return answered(client.introspect_token(metadata["introspection_endpoint"], token=token, token_type_hint=hint))


def revoke(token, hint=None):
    client.revoke_token(metadata["revocation_endpoint"], token=token, token_type_hint=hint).raise_for_status()


def client_credentials(scope):
    return client.fetch_token(grant_type="client_credentials", scope=scope)


def implicit_login():
    url, waiting["state"] = client.create_authorization_url(metadata["authorization_endpoint"], response_type="token")
    return url


def implicit_callback(url):
    return client.fetch_token(authorization_response=url, state=waiting["state"])


serve({function.__name__: function for function in (
    version, login, callback, id_token, userinfo, userinfo_without_session, refresh, userinfo_after_expiry, refresh_with, introspect, revoke,
    client_credentials, implicit_login, implicit_callback)})
