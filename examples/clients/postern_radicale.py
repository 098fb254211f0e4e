"""Radicale takes access tokens of Postern as passwords. Put this file where its Python finds modules, and into Radicale's configuration:

[auth]
type = postern_radicale
introspection_endpoint = https://id.example.org/token/introspect
client_id = radicale
client_secret = SECRET
scope = calendar
"""
import requests
from radicale import auth

OPTIONS = ("introspection_endpoint", "client_id", "client_secret", "scope")


class Auth(auth.BaseAuth):
    def __init__(self, configuration):
        super().__init__(configuration.copy({"auth": {name: {"value": "", "type": str} for name in OPTIONS}}))
        self._endpoint, client_id, client_secret, self._scope = (self.configuration.get("auth", name) for name in OPTIONS)
        if not (self._endpoint.startswith("https://") and client_id and client_secret and self._scope):
            raise RuntimeError(f"[auth] needs {', '.join(OPTIONS)}")
        self._client = (client_id, client_secret)

    def _login(self, login, password):
        answer = requests.post(self._endpoint, data={"token": password}, auth=self._client, timeout=10)
        answer.raise_for_status()
        token = answer.json()
        # A refresh token is active, too.
        good = token.get("active") is True and token.get("token_type") == "Bearer" and self._scope in token.get("scope", "").split()
        return login if good and token.get("username") == login else ""
