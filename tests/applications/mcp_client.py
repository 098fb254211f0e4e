"""An application of the Python SDK of MCP that calls the tool of a server each time that it reads a line.

CLIENT_ID is its ID, or CLIENT_DOCUMENT the URL of the document that describes it.

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
    tokens = client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        assert client_info.client_id == os.environ.get("CLIENT_DOCUMENT"), "Postern has no dynamic registration"
        self.client_info = client_info


async def redirect(url):
    print(url, flush=True)


async def callback():
    line = await asyncio.to_thread(sys.stdin.readline)
    answer = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=answer.get("code", ""), state=answer.get("state"), iss=answer.get("iss"))


async def main():
    storage, server, document = Storage(), os.environ["SERVER"], os.environ.get("CLIENT_DOCUMENT")
    if not document:
        storage.client_info = OAuthClientInformationFull(
            client_id=os.environ["CLIENT_ID"], redirect_uris=[CALLBACK], token_endpoint_auth_method="none")
    metadata = OAuthClientMetadata(redirect_uris=[CALLBACK], client_name="Assistant")
    auth = OAuthClientProvider(server, metadata, storage, redirect, callback, client_metadata_url=document)
    async with create_mcp_http_client(auth=auth) as http, streamable_http_client(server, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            while True:
                says = (await session.call_tool("whoami", {})).content[0].text
                print(json.dumps({"says": says, "tokens": storage.tokens.model_dump(mode="json")}), flush=True)
                await asyncio.to_thread(sys.stdin.readline)


asyncio.run(main())
