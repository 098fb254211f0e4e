"""An MCP server of FastMCP at PORT with a tool that tells whom the token is of.

With CLIENT_ID it stands between its clients and Postern (OIDCProxy); without, they get tokens of Postern for it (RemoteAuthProvider).
"""
import os

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.oidc_proxy import OIDCProxy
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token

issuer, port = os.environ["ISSUER"], int(os.environ["PORT"])
base_url = f"http://127.0.0.1:{port}"
if "CLIENT_ID" in os.environ:
    auth = OIDCProxy(
        config_url=issuer + "/.well-known/openid-configuration",
        client_id=os.environ["CLIENT_ID"],
        client_secret=os.environ["CLIENT_SECRET"],
        base_url=base_url,
        audience=os.environ["AUDIENCE"],
        required_scopes=["notes:read"],
    )
else:
    verifier = JWTVerifier(jwks_uri=issuer + "/jwks", issuer=issuer, audience=base_url + "/mcp", required_scopes=["notes:read"])
    auth = RemoteAuthProvider(token_verifier=verifier, authorization_servers=[issuer], base_url=base_url)
server = FastMCP("Notes", auth=auth)


@server.tool
def whoami() -> dict:
    return get_access_token().claims


server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
