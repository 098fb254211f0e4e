"""A site of Django that signs people in with the library LIBRARY: mozilla-django-oidc or django-allauth, set up as its documentation says."""
import os
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import requests
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path

library, issuer = os.environ["LIBRARY"], os.environ["ISSUER"]
client = {"client_id": os.environ["CLIENT_ID"], "secret": os.environ["CLIENT_SECRET"]}
metadata = requests.get(issuer + "/.well-known/openid-configuration").json()


def logout_address(request):
    """Signs out of Postern as well (OIDC_OP_LOGOUT_URL_METHOD)."""
    query = {"id_token_hint": request.session["oidc_id_token"], "post_logout_redirect_uri": request.build_absolute_uri("/")}
    return requests.Request("GET", metadata["end_session_endpoint"], params=query).prepare().url


MOZILLA = dict(
    INSTALLED_APPS=["mozilla_django_oidc"],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    MIDDLEWARE=["mozilla_django_oidc.middleware.SessionRefresh"],
    OIDC_RP_CLIENT_ID=client["client_id"],
    OIDC_RP_CLIENT_SECRET=client["secret"],
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES="openid profile email",
    OIDC_USE_PKCE=os.environ.get("PKCE") == "yes",
    OIDC_OP_AUTHORIZATION_ENDPOINT=metadata["authorization_endpoint"],
    OIDC_OP_TOKEN_ENDPOINT=metadata["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=metadata["userinfo_endpoint"],
    OIDC_OP_JWKS_ENDPOINT=metadata["jwks_uri"],
    OIDC_STORE_ID_TOKEN=True,
    OIDC_OP_LOGOUT_URL_METHOD="__main__.logout_address",
    OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS=2,
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
)
ALLAUTH = dict(
    INSTALLED_APPS=["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    MIDDLEWARE=["allauth.account.middleware.AccountMiddleware"],
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {
        "OAUTH_PKCE_ENABLED": os.environ.get("PKCE") == "yes",
        "APPS": [{"provider_id": "postern", "name": "Postern", **client, "settings": {"server_url": issuer}}],
    }},
    LOGIN_REDIRECT_URL="/",
)
chosen, urls = {
    "mozilla-django-oidc": (MOZILLA, ("oidc/", "mozilla_django_oidc.urls")),
    "django-allauth": (ALLAUTH, ("accounts/", "allauth.urls")),
}[library]


def home(request):
    user = request.user
    if not user.is_authenticated:
        return JsonResponse({}, status=401)
    accounts = [account.uid for account in user.socialaccount_set.all()] if library == "django-allauth" else []
    return JsonResponse({"username": user.username, "email": user.email, "first_name": user.first_name, "accounts": accounts})


settings.configure(
    SECRET_KEY=os.urandom(32).hex(), ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}],
    **{**chosen,
       "INSTALLED_APPS": ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
                          *chosen["INSTALLED_APPS"]],
       "MIDDLEWARE": ["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                      "django.contrib.messages.middleware.MessageMiddleware", *chosen["MIDDLEWARE"]]})
django.setup()
urlpatterns = [path("", home), path(urls[0], include(urls[1]))]
call_command("migrate", verbosity=0)
WSGIRequestHandler.log_message = lambda *_: None
server = make_server("127.0.0.1", 0, get_wsgi_application())
print(server.server_port, flush=True)
server.serve_forever()
