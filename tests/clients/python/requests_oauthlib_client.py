"""An application that uses requests-oauthlib in the ways of its manual: web application, back end, and the old implicit flow."""
import importlib.metadata
import os

import requests
from oauthlib.oauth2 import BackendApplicationClient, MobileApplicationClient, WebApplicationClient
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from calls import serve

metadata = requests.get(os.environ["ISSUER"] + "/.well-known/openid-configuration").json()
client_id, client_secret = os.environ["CLIENT_ID"], os.environ.get("CLIENT_SECRET")
web = WebApplicationClient(client_id)
oauth = OAuth2Session(client=web, redirect_uri="https://client.example/callback", scope=["openid", "profile", "email"])
mobile = OAuth2Session(client=MobileApplicationClient(client_id), redirect_uri="https://client.example/callback", scope=["openid", "profile"])
waiting = {}


def version():
    return [importlib.metadata.version(name) for name in ("requests-oauthlib", "oauthlib", "requests")]


def login():
    waiting["verifier"] = web.create_code_verifier(64)
    challenge = web.create_code_challenge(waiting["verifier"], "S256")
    url, _ = oauth.authorization_url(metadata["authorization_endpoint"], code_challenge=challenge, code_challenge_method="S256")
    return url


def callback(url, how="basic"):
    """Basic is what the library does by itself, for a client without a secret too; "body" is how its manual sends both in the body."""
    body = {"include_client_id": True} if how == "body" else {}
    return oauth.fetch_token(metadata["token_endpoint"], authorization_response=url, client_secret=client_secret,
                             code_verifier=waiting["verifier"], **body)


def answered(response):
    response.raise_for_status()
    return response.json()


def userinfo():
    return answered(oauth.get(metadata["userinfo_endpoint"]))


def credentials():
    return {"client_id": client_id, **({"client_secret": client_secret} if client_secret else {})}


def refresh(token=None):
    return oauth.refresh_token(metadata["token_endpoint"], refresh_token=token, **credentials())


def userinfo_after_expiry():
    """A session that was stored with a token that is over by now."""
    saved = []
    stored = OAuth2Session(client_id, token={**oauth.token, "expires_in": -30, "expires_at": 1}, auto_refresh_url=metadata["token_endpoint"],
                           auto_refresh_kwargs=credentials(), token_updater=saved.append)
    answer = answered(stored.get(metadata["userinfo_endpoint"]))
    return {"userinfo": answer, "saved": saved[-1]}


def revoke(token, hint=None):
    url, headers, body = web.prepare_token_revocation_request(metadata["revocation_endpoint"], token, hint, **({} if client_secret else credentials()))
    auth = HTTPBasicAuth(client_id, client_secret) if client_secret else None
    requests.post(url, headers=headers, data=body, auth=auth).raise_for_status()


def back_end(scope, how="basic"):
    machine = OAuth2Session(client=BackendApplicationClient(client_id=client_id, scope=[scope]))
    if how == "basic":
        token = machine.fetch_token(token_url=metadata["token_endpoint"], auth=HTTPBasicAuth(client_id, client_secret))
    else:
        token = machine.fetch_token(token_url=metadata["token_endpoint"], client_secret=client_secret, include_client_id=True)
    about = requests.post(metadata["introspection_endpoint"], data={"token": token["access_token"]}, auth=HTTPBasicAuth(client_id, client_secret))
    return {"token": token, "about": answered(about)}


def implicit_login():
    return mobile.authorization_url(metadata["authorization_endpoint"])[0]


def implicit_callback(url):
    token = mobile.token_from_fragment(url)
    return {"token": token, "userinfo": answered(mobile.get(metadata["userinfo_endpoint"]))}


serve({function.__name__: function for function in (
    version, login, callback, userinfo, refresh, userinfo_after_expiry, revoke, back_end, implicit_login, implicit_callback)})
