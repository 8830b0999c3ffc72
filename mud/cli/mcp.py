"""`mcp`: lets a program that speaks MCP over stdin and stdout play in the running world. It opens no vault."""

from __future__ import annotations

import argparse
import asyncio
import os

from mud.cli import tool
from mud.errors import LociError
from mud.portal.mcp import PATH, optional
from mud.storage.files import noted_address

TOKEN = "LOCI_TOKEN"


def _arguments(parser: argparse.ArgumentParser) -> None:
    shown = "the address of its pages, such as http://127.0.0.1:8000 (default: those of the world that runs on DIR)"
    parser.add_argument("--url", metavar="URL", help=shown)


@tool("mcp", f"carry MCP between stdin and stdout and the running world; the token is in {TOKEN}", _arguments)
def mcp(args: argparse.Namespace) -> int:
    token = os.environ.get(TOKEN, "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise LociError(f"{TOKEN} in the environment has to hold a token; @token in the world makes one")
    url = args.url or noted_address(args.vault)
    if url is None:
        raise LociError(f"no world with web pages runs on {args.vault}; start one: python -m mud run --web 8000")
    bridge = optional("mud.portal.mcp.bridge")
    asyncio.run(bridge.carry(url.rstrip("/").removesuffix(PATH) + PATH, token, proxies=bool(args.url)))
    return 0
