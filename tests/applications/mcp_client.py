"""An application of the Python SDK of MCP that calls the tool of a server each time that it reads a line.

First it writes the address of the authorization request and reads where the browser came back to. For each call it writes a line of JSON.
"""
import asyncio
import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

from mcp.client import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

CALLBACK = "http://127.0.0.1:33418/callback"


class Storage:
    tokens = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return OAuthClientInformationFull(client_id=os.environ["CLIENT_ID"], redirect_uris=[CALLBACK], token_endpoint_auth_method="none")

    async def set_client_info(self, client_info):
        raise AssertionError("Postern has no dynamic registration")


async def redirect(url):
    print(url, flush=True)


async def callback():
    line = await asyncio.to_thread(sys.stdin.readline)
    answer = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=answer.get("code", ""), state=answer.get("state"), iss=answer.get("iss"))


async def main():
    storage, server = Storage(), os.environ["SERVER"]
    auth = OAuthClientProvider(
        server, OAuthClientMetadata(redirect_uris=[CALLBACK], client_name="Assistant"), storage, redirect, callback)
    async with create_mcp_http_client(auth=auth) as http, streamable_http_client(server, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            while True:
                says = (await session.call_tool("whoami", {})).content[0].text
                print(json.dumps({"says": says, "tokens": storage.tokens.model_dump(mode="json")}), flush=True)
                await asyncio.to_thread(sys.stdin.readline)


asyncio.run(main())
