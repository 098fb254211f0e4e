"""A JupyterHub that signs people in at Postern, as docs/clients/jupyterhub.md has it. Nothing is spawned, so it needs no proxy."""
import os

from jupyterhub.proxy import Proxy

c = get_config()  # noqa: F821, JupyterHub's own
issuer, origin, client_id = os.environ["ISSUER"], os.environ["ORIGIN"], os.environ["CLIENT_ID"]


class NoProxy(Proxy):
    should_start = False
    routes = {}

    async def add_route(self, routespec, target, data):
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}

    async def delete_route(self, routespec):
        self.routes.pop(routespec, None)

    async def get_all_routes(self):
        return self.routes


c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.bind_url = c.JupyterHub.hub_bind_url = origin
c.JupyterHub.db_url = "sqlite:///" + os.environ["DATABASE"]
c.JupyterHub.cookie_secret_file = os.environ["DATABASE"] + ".cookie"
c.JupyterHub.default_url = "/hub/home"

c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = client_id
c.GenericOAuthenticator.client_secret = os.environ["CLIENT_SECRET"]
c.GenericOAuthenticator.oauth_callback_url = origin + "/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = issuer + "/authorize"
c.GenericOAuthenticator.token_url = issuer + "/token"
c.GenericOAuthenticator.userdata_url = issuer + "/userinfo"
c.GenericOAuthenticator.scope = ["openid", "profile", "email", "groups"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.manage_groups = True
c.GenericOAuthenticator.auth_state_groups_key = "oauth_user.groups"
c.GenericOAuthenticator.allowed_groups = {"staff"}
c.GenericOAuthenticator.admin_groups = {"admins"}
c.GenericOAuthenticator.enable_auth_state = True
c.GenericOAuthenticator.auth_refresh_age = 2
c.GenericOAuthenticator.auto_login = True
c.GenericOAuthenticator.logout_redirect_url = issuer + "/logout"
