"""A site of Django that signs people in with LIBRARY, set up as its documentation says: mozilla-django-oidc, django-allauth or social-auth-app-django."""
import os
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import requests
from django.conf import settings
from django.contrib.auth import logout
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponseRedirect, JsonResponse
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
SOCIAL = dict(
    INSTALLED_APPS=["social_django"],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    MIDDLEWARE=["social_django.middleware.SocialAuthExceptionMiddleware"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer,
    SOCIAL_AUTH_OIDC_KEY=client["client_id"],
    SOCIAL_AUTH_OIDC_SECRET=client["secret"],
    SOCIAL_AUTH_OIDC_USE_PKCE=os.environ.get("PKCE") == "yes",
    SOCIAL_AUTH_OIDC_JWT_ALGORITHMS=[os.environ.get("ALGORITHM", "RS256")],
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
)
chosen, urls = {
    "mozilla-django-oidc": (MOZILLA, ("oidc/", "mozilla_django_oidc.urls")),
    "django-allauth": (ALLAUTH, ("accounts/", "allauth.urls")),
    "social-auth-app-django": (SOCIAL, ("oauth/", "social_django.urls")),
}[library]


def home(request):
    user = request.user
    if not user.is_authenticated:
        return JsonResponse({}, status=401)
    accounts = []
    if library == "django-allauth":
        accounts = [account.uid for account in user.socialaccount_set.all()]
    if library == "social-auth-app-django":
        accounts = [account.uid for account in user.social_auth.all()]
    return JsonResponse({"username": user.username, "email": user.email, "first_name": user.first_name, "accounts": accounts})


def leave(request):
    logout(request)
    return HttpResponseRedirect("/")


def refresh(request):
    """Answers the first and the second refresh token, or what social-core says of the refusal."""
    from social_core.exceptions import SocialAuthBaseException
    from social_django.utils import load_strategy

    account = request.user.social_auth.get()
    before = account.extra_data["refresh_token"]
    try:
        account.refresh_token(load_strategy(request))
    except SocialAuthBaseException as error:
        return JsonResponse({"refused": type(error).__name__}, status=403)
    return JsonResponse({"before": before, "after": account.extra_data["refresh_token"], "access": account.access_token})


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
urlpatterns = [path("", home), path(urls[0], include(urls[1])), path("logout/", leave), path("refresh/", refresh)]
call_command("migrate", verbosity=0)
WSGIRequestHandler.log_message = lambda *_: None
server = make_server("127.0.0.1", 0, get_wsgi_application())
print(server.server_port, flush=True)
server.serve_forever()
