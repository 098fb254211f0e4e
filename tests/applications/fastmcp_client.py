"""A client of FastMCP that calls the tool of a server each time that it reads a line.

First it writes the address of the authorization request. It listens at http://localhost with a free port for the answer. For each call it writes
a line of JSON. CLIENT_ID is its ID, without which it registers at the server.
"""
import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.auth import OAuth


class Auth(OAuth):
    async def redirect_handler(self, authorization_url):
        print(authorization_url, flush=True)


async def main():
    try:
        async with Client(os.environ["SERVER"], auth=Auth(client_id=os.environ.get("CLIENT_ID"))) as client:
            while True:
                print(json.dumps((await client.call_tool("whoami", {})).data), flush=True)
                if not await asyncio.to_thread(sys.stdin.readline):
                    return
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
        raise


asyncio.run(main())
